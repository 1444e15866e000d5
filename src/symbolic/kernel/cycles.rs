//! What a machine's own weights and memory rules make of a kernel, in symbols: operations by kind,
//! the cycles of paper 2, memory transactions and bank conflicts under the rules of paper 4.
//!
//! Only where a [`CycleRules`] is given. As for blocks and banks, an index that moves evenly with the
//! core is counted from its two ends, here for each half-warp; any other is bounded.

use std::collections::BTreeMap;

use crate::count::{ByKind, Charges, Inexact, Kind};
use crate::machine::{Banks, Coalescing, CycleRules, HALF_WARP};
use crate::number::Rational;
use crate::operations::{Operations, transferred_bytes};
use crate::program::{Stmt, StmtKind};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::{Active, Stride};
use crate::symbolic::amount::Amount;
use crate::symbolic::kernel::{Affected, LineCount, Walk, operands};

/// Half-warps that are counted one by one; a wider warp keeps bounds.
const MOST_HALF_WARPS: i64 = 64;

/// What one line adds to the charges, in the context it was counted in.
#[derive(Debug, Clone)]
pub(crate) struct LineCharges {
    /// Its operations, paid for once.
    each: Operations,
    /// How often they are paid for.
    pub(crate) paid: Amount,
    /// Iterations of its loop.
    pub(crate) iterations: Amount,
    /// Cycles of its accesses.
    memory: Amount,
    /// No fewer cycles, in a form that does not follow how many cores are active: for where the
    /// costliest MP cannot be told by `memory`.
    memory_at_most: Amount,
    transactions: Amount,
    /// Bytes of the transactions; unknown where the words' places in their segments are.
    bytes: Amount,
    conflicts: Amount,
}

impl LineCharges {
    pub(crate) fn of(each: &Operations) -> Self {
        LineCharges {
            each: each.clone(),
            paid: Amount::of(1),
            iterations: Amount::zero(),
            memory: Amount::zero(),
            memory_at_most: Amount::zero(),
            transactions: Amount::zero(),
            bytes: Amount::zero(),
            conflicts: Amount::zero(),
        }
    }

    /// Every amount changed alike.
    pub(crate) fn map(self, change: impl Fn(&Amount) -> Amount) -> Self {
        LineCharges {
            each: self.each,
            paid: change(&self.paid),
            iterations: change(&self.iterations),
            memory: change(&self.memory),
            memory_at_most: change(&self.memory_at_most),
            transactions: change(&self.transactions),
            bytes: change(&self.bytes),
            conflicts: change(&self.conflicts),
        }
    }

    /// All amounts.
    pub(crate) fn amounts(&self) -> [&Amount; 7] {
        [
            &self.paid,
            &self.iterations,
            &self.memory,
            &self.memory_at_most,
            &self.transactions,
            &self.bytes,
            &self.conflicts,
        ]
    }

    /// Adds what the same line has in another case.
    pub(crate) fn add(&mut self, other: &LineCharges) {
        for (mine, more) in [
            (&mut self.paid, &other.paid),
            (&mut self.iterations, &other.iterations),
            (&mut self.memory, &other.memory),
            (&mut self.memory_at_most, &other.memory_at_most),
            (&mut self.transactions, &other.transactions),
            (&mut self.bytes, &other.bytes),
            (&mut self.conflicts, &other.conflicts),
        ] {
            *mine = mine.plus(more);
        }
    }

    /// Whether its cycles are known on every MP.
    pub(crate) fn is_exact(&self) -> bool {
        self.paid.is_exact() && self.iterations.is_exact() && self.memory.is_exact()
    }

    fn of_kind(&self, kind: Kind) -> Amount {
        let paid = self.paid.times(&Amount::of(*self.each.get(kind)));
        match kind {
            Kind::Loop => paid.plus(&self.iterations),
            _ => paid,
        }
    }

    fn compute(&self, cycle_rules: &CycleRules) -> Amount {
        let each = priced(&cycle_rules.weights.compute_cycles(&self.each));
        let turn = priced(cycle_rules.weights.of(Kind::Loop));
        let paid = self.paid.times(&each);
        paid.plus(&self.iterations.times(&turn))
    }
}

fn priced(cycles: &Rational) -> Amount {
    Amount::exact(Expr::rational(cycles.clone()))
}

