//! A derivation at given parameters: turns closed forms into numbers, at one point or at many.
//!
//! Takes a program with its derivation. `forms` prepares the expressions, `values` turns them into
//! numbers, and `walk` lists the rounds of all host loops.

mod forms;
mod listing;
mod values;
mod walk;

pub(crate) use listing::LineAt;
pub use values::NoNumbers;

use indexmap::IndexMap;
use num_bigint::BigInt;
use num_traits::Zero;

use crate::count::{Charged, Counts, Interval, OfRound, Quantity, Round, Totals};
use crate::derivation::evaluate::forms::{EndForms, Ends, RoundForms};
use crate::derivation::evaluate::listing::Listed;
use crate::derivation::evaluate::values::{Values, upper_of};
use crate::derivation::evaluate::walk::{Make, applying, listed};
use crate::derivation::letters::symbol_of;
use crate::derivation::{Derivation, DerivedRound, Touched};
use crate::meaning::Point;
use crate::program::Program;
use crate::sym::Symbol;
use crate::sym::compiled::{Forms, Scratch, Slot};

/// A derivation in numbers.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// Rounds (at most [`listing::MOST_ROUNDS`] entries) and totals.
    pub counts: Counts<Interval>,
    /// The number of rounds that are not listed.
    pub omitted: BigInt,
}

/// A derivation prepared for evaluation at many points. All its expressions share one table of forms.
#[derive(Clone)]
pub(crate) struct Evaluation {
    forms: Forms,
    parameters: Vec<(String, Slot)>,
    totals: Totals<Ends>,
    rounds: Vec<RoundForms>,
}

/// The values of an [`Evaluation`] at one point; one for each thread.
#[derive(Debug, Clone)]
pub(crate) struct Workplace(Scratch);

impl Workplace {
    /// Sets the work budget, as [`Scratch::allow`].
    pub(crate) fn allow(&mut self, work: u64) {
        self.0.allow(work);
    }

    /// The rest of the work budget.
    pub(crate) fn work_left(&self) -> u64 {
        self.0.work_left()
    }
}

impl Evaluation {
    /// Prepares a derivation without the forms of single lines.
    pub(crate) fn new(program: &Program, derivation: &Derivation) -> Self {
        Self::of(program, derivation, false)
    }

    /// Prepares a derivation with the forms of its lines.
    pub(crate) fn with_lines(program: &Program, derivation: &Derivation) -> Self {
        Self::of(program, derivation, true)
    }

