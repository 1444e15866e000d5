//! A derivation at given parameters: turns closed forms into numbers, at one point or at many.

use indexmap::IndexMap;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::count::{Charged, Charges, Counts, Interval, OfRound, Quantity, Round, Totals, Traffic};
use crate::derivation::letters::symbol_of;
use crate::derivation::{Derivation, Derived, DerivedLine, DerivedRound, Neighbour, Touched};
use crate::meaning::Point;
use crate::number::Rational;
use crate::program::Program;
use crate::sym::compiled::{Form, Forms, Scratch, Slot};
use crate::sym::{EvaluateError, Expr, Symbol};

/// Limit on listed entries of rounds. The totals do not depend on the listing.
pub(crate) const MOST_ROUNDS: usize = 100_000;

/// Limit on the iterations of one host loop that are evaluated one by one. Equal rounds share an entry, so
/// time is the limit, not room.
const MOST_ITERATIONS: u64 = 2_000_000;

/// A derivation in numbers.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// Rounds (at most [`MOST_ROUNDS`] entries) and totals.
    pub counts: Counts<Interval>,
    /// The number of rounds that are not listed.
    pub omitted: BigInt,
}

/// The reason why a derivation gives no numbers at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoNumbers {
    /// Some quantity was not derived.
    #[error("`{0}` has no closed form")]
    Underived(&'static str),
    /// The algebra could not evaluate a form.
    #[error("`{quantity}` could not be evaluated: {why}")]
    Unevaluated {
        /// The quantity.
        quantity: &'static str,
        /// The reason, from the algebra.
        why: EvaluateError,
    },
    /// A count evaluates to a fraction.
    #[error("`{quantity}` could not be evaluated: {value} is not a whole number")]
    Fraction {
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        value: Rational,
    },
}

/// A derivation prepared for evaluation at many points. All its expressions share one table of forms.
#[derive(Clone)]
pub(crate) struct Evaluation {
    forms: Forms,
    parameters: Vec<(String, Slot)>,
    totals: Totals<Ends>,
    rounds: Vec<RoundForms>,
}

/// The contribution of a kernel line to its round at a point, in the order of [`DerivedLine::all`]. `None`
/// for a quantity that has no form, or no value there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineAt {
    /// Its line number, and the line of the `execute` that led there.
    pub(crate) place: (usize, Option<usize>),
    pub(crate) numbers: [Option<Interval>; 4],
}

/// The forms of both ends; `None` if nothing was derived.
type Ends = Option<EndForms>;

/// The forms of the ends of one derived quantity.
#[derive(Debug, Clone, Copy)]
struct EndForms {
    lower: Form,
    /// The same as `lower` where the number is exact.
    upper: Form,
    /// A short closed form that is never below the number: a coarse upper bound.
    plain: Option<Form>,
    /// True if both ends are closed forms, so that no sum has to be added up term by term.
    is_closed: bool,
}

impl EndForms {
    fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}

/// The forms of a round and of the host loops around it.
#[derive(Debug, Clone)]
struct RoundForms {
    round: Round<Ends>,
    charges: Option<Charges<Ends>>,
    /// The lines of its kernel, if they were asked for.
    lines: Vec<LineForms>,
    /// The round that it may be part of.
    joined: Option<JoinedForm>,
    loops: Vec<LoopForms>,
    /// True if data decide the number of iterations of a loop around it.
    ends_by_data: bool,
    /// An upper bound on the iterations of the host `while`s around it.
    at_most: Option<Form>,
    /// 1 at the parameters that the entry applies to, 0 at others; `None` if it applies to all.
    when: Option<Form>,
}

/// The forms behind a [`LineAt`].
#[derive(Debug, Clone)]
struct LineForms {
    place: (usize, Option<usize>),
    ends: [Ends; 4],
}

#[derive(Debug, Clone)]
struct JoinedForm {
    with: Neighbour,
    /// 1 where it is a round of its own. If `is_exact` is false, it is at most one round there.
    alone: Form,
    is_exact: bool,
}

