//! Derivation against execution: the one file that sees both.
//!
//! The two share no counting code, so their agreement on every quantity of every round is what the
//! project's numbers rest on. A difference is `derive::mismatch`, showing both.

use num_bigint::BigInt;

use crate::count::Bounded;
use crate::count::{Counts, Round};
use crate::derivation::Derivation;
use crate::derivation::evaluate::{Evaluated, NoNumbers, evaluate};
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
    pub derived: String,
    /// The counted value.
    pub counted: BigInt,
}

/// What comparing the two engines gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every derived quantity agrees; bounds hold what was counted.
    Agrees,
    /// Nothing to compare: the derivation has no numbers here.
    NothingDerived(String),
    /// They differ.
    Differs(Vec<Mismatch>),
}

impl Verdict {
    /// `matches_derivation` of the JSON.
    ///
    /// ```
    /// # use atgpu::verify::Verdict;
    /// assert_eq!(Verdict::Agrees.matches(), Some(true));
    /// assert_eq!(Verdict::NothingDerived("no closed form".into()).matches(), None);
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
    /// # use atgpu::verify::{Mismatch, Verdict};
    /// let differ = Mismatch { quantity: "io".into(), derived: "96".into(), counted: 97.into() };
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
/// # use atgpu::{exec::{Input, Options}, machine::Machine};
/// # let program = atgpu::examples::vector_addition();
/// # let card = Machine::built_in("gtx650").expect("built in");
/// # let mut options = Options { trace: Some(vec![0]), ..Options::default() };
/// # options.inputs.extend(["A", "B"].map(|name| (name.to_owned(), Input::Iota)));
/// let run = program.run(&card, [("n", 64)], &options)?;
/// use atgpu::verify::{Verdict, verify};
///
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
    match evaluate(program, derivation, point) {
        Ok(evaluated) => compare(&evaluated, counted),
        Err(why @ (NoNumbers::Underived(_) | NoNumbers::Unevaluated { .. })) => {
            Verdict::NothingDerived(why.to_string())
        }
    }
}

/// Compares derived (or data-free counted) numbers with executed ones: all totals, and round by
/// round where their number is known.
///
/// ```
/// # use atgpu::{exec::{Input, Options}, machine::Machine};
/// # let program = atgpu::examples::vector_addition();
/// # let card = Machine::built_in("gtx650").expect("built in");
/// # let mut options = Options { trace: Some(vec![0]), ..Options::default() };
/// # options.inputs.extend(["A", "B"].map(|name| (name.to_owned(), Input::Iota)));
/// let run = program.run(&card, [("n", 64)], &options)?;
/// use atgpu::derivation::evaluate::evaluate;
/// use atgpu::verify::{Verdict, compare};
///
/// let derived = evaluate(&program, &program.derive()?, &program.at(&card, [("n", 64)])?);
/// assert_eq!(compare(&derived.expect("closed forms"), run.counts()), Verdict::Agrees);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn compare(derived: &Evaluated, counted: &Counts<BigInt>) -> Verdict {
    let mut list = Vec::new();
    let totals = derived
        .counts
        .totals
        .named()
        .into_iter()
        .zip(counted.totals.named());
    for ((name, derived), (_, counted)) in totals {
        differ(name, derived, counted, &mut list);
    }
    if derived.counts.totals.rounds.lower == derived.counts.totals.rounds.upper {
        compare_rounds(&derived.counts.rounds, &counted.rounds, &mut list);
    }
    if list.is_empty() {
        Verdict::Agrees
    } else {
        Verdict::Differs(list)
    }
}

fn differ(name: &str, derived: &Bounded, counted: &BigInt, list: &mut Vec<Mismatch>) {
    if derived.lower <= *counted && *counted <= derived.upper {
        return;
    }
    let both = if derived.lower == derived.upper {
        derived.lower.to_string()
    } else {
        format!("{} to {}", derived.lower, derived.upper)
    };
    list.push(Mismatch {
        quantity: name.to_owned(),
        derived: both,
        counted: counted.clone(),
    });
}

/// Walks two lists of merged rounds side by side.
fn compare_rounds(
    derived: &[(u64, Round<Bounded>)],
    counted: &[(u64, Round<BigInt>)],
    list: &mut Vec<Mismatch>,
) {
    let mut number = 1;
    let (mut left, mut right) = (derived.iter(), counted.iter());
    let (mut here, mut there) = (left.next().cloned(), right.next().cloned());
    while let (Some((many, expected)), Some((more, found))) = (&mut here, &mut there) {
        compare_round(number, expected, found, list);
        if !list.is_empty() {
            return;
        }
        let together = (*many).min(*more);
        number += together;
        *many -= together;
        *more -= together;
        let (left_done, right_done) = (*many == 0, *more == 0);
        if left_done {
            here = left.next().cloned();
        }
        if right_done {
            there = right.next().cloned();
        }
    }
}

fn compare_round(
    number: u64,
    derived: &Round<Bounded>,
    counted: &Round<BigInt>,
    list: &mut Vec<Mismatch>,
) {
    let mut check = |name: &str, derived: &Bounded, counted: &BigInt| {
        differ(&format!("{name} of round {number}"), derived, counted, list);
    };
    check("k", &derived.launched_mps, &counted.launched_mps);
    check("t", &derived.time, &counted.time);
    check("q", &derived.io, &counted.io);
    check("I", &derived.inward.words, &counted.inward.words);
    check(
        "Î",
        &derived.inward.transactions,
        &counted.inward.transactions,
    );
    check("O", &derived.outward.words, &counted.outward.words);
    check(
        "Ô",
        &derived.outward.transactions,
        &counted.outward.transactions,
    );
    check("m", &derived.shared_words, &counted.shared_words);
    check("g", &derived.global_words, &counted.global_words);
    check(
        "bank_conflicts",
        &derived.bank_conflicts,
        &counted.bank_conflicts,
    );
    for (name, blocks) in &counted.arrays {
        let (read, write) = match derived.arrays.get(name) {
            Some(derived) => (derived.read.clone(), derived.write.clone()),
            None => Default::default(),
        };
        check(&format!("blocks read of `{name}`"), &read, &blocks.read);
        check(
            &format!("blocks written of `{name}`"),
            &write,
            &blocks.write,
        );
    }
}
