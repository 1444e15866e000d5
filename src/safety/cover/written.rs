//! The words written so far: takes each write as the walk meets it, and gives what of them is known inside a loop and
//! after it.

use std::collections::HashMap;

use crate::program::VarId;
use crate::safety::forms::Forms;
use crate::safety::site::{Index, Scope, ScopeKind, Site};
use crate::sym::{Cond, Expr};

/// The words written so far.
#[derive(Clone, Default)]
pub(crate) struct Written {
    pub(super) of: HashMap<VarId, Words>,
}

/// The words of one variable.
#[derive(Clone, Default)]
pub(super) struct Words {
    /// True if all words are written.
    pub(super) is_whole: bool,
    pub(super) sites: Vec<Site>,
    /// The words written besides, by cases.
    pub(super) cases: Option<Box<Cases>>,
}

/// The words written in either case of a condition.
#[derive(Clone)]
pub(super) struct Cases {
    pub(super) when: Cond,
    pub(super) then: Words,
    pub(super) otherwise: Words,
}

/// A loop, seen from within.
#[derive(Clone)]
pub(crate) struct Turn {
    /// Its index.
    pub(crate) index: Index,
    /// True if it counts down.
    pub(crate) down: bool,
    /// True if all who run through it are at the same number.
    pub(crate) is_common: bool,
}

impl Turn {
    /// The numbers before this one: first and last.
    fn earlier(&self) -> (Expr, Expr) {
        let (own, one) = (Expr::symbol(&self.index.symbol), Expr::one());
        if self.down {
            (&own + &one, self.index.high.clone())
        } else {
            (self.index.low.clone(), &own - &one)
        }
    }

    /// The number before this one.
    fn before(&self) -> Expr {
        let (own, one) = (Expr::symbol(&self.index.symbol), Expr::one());
        if self.down { &own + &one } else { &own - &one }
    }

    /// Returns the words of an array that changes names, from its writes in an iteration: the iteration before left
    /// them, or the loop found them.
    fn after_one(&self, writes: &[Site], entry: Words) -> Cases {
        let own = Expr::symbol(&self.index.symbol);
        let (first, _) = self.first_and_last();
        let is_first = if self.down {
            Cond::ge(&own, first)
        } else {
            Cond::le(&own, first)
        };
        let guard = is_first.clone().not();
        let left = writes.iter();
        let left = left.map(|site| site.at(&self.index, &self.before(), &guard));
        Cases {
            when: is_first,
            then: entry,
            otherwise: Words {
                sites: left.collect(),
                ..Words::default()
            },
        }
    }

    /// Returns a write as one of any earlier iteration.
    fn any_before(&self, site: &Site, forms: &mut Forms<'_>) -> Site {
        let (low, high) = self.earlier();
        let scope = Scope {
            id: forms.number_scope(),
            kind: ScopeKind::Earlier {
                is_common: self.is_common,
            },
        };
        let index = Index {
            symbol: forms.fresh(&self.index.symbol.name),
            low,
            high,
            scope: scope.id,
        };
        site.at_any(&self.index, index, scope)
    }

    /// The number it begins with, and the one it ends with.
    fn first_and_last(&self) -> (&Expr, &Expr) {
        if self.down {
            (&self.index.high, &self.index.low)
        } else {
            (&self.index.low, &self.index.high)
        }
    }
}

/// The knowledge around the body of a loop, beside that at the head of an iteration.
pub(crate) struct Around<'w> {
    /// The words written before the loop.
    pub(crate) entry: &'w Written,
    /// The words written at the end of an iteration.
    pub(crate) exit: &'w Written,
    /// The arrays that change names in it.
    pub(crate) swapped: &'w [VarId],
}

impl Written {
    /// Notes that all words of a variable are written.
    pub(crate) fn fill(&mut self, variable: VarId) {
        self.of.entry(variable).or_default().is_whole = true;
    }

    /// True if all words of a variable are written.
    pub(crate) fn is_whole(&self, variable: VarId) -> bool {
        self.of.get(&variable).is_some_and(|words| words.is_whole)
    }

    /// Notes the words that a touch writes.
    pub(crate) fn add(&mut self, site: Site) {
        let words = self.of.entry(site.variable).or_default();
        if !words.is_whole {
            words.sites.push(site);
        }
    }

    /// Forgets which words of a variable are written.
    pub(crate) fn forget(&mut self, variable: VarId) {
        self.of.remove(&variable);
    }

    /// Exchanges the words of two arrays that change names.
    pub(crate) fn swap(&mut self, left: VarId, right: VarId) {
        let (one, other) = (self.of.remove(&left), self.of.remove(&right));
        for (variable, words) in [(right, one), (left, other)] {
            if let Some(words) = words {
                self.of.insert(variable, words);
            }
        }
    }

    /// Returns what is written inside an iteration: the words of its head, and those that earlier iterations have
    /// written by its exit. An array that changes names holds only what the last iteration left, or the first found.
    pub(crate) fn carried(
        &self,
        around: &Around<'_>,
        turn: &Turn,
        forms: &mut Forms<'_>,
    ) -> Written {
        // Induction over the iterations. Inside iteration t a word counts as written if an earlier one wrote it, so each
        // write of the body is taken over with an index of its own, from the first number to t − 1. In
        // `for t: x[t] ⇐ …; y ⇐ x[t - 1]` the read at t is covered by the write at t' = t − 1, where there is one.
        // Arrays that change names hold only what the last iteration left: there t' is t − 1 and nothing else.
        let mut carried = self.clone();
        for (&variable, exit) in &around.exit.of {
            if exit.is_whole || self.is_whole(variable) {
                continue;
            }
            let inside = carried.of.entry(variable).or_default();
            if around.swapped.contains(&variable) {
                let entry = around.entry.of.get(&variable).cloned();
                let cases = turn.after_one(&exit.sites, entry.unwrap_or_default());
                inside.cases = Some(Box::new(cases));
            } else {
                let known = inside.sites.len();
                let new = exit.sites.get(known..).unwrap_or_default();
                let left: Vec<Site> = new
                    .iter()
                    .map(|site| turn.any_before(site, forms))
                    .collect();
                inside.sites.splice(0..0, left);
            }
        }
        carried
    }

    /// Ends a loop for an array that changes names in it: the last iteration left its words, or there was none and those
    /// of the entry stay.
    pub(crate) fn finish(&mut self, variable: VarId, entry: &Written, turn: &Turn) {
        let Some(words) = self.of.get(&variable) else {
            return;
        };
        let (_, last) = turn.first_and_last();
        let left = words
            .sites
            .iter()
            .map(|site| site.at(&turn.index, last, &Cond::True));
        let cases = Cases {
            when: Cond::lt(&turn.index.high, &turn.index.low),
            then: entry.of.get(&variable).cloned().unwrap_or_default(),
            otherwise: Words {
                is_whole: words.is_whole,
                sites: left.collect(),
                ..Words::default()
            },
        };
        let words = Words {
            cases: Some(Box::new(cases)),
            ..Words::default()
        };
        self.of.insert(variable, words);
    }

    /// Restores the knowledge of a variable from another time.
    pub(crate) fn restore(&mut self, variable: VarId, from: &Written) {
        match from.of.get(&variable) {
            Some(words) => self.of.insert(variable, words.clone()),
            None => self.of.remove(&variable),
        };
    }
}
