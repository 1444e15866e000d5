//! Sums without a closed form, added up term by term. A total of an earlier point is continued,
//! so a growing parameter costs only the terms that it adds.

use std::collections::BTreeSet;

use crate::sym::evaluate::compiled::fraction::Fraction;
use crate::sym::evaluate::compiled::{Forms, Scratch};
use crate::sym::expr::types::Atom;
use crate::sym::{Expr, Symbol, SymbolId};

/// A sum without a closed form. The numbers are indices of sums, except for slots.
#[derive(Debug, Clone)]
pub(super) struct Total {
    /// The slot of its variable.
    pub(super) slot: usize,
    pub(super) low: usize,
    pub(super) high: usize,
    pub(super) body: usize,
    /// The slots of all other symbols in its body.
    pub(super) others: Vec<usize>,
    /// The index of its kept totals. `None` within another sum, because its value changes with
    /// that sum's variable.
    pub(super) kept: Option<usize>,
}

impl Forms {
    pub(super) fn quick_total(&self, sum: &Total, scratch: &mut Scratch) -> Option<Fraction> {
        // Σ v ∈ 0..n at n = 1000, then at n = 1010: the second continues after 1000 and adds ten
        // terms. The terms of the known part count against the limit all the same, or a value
        // would depend on the points asked for before it.
        let low = self.quick_sum(sum.low, scratch)?.ceiling()?;
        let high = self.quick_sum(sum.high, scratch)?.floor();
        if low > high {
            return Some(Fraction::ZERO);
        }
        let begun = sum.kept.and_then(|kept| {
            let others = sum.others.iter().map(|slot| scratch.quick[*slot]).collect();
            scratch.kept[kept].begun((low, high), others)
        });
        // Known terms count as terms of this value, so that the limit refuses the same values in
        // any order of points.
        let terms_allowed = scratch.terms_left;
        let (mut at, mut total) = (low, Fraction::ZERO);
        if let Some((last, known, terms)) = begun {
            at = last.checked_add(1)?;
            total = known;
            let left = scratch.terms_left.checked_sub(terms);
            scratch.terms_left = left.unwrap_or(0);
            left?;
        }
        let outside = (scratch.quick[sum.slot], scratch.values[sum.slot].take());
        let added = self.add_up(sum, (at, high), total, scratch);
        scratch.bind_quickly(sum.slot, outside.0);
        scratch.values[sum.slot] = outside.1;
        if let (Some(kept), Some(total)) = (sum.kept, added) {
            let terms = terms_allowed - scratch.terms_left;
            scratch.kept[kept].keep(high, (total, terms));
        }
        added
    }

    fn add_up(
        &self,
        sum: &Total,
        (mut at, high): (i128, i128),
        mut total: Fraction,
        scratch: &mut Scratch,
    ) -> Option<Fraction> {
        while at <= high {
            scratch.terms_left = scratch.terms_left.checked_sub(1)?;
            scratch.work_left = scratch.work_left.checked_sub(1)?;
            scratch.bind_quickly(sum.slot, Some(Fraction::whole(at)));
            total = total.plus(self.quick_sum(sum.body, scratch)?)?;
            at = at.checked_add(1)?;
        }
        Some(total)
    }
}

/// Returns the symbols of a sum's body, without its own variable and the variables of inner sums.
pub(super) fn others(body: &Expr, own: &Symbol) -> BTreeSet<Symbol> {
    let mut found = BTreeSet::new();
    collect(body, &mut vec![own.id], &mut found);
    found
}

