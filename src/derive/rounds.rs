//! Host statements into rounds (language.md §4.3), with host loops kept as loops.
//!
//! A round is a maximal run of inward transfers, one kernel, outward transfers. Concatenating two
//! stretches of host statements merges the round at the seam when the first has only come inward
//! or the second only goes outward; everything here follows from that one rule. A loop's body
//! becomes entries written in the loop's variable, and what meets its first or last iteration from
//! outside is added there under a bracket such as `[r = 1]`.

use std::collections::HashMap;

use crate::check::program::{
    Direction, Execute, Extent, HostFor, HostStmt, HostWhile, Kernel, Program, Region, Transfer,
    VarId,
};
use crate::count::Traffic;
use crate::derive::amount::Amount;
use crate::derive::kernel::{
    self, Affected, KernelCount, Loss, Walk, at_least_zero, suppose_range,
};
use crate::derive::symbols::{Symbols, Untranslatable};
use crate::machine::Tariff;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::text::Span;

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
    /// The line of a host `while`, which data may end before its bound: a loop of 1 to `at most`
    /// whose iterations may or may not happen.
    pub(crate) by_data: Option<Span>,
}

impl HostLoop {
    pub(crate) fn first(&self) -> &Expr {
        if self.down { &self.high } else { &self.low }
    }

    pub(crate) fn last(&self) -> &Expr {
        if self.down { &self.low } else { &self.high }
    }
}

/// In which iterations of the loops around it a round touches a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// In all.
    Always,
    /// In the first alone.
    First,
    /// In the last alone.
    Last,
}

/// A global variable touched in a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    /// The variable.
    pub(crate) variable: VarId,
    /// Whether it is written.
    pub(crate) writes: bool,
    /// In which iterations.
    pub(crate) when: When,
}

/// A round, or a part of one, in the variables of the host loops around it.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// I and Î.
    pub(crate) inward: Traffic<Amount>,
    /// O and Ô.
    pub(crate) outward: Traffic<Amount>,
    /// What it launches.
    pub(crate) kernel: Option<Launched>,
    /// What it touches of global memory.
    pub(crate) touches: Vec<Touch>,
    /// Its first statement.
    pub(crate) span: Span,
}

/// A kernel as a round launches it.
#[derive(Debug, Clone)]
pub(crate) struct Launched {
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
    pub(crate) reason: String,
    /// What would help.
    pub(crate) remedy: &'static str,
}

/// The walk over the host.
pub(crate) struct HostWalk<'w, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) symbols: &'w mut Symbols<'p>,
    pub(crate) losses: &'w mut Vec<Loss>,
    pub(crate) executing: Option<Span>,
    /// What a machine charges, where one is asked.
    pub(crate) tariff: Option<&'w Tariff>,
}

