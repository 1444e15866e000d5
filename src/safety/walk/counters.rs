//! Words that a loop counts up: takes the body of a loop, and bounds each word that the body only adds to by what the
//! iterations so far may have added.
//!
//! In `for v = 0 → n - 1: if _x > 4 then c[_k] ⇐ _x; _k ← _k + 1`, with `_k` 0 before the loop, `_k` is at most v.
//!
//! Theorem: a word to which each of s iterations adds between 0 and c has grown by between 0 and c·s.

use crate::program::{
    Arithmetic, Number, NumberKind, ParamId, Stmt, StmtKind, VarId, Word, nested,
};
use crate::safety::cover::Turn;
use crate::safety::forms::Forms;
use crate::safety::site::Place;
use crate::sym::Expr;

/// A word that a loop adds to.
pub(super) struct Counter {
    variable: VarId,
    indices: Vec<Expr>,
    /// The word before the loop.
    before: Expr,
    /// The most that an iteration adds.
    most: i64,
    /// The loop.
    turn: Turn,
    /// The names that its body binds, which mean nothing before it.
    inner: Vec<ParamId>,
}

impl Counter {
    /// The counters of a loop that all cores in it run through together, in the place before it.
    pub(super) fn in_loop(
        body: &[Stmt],
        turn: &Turn,
        forms: &mut Forms<'_>,
        place: &Place,
    ) -> Vec<Counter> {
        let mut counters: Vec<Counter> = Vec::new();
        let inner = bound_in(body);
        let writes = nested(body).filter_map(|it| it.kind.parts().write);
        for (target, _) in writes {
            let is_known = counters.iter().any(|it| it.variable == target.variable);
            let is_counter = forms.is_shared(target.variable) && !forms.is_float(target.variable);
            if is_known || !is_counter || speaks_of(target, &inner) {
                continue;
            }
            let mut place = place.clone();
            let Some((indices, before)) = forms.held_at(target, &mut place) else {
                continue;
            };
            let mut counter = Counter {
                variable: target.variable,
                indices,
                before,
                most: 0,
                turn: turn.clone(),
                inner: inner.clone(),
            };
            if counter.is_added_to(body, forms, &mut place) {
                counters.push(counter);
            }
        }
        counters
    }

    /// Adds up what the statements add to the word; false where one may do anything else to its variable, or may do it
    /// several times.
    fn is_added_to(&mut self, body: &[Stmt], forms: &mut Forms<'_>, place: &mut Place) -> bool {
        body.iter().all(|statement| match &statement.kind {
            StmtKind::If { body, .. } => self.is_added_to(body, forms, place),
            StmtKind::Assign { target, value } if target.variable == self.variable => {
                let added = if self.is_it(target, forms, place) {
                    self.added_by(value, forms, place)
                } else {
                    None
                };
                let most = added.and_then(|added| self.most.checked_add(added));
                self.most = most.unwrap_or(self.most);
                most.is_some()
            }
            kind => {
                let own = kind.parts().write.into_iter();
                let inner = nested(kind.parts().body).filter_map(|it| it.kind.parts().write);
                let mut targets = own.chain(inner).map(|(target, _)| target.variable);
                !targets.any(|target| target == self.variable)
            }
        })
    }

    /// The most that a value is above the word, where it is never below it.
    fn added_by(&self, value: &Number, forms: &mut Forms<'_>, place: &mut Place) -> Option<i64> {
        match &value.kind {
            NumberKind::Word(word) => self.is_it(word, forms, place).then_some(0),
            NumberKind::Binary {
                operator: Arithmetic::Add,
                left,
                right,
            } => {
                let sides = [[left, right], [right, left]];
                let mut sums = sides.into_iter().filter_map(|[word, amount]| {
                    let amount = amount_of(amount)?;
                    self.added_by(word, forms, place)?.checked_add(amount)
                });
                sums.next()
            }
            NumberKind::Select {
                then, otherwise, ..
            } => {
                let added = self.added_by(then, forms, place)?;
                Some(added.max(self.added_by(otherwise, forms, place)?))
            }
            _ => None,
        }
    }

    fn is_it(&self, word: &Word, forms: &mut Forms<'_>, place: &mut Place) -> bool {
        word.variable == self.variable
            && !speaks_of(word, &self.inner)
            && forms.plain_indices(word, place).as_ref() == Some(&self.indices)
    }

    /// Notes what the word is at the head of an iteration.
    pub(super) fn hold_inside(&self, forms: &mut Forms<'_>, place: &mut Place) {
        let turn = &self.turn;
        let own = Expr::symbol(&turn.index.symbol);
        let done = if turn.down {
            &turn.index.high - own
        } else {
            own - &turn.index.low
        };
        self.hold(&done, forms, place);
    }

    /// Notes what the word is after the loop, which may have had no iteration.
    pub(super) fn hold_after(&self, forms: &mut Forms<'_>, place: &Place) {
        let done = &self.turn.index.high - &self.turn.index.low + 1;
        let done = Expr::max(vec![Expr::zero(), done]);
        self.hold(&place.facts.simplify(&done), forms, &mut place.clone());
    }

    fn hold(&self, iterations: &Expr, forms: &mut Forms<'_>, place: &mut Place) {
        let most = &self.before + &(iterations * &Expr::int(self.most));
        forms.hold_between(self.variable, &self.indices, [&self.before, &most], place);
    }
}

/// The names that the body of a loop binds.
fn bound_in(body: &[Stmt]) -> Vec<ParamId> {
    let names = nested(body).filter_map(|statement| match &statement.kind {
        StmtKind::Let(binding) => Some(binding.parameter),
        StmtKind::For { variable, .. } => Some(*variable),
        _ => None,
    });
    names.collect()
}

/// True if an index of a word reads one of some names.
fn speaks_of(word: &Word, names: &[ParamId]) -> bool {
    let mut indices = word.indices.iter();
    indices.any(|index| names.iter().any(|name| index.reads(*name)))
}

/// The most that a number is that is never negative.
fn amount_of(number: &Number) -> Option<i64> {
    match &number.kind {
        NumberKind::Integer(value) => i64::try_from(value.clone()).ok().filter(|it| *it >= 0),
        NumberKind::Bracket(_) => Some(1),
        NumberKind::Select {
            then, otherwise, ..
        } => Some(amount_of(then)?.max(amount_of(otherwise)?)),
        _ => None,
    }
}