fn collect(expr: &Expr, bound: &mut Vec<SymbolId>, found: &mut BTreeSet<Symbol>) {
    expr.for_each_atom(&mut |atom| match atom {
        Atom::Symbol(symbol) => {
            if !bound.contains(&symbol.id) {
                found.insert(symbol.clone());
            }
        }
        Atom::Sum(sum) => {
            collect(&sum.low, bound, found);
            collect(&sum.high, bound, found);
            bound.push(sum.variable.id);
            collect(&sum.body, bound, found);
            bound.pop();
        }
        other => other.for_each_child(&mut |child| collect(child, bound, found)),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Rational;
    use crate::sym::evaluate::compiled::{MOST_TERMS, Slot};
    use crate::sym::{EvaluateError, SymbolKind};

    fn letters() -> [Expr; 3] {
        [(0, "n"), (1, "b"), (2, "m")].map(|(id, name)| Expr::symbol(&Symbol::new(id, name)))
    }

    fn slots<const N: usize>(forms: &mut Forms, letters: [&Expr; N]) -> [Slot; N] {
        letters.map(|letter| forms.slot(letter.as_symbol().expect("a letter")))
    }

    fn sum(variable: &Symbol, from: i64, to: &Expr, body: &Expr) -> Expr {
        Expr::unsolved_sum(variable, &Expr::int(from), to, body)
    }

    #[test]
    fn what_was_added_up_before_changes_no_value() {
        let [n, b, m] = letters();
        let [v, w] = [0, 1].map(|at| Symbol::of(SymbolKind::Bound, at, "v"));
        let [x, y] = [&v, &w].map(Expr::symbol);
        let over_b = x.mul(&x).div(&b).expect("not zero").floor();
        let inner = sum(
            &w,
            0,
            &x,
            &y.mul(&b).add(&x).div(&m).expect("not zero").floor(),
        );
        let beside = sum(&w, 1, &n, &y.div(&m).expect("not zero").floor());
        for form in [
            sum(&v, 0, &n, &over_b),
            sum(&v, -3, &n.sub(&b), &inner),
            sum(&v, 0, &m, &over_b).mul(&sum(&v, 1, &n, &beside)),
        ] {
            let mut forms = Forms::new(&[]);
            let compiled = forms.add(&form);
            let slots = slots(&mut forms, [&n, &b, &m]);
            let mut scratch = forms.scratch();
            // Up, down, the same again, and with other values beside.
            for point in [
                [5, 2, 3],
                [9, 2, 3],
                [4, 2, 3],
                [9, 2, 3],
                [9, 5, 3],
                [11, 5, 4],
                [-7, 5, 4],
            ] {
                scratch.next_point();
                for (slot, value) in slots.iter().zip(point) {
                    scratch.bind(*slot, value.into());
                }
                let at = |symbol: &Symbol| Some(point[symbol.id.number as usize].into());
                assert_eq!(
                    forms.value(compiled, &mut scratch),
                    form.evaluate(&at),
                    "{form} at {point:?}"
                );
            }
        }
    }

    #[test]
    fn known_terms_are_no_work_but_count_to_the_most() {
        let [n, b, _] = letters();
        let v = Symbol::of(SymbolKind::Bound, 0, "v");
        let form = sum(
            &v,
            1,
            &n,
            &Expr::symbol(&v).div(&b).expect("not zero").floor(),
        );
        let mut forms = Forms::new(&[]);
        let compiled = forms.add(&form);
        let [n, b] = slots(&mut forms, [&n, &b]);
        let mut scratch = forms.scratch();
        scratch.bind(b, 7.into());
        let mut at = |n_is: i64, allowed: u64| {
            scratch.next_point();
            scratch.bind(n, Rational::from(n_is));
            scratch.allow(allowed);
            let value = forms.value(compiled, &mut scratch);
            (value.is_ok(), scratch.work_left())
        };
        assert_eq!(at(1_000, 2_000), (true, 999));
        assert_eq!(at(1_010, 2_000), (true, 1_989));
        assert_eq!(at(1_010, 1), (true, 0));
        assert_eq!(at(3_000, 1_000), (false, 0));
        // A value that asks for more terms has none, whatever is known already.
        let most = i64::try_from(MOST_TERMS).expect("it fits");
        scratch.kept[0]
            .totals
            .insert((most + 1).into(), (Fraction::ZERO, MOST_TERMS + 1));
        scratch.next_point();
        scratch.bind(n, (most + 1).into());
        scratch.allow(u64::MAX);
        assert_eq!(
            forms.value(compiled, &mut scratch),
            Err(EvaluateError::TooMuchWork)
        );
    }

    #[test]
    fn terms_of_sums_inside_known_ones_count_too() {
        let [n, b, _] = letters();
        let [v, w] = [0, 1].map(|at| Symbol::of(SymbolKind::Bound, at, "v"));
        let [x, y] = [&v, &w].map(Expr::symbol);
        let body = y.add(&x).div(&b).expect("not zero").floor();
        let form = sum(&v, 1, &n, &sum(&w, 1, &x, &body));
        let mut forms = Forms::new(&[]);
        let compiled = forms.add(&form);
        let [n, b] = slots(&mut forms, [&n, &b]);
        let mut scratch = forms.scratch();
        scratch.bind(b, 7.into());
        // n(n + 1)/2 terms inside: at 3000 more than a value may have, though most of them are known.
        for (value, has_one) in [(1_000, true), (2_000, true), (2_700, true), (3_000, false)] {
            scratch.next_point();
            scratch.bind(n, value.into());
            assert_eq!(
                forms.value(compiled, &mut scratch).is_ok(),
                has_one,
                "{value}"
            );
        }
    }

    #[test]
    fn products_too_long_for_their_sum_leave_its_sums_quick() {
        let [n, b, _] = letters();
        let v = Symbol::of(SymbolKind::Bound, 0, "v");
        let long = Rational::new(3, 1_i64 << 40)
            .and_then(|small| small.pow(3))
            .expect("a number");
        let body = Expr::symbol(&v).div(&b).expect("not zero").floor();
        let form = sum(&v, 1, &n, &body)
            .scale(&long)
            .add(&n.mul(&n).scale(&long).mul(&n));
        let mut forms = Forms::new(&[]);
        let compiled = forms.add(&form);
        let [n, b] = slots(&mut forms, [&n, &b]);
        let mut scratch = forms.scratch();
        scratch.bind(b, 7.into());
        scratch.allow(1_003);
        for value in [1_000, 1_000] {
            scratch.next_point();
            scratch.bind(n, value.into());
            let at = |symbol: &Symbol| {
                Some(if symbol.id.number == 0 {
                    value.into()
                } else {
                    7.into()
                })
            };
            assert_eq!(forms.value(compiled, &mut scratch), form.evaluate(&at));
        }
    }
}
