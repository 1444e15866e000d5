//! The walk over host statements: transfers, kernels, loops and named kernels into rounds
//! (language.md §4.3), with host loops kept as loops. Where it depends on the parameters whether a
//! loop that meets a transfer runs at all, both cases are walked.

use crate::count::{HostPart, Inexact, Traffic};
use crate::derivation::letters::symbol_of;
use crate::program::{
    Direction, Execute, Extent, HostFor, HostStmt, HostWhile, Kernel, Program, Transfer, VarId,
};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::around::{at_least_zero, suppose_range};
use crate::symbolic::data::Known;
use crate::symbolic::entry::{
    ByData, Entry, HostLoop, Item, Launched, NoRounds, Part, Touch, Transferred, entries,
};
use crate::symbolic::kernel::{Affected, Charging, KernelCount, Loss, Walk};
use crate::symbolic::rounds::merge::Merge;
use crate::symbolic::rounds::nested::cut_to_rounds;
use crate::symbolic::rounds::parity;
use crate::symbolic::symbols::{Symbols, Untranslatable};
use crate::symbolic::until::{self, Left};
use crate::text::Span;

/// How much may be tried for one kernel.
const WORK_OF_A_KERNEL: u64 = 240_000;
/// How much kernels leave to what is around them and to the totals.
const LEFT_BY_KERNELS: u64 = 160_000;

/// How many loops that may not run at all are told apart.
const MOST_CASES: u32 = 3;

/// All rounds of a program in order. Where it depends on the parameters whether a loop that meets a
/// transfer runs at all, its rounds with the loop come first and those without it behind, each for
/// the parameters they are about.
pub(crate) fn of_program(
    walk: &mut HostWalk<'_, '_>,
    facts: &Facts,
) -> Result<Vec<Entry>, NoRounds> {
    let mut rounds = by_cases(walk, facts, MOST_CASES)?;
    if walk.bounded {
        // Around a loop that does not run others meet than are next to each other here.
        for entry in &mut rounds {
            entry.part.may_be_joined();
        }
    }
    // What decided nothing by itself may contradict the case that it stands in.
    rounds.retain(|entry| {
        entry.when == Cond::True || facts.simplify_cond(&entry.when) != Cond::False
    });
    Ok(rounds)
}

fn by_cases(walk: &mut HostWalk<'_, '_>, facts: &Facts, left: u32) -> Result<Vec<Entry>, NoRounds> {
    let losses = walk.losses.len();
    let no_rounds = match undecided(walk, facts) {
        Some(no_rounds) => no_rounds,
        None => match walk.items(&walk.program.body, facts) {
            Ok(items) => return Ok(entries(items)),
            Err(no_rounds) => no_rounds,
        },
    };
    let Some(runs) = no_rounds
        .undecided
        .as_deref()
        .cloned()
        .filter(|runs| left > 0 && is_about_parameters(walk.program, runs))
    else {
        return Err(no_rounds);
    };
    walk.losses.truncate(losses);
    let mut list = Vec::new();
    for case in [runs.clone(), runs.not()] {
        let mut inner = facts.clone();
        inner.suppose(&case);
        for mut entry in by_cases(walk, &inner, left - 1)? {
            entry.when = Cond::and(vec![case.clone(), entry.when]);
            list.push(entry);
        }
    }
    Ok(list)
}

/// What must be told apart before anything is counted: it does not hang on what kernels cost.
fn undecided(walk: &mut HostWalk<'_, '_>, facts: &Facts) -> Option<NoRounds> {
    if walk.wanted == Wanted::Memory {
        return None;
    }
    let losses = walk.losses.len();
    walk.wanted = Wanted::Memory;
    let outline = walk.items(&walk.program.body, facts);
    walk.wanted = Wanted::Counts;
    walk.losses.truncate(losses);
    outline.err().filter(|found| found.undecided.is_some())
}

