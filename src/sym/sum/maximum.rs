//! The largest value of an expression over a range of whole numbers, where that is provable.

use crate::number::Rational;
use crate::sym::expr::atom::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::sum::closed_form::Range;
use crate::sym::{Cond, Expr, Symbol};
use num_traits::ToPrimitive;

/// How often a range may be split.
const MOST_SPLITS: u32 = 5;
/// The largest number of residue classes looked at one by one.
const MOST_CLASSES: i64 = 16;

/// The largest value over a part of the range, and when that part has a value at all.
struct Part {
    exists: Cond,
    value: Expr,
}

impl Facts {
    /// The exact maximum over variable ∈ low..high, which is assumed not to be empty; `None` when
    /// it is not provable.
    ///
    /// ```
    /// # use atgpu::sym::{Cond, Expr, Facts, Symbol};
    /// # let symbol = |name: &str| Symbol::new(name.chars().map(u32::from).sum(), name);
    /// # let [n, b] = ["n", "b"].map(|name| Expr::symbol(&symbol(name)));
    /// # let over = |x: &Expr, y: &Expr| x.div(y).expect("not 0");
    /// let (i, last) = (symbol("i"), n.sub(&Expr::one()));
    /// let facts = Facts::new();
    /// let most = facts.maximum(&i, &Expr::zero(), &last, &n.sub(&Expr::symbol(&i)));
    /// assert_eq!(most, Some(n));
    /// ```
    pub fn maximum(&self, variable: &Symbol, low: &Expr, high: &Expr, body: &Expr) -> Option<Expr> {
        if self.is_exhausted() {
            return None;
        }
        let range = Range {
            variable: variable.clone(),
            low: self.simplify(low),
            high: self.simplify(high),
        };
        let facts = self.with(&Cond::ge(&range.high, &range.low));
        facts
            .maximum_of_range(&range, body, MOST_SPLITS)
            .map(|value| facts.simplify(&value))
    }

    fn maximum_of_range(&self, range: &Range, body: &Expr, splits: u32) -> Option<Expr> {
        if range.low == range.high {
            return Some(self.simplify(&body.substitute(&range.variable, &range.low)));
        }
        let body = self.with(&range.inside()).simplify(body);
        if !body.contains(&range.variable) {
            return Some(body);
        }
        if let Some(end) = self.monotone_end(range, &body) {
            return Some(self.simplify(&body.substitute(&range.variable, &end)));
        }
        let left = splits.checked_sub(1)?;
        if let Some(value) = self.maximum_of_items(range, &body, left) {
            return Some(value);
        }
        let parts = self
            .parts_by_ends(range, &body, left)
            .or_else(|| self.parts_by_bracket(range, &body, left))
            .or_else(|| self.parts_by_convexity(range, &body))?;
        self.largest(parts)
    }

    /// The largest of a maximum is the largest of its items' largest values.
    fn maximum_of_items(&self, range: &Range, body: &Expr, splits: u32) -> Option<Expr> {
        let atoms = body.atoms();
        let mut moving = atoms.iter().filter(|atom| atom.contains(&range.variable));
        let (Some(atom @ Atom::Max(items)), None) = (moving.next(), moving.next()) else {
            return None;
        };
        let coefficients = body.atom_coefficients(atom)?;
        let [rest, factor] = &*coefficients else {
            return None;
        };
        if !self.is_non_negative(factor) {
            return None;
        }
        let each: Option<Vec<Expr>> = items
            .iter()
            .map(|item| self.maximum_of_range(range, item, splits))
            .collect();
        Some(rest.add(&factor.mul(&Expr::max(each?))))
    }

    /// The end at which a monotone expression is largest.
    fn monotone_end(&self, range: &Range, body: &Expr) -> Option<Expr> {
        let variable = Expr::symbol(&range.variable);
        let one = Expr::one();
        let steps = range.with(&range.low, &range.high.sub(&one));
        let inside = self.with(&steps.inside());
        let next = body.substitute(&range.variable, &variable.add(&one));
        let difference = inside.simplify(&next.sub(body));
        if inside.proves(&Cond::non_negative(&difference)) {
            Some(range.high.clone())
        } else if inside.proves(&Cond::le(&difference, &Expr::zero())) {
            Some(range.low.clone())
        } else {
            None
        }
    }

