//! From rounds to totals, cost and GPU-cost (paper 1, Expressions (1) and (2)).

use crate::count::Totals;
use crate::derivation::letters::{letter as letter_of, letter_expr};
use crate::derivation::{Coarse, shares};
use crate::program::CostSymbol;
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::amount::Amount;
use crate::symbolic::entry::{Entry, HostLoop};

/// How much may be tried for one total.
pub(crate) const WORK_OF_A_TOTAL: u64 = 30_000;

/// Totals and costs while they are being derived.
pub(crate) struct Sums {
    /// The totals of the JSON.
    pub(crate) totals: Totals<Amount>,
    /// Σ T_I + T_O
    pub(crate) transfer_cost: Amount,
    /// Expression (1)
    pub(crate) cost: Amount,
    /// Expression (2)
    pub(crate) gpu_cost: Amount,
    /// Coarse upper bounds on Σ q and both costs.
    pub(crate) coarse: Coarse<Amount>,
    /// An upper bound on Σ t·k/(k'ℓ), where waves are not rounded up, and the value of the letter ℓ in it.
    pub(crate) full_waves: (Amount, Expr),
    /// ℓ, where all rounds with a kernel share one.
    pub(crate) occupancy: Option<Expr>,
}

/// Sums over all rounds. `live` are the live words of each, `capacity` is M.
pub(crate) fn sums(entries: &[Entry], live: &[Amount], capacity: &Expr, facts: &Facts) -> Sums {
    let over =
        |view: &dyn Fn(&Entry) -> Amount| over_rounds(entries, view, |_| facts.clone(), facts);
    let largest = |view: &dyn Fn(usize, &Entry) -> Amount| largest(entries, view, facts);
    let launched =
        |entry: &Entry, view: &dyn Fn(&crate::symbolic::kernel::KernelCount) -> Amount| {
            entry
                .part
                .kernel
                .as_ref()
                .map_or_else(Amount::zero, |kernel| view(&kernel.count))
        };
    let time = |entry: &Entry| launched(entry, &|count| count.time.clone());
    let each = entries.iter().map(|entry| entry.rounds(facts));
    let rounds = each
        .fold(Amount::zero(), |sum, count| sum.plus(&count))
        .map(|end| facts.shorten(&facts.simplify(end)));
    let inward = over(&|entry| entry.part.inward.words.clone());
    let outward = over(&|entry| entry.part.outward.words.clone());
    // Summed apart: what meets the first iteration and what meets the last do not mix.
    let transactions = over(&|entry| entry.part.inward.transactions.clone())
        .plus(&over(&|entry| entry.part.outward.transactions.clone()));
    let totals = Totals {
        rounds: rounds.clone(),
        time: largest(&|_, entry| time(entry)),
        total_time: over(&time),
        io: over(&|entry| launched(entry, &|count| count.io.clone())),
        transfer: inward.plus(&outward),
        inward,
        outward,
        transactions,
        shared: largest(&|_, entry| shared_words(entry)),
        global: largest(&|at, _| live[at].clone()),
        bank_conflicts: over(&|entry| launched(entry, &|count| count.conflicts.clone())),
    };
    let blocks = if totals.io.is_short() {
        totals.io.clone().or_nothing()
    } else {
        coarse_blocks(entries, facts)
    };
    let occupancy = shared_occupancy(entries, capacity, facts);
    // ℓ = min(⌊M/m⌋, H) is a letter where all kernels need the same m, as in the paper. Where they differ each has its own
    // value in the sum.
    // A program whose kernels do not fit has no GPU-cost.
    let facts = &with_room(entries, capacity, facts);
    let of_entry = |entry: &Entry| with_room_for(entry, capacity, facts);
    let over = |view: &dyn Fn(&Entry) -> Amount| over_rounds(entries, view, of_entry, facts);
    let occupancy_of = |shared_words: &Expr| match &occupancy {
        Some(_) => letter_expr(CostSymbol::Occupancy),
        None => resident(shared_words, capacity, facts),
    };
    let waves = over(&|entry| match &entry.part.kernel {
        None => Amount::zero(),
        Some(kernel) => {
            let resident = occupancy_of(&kernel.shared_words);
            let each = kernel.count.launched.map(|k| shares::waves(k, &resident));
            each.times(&kernel.count.time)
        }
    });
    let transfer_cost = totals
        .transactions
        .times(&letter(CostSymbol::Alpha))
        .plus(&totals.transfer.times(&letter(CostSymbol::Beta)));
    let with = |operations: &Amount, blocks: &Amount| {
        cost_of([&transfer_cost, operations, blocks, &rounds])
    };
    let [cost, gpu_cost] = [&totals.total_time, &waves].map(|time| with(time, &totals.io));
    let least = least_occupancy(entries, capacity, facts);
    let letter = letter_expr(CostSymbol::Occupancy);
    let bounded = |more: u64| match &least {
        Some(_) => coarse_waves(entries, more, &|_| letter.clone(), facts),
        None => coarse_waves(entries, more, &occupancy_of, facts),
    };
    // Σ ⌈k/(k'ℓ)⌉·t has no short form where k changes from round to round. Two bounds do: with the ceiling left out
    // (`full_waves`, which needs a bound on the rounds beside it) and with one more wave a round in its place.
    let full_waves = bounded(0);
    let by_full_waves = bounded(1).map(|end| match &least {
        Some(least) => end.substitute(&letter_of(CostSymbol::Occupancy), least),
        None => end.clone(),
    });
    let [coarse_cost, coarse_gpu_cost, by_full_waves] =
        [&totals.total_time, &waves, &by_full_waves].map(|time| with(time, &blocks));
    Sums {
        coarse: Coarse {
            io: blocks,
            cost: coarse_cost,
            gpu_cost: coarse_gpu_cost,
            gpu_cost_by_full_waves: by_full_waves,
        },
        full_waves: (full_waves, least.unwrap_or(letter)),
        totals,
        transfer_cost,
        cost,
        gpu_cost,
        occupancy,
    }
}