/// Whether a condition speaks of nothing but formals and the machine, so that it is the same in all
/// rounds.
pub(crate) fn is_about_parameters(program: &Program, cond: &Cond) -> bool {
    let machine = program.machine;
    let outside = program
        .formals
        .iter()
        .copied()
        .chain([machine.p, machine.b, machine.m, machine.g]);
    let outside: Vec<Symbol> = outside.map(|id| symbol_of(program, id)).collect();
    cond.symbols().iter().all(|symbol| outside.contains(symbol))
}

/// What a walk is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Everything that is counted.
    Counts,
    /// Only the rounds and the memory they need: kernels count nothing.
    Memory,
}

/// The walk over the host.
pub(crate) struct HostWalk<'w, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) symbols: &'w mut Symbols<'p>,
    pub(crate) losses: &'w mut Vec<Loss>,
    executing: Option<Span>,
    /// What is charged besides operations.
    pub(crate) charging: Charging<'w>,
    /// The variables of the host loops around, outermost first.
    host_variables: Vec<Symbol>,
    /// What it is for.
    wanted: Wanted,
    /// Whether the number of rounds may be a bound where it depends on loops that may not run at all.
    pub(crate) bounded: bool,
}

impl<'w, 'p> HostWalk<'w, 'p> {
    /// Before the first statement, on no machine that charges for cycles.
    pub(crate) fn new(
        program: &'p Program,
        symbols: &'w mut Symbols<'p>,
        losses: &'w mut Vec<Loss>,
        wanted: Wanted,
    ) -> HostWalk<'w, 'p> {
        HostWalk {
            program,
            symbols,
            losses,
            executing: None,
            charging: Charging::default(),
            host_variables: Vec::new(),
            wanted,
            bounded: false,
        }
    }

    /// The rounds of a list of statements.
    pub(crate) fn items(
        &mut self,
        body: &'p [HostStmt],
        facts: &Facts,
    ) -> Result<Vec<Item>, NoRounds> {
        let mut items = Vec::new();
        for statement in body {
            for item in self.statement(statement, facts)? {
                self.merge(facts).push(&mut items, item)?;
            }
        }
        Ok(items)
    }

