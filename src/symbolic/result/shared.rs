//! Which short bound stands for a formula that several quantities have: one that holds of all of them.
//!
//! A bound that is made of the formula alone holds of whatever has it, where the same is known. One that is
//! made otherwise, of the words that cores touch or of what is shown of parts, holds of its own quantity, and of
//! what that is the whole of.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::sym::{Cond, Expr, Symbol};

/// What is known of a round besides what is known of the program: for which parameters it is there, and the
/// variables of its loops. Nothing of a total.
pub(super) type Place = (Cond, Vec<Symbol>);

pub(super) const EVERYWHERE: Place = (Cond::True, Vec::new());

/// What a quantity counts, where the whole has no less than a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blocks,
    Operations,
    /// Anything else: it is part of nothing.
    Other,
}

/// Of what a quantity is a sum, or the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    Line,
    Array,
    Round,
    /// The largest of all rounds.
    Largest,
    Total,
}

/// Whose formula it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) kind: Kind,
    pub(super) scope: Scope,
    /// Which round it is of; none of several, or all.
    pub(super) round: Option<usize>,
}

impl Owner {
    /// Whether it is the whole of which another is a part.
    fn contains(self, part: Owner) -> bool {
        let is_of_it =
            self.scope >= Scope::Largest || self.round.is_some() && self.round == part.round;
        self.kind != Kind::Other && self.kind == part.kind && self.scope > part.scope && is_of_it
    }

    /// Both of them.
    fn and(self, other: Owner) -> Owner {
        Owner {
            kind: if self.kind == other.kind {
                self.kind
            } else {
                Kind::Other
            },
            scope: self.scope.max(other.scope),
            round: self.round.filter(|_| self.round == other.round),
        }
    }
}

/// How a formula is to be bounded that was met.
pub(super) struct Asked {
    /// Whether only what is known everywhere counts.
    pub(super) everywhere: bool,
    /// What bounds all that have it here, but not by the formula.
    pub(super) other: Option<Expr>,
}

/// Where a formula was met.
struct Met {
    place: Place,
    owner: Owner,
    /// What bounds all that have it, but not by the formula.
    other: Option<Expr>,
    /// What was put in the place of the bound found.
    instead: Option<Instead>,
}

/// A bound in the place of another.
struct Instead {
    owner: Owner,
    bound: Expr,
    before: Expr,
    /// Whether it holds of all that have the formula; else the one that had it last has not said its own yet.
    holds: bool,
}

/// Formulas with bounds that hold of all quantities that have them.
#[derive(Default)]
pub(super) struct SharedBounds {
    found: IndexMap<Expr, Expr>,
    met: FxHashMap<Expr, Met>,
}

impl SharedBounds {
    pub(super) fn get(&self, form: &Expr) -> Option<&Expr> {
        self.found.get(form)
    }

    pub(super) fn insert(&mut self, form: Expr, bound: Expr) {
        self.found.insert(form, bound);
    }

    pub(super) fn into_map(self) -> IndexMap<Expr, Expr> {
        self.found
    }

    /// Meets a formula in a quantity that `other` bounds too; nothing where a bound is found that holds of it.
    /// `larger` is the larger one of two, where that is known.
    pub(super) fn meet(
        &mut self,
        form: &Expr,
        place: &Place,
        owner: Owner,
        other: Option<&Expr>,
        larger: impl FnOnce(&Expr, &Expr) -> Option<Expr>,
    ) -> Option<Asked> {
        let Some(met) = self.met.get_mut(form) else {
            let met = Met {
                place: place.clone(),
                owner,
                other: other.cloned(),
                instead: None,
            };
            self.met.insert(form.clone(), met);
            return Some(Asked {
                everywhere: false,
                other: other.cloned(),
            });
        };
        let is_same = met.other.as_ref() == other;
        let mut is_stale = false;
        let is_elsewhere = met.place != *place && met.place != EVERYWHERE;
        if is_elsewhere {
            met.place = EVERYWHERE;
            // What is not made of the formula needs nothing that is known of the place.
            is_stale = !(is_same && other.is_some() && self.found.get(form) == other);
            met.instead = None;
        }
        if owner.contains(met.owner) {
            // What was found of a part may be closer than what the whole is bounded by, or not.
            is_stale |= other.is_some() || met.other.is_some();
            (met.owner, met.other) = (owner, other.cloned());
        } else if !met.owner.contains(owner) {
            met.owner = met.owner.and(owner);
            if !is_same {
                let known = met.other.take();
                met.other = match (&known, other) {
                    (Some(known), Some(other)) if met.place == *place => larger(known, other),
                    _ => None,
                };
                is_stale |= met.other != known;
            }
        }
        if let Some(instead) = &mut met.instead
            && instead.owner != owner
            && !instead.owner.contains(owner)
        {
            self.found.insert(form.clone(), instead.before.clone());
            if instead.holds && owner.scope == Scope::Round {
                instead.holds = false
            } else {
                met.instead = None
            }
        }
        if is_stale {
            met.instead = None;
            self.found.shift_remove(form);
        }
        let is_known = self.found.contains_key(form);
        (!is_known).then(|| Asked {
            everywhere: met.place != *place,
            other: met.other.clone().filter(|_| met.place == *place),
        })
    }

    /// Whether a formula is of this quantity and its parts alone.
    pub(super) fn is_own(&self, form: &Expr, owner: Owner) -> bool {
        let met = self.met.get(form);
        met.is_none_or(|met| met.owner == owner || owner.contains(met.owner))
    }