fn letter(which: CostSymbol) -> Amount {
    Amount::exact(letter_expr(which))
}

/// A cost of what its transfers take, its operations, its blocks and its rounds.
pub(crate) fn cost_of([transfer, operations, blocks, rounds]: [&Amount; 4]) -> Amount {
    let rate = letter_expr(CostSymbol::Gamma);
    let kernels = operations
        .plus(&blocks.times(&letter(CostSymbol::Lambda)))
        .map(|end| end.div(&rate).expect("letters are not 0"));
    let synchronisation = rounds.times(&letter(CostSymbol::Sigma));
    transfer.plus(&kernels).plus(&synchronisation)
}

/// A coarse upper bound on Σ q.
fn coarse_blocks(entries: &[Entry], facts: &Facts) -> Amount {
    let facts = &facts.with_work(WORK_OF_A_TOTAL);
    let view = |entry: &Entry| {
        let kernel = entry.part.kernel.as_ref();
        let coarse = kernel.map_or_else(Amount::zero, |kernel| kernel.count.coarse.clone());
        rounded_up_in_loops(coarse, entry, facts)
    };
    over_rounds(entries, &view, |_| facts.clone(), facts)
}

/// A coarse upper bound on Σ t·(k/(k'ℓ) + `more`). With one more, a partial wave counts as a whole one.
/// `occupancy_of` gives ℓ for the shared words of a kernel.
fn coarse_waves(
    entries: &[Entry],
    more: u64,
    occupancy_of: &dyn Fn(&Expr) -> Expr,
    facts: &Facts,
) -> Amount {
    let facts = &facts.with_work(WORK_OF_A_TOTAL);
    let view = |entry: &Entry| {
        let Some(kernel) = &entry.part.kernel else {
            return Amount::zero();
        };
        let resident = occupancy_of(&kernel.shared_words);
        let [time, launched] = [&kernel.count.time, &kernel.count.launched]
            .map(|amount| rounded_up_in_loops(amount.clone(), entry, facts));
        let full = launched.map(|k| shares::full_waves(k, &resident));
        full.plus(&Amount::of(more)).times(&time)
    };
    over_rounds(entries, &view, |_| facts.clone(), facts)
}