#[derive(Debug, Clone)]
struct LoopForms {
    symbol: Symbol,
    slot: Slot,
    from: Form,
    to: Form,
    down: bool,
    /// True if a quantity of the round depends on the loop variable.
    is_mentioned: bool,
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
        let rounds = rounds
            .iter()
            .map(|round| RoundForms {
                loops: round
                    .loops
                    .iter()
                    .map(|range| LoopForms {
                        symbol: range.symbol.clone(),
                        slot: forms.slot(&range.symbol),
                        from: forms.add(&range.from),
                        to: forms.add(&range.to),
                        down: range.down,
                        is_mentioned: mentions(round, lines_of(round), &range.symbol),
                    })
                    .collect(),
                ends_by_data: round.within_while.is_some() || round.within_until.is_some(),
                at_most: round
                    .within_while
                    .as_ref()
                    .map(|(_, at_most)| forms.add(at_most)),
                when: round
                    .when
                    .as_ref()
                    .map(|when| forms.add(&Expr::bracket(when.clone()))),
                joined: round.joined.as_ref().map(|joined| {
                    let alone = Expr::bracket(joined.alone.clone());
                    JoinedForm {
                        with: joined.with,
                        alone: forms.add(&alone),
                        is_exact: joined.is_exact,
                    }
                }),
                round: round.counts.map(|_, quantity| ends(quantity, &mut forms)),
                charges: round
                    .charges
                    .as_deref()
                    .map(|charges| charges.map(|quantity| ends(quantity, &mut forms))),
                lines: lines_of(round)
                    .iter()
                    .map(|line| LineForms {
                        place: (line.line, line.from),
                        ends: line.all().map(|(_, quantity)| ends(quantity, &mut forms)),
                    })
                    .collect(),
            })
            .collect();
        let totals = derivation
            .totals
            .map(|_, quantity| ends(quantity, &mut forms));
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
        let mut listing = Listing::new(totals.rounds.is_exact());
        let rounds = applying(&self.rounds, &mut values)?;
        list(
            &rounds,
            0,
            &mut values,
            &mut listing,
            &mut |values, round| values.round(round),
        )?;
        let listing = listing.finish();
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
}

impl Evaluation {
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
        let mut listing = Listing::new(true);
        let rounds = applying(&self.rounds, &mut values).ok()?;
        let is_whole = list(&rounds, 0, &mut values, &mut listing, make);
        is_whole.ok()?.then(|| listing.finish().rounds)
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
        let mut listing = Listing::new(true);
        let rounds = applying(&self.rounds, &mut values)?;
        if !list(&rounds, 0, &mut values, &mut listing, &mut make)? {
            return Err(NoNumbers::Underived(Touched::Charges.name()));
        }
        let mut charged = Charged::default();
        for (times, charges) in listing.finish().rounds {
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

fn upper_of(name: &'static str, ends: Ends) -> Result<Form, NoNumbers> {
    Ok(ends.ok_or(NoNumbers::Underived(name))?.upper)
}

fn ends(quantity: &Derived, forms: &mut Forms) -> Ends {
    let (lower, upper) = (quantity.lower.as_ref()?, quantity.upper.as_ref()?);
    let is_closed = lower.is_closed() && upper.is_closed();
    let lower = (lower != upper).then(|| forms.add(lower));
    let upper = forms.add(upper);
    Some(EndForms {
        lower: lower.unwrap_or(upper),
        upper,
        plain: quantity.short.as_ref().map(|short| forms.add(short)),
        is_closed,
    })
}

/// The forms, with the values at a point and of the loop variables around a round.
struct Values<'v> {
    forms: &'v Forms,
    scratch: &'v mut Scratch,
    /// True while sums without a closed form are added up. Turns false once such a sum was too long.
    adds_up: bool,
}

impl Values<'_> {
    fn rational(&mut self, name: &'static str, form: Form) -> Result<Rational, NoNumbers> {
        let value = self.forms.value(form, self.scratch);
        value.map_err(|why| NoNumbers::Unevaluated {
            quantity: name,
            why,
        })
    }

