//! Rounds in order (language.md §4.3), written in the variables of the host loops around them.
//!
//! [`crate::symbolic::rounds::host`] finds them; what is summed or compared over rounds goes through [`Entry`].

use crate::count::{HostPart, Inexact, Traffic};
use crate::derivation::{self, Neighbour};
use crate::program::VarId;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::suppose_range;
use crate::symbolic::kernel::{Affected, KernelCount, Loss};
use crate::symbolic::symbols::Untranslatable;
use crate::text::Span;

/// What may be tried to find out whether a host loop runs.
const WORK_OF_RUNNING: u64 = 2_000;

/// A host loop around a round.
#[derive(Debug, Clone)]
pub(crate) struct HostLoop {
    /// Its variable.
    pub(crate) symbol: Symbol,
    /// The smaller end.
    pub(crate) low: Expr,
    /// The larger end.
    pub(crate) high: Expr,
    /// Whether it counts down: its first iteration is at `high`.
    pub(crate) down: bool,
    /// What ends it before its last iteration.
    pub(crate) by_data: Option<ByData>,
    /// The condition that it runs at all: that its range as written is not empty. An `until` cuts the range, but never
    /// makes it empty, and `1 → n div 13` asks less than `1 → min(3, n div 13)`.
    pub(crate) runs: Cond,
}

/// What data may end, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ByData {
    /// A host `while`, a loop of 1 to `at most`: no iteration need happen.
    While(Span),
    /// A host `for … until`: the first iteration happens.
    Until(Span),
}

impl Transferred {
    /// The same statement with something else made of what it moves.
    pub(crate) fn with(&self, change: &dyn Fn(&Traffic<Amount>) -> Traffic<Amount>) -> Transferred {
        Transferred {
            span: self.span,
            traffic: change(&self.traffic),
        }
    }
}

impl HostLoop {
    pub(crate) fn first(&self) -> &Expr {
        if self.down { &self.high } else { &self.low }
    }

    pub(crate) fn last(&self) -> &Expr {
        if self.down { &self.low } else { &self.high }
    }

    /// What is certain of a sum over iterations, or of the largest of them, that data may end: the
    /// first iteration, where there is one.
    pub(crate) fn at_least(&self, of_each: &Expr, facts: &Facts) -> Expr {
        match self.by_data {
            Some(ByData::Until(_)) => {
                let first = of_each.substitute(&self.symbol, self.first());
                facts.simplify(&(&first * Expr::bracket(self.runs.clone())))
            }
            Some(ByData::While(_)) | None => Expr::zero(),
        }
    }

    /// Whether it is a host `while`.
    pub(crate) fn is_while(&self) -> bool {
        matches!(self.by_data, Some(ByData::While(_)))
    }

    /// Whether it does, as far as is known, whatever was spent on what kernels cost: all rounds hang on it.
    pub(crate) fn does_run(&self, facts: &Facts) -> Option<bool> {
        facts.with_work(WORK_OF_RUNNING).prove(&self.runs)
    }
}

/// A global variable touched in a round.
#[derive(Debug, Clone)]
pub(crate) struct Touch {
    /// The variable.
    pub(crate) variable: VarId,
    /// Whether it is written.
    pub(crate) writes: bool,
    /// The loops around it in whose first (or, where the flag is set, last) iteration alone it is.
    pub(crate) pins: Vec<(Symbol, bool)>,
    /// That the loops of transfers run at all of which it is what all iterations touch.
    pub(crate) only_if: Vec<Cond>,
}

/// A round, or a part of one, in the variables of the host loops around it.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// I and Î.
    pub(crate) inward: Traffic<Amount>,
    /// O and Ô.
    pub(crate) outward: Traffic<Amount>,
    /// The statements that these come from, in order.
    pub(crate) transfers: Vec<Transferred>,
    /// What it launches.
    pub(crate) kernel: Option<Launched>,
    /// Where it may be no round by itself: then it launches nothing.
    pub(crate) joined: Option<Joined>,
    /// What it touches of global memory.
    pub(crate) touches: Vec<Touch>,
    /// Its first statement.
    pub(crate) span: Span,
}

