//! Derivation against execution: the one file that sees both.
//!
//! The two share no counting code, so their agreement on every quantity of every round is what the
//! project's numbers rest on. A difference is `derive::mismatch`, showing both.

use num_bigint::BigInt;

use crate::count::{Counts, Interval, Round, side_by_side};
use crate::derivation::Derivation;
use crate::derivation::evaluate::{Evaluated, Evaluation, NoNumbers, Workplace};
use crate::diag::Diagnostic;
use crate::meaning::Point;
use crate::program::Program;

/// A quantity that was counted as something the derivation excludes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("`{quantity}` was derived as {derived} but counted as {counted}")]
#[diagnostic(
    code(atgpu::derive::mismatch),
    help(
        "this is a fault of atgpu, not of the program: please report it with the program and its parameters"
    )
)]
pub struct Mismatch {
    /// Such as `io`, or `t of round 3`.
    pub quantity: String,
    /// The derived value, or its bounds.
    pub derived: Interval,
    /// The counted value.
    pub counted: BigInt,
}

/// What comparing the two engines gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every derived quantity agrees; bounds hold what was counted.
    Agrees,
    /// Nothing to compare: the derivation has no numbers here.
    NothingDerived(NoNumbers),
    /// They differ.
    Differs(Vec<Mismatch>),
}

impl Verdict {
    /// `matches_derivation` of the JSON.
    ///
    /// ```
    /// use atgpu::derivation::evaluate::NoNumbers;
    /// use atgpu::verify::Verdict;
    ///
    /// assert_eq!(Verdict::Agrees.matches(), Some(true));
    /// assert_eq!(Verdict::NothingDerived(NoNumbers::Underived("io")).matches(), None);
    /// ```
    pub fn matches(&self) -> Option<bool> {
        match self {
            Verdict::Agrees => Some(true),
            Verdict::NothingDerived(_) => None,
            Verdict::Differs(_) => Some(false),
        }
    }

    /// One `derive::mismatch` for each difference.
    ///
    /// ```
    /// use atgpu::count::Interval;
    /// use atgpu::verify::{Mismatch, Verdict};
    ///
    /// let derived = Interval::exact(96.into());
    /// let differ = Mismatch { quantity: "io".into(), derived, counted: 97.into() };
    /// let diagnostics = Verdict::Differs(vec![differ]).diagnostics();
    /// assert_eq!(diagnostics[0].message, "`io` was derived as 96 but counted as 97");
    /// ```
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Verdict::Agrees | Verdict::NothingDerived(_) => Vec::new(),
            Verdict::Differs(list) => list
                .iter()
                .map(|mismatch| Diagnostic::of(mismatch))
                .collect(),
        }
    }
}

/// Compares a derivation, evaluated at a point, with what was counted there.
///
/// ```
/// use atgpu::machine::Machine;
/// use atgpu::verify::{Verdict, verify};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let run = atgpu::examples::run(); // of this program on this card, with n = 64
/// let (derivation, point) = (program.derive()?, program.at(&card, [("n", 64)])?);
/// assert_eq!(verify(&program, &derivation, &point, run.counts()), Verdict::Agrees);
/// // At another point the same counts are wrong.
/// let other = program.at(&card, [("n", 128)])?;
/// assert_eq!(verify(&program, &derivation, &other, run.counts()).matches(), Some(false));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn verify(
    program: &Program,
    derivation: &Derivation,
    point: &Point,
    counted: &Counts<BigInt>,
) -> Verdict {
    Held::new(program, derivation).against(point, counted)
}

/// A derivation made ready to be held against what is counted at many points.
#[doc(hidden)]
pub struct Held {
    evaluation: Evaluation,
    workplace: Workplace,
}

impl Held {
    /// Takes its forms in.
    ///
    /// ```
    /// use atgpu::machine::Machine;
    /// use atgpu::verify::{Held, Verdict};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let run = atgpu::examples::run(); // of this program on this card, with n = 64
    /// let mut held = Held::new(&program, &program.derive()?);
    /// let point = program.at(&card, [("n", 64)])?;
    /// assert_eq!(held.against(&point, run.counts()), Verdict::Agrees);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn new(program: &Program, derivation: &Derivation) -> Self {
        let evaluation = Evaluation::new(program, derivation);
        Held {
            workplace: evaluation.workplace(),
            evaluation,
        }
    }

    /// As [`verify`].
    ///
    /// ```
    /// use atgpu::{machine::Machine, verify::Held};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let mut held = Held::new(&program, &program.derive()?);
    /// let other = program.at(&card, [("n", 128)])?;
    /// assert_eq!(held.against(&other, atgpu::examples::run().counts()).matches(), Some(false));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn against(&mut self, point: &Point, counted: &Counts<BigInt>) -> Verdict {
        match self.evaluation.at(&point.parameters, &mut self.workplace) {
            Ok(evaluated) => compare(&evaluated, counted),
            Err(why) => Verdict::NothingDerived(why),
        }
    }
}

/// Compares derived (or data-free counted) numbers with executed ones: all totals, and round by
/// round where their number is known.
///
/// ```
/// use atgpu::derivation::evaluate::evaluate;
/// use atgpu::machine::Machine;
/// use atgpu::verify::{Verdict, compare};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// let run = atgpu::examples::run(); // of this program on this card, with n = 64
/// let derived = evaluate(&program, &program.derive()?, &program.at(&card, [("n", 64)])?);
/// assert_eq!(compare(&derived.expect("closed forms"), run.counts()), Verdict::Agrees);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn compare(derived: &Evaluated, counted: &Counts<BigInt>) -> Verdict {
    let mut list = Vec::new();
    let totals = derived.counts.totals.all().into_iter();
    for ((which, derived), (_, counted)) in totals.zip(counted.totals.all()) {
        list.extend(differ(derived, counted, || which.name().to_owned()));
    }
    if derived.counts.totals.rounds.is_exact() {
        compare_rounds(&derived.counts.rounds, &counted.rounds, &mut list);
    }
    if list.is_empty() {
        Verdict::Agrees
    } else {
        Verdict::Differs(list)
    }
}

fn differ(derived: &Interval, counted: &BigInt, name: impl FnOnce() -> String) -> Option<Mismatch> {
    (!derived.contains(counted)).then(|| Mismatch {
        quantity: name(),
        derived: derived.clone(),
        counted: counted.clone(),
    })
}

/// Walks two lists of merged rounds side by side.
fn compare_rounds(
    derived: &[(u64, Round<Interval>)],
    counted: &[(u64, Round<BigInt>)],
    list: &mut Vec<Mismatch>,
) {
    for (number, derived, counted) in side_by_side(derived, counted) {
        compare_round(number, derived, counted, list);
        if !list.is_empty() {
            return;
        }
    }
}

fn compare_round(
    number: u64,
    derived: &Round<Interval>,
    counted: &Round<BigInt>,
    list: &mut Vec<Mismatch>,
) {
    for (of, counted) in counted.all() {
        // Of an array that it does not name, a derivation knows that there is nothing.
        let nothing = Interval::default();
        let derived = derived.get(of).unwrap_or(&nothing);
        list.extend(differ(derived, counted, || of.in_round(number)));
    }
}
