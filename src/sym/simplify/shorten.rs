//! The shortest form found for a result: brackets are dropped, or joined to the terms beside
//! them.

use crate::sym::expr::summary::Kind;
use crate::sym::expr::types::{Atom, Monomial, Term};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::bounds;
use crate::sym::simplify::brackets::{self, MOST_BRACKETS};
use crate::sym::simplify::rule::{self, Rule};
use crate::sym::{Cond, Expr, Symbol};

/// The most passes. Each may enable the next, so the limit only stops unforeseen loops.
const MOST_PASSES: usize = 4;

/// The steps tried on the brackets of a result.
pub(crate) const STEPS: &[Rule<Expr, Expr>] = &[
    Rule {
        name: "x·[c] = x where x is 0 without c",
        rewrite: brackets::without_idle_brackets,
    },
    Rule {
        name: "[n ≥ 2b]·[n ≥ b] = [n ≥ 2b]",
        rewrite: without_implied_brackets,
    },
    Rule {
        name: "max(0, x) + [x ≥ 0] = max(0, x + 1)",
        rewrite: join_maxima,
    },
    Rule {
        name: "[x mod f ≥ d] = 1 − ⌊x/f⌋ + ⌊(x − d)/f⌋",
        rewrite: without_remainders,
    },
    Rule {
        name: "x·[x ≥ 0] = max(0, x)",
        rewrite: brackets_as_extremes,
    },
];

/// [`Facts::shorten`].
pub(crate) fn shorten(facts: &Facts, expr: &Expr) -> Expr {
    let mut result = expr.clone();
    for _ in 0..MOST_PASSES {
        if !result.has(Kind::Bracket) || facts.is_exhausted() {
            break;
        }
        let next = rule::all(STEPS, facts, &result);
        if next == result {
            break;
        }
        result = next;
    }
    result
}

/// Drops implied brackets: `[n ≥ 2b]·[n ≥ b]` is `[n ≥ 2b]`. But `[n ≥ ⌈b/n⌉]·[n ≥ 1]` stays: at
/// n = 0 the first has no value, and the second makes the product 0 without it.
fn without_implied_brackets(facts: &Facts, expr: &Expr) -> Expr {
    let plain = |(monomial, coefficient): &Term| {
        let brackets = monomial
            .factors()
            .iter()
            .filter_map(|(atom, _)| match atom {
                Atom::Bracket(cond) => Some((atom, cond)),
                _ => None,
            });
        let mut kept: Vec<_> = brackets.take(MOST_BRACKETS).collect();
        let mut monomial: Monomial = monomial.clone();
        let mut at = 0;
        while at < kept.len() {
            let (atom, cond) = kept[at];
            let mut others = kept.iter().filter(|(other, _)| *other != atom);
            if others.any(|(other, of)| implies(facts, other, of, cond)) {
                monomial = monomial.without(atom);
                kept.remove(at);
            } else {
                at += 1;
            }
        }
        (monomial, coefficient.clone())
    };
    let has_two = |(monomial, _): &Term| {
        let factors = monomial.factors().iter();
        factors
            .filter(|(atom, _)| atom.is_bracket())
            .nth(1)
            .is_some()
    };
    if expr.terms().iter().any(has_two) {
        let terms = expr.terms().iter().map(|term| Expr::term(&plain(term)));
        terms.fold(Expr::zero(), |sum, term| &sum + &term)
    } else {
        expr.clone()
    }
}

/// Returns true if a bracket implies the other condition and has a value wherever that condition
/// is false.
fn implies(facts: &Facts, bracket: &Atom, of: &Cond, cond: &Cond) -> bool {
    let outside = || facts.with(&cond.clone().negate());
    facts.with(of).proves(cond)
        && bounds::always_has_value(&outside(), &Expr::atom(bracket.clone()))
}

/// Joins max(0, x) + `[x ≥ 0]` to max(0, x + 1), and max(0, x) − `[x ≥ 1]` to max(0, x − 1), for
/// a whole x, as far as both have the same factors.
fn join_maxima(facts: &Facts, expr: &Expr) -> Expr {
    let mut result = expr.clone();
    for (maximum, x) in expr.atoms().iter().filter_map(excess) {
        if !facts.is_integer(&x) {
            continue;
        }
        let one = Expr::one();
        for (cond, sign) in [
            (Cond::non_negative(&x), one.clone()),
            (Cond::ge(&x, &one), one.neg()),
        ] {
            let bracket = Expr::bracket(cond);
            let Some(atom) = bracket.as_atom() else {
                continue;
            };
            let (Some([_, of_maximum]), Some([_, of_bracket])) =
                (result.beside(maximum), result.beside(atom))
            else {
                continue;
            };
            let of_bracket = &of_bracket * &sign;
            let shared = of_maximum.terms().iter();
            let shared = shared.filter(|term| of_bracket.terms().contains(term));
            let shared = Expr::from_terms(shared.cloned().collect());
            if shared.is_zero() {
                continue;
            }
            let both = Expr::atom(maximum.clone()) + (&bracket * &sign);
            let joined = Expr::max(vec![Expr::zero(), &x + &sign]);
            result = facts.simplify(&(&result + (&shared * (&joined - &both))));
        }
    }
    result
}