    fn merge<'f>(&self, facts: &'f Facts) -> Merge<'f> {
        Merge {
            facts,
            bounded: self.bounded,
        }
    }

    fn statement(&mut self, statement: &'p HostStmt, facts: &Facts) -> Result<Vec<Item>, NoRounds> {
        match statement {
            HostStmt::Transfer(transfer) => {
                let part = self
                    .transfer(transfer, facts)
                    .map_err(|why| NoRounds::of(HostPart::Transfer, why))?;
                Ok(vec![Item::Round(Box::new(part))])
            }
            HostStmt::Kernel(kernel) => {
                Ok(vec![Item::Round(Box::new(self.kernel(kernel, facts)?))])
            }
            HostStmt::For(host_for) => self.host_for(host_for, facts),
            HostStmt::While(host_while) => self.host_while(host_while, facts),
            HostStmt::Let(binding) => {
                let value = self
                    .symbols
                    .expr(&binding.value)
                    .map(|value| facts.simplify(&value));
                self.symbols.bind(binding.parameter, value);
                Ok(Vec::new())
            }
            HostStmt::Swap(_) => Ok(Vec::new()),
            HostStmt::Execute(execute) => self.execute(execute, facts),
        }
    }

    fn execute(&mut self, execute: &'p Execute, facts: &Facts) -> Result<Vec<Item>, NoRounds> {
        for argument in &execute.arguments {
            let value = self
                .symbols
                .expr(&argument.value)
                .map(|value| facts.simplify(&value));
            self.symbols.bind(argument.parameter, value);
        }
        let outer = self.executing.replace(execute.span);
        let items = self.items(&execute.body, facts);
        self.executing = outer;
        items
    }

    fn transfer(&mut self, transfer: &Transfer, facts: &Facts) -> Result<Part, Untranslatable> {
        // Both sides have the same number of words; a whole variable says it most plainly.
        let region = if transfer.host.is_whole() {
            &transfer.host
        } else {
            &transfer.global
        };
        let mut words = Expr::one();
        let dimensions = &self.program.variable(region.variable).dimensions;
        for (extent, dimension) in region.extents.iter().zip(dimensions) {
            let length = match extent {
                Extent::All => self.symbols.expr(dimension)?,
                Extent::At(_) => Expr::one(),
                Extent::Range(low, high) => {
                    let length = self.symbols.expr(high)? - self.symbols.expr(low)? + 1;
                    at_least_zero(facts, &facts.simplify(&length))
                }
            };
            words = &words * &length;
        }
        let traffic = Traffic {
            words: Amount::exact(facts.simplify(&words)),
            transactions: Amount::of(1),
        };
        let mut part = Part::empty(transfer.span);
        let inward = transfer.direction == Direction::Inward;
        part.touches.push(Touch {
            variable: transfer.global.variable,
            writes: inward,
            pins: Vec::new(),
            only_if: Vec::new(),
        });
        part.transfers.push(Transferred {
            span: transfer.span,
            traffic: traffic.clone(),
        });
        match transfer.direction {
            Direction::Inward => part.inward = traffic,
            Direction::Outward => part.outward = traffic,
        }
        Ok(part)
    }

    fn kernel(&mut self, kernel: &'p Kernel, facts: &Facts) -> Result<Part, NoRounds> {
        let mut part = Part::empty(kernel.span);
        for &variable in &kernel.names_global {
            let writes = kernel.writes_global.contains(&variable);
            part.touches.push(Touch {
                variable,
                writes,
                pins: Vec::new(),
                only_if: Vec::new(),
            });
        }
        let failed = |why| NoRounds::of(HostPart::Kernel, why);
        facts.allow_leaving(WORK_OF_A_KERNEL, LEFT_BY_KERNELS);
        let mut shared_words = Expr::zero();
        for &variable in &kernel.names_shared {
            shared_words = &shared_words + self.size(variable).map_err(failed)?;
        }
        let count = match self.wanted {
            Wanted::Memory => KernelCount::nothing(),
            Wanted::Counts => {
                let known = Known::new(self.program, self.symbols);
                let mut walk = Walk::new(known, self.charging, self.losses);
                parity::count(&mut walk, kernel, facts, &self.host_variables).map_err(failed)?
            }
        };
        let shared_words = facts.simplify(&shared_words);
        part.kernel = Some(Launched {
            span: kernel.span,
            count,
            shared_words,
            from: self.executing,
        });
        Ok(part)
    }

    /// The words of a variable.
    pub(crate) fn size(&self, variable: VarId) -> Result<Expr, Untranslatable> {
        let dimensions = &self.program.variable(variable).dimensions;
        dimensions.iter().try_fold(Expr::one(), |words, extent| {
            Ok(&words * self.symbols.expr(extent)?)
        })
    }

    /// A bound: at most so many iterations, each with its rounds to itself, so that no fewer rounds
    /// are counted than can happen.
    fn host_while(
        &mut self,
        host_while: &'p HostWhile,
        facts: &Facts,
    ) -> Result<Vec<Item>, NoRounds> {
        let bound = self.symbols.expr(&host_while.at_most);
        let bound = bound.map_err(|why| NoRounds::of(HostPart::While, why))?;
        let high = at_least_zero(facts, &facts.simplify(&bound));
        self.losses.push(Loss {
            affected: Affected::Rounds,
            span: host_while.span,
            why: Inexact::HostWhile,
        });
        let repeated = HostLoop {
            symbol: self.symbols.fresh("turn"),
            low: Expr::one(),
            runs: Cond::ge(&high, &Expr::one()),
            high,
            down: false,
            by_data: Some(ByData::While(host_while.span)),
        };
        let mut inner = facts.clone();
        suppose_range(&mut inner, &repeated.symbol, &repeated.low, &repeated.high);
        let items = self.items(&host_while.body, &inner)?;
        self.around(repeated, items, &inner)
    }

    fn host_for(&mut self, host_for: &'p HostFor, facts: &Facts) -> Result<Vec<Item>, NoRounds> {
        let ends = self
            .symbols
            .expr(&host_for.from)
            .and_then(|from| Ok((from, self.symbols.expr(&host_for.to)?)));
        let (from, to) = ends.map_err(|why| NoRounds::of(HostPart::For, why))?;
        let (low, high) = if host_for.down {
            (to, from)
        } else {
            (from, to)
        };
        let (mut low, mut high) = (facts.simplify(&low), facts.simplify(&high));
        if facts.prove(&Cond::lt(&high, &low)) == Some(true) {
            return Ok(Vec::new());
        }
        let symbol = self.symbols.bind_symbol(host_for.variable);
        let runs = Cond::ge(&high, &low);
        let mut by_data = None;
        if let Some(until) = &host_for.until {
            let condition = self.symbols.condition(until).ok();
            let range = (&symbol, &low, &high, host_for.down);
            match until::left(condition.as_ref(), range, facts) {
                Left::Last => {}
                Left::First if host_for.down => low = high.clone(),
                Left::First => high = low.clone(),
                Left::At(number) if host_for.down => low = number,
                Left::At(number) => high = number,
                Left::Sometime => {
                    by_data = Some(ByData::Until(host_for.span));
                    self.losses.push(Loss {
                        affected: Affected::Rounds,
                        span: host_for.span,
                        why: Inexact::HostUntil,
                    });
                }
            }
        }
        let mut inner = facts.clone();
        suppose_range(&mut inner, &symbol, &low, &high);
        self.host_variables.push(symbol.clone());
        let items = self.items(&host_for.body, &inner);
        self.host_variables.pop();
        let items = items?;
        let mut repeated = HostLoop {
            symbol,
            low,
            high,
            down: host_for.down,
            by_data,
            runs,
        };
        match &items[..] {
            [Item::Round(part)]
                if by_data.is_none() && (part.only_inward() || part.only_outward()) =>
            {
                let round = self.at_once(&repeated, part, facts)?;
                Ok(vec![Item::Round(Box::new(round))])
            }
            _ => {
                cut_to_rounds(&mut repeated, &items, [facts, &inner]);
                suppose_range(&mut inner, &repeated.symbol, &repeated.low, &repeated.high);
                self.around(repeated, items, &inner)
            }
        }
    }

    /// A loop around the rounds of its body; what is known speaks of its variable.
    fn around(
        &self,
        repeated: HostLoop,
        mut items: Vec<Item>,
        inner: &Facts,
    ) -> Result<Vec<Item>, NoRounds> {
        self.merge(inner).close(&repeated, &mut items)?;
        Ok(if items.is_empty() {
            Vec::new()
        } else {
            vec![Item::Loop(repeated, items)]
        })
    }

    /// All iterations of a loop of transfers in one direction: they are in one round.
    fn at_once(&self, repeated: &HostLoop, part: &Part, facts: &Facts) -> Result<Part, NoRounds> {
        let sum =
            |amount: &Amount| amount.sum(facts, &repeated.symbol, &repeated.low, &repeated.high);
        let traffic = |side: &Traffic<Amount>| Traffic {
            words: sum(&side.words),
            transactions: sum(&side.transactions),
        };
        let transfers = part.transfers.iter().map(|each| each.with(&traffic));
        let mut all = Part {
            inward: traffic(&part.inward),
            outward: traffic(&part.outward),
            transfers: transfers.collect(),
            ..part.clone()
        };
        if repeated.does_run(facts) != Some(true) {
            if !self.bounded {
                return Err(NoRounds {
                    undecided: Some(Box::new(repeated.runs.clone())),
                    span: part.span,
                    why: Inexact::LoopMayNotTransfer,
                });
            }
            all.may_be_joined();
            for touch in &mut all.touches {
                touch.only_if.push(repeated.runs.clone());
            }
        }
        Ok(all)
    }
}