/// The charges of a kernel from those of its lines on one MP: `most` gives what the costliest MP
/// has, `sum` what all have together.
pub(crate) fn of_kernel(
    cycle_rules: &CycleRules,
    lines: &[LineCount],
    launched: Expr,
    most: &dyn Fn(&Amount) -> Amount,
    sum: &dyn Fn(&Amount) -> Amount,
) -> Charges<Amount> {
    let over = |view: &dyn Fn(&LineCharges) -> Amount| {
        let charges = lines.iter().filter_map(|line| line.charges.as_deref());
        charges.fold(Amount::zero(), |sum, line| sum.plus(&view(line)))
    };
    let compute = over(&|line| line.compute(cycle_rules));
    let memory = over(&|line| line.memory.clone());
    let bound = over(&|line| line.memory_at_most.clone());
    // Where no MP is provably the costliest, the bound may have one.
    let most_or = |amount: &Amount, bound: &Amount| {
        let known = most(amount);
        if known.upper.is_some() {
            return known;
        }
        let upper = most(bound).upper;
        Amount {
            lower: Expr::zero(),
            upper,
        }
    };
    let bytes = sum(&over(&|line| line.bytes.clone()));
    Charges {
        launched_mps: Amount::exact(launched),
        kinds: ByKind::from_fn(|kind| most(&over(&|line| line.of_kind(kind)))),
        both: most_or(&compute.plus(&memory), &compute.plus(&bound)),
        compute: most(&compute),
        memory: most_or(&memory, &bound),
        of_all: None,
        memory_transactions: sum(&over(&|line| line.transactions.clone())),
        memory_bytes: bytes.is_exact().then_some(bytes),
        bank_conflicts: sum(&over(&|line| line.conflicts.clone())),
    }
}

impl Walk<'_, '_> {
    /// Charges the accesses of a statement to its line.
    pub(crate) fn charge(&mut self, statement: &Stmt, active: &Active, line: &mut LineCount) {
        let (Some(cycle_rules), Some(mut charges)) = (self.cycle_rules, line.charges.take()) else {
            return;
        };
        let (mut memory, mut conflicts) = (Amount::zero(), Amount::zero());
        let mut at_most = Amount::zero();
        let mut is_exact = true;
        for word in operands::of_statement(self.known.program, statement) {
            let met = match self.known.offset(word, active) {
                Ok(offset) => active.degrees(&offset, cycle_rules),
                Err(_) => None,
            };
            let (degree, conflict) = met.unwrap_or_else(|| {
                is_exact = false;
                match cycle_rules.banks {
                    Banks::Warp => {
                        let conflict = self.possible_conflicts(word, active);
                        (conflict.plus(&Amount::of(1)), conflict)
                    }
                    Banks::HalfWarpBroadcast => active.any_degree(),
                }
            });
            let cycles = degree.times(&priced(&cycle_rules.shared));
            at_most = at_most.plus(&cycles);
            memory = memory.plus(&cycles);
            conflicts = conflicts.plus(&conflict);
        }
        if let StmtKind::Load { source: word, .. } | StmtKind::Store { target: word, .. } =
            &statement.kind
        {
            let served = match self.known.offset(word, active) {
                Ok(offset) => active.transactions(&offset, cycle_rules),
                Err(_) => None,
            };
            let bytes = self.known.offset(word, active).ok();
            let bytes =
                bytes.and_then(|offset| active.bytes(&offset, served.as_ref()?, cycle_rules));
            let bytes = bytes.unwrap_or_else(Amount::unknown);
            charges.bytes = bytes.times(&line.executions);
            let cores = active.span();
            // How many share a transaction depends on how many there are.
            let served = served.filter(|_| active.count().is_exact());
            let served = served.unwrap_or_else(|| {
                is_exact = false;
                Amount::between(Expr::one(), cores.clone())
            });
            memory = memory.plus(&global_cycles(cycle_rules, &served, &cores, &active.facts));
            at_most = at_most.plus(&priced(&(&cycle_rules.global + &1.into())));
            charges.transactions = served.times(&line.executions);
        }
        if !is_exact {
            self.lose(Affected::Charges, statement.span, Inexact::MemoryRules);
        }
        charges.memory = memory.times(&line.executions);
        charges.memory_at_most = at_most.times(&line.executions);
        charges.conflicts = conflicts.times(&line.executions);
        line.charges = Some(charges);
    }
}

