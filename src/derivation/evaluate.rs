//! A derivation at given parameters: closed forms into numbers, at one point or at very many.

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

/// Rounds written out one by one before a listing stops; the totals do not need them.
pub(crate) const MOST_ROUNDS: usize = 100_000;

/// Iterations of a host loop tried one by one: rounds that come out equal take no room, but time.
const MOST_ITERATIONS: u64 = 2_000_000;

/// A derivation in numbers.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// Rounds (at most [`MOST_ROUNDS`] entries) and totals.
    pub counts: Counts<Interval>,
    /// Rounds that are not listed.
    pub omitted: BigInt,
}

/// Why a derivation gives no numbers at a point.
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
        /// What the algebra says.
        why: EvaluateError,
    },
    /// A count that is no whole number.
    #[error("`{quantity}` could not be evaluated: {value} is not a whole number")]
    Fraction {
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        value: Rational,
    },
}

/// A derivation made ready to be evaluated at many points.
#[derive(Clone)]
pub(crate) struct Evaluation {
    forms: Forms,
    parameters: Vec<(String, Slot)>,
    totals: Totals<Ends>,
    rounds: Vec<RoundForms>,
}

/// What a line of a kernel adds to its round, at a point: in the order of [`DerivedLine::all`], none where it
/// has no form, or no value there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineAt {
    /// Its number, and that of the `execute` that led there.
    pub(crate) place: (usize, Option<usize>),
    pub(crate) numbers: [Option<Interval>; 4],
}

/// The forms of both ends; none where nothing was derived.
type Ends = Option<EndForms>;

/// As [`Ends`].
#[derive(Debug, Clone, Copy)]
struct EndForms {
    lower: Form,
    /// The same as `lower` where the number is exact.
    upper: Form,
    /// Another that the number is never above, short and closed.
    plain: Option<Form>,
    /// Whether both ends are closed too: a value takes no adding up.
    is_closed: bool,
}

impl EndForms {
    fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}

/// A round, with its host loops.
#[derive(Debug, Clone)]
struct RoundForms {
    round: Round<Ends>,
    charges: Option<Charges<Ends>>,
    /// Where they are asked for.
    lines: Vec<LineForms>,
    /// Of which round it may be part.
    joined: Option<JoinedForm>,
    loops: Vec<LoopForms>,
    /// Whether data decide how often a loop around it repeats.
    ends_by_data: bool,
    /// How often a host `while` around it repeats at most.
    at_most: Option<Form>,
    /// 1 at the parameters it is about, 0 at others; `None` when it is about all.
    when: Option<Form>,
}

/// As [`LineAt`].
#[derive(Debug, Clone)]
struct LineForms {
    place: (usize, Option<usize>),
    ends: [Ends; 4],
}

#[derive(Debug, Clone)]
struct JoinedForm {
    with: Neighbour,
    /// 1 where it is a round all the same, at most if it is not exact.
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
    /// Whether a quantity of the round is written in the loop's variable.
    is_mentioned: bool,
}

/// Where an [`Evaluation`] keeps its values; one for each thread.
#[derive(Debug, Clone)]
pub(crate) struct Workplace(Scratch);

impl Workplace {
    /// Lets so much more be evaluated, as [`Scratch::allow`].
    pub(crate) fn allow(&mut self, work: u64) {
        self.0.allow(work);
    }

    /// What is left of the work allowed.
    pub(crate) fn work_left(&self) -> u64 {
        self.0.work_left()
    }
}

impl Evaluation {
    /// Takes all forms of a derivation in, but for those of single lines.
    pub(crate) fn new(program: &Program, derivation: &Derivation) -> Self {
        Self::of(program, derivation, false)
    }

    /// Takes all forms of a derivation in, those of lines too.
    pub(crate) fn with_lines(program: &Program, derivation: &Derivation) -> Self {
        Self::of(program, derivation, true)
    }

