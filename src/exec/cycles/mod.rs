//! Charges by a machine's own weights and memory rules: operations by kind, cycles of a thread
//! (paper 2), memory transactions and bank steps (paper 4).
//!
//! Kept only where a [`CycleRules`] is given. A statement is charged when it is settled, so a
//! fast form that gives up charges nothing. Tables and rules are written from the contract and
//! the papers alone; the derivation has its own.

mod banks;
mod half_warps;
mod kinds;

use rustc_hash::FxHashMap;

use crate::count::{ByKind, Charges, Kind, OfAll};
use crate::exec::cycles::half_warps::{half_warps, segments, shrunk};
use crate::exec::cycles::kinds::{of_expr, of_stmt};
use crate::exec::lanes::Mask;
use crate::machine::{Coalescing, CycleRules};
use crate::number::{BigInt, Rational};
use crate::program::{Number, Stmt, VarId};
use crate::text::Span;

pub(crate) use banks::BankSteps;

/// Charges of a launch while its MPs execute one after the other.
#[derive(Debug, Clone)]
pub(super) struct Ledger {
    cycle_rules: CycleRules,
    /// b
    cores: usize,
    /// Shared variables that act as registers: no core uses another core's words.
    registers: Vec<VarId>,
    /// Operations by kind of one execution of each statement.
    kinds_of: FxHashMap<Span, ByKind<u64>>,
    /// The global access of the statement in progress.
    access: Option<Access>,
    /// Charges of the MP in progress.
    mp: OfMp,
    /// The MP before it, with the number of equal MPs in a row.
    last: Option<(OfMp, u64)>,
    /// The largest charge of any MP so far, each field for itself; `of_all` is a sum.
    most: Charges<Rational>,
    transactions: u128,
    bytes: u128,
    conflicts: u128,
}

/// One global access of an MP.
#[derive(Debug, Clone, Copy)]
struct Access {
    transactions: u64,
    active: u64,
    bytes: u128,
}

/// The charges of one MP, before they become cycles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OfMp {
    kinds: ByKind<u64>,
    degrees: u64,
    /// Global accesses by their transactions and active cores.
    accesses: FxHashMap<(u64, u64), u64>,
}

impl Ledger {
    /// Starts with nothing charged.
    pub(super) fn new(cycle_rules: &CycleRules, cores: usize, registers: &[VarId]) -> Ledger {
        Ledger {
            cycle_rules: cycle_rules.clone(),
            cores,
            registers: registers.to_vec(),
            kinds_of: FxHashMap::default(),
            access: None,
            mp: OfMp::default(),
            last: None,
            most: Charges::default(),
            transactions: 0,
            bytes: 0,
            conflicts: 0,
        }
    }

    /// Forgets the pending access of the statement in progress.
    pub(super) fn begin_statement(&mut self) {
        self.access = None;
    }

    /// Charges a statement, without its block, that was executed `times` times; with it the bank
    /// steps of its operands and its pending global access.
    pub(super) fn settle(&mut self, stmt: &Stmt, times: u64, steps: &mut BankSteps) {
        let once = self.kinds_of.entry(stmt.span).or_insert_with(|| {
            let mut once = ByKind::default();
            of_stmt(&mut once, stmt, &self.registers);
            once
        });
        for (kind, count) in once.iter() {
            *self.mp.kinds.get_mut(kind) += count * times;
        }
        self.mp.degrees += steps.degrees;
        self.conflicts += u128::from(steps.conflicts);
        steps.begin();
        if let Some(access) = self.access.take() {
            self.transactions += u128::from(access.transactions);
            self.bytes += access.bytes;
            let alike = (access.transactions, access.active);
            *self.mp.accesses.entry(alike).or_default() += 1;
        }
    }

    /// Charges the value of a `let` of the wrapper loop.
    pub(super) fn value(&mut self, expr: &Number) {
        of_expr(&mut self.mp.kinds, expr, &self.registers);
    }

    /// Charges one iteration of a `for`.
    pub(super) fn iteration(&mut self) {
        *self.mp.kinds.get_mut(Kind::Loop) += 1;
    }