    /// Splits the last or the first value off when the others are simpler without it.
    fn parts_by_ends(&self, range: &Range, body: &Expr, splits: u32) -> Option<Vec<Part>> {
        let one = Expr::one();
        let but_last = range.with(&range.low, &range.high.sub(&one));
        let but_first = range.with(&range.low.add(&one), &range.high);
        for (rest, end) in [(but_last, &range.high), (but_first, &range.low)] {
            let interior = self.with(&rest.inside()).simplify(body);
            if dependent_atoms(&interior, &range.variable) >= dependent_atoms(body, &range.variable)
            {
                continue;
            }
            let of_end = self.simplify(&body.substitute(&range.variable, end));
            let exists = Cond::ge(&rest.high, &rest.low);
            let of_rest = self.part(&rest, exists, &interior, splits)?;
            return Some(vec![
                Part {
                    exists: Cond::True,
                    value: of_end,
                },
                of_rest,
            ]);
        }
        None
    }

    fn part(&self, range: &Range, exists: Cond, body: &Expr, splits: u32) -> Option<Part> {
        if self.prove(&exists) == Some(false) {
            return Some(Part {
                exists: Cond::False,
                value: Expr::zero(),
            });
        }
        let value = self.with(&exists).maximum_of_range(range, body, splits)?;
        Some(Part { exists, value })
    }

    /// Splits at the value where a bracket changes, or into residue classes.
    fn parts_by_bracket(&self, range: &Range, body: &Expr, splits: u32) -> Option<Vec<Part>> {
        for atom in body.atoms() {
            let cond = match &atom {
                Atom::Bracket(cond) if atom.contains(&range.variable) => cond.clone(),
                _ => continue,
            };
            let parts = match &*cond {
                Cond::NonNegative(e) => self.parts_at(range, e, &atom, body, splits, true),
                Cond::Not(inner) => match &**inner {
                    Cond::NonNegative(e) => self.parts_at(range, e, &atom, body, splits, false),
                    _ => None,
                },
                Cond::Divides(d, _) => self.parts_by_class(range, d, body, splits),
                Cond::Zero(e) => self.parts_around(range, e, &atom, body, splits),
                Cond::True | Cond::False | Cond::PowerOf(..) | Cond::And(_) | Cond::Or(_) => None,
            };
            if parts.is_some() {
                return parts;
            }
        }
        None
    }

    /// offset + slope·v ≥ 0 holds from some value on, or up to it.
    fn parts_at(
        &self,
        range: &Range,
        e: &Expr,
        atom: &Atom,
        body: &Expr,
        splits: u32,
        when_holding: bool,
    ) -> Option<Vec<Part>> {
        let (offset, slope) = self.linear(e, &range.variable)?;
        let crossing = offset.neg().div(&slope)?;
        let one = Expr::one();
        let (holding, failing) = if self.is_positive(&slope) {
            let first = self.simplify(&crossing.ceil());
            (
                range.with(
                    &Expr::max(vec![range.low.clone(), first.clone()]),
                    &range.high,
                ),
                range.with(
                    &range.low,
                    &Expr::min(vec![range.high.clone(), first.sub(&one)]),
                ),
            )
        } else if self.is_positive(&slope.neg()) {
            let last = self.simplify(&crossing.floor());
            (
                range.with(
                    &range.low,
                    &Expr::min(vec![range.high.clone(), last.clone()]),
                ),
                range.with(
                    &Expr::max(vec![range.low.clone(), last.add(&one)]),
                    &range.high,
                ),
            )
        } else {
            return None;
        };
        [(holding, when_holding), (failing, !when_holding)]
            .into_iter()
            .map(|(range, is_one)| {
                let value = Expr::int(is_one.into());
                let body = body.replace(&|other| (other == atom).then(|| value.clone()));
                let range = range.with(&self.simplify(&range.low), &self.simplify(&range.high));
                let exists = Cond::ge(&range.high, &range.low);
                self.part(&range, exists, &body, splits)
            })
            .collect()
    }

    /// One value stands out; all others have the same.
    fn parts_around(
        &self,
        range: &Range,
        e: &Expr,
        atom: &Atom,
        body: &Expr,
        splits: u32,
    ) -> Option<Vec<Part>> {
        let (offset, slope) = self.linear(e, &range.variable)?;
        // Of slope 0 it stands out everywhere or nowhere.
        if !self.is_positive(&slope) && !self.is_positive(&slope.neg()) {
            return None;
        }
        let at = self.simplify(&offset.neg().div(&slope)?);
        if !self.is_integer(&at) {
            return None;
        }
        let off = body.replace(&|other| (other == atom).then(Expr::zero));
        let below = range.with(
            &range.low,
            &self.simplify(&Expr::min(vec![range.high.clone(), at.sub(&Expr::one())])),
        );
        let above = range.with(
            &self.simplify(&Expr::max(vec![range.low.clone(), at.add(&Expr::one())])),
            &range.high,
        );
        let here = Cond::and(vec![Cond::ge(&at, &range.low), Cond::le(&at, &range.high)]);
        let on = body.replace(&|other| (other == atom).then(Expr::one));
        let mut parts = vec![Part {
            value: self
                .with(&here)
                .simplify(&on.substitute(&range.variable, &at)),
            exists: here,
        }];
        for rest in [below, above] {
            let exists = Cond::ge(&rest.high, &rest.low);
            parts.push(self.part(&rest, exists, &off, splits)?);
        }
        if let [here, below, above] = &*parts
            && below.value == above.value
            && self.prove(&here.exists) == Some(true)
        {
            // There is another value wherever there are two.
            let others = Part {
                exists: Cond::ge(&range.high, &range.low.add(&Expr::one())),
                value: below.value.clone(),
            };
            parts.truncate(1);
            parts.push(others);
        }
        Some(parts)
    }

