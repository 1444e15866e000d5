//! Whether a word that is read was written before: what has been written so far, and the search for
//! who wrote it.
//!
//! A touch that wrote is kept with all that stood around it. It covers a read where numbers for its
//! own MPs, cores and loops can be found at which it wrote the very word, and at which everything
//! that decides whether it is executed provably holds. Several may cover a read together: what the
//! first does not cover is left to the next.

use std::collections::HashMap;

use crate::program::VarId;
use crate::safety::bounds::{is_never_reached, never_negative, never_negative_as_it_stands};
use crate::safety::forms::Forms;
use crate::safety::site::{Ask, Index, Place, Scope, ScopeKind, Site, Usage};
use crate::safety::verdict::{Lack, Reason, Rule, Verdict};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::text::Span;

/// Looked at for one read, the latest first.
const MOST_WRITES: usize = 12;

/// Parts of a read that are looked at one by one.
const MOST_PARTS: u32 = 24;

/// What has been written so far.
#[derive(Clone, Default)]
pub(crate) struct Written {
    of: HashMap<VarId, Words>,
}

/// Of one variable.
#[derive(Clone, Default)]
struct Words {
    is_whole: bool,
    sites: Vec<Site>,
    /// What is written besides, by cases.
    cases: Option<Box<Cases>>,
}

/// One or the other.
#[derive(Clone)]
struct Cases {
    when: Cond,
    then: Words,
    otherwise: Words,
}

/// A loop, seen from within.
#[derive(Clone)]
pub(crate) struct Turn {
    /// Its index.
    pub(crate) index: Index,
    /// Whether it counts down.
    pub(crate) down: bool,
    /// Whether all who run through it are at the same number.
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
    /// All words of a variable are written.
    pub(crate) fn fill(&mut self, variable: VarId) {
        self.of.entry(variable).or_default().is_whole = true;
    }

    /// Whether all are.
    pub(crate) fn is_whole(&self, variable: VarId) -> bool {
        self.of.get(&variable).is_some_and(|words| words.is_whole)
    }

    /// What a touch writes, is written.
    pub(crate) fn add(&mut self, site: Site) {
        let words = self.of.entry(site.variable).or_default();
        if !words.is_whole {
            words.sites.push(site);
        }
    }

    /// Nothing is known to be written there.
    pub(crate) fn forget(&mut self, variable: VarId) {
        self.of.remove(&variable);
    }

    /// Two arrays change names.
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

    /// After a loop, of an array that changes names in it: what the last iteration left, or what was
    /// there before where there is none.
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

    /// Of a variable what was known at another time.
    pub(crate) fn restore(&mut self, variable: VarId, from: &Written) {
        match from.of.get(&variable) {
            Some(words) => self.of.insert(variable, words.clone()),
            None => self.of.remove(&variable),
        };
    }
}

/// Whether a word that is read was written for certain.
pub(crate) fn covered(written: &Written, read: &Site, forms: &mut Forms<'_>) -> Verdict {
    let Some(words) = written.of.get(&read.variable) else {
        return if is_never_reached(&read.place) {
            Verdict::Proved(Rule::Never)
        } else {
            Verdict::Open(Reason::Unproved(Lack::Written))
        };
    };
    let mut place = (*read.place).clone();
    let Some(offsets) = any_word(read, &mut place, forms) else {
        return Verdict::Open(Reason::Form);
    };
    if let Some(rule) = covered_by(words, &offsets, place, forms) {
        return Verdict::Proved(rule);
    }
    if is_never_reached(&read.place) {
        return Verdict::Proved(Rule::Never);
    }
    match covered_wherever_data_point(words, read, forms) {
        Some(rule) => Verdict::Proved(rule),
        None => Verdict::Open(Reason::Unproved(Lack::Written)),
    }
}

