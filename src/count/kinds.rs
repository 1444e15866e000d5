//! Operations by kind, and what a machine's own rules make of a round: the shapes, no counting.

use crate::number::{BigInt, Rational};

/// What an operation of language.md §4.1 does, for machines that charge kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// A read of a shared word that no other core of the MP ever touches, or the `←` to it: what would be
    /// a register. Which they are is seen in the kernel's text.
    Register,
    /// `⇐`.
    Global,
    /// One of these that a core waits for, alone or with others that are under way.
    Wait,
    /// Quarters of a wait: for one in a loop whose iterations do not wait for each other 1, or 2 if guarded.
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

    /// Its key in the JSON and, but for the three kinds of access, in `[operations]` of a machine.
    ///
    /// ```
    /// use atgpu::count::Kind;
    ///
    /// assert_eq!(Kind::Multiply.key(), "mul");
    /// ```
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

    /// Whether it is one of what language.md §4.1 counts; waits are told of operations that are counted already.
    ///
    /// ```
    /// use atgpu::count::Kind;
    ///
    /// assert!(Kind::Global.is_operation());
    /// assert!(!Kind::Wait.is_operation());
    /// ```
    pub const fn is_operation(self) -> bool {
        !matches!(self, Kind::Wait | Kind::Stream)
    }

    /// Whether it computes; the accesses are charged by what they touch instead.
    ///
    /// ```
    /// use atgpu::count::Kind;
    ///
    /// assert!(Kind::Compare.computes());
    /// assert!(!Kind::Shared.computes());
    /// ```
    pub const fn computes(self) -> bool {
        self.is_operation() && !matches!(self, Kind::Shared | Kind::Register | Kind::Global)
    }
}

/// One thing for every kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ByKind<N>([N; Kind::ALL.len()]);

impl<N> ByKind<N> {
    /// What `make` gives for each kind.
    ///
    /// ```
    /// use atgpu::count::{ByKind, Kind};
    ///
    /// let one = ByKind::from_fn(|kind| u64::from(kind == Kind::Global));
    /// assert_eq!(one.total(), 1);
    /// ```
    pub fn from_fn(make: impl FnMut(Kind) -> N) -> Self {
        ByKind(Kind::ALL.map(make))
    }

    /// What a kind has.
    ///
    /// ```
    /// use atgpu::count::{ByKind, Kind};
    ///
    /// assert_eq!(ByKind::<u64>::default().get(Kind::Add), &0);
    /// ```
    pub fn get(&self, kind: Kind) -> &N {
        &self.0[kind as usize]
    }

    /// What a kind has, to be changed.
    pub(crate) fn get_mut(&mut self, kind: Kind) -> &mut N {
        &mut self.0[kind as usize]
    }

    /// All of them, in the order of reports.
    ///
    /// ```
    /// use atgpu::count::{ByKind, Kind};
    ///
    /// let first = ByKind::<u64>::default().iter().next().map(|(kind, count)| (kind, *count));
    /// assert_eq!(first, Some((Kind::Add, 0)));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Kind, &N)> {
        Kind::ALL.into_iter().zip(&self.0)
    }
}

impl ByKind<u64> {
    /// So many of one kind.
    pub(crate) fn of(kind: Kind, count: u64) -> Self {
        ByKind::from_fn(|other| if other == kind { count } else { 0 })
    }

    /// How many in all: what language.md §4.1 counts.
    ///
    /// ```
    /// use atgpu::count::ByKind;
    ///
    /// assert_eq!(ByKind::<u64>::default().total(), 0);
    /// ```
    pub fn total(&self) -> u64 {
        let operations = self.iter().filter(|(kind, _)| kind.is_operation());
        operations.map(|(_, count)| count).sum()
    }
}

/// What the rules and weights of a machine make of one round. Cycles are those of a thread of the
/// costliest MP; an MP's cores move in lockstep, so each waits for what any of them does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Charges<N> {
    /// k.
    pub launched_mps: N,
    /// Operations of each kind: the most of any MP.
    pub kinds: ByKind<N>,
    /// N_comp of paper 2: weighted operations, the most cycles of any MP.
    pub compute: N,
    /// N_memory of paper 2: shared and global accesses, the most cycles of any MP.
    pub memory: N,
    /// N_comp + N_memory, the most cycles of any MP.
    pub both: N,
    /// What all MPs take together, each its own cycles; none where only the costliest is known.
    pub of_all: Option<OfAll<N>>,
    /// Memory transactions by the machine's coalescing rule, over all MPs.
    pub memory_transactions: N,
    /// Bytes of these transactions, segments shrunk to their used half; none where they depend on
    /// how the words lie in their segments and that is not known.
    pub memory_bytes: Option<N>,
    /// Σ (degree − 1) by the machine's bank rule, over all MPs.
    pub bank_conflicts: N,
}

/// Cycles summed over all MPs of a round: beside the costliest one's where MPs differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OfAll<N> {
    /// Σ max(N_comp, N_memory).
    pub longer: N,
    /// Σ (N_comp + N_memory).
    pub both: N,
}

impl OfAll<Rational> {
    /// Adds so many MPs that take these cycles each.
    pub(crate) fn add(&mut self, mps: &Rational, compute: &Rational, memory: &Rational) {
        let longer = if compute > memory { compute } else { memory };
        self.longer += &(mps * longer);
        self.both += &(mps * &(compute + memory));
    }
}

impl<N> OfAll<N> {
    /// Each number changed alike.
    ///
    /// # Errors
    /// The first one of `change`.
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
    /// Consecutive rounds; equal neighbours are merged, the number says how many there are. Rounds
    /// that launch no MP have none and are left out.
    pub rounds: Vec<(u64, Charges<Rational>)>,
    /// Whether these are the charges themselves, not upper bounds.
    pub is_exact: bool,
}

impl Charged {
    /// Adds rounds at the end.
    pub(crate) fn push(&mut self, times: u64, charges: Charges<Rational>) {
        match self.rounds.last_mut() {
            Some((count, last)) if *last == charges && *count <= u64::MAX - times => {
                *count += times
            }
            _ => self.rounds.push((times, charges)),
        }
    }

    /// A number over all rounds.
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
    /// The same charges over another kind of number.
    ///
    /// # Errors
    /// The first one of `change`.
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

    /// Each number changed alike.
    pub(crate) fn map<M>(&self, mut change: impl FnMut(&N) -> M) -> Charges<M> {
        let changed: Result<_, std::convert::Infallible> =
            self.try_map(|number| Ok(change(number)));
        match changed {
            Ok(charges) => charges,
        }
    }

    /// The numbers that are not by kind and always known, with their keys in the JSON.
    ///
    /// ```
    /// use atgpu::count::Charges;
    ///
    /// let charges = Charges { both: 500, ..Charges::default() };
    /// assert_eq!(charges.named()[2], ("cycles", &500));
    /// ```
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