/// 500 T/A, and 1 more where T < A cores share transactions (paper 2: (500 + k)/k with k = A/T).
fn global_cycles(cycle_rules: &CycleRules, served: &Amount, cores: &Expr, facts: &Facts) -> Amount {
    let cost = |transactions: &Expr| {
        let shares = Cond::lt(transactions, cores);
        let extra = match facts.prove(&shares) {
            Some(true) => Expr::one(),
            Some(false) => Expr::zero(),
            None => Expr::bracket(shares),
        };
        let alone = transactions.scale(&cycle_rules.global).div(cores);
        facts.simplify(&(alone.expect("some core is active") + &extra))
    };
    match &served.upper {
        Some(upper) if *upper == served.lower => Amount::exact(cost(upper)),
        // The cost of all alone, or of all but one, whichever is more.
        _ => Amount::between(
            cost(&served.lower),
            Expr::rational(&cycle_rules.global + &1.into()),
        ),
    }
}

/// The active cores that are served together: the first, the last, and whether there is any.
struct Together {
    first: Expr,
    last: Expr,
    inhabited: Expr,
}

impl Active {
    /// The half-warps some core may be active in; `None` where the warp's width is not known.
    fn half_warps(&self) -> Option<Vec<Together>> {
        if !self.is_interval() {
            return None;
        }
        let width = self.width.as_integer()?;
        let width = i64::try_from(&width).ok()?;
        let size = HALF_WARP as i64;
        if width > size * MOST_HALF_WARPS {
            return None;
        }
        let (first, last) = (self.first(), self.last());
        let mut list = Vec::new();
        for low in (0..width).step_by(HALF_WARP) {
            let (low, high) = (Expr::int(low), Expr::int(width.min(low + size) - 1));
            let first = self.facts.simplify(&Expr::max(vec![first.clone(), low]));
            let last = self.facts.simplify(&Expr::min(vec![last.clone(), high]));
            let some = Cond::le(&first, &last);
            let inhabited = match self.facts.prove(&some) {
                Some(true) => Expr::one(),
                Some(false) => continue,
                None => Expr::bracket(some),
            };
            list.push(Together {
                first,
                last,
                inhabited,
            });
        }
        Some(list)
    }

    /// All active cores as one part; `None` where cores between the ends are left out.
    fn whole_warp(&self) -> Option<Vec<Together>> {
        self.is_interval().then(|| {
            vec![Together {
                first: self.first(),
                last: self.last(),
                inhabited: Expr::one(),
            }]
        })
    }

    /// Memory transactions of one global access at word offsets `index`.
    fn transactions(&self, index: &Expr, cycle_rules: &CycleRules) -> Option<Amount> {
        let word_bytes = cycle_rules.word_bytes;
        let segment = Expr::int(match cycle_rules.coalescing {
            Coalescing::Blocks => return self.blocks(index).map(|(blocks, _)| blocks),
            Coalescing::Sectors => Coalescing::sector_words(word_bytes),
            Coalescing::HalfWarp => Coalescing::segment_words(word_bytes),
        });
        let index = self.facts.simplify(index);
        let slope = match self.stride(&index) {
            Stride::Uniform => Expr::zero(),
            Stride::By(slope) => slope,
            Stride::Irregular if cycle_rules.coalescing == Coalescing::HalfWarp => return None,
            Stride::Irregular => {
                let mut by_segment = self.clone();
                by_segment.width = segment;
                let (served, _) = by_segment.blocks_by_rows(&index, &self.width)?;
                return Some(served);
            }
        };
        let known = |condition: Cond| self.facts.prove(&condition) == Some(true);
        let rising = known(Cond::ge(&slope, &Expr::zero()));
        if !rising && !known(Cond::le(&slope, &Expr::zero())) {
            return None;
        }
        let magnitude = if rising { slope } else { slope.neg() };
        let apart = known(Cond::ge(&magnitude, &segment));
        if !apart && !known(Cond::le(&magnitude, &segment)) {
            return None;
        }
        let one = Expr::one();
        let mut sum = Expr::zero();
        let served_together = match cycle_rules.coalescing {
            Coalescing::Blocks | Coalescing::Sectors => self.whole_warp()?,
            Coalescing::HalfWarp => self.half_warps()?,
        };
        for half in served_together {
            let segment_at = |core: &Expr| {
                let offset = index.substitute(&self.core, core);
                offset.floor_div(&segment).expect("segments have words")
            };
            let (low, high) = if rising {
                (&half.first, &half.last)
            } else {
                (&half.last, &half.first)
            };
            let served = if apart {
                &half.last - &half.first + &one
            } else {
                segment_at(high) - segment_at(low) + &one
            };
            sum = &sum + (&half.inhabited * self.facts.simplify(&served));
        }
        Some(Amount::exact(self.facts.simplify(&sum)))
    }