/// The same, with any number in the place of an index that data are in.
fn covered_wherever_data_point(words: &Words, read: &Site, forms: &mut Forms<'_>) -> Option<Rule> {
    let is_of_data = |index: &Expr| {
        let mut data = read.place.words.iter();
        data.any(|word| index.contains(word))
    };
    if !read.indices.iter().flatten().any(is_of_data) {
        return None;
    }
    let indices = read.indices.iter().cloned();
    let indices = indices.map(|index| index.filter(|index| !is_of_data(index)));
    let read = Site {
        indices: indices.collect(),
        ..read.clone()
    };
    let mut place = (*read.place).clone();
    let offsets = any_word(&read, &mut place, forms)?;
    covered_by(words, &offsets, place, forms)
}

fn covered_by(
    words: &Words,
    offsets: &[Expr],
    place: Place,
    forms: &mut Forms<'_>,
) -> Option<Rule> {
    if words.is_whole {
        return Some(Rule::Transfer);
    }
    let mut ways: Vec<Way> = Vec::new();
    let latest = words.sites.iter().rev().take(MOST_WRITES).enumerate();
    let mut writes: Vec<(usize, &Site)> = latest.collect();
    // What is written in order is found at once, and may be all.
    writes.sort_by_key(|(_, site)| !site.is_plain());
    let is_plain = offsets.iter().all(Expr::is_plain);
    let folded = writes
        .iter()
        .filter(|(_, site)| !is_plain || !site.is_plain());
    let in_rows = folded.filter_map(|(writer, site)| {
        let [written, read] = [site.offsets()?, offsets.to_vec()]
            .map(|indices| forms.place_by_rows(site.variable, &indices));
        let site = Site {
            indices: vec![Some(written?)],
            ..(*site).clone()
        };
        Some((*writer, site, vec![read?]))
    });
    let in_rows: Vec<(usize, Site, Vec<Expr>)> = in_rows.collect();
    let as_they_are = writes
        .into_iter()
        .map(|(writer, site)| (writer, site, offsets));
    let in_rows = in_rows
        .iter()
        .map(|(writer, site, offsets)| (*writer, site, &offsets[..]));
    for (writer, site, offsets) in as_they_are.chain(in_rows) {
        for attempt in [Attempt::SameCore, Attempt::Solve, Attempt::SolveInner] {
            let Some(needs) = needed(site, offsets, &place, attempt, forms) else {
                continue;
            };
            if ways.iter().any(|way| way.needs == needs) {
                continue;
            }
            let way = Way { writer, needs };
            let is_refuted = way.fails(&place).contains(&true);
            let is_no_less: fn(&Expr, &Place) -> bool = if site.is_plain() {
                never_negative
            } else {
                never_negative_as_it_stands
            };
            let holds = |need: &Cond| holds_by(need, &place, is_no_less);
            if !is_refuted && way.needs.iter().all(holds) {
                return Some(match attempt {
                    Attempt::SameCore => Rule::SameWord,
                    Attempt::Solve | Attempt::SolveInner => Rule::Cover,
                });
            }
            ways.push(way);
        }
    }
    let ways: Vec<&Way> = ways.iter().collect();
    place.begin(Ask::Parts);
    let mut parts = MOST_PARTS;
    if are_all_covered(&ways, &place, &mut parts) {
        return Some(Rule::Cover);
    }
    let cases = words.cases.as_ref()?;
    // What this iteration has written may cover part of it, in either case.
    for (when, words) in [
        (cases.when.clone(), &cases.then),
        (cases.when.clone().not(), &cases.otherwise),
    ] {
        let mut place = place.clone();
        place.facts.suppose(&when);
        if place.facts.proves(&when.clone().not()) || is_contradictory(&place) {
            continue;
        }
        covered_by(words, offsets, place, forms)?;
    }
    Some(Rule::Cover)
}

/// A write that covers words of a read where all that it needs holds.
struct Way {
    /// Which write.
    writer: usize,
    /// What decides whether it wrote the very word.
    needs: Vec<Cond>,
}

impl Way {
    /// Whether it clearly does not cover the read, at each of a few points.
    fn fails(&self, place: &Place) -> Vec<bool> {
        let mut fails: Vec<bool> = Vec::new();
        for need in &self.needs {
            for (at, is_failing) in place.facts.fails(need).into_iter().enumerate() {
                match fails.get_mut(at) {
                    Some(known) => *known |= is_failing,
                    None => fails.push(is_failing),
                }
            }
        }
        fails
    }
}