    fn number(&mut self, name: &'static str, form: Form) -> Result<BigInt, NoNumbers> {
        let value = self.rational(name, form)?;
        value.to_integer().ok_or(NoNumbers::Fraction {
            quantity: name,
            value,
        })
    }

    /// Evaluates the ends of a quantity. The upper end is the smaller of its form and its coarse bound.
    fn bounded(&mut self, name: &'static str, ends: Ends) -> Result<Interval, NoNumbers> {
        let ends = ends.ok_or(NoNumbers::Underived(name))?;
        // The coarse bound can only help if the ends differ, or if they hold a sum that may be too long to
        // add up.
        let Some(plain) = ends.plain.filter(|_| !ends.is_exact() || !ends.is_closed) else {
            return self.between(name, ends);
        };
        let found = if self.adds_up || ends.is_closed {
            Some(self.between(name, ends))
        } else {
            None
        };
        if let Some(Ok(found)) = &found
            && found.is_exact()
        {
            return Ok(found.clone());
        }
        let most = self.rational(name, plain).map(|most| most.floor());
        match (found, most) {
            // A round's lower bound assumes that the round exists; a coarse bound below it shows that it
            // does not. Then the coarse bound is ignored.
            (Some(Ok(found)), Ok(most)) if most >= found.lower => Ok(Interval {
                upper: found.upper.min(most),
                ..found
            }),
            // The ends have no value here, so the coarse bound stands alone. The first sum that is too long
            // stops adding up at this point: later ones would use as much work again.
            (Some(Err(NoNumbers::Unevaluated { .. })) | None, Ok(most)) => {
                self.adds_up = false;
                Ok(Interval {
                    lower: BigInt::zero(),
                    upper: most.max(BigInt::zero()),
                })
            }
            (Some(found), _) => found,
            (None, Err(why)) => Err(why),
        }
    }

    fn between(&mut self, name: &'static str, ends: EndForms) -> Result<Interval, NoNumbers> {
        if ends.is_exact() {
            let lower = self.number(name, ends.lower)?;
            let upper = lower.clone();
            return Ok(Interval { lower, upper });
        }
        // The whole numbers between two fractions are those between the nearest whole numbers inside.
        Ok(Interval {
            lower: self.rational(name, ends.lower)?.ceil(),
            upper: self.rational(name, ends.upper)?.floor(),
        })
    }

    fn round(&mut self, round: &RoundForms) -> Result<Round<Interval>, NoNumbers> {
        let round = &round.round;
        let mut round = round.try_map(|of, ends| self.bounded(of.letter(), *ends))?;
        if !round.io.is_exact() {
            meet_parts(&mut round);
        }
        Ok(round)
    }
}

