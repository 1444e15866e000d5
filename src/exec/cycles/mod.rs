//! Charges by a machine's own weights and memory rules: operations by kind, cycles of a thread
//! (paper 2), memory transactions and bank steps (paper 4).
//!
//! Kept only where a [`CycleRules`] is given. A statement is charged when it is settled, so a
//! fast form that gives up charges nothing. Tables and rules are written from the contract and
//! the papers alone; the derivation has its own.

use rustc_hash::FxHashMap;

use crate::count::{ByKind, Charges, Kind, OfAll};
use crate::exec::lanes::Mask;
use crate::machine::{Banks, Coalescing, CycleRules, HALF_WARP};
use crate::number::{BigInt, Rational};
use crate::program::{
    Arithmetic, AtomicOperator, Condition, ConditionKind, Expr, Number, NumberKind, Stmt, VarId,
    Waiting, Word, Written,
};
use crate::text::Span;

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

/// Bank steps of the shared operands in the statement in progress.
#[derive(Debug, Clone)]
pub(crate) struct BankSteps {
    banks: Banks,
    /// 32-bit bank words per word.
    bank_words: usize,
    /// Σ over operands of the degree, or of the steps of the slower half-warp.
    degrees: u64,
    /// Σ over operands of the steps beyond the first, in every half-warp.
    conflicts: u64,
}

impl BankSteps {
    /// Starts at 0.
    pub(super) fn new(cycle_rules: &CycleRules) -> BankSteps {
        BankSteps {
            banks: cycle_rules.banks,
            bank_words: Banks::bank_words(cycle_rules.word_bytes) as usize,
            degrees: 0,
            conflicts: 0,
        }
    }

    /// Forgets the operands counted so far.
    pub(super) fn begin(&mut self) {
        (self.degrees, self.conflicts) = (0, 0);
    }