    /// Puts another bound of a quantity in the place of the one found, if `is_better` than that.
    pub(super) fn put_instead(
        &mut self,
        form: &Expr,
        owner: Owner,
        bound: Option<Expr>,
        is_better: impl Fn(&Expr, &Expr) -> bool,
    ) {
        let (Some(met), Some(found)) = (self.met.get_mut(form), self.found.get_mut(form)) else {
            return;
        };
        let is_own = met.owner == owner || owner.contains(met.owner);
        match &mut met.instead {
            Some(instead) if !owner.contains(instead.owner) => {
                // Of another quantity: the same again, or none.
                if owner.kind == instead.owner.kind && bound.as_ref() == Some(&instead.bound) {
                    instead.owner = instead.owner.and(owner);
                    instead.holds = true;
                    *found = instead.bound.clone();
                } else {
                    *found = instead.before.clone();
                    met.instead = None;
                }
            }
            Some(_) | None if is_own => {
                if let Some(bound) = bound.filter(|bound| is_better(bound, found)) {
                    met.instead = Some(Instead {
                        owner,
                        before: found.clone(),
                        bound: bound.clone(),
                        holds: true,
                    });
                    *found = bound;
                }
            }
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sym::Symbol;

    fn owner(kind: Kind, scope: Scope, round: usize) -> Owner {
        Owner {
            kind,
            scope,
            round: Some(round),
        }
    }

    fn symbols() -> [Expr; 4] {
        [(0, "n"), (1, "x"), (2, "y"), (3, "z")]
            .map(|(id, name)| Expr::symbol(&Symbol::new(id, name)))
    }

    fn none(_: &Expr, _: &Expr) -> Option<Expr> {
        None
    }

    #[test]
    fn what_bounds_one_quantity_bounds_no_other_with_its_formula() {
        let [form, x, y, _] = symbols();
        let mut bounds = SharedBounds::default();
        let line = owner(Kind::Blocks, Scope::Line, 0);
        let asked = bounds.meet(&form, &EVERYWHERE, line, Some(&x), none);
        assert_eq!(asked.expect("it is new").other, Some(x.clone()));
        bounds.insert(form.clone(), x.clone());
        // The same again is no news, nor is a part of what is bounded.
        let round = owner(Kind::Blocks, Scope::Round, 0);
        assert!(
            bounds
                .meet(&form, &EVERYWHERE, line, Some(&x), none)
                .is_none()
        );
        let asked = bounds.meet(&form, &EVERYWHERE, round, Some(&y), none);
        assert_eq!(asked.expect("the whole has its own").other, Some(y.clone()));
        bounds.insert(form.clone(), y.clone());
        assert!(
            bounds
                .meet(&form, &EVERYWHERE, line, Some(&x), none)
                .is_none()
        );
        // Executions with this formula may be more.
        let other = owner(Kind::Other, Scope::Line, 0);
        let asked = bounds.meet(&form, &EVERYWHERE, other, None, none);
        assert_eq!(asked.expect("what was found is not theirs").other, None);
        assert!(bounds.get(&form).is_none());
    }

    #[test]
    fn of_two_that_are_bounded_apart_the_larger_bound_holds() {
        let [form, x, y, _] = symbols();
        let mut bounds = SharedBounds::default();
        let [one, two] = [0, 1].map(|round| owner(Kind::Blocks, Scope::Line, round));
        bounds.meet(&form, &EVERYWHERE, one, Some(&x), none);
        bounds.insert(form.clone(), x.clone());
        let larger = |_: &Expr, other: &Expr| Some(other.clone());
        let asked = bounds.meet(&form, &EVERYWHERE, two, Some(&y), larger);
        assert_eq!(asked.expect("it is more").other, Some(y));
    }

    #[test]
    fn what_a_place_lets_conclude_holds_there_alone() {
        let [form, x, y, z] = symbols();
        let mut bounds = SharedBounds::default();
        let line = owner(Kind::Operations, Scope::Line, 0);
        let here = (Cond::ge(&x, &y), Vec::new());
        bounds.meet(&form, &here, line, None, none);
        bounds.insert(form.clone(), z.clone());
        assert!(bounds.meet(&form, &here, line, None, none).is_none());
        let asked = bounds.meet(&form, &EVERYWHERE, line, None, none);
        assert!(!asked.expect("it was found elsewhere").everywhere);
        bounds.insert(form.clone(), y);
        assert!(bounds.meet(&form, &here, line, None, none).is_none());
    }

    #[test]
    fn a_bound_put_instead_goes_when_another_round_does_not_share_it() {
        let [form, x, y, z] = symbols();
        let mut bounds = SharedBounds::default();
        let [first, second] = [0, 1].map(|round| owner(Kind::Blocks, Scope::Round, round));
        bounds.meet(&form, &EVERYWHERE, first, None, none);
        bounds.insert(form.clone(), x.clone());
        bounds.put_instead(&form, first, Some(y.clone()), |_, _| true);
        assert_eq!(bounds.get(&form), Some(&y));
        // Until the second round says the same, it is not known to hold there.
        assert!(
            bounds
                .meet(&form, &EVERYWHERE, second, None, none)
                .is_none()
        );
        assert_eq!(bounds.get(&form), Some(&x));
        bounds.put_instead(&form, second, Some(y.clone()), |_, _| true);
        assert_eq!(bounds.get(&form), Some(&y));
        let third = owner(Kind::Blocks, Scope::Round, 2);
        bounds.meet(&form, &EVERYWHERE, third, None, none);
        bounds.put_instead(&form, third, Some(z), |_, _| true);
        assert_eq!(bounds.get(&form), Some(&x));
    }
}