/// Tightens the blocks of a round and of its arrays: the former is the sum of the latter.
fn meet_parts(round: &mut Round<Interval>) {
    let arrays = round.arrays.values_mut();
    let mut parts: Vec<&mut Interval> = arrays
        .flat_map(|blocks| [&mut blocks.read, &mut blocks.write])
        .collect();
    let zero = Interval::exact(BigInt::zero());
    let sum = parts.iter().fold(zero, |sum, part| sum.plus(part));
    round.io = round.io.meet(&sum);
    // Each part is the round's blocks minus all other parts. Example: io in [10, 12], others in [4, 5]
    // leave [5, 8] for the part.
    for part in &mut parts {
        let others = Interval {
            lower: &sum.lower - &part.lower,
            upper: &sum.upper - &part.upper,
        };
        let rest = Interval {
            lower: &round.io.lower - others.upper,
            upper: &round.io.upper - others.lower,
        };
        **part = part.meet(&rest);
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

/// Evaluates the charges of a derivation at a point of its program; upper bounds if they are not exact.
///
/// # Errors
/// [`NoNumbers`] if a charge was not derived (or none was asked for), a form has no value there, or there
/// are more than [`MOST_ROUNDS`] entries of rounds.
pub fn charged(
    program: &Program,
    derivation: &Derivation,
    point: &Point,
) -> Result<Charged, NoNumbers> {
    let evaluation = Evaluation::new(program, derivation);
    evaluation.charged_at(&point.parameters, &mut evaluation.workplace())
}

/// The form in which a round is listed.
trait Listed: Clone + PartialEq {
    /// Turns the transfers into an upper bound: they happen between 0 and `times` times.
    fn at_most(&mut self, times: u64);
    /// Adds transfers that belong to the same round.
    fn take_in(&mut self, transfers: &Self);
}

impl Listed for Round<Interval> {
    fn at_most(&mut self, times: u64) {
        change_traffic(self, |number| *number = up_to(number, times));
    }

    fn take_in(&mut self, transfers: &Self) {
        take_in(self, transfers, Interval::plus);
    }
}

impl Listed for Round<Option<Interval>> {
    fn at_most(&mut self, times: u64) {
        change_traffic(self, |number| {
            *number = number.as_ref().map(|number| up_to(number, times));
        });
    }

    fn take_in(&mut self, transfers: &Self) {
        take_in(self, transfers, |one, other| {
            Some(one.as_ref()?.plus(other.as_ref()?))
        });
    }
}

impl Listed for Option<Charges<Rational>> {
    fn at_most(&mut self, _: u64) {}

    /// Transfers have no charges.
    fn take_in(&mut self, _: &Self) {}
}

impl Listed for Vec<LineAt> {
    fn at_most(&mut self, _: u64) {}

    /// Transfers are not kernel lines.
    fn take_in(&mut self, _: &Self) {}
}

/// The interval from 0 to `times` times the number's upper end.
fn up_to(number: &Interval, times: u64) -> Interval {
    Interval {
        lower: BigInt::zero(),
        upper: &number.upper * times,
    }
}

fn change_traffic<N>(round: &mut Round<N>, mut change: impl FnMut(&mut N)) {
    for side in [&mut round.inward, &mut round.outward] {
        change(&mut side.words);
        change(&mut side.transactions);
    }
}

fn take_in<N>(round: &mut Round<N>, transfers: &Round<N>, plus: impl Fn(&N, &N) -> N) {
    let add = |side: &mut Traffic<N>, more: &Traffic<N>| {
        side.words = plus(&side.words, &more.words);
        side.transactions = plus(&side.transactions, &more.transactions);
    };
    add(&mut round.inward, &transfers.inward);
    add(&mut round.outward, &transfers.outward);
}

/// The list of rounds under construction, in the form asked for.
struct Listing<T> {
    rounds: Vec<(u64, T)>,
    listed: BigInt,
    /// True if the number of rounds is known exactly.
    knows_how_many: bool,
    /// Transfers that continue in the next round.
    begun: Option<T>,
}

impl<T: Listed> Listing<T> {
    fn new(knows_how_many: bool) -> Self {
        Listing {
            knows_how_many,
            rounds: Vec::new(),
            listed: BigInt::zero(),
            begun: None,
        }
    }

    /// Appends a round `times` times. Returns false if the list is full.
    fn push(&mut self, round: T, times: u64) -> bool {
        let Some(begun) = self.begun.take() else {
            return self.push_alike(round, times);
        };
        // Pending transfers belong to the first of these rounds only.
        let mut first = round.clone();
        first.take_in(&begun);
        self.push_alike(first, 1) && (times == 1 || self.push_alike(round, times - 1))
    }

    /// Adds transfers to the previous or to the next round. Returns false if the list is full.
    fn join(&mut self, mut transfers: T, with: Neighbour) -> bool {
        if let Some(begun) = self.begun.take() {
            transfers.take_in(&begun);
        }
        match (with, self.rounds.pop()) {
            (Neighbour::Next, last) => {
                self.rounds.extend(last);
                self.begun = Some(transfers);
                true
            }
            (Neighbour::Previous, None) => self.push_alike(transfers, 1),
            (Neighbour::Previous, Some((times, last))) => {
                // Only the last repetition takes the transfers in: (3, A) becomes (2, A) and (1, A with
                // them).
                let mut merged = last.clone();
                merged.take_in(&transfers);
                self.listed -= BigInt::from(times);
                (times == 1 || self.push_alike(last, times - 1)) && self.push_alike(merged, 1)
            }
        }
    }

    /// Ends the list. Transfers that no round followed become a round of their own.
    fn finish(mut self) -> Self {
        if let Some(begun) = self.begun.take() {
            self.push_alike(begun, 1);
        }
        self
    }

    fn push_alike(&mut self, round: T, times: u64) -> bool {
        let full = self.rounds.len() == MOST_ROUNDS;
        match self.rounds.last_mut() {
            // A run's length is a u64. If extending it would overflow, the same round opens a second run.
            Some((count, last)) if *last == round && *count <= u64::MAX - times => *count += times,
            Some(_) if full => return false,
            Some(_) | None => self.rounds.push((times, round)),
        }
        self.listed += BigInt::from(times);
        true
    }
}

/// Makes the listed form of a round.
type Make<'m, T> = dyn FnMut(&mut Values<'_>, &RoundForms) -> Result<T, NoNumbers> + 'm;

/// Returns the entries that apply to these parameters. The remaining entries of a loop alternate in it,
/// each under its own condition.
fn applying<'r>(
    rounds: &'r [RoundForms],
    values: &mut Values<'_>,
) -> Result<Vec<&'r RoundForms>, NoNumbers> {
    let mut applying = Vec::with_capacity(rounds.len());
    for round in rounds {
        let applies = match round.when {
            Some(when) => !values.number(Quantity::Rounds.name(), when)?.is_zero(),
            None => true,
        };
        if applies {
            applying.push(round);
        }
    }
    Ok(applying)
}

