//! Claims tested at points: small admissible parameters, counted without data.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use num_bigint::BigInt;

use crate::count::Interval;
use crate::count::{Counts, Parameters};
use crate::derivation::Derivation;
use crate::derivation::evaluate::{Evaluation, Workplace};

use crate::derivation::verdict::{
    ClaimedValue, DerivedValue, Refutation, Sides, Undecided, Verdict,
};
use crate::derive::claims::letters::letter_value;
use crate::derive::claims::probe::{self, Far, Outcome, Trial};
use crate::derive::claims::sought;
use crate::diag::Diagnostic;
use crate::interval::{self, CountOptions};
use crate::meaning::{Allowance, Point, admissible_within, claim_within, widths};
use crate::number::{Rational, Real};
use crate::program::{Claim, ClaimNumber, CostSymbol, Program, Quantity};
use crate::sym::{Cond, Expr};
use crate::syntax::ast::ClaimRelation;

/// Values of b that claims are tried with, where none is given.
const WIDTHS: [i64; 6] = [2, 4, 8, 1, 3, 32];
/// Points tried for each b where closed forms give the counts.
const POINTS_EACH: usize = 200;
/// Points tried for each b where they have to be counted.
const COUNTED_EACH: usize = 8;
/// Instructions counted at one point before it is left out.
const WORK_EACH: u64 = 50_000;
/// Forms evaluated, and terms of unsolved sums added up, at one point before it is left out.
const TERMS_EACH: u64 = 10_000;
/// The same for all points of one b, after which no further one is tried: points come smallest
/// first.
const TERMS_OF_A_WIDTH: u64 = 40_000;

/// Points of a program with their counts, made when first needed.
pub(crate) struct Samples<'p> {
    program: &'p Program,
    given: &'p Parameters,
    derivation: &'p Derivation,
    allowance: &'p Allowance,
    counting: OnceCell<Counting<'p>>,
    counted: OnceCell<Vec<Sample>>,
}

/// One point with its counts.
pub(crate) struct Sample {
    point: Point,
    counts: Counts<Interval>,
}

impl Sample {
    /// What one run counted.
    pub(crate) fn of_run(point: &Point, counts: &Counts<BigInt>) -> Sample {
        let exact = |count: &BigInt| Interval::exact(count.clone());
        let rounds = counts.rounds.iter();
        let counts = Counts {
            rounds: rounds
                .map(|(times, round)| (*times, round.map(|_, count| exact(count))))
                .collect(),
            totals: counts.totals.map(|_, count| exact(count)),
        };
        Sample {
            point: point.clone(),
            counts,
        }
    }
}

impl<'p> Samples<'p> {
    /// No point counted yet.
    pub(crate) fn new(
        program: &'p Program,
        given: &'p Parameters,
        derivation: &'p Derivation,
        allowance: &'p Allowance,
    ) -> Self {
        Samples {
            program,
            given,
            derivation,
            allowance,
            counting: OnceCell::new(),
            counted: OnceCell::new(),
        }
    }

    /// Tests a claim `=`, `≤` or `≥` at every point; the smallest counterexample refutes it.
    /// `right` is its right side, where the algebra has a form of it; `required` is what all points
    /// keep to.
    pub(crate) fn test(&self, claim: &Claim, right: Option<&Expr>, required: &[Cond]) -> Verdict {
        let counting = self.counting();
        let samples = self
            .counted
            .get_or_init(|| count_samples(counting, self.given));
        let quantity = self.derivation.quantity(claim.quantity);
        let mut tested = 0;
        let mut between = None;
        let mut valueless = None;
        for sample in samples {
            match holds_at(self.program, claim, sample, self.allowance) {
                Held::Yes => tested += 1,
                Held::Between(sides) => between = between.or(Some((sample, sides))),
                Held::NoValue(why) => valueless = valueless.or(Some((sample, why))),
                Held::Unknown => {}
                Held::No(sides) => {
                    let point = sample.point.values();
                    return Verdict::Refuted(Refutation::At { point, sides });
                }
            }
        }
        // That it holds where both ends meet says nothing of the other points.
        if let (Some((sample, sides)), false) = (between, quantity.is_exact()) {
            let point = sample.point.values();
            return Verdict::Open(Undecided::Between { point, sides });
        }
        let trial = Trial {
            program: self.program,
            given: self.given,
            claim,
            derivation: self.derivation,
            allowance: self.allowance,
        };
        match probe::test(&trial, right) {
            Far::Held(more) => tested += more,
            Far::Refuted(refutation) => return Verdict::Refuted(refutation),
        }
        let by_forms = |point: &Point| trial.holds(point);
        let by_counts = |point: &Point| self.counted_at(claim, point);
        let holds: &dyn Fn(&Point) -> Outcome = if trial.is_closed() {
            &by_forms
        } else {
            &by_counts
        };
        let refutation = right.and_then(|right| sought::refutation(&trial, right, required, holds));
        if let Some(refutation) = refutation {
            return Verdict::Refuted(refutation);
        }
        if let Some((sample, why)) = valueless {
            let point = sample.point.values();
            return Verdict::Open(Undecided::NoValue { point, why });
        }
        match tested {
            0 => Verdict::Open(Undecided::NoPoint),
            points => Verdict::Tested(points),
        }
    }
}

