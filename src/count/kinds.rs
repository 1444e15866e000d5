//! Operations by kind, and the charges of a round under a machine's own rules. Shapes only, no counting.

use crate::number::{BigInt, Rational};

/// The kind of an operation of language.md §4.1, for machines that charge kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `+ -`, unary minus, and the sum in an address.
    Add,
    /// `*`, a juxtaposition, and the product in an address.
    Multiply,
    /// `/`.
    Divide,
    /// `mod`, `div`.
    Modulus,
    /// One comparison.
    Compare,
    /// `∧ ∨ ¬` and the connectives of a chain of comparisons.
    Logic,
    /// `⌈x⌉ ⌊x⌋ [c]`.
    Round,
    /// `min max abs select`.
    Select,
    /// `^`, logarithms, `sqrt exp ln sin cos`.
    Function,
    /// `bitand bitor bitxor shl shr`.
    Bits,
    /// One iteration of a `for`.
    Loop,
    /// A shared read, or the write of `←`.
    Shared,
    /// A read of a shared word that no other core of the MP ever touches, or a `←` to it. A compiler would
    /// keep such a word in a register. The kernel's text alone decides which words they are.
    Register,
    /// `⇐`.
    Global,
    /// One of the operations above that a core has to wait for, alone or overlapped with other pending ones.
    Wait,
    /// Quarters of a wait. Each wait in a loop with independent iterations adds 1, or 2 if it is guarded.
    Stream,
}

impl Kind {
    /// Every kind, in the order of reports.
    pub const ALL: [Kind; 16] = [
        Kind::Add,
        Kind::Multiply,
        Kind::Divide,
        Kind::Modulus,
        Kind::Compare,
        Kind::Logic,
        Kind::Round,
        Kind::Select,
        Kind::Function,
        Kind::Bits,
        Kind::Loop,
        Kind::Shared,
        Kind::Register,
        Kind::Global,
        Kind::Wait,
        Kind::Stream,
    ];

    /// The kind's key in the JSON and in `[operations]` of a machine (which has no keys for the three kinds
    /// of access).
    pub const fn key(self) -> &'static str {
        match self {
            Kind::Add => "add",
            Kind::Multiply => "mul",
            Kind::Divide => "div",
            Kind::Modulus => "mod",
            Kind::Compare => "compare",
            Kind::Logic => "logic",
            Kind::Round => "round",
            Kind::Select => "select",
            Kind::Function => "function",
            Kind::Bits => "bits",
            Kind::Loop => "loop",
            Kind::Shared => "shared",
            Kind::Register => "register",
            Kind::Global => "global",
            Kind::Wait => "wait",
            Kind::Stream => "stream",
        }
    }

    /// Returns true if language.md §4.1 counts the kind. Waits annotate operations that are counted already.
    pub const fn is_operation(self) -> bool {
        !matches!(self, Kind::Wait | Kind::Stream)
    }

    /// Returns true if the kind computes. Accesses do not: a machine charges them by the memory they touch.
    pub const fn computes(self) -> bool {
        self.is_operation() && !matches!(self, Kind::Shared | Kind::Register | Kind::Global)
    }
}

/// One value for every kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ByKind<N>([N; Kind::ALL.len()]);

impl<N> ByKind<N> {
    /// Builds a table from the value that `make` returns for each kind.
    pub fn from_fn(make: impl FnMut(Kind) -> N) -> Self {
        ByKind(Kind::ALL.map(make))
    }

    /// The value of a kind.
    pub fn get(&self, kind: Kind) -> &N {
        &self.0[kind as usize]
    }

    /// The value of a kind, mutably.
    pub(crate) fn get_mut(&mut self, kind: Kind) -> &mut N {
        &mut self.0[kind as usize]
    }

    /// Iterates over all kinds and their values, in the order of reports.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, &N)> {
        Kind::ALL.into_iter().zip(&self.0)
    }
}

impl ByKind<u64> {
    /// A table with `count` operations of one kind and none of any other.
    pub(crate) fn of(kind: Kind, count: u64) -> Self {
        ByKind::from_fn(|other| if other == kind { count } else { 0 })
    }

    /// The total number of operations, as language.md §4.1 counts them.
    pub fn total(&self) -> u64 {
        let operations = self.iter().filter(|(kind, _)| kind.is_operation());
        operations.map(|(_, count)| count).sum()
    }
}

/// The charges for one round under the rules and weights of a machine. Cycles are per thread of the
/// costliest MP. The cores of an MP move in lockstep, so each core waits for the work of all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Charges<N> {
    /// k.
    pub launched_mps: N,
    /// Operations of each kind: the maximum over MPs.
    pub kinds: ByKind<N>,
    /// N_comp of paper 2: cycles of weighted operations, the maximum over MPs.
    pub compute: N,
    /// N_memory of paper 2: cycles of shared and global accesses, the maximum over MPs.
    pub memory: N,
    /// N_comp + N_memory in cycles: the maximum over MPs of the sum, so at most `compute + memory`.
    pub both: N,
    /// Cycles summed over all MPs; `None` where only the costliest MP is known.
    pub of_all: Option<OfAll<N>>,
    /// Memory transactions by the machine's coalescing rule, over all MPs.
    pub memory_transactions: N,
    /// Bytes of these transactions, with segments shrunk to their used half. `None` where the bytes depend
    /// on the unknown position of the words in their segments.
    pub memory_bytes: Option<N>,
    /// Σ (degree − 1) by the machine's bank rule, over all MPs.
    pub bank_conflicts: N,
}