/// Writes `[x mod f ≥ d]` as 1 − ⌊x/f⌋ + ⌊(x − d)/f⌋ for 0 ≤ d ≤ f, if that is shorter. So ⌈n/b⌉
/// blocks without a last one of a single word are ⌈(n − 1)/b⌉.
fn without_remainders(facts: &Facts, expr: &Expr) -> Expr {
    shorter_beside_brackets(facts, expr, |cond, rest, factor| {
        let floors = remainder_as_floors(facts, cond)?;
        Some(vec![rest + (factor * &floors)])
    })
}

/// Returns the bracket of a condition on x mod f as floors.
fn remainder_as_floors(facts: &Facts, cond: &Cond) -> Option<Expr> {
    // ⌊x/f⌋ − ⌊(x − d)/f⌋ is 1 if the last d steps up to x cross a multiple of f, that is x mod f
    // < d. For f = 4, d = 2: x = 5 gives 1 − 0 = 1, and x = 7 gives 1 − 1 = 0.
    let (value, holds) = match cond {
        Cond::NonNegative(value) => (value, true),
        Cond::Not(inner) => match &**inner {
            Cond::NonNegative(value) => (value, false),
            _ => return None,
        },
        _ => return None,
    };
    let one = Expr::one();
    for atom in value.atoms() {
        let Atom::Floor(quotient) = &atom else {
            continue;
        };
        let Some([rest, factor]) = value.beside(&atom) else {
            continue;
        };
        let (f, is_at_most) = if facts.is_positive(&factor) {
            (factor.clone(), true)
        } else {
            (factor.neg(), false)
        };
        // value = c − x mod f or x mod f + c, for x = f·quotient. The first is ≥ 0 if x mod f < c
        // + 1, the second if x mod f ≥ −c.
        let (x, c) = (&f * quotient, &rest + (&factor * quotient));
        let least = if is_at_most { &c + &one } else { c.neg() };
        let fits = [&f, &x, &least].into_iter().all(|e| facts.is_integer(e))
            && facts.proves(&Cond::ge(&f, &one))
            && facts.proves(&Cond::non_negative(&least))
            && facts.proves(&Cond::le(&least, &f));
        if !fits {
            continue;
        }
        let below = Expr::atom(atom.clone()) - (&x - &least).div(&f)?.floor();
        return Some(if is_at_most == holds {
            below
        } else {
            &one - &below
        });
    }
    None
}

/// Writes x·`[x ≥ 0]` as max(0, x), and n − max(0, n − b) as min(n, b).
fn brackets_as_extremes(facts: &Facts, expr: &Expr) -> Expr {
    shorter_beside_brackets(facts, expr, |cond, rest, factor| {
        let Cond::NonNegative(x) = cond else {
            return None;
        };
        let variants = x.symbols().into_iter().filter_map(|symbol| {
            let [of_rest, slope] = x.linear_in(&symbol)?;
            let (hidden, open): (Vec<Term>, Vec<Term>) =
                factor.terms().iter().cloned().partition(|(monomial, _)| {
                    let mut atoms = monomial.factors().iter().map(|(atom, _)| atom);
                    atoms.any(|atom| !matches!(atom, Atom::Symbol(_)) && atom.contains(&symbol))
                });
            let [here, times] = Expr::from_terms(open).linear_in(&symbol)?;
            let hidden = Expr::from_terms(hidden);
            let is_unit = slope.is_one() || slope.neg().is_one();
            let both = as_extremes(&symbol, x, [&of_rest, &slope], [&here, &times]);
            is_unit.then(|| both.map(|(extreme, left)| (extreme, &left + &hidden)))
        });
        let variants = variants.flatten().map(|(extreme, left)| {
            let bracket = Expr::bracket(cond.clone());
            rest + &extreme + (&left * &bracket)
        });
        Some(variants.collect())
    })
}

/// Replaces each bracket by the shortest variant of rest + factor·bracket, if one is shorter.
fn shorter_beside_brackets(
    facts: &Facts,
    expr: &Expr,
    variants: impl Fn(&Cond, &Expr, &Expr) -> Option<Vec<Expr>>,
) -> Expr {
    let mut result = expr.clone();
    // Computed only if some variant exists: writing a result takes long.
    let mut shortest = None;
    let brackets = expr.atoms().into_iter();
    for atom in brackets.filter(Atom::is_bracket).take(MOST_BRACKETS) {
        let Atom::Bracket(cond) = &atom else {
            continue;
        };
        let Some([rest, factor]) = result.beside(&atom) else {
            continue;
        };
        for variant in variants(cond, &rest, &factor).unwrap_or_default() {
            let variant = facts.simplify(&variant);
            let length_of_variant = length(&variant);
            if length_of_variant < *shortest.get_or_insert_with(|| length(&result)) {
                (result, shortest) = (variant, Some(length_of_variant));
            }
        }
    }
    result
}