/// Lists the rounds of entries that share their first `depth` loops, iteration by iteration. Returns false
/// if the list is full.
fn list<T: Listed>(
    rounds: &[&RoundForms],
    depth: usize,
    values: &mut Values<'_>,
    listing: &mut Listing<T>,
    make: &mut Make<'_, T>,
) -> Result<bool, NoNumbers> {
    // Entries of one loop are adjacent and alternate within an iteration. Example: entries A and B in a
    // loop 1..2 list as A B A B. So the loop walks once over all of them, and recursion handles the inner
    // loops.
    let mut rest = rounds;
    while let Some(first) = rest.first() {
        let Some(repeated) = first.loops.get(depth) else {
            // A host `while` may repeat it up to its bound.
            let times = match first.at_most {
                Some(at_most) => values.number("the host loop", at_most)?,
                None => BigInt::one(),
            };
            let times = times
                .to_u64()
                .unwrap_or(if times.is_positive() { u64::MAX } else { 0 });
            if times == 0 {
                // The `while` runs no iteration.
            } else if let Some(joined) = &first.joined
                // If the number of rounds is known, a part that may or may not be a round is none.
                && (listing.knows_how_many && !joined.is_exact
                    || values.number(Quantity::Rounds.name(), joined.alone)?.is_zero())
            {
                let mut transfers = make(values, first)?;
                if first.ends_by_data {
                    transfers.at_most(times);
                }
                if !listing.join(transfers, joined.with) {
                    return Ok(false);
                }
            } else if !listing.push(make(values, first)?, times) {
                return Ok(false);
            }
            rest = &rest[1..];
            continue;
        };
        let same = |round: &&&RoundForms| {
            let other = round.loops.get(depth);
            other.is_some_and(|other| other.symbol.id == repeated.symbol.id)
        };
        let inside = &rest[..rest.iter().take_while(same).count()];
        rest = &rest[inside.len()..];
        let (from, to) = ends_of(repeated, values)?;
        let alike = |round: &&RoundForms| {
            let own = &round.loops[depth];
            own.from == repeated.from && own.to == repeated.to
        };
        if !inside.iter().all(alike) {
            if !list_some(inside, depth, values, listing, make)? {
                return Ok(false);
            }
            continue;
        }
        let iterations = iterations(&from, &to, repeated.down);
        let step = if repeated.down { -1 } else { 1 };
        // If nothing depends on the loop variable, one evaluation stands for all iterations. Joined parts
        // need the walk, as they change their neighbours.
        let constant = inside
            .iter()
            .all(|round| !round.loops[depth].is_mentioned && round.loops.len() == depth + 1);
        let is_round = inside[0].at_most.is_none() && inside[0].joined.is_none();
        if constant && inside.len() == 1 && is_round && iterations > 0 {
            values.scratch.bind(repeated.slot, (&from).into());
            let round = make(values, inside[0]);
            values.scratch.unbind(repeated.slot);
            if !listing.push(round?, iterations) {
                return Ok(false);
            }
            continue;
        }
        if iterations > MOST_ITERATIONS {
            return Ok(false);
        }
        let mut at = from;
        for _ in 0..iterations {
            values.scratch.bind(repeated.slot, (&at).into());
            let room = list(inside, depth + 1, values, listing, make);
            values.scratch.unbind(repeated.slot);
            if !room? {
                return Ok(false);
            }
            at += step;
        }
    }
    Ok(true)
}