    fn of<'d>(program: &Program, derivation: &'d Derivation, with_lines: bool) -> Self {
        let rounds = &derivation.rounds;
        let loops = rounds.iter().flat_map(|round| &round.loops);
        let moving: Vec<Symbol> = loops.map(|range| range.symbol.clone()).collect();
        let lines_of = |round: &'d DerivedRound| match with_lines {
            true => &round.lines[..],
            false => &[],
        };
        let mut forms = Forms::new(&moving);
        let ends = |quantity: &Derived, forms: &mut Forms| ends(quantity, derivation, forms);
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

    /// Room for values.
    pub(crate) fn workplace(&self) -> Workplace {
        Workplace(self.forms.scratch())
    }

    /// The numbers at a point, given the formal and machine parameters by name.
    ///
    /// # Errors
    /// As [`evaluate`].
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
    /// The totals at a point by themselves, without writing out the rounds.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub(crate) fn totals_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Result<Totals<Interval>, NoNumbers> {
        let mut values = self.values(parameters, workplace);
        self.totals
            .try_map(|quantity, ends| values.bounded(quantity.name(), *ends))
    }

    /// Each total at a point by itself: none where it has no form, or no value there.
    pub(crate) fn each_total_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Totals<Option<Interval>> {
        let mut values = self.values(parameters, workplace);
        self.totals
            .map(|quantity, ends| values.bounded(quantity.name(), *ends).ok())
    }

    /// Each quantity of each round at a point by itself, as [`Evaluation::each_total_at`]; equal rounds next
    /// to each other stand once, where there is one number of them. `None` where how often one is repeated has no
    /// value there, or there are more than are listed.
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

    /// The lines of each round at a point, as [`Evaluation::each_round_at`]; none unless they were taken in.
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

    /// Something of each round at a point.
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

    /// What the machine charges at a point: upper bounds where it is not exact.
    ///
    /// # Errors
    /// As [`charged`].
    pub(crate) fn charged_at(
        &self,
        parameters: &IndexMap<String, BigInt>,
        workplace: &mut Workplace,
    ) -> Result<Charged, NoNumbers> {
        // Without rounds there is nothing to charge; with a bound on them, only a bound.
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
            // As many bytes as a transaction may have are only a bound.
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

fn ends(quantity: &Derived, derivation: &Derivation, forms: &mut Forms) -> Ends {
    let (lower, upper) = (quantity.lower.as_ref()?, quantity.upper.as_ref()?);
    let plain = derivation.plain.get(upper);
    let is_closed = lower.is_closed() && upper.is_closed();
    let lower = (lower != upper).then(|| forms.add(lower));
    let upper = forms.add(upper);
    Some(EndForms {
        lower: lower.unwrap_or(upper),
        upper,
        plain: plain.map(|plain| forms.add(plain)),
        is_closed,
    })
}

/// The forms, with the values of a point and of the loop variables around a round.
struct Values<'v> {
    forms: &'v Forms,
    scratch: &'v mut Scratch,
    /// Whether sums without a closed form are added up: not any more where one was too long.
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

    /// The ends of a quantity, the upper one of the forms that say what it is no more than.
    fn bounded(&mut self, name: &'static str, ends: Ends) -> Result<Interval, NoNumbers> {
        let ends = ends.ok_or(NoNumbers::Underived(name))?;
        let Some(plain) = ends.plain.filter(|_| !ends.is_exact() || !ends.is_closed) else {
            return self.between(name, ends);
        };
        let found = match self.adds_up || ends.is_closed {
            true => Some(self.between(name, ends)),
            false => None,
        };
        if let Some(Ok(found)) = &found
            && found.is_exact()
        {
            return Ok(found.clone());
        }
        let most = self.rational(name, plain).map(|most| most.floor());
        match (found, most) {
            // What was found of rounds speaks of points that have such a round.
            (Some(Ok(found)), Ok(most)) if most >= found.lower => Ok(Interval {
                upper: found.upper.min(most),
                ..found
            }),
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
        // Between bounds that are fractions lie the same whole numbers as between the nearest whole ones.
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

/// The blocks of a round are those of its arrays: what is known of either says something of the other.
fn meet_parts(round: &mut Round<Interval>) {
    let arrays = round.arrays.values_mut();
    let mut parts: Vec<&mut Interval> = arrays
        .flat_map(|blocks| [&mut blocks.read, &mut blocks.write])
        .collect();
    let zero = Interval::exact(BigInt::zero());
    let sum = parts.iter().fold(zero, |sum, part| sum.plus(part));
    round.io = round.io.meet(&sum);
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

/// What is known of each of all rounds says something of their sums and of the largest.
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

/// The numbers of a derivation at a point of its program.
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
/// [`NoNumbers`] when a quantity was not derived, or a form has no value there.
pub fn evaluate(
    program: &Program,
    derivation: &Derivation,
    point: &Point,
) -> Result<Evaluated, NoNumbers> {
    let evaluation = Evaluation::new(program, derivation);
    evaluation.at(&point.parameters, &mut evaluation.workplace())
}

/// The charges of a derivation at a point of its program: upper bounds where they are not exact.
///
/// ```
/// use atgpu::derivation::evaluate::charged;
/// use atgpu::{derive::derive_charged, machine::Machine};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx280").expect("built in");
/// let cycle_rules = card.cycle_rules().expect("known");
/// let derivation = derive_charged(&program, &[("b", 32)].into(), Some(&cycle_rules));
/// let charged = charged(&program, &derivation, &program.at(&card, [("n", 64)])?).expect("derived");
/// // Per MP 3 accesses of 2 half-warps, each one segment of 64 bytes.
/// assert_eq!(charged.total(|round| &round.memory_transactions), (2 * 3 * 2).into());
/// # Ok::<(), atgpu::Error>(())
/// ```
///
/// # Errors
/// [`NoNumbers`] when a charge was not derived (or none was asked for), a form has no value there,
/// or there are more than [`MOST_ROUNDS`] different rounds.
pub fn charged(
    program: &Program,
    derivation: &Derivation,
    point: &Point,
) -> Result<Charged, NoNumbers> {
    let evaluation = Evaluation::new(program, derivation);
    evaluation.charged_at(&point.parameters, &mut evaluation.workplace())
}

/// What a round is written out as.
trait Listed: Clone + PartialEq {
    /// So many of its transfers or fewer.
    fn at_most(&mut self, times: u64);
    /// Takes transfers in that are part of the same round.
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

    /// Transfers are charged for nothing.
    fn take_in(&mut self, _: &Self) {}
}

impl Listed for Vec<LineAt> {
    fn at_most(&mut self, _: u64) {}

    /// Transfers are no lines of a kernel.
    fn take_in(&mut self, _: &Self) {}
}

/// From none to so many times a number.
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

/// Rounds as they are written out, in whatever form is asked for.
struct Listing<T> {
    rounds: Vec<(u64, T)>,
    listed: BigInt,
    /// Whether there is one number of rounds.
    knows_how_many: bool,
    /// Transfers that go on in the next round.
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

    /// Adds a round so many times; whether there was room.
    fn push(&mut self, round: T, times: u64) -> bool {
        let Some(begun) = self.begun.take() else {
            return self.push_alike(round, times);
        };
        let mut first = round.clone();
        first.take_in(&begun);
        self.push_alike(first, 1) && (times == 1 || self.push_alike(round, times - 1))
    }

    /// Adds transfers to the round before, or to the next; whether there was room.
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
                let mut merged = last.clone();
                merged.take_in(&transfers);
                self.listed -= BigInt::from(times);
                (times == 1 || self.push_alike(last, times - 1)) && self.push_alike(merged, 1)
            }
        }
    }

    /// The rounds, at last what no other followed.
    fn finish(mut self) -> Self {
        if let Some(begun) = self.begun.take() {
            self.push_alike(begun, 1);
        }
        self
    }

    fn push_alike(&mut self, round: T, times: u64) -> bool {
        let full = self.rounds.len() == MOST_ROUNDS;
        match self.rounds.last_mut() {
            // Where a word does not hold the sum, the same round stands in a second entry.
            Some((count, last)) if *last == round && *count <= u64::MAX - times => *count += times,
            Some(_) if full => return false,
            Some(_) | None => self.rounds.push((times, round)),
        }
        self.listed += BigInt::from(times);
        true
    }
}

/// What is made of a round that is written out.
type Make<'m, T> = dyn FnMut(&mut Values<'_>, &RoundForms) -> Result<T, NoNumbers> + 'm;