impl<'p> Samples<'p> {
    fn counting(&self) -> &Counting<'p> {
        let counting = || Counting::new(self.program, self.derivation, self.allowance);
        self.counting.get_or_init(counting)
    }

    /// Whether a claim holds at one more point, where counting it takes no longer than at the
    /// others.
    fn counted_at(&self, claim: &Claim, point: &Point) -> Outcome {
        let counting = self.counting();
        let mut workplace = counting.evaluation.workplace();
        workplace.allow(TERMS_EACH);
        let sample = Sample {
            counts: counting.at(point, &mut workplace, || true)?,
            point: point.clone(),
        };
        match holds_at(self.program, claim, &sample, self.allowance) {
            Held::Yes => Some(Ok(())),
            Held::No(sides) => Some(Err(sides)),
            Held::Between(_) | Held::NoValue(_) | Held::Unknown => None,
        }
    }
}

/// Counts of a program at points, by its forms where they have values, else by counting.
struct Counting<'p> {
    program: &'p Program,
    allowance: &'p Allowance,
    evaluation: Evaluation,
    needs_rounds: bool,
}

impl<'p> Counting<'p> {
    fn new(program: &'p Program, derivation: &Derivation, allowance: &'p Allowance) -> Self {
        Counting {
            program,
            allowance,
            evaluation: Evaluation::new(program, derivation),
            needs_rounds: program.claims.iter().any(needs_rounds),
        }
    }

    /// The counts at a point; `may_count` is asked before they are counted.
    fn at(
        &self,
        point: &Point,
        workplace: &mut Workplace,
        may_count: impl FnOnce() -> bool,
    ) -> Option<Counts<Interval>> {
        let totals = self.evaluation.totals_at(&point.parameters, workplace).ok();
        let derived = totals.map(|totals| Counts {
            rounds: Vec::new(),
            totals,
        });
        let from_forms = derived.as_ref().and_then(|derived| {
            from_forms(
                derived,
                &self.evaluation,
                workplace,
                point,
                self.needs_rounds,
            )
        });
        if from_forms.is_some() {
            return from_forms;
        }
        let counts = may_count().then(|| by_counting(self.program, point, self.allowance))??;
        Some(match &derived {
            Some(derived) => counts.meet(derived),
            None => counts,
        })
    }
}

fn count_samples(counting: &Counting<'_>, given: &Parameters) -> Vec<Sample> {
    let Counting {
        program, allowance, ..
    } = *counting;
    let fixed = |name: &str| given.get(name).and_then(Rational::to_i64);
    let (cores, shared, global) = (
        fixed("p").unwrap_or(384),
        fixed("M").unwrap_or(1 << 20),
        fixed("G").unwrap_or(1 << 40),
    );
    let mut workplace = counting.evaluation.workplace();
    let mut samples = Vec::new();
    for b in widths(program, given, &WIDTHS) {
        let machine = [cores, b, shared, global];
        let mut counted = 0;
        let mut terms_left = TERMS_OF_A_WIDTH;
        for values in admissible_within(program, machine, given, POINTS_EACH, allowance).points {
            let Ok(point) = Point::within(program, machine, &values, allowance) else {
                continue;
            };
            let allowed = TERMS_EACH.min(terms_left);
            workplace.allow(allowed);
            let mut is_counted = false;
            let counts = counting.at(&point, &mut workplace, || {
                is_counted = true;
                counted < COUNTED_EACH
            });
            terms_left -= allowed - workplace.work_left();
            if is_counted && counted == COUNTED_EACH {
                break;
            }
            counted += usize::from(is_counted);
            samples.extend(counts.map(|counts| Sample { point, counts }));
        }
    }
    samples
}

