//! Parameters that satisfy a condition: from a start, one is moved after the other to where what the condition compares
//! turns its sign. In floating point and without a promise; whoever takes them looks whether they do.

use std::cell::Cell;

use crate::sym::{Cond, Expr, Facts, Symbol};

/// How often something is mended.
const MOST_ROUNDS: usize = 12;
/// Steps towards a root: from above a square is halved each time.
const MOST_STEPS: usize = 60;
/// Places looked at in all.
const MOST_LOOKS: u32 = 3000;
/// Powers of a base, and multiples of a divisor, that are tried.
const POWERS: std::ops::RangeInclusive<i32> = 0..=60;
const MULTIPLES: [i64; 4] = [1, 2, 3, 0];
/// Beyond this not every whole number is a float.
const LARGEST: f64 = 9e15;

/// Values of the symbols with which the condition seems to hold, from these on; a symbol is no less than it says there.
pub(crate) fn satisfying(cond: &Cond, start: &[(Symbol, i64)], least: &[i64]) -> Option<Vec<i64>> {
    let search = Search {
        symbols: start.iter().map(|(symbol, _)| symbol.clone()).collect(),
        least: least.iter().map(|value| *value as f64).collect(),
        facts: Facts::new(),
        looks: Cell::new(MOST_LOOKS),
    };
    let mut values: Vec<f64> = start.iter().map(|(_, value)| *value as f64).collect();
    for _ in 0..MOST_ROUNDS {
        let Some(open) = search.open_part(cond, &values) else {
            return Some(values.into_iter().map(|value| value as i64).collect());
        };
        values = search.mended(cond, &open, &values)?;
    }
    None
}

struct Search {
    symbols: Vec<Symbol>,
    least: Vec<f64>,
    facts: Facts,
    looks: Cell<u32>,
}

impl Search {
    /// The value of each symbol; what is no symbol here has none.
    fn at(&self, values: &[f64]) -> impl Fn(&Symbol) -> f64 {
        |symbol| {
            let at = self.symbols.iter().position(|known| known == symbol);
            at.map_or(f64::NAN, |at| values[at])
        }
    }

    fn value(&self, of: &Expr, values: &[f64]) -> Option<f64> {
        self.facts.about(of, &self.at(values))
    }

    fn holds(&self, cond: &Cond, values: &[f64]) -> bool {
        self.looks.set(self.looks.get().saturating_sub(1));
        self.facts.seems_to_hold(cond, &self.at(values))
    }

    /// The first part that does not hold, of an alternative the first way.
    fn open_part(&self, cond: &Cond, values: &[f64]) -> Option<Cond> {
        match cond {
            Cond::And(parts) => parts.iter().find_map(|part| self.open_part(part, values)),
            _ if self.holds(cond, values) => None,
            Cond::Or(parts) => self.open_part(parts.first()?, values),
            _ => Some(cond.clone()),
        }
    }

    /// With one value moved, so that the part holds: and all of the condition, if one does that.
    fn mended(&self, cond: &Cond, open: &Cond, values: &[f64]) -> Option<Vec<f64>> {
        let mut first = None;
        for at in 0..values.len() {
            if !open.contains(&self.symbols[at]) {
                continue;
            }
            for there in self.places(open, at, values) {
                let fits = there >= self.least[at] && there <= LARGEST && there != values[at];
                if !fits || self.looks.get() == 0 {
                    continue;
                }
                let mut moved = values.to_vec();
                moved[at] = there;
                if !self.holds(open, &moved) {
                    continue;
                }
                if self.holds(cond, &moved) {
                    return Some(moved);
                }
                first = first.or(Some(moved));
            }
        }
        first
    }

    /// Where a part may begin to hold when one value moves.
    fn places(&self, open: &Cond, at: usize, values: &[f64]) -> Vec<f64> {
        let now = values[at];
        match open {
            Cond::NonNegative(e) | Cond::Zero(e) => self.turns(e, at, values),
            Cond::Divides(d, e) => {
                let times = MULTIPLES.iter();
                let multiples = times.map(|times| e - d.scale(&(*times).into()));
                multiples.flat_map(|e| self.turns(&e, at, values)).collect()
            }
            Cond::PowerOf(_, y) => {
                let base = self.value(y, values).unwrap_or(2.0);
                POWERS
                    .map(|exponent| libm::pow(base, f64::from(exponent)))
                    .collect()
            }
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(e) | Cond::Zero(e) => self.turns(e, at, values),
                _ => [now + 1.0, now + 2.0, now * 2.0].into(),
            },
            Cond::True | Cond::False | Cond::And(_) | Cond::Or(_) => Vec::new(),
        }
    }

    /// Where a value may turn its sign: by its slope here, and again from there.
    fn turns(&self, of: &Expr, at: usize, values: &[f64]) -> Vec<f64> {
        let mut moved = values.to_vec();
        let mut value_at = |there: f64| {
            moved[at] = there;
            self.value(of, &moved)
        };
        let mut found = vec![values[at]];
        for step in [1.0, values[at].abs() + 8.0] {
            let mut here = values[at];
            for _ in 0..MOST_STEPS {
                let (Some(value), Some(next)) = (value_at(here), value_at(here + step)) else {
                    break;
                };
                let root = (here - value * step / (next - value)).floor();
                if !root.is_finite() || root.abs() > LARGEST || found.contains(&root) {
                    break;
                }
                found.push(root);
                here = root;
            }
        }
        let near = found
            .iter()
            .flat_map(|root| [-2.0, -1.0, 0.0, 1.0, 2.0].map(|by| root + by));
        near.chain([values[at] * 1024.0]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{symbol, symbols};
    use crate::number::Rational;

    #[test]
    fn conditions_far_out_are_met() {
        let [n, b] = symbols(["n", "b"]);
        let number = |value: i64| Expr::rational(Rational::from(value));
        let million = number(1_000_003);
        let rest = n.modulo(&number(1000)).expect("not by 0");
        for cond in [
            Cond::and(vec![Cond::eq(&n, &million), Cond::eq(&b, &number(7))]),
            Cond::and(vec![
                Cond::gt(&n, &number(1 << 40)),
                Cond::gt(&b, &number(100)),
            ]),
            Cond::divides(&million, &n),
            Cond::eq(&Expr::max(vec![n.clone(), b.clone()]), &million),
            Cond::and(vec![
                Cond::eq(&rest, &number(77)),
                Cond::gt(&n, &number(50_000)),
            ]),
            Cond::and(vec![
                Cond::PowerOf(n.clone(), number(7)),
                Cond::gt(&n, &million),
            ]),
            Cond::eq(&(&n * &n), &(&million * &million)),
            Cond::eq(&n.div(&b).expect("not 0").ceil(), &number(99_991)),
            Cond::ge(&Expr::zero(), &Expr::one()),
        ] {
            let start = [(symbol("n"), 2), (symbol("b"), 2)];
            let found = satisfying(&cond, &start, &[0, 1]);
            let values = |of: &Symbol| {
                let at = start.iter().position(|(known, _)| known == of)?;
                Some(found.as_ref()?[at].into())
            };
            match cond {
                Cond::False => assert_eq!(found, None),
                cond => assert_eq!(cond.evaluate(&values), Ok(true), "{cond}: {found:?}"),
            }
        }
    }
}