/// What changes from round to round is rounded up before it is summed: that always closes.
fn rounded_up_in_loops(amount: Amount, entry: &Entry, facts: &Facts) -> Amount {
    let in_loop = |repeated: &HostLoop| amount.ends().any(|end| end.contains(&repeated.symbol));
    if entry.loops.iter().any(in_loop) {
        amount.rounded_up(&entry.facts(facts))
    } else {
        amount
    }
}

/// The words of shared and global memory needed, max m and max g. `live` are the live words of each
/// round.
pub(crate) fn memory(entries: &[Entry], live: &[Amount], facts: &Facts) -> [Amount; 2] {
    [
        largest(entries, &|_, entry| shared_words(entry), facts),
        largest(entries, &|at, _| live[at].clone(), facts),
    ]
}

fn shared_words(entry: &Entry) -> Amount {
    match &entry.part.kernel {
        Some(kernel) => Amount::exact(kernel.shared_words.clone()),
        None => Amount::zero(),
    }
}

/// The largest of all rounds. Entries about other parameters never meet: the largest of each case by
/// itself.
fn largest(entries: &[Entry], view: &dyn Fn(usize, &Entry) -> Amount, facts: &Facts) -> Amount {
    facts.allow(WORK_OF_A_TOTAL);
    let mut cases: Vec<(&Entry, Vec<Amount>)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let value = worst(&view(at, entry), entry, facts);
        match cases.last_mut() {
            Some((first, each)) if first.when == entry.when => each.push(value),
            Some(_) | None => cases.push((entry, vec![value])),
        }
    }
    let each = cases
        .into_iter()
        .map(|(entry, each)| entry.in_case(&maximum(each, &entry.case(facts))));
    each.fold(Amount::zero(), |sum, case| sum.plus(&case))
}

/// Σ over all rounds of what they are viewed as, each under its own facts.
fn over_rounds(
    entries: &[Entry],
    view: &dyn Fn(&Entry) -> Amount,
    of_entry: impl Fn(&Entry) -> Facts,
    facts: &Facts,
) -> Amount {
    facts.allow(WORK_OF_A_TOTAL);
    let terms = entries
        .iter()
        .map(|entry| entry.over_iterations(&view(entry), &of_entry(entry)));
    terms
        .fold(Amount::zero(), |sum, term| sum.plus(&term))
        .map(|end| facts.shorten(&facts.simplify(end)))
}

/// With M at least as large as what the kernels take of it, where that is the same in all rounds.
fn with_room(entries: &[Entry], capacity: &Expr, facts: &Facts) -> Facts {
    let always = entries.iter().filter(|entry| entry.when == Cond::True);
    always.fold(facts.clone(), |known, entry| {
        with_room_for(entry, capacity, &known)
    })
}

/// With M at least as large as what the kernel of an entry takes in each of its rounds.
fn with_room_for(entry: &Entry, capacity: &Expr, facts: &Facts) -> Facts {
    let mut known = facts.clone();
    if let Some(kernel) = &entry.part.kernel {
        let words = &kernel.shared_words;
        let in_loop = |repeated: &HostLoop| words.contains(&repeated.symbol);
        if !words.is_zero() && !entry.loops.iter().any(in_loop) {
            known.suppose(&Cond::ge(capacity, words));
        }
    }
    known
}

/// ℓ = min(⌊M/m⌋, H), and H when m = 0.
pub(crate) fn resident(shared_words: &Expr, capacity: &Expr, facts: &Facts) -> Expr {
    let most = letter_expr(CostSymbol::MaxResident);
    match capacity.div(shared_words) {
        Some(fitting) if !shared_words.is_zero() => {
            Expr::min(vec![facts.simplify(&fitting.floor()), most])
        }
        Some(_) | None => most,
    }
}