/// Whether the rounds one by one decide a claim, beside the totals.
fn needs_rounds(claim: &Claim) -> bool {
    let is_occupancy =
        |number: &ClaimNumber| matches!(number, ClaimNumber::Symbol(CostSymbol::Occupancy));
    claim.quantity == Quantity::GpuCost || claim.value.holds(&is_occupancy)
}

/// The closed forms in numbers, where they give every count (and list every round, if asked to), and
/// are `derived` to be these totals.
fn from_forms(
    derived: &Counts<Interval>,
    evaluation: &Evaluation,
    workplace: &mut Workplace,
    point: &Point,
    needs_rounds: bool,
) -> Option<Counts<Interval>> {
    let totals = derived.totals.all();
    if !totals.iter().all(|(_, total)| total.is_exact()) {
        return None;
    }
    if !needs_rounds {
        return Some(derived.clone());
    }
    let evaluated = evaluation.at(&point.parameters, workplace).ok()?;
    (evaluated.omitted == BigInt::from(0)).then_some(evaluated.counts)
}

fn by_counting(
    program: &Program,
    point: &Point,
    allowance: &Allowance,
) -> Option<Counts<Interval>> {
    let options = CountOptions {
        work_limit: Some(WORK_EACH),
        ..CountOptions::default()
    };
    let going = |_: u64| ControlFlow::Continue(());
    let counted = interval::count_within(program, point, &options, &going, allowance).ok()?;
    counted.faults.is_empty().then_some(counted.counts)
}

/// Whether a claim holds at a point.
pub(crate) enum Held {
    /// It does.
    Yes,
    /// It does not.
    No(Sides),
    /// For some of the values that the left side may have, as far as is known.
    Between(Sides),
    /// The right side has no value there, and why.
    NoValue(String),
    /// The counts are only bounds there, or it would take too long to tell.
    Unknown,
}

/// What refutes a claim `=`, `≤` or `≥` about what data decide: the counts of one run.
pub(crate) fn refuted_by_run(program: &Program, claim: &Claim, run: &Sample) -> Option<Refutation> {
    let allowance = Allowance::of(TERMS_EACH);
    let Held::No(Sides {
        derived: DerivedValue::Exactly(counted),
        claimed,
    }) = holds_at(program, claim, run, &allowance)
    else {
        return None;
    };
    Some(Refutation::At {
        point: run.point.values(),
        sides: Sides {
            derived: DerivedValue::Counted(counted),
            claimed,
        },
    })
}

/// Whether a number does not exist, rather than being too much to work out.
fn is_of_values(fault: &Diagnostic) -> bool {
    let name = fault.code.short_name();
    name.starts_with("value::") && name != "value::overflow"
}

/// Compares the two sides of a claim `=`, `≤` or `≥` at a point with the given counts.
fn holds_at(program: &Program, claim: &Claim, sample: &Sample, allowance: &Allowance) -> Held {
    let Sample { point, counts } = sample;
    let occupancy = shared_occupancy(point, counts);
    let symbols = |which| match which {
        CostSymbol::Occupancy => occupancy.clone(),
        other => letter_value(other),
    };
    let at = (program, &point.environment);
    let right = match claim_within(at, &claim.value, &symbols, allowance) {
        Ok(Some(right)) => right,
        Err(fault) if is_of_values(&fault) => return Held::NoValue(fault.message.to_string()),
        Ok(None) | Err(_) => return Held::Unknown,
    };
    let Some((lower, upper)) = quantity(claim.quantity, point, counts) else {
        return Held::Unknown;
    };
    let (low, high) = (Real::from(lower.clone()), Real::from(upper.clone()));
    let sides = |derived| Sides {
        derived,
        claimed: ClaimedValue::from(&right),
    };
    match claim.relation {
        ClaimRelation::Equal if lower == upper => {
            if low.compare(&right).is_eq() {
                Held::Yes
            } else {
                Held::No(sides(DerivedValue::Exactly(lower)))
            }
        }
        ClaimRelation::Equal | ClaimRelation::AtMost if low.compare(&right).is_gt() => {
            Held::No(sides(if lower == upper {
                DerivedValue::Exactly(lower)
            } else {
                DerivedValue::AtLeast(lower)
            }))
        }
        ClaimRelation::Equal | ClaimRelation::AtLeast if high.compare(&right).is_lt() => {
            Held::No(sides(if lower == upper {
                DerivedValue::Exactly(upper)
            } else {
                DerivedValue::AtMost(upper)
            }))
        }
        ClaimRelation::AtMost if high.compare(&right).is_le() => Held::Yes,
        ClaimRelation::AtLeast if low.compare(&right).is_ge() => Held::Yes,
        ClaimRelation::Equal | ClaimRelation::AtMost | ClaimRelation::AtLeast => {
            Held::Between(sides(DerivedValue::Between(lower, upper)))
        }
        ClaimRelation::BigO | ClaimRelation::Omega | ClaimRelation::Theta => Held::Unknown,
    }
}

