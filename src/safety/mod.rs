//! Safety for every size: bounds, races, initialisation, values and limits, proved for all that the
//! `require`s admit, refuted by a run, or open.
//!
//! Comes in: a checked program and the values given. Goes out: a [`Safety`], each place with its
//! verdict. [`walk`] goes through the program as it runs and asks, where they stand, [`bounds`],
//! [`defined`], [`races`] and [`cover`], and of the header [`requires`]; [`forms`] are expressions over
//! symbols, with words that are read as symbols of their own; [`site`] is what is known where memory is
//! touched, [`digits`] the same with an index taken apart, and [`maps`] are maps that miss no number; [`contents`] are ends
//! between which all words of a variable lie. What is not proved is run at small points
//! ([`witness`]): a fault there refutes it, [`missing`] looks for the `require` that would exclude it, and
//! [`guarded`] for the `if`.
//!
//! Never says proved because nothing failed, nor refuted without a run that fails. Counts nothing.

mod aimed;
mod argument;
mod bounds;
mod contents;
mod copies;
mod cover;
mod defined;
mod digits;
mod fits;
mod forms;
mod guarded;
mod induction;
mod largest;
mod maps;
mod missing;
mod numbered;
mod races;
mod requires;
mod site;
mod verdict;
mod walk;
mod witness;

pub use fits::{Fits, fits};
pub(crate) use fits::{always_exceeds, exceeding_need, held_in_shared, memory_text};
pub use verdict::{
    Argument, Guard, Judged, Lack, Missing, Property, Reason, Rule, Subject, Verdict, Witness,
};
pub use witness::Tried;
#[doc(hidden)]
pub use witness::says_no_run;

use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::number::Rational;
use crate::program::Program;
use crate::safety::argument::Header;
use crate::safety::contents::Contents;
use crate::safety::forms::Forms;
use crate::safety::missing::Candidate;
use crate::safety::site::{Ask, Place, work_in_all};
use crate::safety::walk::Walk;
use crate::sym::Facts;
use crate::symbolic::{self, symbols::Symbols};
use crate::text::Span;

/// How much is asked of the safety of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many times the usual work may be done for proofs and runs, from 1.
    pub effort: u32,
    /// Whether each proof is told with its [`Argument`], which takes many more proofs.
    pub argues: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            effort: 1,
            argues: false,
        }
    }
}

/// What a walk begins with, beside the program.
#[derive(Clone, Copy)]
struct Setting<'s> {
    given: &'s Parameters,
    /// One more condition that is required.
    more: Option<&'s Candidate>,
    /// The ends between which words are known to lie.
    contents: &'s Contents,
    options: Options,
}

impl<'s> Setting<'s> {
    fn of(given: &'s Parameters, contents: &'s Contents) -> Setting<'s> {
        Setting {
            given,
            more: None,
            contents,
            options: Options::default(),
        }
    }
}

/// Values that proofs are tried without, at most.
const MOST_FREED: usize = 3;

/// What was found of a program.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Safety {
    /// Every place, in the order the program runs.
    pub judged: Vec<Judged>,
    /// What memory it needs.
    pub fits: Fits,
    /// What was run for what could not be proved.
    pub tried: Tried,
    /// The `require` that the others contradict: then no size is admitted, and nothing is safe or not.
    pub contradiction: Option<Span>,
}

impl Safety {
    /// The places that a property is about.
    ///
    /// ```
    /// use atgpu::{machine::Machine, safety::{Property, safety}};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let safety = safety(&program, &().into(), &card);
    /// assert!(safety.of(Property::Races).all(|place| place.verdict.is_proved()));
    /// ```
    pub fn of(&self, property: Property) -> impl Iterator<Item = &Judged> {
        let all = self.judged.iter();
        all.filter(move |judged| judged.property == property)
    }

    /// The worst verdict of a property; none where nothing is judged.
    ///
    /// ```
    /// use atgpu::{machine::Machine, safety::{Property, safety}};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// let safety = safety(&program, &().into(), &card);
    /// let worst = safety.worst(Property::Bounds).expect("it has accesses");
    /// assert_eq!(worst.name(), "proved");
    /// ```
    pub fn worst(&self, property: Property) -> Option<&Verdict> {
        let verdicts = self.of(property).map(|judged| &judged.verdict);
        verdicts.max_by_key(|verdict| match verdict {
            Verdict::Proved(_) => 0,
            Verdict::Open(_) => 1,
            Verdict::Refuted(_) => 2,
        })
    }

    /// Whether every property is proved.
    ///
    /// ```
    /// use atgpu::{machine::Machine, safety::safety};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert!(safety(&program, &().into(), &card).is_safe());
    /// ```
    pub fn is_safe(&self) -> bool {
        self.judged.iter().all(|judged| judged.verdict.is_proved())
    }