    /// Records the global access of the statement in progress. `blocks` returns the blocks touched
    /// for a block size in words; `words` are the words of the active cores.
    pub(super) fn access(
        &mut self,
        mask: &Mask,
        blocks: impl Fn(usize) -> u64,
        words: impl Iterator<Item = usize>,
    ) {
        let word_bytes = self.cycle_rules.word_bytes as u128;
        let (transactions, bytes) = match self.cycle_rules.coalescing {
            Coalescing::Blocks => {
                let transactions = blocks(self.cores);
                let block = word_bytes * self.cores as u128;
                (transactions, u128::from(transactions) * block)
            }
            Coalescing::Sectors => {
                let bytes = self.cycle_rules.word_bytes;
                let sector = Coalescing::sector_words(bytes) as usize;
                let transactions = blocks(sector);
                let bytes = Coalescing::sector_bytes(bytes) as u128;
                (transactions, u128::from(transactions) * bytes)
            }
            Coalescing::HalfWarp => {
                let segment = Coalescing::segment_words(self.cycle_rules.word_bytes) as usize;
                let (mut transactions, mut bytes) = (0, 0);
                for half in half_warps(mask, words) {
                    for used in segments(&half, segment) {
                        transactions += 1;
                        bytes += shrunk(&used, segment, self.cycle_rules.word_bytes) as u128;
                    }
                }
                (transactions, bytes)
            }
        };
        self.access = Some(Access {
            transactions,
            active: mask.count() as u64,
            bytes,
        });
    }

    /// Ends the MP in progress.
    pub(super) fn end_mp(&mut self) {
        // Equal MPs in a row are only counted: the exact arithmetic of `charge_last` then runs once
        // for all of them.
        let mp = std::mem::take(&mut self.mp);
        match &mut self.last {
            Some((last, alike)) if *last == mp => *alike += 1,
            _ => {
                self.charge_last();
                self.last = Some((mp, 1));
            }
        }
    }

    /// Charges the equal MPs in a row.
    fn charge_last(&mut self) {
        let Some((mp, alike)) = self.last.take() else {
            return;
        };
        let number = |count: u64| Rational::from(BigInt::from(count));
        let rules = &self.cycle_rules;
        let compute = rules.weights.compute_cycles(&mp.kinds);
        let mut memory = &number(mp.degrees) * &rules.shared;
        for ((transactions, active), times) in mp.accesses {
            memory += &(&rules.global_cycles(transactions, active) * &number(times));
        }
        let mut of_all = OfAll::default();
        of_all.add(&number(alike), &compute, &memory);
        self.raise(Charges {
            kinds: ByKind::from_fn(|kind| number(*mp.kinds.get(kind))),
            both: &compute + &memory,
            compute,
            memory,
            of_all: Some(of_all),
            ..Charges::default()
        });
    }

    /// Merges charges of other MPs: `of_all` adds up, every other field takes the larger value.
    fn raise(&mut self, other: Charges<Rational>) {
        let most = &mut self.most;
        if let Some(all) = other.of_all {
            let mine = most.of_all.get_or_insert_default();
            mine.longer += &all.longer;
            mine.both += &all.both;
        }
        raise(&mut most.both, other.both);
        raise(&mut most.compute, other.compute);
        raise(&mut most.memory, other.memory);
        for (kind, count) in other.kinds.iter() {
            raise(most.kinds.get_mut(kind), count.clone());
        }
    }

    /// Adds the charges of other MPs of the same launch.
    pub(super) fn add(&mut self, mut other: Ledger) {
        self.charge_last();
        other.charge_last();
        self.raise(other.most);
        self.transactions += other.transactions;
        self.bytes += other.bytes;
        self.conflicts += other.conflicts;
    }

    /// Returns the charges of a launch of `launched_mps` MPs.
    pub(super) fn charges(mut self, launched_mps: u64) -> Charges<Rational> {
        self.charge_last();
        Charges {
            launched_mps: Rational::from(BigInt::from(launched_mps)),
            memory_transactions: Rational::from(BigInt::from(self.transactions)),
            memory_bytes: Some(Rational::from(BigInt::from(self.bytes))),
            bank_conflicts: Rational::from(BigInt::from(self.conflicts)),
            ..self.most
        }
    }
}

fn raise(most: &mut Rational, value: Rational) {
    if value > *most {
        *most = value;
    }
}