/// Whether some of these ways cover it together: what the first leaves open, part by part, must be
/// covered by the others.
fn are_all_covered(ways: &[&Way], place: &Place, parts: &mut u32) -> bool {
    if place.facts.is_exhausted() {
        return false;
    }
    // A point that none of them covers is covered by no proof.
    let fails: Vec<Vec<bool>> = ways.iter().map(|way| way.fails(place)).collect();
    let points = fails.iter().map(Vec::len).max().unwrap_or(0);
    let is_covered = |at: usize| fails.iter().any(|fails| fails.get(at) != Some(&true));
    if !(0..points).all(is_covered) {
        return false;
    }
    let mut left_open: Vec<(usize, Vec<Cond>)> = Vec::new();
    for way in ways {
        let needs = way.needs.iter().filter(|need| !holds(need, place));
        let left: Vec<Cond> = needs.cloned().collect();
        if left.is_empty() {
            return true;
        }
        left_open.push((way.writer, left));
    }
    // What never covers anything is no first part.
    let mut numbers = fails.iter();
    left_open.retain(|(_, left)| {
        let may_hold = numbers.next().is_some_and(|fails| fails.contains(&false));
        may_hold
            || !left
                .iter()
                .any(|need| place.facts.prove(need) == Some(false))
    });
    left_open.sort_by_key(|(_, left)| left.len());
    for (writer, left) in left_open {
        let Some(fewer) = parts.checked_sub(1) else {
            return false;
        };
        *parts = fewer;
        let others = ways.iter().filter(|way| way.writer != writer);
        let others: Vec<&Way> = others.copied().collect();
        if others.is_empty() {
            continue;
        }
        let mut so_far = place.clone();
        let is_covered = left.iter().all(|need| {
            let need = &place.facts.simplify_cond(need);
            let mut outside = so_far.clone();
            outside.facts.suppose(&need.clone().not());
            so_far.facts.suppose(need);
            is_contradictory(&outside) || are_all_covered(&others, &outside, parts)
        });
        if is_covered {
            return true;
        }
    }
    false
}

/// Whether the word read is at indices without a form: then any word of the array will do.
fn any_word(read: &Site, place: &mut Place, forms: &mut Forms<'_>) -> Option<Vec<Expr>> {
    let extents = forms.extents(read.variable)?;
    let indices = read.indices.iter().zip(&extents);
    let offsets = indices.map(|(index, extent)| match index {
        Some(index) => index.clone(),
        None => {
            let symbol = forms.fresh("word");
            place.range(&symbol, &Expr::zero(), &(extent - 1), 0);
            Expr::symbol(&symbol)
        }
    });
    Some(offsets.collect())
}

/// Whether every word of an array is written.
pub(crate) fn is_all(
    written: &Written,
    array: VarId,
    extents: &[Expr],
    outer: &Place,
    forms: &mut Forms<'_>,
) -> bool {
    let read = Site {
        span: Span::default(),
        variable: array,
        usage: Usage::Read,
        indices: vec![None; extents.len()],
        value: None,
        place: std::sync::Arc::new(outer.clone()),
    };
    covered(written, &read, forms).is_proved()
}

/// How numbers for the writer are found.
#[derive(Clone, Copy, PartialEq)]
enum Attempt {
    /// The reading core and MP wrote it themselves.
    SameCore,
    /// From the indices, outer numbers first.
    Solve,
    /// From the indices, inner numbers first.
    SolveInner,
}