    /// Whether a run refutes some place.
    ///
    /// ```
    /// use atgpu::{machine::Machine, safety::safety};
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let card = Machine::built_in("gtx650").expect("built in");
    /// assert!(!safety(&program, &().into(), &card).is_refuted());
    /// ```
    pub fn is_refuted(&self) -> bool {
        let mut verdicts = self.judged.iter().map(|judged| &judged.verdict);
        verdicts.any(|verdict| matches!(verdict, Verdict::Refuted(_)))
    }

    /// Whether a fault was met at some size with the machine's own b. A number that is not whole must be met at all: the
    /// program is for other sizes then, and is refused at this one before it does anything.
    pub(crate) fn is_met_at_own_width(&self, program: &Program, fault: &Diagnostic) -> bool {
        let met = witness::met(program, fault);
        let own = &self.tried.at_own_width;
        let is_refused = fault.code.short_name() == "value::not-integral";
        own.faults.contains(&met) && (!is_refused || own.failed == own.sizes)
    }
}

/// Proves what can be proved of a program, with the values given as facts like any other, and runs
/// it at small points for what is left.
///
/// ```
/// use atgpu::{machine::Machine, safety::{Property, safety}};
///
/// // No guard, and n need not be a multiple of b.
/// let program = atgpu::program(
///     "algorithm Fill(n)\n  require n ≥ 1\n  global c[n]\n  shared _x[b]\n  output C[n]\n  \
///      for all mp_i ∈ MP[0..⌈n/b⌉-1] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
///      _x[j] ← i\n      c[ib + j] ⇐ _x[j]\n    end for\n  end for\n  C ⇚ c\n",
/// )?;
/// let card = Machine::built_in("gtx650").expect("built in");
/// let safety = safety(&program, &().into(), &card);
/// assert_eq!(safety.worst(Property::Bounds).map(|worst| worst.name()), Some("refuted"));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn safety(program: &Program, given: &Parameters, machine: &Machine) -> Safety {
    safety_with(program, given, machine, Options::default())
}

/// As [`safety()`], with more work or with arguments.
pub fn safety_with(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    options: Options,
) -> Safety {
    let unknown = Contents::default();
    let setting = Setting {
        options,
        ..Setting::of(given, &unknown)
    };
    let mut judged = proofs_in(program, setting).unwrap_or_default();
    let fits = fits(program, given, machine);
    let contradiction = symbolic::header::contradicted(program, given);
    let most = witness::MOST_OPERATIONS.saturating_mul(options.effort.into());
    let mut tried = witness::refute(program, given, machine, most, &mut judged);
    if tried.first_fault.is_some() {
        tried.at_own_width = witness::at_own_width(program, given, machine, &judged);
        let own = &tried.at_own_width;
        missing::propose(program, given, machine, own, &mut judged);
        guarded::propose(program, given, &mut judged);
    }
    Safety {
        judged,
        fits,
        tried,
        contradiction,
    }
}

/// As [`safety()`], where a run refutes some place; `None` where none does. Proves no more than it takes
/// to know that: once something is not proved, the runs decide.
///
/// ```
/// use atgpu::{machine::Machine, safety::refuted};
///
/// let program = atgpu::examples::vector_addition();
/// let card = Machine::built_in("gtx650").expect("built in");
/// assert!(refuted(&program, &().into(), &card).is_none());
/// ```
#[doc(hidden)]
pub fn refuted(program: &Program, given: &Parameters, machine: &Machine) -> Option<Safety> {
    let unknown = Contents::default();
    let mut walk = walked(program, Setting::of(given, &unknown), Walk::until_open)?;
    let is_open = walk.judged.iter().any(|found| !found.verdict.is_proved());
    if is_open || walk.is_whole() {
        let most = witness::OPERATIONS_IN_PASSING;
        witness::refute(program, given, machine, most, &mut walk.judged).first_fault?;
    }
    Some(safety(program, given, machine)).filter(Safety::is_refuted)
}

/// Whether every place is proved for all values that the program admits, by one walk and without any run. Whether the
/// memories hold what it needs is another matter.
///
/// ```
/// let program = atgpu::examples::vector_addition();
/// assert!(atgpu::safety::is_proved(&program));
/// ```
#[doc(hidden)]
pub fn is_proved(program: &Program) -> bool {
    let (given, unknown) = (Parameters::new(), Contents::default());
    let walk = walked(program, Setting::of(&given, &unknown), Walk::until_open);
    walk.is_some_and(|walk| {
        let mut verdicts = walk.judged.iter().map(|found| &found.verdict);
        walk.is_whole() && verdicts.all(Verdict::is_proved)
    })
}