/// Cycles summed over all MPs of a round. Never more than launched MPs × costliest MP.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OfAll<N> {
    /// Σ max(N_comp, N_memory).
    pub longer: N,
    /// Σ (N_comp + N_memory).
    pub both: N,
}

impl OfAll<Rational> {
    /// Adds `mps` MPs with the given cycles each.
    pub(crate) fn add(&mut self, mps: &Rational, compute: &Rational, memory: &Rational) {
        let longer = if compute > memory { compute } else { memory };
        self.longer += &(mps * longer);
        self.both += &(mps * &(compute + memory));
    }
}

impl<N> OfAll<N> {
    /// Applies `change` to each number.
    ///
    /// # Errors
    /// The first error of `change`.
    fn try_map<M, E>(&self, mut change: impl FnMut(&N) -> Result<M, E>) -> Result<OfAll<M>, E> {
        Ok(OfAll {
            longer: change(&self.longer)?,
            both: change(&self.both)?,
        })
    }
}

/// The charges of a whole program, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Charged {
    /// Runs of equal consecutive rounds, each with its length. Rounds that launch no MP have no charges and
    /// are left out.
    pub rounds: Vec<(u64, Charges<Rational>)>,
    /// True if these are the charges themselves, false if they are upper bounds.
    pub is_exact: bool,
}

impl Charged {
    /// Appends `times` equal rounds, extending the last run if its round is the same.
    pub(crate) fn push(&mut self, times: u64, charges: Charges<Rational>) {
        // A run's length is a u64. If extending the last run would overflow it, the same round opens a
        // second run.
        match self.rounds.last_mut() {
            Some((count, last)) if *last == charges && *count <= u64::MAX - times => {
                *count += times
            }
            _ => self.rounds.push((times, charges)),
        }
    }

    /// Returns the sum of one number over all rounds, each round weighted by its repetitions.
    ///
    /// ```
    /// use atgpu::count::{Charged, Charges};
    ///
    /// let round = Charges { compute: 40.into(), ..Charges::default() };
    /// let charged = Charged { rounds: vec![(3, round)], is_exact: true };
    /// assert_eq!(charged.total(|round| &round.compute), 120.into());
    /// ```
    pub fn total(&self, view: impl Fn(&Charges<Rational>) -> &Rational) -> Rational {
        let terms = self.rounds.iter();
        terms.fold(Rational::from(0), |sum, (times, round)| {
            &sum + &(view(round) * &Rational::from(BigInt::from(*times)))
        })
    }
}

impl<N> Charges<N> {
    /// Converts the charges to another number type.
    ///
    /// # Errors
    /// The first error of `change`.
    pub(crate) fn try_map<M, E>(
        &self,
        mut change: impl FnMut(&N) -> Result<M, E>,
    ) -> Result<Charges<M>, E> {
        let mut kinds = Vec::with_capacity(Kind::ALL.len());
        for (_, number) in self.kinds.iter() {
            kinds.push(change(number)?);
        }
        let mut kinds = kinds.into_iter();
        Ok(Charges {
            launched_mps: change(&self.launched_mps)?,
            kinds: ByKind::from_fn(|_| kinds.next().expect("one of each kind")),
            compute: change(&self.compute)?,
            memory: change(&self.memory)?,
            both: change(&self.both)?,
            of_all: match &self.of_all {
                Some(all) => Some(all.try_map(&mut change)?),
                None => None,
            },
            memory_transactions: change(&self.memory_transactions)?,
            memory_bytes: self.memory_bytes.as_ref().map(&mut change).transpose()?,
            bank_conflicts: change(&self.bank_conflicts)?,
        })
    }

    /// Converts the charges to another number type by a change that cannot fail.
    pub(crate) fn map<M>(&self, mut change: impl FnMut(&N) -> M) -> Charges<M> {
        let changed: Result<_, std::convert::Infallible> =
            self.try_map(|number| Ok(change(number)));
        match changed {
            Ok(charges) => charges,
        }
    }

    /// The numbers that are always known and not split by kind, with their keys in the JSON.
    pub fn named(&self) -> [(&'static str, &N); 5] {
        [
            ("compute_cycles", &self.compute),
            ("memory_cycles", &self.memory),
            ("cycles", &self.both),
            ("memory_transactions", &self.memory_transactions),
            ("bank_conflicts", &self.bank_conflicts),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_rounds_are_merged() {
        let charges = |compute: i64| Charges {
            compute: compute.into(),
            ..Charges::default()
        };
        let mut charged = Charged::default();
        for (times, compute) in [(2, 5), (3, 5), (1, 6), (4, 5), (u64::MAX - 3, 5)] {
            charged.push(times, charges(compute));
        }
        let listed: Vec<(u64, i64)> = [(5, 5), (1, 6), (4, 5), (u64::MAX - 3, 5)].into();
        let wanted = listed
            .iter()
            .map(|(times, compute)| (*times, charges(*compute)));
        assert_eq!(charged.rounds, wanted.collect::<Vec<_>>());
    }

    #[test]
    fn kinds_have_their_places_and_their_own_keys() {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, at);
            let same = Kind::ALL.iter().filter(|other| other.key() == kind.key());
            assert_eq!(same.count(), 1);
        }
        let three = ByKind::from_fn(|kind| match kind {
            Kind::Modulus => 3,
            Kind::Add => 2,
            _ => 0_u64,
        });
        assert_eq!((three.total(), *three.get(Kind::Modulus)), (5, 3));
    }
}