    /// v = d·u + c for each class c of a small number d.
    fn parts_by_class(
        &self,
        range: &Range,
        d: &Expr,
        body: &Expr,
        splits: u32,
    ) -> Option<Vec<Part>> {
        let divisor = d
            .as_integer()?
            .to_i64()
            .filter(|d| (2..=MOST_CLASSES).contains(d))?;
        // What is known of v is not known of u.
        let variable = self.unspoken(&range.variable, &[&range.low, &range.high, body]);
        let quotient = Expr::symbol(&variable);
        let fraction = Rational::new(1, divisor)?;
        (0..divisor)
            .map(|class| {
                let class = Expr::int(class);
                let value = quotient.scale(&divisor.into()).add(&class);
                let low = range.low.sub(&class).scale(&fraction).ceil();
                let high = range.high.sub(&class).scale(&fraction).floor();
                let body = body.substitute(&range.variable, &value);
                let range = Range {
                    variable: variable.clone(),
                    low: self.simplify(&low),
                    high: self.simplify(&high),
                };
                let exists = Cond::ge(&range.high, &range.low);
                self.part(&range, exists, &body, splits)
            })
            .collect()
    }

    /// A convex expression is largest at one of the ends.
    fn parts_by_convexity(&self, range: &Range, body: &Expr) -> Option<Vec<Part>> {
        let variable = Expr::symbol(&range.variable);
        let shifted = |by: i64| body.substitute(&range.variable, &variable.add(&Expr::int(by)));
        let second = shifted(2).sub(&shifted(1).scale(&2.into())).add(body);
        let inside = self.with(&range.inside());
        if !inside.proves(&Cond::non_negative(&inside.simplify(&second))) {
            return None;
        }
        let ends = [&range.low, &range.high].into_iter().map(|end| Part {
            exists: Cond::True,
            value: self.simplify(&body.substitute(&range.variable, end)),
        });
        Some(ends.collect())
    }

    /// The largest over all parts that exist. A part that may be missing counts with its bracket,
    /// which is right as long as no value is negative.
    fn largest(&self, parts: Vec<Part>) -> Option<Expr> {
        let mut values: Vec<Expr> = Vec::new();
        let mut maybe: Vec<Part> = Vec::new();
        let mut all_non_negative = true;
        for part in parts {
            let exists = self.simplify_cond(&part.exists);
            all_non_negative &= self.with(&part.exists).is_non_negative(&part.value);
            match exists {
                Cond::False => {}
                Cond::True => values.push(part.value),
                exists => maybe.push(Part { exists, ..part }),
            }
        }
        if values.is_empty() && maybe.is_empty() || !maybe.is_empty() && !all_non_negative {
            return None;
        }
        // A value that exists for certain and is at least another's, bracket or not, hides it.
        let mut value = (!values.is_empty()).then(|| self.simplify(&Expr::max(values)));
        let mut others = Vec::new();
        for part in maybe {
            let known = value.as_ref().map(|value| self.outdone(value, &part));
            match known {
                Some(Some(larger)) => value = Some(larger),
                Some(None) | None => others.push(part.value.mul(&Expr::bracket(part.exists))),
            }
        }
        let items: Vec<Expr> = value.into_iter().chain(others).collect();
        Some(self.simplify(&Expr::max(items)))
    }

    /// The larger of a value and a part, where the part is the larger wherever it exists.
    fn outdone(&self, value: &Expr, part: &Part) -> Option<Expr> {
        let there = self.with(&part.exists);
        if !there.proves(&Cond::ge(&part.value, value)) {
            return None;
        }
        let elsewhere = self.with(&part.exists.clone().negate()).simplify(value);
        let here = there.simplify(&part.value).sub(&elsewhere);
        let more = here.mul(&Expr::bracket(part.exists.clone()));
        Some(self.simplify(&elsewhere.add(&more)))
    }
}

fn dependent_atoms(body: &Expr, variable: &Symbol) -> usize {
    body.atoms()
        .iter()
        .filter(|atom| !matches!(atom, Atom::Symbol(_)) && atom.contains(variable))
        .count()
}