    /// Adds an operand evaluated `times` times. `conflict` is its degree − 1 by language.md §4.2,
    /// `words` are the words of the active cores.
    pub(super) fn add(
        &mut self,
        times: u64,
        conflict: u64,
        mask: &Mask,
        words: impl Iterator<Item = usize>,
    ) {
        let (degree, conflicts) = match self.banks {
            Banks::Warp => (conflict + 1, conflict),
            Banks::HalfWarpBroadcast => {
                // Only the first 32-bit request of each word is counted: the others take as many
                // steps.
                let firsts = words.map(|word| word * self.bank_words);
                let halves = half_warps(mask, firsts);
                let steps: Vec<u64> = halves.iter().map(|half| steps(half)).collect();
                let beyond = steps.iter().map(|steps| steps.saturating_sub(1)).sum();
                (steps.into_iter().max().unwrap_or(0), beyond)
            }
        };
        self.degrees += times * degree;
        self.conflicts += times * conflicts;
    }
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

/// Groups the words of the active cores by half-warp.
fn half_warps(mask: &Mask, words: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut halves: Vec<(usize, Vec<usize>)> = Vec::new();
    for (core, word) in mask.iter().zip(words) {
        let half = core / HALF_WARP;
        match halves.last_mut() {
            Some((last, list)) if *last == half => list.push(word),
            _ => halves.push((half, vec![word])),
        }
    }
    halves.into_iter().map(|(_, words)| words).collect()
}

/// Returns the words served by each memory transaction, by paper 4's protocol. As long as a core
/// waits, the segment of the lowest waiting core is transferred and serves all cores in it.
fn segments(words: &[usize], segment: usize) -> Vec<Vec<usize>> {
    // Segments of 32 words: the words 0, 40, 1 of three cores give [0, 1] and [40].
    let mut waiting = words.to_vec();
    let mut transactions = Vec::new();
    while let Some(lowest) = waiting.first() {
        let place = lowest / segment;
        let (served, left) = waiting.iter().partition(|word| *word / segment == place);
        transactions.push(served);
        waiting = left;
    }
    transactions
}

/// Returns the bytes of a transaction for these words of one segment: 128 become 64, and 64
/// become 32, where only the lower or the upper half is used.
fn shrunk(words: &[usize], segment: usize, word_bytes: i64) -> i64 {
    // Eight words of 4 bytes at the start of a segment end at byte 32: 128 shrinks to 64 and to 32.
    // Words 15 and 16 lie on both sides of the middle, byte 64, so 128 stays 128.
    let bytes = |word: &usize| (word % segment) as i64 * word_bytes;
    let low = words.iter().map(bytes).min().unwrap_or(0);
    let high = words.iter().map(bytes).max().unwrap_or(0) + word_bytes;
    let (mut start, mut size) = (0, Coalescing::segment_bytes(word_bytes));
    while size > 32 {
        let half = size / 2;
        if high <= start + half {
            size = half;
        } else if low >= start + half {
            (start, size) = (start + half, half);
        } else {
            break;
        }
    }
    size
}

/// Returns the bank steps of a half-warp by paper 4. A step serves every core at the word of the
/// lowest waiting core, and in each other bank the lowest waiting core.
fn steps(words: &[usize]) -> u64 {
    // The words 0, 16, 32 all lie in bank 0 and take 3 steps; the words 0, 0, 1 take one.
    let mut waiting = words.to_vec();
    let mut steps = 0;
    while let Some(&broadcast) = waiting.first() {
        let mut served = [false; HALF_WARP];
        served[broadcast % HALF_WARP] = true;
        waiting.retain(|&word| {
            if word == broadcast {
                return false;
            }
            let bank = &mut served[word % HALF_WARP];
            std::mem::replace(bank, true)
        });
        steps += 1;
    }
    steps
}

fn of_stmt(kinds: &mut ByKind<u64>, stmt: &Stmt, registers: &[VarId]) {
    let parts = stmt.kind.parts();
    parts
        .values
        .into_iter()
        .for_each(|value| of_expr(kinds, value, registers));
    match parts.write {
        Some((target, Written::Word(source))) => {
            *kinds.get_mut(Kind::Global) += 1;
            if stmt.waiting == Waiting::Alone {
                *kinds.get_mut(Kind::Wait) += 1;
            }
            *kinds.get_mut(Kind::Stream) += match stmt.waiting {
                Waiting::Quarter => 1,
                Waiting::Half => 2,
                _ => 0,
            };
            of_index(kinds, target, registers);
            of_index(kinds, source, registers);
        }
        Some((target, Written::Value(_))) => {
            *kinds.get_mut(of_shared(target, registers)) += 1;
            of_index(kinds, target, registers);
        }
        Some((target, Written::Update(operator, operands))) => {
            for _ in 0..2 {
                *kinds.get_mut(of_shared(target, registers)) += 1;
                of_index(kinds, target, registers);
            }
            let applied = match operator {
                AtomicOperator::Add => Kind::Add,
                AtomicOperator::Multiply => Kind::Multiply,
                AtomicOperator::Min | AtomicOperator::Max => Kind::Select,
            };
            *kinds.get_mut(applied) += operands.len() as u64;
        }
        None => {}
    }
}

/// Returns the kind of a shared operand: `Register` where no other core uses its words.
fn of_shared(word: &Word, registers: &[VarId]) -> Kind {
    if registers.contains(&word.variable) {
        return Kind::Register;
    }
    Kind::Shared
}

/// Counts an index list: a product and a sum for each dimension but the first, and its indices.
fn of_index(kinds: &mut ByKind<u64>, word: &Word, registers: &[VarId]) {
    let further = (word.indices.len() as u64).saturating_sub(1);
    *kinds.get_mut(Kind::Add) += further;
    *kinds.get_mut(Kind::Multiply) += further;
    for index in &word.indices {
        of_expr(kinds, index, registers);
    }
}

fn of_expr<'e>(kinds: &mut ByKind<u64>, expr: impl Into<Expr<'e>>, registers: &[VarId]) {
    // A stack of its own: sums may be longer than the call stack is deep.
    let mut pending = vec![expr.into()];
    while let Some(expr) = pending.pop() {
        match expr {
            Expr::Number(number) => of_number(kinds, number, registers),
            Expr::Condition(condition) => of_condition(kinds, condition),
        }
        expr.each_operand(&mut |operand| pending.push(operand));
    }
}