/// min(⌊M/m⌋, H), where all rounds with a kernel share it.
fn shared_occupancy(point: &Point, counts: &Counts<Interval>) -> Option<Rational> {
    let mut each = counts
        .rounds
        .iter()
        .filter(|(_, round)| round.launched_mps.upper > BigInt::from(0))
        .map(|(_, round)| resident(point, &round.shared_words.upper));
    let first = each.next()?;
    each.all(|other| other == first).then_some(first)
}

fn resident(point: &Point, shared_words: &BigInt) -> Rational {
    let most = letter_value(CostSymbol::MaxResident).expect("H has a value");
    if *shared_words == BigInt::from(0) {
        return most;
    }
    Rational::from(&point.parameters["M"] / shared_words).min(most)
}

/// The two bounds of a quantity at a point; `None` when there is none.
fn quantity(
    which: Quantity,
    point: &Point,
    counts: &Counts<Interval>,
) -> Option<(Rational, Rational)> {
    let t = &counts.totals;
    let plain = |bounded: &Interval| {
        Some((
            Rational::from(&bounded.lower),
            Rational::from(&bounded.upper),
        ))
    };
    match which {
        Quantity::Rounds => plain(&t.rounds),
        Quantity::Time => plain(&t.time),
        Quantity::TotalTime => plain(&t.total_time),
        Quantity::Io => plain(&t.io),
        Quantity::Inward => plain(&t.inward),
        Quantity::Outward => plain(&t.outward),
        Quantity::Transfer => plain(&t.transfer),
        Quantity::Transactions => plain(&t.transactions),
        Quantity::Shared => plain(&t.shared),
        Quantity::Global => plain(&t.global),
        Quantity::BankConflicts => plain(&t.bank_conflicts),
        Quantity::TransferCost => both(|end| Some(transfer_cost(counts, end))),
        Quantity::Cost => both(|end| {
            let time = Rational::from(end(&t.total_time));
            Some(with_kernels(counts, time, end))
        }),
        Quantity::GpuCost => both(|end| {
            let real = letter_value(CostSymbol::RealMps)?;
            let mut time = Rational::ZERO;
            for (count, round) in &counts.rounds {
                let places = &real * &resident(point, &round.shared_words.upper);
                if places.is_zero() {
                    return None;
                }
                let waves = (&Rational::from(end(&round.launched_mps)) / &places).ceil();
                time += &Rational::from(waves * end(&round.time) * BigInt::from(*count));
            }
            Some(with_kernels(counts, time, end))
        }),
    }
}

type End = fn(&Interval) -> &BigInt;

fn both(value: impl Fn(End) -> Option<Rational>) -> Option<(Rational, Rational)> {
    Some((
        value(|bounded| &bounded.lower)?,
        value(|bounded| &bounded.upper)?,
    ))
}

fn letter(which: CostSymbol) -> Rational {
    letter_value(which).expect("every letter but ℓ has a value")
}

fn transfer_cost(counts: &Counts<Interval>, end: End) -> Rational {
    let transactions =
        &Rational::from(end(&counts.totals.transactions)) * &letter(CostSymbol::Alpha);
    &transactions + &(&Rational::from(end(&counts.totals.transfer)) * &letter(CostSymbol::Beta))
}

/// Σ T_I + T_O + (time + λq)/γ + Rσ
fn with_kernels(counts: &Counts<Interval>, time: Rational, end: End) -> Rational {
    let latency = &Rational::from(end(&counts.totals.io)) * &letter(CostSymbol::Lambda);
    let kernels = &(&time + &latency) / &letter(CostSymbol::Gamma);
    let synchronisation = &Rational::from(end(&counts.totals.rounds)) * &letter(CostSymbol::Sigma);
    &(&transfer_cost(counts, end) + &kernels) + &synchronisation
}