/// The places of a property that have a proof, without any run.
///
/// ```
/// use atgpu::safety::{Property, proved};
///
/// let program = atgpu::examples::vector_addition();
/// let races = proved(&program, &().into()).into_iter();
/// assert_eq!(races.filter(|found| found.property == Property::Races).count(), 7);
/// ```
pub fn proved(program: &Program, given: &Parameters) -> Vec<Judged> {
    let mut judged = proofs(program, given);
    judged.retain(|found| found.verdict.is_proved());
    judged
}

/// Every place with what can be proved of it.
pub(crate) fn proofs(program: &Program, given: &Parameters) -> Vec<Judged> {
    proofs_under(program, given, None).unwrap_or_default()
}

/// As [`proofs`], where one condition more is required; `None` where it contradicts the others.
fn proofs_under(
    program: &Program,
    given: &Parameters,
    more: Option<&Candidate>,
) -> Option<Vec<Judged>> {
    let unknown = Contents::default();
    let setting = Setting {
        more,
        ..Setting::of(given, &unknown)
    };
    proofs_in(program, setting)
}

fn proofs_in(program: &Program, setting: Setting<'_>) -> Option<Vec<Judged>> {
    let mut judged = walked(program, setting, Walk::new)?.judged;
    if setting.more.is_none() {
        induction::prove(program, setting, &mut judged);
    }
    for fewer in &fewer_values(setting.given) {
        if judged.iter().all(|found| found.verdict.is_proved()) {
            break;
        }
        let setting = Setting {
            given: fewer,
            ..setting
        };
        if let Some(walk) = walked(program, setting, Walk::new) {
            take_over(&walk.judged, &mut judged);
        }
    }
    Some(judged)
}

/// The values given, but for some of them, most values first: a value takes no proof away, though with a number
/// in a symbol's place some rules find less.
fn fewer_values(given: &Parameters) -> Vec<Parameters> {
    let free: Vec<&str> = given
        .iter()
        .filter(|(name, value)| {
            // As the walk takes them, where nobody gives them.
            let least = if *name == "b" { 1 } else { 0 };
            value.is_integer() && **value >= Rational::from(least)
        })
        .map(|(name, _)| name)
        .take(MOST_FREED)
        .collect();
    let mut left_out: Vec<u32> = (1..1 << free.len()).collect();
    left_out.sort_by_key(|chosen| chosen.count_ones());
    let without = |chosen: u32| {
        let mut fewer = given.clone();
        for (at, name) in free.iter().enumerate() {
            if chosen >> at & 1 == 1 {
                fewer.remove(name);
            }
        }
        fewer
    };
    left_out.into_iter().map(without).collect()
}

/// Proves what is proved wherever the same is judged by a walk that knows less.
fn take_over(of_more: &[Judged], judged: &mut [Judged]) {
    for found in judged {
        if found.verdict.is_proved() {
            continue;
        }
        let mut same = of_more.iter().filter(|other| {
            (other.property, other.span, other.subject)
                == (found.property, found.span, found.subject)
        });
        let Some(first) = same.next().filter(|other| other.verdict.is_proved()) else {
            continue;
        };
        if same.all(|other| other.verdict.is_proved()) {
            found.verdict = first.verdict.clone();
            found.argument = first.argument.clone();
        }
    }
}

/// The walk of a program; `None` as in [`proofs_under`].
fn walked<'p>(
    program: &'p Program,
    setting: Setting<'_>,
    walk: fn(&'p Program, Forms<'p>) -> Walk<'p>,
) -> Option<Walk<'p>> {
    let Setting {
        given,
        more,
        contents,
        options,
    } = setting;
    let mut symbols = Symbols::new(program);
    let mut facts = known(program, given, &mut symbols);
    if let Some(more) = more {
        facts.suppose(&more.condition(&symbols)?);
        if !facts.are_met() {
            return None;
        }
    }
    let mut place = Place {
        facts,
        scopes: Vec::new(),
        indices: Vec::new(),
        guards: Vec::new(),
        truths: Vec::new(),
        words: Vec::new(),
        doubts: Vec::new(),
        work_in_all: match more {
            None => work_in_all(program.kernels().count()),
            // What is proposed is tried many times over.
            Some(_) => work_in_all(0),
        },
        effort: options.effort.into(),
    };
    let mut forms = Forms::new(program, symbols);
    forms.contents = contents.clone();
    let mut walk = walk(program, forms);
    walk.header = options.argues.then(|| Header::of(program, given));
    walk.run(&mut place);
    Some(walk)
}

/// Formals and machine parameters bound, and what the `require`s say of them.
fn known(program: &Program, given: &Parameters, symbols: &mut Symbols<'_>) -> Facts {
    let mut facts = Facts::new();
    facts.allow(Ask::Step.work());
    symbolic::header::bind_parameters(program, given, symbols, &mut facts);
    symbolic::header::bind_required(program, symbols, &mut facts);
    symbolic::header::assume_requires_of_naturals(program, symbols, &mut facts);
    facts
}