impl<'p> HostWalk<'_, 'p> {
    /// The rounds of a list of statements.
    pub(crate) fn items(
        &mut self,
        body: &'p [HostStmt],
        facts: &Facts,
    ) -> Result<Vec<Item>, NoRounds> {
        let mut items = Vec::new();
        for statement in body {
            for item in self.statement(statement, facts)? {
                push(&mut items, item, facts)?;
            }
        }
        Ok(items)
    }

    fn statement(&mut self, statement: &'p HostStmt, facts: &Facts) -> Result<Vec<Item>, NoRounds> {
        match statement {
            HostStmt::Transfer(transfer) => {
                let part = self
                    .transfer(transfer, facts)
                    .map_err(|why| untranslatable(why, "a transfer"))?;
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
        let is_whole = |region: &Region| {
            region
                .extents
                .iter()
                .all(|extent| matches!(extent, Extent::All))
        };
        let region = if is_whole(&transfer.host) {
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
                    let length = self
                        .symbols
                        .expr(high)?
                        .sub(&self.symbols.expr(low)?)
                        .add(&Expr::one());
                    at_least_zero(facts, &facts.simplify(&length))
                }
            };
            words = words.mul(&length);
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
            when: When::Always,
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
                when: When::Always,
            });
        }
        let failed = |why| untranslatable(why, "a kernel");
        let mut shared_words = Expr::zero();
        for &variable in &kernel.names_shared {
            shared_words = shared_words.add(&self.size(variable).map_err(failed)?);
        }
        let mut walk = Walk {
            program: self.program,
            symbols: self.symbols,
            losses: self.losses,
            ranges: HashMap::new(),
            cases: 0,
            mps: Vec::new(),
            tariff: self.tariff,
        };
        let account = facts.on_account();
        let count = kernel::count(&mut walk, kernel, &account).map_err(failed)?;
        facts.settle(&account);
        let shared_words = facts.simplify(&shared_words);
        part.kernel = Some(Launched {
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
            Ok(words.mul(&self.symbols.expr(extent)?))
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
        let bound = bound.map_err(|why| untranslatable(why, "the bound of a host loop"))?;
        let high = at_least_zero(facts, &facts.simplify(&bound));
        self.losses.push(Loss {
            affected: Affected::Execution,
            span: host_while.span,
            reason: "data decide how often the host `while` repeats".to_owned(),
            remedy: "a `for` with bounds over parameters is counted exactly".to_owned(),
        });
        let repeated = HostLoop {
            symbol: self.symbols.fresh("turn"),
            low: Expr::one(),
            high,
            down: false,
            by_data: Some(host_while.span),
        };
        let mut inner = facts.clone();
        suppose_range(&mut inner, &repeated.symbol, &repeated.low, &repeated.high);
        let items = self.items(&host_while.body, &inner)?;
        Ok(if items.is_empty() {
            Vec::new()
        } else {
            vec![Item::Loop(repeated, items)]
        })
    }

    fn host_for(&mut self, host_for: &'p HostFor, facts: &Facts) -> Result<Vec<Item>, NoRounds> {
        let ends = self
            .symbols
            .expr(&host_for.from)
            .and_then(|from| Ok((from, self.symbols.expr(&host_for.to)?)));
        let (from, to) = ends.map_err(|why| untranslatable(why, "a host loop"))?;
        let (low, high) = if host_for.down {
            (to, from)
        } else {
            (from, to)
        };
        let (low, high) = (facts.simplify(&low), facts.simplify(&high));
        if facts.prove(&Cond::lt(&high, &low)) == Some(true) {
            return Ok(Vec::new());
        }
        let symbol = self.symbols.bind_symbol(host_for.variable);
        let mut inner = facts.clone();
        suppose_range(&mut inner, &symbol, &low, &high);
        let items = self.items(&host_for.body, &inner)?;
        let repeated = HostLoop {
            symbol,
            low,
            high,
            down: host_for.down,
            by_data: None,
        };
        close(repeated, items, facts, host_for.span)
    }
}

/// A loop around the rounds of its body.
fn close(
    repeated: HostLoop,
    items: Vec<Item>,
    facts: &Facts,
    span: Span,
) -> Result<Vec<Item>, NoRounds> {
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        return Ok(Vec::new());
    };
    if let [Item::Round(part)] = &items[..]
        && (part.only_inward() || part.only_outward())
    {
        let sum =
            |amount: &Amount| amount.sum(facts, &repeated.symbol, &repeated.low, &repeated.high);
        let traffic = |side: &Traffic<Amount>| Traffic {
            words: sum(&side.words),
            transactions: sum(&side.transactions),
        };
        let (inward, outward) = (traffic(&part.inward), traffic(&part.outward));
        if facts.prove(&Cond::ge(&repeated.high, &repeated.low)) != Some(true) {
            return Err(NoRounds {
                span,
                reason: "whether this loop transfers anything at all depends on the parameters"
                    .to_owned(),
                remedy: "add a `require` that makes the loop run at least once",
            });
        }
        return Ok(vec![Item::Round(Box::new(Part {
            inward,
            outward,
            ..(**part).clone()
        }))]);
    }
    if meets(last, first) {
        return Err(NoRounds {
            span,
            reason: "a round of this loop stretches over two iterations".to_owned(),
            remedy: "begin the loop with its inward transfers and end it with its outward ones",
        });
    }
    Ok(vec![Item::Loop(repeated, items)])
}