/// Returns the ends of a loop, the first iteration first.
fn ends_of(repeated: &LoopForms, values: &mut Values<'_>) -> Result<(BigInt, BigInt), NoNumbers> {
    let from = values.number("the host loop", repeated.from)?;
    let to = values.number("the host loop", repeated.to)?;
    Ok((from, to))
}

fn iterations(from: &BigInt, to: &BigInt, down: bool) -> u64 {
    let length = if down { from - to } else { to - from };
    let iterations = (length + BigInt::one()).max(BigInt::zero());
    iterations.to_u64().unwrap_or(u64::MAX)
}

/// Lists the rounds of entries that share a loop, some of them without its first or last iteration, as
/// [`list`].
fn list_some<T: Listed>(
    rounds: &[&RoundForms],
    depth: usize,
    values: &mut Values<'_>,
    listing: &mut Listing<T>,
    make: &mut Make<'_, T>,
) -> Result<bool, NoNumbers> {
    // Example: A in r = 2..3 and B in r = 1..3 list as B A B A B.
    let mut each = Vec::with_capacity(rounds.len());
    for round in rounds {
        let repeated = &round.loops[depth];
        let (from, to) = ends_of(repeated, values)?;
        let (low, high) = if repeated.down {
            (to, from)
        } else {
            (from, to)
        };
        if low <= high {
            each.push((*round, low, high));
        }
    }
    let (Some(low), Some(high)) = (
        each.iter().map(|(_, low, _)| low).min().cloned(),
        each.iter().map(|(_, _, high)| high).max().cloned(),
    ) else {
        return Ok(true);
    };
    let repeated = &rounds[0].loops[depth];
    let iterations = iterations(&low, &high, false);
    if iterations > MOST_ITERATIONS {
        return Ok(false);
    }
    let (mut at, step) = if repeated.down { (high, -1) } else { (low, 1) };
    for _ in 0..iterations {
        let there = each
            .iter()
            .filter(|(_, low, high)| *low <= at && at <= *high);
        let there: Vec<&RoundForms> = there.map(|(round, _, _)| *round).collect();
        values.scratch.bind(repeated.slot, (&at).into());
        let room = list(&there, depth + 1, values, listing, make);
        values.scratch.unbind(repeated.slot);
        if !room? {
            return Ok(false);
        }
        at += step;
    }
    Ok(true)
}

/// Returns true if a quantity of the round or of these lines contains the symbol.
fn mentions(round: &DerivedRound, lines: &[DerivedLine], symbol: &Symbol) -> bool {
    let counts = round.counts.all().map(|(_, quantity)| quantity);
    let charges = round.charges.as_deref();
    let charged = charges.into_iter().flat_map(|charges| {
        let kinds = charges.kinds.iter().map(|(_, quantity)| quantity);
        kinds.chain(charges.named().map(|(_, quantity)| quantity))
    });
    let lines = lines.iter().flat_map(DerivedLine::all);
    let lines = lines.map(|(_, quantity)| quantity);
    let mut all = counts.chain(charged).chain(lines);
    all.any(|quantity| quantity.ends().any(|end| end.contains(symbol)))
}