/// Rewrites (times·v + here)·`[x ≥ 0]` for x = slope·v + r with slope ±1. Returns an extreme that
/// holds the variable v and the rest of the factor, twice: with max(0, x) and with its
/// complement.
fn as_extremes(
    variable: &Symbol,
    x: &Expr,
    [r, slope]: [&Expr; 2],
    [here, times]: [&Expr; 2],
) -> [(Expr, Expr); 2] {
    // Division with remainder by x: times·v + here = quotient·x + left, where left is free of v.
    // Example: n·[n ≥ b], x = n − b: quotient 1, left b. So it is max(0, n − b) + b·[n ≥ b].
    let v = Expr::symbol(variable);
    // times·v + here = quotient·x + left
    let quotient = times * slope;
    let left = here - (&quotient * r);
    let excess = Expr::max(vec![Expr::zero(), x.clone()]);
    let complement = if slope.is_one() {
        // max(0, v + r) = v − min(v, −r)
        &v - Expr::min(vec![v.clone(), r.neg()])
    } else {
        // max(0, r − v) = max(v, r) − v
        Expr::max(vec![v.clone(), r.clone()]) - &v
    };
    [excess, complement].map(|extreme| (&quotient * &extreme, left.clone()))
}

/// Returns the length of the printed form.
fn length(expr: &Expr) -> usize {
    expr.to_string().chars().count()
}

/// Returns x for max(0, x).
fn excess(atom: &Atom) -> Option<(&Atom, Expr)> {
    let Atom::Max(items) = atom else {
        return None;
    };
    match &**items {
        [zero, x] | [x, zero] if zero.is_zero() => Some((atom, x.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::sym::{Cond, Expr, Facts, Symbol};

    #[test]
    fn a_maximum_and_its_bracket_become_one_difference() {
        let n = Expr::symbol(&Symbol::new(0, "n"));
        let mut facts = Facts::new();
        facts.assume(&Cond::ge(&n, &Expr::one()));
        // max(0, n − 2) is n − 1 but for n = 1, and the bracket is 1 but for n = 1.
        let less = &n - 2;
        let some = Expr::bracket(Cond::ge(&less, &Expr::zero()));
        let expr = Expr::max(vec![Expr::zero(), less]) + &some;
        assert_eq!(facts.shorten(&expr).to_string(), "n - 1");
    }

    #[test]
    fn a_bracket_stays_beside_one_that_has_no_value_without_it() {
        let [n, b] = [(0, "n"), (1, "b")].map(|(id, name)| Expr::symbol(&Symbol::new(id, name)));
        let mut facts = Facts::new();
        facts.assume(&Cond::ge(&n, &Expr::zero()));
        facts.assume(&Cond::ge(&b, &Expr::int(2)));
        let at_least = |low: &Expr| Expr::bracket(Cond::ge(&n, low));
        let some = at_least(&Expr::one());
        let plain = at_least(&b.scale(&2.into())) * &some;
        assert_eq!(facts.shorten(&plain).to_string(), "[n ≥ 2b]");
        let blocks = b.div(&n).expect("a quotient").ceil();
        let partial = at_least(&Expr::max(vec![Expr::int(2), blocks])) * &some;
        let shown = facts.shorten(&partial);
        assert_eq!(shown, partial, "{shown}");
    }

    #[test]
    fn a_term_keeps_its_bracket_where_it_would_divide_by_0() {
        let [n, b] = [(0, "n"), (1, "b")].map(|(id, name)| Expr::symbol(&Symbol::new(id, name)));
        let mut facts = Facts::new();
        facts.assume(&Cond::ge(&n, &Expr::zero()));
        facts.assume(&Cond::ge(&b, &Expr::int(2)));
        let some = Cond::ge(&n, &Expr::one());
        let none = Expr::bracket(some.clone().negate());
        let some = Expr::bracket(some);
        // At n = 0 the maximum would be 0, if ⌈b/n⌉ had a value there; and so is n.
        let beyond = &n - b.div(&n).expect("a quotient").ceil();
        let beyond = Expr::max(vec![Expr::zero(), beyond]);
        let expr = &beyond * &some + (&n * &none);
        let shown = facts.shorten(&expr).to_string();
        assert!(shown.contains("·[n ≥ 1]"), "{shown}");
        // What has a value everywhere loses both.
        let plain = &n * &n * &some + (&n * &none);
        assert_eq!(facts.shorten(&plain).to_string(), "n^2");
    }
}