    fn of<'d>(program: &Program, derivation: &'d Derivation, with_lines: bool) -> Self {
        let rounds = &derivation.rounds;
        let loops = rounds.iter().flat_map(|round| &round.loops);
        let moving: Vec<Symbol> = loops.map(|range| range.symbol.clone()).collect();
        let lines_of = |round: &'d DerivedRound| if with_lines { &round.lines[..] } else { &[] };
        let mut forms = Forms::new(&moving);
        let each = rounds.iter();
        let rounds = each
            .map(|round| RoundForms::of(round, lines_of(round), &mut forms))
            .collect();
        let totals = derivation
            .totals
            .map(|_, quantity| EndForms::of(quantity, &mut forms));
        let formals = program.formals.iter();
        let machine = program.machine;
        let parameters = formals
            .copied()
            .chain([machine.p, machine.b, machine.m, machine.g])
            .map(|id| {
                let slot = forms.slot(&symbol_of(program, id));
                (program.parameter(id).name.clone(), slot)
            })
            .collect();
        Evaluation {
            forms,
            parameters,
            totals,
            rounds,
        }
    }

    /// Creates a workplace for one thread.
    pub(crate) fn workplace(&self) -> Workplace {
        Workplace(self.forms.scratch())
    }

    /// Evaluates the derivation at a point, given the formal and machine parameters by name.
    ///
    /// # Errors
    /// Like [`evaluate`].
    pub(crate) fn at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Result<Evaluated, NoNumbers> {
        let mut totals = self.totals_at(parameters, workplace)?;
        let mut values = self.values(parameters, workplace);
        let rounds = applying(&self.rounds, &mut values)?;
        let knows_how_many = totals.rounds.is_exact();
        let make: &mut Make<'_, _> = &mut |values, round| values.round(round);
        let (listing, _) = listed(&rounds, knows_how_many, &mut values, make)?;
        // The listing may be incomplete. The sums over it tighten the totals only if every round is listed
        // and data decide the end of no loop.
        let omitted = (&totals.rounds.upper - &listing.listed).max(BigInt::zero());
        let are_all = totals.rounds.is_exact() && listing.listed == totals.rounds.upper;
        if are_all && !rounds.iter().any(|round| round.ends_by_data) {
            meet_sums(&mut totals, &listing.rounds);
        }
        Ok(Evaluated {
            counts: Counts {
                rounds: listing.rounds,
                totals,
            },
            omitted,
        })
    }

    /// Evaluates the totals at a point, without listing the rounds.
    ///
    /// # Errors
    /// Like [`evaluate`].
    pub(crate) fn totals_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Result<Totals<Interval>, NoNumbers> {
        let mut values = self.values(parameters, workplace);
        self.totals
            .try_map(|quantity, ends| values.bounded(quantity.name(), *ends))
    }

    /// Evaluates each total at a point on its own: `None` if it has no form, or no value there.
    pub(crate) fn each_total_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Totals<Option<Interval>> {
        let mut values = self.values(parameters, workplace);
        self.totals
            .map(|quantity, ends| values.bounded(quantity.name(), *ends).ok())
    }

    /// Evaluates each quantity of each round on its own, as [`Evaluation::each_total_at`]. Equal
    /// consecutive rounds share an entry. Returns `None` if the repetitions of a round have no value at the
    /// point, or if there are too many rounds to list.
    pub(crate) fn each_round_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Option<Vec<(u64, Round<Option<Interval>>)>> {
        self.each_at(parameters, workplace, &mut |values, round| {
            let round = &round.round;
            Ok(round.map(|of, ends| values.bounded(of.letter(), *ends).ok()))
        })
    }

    /// Evaluates the lines of each round, as [`Evaluation::each_round_at`]; no lines unless they were
    /// prepared.
    pub(crate) fn each_line_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Option<Vec<(u64, Vec<LineAt>)>> {
        self.each_at(parameters, workplace, &mut |values, round| {
            let lines = round.lines.iter().map(|line| LineAt {
                place: line.place,
                numbers: line.ends.map(|ends| values.bounded("a line", ends).ok()),
            });
            Ok(lines.collect())
        })
    }

    /// Evaluates one thing of each round at a point.
    fn each_at<T: Listed>(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
        make: &mut Make<'_, T>,
    ) -> Option<Vec<(u64, T)>> {
        let mut values = self.values(parameters, workplace);
        let rounds = applying(&self.rounds, &mut values).ok()?;
        let (listing, is_whole) = listed(&rounds, true, &mut values, make).ok()?;
        is_whole.then_some(listing.rounds)
    }

    /// Evaluates the charges of the machine at a point; upper bounds if they are not exact.
    ///
    /// # Errors
    /// Like [`charged`].
    pub(crate) fn charged_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Result<Charged, NoNumbers> {
        // Without the number of rounds nothing can be charged; with a bound on it, only bounds.
        let rounds = self
            .totals
            .rounds
            .ok_or(NoNumbers::Underived(Quantity::Rounds.name()))?;
        let mut is_exact = rounds.is_exact();
        let mut values = self.values(parameters, workplace);
        let mut make = |values: &mut Values<'_>, round: &RoundForms| {
            let charges = round.charges.as_ref();
            let (zero, mps) = (Ok(BigInt::zero()), OfRound::LaunchedMps.letter());
            if charges.is_none()
                && values.number(mps, upper_of(mps, round.round.launched_mps)?) == zero
            {
                return Ok(None);
            }
            let charges = charges.ok_or(NoNumbers::Underived(Touched::Charges.name()))?;
            let numbers = charges.try_map(|ends| {
                is_exact &= ends.is_some_and(EndForms::is_exact);
                let name = Touched::Charges.name();
                values.rational(name, upper_of(name, *ends)?)
            })?;
            let launches = !numbers.launched_mps.is_zero();
            // Without known bytes, the largest possible transactions give only a bound.
            is_exact &= !launches || numbers.memory_bytes.is_some();
            Ok(launches.then_some(numbers))
        };
        let rounds = applying(&self.rounds, &mut values)?;
        let (listing, is_whole) = listed(&rounds, true, &mut values, &mut make)?;
        if !is_whole {
            return Err(NoNumbers::Underived(Touched::Charges.name()));
        }
        let mut charged = Charged::default();
        for (times, charges) in listing.rounds {
            if let Some(charges) = charges {
                charged.push(times, charges);
            }
        }
        charged.is_exact = is_exact;
        Ok(charged)
    }

    fn values<'v>(
        &'v self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &'v mut Workplace,
    ) -> Values<'v> {
        let scratch = &mut workplace.0;
        scratch.next_point();
        for (name, slot) in &self.parameters {
            match parameters.get(name) {
                Some(value) => scratch.bind(*slot, value.into()),
                None => scratch.unbind(*slot),
            }
        }
        Values {
            forms: &self.forms,
            scratch,
            adds_up: true,
        }
    }
}