/// Counts the operation of a number, without its operands.
fn of_number(kinds: &mut ByKind<u64>, number: &Number, registers: &[VarId]) {
    let kind = match &number.kind {
        NumberKind::Integer(_) | NumberKind::Float(_) | NumberKind::Parameter(_) => return,
        NumberKind::Word(word) => {
            let further = (word.indices.len() as u64).saturating_sub(1);
            *kinds.get_mut(Kind::Add) += further;
            *kinds.get_mut(Kind::Multiply) += further;
            of_shared(word, registers)
        }
        NumberKind::Min(arguments) | NumberKind::Max(arguments) => {
            *kinds.get_mut(Kind::Select) += arguments.len() as u64 - 1;
            return;
        }
        NumberKind::Negate(_) => Kind::Add,
        NumberKind::Ceil(_) | NumberKind::Floor(_) | NumberKind::Bracket(_) => Kind::Round,
        NumberKind::Abs(_) | NumberKind::Select { .. } => Kind::Select,
        NumberKind::Math { .. } | NumberKind::Log { .. } => Kind::Function,
        NumberKind::Bits { .. } => Kind::Bits,
        NumberKind::Binary { operator, .. } => match operator {
            Arithmetic::Add | Arithmetic::Subtract => Kind::Add,
            Arithmetic::Multiply => Kind::Multiply,
            Arithmetic::Divide => Kind::Divide,
            Arithmetic::FloorDivide | Arithmetic::Modulo => Kind::Modulus,
            Arithmetic::Power => Kind::Function,
        },
        NumberKind::Only(nothing) => match *nothing {},
    };
    *kinds.get_mut(kind) += 1;
}

/// Counts the operations of a condition, without its operands.
fn of_condition(kinds: &mut ByKind<u64>, condition: &Condition) {
    match &condition.kind {
        ConditionKind::Compare { operators, .. } => {
            *kinds.get_mut(Kind::Compare) += operators.len() as u64;
            *kinds.get_mut(Kind::Logic) += operators.len() as u64 - 1;
        }
        ConditionKind::And(..) | ConditionKind::Or(..) | ConditionKind::Not(_) => {
            *kinds.get_mut(Kind::Logic) += 1;
        }
        ConditionKind::Only(nothing) => match *nothing {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A half-warp at stride s: ⌈16 s/32⌉ segments of 32 words up to one a core.
    #[test]
    fn a_half_warp_at_a_stride() {
        let at = |stride: usize| -> Vec<usize> { (0..16).map(|core| core * stride).collect() };
        let strides = [0, 1, 2, 3, 4, 8, 16, 32, 64];
        let transactions = strides.map(|stride| segments(&at(stride), 32).len());
        assert_eq!(transactions, [1, 1, 1, 2, 2, 4, 8, 16, 16]);
        // Not aligned: one more.
        let shifted: Vec<usize> = (24..40).collect();
        assert_eq!(segments(&shifted, 32).len(), 2);
    }

    #[test]
    fn segments_shrink_to_their_used_half() {
        let of_4 = |words: &[usize]| shrunk(words, 32, 4);
        assert_eq!(of_4(&[0, 31]), 128);
        assert_eq!(of_4(&[0, 15]), 64);
        assert_eq!(of_4(&[16, 31]), 64);
        assert_eq!(of_4(&[5]), 32);
        assert_eq!(of_4(&[7, 8]), 64);
        assert_eq!(of_4(&[15, 16]), 128);
        assert_eq!(of_4(&[24 + 32, 31 + 32]), 32);
        // 16-bit words start at 64 bytes, 8-bit ones at 32 and stay there.
        let narrow = [
            shrunk(&[0, 31], 32, 2),
            shrunk(&[0, 15], 32, 2),
            shrunk(&[3], 32, 1),
        ];
        assert_eq!(narrow, [64, 32, 32]);
        assert_eq!(shrunk(&[0, 1], 8, 16), 32);
    }

    /// gcd(s, 16) steps at stride s; a broadcast is one; the same word twice in another bank is two,
    /// which language.md's rule would count once.
    #[test]
    fn bank_steps() {
        for stride in 1..=16_usize {
            let words: Vec<usize> = (0..16).map(|core| core * stride).collect();
            let gcd = num_integer::gcd(stride, 16) as u64;
            assert_eq!(steps(&words), gcd, "{stride}");
        }
        assert_eq!(steps(&[7; 16]), 1);
        assert_eq!(steps(&[0, 1, 1]), 2);
        // The broadcast word's bank waits for the others of it, all else goes along.
        assert_eq!(steps(&[0, 0, 16, 1]), 2);
        assert_eq!(steps(&[]), 0);
    }

    #[test]
    fn half_warps_hold_their_active_cores() {
        let mask = Mask::Range(14, 18);
        assert_eq!(half_warps(&mask, 1..5), [vec![1, 2], vec![3, 4]]);
    }
}