/// The occupancy that all rounds with a kernel share; `None` when they differ or there is none.
fn shared_occupancy(entries: &[Entry], capacity: &Expr, facts: &Facts) -> Option<Expr> {
    let mut words = entries
        .iter()
        .filter_map(|entry| entry.part.kernel.as_ref().map(|k| &k.shared_words));
    let first = words.next()?;
    words
        .all(|other| other == first)
        .then(|| resident(first, capacity, facts))
}

/// The smallest occupancy of rounds that do not share one: that of the kernel which provably takes most.
fn least_occupancy(entries: &[Entry], capacity: &Expr, facts: &Facts) -> Option<Expr> {
    let kernels = entries
        .iter()
        .filter_map(|entry| entry.part.kernel.as_ref());
    let mut each: Vec<&Expr> = kernels.map(|kernel| &kernel.shared_words).collect();
    each.dedup();
    let in_loop = |words: &&Expr| {
        let mut loops = entries.iter().flat_map(|entry| &entry.loops);
        loops.any(|repeated| words.contains(&repeated.symbol))
    };
    if each.len() < 2 || each.iter().any(in_loop) {
        return None;
    }
    let is_most = |most: &&&Expr| {
        let mut others = each.iter();
        others.all(|other| other == *most || facts.proves(&Cond::le(other, most)))
    };
    let most = each.iter().find(is_most)?;
    Some(resident(most, capacity, facts))
}

/// The largest value of an amount over the iterations of its loops; 0 where they are empty.
fn worst(amount: &Amount, entry: &Entry, facts: &Facts) -> Amount {
    let known = entry.known(facts);
    let mut result = amount.clone();
    for (repeated, facts) in entry.loops.iter().zip(&known).rev() {
        let (symbol, low, high) = (&repeated.symbol, &repeated.low, &repeated.high);
        let largest = |value: &Expr| {
            if value.contains(symbol) {
                facts.maximum(symbol, low, high, value)
            } else {
                Some(value.clone())
            }
        };
        // Where no largest value is found, one that none is above.
        let above = |value: &Expr| {
            let by_part = facts.part_by_part(symbol, low, high, value);
            by_part.or_else(|| facts.above_all(symbol, [low, high], value))
        };
        let runs = repeated.runs.clone();
        let factor = match facts.prove(&runs) {
            Some(true) => Amount::of(1),
            Some(false) => Amount::zero(),
            None => Amount::exact(Expr::bracket(runs)),
        };
        let most = result.upper.as_ref().and_then(largest);
        let upper = most.clone().or_else(|| above(result.upper.as_ref()?));
        let lower = match repeated.by_data {
            Some(_) => repeated.at_least(&result.lower, facts),
            None => {
                // Both ends of an exact amount have one largest value, which takes most of the work allowed.
                let most = if result.is_exact() {
                    most
                } else {
                    largest(&result.lower)
                };
                // It is no less than the first and the last.
                most.unwrap_or_else(|| {
                    let there = |at| result.lower.substitute(symbol, at);
                    facts.simplify(&Expr::max([low, high].map(there).into()))
                })
            }
        };
        result = Amount { lower, upper }.times(&factor);
    }
    result
}

/// The largest of several amounts.
fn maximum(each: Vec<Amount>, facts: &Facts) -> Amount {
    let most = |ends: Vec<Expr>| {
        if ends.is_empty() {
            Expr::zero()
        } else {
            facts.simplify(&Expr::max(ends))
        }
    };
    let uppers: Option<Vec<Expr>> = each.iter().map(|amount| amount.upper.clone()).collect();
    let exact = each.iter().all(Amount::is_exact);
    let lower = most(each.into_iter().map(|amount| amount.lower).collect());
    if exact {
        Amount::exact(lower)
    } else {
        Amount {
            lower,
            upper: uppers.map(most),
        }
    }
}
