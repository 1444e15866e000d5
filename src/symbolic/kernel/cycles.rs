//! What a machine's own weights and memory rules make of a kernel, in symbols: operations by kind,
//! the cycles of paper 2, memory transactions and bank conflicts under the rules of paper 4.
//!
//! Only where a [`CycleRules`] is given. As for blocks and banks, an index that moves evenly with the
//! core is counted from its two ends, here for each half-warp; any other is bounded.

use crate::count::{ByKind, Charges, Inexact};
use crate::machine::{Banks, CycleRules, HALF_WARP};
use crate::program::{Stmt, StmtKind};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::Active;
use crate::symbolic::amount::Amount;
use crate::symbolic::kernel::charges::{LineCharges, priced};
use crate::symbolic::kernel::warp::Warp;
use crate::symbolic::kernel::{Affected, LineCount, Walk, operands};

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
        let warp = Warp {
            active,
            cycle_rules,
        };
        let (mut memory, mut conflicts) = (Amount::zero(), Amount::zero());
        let mut at_most = Amount::zero();
        let mut is_exact = true;
        for word in operands::of_statement(self.known.program, statement) {
            let met = match self.known.offset(word, active) {
                Ok(offset) => warp.degrees(&offset),
                Err(_) => None,
            };
            let (degree, conflict) = met.unwrap_or_else(|| {
                is_exact = false;
                match (cycle_rules.banks, warp.warps()) {
                    (Banks::Warp, Some(warps)) => warp.any_degree(warps.size),
                    (Banks::Warp, None) => {
                        let conflict = self.possible_conflicts(word, active);
                        (conflict.plus(&Amount::of(1)), conflict)
                    }
                    (Banks::HalfWarpBroadcast, _) => warp.any_degree(HALF_WARP as i64),
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
                Ok(offset) => warp.transactions(&offset),
                Err(_) => None,
            };
            let bytes = self.known.offset(word, active).ok();
            let bytes = bytes.and_then(|offset| warp.bytes(&offset, served.as_ref()?));
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