/// What must hold for a write to cover words; `None` where no numbers for the writer are found.
fn needed(
    write: &Site,
    read: &[Expr],
    place: &Place,
    attempt: Attempt,
    forms: &mut Forms<'_>,
) -> Option<Vec<Cond>> {
    // The write is `x[ib + j]` by MP i and core j, the read `x[v]`. Numbers of the writer are sought at which it wrote
    // the word read: i = v div b and j = v mod b. The equation gives them one by one (`solve`). What decides whether the
    // writer runs with these numbers must then hold: its ranges, 0 ≤ i < k, and its guards, `ib + j < n`. These
    // conditions are the answer; the caller proves them where the read stands.
    let own: Vec<&Scope> = write
        .place
        .scopes
        .iter()
        .filter(|scope| !place.scopes.contains(scope))
        .collect();
    let is_same_core = attempt == Attempt::SameCore;
    let is_nobodys = |scope: &&Scope| match scope.kind {
        ScopeKind::Uncertain => true,
        // Where others have got to by now, the reader's number does not tell.
        ScopeKind::Earlier { is_common } => !is_common && !is_same_core,
        ScopeKind::HostFor | ScopeKind::Mps | ScopeKind::Cores | ScopeKind::Loop { .. } => false,
    };
    if own.iter().any(is_nobodys) {
        return None;
    }
    // Under a guard without a form, only who was under it too.
    let doubts = &write.place.doubts;
    let is_under_all = || doubts.iter().all(|doubt| place.doubts.contains(doubt));
    if !(doubts.is_empty() || is_same_core && is_under_all()) {
        return None;
    }
    let mut offsets = write.offsets()?;
    let mut guards = write.place.guards.clone();
    let mut unknown: Vec<Index> = Vec::new();
    let mut solved: Vec<(Symbol, Expr)> = Vec::new();
    let core_of_write = write.place.core();
    let core_of_read = place.core();
    for index in &write.place.indices {
        let is_own = own.iter().any(|scope| scope.id == index.scope);
        let is_core = core_of_write
            .as_ref()
            .is_some_and(|core| core.symbol == index.symbol);
        if is_core {
            match (&core_of_read, is_same_core) {
                (Some(core), true) => {
                    solved.push((index.symbol.clone(), Expr::symbol(&core.symbol)));
                    continue;
                }
                (None, true) => return None,
                (_, false) => {}
            }
        }
        let is_common = |index: &Index| {
            let scope = place.scopes.iter().find(|scope| scope.id == index.scope);
            match scope.map(|scope| &scope.kind) {
                // Another core may be at another number.
                Some(ScopeKind::Loop { is_common }) => *is_common || is_same_core,
                Some(_) => true,
                None => false,
            }
        };
        if is_core || is_own {
            unknown.push(index.clone());
        } else if !is_common(index) {
            return None;
        }
    }
    // What both share (host loops, loops that run in step) keeps its symbol, because both are at one number there.
    // The writer's own numbers get names of their own, so that none is mistaken for the reader's.
    let mut names: Vec<(Symbol, Symbol)> = Vec::new();
    for index in &mut unknown {
        let twin = forms.twin(&index.symbol);
        names.push((index.symbol.clone(), twin));
    }
    if !is_same_core || !own.is_empty() {
        for word in &write.place.words {
            let is_met = place.words.contains(word) && is_same_core;
            if !is_met {
                names.push((word.clone(), forms.twin(word)));
            }
        }
    }
    let substitutions: Vec<(Symbol, Expr)> = names
        .iter()
        .map(|(old, new)| (old.clone(), Expr::symbol(new)))
        .chain(solved)
        .collect();
    let put = |value: &Expr| {
        let list = substitutions.iter();
        list.fold(value.clone(), |value, (symbol, form)| {
            value.substitute(symbol, form)
        })
    };
    offsets = offsets.iter().map(&put).collect();
    guards = guards
        .iter()
        .map(|guard| {
            let list = substitutions.iter();
            list.fold(guard.clone(), |guard, (symbol, form)| {
                guard.substitute(symbol, form)
            })
        })
        .collect();
    let mut unknown: Vec<Index> = unknown
        .iter()
        .map(|index| Index {
            symbol: names
                .iter()
                .find(|(old, _)| *old == index.symbol)
                .map_or_else(|| index.symbol.clone(), |(_, new)| new.clone()),
            low: put(&index.low),
            high: put(&index.high),
            scope: index.scope,
        })
        .collect();
    let facts = &place.facts;
    let halves = in_rows(&mut unknown, &mut offsets, &mut guards, facts, forms);
    // One equation with two unknowns is solved for the first, with the second as small as may be. Which order finds the
    // writer depends on the index: `x[i·h + v]` wants i first where h is the row's length, and v first where i is given.
    if attempt == Attempt::SolveInner {
        unknown.reverse();
    }
    let mut equations: Vec<(Expr, Expr)> = offsets.into_iter().zip(read.iter().cloned()).collect();
    solve(&mut equations, &mut unknown, &mut guards, facts)?;
    let zero = Expr::zero();
    let mut needs = Vec::new();
    for (offset, word) in equations {
        let difference = facts.simplify(&(&word - &offset));
        if !difference.is_zero() {
            needs.push(Cond::eq(&difference, &zero));
        }
    }
    for guard in guards {
        if guard != Cond::True && !needs.contains(&guard) {
            needs.push(guard);
        }
    }
    // What speaks of nobody's words holds for nobody.
    let is_about_known = |need: &Cond| {
        let symbols = need.symbols();
        let mut twins = names.iter().map(|(_, twin)| twin).chain(&halves);
        !twins.any(|twin| symbols.contains(twin))
    };
    needs
        .iter()
        .all(|need| is_about_known(need) || holds(need, place))
        .then_some(needs)
}

