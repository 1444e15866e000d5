//! Forms that have a value wherever the facts hold: ⌈x/d⌉ becomes ⌈x/max(1, d)⌉ where d may be 0, log2 n becomes
//! log2 max(1, n).
//!
//! The value stays as it was wherever there was one. A bracket that is 0 silences the other factors of its product, so
//! `[d ≥ 1]·⌈x/d⌉` stays as it is. But whoever evaluates a product asks all of its brackets: the condition of each has to
//! have a value by itself.

use std::cell::LazyCell;

use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::print::Printer;
use crate::sym::prove::bounds;
use crate::sym::simplify::{domain, written};
use crate::sym::{Cond, Expr};

/// [`Facts::total`].
pub(crate) fn total(facts: &Facts, sure: &Facts, expr: &Expr, printers: &[&Printer]) -> Expr {
    if !may_lack_value(facts, expr) {
        return expr.clone();
    }
    let is_total = |expr: &Expr| {
        let mut printers = printers.iter();
        printers.all(|printer| written::has_value(facts, printer, &printer.shape(expr)))
    };
    // A layout may take a factor out of products with different brackets: then none of them says that it is not asked.
    let beside_brackets = Pass { heeds: true }.expr(facts, sure, expr);
    if is_total(&beside_brackets) {
        beside_brackets
    } else {
        Pass { heeds: false }.expr(facts, sure, expr)
    }
}

/// Whether something in it may have no value: a quotient by more than numbers and positive names, a logarithm, ….
fn may_lack_value(facts: &Facts, expr: &Expr) -> bool {
    let mut factors = expr.terms().iter().flat_map(|(m, _)| m.factors());
    factors.any(|(atom, exponent)| {
        let may_be_zero = |atom: &Atom| match atom {
            Atom::Symbol(_) => !bounds::is_nonzero_atom(facts, atom),
            _ => true,
        };
        let here = match atom {
            Atom::Symbol(_)
            | Atom::Floor(_)
            | Atom::Min(_)
            | Atom::Max(_)
            | Atom::Bracket(_)
            | Atom::Sum(_) => *exponent < 0 && may_be_zero(atom),
            Atom::Power(base, _) => base.as_rational().is_none_or(|base| base.signum() <= 0),
            Atom::Inverse(_)
            | Atom::Log(..)
            | Atom::Gcd(..)
            | Atom::DigitSum(..)
            | Atom::FloorSum(_) => true,
        };
        let mut found = here;
        atom.for_each_child(&mut |child| found = found || may_lack_value(facts, child));
        found
    })
}

/// The condition of a bracket.
fn holds(factor: &Atom) -> Option<Cond> {
    match factor {
        Atom::Bracket(cond) => Some((**cond).clone()),
        _ => None,
    }
}

/// A condition that holds wherever a factor is not 0: beside one that is, no value counts.
fn is_not_zero(factor: &Atom) -> Option<Cond> {
    match factor {
        Atom::Max(items) if items.iter().any(Expr::is_zero) => {
            Some(domain::above_zero(&Expr::atom(factor.clone())))
        }
        _ => holds(factor),
    }
}

/// One way over an expression.
struct Pass {
    /// Whether what stands beside a bracket is only asked for a value where that holds.
    heeds: bool,
}

impl Pass {
    /// An expression with a value wherever `facts` hold. It stays what it was `there`: where nothing beside it is 0, and
    /// where facts are sure.
    fn expr(&self, facts: &Facts, there: &Facts, expr: &Expr) -> Expr {
        let terms = expr.terms().iter();
        let terms: Vec<Expr> = terms.map(|term| self.term(facts, there, term)).collect();
        let is_same = |(new, old): (&Expr, &Term)| *new == Expr::term(old);
        if terms.iter().zip(expr.terms()).all(is_same) {
            expr.clone()
        } else {
            terms.iter().fold(Expr::zero(), |sum, term| &sum + term)
        }
    }

    fn term(&self, facts: &Facts, there: &Facts, (monomial, coefficient): &Term) -> Expr {
        let factors = monomial.factors();
        let beside = |of: &Atom, facts: &Facts, says: &dyn Fn(&Atom) -> Option<Cond>| {
            let others = factors.iter().filter(|(other, _)| other != of);
            let others = others.filter_map(|(other, _)| says(other));
            others.fold(facts.clone(), |facts, cond| facts.with(&cond))
        };
        let product = Expr::rational(coefficient.clone());
        factors.iter().fold(product, |product, (atom, exponent)| {
            let counts = LazyCell::new(|| beside(atom, there, &is_not_zero));
            let factor = if self.heeds && !atom.is_bracket() {
                let asked = beside(atom, facts, &holds);
                self.factor(&asked, &counts, atom, *exponent)
            } else {
                self.factor(facts, &counts, atom, *exponent)
            };
            &product * &factor
        })
    }

