//! The shortest form found of a result: brackets left out or joined to what they stand beside.

use super::atom::Atom;
use super::facts::Facts;
use super::{Cond, Expr};

/// Each pass may make room for the next; this only bounds the unforeseen.
const MOST_PASSES: usize = 4;
/// Brackets looked at in one pass.
pub(super) const MOST_BRACKETS: usize = 8;

impl Facts {
    /// The same value in the shortest form found; for results, which are worth the search.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let mut facts = Facts::new();
    /// facts.integer(&symbol("n"));
    /// facts.assume(&Cond::ge(&n, &Expr::one()));
    /// // max(0, n − 2) is n − 1 but for n = 1, and the bracket is 1 but for n = 1.
    /// let less = n.sub(&Expr::int(2));
    /// let some = Expr::bracket(Cond::ge(&less, &Expr::zero()));
    /// let expr = Expr::max(vec![Expr::zero(), less]).add(&some);
    /// assert_eq!(facts.shorten(&expr).to_string(), "n - 1");
    /// ```
    pub fn shorten(&self, expr: &Expr) -> Expr {
        let mut result = expr.clone();
        for _ in 0..MOST_PASSES {
            let next = self.without_idle_brackets(&result);
            let next = self.join_maxima(&next);
            let next = self.without_remainders(&next);
            if next == result {
                break;
            }
            result = next;
        }
        result
    }

    /// max(0, x) + `[x ≥ 0]` = max(0, x + 1) and max(0, x) − `[x ≥ 1]` = max(0, x − 1) for a whole x, as
    /// far as both stand with the same factors.
    fn join_maxima(&self, expr: &Expr) -> Expr {
        let mut result = expr.clone();
        for (atom, x) in expr.atoms().iter().filter_map(excess) {
            if !self.is_integer(&x) {
                continue;
            }
            let one = Expr::one();
            for (cond, sign) in [
                (Cond::non_negative(&x), Expr::one()),
                (Cond::ge(&x, &one), Expr::int(-1)),
            ] {
                let bracket = Expr::bracket(cond).mul(&sign);
                let Some((of_maximum, of_bracket)) = result
                    .atom_coefficients(atom)
                    .zip(bracket.atoms().first().cloned())
                    .and_then(|(coefficients, bracket)| {
                        let of_bracket = result.atom_coefficients(&bracket)?;
                        match (&*coefficients, &*of_bracket) {
                            ([_, of_maximum], [_, of_bracket]) => {
                                Some((of_maximum.clone(), of_bracket.mul(&sign)))
                            }
                            _ => None,
                        }
                    })
                else {
                    continue;
                };
                let shared = of_maximum.terms().iter();
                let shared = shared.filter(|term| of_bracket.terms().contains(term));
                let shared = Expr::from_terms(shared.cloned().collect());
                if shared.is_zero() {
                    continue;
                }
                let both = Expr::atom(atom.clone()).add(&bracket);
                let joined = Expr::max(vec![Expr::zero(), x.add(&sign)]);
                result = self.simplify(&result.add(&shared.mul(&joined.sub(&both))));
            }
        }
        result
    }

    /// `[x mod f ≥ d]` is 1 − ⌊x/f⌋ + ⌊(x − d)/f⌋ for 0 ≤ d ≤ f, where that leaves less: so a row of
    /// ⌈n/b⌉ blocks but for the last, if that has one word, has ⌈(n − 1)/b⌉.
    fn without_remainders(&self, expr: &Expr) -> Expr {
        let mut result = expr.clone();
        let brackets = expr.atoms().into_iter();
        for atom in brackets.filter(is_bracket).take(MOST_BRACKETS) {
            let Atom::Bracket(cond) = &atom else {
                continue;
            };
            let Some(floors) = self.remainder_as_floors(cond) else {
                continue;
            };
            let Some([rest, factor]) = result
                .atom_coefficients(&atom)
                .and_then(|coefficients| <[Expr; 2]>::try_from(coefficients).ok())
            else {
                continue;
            };
            let shorter = self.simplify(&rest.add(&factor.mul(&floors)));
            if shorter.is_shorter_than(&result) {
                result = shorter;
            }
        }
        result
    }

    /// The bracket of a condition on x mod f as floors.
    fn remainder_as_floors(&self, cond: &Cond) -> Option<Expr> {
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
            let Some([rest, factor]) = value
                .atom_coefficients(&atom)
                .and_then(|coefficients| <[Expr; 2]>::try_from(coefficients).ok())
            else {
                continue;
            };
            let (f, is_at_most) = match self.is_positive(&factor) {
                true => (factor.clone(), true),
                false => (factor.neg(), false),
            };
            // value = c − x mod f, or x mod f + c, for x = f·quotient.
            let (x, c) = (f.mul(quotient), rest.add(&factor.mul(quotient)));
            let least = match is_at_most {
                true => c.add(&one),
                false => c.neg(),
            };
            let fits = [&f, &x, &least].into_iter().all(|e| self.is_integer(e))
                && self.proves(&Cond::ge(&f, &one))
                && self.proves(&Cond::non_negative(&least))
                && self.proves(&Cond::le(&least, &f));
            if !fits {
                continue;
            }
            let below = Expr::atom(atom.clone()).sub(&x.sub(&least).div(&f)?.floor());
            return Some(match is_at_most == holds {
                true => below,
                false => one.sub(&below),
            });
        }
        None
    }
}

fn is_bracket(atom: &Atom) -> bool {
    matches!(atom, Atom::Bracket(_))
}

/// x of max(0, x).
fn excess(atom: &Atom) -> Option<(&Atom, Expr)> {
    let Atom::Max(items) = atom else {
        return None;
    };
    match &**items {
        [zero, x] | [x, zero] if zero.is_zero() => Some((atom, x.clone())),
        _ => None,
    }
}