/// Appends rounds, merging at the seam.
fn push(items: &mut Vec<Item>, next: Item, facts: &Facts) -> Result<(), NoRounds> {
    let Some(last) = items.last_mut() else {
        items.push(next);
        return Ok(());
    };
    if !meets(last, &next) {
        items.push(next);
        return Ok(());
    }
    match (last, next) {
        (Item::Round(before), Item::Round(after)) => before.absorb(*after),
        (Item::Round(before), Item::Loop(repeated, mut inside)) if before.only_inward() => {
            attach(&mut inside, before, &repeated, Seam::Front, facts)?;
            *items.last_mut().expect("there is a last item") = Item::Loop(repeated, inside);
        }
        (Item::Loop(repeated, inside), Item::Round(after)) if after.only_outward() => {
            let repeated = repeated.clone();
            attach(inside, &after, &repeated, Seam::Back, facts)?;
        }
        (Item::Round(_), next @ Item::Loop(..)) | (Item::Loop(..), next) => {
            return Err(NoRounds {
                span: first_of(&next).map_or(Span::default(), |part| part.span),
                reason: "a round stretches over the edge of a host loop".to_owned(),
                remedy: "begin the loop with its inward transfers and end it with its outward ones",
            });
        }
    }
    Ok(())
}

/// Which end of a loop a round outside it meets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seam {
    Front,
    Back,
}

/// Adds a round's transfers to the first or last round of a loop, in its first or last iteration.
fn attach(
    inside: &mut [Item],
    outer: &Part,
    repeated: &HostLoop,
    seam: Seam,
    facts: &Facts,
) -> Result<(), NoRounds> {
    if facts.prove(&Cond::ge(&repeated.high, &repeated.low)) != Some(true) {
        return Err(NoRounds {
            span: outer.span,
            reason: "whether the host loop here runs at all depends on the parameters".to_owned(),
            remedy: "add a `require` that makes the loop run at least once",
        });
    }
    let (end, item) = match seam {
        Seam::Front => (repeated.first(), inside.first_mut()),
        Seam::Back => (repeated.last(), inside.last_mut()),
    };
    let here = Amount::exact(Expr::bracket(Cond::eq(
        &Expr::symbol(&repeated.symbol),
        end,
    )));
    let scaled = |side: &Traffic<Amount>| Traffic {
        words: side.words.times(&here),
        transactions: side.transactions.times(&here),
    };
    let mut there = Part {
        inward: scaled(&outer.inward),
        outward: scaled(&outer.outward),
        ..outer.clone()
    };
    match item.expect("a loop without rounds is no item") {
        Item::Round(part) => {
            let when = if seam == Seam::Front {
                When::First
            } else {
                When::Last
            };
            for touch in &mut there.touches {
                touch.when = when;
            }
            part.add_transfers(&there);
            Ok(())
        }
        Item::Loop(inner, items) => {
            let inner = inner.clone();
            let mut known = facts.clone();
            suppose_range(&mut known, &repeated.symbol, &repeated.low, &repeated.high);
            attach(items, &there, &inner, seam, &known)
        }
    }
}

/// Whether the round at the end of one item goes on in the next. What a host `while` repeats never
/// does: whether it meets anything, data decide.
fn meets(before: &Item, after: &Item) -> bool {
    let (Some(before), Some(after)) = (last_of(before), first_of(after)) else {
        return false;
    };
    before.only_inward() || after.only_outward()
}

fn first_of(item: &Item) -> Option<&Part> {
    match item {
        Item::Round(part) => Some(part),
        Item::Loop(repeated, _) if repeated.by_data.is_some() => None,
        Item::Loop(_, items) => first_part(items),
    }
}

fn first_part(items: &[Item]) -> Option<&Part> {
    items.first().and_then(first_of)
}

fn last_of(item: &Item) -> Option<&Part> {
    match item {
        Item::Round(part) => Some(part),
        Item::Loop(repeated, _) if repeated.by_data.is_some() => None,
        Item::Loop(_, items) => items.last().and_then(last_of),
    }
}