    fn factor(&self, facts: &Facts, there: &Facts, atom: &Atom, exponent: i32) -> Expr {
        let value = self.atom(facts, there, atom);
        let value = if exponent > 0 {
            value
        } else {
            domain::divisor(facts, there, &value)
        };
        // What is built anew may come out in another form.
        if value.as_atom() == Some(atom) {
            Expr::monomial(Monomial::atom(atom.clone(), exponent))
        } else {
            value.integer_power(exponent)
        }
    }

    fn atom(&self, facts: &Facts, there: &Facts, atom: &Atom) -> Expr {
        let part = |part: &Expr| self.expr(facts, there, part);
        let (new, is_same) = match atom {
            Atom::Symbol(_) => return Expr::atom(atom.clone()),
            Atom::Floor(_) | Atom::Min(_) | Atom::Max(_) | Atom::Bracket(_) => {
                let mut is_same = true;
                atom.for_each_child(&mut |child| is_same = is_same && part(child) == *child);
                if is_same {
                    return Expr::atom(atom.clone());
                }
                (atom.rebuild(&part), false)
            }
            Atom::Inverse(x) => {
                let divisor = domain::divisor(facts, there, &part(x));
                (divisor.reciprocal(), divisor == *x)
            }
            Atom::Log(base, x) => {
                let new_base = domain::log_base(facts, &part(base));
                let new_x = domain::log_argument(facts, &part(x));
                let is_same = new_base == *base && new_x == *x;
                (Expr::log(&new_base, &new_x), is_same)
            }
            Atom::Power(base, exponent) => {
                let new_exponent = part(exponent);
                let new_base = domain::power_base(facts, &part(base), &new_exponent);
                let is_same = new_base == *base && new_exponent == *exponent;
                (new_base.pow(&new_exponent), is_same)
            }
            Atom::Gcd(x, y) => {
                let new = [x, y].map(|x| domain::whole(facts, &part(x)));
                let is_same = new[0] == *x && new[1] == *y;
                (Expr::gcd(&new[0], &new[1]), is_same)
            }
            Atom::DigitSum(x, base) => {
                let new = [(x, 0), (base, 2)].map(|(x, least)| {
                    let x = domain::whole(facts, &part(x));
                    domain::no_less(facts, &x, least)
                });
                let is_same = new[0] == *x && new[1] == *base;
                (Expr::digit_sum(&new[0], &new[1]), is_same)
            }
            Atom::FloorSum(parts) => {
                let [n, a, c, m] = [0, 1, 2, 3].map(|at| part(&parts[at]));
                let n = domain::number_of_terms(facts, &n);
                let m = domain::divisor(facts, there, &m);
                let new = [n, a, c, m];
                let is_same = new == **parts;
                let [n, a, c, m] = new;
                (Expr::floor_sum(&n, &a, &c, &m), is_same)
            }
            Atom::Sum(sum) => {
                let (variable, body, inside) = facts.opened(sum);
                let [above, below] = [Cond::ge, Cond::le];
                let value = Expr::symbol(&variable);
                let counts = there.with(&above(&value, &sum.low));
                let counts = counts.with(&below(&value, &sum.high));
                let inner = self.expr(&inside, &counts, &body);
                let [low, high] = [&sum.low, &sum.high].map(part);
                let is_same = inner == body && low == sum.low && high == sum.high;
                (Expr::unsolved_sum(&variable, &low, &high, &inner), is_same)
            }
        };
        if is_same {
            Expr::atom(atom.clone())
        } else {
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{over, symbols};
    use crate::sym::print::Names;

    fn printed(facts: &Facts, form: &Expr) -> String {
        let printer = Printer::new(&Names::default());
        facts.total(facts, form, &[&printer]).to_string()
    }

    /// n and m are 0 or more, b is 1 or more.
    fn sizes() -> (Facts, [Expr; 3]) {
        let [n, m, b] = symbols(["n", "m", "b"]);
        let mut facts = Facts::new();
        facts.assume(&Cond::non_negative(&n));
        facts.assume(&Cond::non_negative(&m));
        facts.assume(&Cond::ge(&b, &Expr::one()));
        (facts, [n, m, b])
    }

    #[test]
    fn a_form_gets_a_value_wherever_the_facts_hold() {
        let (facts, [n, m, b]) = sizes();
        let (one, two) = (Expr::one(), Expr::int(2));
        let log = |x: &Expr| Expr::log(&two, x);
        let is_positive = |x: &Expr| Expr::bracket(Cond::ge(x, &one));
        let is_two = |x: &Expr| Expr::bracket(Cond::ge(x, &two));
        let half = over(&n, &two);
        for (form, total) in [
            // Nothing is 0 here.
            (over(&n, &b).ceil(), "⌈n/b⌉"),
            (over(&n, &(&m + &one)).ceil(), "⌈n/(m + 1)⌉"),
            (log(&(&n + &one)), "log2 (n + 1)"),
            (Expr::gcd(&n, &m), "gcd(m, n)"),
            (over(&b, &(&m * &two - &one)).floor(), "⌊b/(2m - 1)⌋"),
            // What is divided by may be 0.
            (over(&n, &m).ceil(), "⌈n/max(1, m)⌉"),
            (over(&n, &(&m * &m)), "n/max(1, m)^2"),
            (over(&b, &(&m - &n)).floor(), "-⌈b/(n - m + [n = m])⌉"),
            (n.modulo(&m).expect("not by 0"), "n - m⌊n/max(1, m)⌋"),
            // Only of positive numbers there are logarithms, to a base of 2 or more.
            (log(&n).ceil(), "⌈log2 max(1, n)⌉"),
            (&n * log(&n), "n log2 max(1, n)"),
            (Expr::log(&b, &n), "log_{max(2, b)} max(1, n)"),
            // A bracket beside them says where they count.
            (over(&n, &m).ceil() * is_positive(&m), "⌈n/m⌉·[m ≥ 1]"),
            (log(&n).ceil() * is_positive(&n), "⌈log2 n⌉·[n ≥ 1]"),
            (log(&n).ceil() * is_positive(&m), "⌈log2 max(1, n)⌉·[m ≥ 1]"),
            // No bracket says whether another one is asked.
            (
                Expr::bracket(Cond::ge(&over(&n, &m).floor(), &two)) * is_positive(&m),
                "[⌊n/max(1, m)⌋ ≥ 2]·[m ≥ 1]",
            ),
            // A factor that is taken out stands beside no bracket.
            (
                over(&n, &m).ceil() * (is_positive(&m) + is_two(&m)) + &b,
                "b + ([m ≥ 2] + [m ≥ 1])⌈n/max(1, m)⌉",
            ),
            // Functions of whole numbers.
            (Expr::gcd(&half, &m), "gcd(m, ⌊n/2⌋)"),
            (
                Expr::digit_sum(&(&n - &one), &b),
                "digit_sum(max(0, n - 1), max(2, b))",
            ),
            (
                Expr::floor_sum(&m, &one, &n, &n),
                "floor_sum(m, 1, n, max(1, n))",
            ),
            // Roots, and powers of what may be 0.
            (
                (&n - &m).pow(&Expr::rational(
                    crate::number::Rational::new(1, 2).expect("not 0"),
                )),
                "sqrt(max(0, n - m))",
            ),
            (n.pow(&(&m - &one)), "n^m/max(1, n)"),
        ] {
            assert_eq!(printed(&facts, &form), total, "{form}");
        }
    }

    #[test]
    fn a_sum_has_a_value_in_each_of_its_terms() {
        let (facts, [n, _, _]) = sizes();
        let r = crate::examples::symbol("r");
        let blocks = over(&n, &Expr::symbol(&r)).ceil();
        let sum = |low: i64| Expr::unsolved_sum(&r, &Expr::int(low), &n, &blocks);
        assert_eq!(printed(&facts, &sum(1)), "(Σ r ∈ 1..n : ⌈n/r⌉)");
        assert_eq!(printed(&facts, &sum(0)), "(Σ r ∈ 0..n : ⌈n/max(1, r)⌉)");
    }

    /// At sizes below 0, which nobody admits, a form stays what it is.
    #[test]
    fn a_form_stays_the_same_where_it_has_a_value() {
        let (natural, [n, m, _]) = sizes();
        let printer = Printer::new(&Names::default());
        let sure = Facts::new();
        let total = |form: &Expr| natural.total(&sure, form, &[&printer]).to_string();
        assert_eq!(total(&over(&n, &m).ceil()), "⌈n/(m + [m = 0])⌉");
        assert_eq!(total(&over(&n, &(&m + 1)).ceil()), "⌈n/(m + 1)⌉");
    }
}
