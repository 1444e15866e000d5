//! The abstract interpreter over symbols: the checked program gives counts as closed forms.
//!
//! Takes a checked [`Program`] and what is `given`; gives a [`Derivation`] whose claims nobody has
//! judged yet. The host in order ([`rounds`]), each kernel once ([`kernel`]: its statements, active
//! cores and what they touch) with what is known of data ([`data`]), then the sums ([`result`]) over
//! what the host gave ([`mod@entry`]).
//!
//! Never runs anything, never reads data, shares no counting code with `exec` or `interval`. What
//! it cannot derive it says, with line and reason; a quantity without a reason is exact.

pub(crate) mod active;
pub(crate) mod amount;
pub(crate) mod around;
pub(crate) mod data;
pub(crate) mod entry;
pub(crate) mod header;
pub(crate) mod kernel;
mod letters;
pub(crate) mod result;
pub(crate) mod rounds;
pub(crate) mod symbols;
pub(crate) mod until;

pub(crate) use kernel::Charging;

use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derivation::letters::symbol_of;
use crate::program::Program;
use crate::sym::{Expr, Facts};
use crate::symbolic::header::{header_lets, known_facts};
use crate::symbolic::letters::{settle, settle_letters, settled_letters};
use crate::symbolic::result::given::Values;
use crate::symbolic::result::plain::PlainBounds;
use crate::symbolic::result::total::make_total;
use crate::symbolic::result::{assemble, classes, nothing_derived, totals};
use crate::symbolic::rounds::host::{self, HostWalk, Wanted};
use crate::symbolic::rounds::liveness::live_words;
use crate::symbolic::symbols::Symbols;

/// A program walked over symbols: its counts and costs, no claim judged yet.
pub(crate) struct Walked<'p> {
    /// What was derived.
    pub(crate) derivation: Derivation,
    /// What parameters stand for.
    pub(crate) symbols: Symbols<'p>,
    /// What is known of them.
    pub(crate) facts: Facts,
}

/// How far a walk goes.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// The work in all at most: what that does not do is bounded.
    pub(crate) most_work: u64,
    /// What is told of what was counted.
    pub(crate) tells: Tells,
}

/// What is told of what was counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tells {
    /// The counts, and short bounds of exact totals.
    Counts,
    /// Short bounds of all long forms too.
    Bounds,
    /// Classes too.
    Classes,
}

impl Extent {
    /// All that there is to tell.
    pub(crate) const EVERYTHING: Extent = Extent {
        most_work: u64::MAX,
        tells: Tells::Classes,
    };

    /// All that is counted, without what makes long formulas easier to read.
    pub(crate) const COUNTS: Extent = Extent {
        tells: Tells::Counts,
        ..Extent::EVERYTHING
    };

    /// That, and short bounds.
    pub(crate) const BOUNDS: Extent = Extent {
        tells: Tells::Bounds,
        ..Extent::EVERYTHING
    };
}

/// Walks a program over symbols. Parameters stay symbols, but for those `given`. Every form has a value wherever the
/// program runs.
pub(crate) fn walked<'p>(
    program: &'p Program,
    given: &Parameters,
    charging: Charging<'_>,
    extent: Extent,
) -> Walked<'p> {
    let mut walked = counted(program, given, charging, extent);
    let Walked {
        derivation,
        symbols,
        facts,
    } = &mut walked;
    make_total(program, symbols, facts, derivation);
    walked
}

/// As [`walked`], with the forms as they were found.
fn counted<'p>(
    program: &'p Program,
    given: &Parameters,
    charging: Charging<'_>,
    extent: Extent,
) -> Walked<'p> {
    let mut symbols = Symbols::new(program);
    let mut facts = known_facts(program, given, &mut symbols);
    facts.limit_in_all(extent.most_work);
    let names = header_lets(program, &mut symbols, &mut facts);
    let width = symbol_of(program, program.machine.b);
    let plain = PlainBounds::new(&names, width);
    let has_bounds = extent.tells >= Tells::Bounds;
    let of_rounds = has_bounds.then_some(&plain);
    let mut losses = Vec::new();
    let mut walk = HostWalk::new(program, &mut symbols, &mut losses, Wanted::Counts);
    walk.charging = charging;
    let mut derivation = match host::of_program(&mut walk, &facts) {
        Ok(list) => {
            let live = live_words(&walk, &list, &facts);
            assemble(&walk, &list, &live, of_rounds, &facts)
        }
        Err(no_rounds) => {
            walk.losses.clear();
            walk.bounded = true;
            let list = host::of_program(&mut walk, &facts);
            walk.losses.push(no_rounds.loss());
            match list {
                Ok(list) => {
                    let live = live_words(&walk, &list, &facts);
                    assemble(&walk, &list, &live, of_rounds, &facts)
                }
                Err(_) => nothing_derived(program, walk.losses),
            }
        }
    };
    let letters = settled_letters(program, given);
    settle_letters(&letters, &mut derivation);
    derivation.names = names;
    let (values, others) = Values::of(program, given);
    let open = values.may_hide_forms(&derivation).then(|| {
        let tells = extent.tells.min(Tells::Bounds);
        let charging = Charging {
            cycle_rules: None,
            ..charging
        };
        counted(program, &others, charging, Extent { tells, ..extent })
    });
    if let Some(open) = &open
        && values.take_over(&mut derivation, &open.derivation, &facts)
    {
        let used = open.facts.used_conditions().into_iter();
        facts.cite(used.map(|cond| Facts::new().simplify_cond(&values.put_into_cond(&cond))));
    }
    if let Some(closer) = has_bounds.then(|| plain.closer_time(&derivation, &facts)) {
        let time = &mut derivation.totals.time;
        time.upper = closer.or(time.upper.take());
    }
    if has_bounds {
        let offered = open.map(|open| values.bounds(&derivation, &open, &facts));
        let offered = offered.unwrap_or_default();
        let settled = |cost: &Expr| settle(&letters, cost);
        plain.bound_totals(&mut derivation, &offered, &settled, &facts);
    } else {
        plain.bound_exact_totals(&mut derivation, &facts);
    }
    if extent.tells >= Tells::Classes {
        derivation.classes = classes(program, &derivation, &[], &facts);
    }
    Walked {
        derivation,
        symbols,
        facts,
    }
}

/// The words of shared and of global memory that a program needs (max m, max g), as far as they have a
/// form; nothing else is counted.
pub(crate) fn memory(program: &Program, given: &Parameters) -> [Option<Expr>; 2] {
    let mut symbols = Symbols::new(program);
    let mut facts = known_facts(program, given, &mut symbols);
    header_lets(program, &mut symbols, &mut facts);
    let mut losses = Vec::new();
    let mut walk = HostWalk::new(program, &mut symbols, &mut losses, Wanted::Memory);
    let Ok(list) = host::of_program(&mut walk, &facts) else {
        return [None, None];
    };
    let live = live_words(&walk, &list, &facts);
    totals::memory(&list, &live, &facts).map(|amount| amount.quantity(&facts).upper)
}
