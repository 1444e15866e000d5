//! The writer of a word that is read: takes a write and the indices of the read, and gives the conditions under which
//! the write covers it.

use crate::safety::cover::holds;
use crate::safety::cover::solve::{Digit, System};
use crate::safety::forms::Forms;
use crate::safety::site::{Index, Place, Scope, ScopeKind, Site};
use crate::sym::{Cond, Expr, Symbol};

/// A way to find numbers for the writer.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Attempt {
    /// The reading core and MP wrote it themselves.
    SameCore,
    /// From the indices, outer numbers first.
    Solve,
    /// From the indices, inner numbers first.
    SolveInner,
    /// From the digits by which the word is told.
    Digits,
}

/// Returns the conditions under which a write covers words; `None` where no numbers for the writer are found.
pub(super) fn needed(
    write: &Site,
    read: &[Expr],
    place: &Place,
    attempt: Attempt,
    digits: &[Digit],
    forms: &mut Forms<'_>,
) -> Option<Vec<Cond>> {
    // The write is `x[ib + j]` by MP i and core j, the read `x[v]`. Numbers of the writer are sought at which it wrote
    // the word read: i = v div b and j = v mod b. The equation gives them one by one (`solve`). What decides whether the
    // writer runs with these numbers must then hold: its ranges, 0 ≤ i < k, and its guards, `ib + j < n`. These
    // conditions are the answer; the caller proves them where the read stands.
    let meeting = Meeting::of(&write.place, place, attempt == Attempt::SameCore);
    if !meeting.is_certain() {
        return None;
    }
    let offsets = write.offsets()?;
    let (unknown, core) = meeting.numbers()?;
    let twins = meeting.twins(&unknown, forms);
    let named = twins.iter();
    let named = named.map(|(own, twin)| (own.clone(), Expr::symbol(twin)));
    let substitutions: Vec<Named> = named.chain(core).collect();
    let put = |value: &Expr| {
        let list = substitutions.iter();
        list.fold(value.clone(), |value, (symbol, form)| {
            value.substitute(symbol, form)
        })
    };
    let put_in_guard = |guard: &Cond| {
        let list = substitutions.iter();
        list.fold(guard.clone(), |guard, (symbol, form)| {
            guard.substitute(symbol, form)
        })
    };
    let renamed = unknown.iter().zip(&twins).map(|(index, (_, twin))| Index {
        symbol: twin.clone(),
        low: put(&index.low),
        high: put(&index.high),
        scope: index.scope,
    });
    let mut system = System {
        equations: offsets.iter().map(put).zip(read.iter().cloned()).collect(),
        unknown: renamed.collect(),
        guards: write.place.guards.iter().map(put_in_guard).collect(),
        facts: &place.facts,
    };
    let halves = system.take_rows_apart(forms);
    // One equation with two unknowns is solved for the first, with the second as small as may be. Which order finds the
    // writer depends on the index: `x[i·h + v]` wants i first where h is the row's length, and v first where i is given.
    if attempt == Attempt::SolveInner {
        system.unknown.reverse();
    }
    if attempt == Attempt::Digits {
        system.take_digits(digits);
    }
    system.solve()?;
    let needs = system.left_to_prove();
    // What speaks of nobody's words holds for nobody.
    let is_about_known = |need: &Cond| {
        let symbols = need.symbols();
        let mut twins = twins.iter().map(|(_, twin)| twin).chain(&halves);
        !twins.any(|twin| symbols.contains(twin))
    };
    needs
        .iter()
        .all(|need| is_about_known(need) || holds(need, place))
        .then_some(needs)
}

/// Returns the numbers of a writer that the reader does not share; `None` where they cannot be sought.
pub(super) fn own_numbers(write: &Place, read: &Place) -> Option<Vec<Index>> {
    let meeting = Meeting::of(write, read, false);
    if !meeting.is_certain() {
        return None;
    }
    let (unknown, _) = meeting.numbers()?;
    Some(unknown)
}

/// A symbol of the writer with its form for the reader.
type Named = (Symbol, Expr);

/// The places of a write and of a read of the same word.
struct Meeting<'m> {
    write: &'m Place,
    read: &'m Place,
    /// True if the reading core and MP are those that wrote.
    is_same_core: bool,
    /// The scopes that only the write stands in.
    own: Vec<&'m Scope>,
}

impl<'m> Meeting<'m> {
    fn of(write: &'m Place, read: &'m Place, is_same_core: bool) -> Self {
        let scopes = write.scopes.iter();
        let own = scopes.filter(|scope| !read.scopes.contains(scope));
        Meeting {
            write,
            read,
            is_same_core,
            own: own.collect(),
        }
    }

    /// True if it can be told whether the write was executed.
    fn is_certain(&self) -> bool {
        let is_nobodys = |scope: &&Scope| match scope.kind {
            ScopeKind::Uncertain => true,
            // Where others have got to by now, the reader's number does not tell.
            ScopeKind::Earlier { is_common } => !is_common && !self.is_same_core,
            ScopeKind::HostFor | ScopeKind::Mps | ScopeKind::Cores | ScopeKind::Loop { .. } => {
                false
            }
        };
        // Under a guard without a form, only who was under it too.
        let doubts = &self.write.doubts;
        let is_under_all = || doubts.iter().all(|doubt| self.read.doubts.contains(doubt));
        !self.own.iter().any(is_nobodys)
            && (doubts.is_empty() || self.is_same_core && is_under_all())
    }

    /// Returns the writer's numbers that are sought, and the number of its core if that is the reader's; `None` where
    /// a number is neither sought nor shared with the reader.
    fn numbers(&self) -> Option<(Vec<Index>, Option<Named>)> {
        let mut unknown: Vec<Index> = Vec::new();
        let mut known = None;
        let core_of_write = self.write.core().map(|core| &core.symbol);
        for index in &self.write.indices {
            let is_core = core_of_write == Some(&index.symbol);
            if is_core && self.is_same_core {
                let core = self.read.core()?;
                known = Some((index.symbol.clone(), Expr::symbol(&core.symbol)));
            } else if is_core || self.own.iter().any(|scope| scope.id == index.scope) {
                unknown.push(index.clone());
            } else if !self.is_common(index) {
                return None;
            }
        }
        Some((unknown, known))
    }

    /// True if writer and reader are at the same number of a scope around both.
    fn is_common(&self, index: &Index) -> bool {
        let mut scopes = self.read.scopes.iter();
        let scope = scopes.find(|scope| scope.id == index.scope);
        match scope.map(|scope| &scope.kind) {
            // Another core may be at another number.
            Some(ScopeKind::Loop { is_common }) => *is_common || self.is_same_core,
            Some(_) => true,
            None => false,
        }
    }

    /// Gives new names to the writer's own numbers, and behind them to its words.
    fn twins(&self, unknown: &[Index], forms: &mut Forms<'_>) -> Vec<(Symbol, Symbol)> {
        // What both share (host loops, loops that run in step) keeps its symbol, because both are at one number there.
        // The writer's own numbers get names of their own, so that none is mistaken for the reader's.
        let mut own: Vec<&Symbol> = unknown.iter().map(|index| &index.symbol).collect();
        if !self.is_same_core || !self.own.is_empty() {
            let is_met = |word: &Symbol| self.read.words.contains(word) && self.is_same_core;
            own.extend(self.write.words.iter().filter(|word| !is_met(word)));
        }
        own.into_iter()
            .map(|symbol| (symbol.clone(), forms.twin(symbol)))
            .collect()
    }
}