    /// Bytes of the transactions of one global access: whole blocks, or segments shrunk to their used
    /// half, which takes known places in them.
    fn bytes(&self, index: &Expr, served: &Amount, cycle_rules: &CycleRules) -> Option<Amount> {
        let word_bytes = cycle_rules.word_bytes;
        let of_each = match cycle_rules.coalescing {
            Coalescing::Blocks => Some(&self.width * Expr::int(word_bytes)),
            Coalescing::Sectors => Some(Expr::int(Coalescing::sector_bytes(word_bytes))),
            Coalescing::HalfWarp => None,
        };
        if let Some(bytes) = of_each {
            return Some(served.times(&Amount::exact(bytes)));
        }
        let whole = |expr: &Expr| i64::try_from(&expr.as_integer()?).ok();
        let index = self.facts.simplify(index);
        let slope = match self.stride(&index) {
            Stride::Uniform => 0,
            Stride::By(slope) => whole(&slope)?,
            Stride::Irregular => return None,
        };
        if !self.is_interval() {
            return None;
        }
        let (first, last) = (whole(&self.first())?, whole(&self.last())?);
        let segment = Coalescing::segment_words(word_bytes);
        let start = index.substitute(&self.core, &Expr::zero());
        let start = whole(&self.facts.simplify(&start.modulo(&Expr::int(segment))?))?;
        if slope.checked_mul(last)?.checked_add(start).is_none() || last - first >= 1 << 16 {
            return None;
        }
        // The least and the last byte used of each segment, half-warp by half-warp.
        let mut used: BTreeMap<(i64, i64), (i64, i64)> = BTreeMap::new();
        for core in first..=last {
            let word = start + slope * core;
            let place = (core / HALF_WARP as i64, word.div_euclid(segment));
            let low = word.rem_euclid(segment) * word_bytes;
            let (least, most) = used.entry(place).or_insert((low, low + word_bytes));
            (*least, *most) = ((*least).min(low), (*most).max(low + word_bytes));
        }
        let whole_segment = Coalescing::segment_bytes(word_bytes);
        let bytes = used
            .values()
            .map(|(least, most)| transferred_bytes(*least, *most, whole_segment).unsigned_abs());
        Some(Amount::of(bytes.sum()))
    }

    /// The degree of a shared operand at word offsets `index` (the worst half-warp's, where half-
    /// warps are served apart), and Σ (degree − 1) over what is served apart.
    fn degrees(&self, index: &Expr, cycle_rules: &CycleRules) -> Option<(Amount, Amount)> {
        let one = Expr::one();
        match cycle_rules.banks {
            Banks::Warp => {
                let conflict = self.conflicts(index)?;
                Some((conflict.plus(&Amount::of(1)), conflict))
            }
            Banks::HalfWarpBroadcast => {
                let slope = match self.stride(index) {
                    // One word: the broadcast serves all.
                    Stride::Uniform => return Some((Amount::of(1), Amount::zero())),
                    Stride::By(slope) => slope,
                    Stride::Irregular => return None,
                };
                let moves = [Cond::ge(&slope, &one), Cond::le(&slope, &one.neg())];
                if !moves.iter().any(|way| self.facts.prove(way) == Some(true)) {
                    return None;
                }
                // All words differ, so each step serves one core a bank.
                let size = Expr::int(HALF_WARP as i64);
                let wide = Banks::bank_words(cycle_rules.word_bytes);
                let apart = slope.abs().scale(&wide.into());
                let shared = self.facts.simplify(&Expr::gcd(&apart, &size));
                if shared.is_one() {
                    return Some((Amount::of(1), Amount::zero()));
                }
                let (mut worst, mut conflicts) = (vec![one.clone()], Expr::zero());
                for half in self.half_warps()? {
                    let cores = &half.last - &half.first + &one;
                    let met = (&cores * &shared).div(&size).expect("16 banks").ceil();
                    let met = self.facts.simplify(&met);
                    conflicts = &conflicts + (&half.inhabited * (&met - &one));
                    worst.push(met);
                }
                let degree = self.facts.simplify(&Expr::max(worst));
                let conflicts = self.facts.simplify(&conflicts);
                Some((Amount::exact(degree), Amount::exact(conflicts)))
            }
        }
    }

    /// What a shared operand at unknown words may meet, half-warp by half-warp.
    fn any_degree(&self) -> (Amount, Amount) {
        let cores = self.span();
        let conflicts = Amount::between(Expr::zero(), &cores - 1);
        let most = Expr::min(vec![cores, Expr::int(HALF_WARP as i64)]);
        (Amount::between(Expr::one(), most), conflicts)
    }
}