/// Tightens the totals by the rounds: totals are sums over rounds, or the maximum.
fn meet_sums(totals: &mut Totals<Interval>, rounds: &[(u64, Round<Interval>)]) {
    let mut sums = Totals::<Interval>::default();
    for (times, round) in rounds {
        let times = BigInt::from(*times);
        sums.time.raise(&round.time);
        sums.total_time.add(&round.time.scale(&times));
        sums.io.add(&round.io.scale(&times));
        sums.bank_conflicts.add(&round.bank_conflicts.scale(&times));
    }
    for (total, sum) in [
        (&mut totals.time, sums.time),
        (&mut totals.total_time, sums.total_time),
        (&mut totals.io, sums.io),
        (&mut totals.bank_conflicts, sums.bank_conflicts),
    ] {
        if !total.is_exact() {
            *total = total.meet(&sum);
        }
    }
}

/// Evaluates a derivation at a point of its program.
///
/// ```
/// use atgpu::derivation::evaluate::evaluate;
/// use atgpu::machine::Machine;
///
/// let program = atgpu::examples::vector_addition();
/// let derivation = program.derive()?;
/// let card = Machine::built_in("gtx650").expect("built in");
/// let numbers = evaluate(&program, &derivation, &program.at(&card, [("n", 64)])?);
/// assert_eq!(numbers.expect("closed forms").counts.upper().totals.io, 6.into());
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// [`NoNumbers`] if a quantity was not derived, or a form has no value there.
pub fn evaluate(
    program: &Program,
    derivation: &Derivation,
    point: &Point,
) -> Result<Evaluated, NoNumbers> {
    let evaluation = Evaluation::new(program, derivation);
    evaluation.at(&point.parameters, &mut evaluation.workplace())
}

/// As [`evaluate`], with so much work at most: forms and terms of unsolved sums together.
///
/// # Errors
/// Like [`evaluate`], and where it takes more work.
pub(crate) fn evaluate_within(
    work: u64,
    program: &Program,
    derivation: &Derivation,
    point: &Point,
) -> Result<Evaluated, NoNumbers> {
    let evaluation = Evaluation::new(program, derivation);
    let mut workplace = evaluation.workplace();
    workplace.allow(work);
    evaluation.at(&point.parameters, &mut workplace)
}

/// Evaluates the charges of a derivation at a point of its program; upper bounds if they are not exact.
///
/// # Errors
/// [`NoNumbers`] if a charge was not derived (or none was asked for), a form has no value there, or there
/// are more than [`listing::MOST_ROUNDS`] entries of rounds.
pub fn charged(
    program: &Program,
    derivation: &Derivation,
    point: &Point,
) -> Result<Charged, NoNumbers> {
    let evaluation = Evaluation::new(program, derivation);
    evaluation.charged_at(&point.parameters, &mut evaluation.workplace())
}