/// The entries that are about these parameters. Those left of one loop take turns in it, whatever
/// each of them is about.
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

/// Writes out the rounds of entries that share their first `depth` loops, iteration by iteration;
/// whether all of them found room.
fn list<T: Listed>(
    rounds: &[&RoundForms],
    depth: usize,
    values: &mut Values<'_>,
    listing: &mut Listing<T>,
    make: &mut Make<'_, T>,
) -> Result<bool, NoNumbers> {
    let mut rest = rounds;
    while let Some(first) = rest.first() {
        let Some(repeated) = first.loops.get(depth) else {
            // A host `while` may repeat it as often as its bound says.
            let times = match first.at_most {
                Some(at_most) => values.number("the host loop", at_most)?,
                None => BigInt::one(),
            };
            let times = times
                .to_u64()
                .unwrap_or(if times.is_positive() { u64::MAX } else { 0 });
            if times == 0 {
                // No turn of a `while` happens.
            } else if let Some(joined) = &first.joined
                // What may be a round is none where it is known how many there are.
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
        let from = values.number("the host loop", repeated.from)?;
        let to = values.number("the host loop", repeated.to)?;
        let (step, length) = if repeated.down {
            (-1, &from - &to)
        } else {
            (1, &to - &from)
        };
        let iterations = (length + BigInt::one())
            .max(BigInt::zero())
            .to_u64()
            .unwrap_or(u64::MAX);
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

/// Whether any quantity of a round or of these lines is written in a symbol.
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