/// How transfers that stand by themselves are part of another round.
#[derive(Debug, Clone)]
pub(crate) struct Joined {
    /// Of which.
    pub(crate) with: Neighbour,
    /// Where they are a round all the same, in the variables of the host loops.
    pub(crate) alone: Cond,
    /// Whether that is certain; otherwise it is so at most there.
    pub(crate) is_exact: bool,
}

impl Joined {
    /// As the result has it, without the turn of a `while`: none has a name for it.
    fn shown(&self, loops: &[HostLoop]) -> derivation::Joined {
        let told = self.alone.symbols();
        let mut whiles = loops.iter().filter(|repeated| repeated.is_while());
        let is_untold = whiles.any(|repeated| told.contains(&repeated.symbol));
        derivation::Joined {
            with: self.with,
            alone: if is_untold {
                Cond::True
            } else {
                self.alone.clone()
            },
            is_exact: self.is_exact && !is_untold,
        }
    }
}

/// What one transfer statement moves in a round.
#[derive(Debug, Clone)]
pub(crate) struct Transferred {
    /// The statement.
    pub(crate) span: Span,
    /// Its words and transactions.
    pub(crate) traffic: Traffic<Amount>,
}

/// A kernel as a round launches it.
#[derive(Debug, Clone)]
pub(crate) struct Launched {
    /// The line that opens it.
    pub(crate) span: Span,
    /// Its counts.
    pub(crate) count: KernelCount,
    /// m
    pub(crate) shared_words: Expr,
    /// The `execute` that led to it.
    pub(crate) from: Option<Span>,
}

/// Rounds in order; a loop holds those of one iteration.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// One round.
    Round(Box<Part>),
    /// The rounds of every iteration.
    Loop(HostLoop, Vec<Item>),
}

/// A round with the loops around it, outermost first.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The parameters it is about, where a host loop runs at all for some only.
    pub(crate) when: Cond,
    /// The host loops around it.
    pub(crate) loops: Vec<HostLoop>,
    /// The round.
    pub(crate) part: Part,
}

/// Why the rounds of a program have no symbolic form.
#[derive(Debug, Clone)]
pub(crate) struct NoRounds {
    /// Where.
    pub(crate) span: Span,
    /// Why.
    pub(crate) why: Inexact,
    /// Whether a loop runs at all, where that is all that is missing.
    pub(crate) undecided: Option<Box<Cond>>,
}

impl NoRounds {
    /// Because a part of the host has no form.
    pub(crate) fn of(part: HostPart, why: Untranslatable) -> Self {
        NoRounds {
            span: why.span(),
            why: Inexact::Host(part, why.formless()),
            undecided: None,
        }
    }

    /// As a loss that touches everything.
    pub(crate) fn loss(self) -> Loss {
        Loss {
            affected: Affected::Rounds,
            span: self.span,
            why: self.why,
        }
    }
}

/// All rounds in order, each with its loops.
pub(crate) fn entries(items: Vec<Item>) -> Vec<Entry> {
    fn flatten(items: Vec<Item>, loops: &mut Vec<HostLoop>, entries: &mut Vec<Entry>) {
        for item in items {
            match item {
                Item::Round(part) => entries.push(Entry {
                    when: Cond::True,
                    loops: loops.clone(),
                    part: *part,
                }),
                Item::Loop(repeated, inside) => {
                    loops.push(repeated);
                    flatten(inside, loops, entries);
                    loops.pop();
                }
            }
        }
    }
    let mut list = Vec::new();
    flatten(items, &mut Vec::new(), &mut list);
    list
}

impl Entry {
    /// What is known outside each of its loops, outermost first, and at last inside all of them.
    pub(crate) fn known(&self, outer: &Facts) -> Vec<Facts> {
        let mut known = vec![self.case(outer)];
        for repeated in &self.loops {
            let mut inner = known[known.len() - 1].clone();
            suppose_range(&mut inner, &repeated.symbol, &repeated.low, &repeated.high);
            known.push(inner);
        }
        known
    }

    /// What is known of the parameters it is about.
    pub(crate) fn case(&self, outer: &Facts) -> Facts {
        let mut facts = outer.clone();
        facts.suppose(&self.when);
        facts
    }