/// All rounds in order, each with its loops.
pub(crate) fn entries(items: Vec<Item>) -> Vec<Entry> {
    fn flatten(items: Vec<Item>, loops: &mut Vec<HostLoop>, entries: &mut Vec<Entry>) {
        for item in items {
            match item {
                Item::Round(part) => entries.push(Entry {
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

fn untranslatable(why: Untranslatable, what: &str) -> NoRounds {
    NoRounds {
        span: why.span(),
        reason: why.reason(what),
        remedy: "sizes, ranges and bounds over parameters have a closed form",
    }
}

impl Part {
    fn empty(span: Span) -> Self {
        let nothing = || Traffic {
            words: Amount::zero(),
            transactions: Amount::zero(),
        };
        Part {
            inward: nothing(),
            outward: nothing(),
            kernel: None,
            touches: Vec::new(),
            span,
        }
    }

    /// Whether it has only come inward so far, so that anything may follow.
    pub(crate) fn only_inward(&self) -> bool {
        self.kernel.is_none() && self.outward.transactions.is_zero()
    }

    /// Whether it only goes outward, so that anything may precede.
    pub(crate) fn only_outward(&self) -> bool {
        self.kernel.is_none() && self.inward.transactions.is_zero()
    }

    /// Takes over what follows in the same round.
    fn absorb(&mut self, after: Part) {
        self.add_transfers(&after);
        self.kernel = self.kernel.take().or(after.kernel);
    }

    fn add_transfers(&mut self, other: &Part) {
        let add = |side: &mut Traffic<Amount>, more: &Traffic<Amount>| {
            side.words = side.words.plus(&more.words);
            side.transactions = side.transactions.plus(&more.transactions);
        };
        add(&mut self.inward, &other.inward);
        add(&mut self.outward, &other.outward);
        self.touches.extend(&other.touches);
    }
}

impl Entry {
    /// What is known outside each of its loops, outermost first, and at last inside all of them.
    pub(crate) fn known(&self, outer: &Facts) -> Vec<Facts> {
        let mut known = vec![outer.clone()];
        for repeated in &self.loops {
            let mut inner = known[known.len() - 1].clone();
            suppose_range(&mut inner, &repeated.symbol, &repeated.low, &repeated.high);
            known.push(inner);
        }
        known
    }

    /// What is known inside its loops.
    pub(crate) fn facts(&self, outer: &Facts) -> Facts {
        self.known(outer).swap_remove(self.loops.len())
    }

    /// Σ of an amount over all its iterations.
    pub(crate) fn over_iterations(&self, amount: &Amount, outer: &Facts) -> Amount {
        let known = self.known(outer);
        let loops = self.loops.iter().zip(&known).rev();
        loops.fold(amount.clone(), |sum, (repeated, known)| {
            let sum = sum.sum(known, &repeated.symbol, &repeated.low, &repeated.high);
            if repeated.by_data.is_some() {
                sum.or_nothing()
            } else {
                sum
            }
        })
    }

    /// How many rounds it stands for. Next to a host `while` a round of transfers alone may be part
    /// of another.
    pub(crate) fn rounds(&self, data_decide: bool, outer: &Facts) -> Amount {
        let count = self.over_iterations(&Amount::of(1), outer);
        if data_decide && self.part.kernel.is_none() {
            count.or_nothing()
        } else {
            count
        }
    }

    /// Whether it runs at least once for certain, but for what data decide.
    pub(crate) fn surely_runs(&self, outer: &Facts) -> bool {
        self.loops
            .iter()
            .zip(self.known(outer))
            .all(|(repeated, known)| {
                repeated.by_data.is_some()
                    || known.prove(&Cond::ge(&repeated.high, &repeated.low)) == Some(true)
            })
    }
}

/// Whether a host `while` stands around any of the rounds.
pub(crate) fn data_decide(entries: &[Entry]) -> bool {
    entries
        .iter()
        .flat_map(|entry| &entry.loops)
        .any(|repeated| repeated.by_data.is_some())
}

/// A loss for what has no rounds.
impl NoRounds {
    /// As a loss that touches everything.
    pub(crate) fn loss(&self) -> Loss {
        Loss {
            affected: Affected::Execution,
            span: self.span,
            reason: self.reason.clone(),
            remedy: self.remedy.to_owned(),
        }
    }
}