/// Numbers whose quotient and remainder the offsets speak of, `j div h` and `j mod h`, become these two: then
/// each is found by itself. Gives the symbols for them.
fn in_rows(
    unknown: &mut Vec<Index>,
    offsets: &mut [Expr],
    guards: &mut Vec<Cond>,
    facts: &Facts,
    forms: &mut Forms<'_>,
) -> Vec<Symbol> {
    let mut halves = Vec::new();
    for at in (0..unknown.len()).rev() {
        let symbol = unknown[at].symbol.clone();
        let is_end = |other: &Index| {
            let ends = [&other.low, &other.high];
            ends.into_iter().any(|end| end.contains(&symbol))
        };
        let mut each = offsets.iter();
        let rounded = each.find_map(|offset| facts.in_rows(&facts.simplify(offset), &symbol));
        let Some([_, _, shift, size]) = rounded.filter(|_| !unknown.iter().any(is_end)) else {
            continue;
        };
        let row = forms.twin(&symbol);
        let column = forms.twin(&row);
        let [of_row, of_column] = [&row, &column].map(Expr::symbol);
        let [zero, last] = [Expr::zero(), &size - 1];
        let mut inside = facts.clone();
        inside.integer(&row);
        inside.integer(&column);
        let within = [Cond::ge(&of_column, &zero), Cond::le(&of_column, &last)];
        within.iter().for_each(|end| inside.suppose(end));
        let value = &size * &of_row + &of_column - &shift;
        let put = |expr: &Expr| inside.simplify(&expr.substitute(&symbol, &value));
        let first = unknown[at].clone();
        offsets.iter_mut().for_each(|offset| *offset = put(offset));
        for guard in guards.iter_mut().filter(|guard| guard.contains(&symbol)) {
            *guard = guard.map(&put);
        }
        guards.extend(within);
        let row_of = |end: &Expr| (end + &shift).floor_div(&size).unwrap_or_default();
        let [low, high] = [&first.low, &first.high].map(|end| facts.simplify(&row_of(end)));
        let rows = Index {
            symbol: row.clone(),
            low,
            high,
            scope: first.scope,
        };
        let columns = Index {
            symbol: column.clone(),
            low: zero,
            high: last,
            scope: first.scope,
        };
        unknown.splice(at..=at, [rows, columns]);
        halves.extend([row, column]);
    }
    halves
}

fn holds(cond: &Cond, place: &Place) -> bool {
    holds_by(cond, place, never_negative_as_it_stands)
}

/// The same, with what shows that a value is never negative.
fn holds_by(cond: &Cond, place: &Place, is_no_less: fn(&Expr, &Place) -> bool) -> bool {
    match cond {
        Cond::And(parts) => parts.iter().all(|part| holds_by(part, place, is_no_less)),
        _ => match place.facts.said_by(cond) {
            Some(value) => is_no_less(&value, place),
            None => place.facts.proves(cond),
        },
    }
}