    /// An amount for the parameters it is about, 0 for all others.
    pub(crate) fn in_case(&self, amount: &Amount) -> Amount {
        match &self.when {
            Cond::True => amount.clone(),
            when => amount.times(&Amount::exact(Expr::bracket(when.clone()))),
        }
    }

    /// What is known inside its loops.
    pub(crate) fn facts(&self, outer: &Facts) -> Facts {
        self.known(outer).swap_remove(self.loops.len())
    }

    /// Σ of an amount over all its iterations.
    pub(crate) fn over_iterations(&self, amount: &Amount, outer: &Facts) -> Amount {
        let known = self.known(outer);
        let loops = self.loops.iter().zip(&known).rev();
        let sum = loops.fold(amount.clone(), |once, (repeated, known)| {
            let sum = once.sum(known, &repeated.symbol, &repeated.low, &repeated.high);
            match repeated.by_data {
                None => sum,
                Some(_) => Amount {
                    lower: repeated.at_least(&once.lower, known),
                    upper: sum.upper,
                },
            }
        });
        self.in_case(&sum)
    }

    /// How many rounds it stands for.
    pub(crate) fn rounds(&self, outer: &Facts) -> Amount {
        let each = self.part.joined.as_ref();
        let each = each.map_or(Amount::of(1), |joined| {
            let alone = Amount::exact(Expr::bracket(joined.alone.clone()));
            if joined.is_exact {
                alone
            } else {
                alone.or_nothing()
            }
        });
        self.over_iterations(&each, outer)
    }

    /// Of which round it may be part, as the result has it.
    pub(crate) fn joined(&self) -> Option<derivation::Joined> {
        let joined = self.part.joined.as_ref();
        joined.map(|joined| joined.shown(&self.loops))
    }

    /// How many loops stand around both.
    pub(crate) fn shared_loops(&self, other: &Entry) -> usize {
        let is_same = |(one, another): &(&HostLoop, &HostLoop)| {
            let ends =
                |it: &HostLoop| (it.symbol.clone(), it.low.clone(), it.high.clone(), it.down);
            ends(one) == ends(another)
        };
        self.loops
            .iter()
            .zip(&other.loops)
            .take_while(is_same)
            .count()
    }

    /// How many rounds it stands for in the first iteration of so many of its loops.
    pub(crate) fn rounds_in_first(&self, loops: usize, outer: &Facts) -> Amount {
        let (pinned, inner) = self.loops.split_at(loops);
        let mut first = Entry {
            loops: inner.to_vec(),
            ..self.clone()
        };
        for repeated in pinned.iter().rev() {
            let at = |end: &Expr| end.substitute(&repeated.symbol, repeated.first());
            for inside in &mut first.loops {
                inside.low = at(&inside.low);
                inside.high = at(&inside.high);
                inside.runs = inside.runs.map(&at);
            }
            if let Some(joined) = &mut first.part.joined {
                joined.alone = joined.alone.map(&at);
            }
        }
        first.rounds(outer)
    }

    /// Whether one of its loops certainly does not run at all.
    pub(crate) fn never_runs(&self, outer: &Facts) -> bool {
        let mut loops = self.loops.iter().zip(self.known(outer));
        loops.any(|(repeated, known)| repeated.does_run(&known) == Some(false))
    }

    /// Whether its outermost loop that may not run at all runs, or one of transfers in it; `None` where all run
    /// for certain or certainly not, but for what data decide.
    pub(crate) fn may_not_run(&self, outer: &Facts) -> Option<Cond> {
        let loops = self.loops.iter().zip(self.known(outer));
        let mut for_loops = loops.filter(|(repeated, _)| repeated.by_data.is_none());
        let of_loops = for_loops.find_map(|(repeated, known)| {
            (repeated.does_run(&known) != Some(true)).then(|| repeated.runs.clone())
        });
        of_loops.or_else(|| {
            let mut needed = self.part.touches.iter().flat_map(|touch| &touch.only_if);
            let is_open = |runs: &&Cond| self.facts(outer).prove(runs).is_none();
            needed.find(is_open).cloned()
        })
    }
}
