//! Bounds added up over the rounds of a program, in ms: as formulas, or as numbers of a run.

use crate::cost::expressions::over_loops;
use crate::cost::roofline::COUNT;
use crate::cost::roofline::card::Card;
use crate::cost::roofline::kernel::Kernel;
use crate::cost::{Missing, Subject};
use crate::derivation::{Derivation, Derived};
use crate::number::{BigInt, Rational};
use crate::sym::Expr;

/// The sums over the rounds of a program, in ms, as formulas.
pub(super) struct Forms {
    /// Σ launch and the greatest bound of each round.
    pub all: Expr,
    /// Σ of each bound, in the order of [`BOUNDS`](crate::cost::roofline::BOUNDS).
    pub bounds: [Expr; COUNT],
}

/// The formulas of a derivation under the machine's rules; nothing where it has no exact form.
pub(super) fn forms(derivation: &Derivation, card: &Card) -> Option<Forms> {
    let exact = Derived::exact_form;
    let mut forms = Forms {
        all: Expr::zero(),
        bounds: std::array::from_fn(|_| Expr::zero()),
    };
    for round in &derivation.rounds {
        let Some(charges) = round.charges.as_deref() else {
            continue;
        };
        // Segments that shrink by an unknown amount have no exact form.
        charges.memory_bytes.as_ref()?;
        let kernel = Kernel::of(charges, &round.counts, &exact, &exact, card, false)?;
        let bounds = kernel.bounds(card)?;
        let time = &card.launch + Expr::max(bounds.to_vec());
        forms.all = &forms.all + over_loops(derivation, round, time)?;
        for (sum, bound) in forms.bounds.iter_mut().zip(bounds) {
            *sum = &*sum + over_loops(derivation, round, bound)?;
        }
    }
    Some(forms)
}

/// The sums over the rounds of a program, in ms.
#[derive(Default)]
pub(super) struct Sums {
    pub launches: Rational,
    /// Σ of the greatest bound of each round.
    pub kernels: Rational,
    /// Σ of each bound, in the order of [`BOUNDS`](crate::cost::roofline::BOUNDS).
    pub bounds: [Rational; COUNT],
    /// Σ of each bound over the rounds where it is the greatest.
    pub bound: [Rational; COUNT],
}

/// Returns the sums, and true if they rest on exact charges.
pub(super) fn sums(subject: &Subject<'_>, card: &Card) -> Result<(Sums, bool), Missing> {
    let missing = || Missing::Charges { model: "roofline" };
    let mut sums = Sums::default();
    let is_exact = each_kernel(subject, card, &mut |times, kernel| {
        let bounds = kernel.bounds(card)?.map(|bound| bound.as_rational());
        sums.add(card, times, bounds)
    })?;
    is_exact
        .map(|is_exact| (sums, is_exact))
        .ok_or_else(missing)
}

/// Calls `act` for each kernel with its number of launches. Returns true if the charges are exact; `None` if a
/// kernel has no form or `act` fails.
pub(super) fn each_kernel(
    subject: &Subject<'_>,
    card: &Card,
    act: &mut dyn FnMut(u64, &Kernel) -> Option<()>,
) -> Result<Option<bool>, Missing> {
    let missing = || Missing::Charges { model: "roofline" };
    let charged = subject.charges.ok_or_else(missing)?;
    // Charges leave out rounds without MPs, and each list merges equal neighbours in its own way.
    let launching = subject.counts.rounds.iter();
    let mut counted = launching
        .filter(|(_, round)| round.launched_mps > BigInt::ZERO)
        .map(|(times, round)| (*times, round));
    let mut current = counted.next();
    for (times, charges) in &charged.rounds {
        let mut left = *times;
        while left > 0 {
            let (there, round) = current.ok_or_else(missing)?;
            let both = left.min(there);
            let kernel = Kernel::of(
                charges,
                round,
                &|number: &Rational| Some(Expr::rational(number.clone())),
                &|number: &BigInt| Some(Expr::rational(number.into())),
                card,
                !charged.is_exact,
            );
            if kernel.and_then(|kernel| act(both, &kernel)).is_none() {
                return Ok(None);
            }
            left -= both;
            current = match there - both {
                0 => counted.next(),
                more => Some((more, round)),
            };
        }
    }
    Ok(Some(charged.is_exact))
}

impl Sums {
    /// Adds `times` equal rounds with these bounds.
    fn add(&mut self, card: &Card, times: u64, bounds: [Option<Rational>; COUNT]) -> Option<()> {
        let times = Rational::from(BigInt::from(times));
        self.launches += &(&card.launch.as_rational()? * &times);
        let mut greatest = (0, Rational::from(0));
        for (at, bound) in bounds.into_iter().enumerate() {
            let bound = bound?;
            self.bounds[at] += &(&bound * &times);
            if bound > greatest.1 {
                greatest = (at, bound);
            }
        }
        let (at, bound) = greatest;
        self.bound[at] += &(&bound * &times);
        self.kernels += &(&bound * &times);
        Some(())
    }
}