/// Whether what is left for the other writers never happens.
fn is_contradictory(place: &Place) -> bool {
    if place.facts.are_met() {
        return false;
    }
    is_never_reached(place)
        || place.indices.iter().any(|index| {
            let value = Expr::symbol(&index.symbol);
            place.facts.prove(&Cond::ge(&value, &index.low)) == Some(false)
                || place.facts.prove(&Cond::le(&value, &index.high)) == Some(false)
        })
}

/// Finds numbers for the writer from `offset = word`, dimension by dimension.
fn solve(
    equations: &mut [(Expr, Expr)],
    unknown: &mut Vec<Index>,
    guards: &mut [Cond],
    facts: &Facts,
) -> Option<()> {
    while !unknown.is_empty() {
        let Some((which, value)) = next(equations, unknown, facts) else {
            // Whatever does not decide which word it is: where a guard names it, that, else the first.
            let index = unknown.remove(0);
            let named = guards.iter().find_map(|guard| named_by(guard, &index));
            let named = named.filter(|value| facts.is_integer(value));
            let value = named.unwrap_or_else(|| index.low.clone());
            if unknown.iter().any(|other| value.contains(&other.symbol)) {
                return None;
            }
            put_in(&index.symbol, &value, equations, unknown, guards, facts);
            continue;
        };
        let index = unknown.remove(which);
        if !facts.is_integer(&value) {
            return None;
        }
        put_in(&index.symbol, &value, equations, unknown, guards, facts);
    }
    Some(())
}

fn put_in(
    symbol: &Symbol,
    value: &Expr,
    equations: &mut [(Expr, Expr)],
    unknown: &mut [Index],
    guards: &mut [Cond],
    facts: &Facts,
) {
    for (offset, _) in equations.iter_mut() {
        *offset = facts.simplify(&offset.substitute(symbol, value));
    }
    for index in unknown {
        index.low = index.low.substitute(symbol, value);
        index.high = index.high.substitute(symbol, value);
    }
    for guard in guards {
        *guard = guard.substitute(symbol, value);
    }
}

/// The value that an equality gives to an index.
fn named_by(guard: &Cond, index: &Index) -> Option<Expr> {
    let Cond::Zero(value) = guard else {
        return None;
    };
    let [rest, slope] = value.linear_in(&index.symbol)?;
    rest.neg().div(&slope)
}

/// The next number that an equation decides, with its value.
fn next(equations: &[(Expr, Expr)], unknown: &[Index], facts: &Facts) -> Option<(usize, Expr)> {
    // Alone in its equation.
    for (offset, word) in equations {
        let mut within = unknown
            .iter()
            .enumerate()
            .filter(|(_, index)| offset.contains(&index.symbol));
        if let (Some((which, index)), None) = (within.next(), within.next())
            && let Some([rest, slope]) = offset.linear_in(&index.symbol)
        {
            let value = (word - &rest).div(&slope)?;
            return Some((which, facts.simplify(&value)));
        }
    }
    // The highest digit of a mixed radix: the others are less than one step of it.
    for (offset, word) in equations {
        for (which, index) in unknown.iter().enumerate() {
            let Some([rest, step]) = offset.linear_in(&index.symbol) else {
                continue;
            };
            if step.is_zero() || !facts.proves(&Cond::ge(&step, &Expr::one())) {
                continue;
            }
            let mut least = rest.clone();
            let mut is_linear = true;
            for other in unknown {
                if least.contains(&other.symbol) {
                    match least.linear_in(&other.symbol) {
                        Some([_, slope]) if facts.proves(&Cond::ge(&slope, &Expr::zero())) => {
                            least = least.substitute(&other.symbol, &other.low);
                        }
                        Some(_) | None => is_linear = false,
                    }
                }
            }
            if !is_linear || unknown.iter().any(|other| step.contains(&other.symbol)) {
                continue;
            }
            let value = (word - &least).floor_div(&step)?;
            return Some((which, facts.simplify(&value)));
        }
    }
    None
}
