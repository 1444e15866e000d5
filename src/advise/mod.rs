//! Advice: changes of an algorithm that are right, with exactly what each one saves.
//!
//! Comes in: a checked program and a [`Question`]: a machine, a model, and the size that matters. Goes out: an
//! [`Advice`], the best [`Proposal`] first. Each of the [`REWRITES`] makes drafts of text edits. A draft becomes a
//! proposal only if the new text checks, gains at least one percent ([`worth`]), is as safe as the original, and gives
//! the same outputs on the same data ([`right`]). Then the search goes on from the best one.
//!
//! Nothing is shown because it looks like an improvement. Nothing is written to a file here.

mod claims;
mod draft;
mod names;
mod rewrites;
mod right;
mod subject;
mod version;
mod worth;

use std::cell::OnceCell;
use std::cmp::Reverse;

use crate::advise::draft::Draft;
use crate::advise::right::Trials;
use crate::advise::version::Version;
use crate::cost::Model;
use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::meaning::{Point, admissible_points};
use crate::number::{BigInt, Rational};
use crate::program::{Program, Scope};
use crate::room::with_room;

pub use draft::Keeps;
pub use rewrites::{REWRITES, Rewrite};
pub use right::Right;
pub use worth::{Change, Sizes};

/// The most drafts that are judged for one program: the budget of a search.
const MOST_JUDGED: usize = 60;

/// The most rewrites of one proposal, one after the other.
const MOST_STEPS: usize = 3;

/// Where no size is given: the largest power of two that a single formal gets, or each of several, and the most words
/// of global memory.
const MOST_POWER: u32 = 24;
const MOST_POWER_OF_SEVERAL: u32 = 11;
const MOST_WORDS: i64 = 1 << 25;

/// The most sizes whose cost is looked for, and the powers of two between them.
const MOST_SIZES: usize = 3;
const SIZES_APART: usize = 3;

/// The least gain of a proposal: one part in so many of the cost.
const LEAST_PART: i64 = 100;

/// The machine, the model and the size that an advice is for.
pub struct Question<'a> {
    /// The machine, with the figures given for it.
    pub machine: &'a Machine,
    /// The model whose cost counts.
    pub model: &'static dyn Model,
    /// The values of formals that are given.
    pub given: &'a Parameters,
    /// True if each shared operand costs its degree.
    pub charges_conflicts: bool,
}

/// The advice on a program.
#[derive(Debug, Clone)]
pub struct Advice {
    /// The size: a value for every formal.
    pub size: Parameters,
    /// The cost of the program there, in ms; `None` where no rewrite has anything to propose.
    pub cost: Option<Rational>,
    /// The proposals, the largest gain first.
    pub proposals: Vec<Proposal>,
    /// The fate of all drafts.
    pub tried: Tried,
}

/// The number of drafts, and why the others are not shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tried {
    /// Drafts judged.
    pub drafts: usize,
    /// Drafts that do not check.
    pub unchecked: usize,
    /// Drafts that gain under one percent, or have no exact cost.
    pub gainless: usize,
    /// Drafts that are less safe than the original, or gave another output.
    pub wrong: usize,
    /// True if the budget ended the search.
    pub is_cut: bool,
}

/// A change that is right and worth it.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// Its rewrites, in order.
    pub steps: Vec<Step>,
    /// The text with all of them.
    pub text: String,
    /// Why it is right.
    pub right: Right,
    /// The cost at the size, before and after, in ms.
    pub costs: [Rational; 2],
    /// True if these costs charge bank conflicts.
    pub charges_conflicts: bool,
    /// The quantities that change.
    pub changes: Vec<Change>,
    /// The sizes at which it is cheaper; `None` without a formal.
    pub sizes: Option<Sizes>,
    /// Claims about the old counts, as they were: the new text has their new values.
    pub claims: Vec<String>,
}

/// One rewrite of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name of the rewrite.
    pub rewrite: &'static str,
    /// The line that is changed first, in the text before this step.
    pub line: usize,
    /// Why the values stay.
    pub why: String,
}

/// Why there is no advice.
#[derive(Debug, Clone)]
pub enum NoAdvice {
    /// The program admits no size that fits the machine.
    NoSize,
    /// Its cost at the size is not known exactly, or the model lacks a figure of the machine.
    NoCost,
    /// It fails, or refuses the size: the faults say on which data, and why.
    Fails(Vec<Diagnostic>),
}

impl Proposal {
    /// The part of the cost that is saved, between 0 and 1.
    pub fn gain(&self) -> Rational {
        saved(&self.costs).unwrap_or_default()
    }
}

/// The part of the first cost that the second saves.
fn saved([before, after]: &[Rational; 2]) -> Option<Rational> {
    (before - after).checked_div(before)
}

/// Looks for changes of a program that are right and save something.
///
/// # Errors
/// [`NoAdvice`].
pub fn advise(program: &Program, question: &Question<'_>) -> Result<Advice, NoAdvice> {
    with_room(|| {
        let original = Version::of(program.clone()).ok_or(NoAdvice::NoSize)?;
        let subject = original.subject();
        let mut rewrites = REWRITES.iter();
        if rewrites.all(|rewrite| (rewrite.drafts)(&subject).is_empty()) {
            return Ok(Advice {
                size: question.given.clone(),
                cost: None,
                proposals: Vec::new(),
                tried: Tried::default(),
            });
        }
        Search::new(&original, question)?.advice()
    })
}

/// Every program that one rewrite makes of this one and that checks, judged by nobody: for tests of the rewrites.
pub fn rewritten(program: &Program) -> Vec<(&'static str, Keeps, Program)> {
    let Some(original) = Version::of(program.clone()) else {
        return Vec::new();
    };
    let subject = original.subject();
    let drafts = REWRITES.iter().flat_map(|rewrite| {
        let drafts = (rewrite.drafts)(&subject).into_iter();
        drafts.map(|draft| (rewrite.name, draft))
    });
    let made = drafts.filter_map(|(name, draft)| {
        let version = original.with(&draft.edits)?;
        Some((name, draft.keeps, version.program))
    });
    made.collect()
}

/// The search for one program.
struct Search<'s> {
    original: &'s Version,
    question: &'s Question<'s>,
    size: Parameters,
    cost: Rational,
    /// The runs of the original, made for the first change that gains something.
    trials: OnceCell<Result<Trials, Vec<Diagnostic>>>,
    tried: Tried,
    /// The texts that were judged.
    seen: Vec<String>,
}

/// A version that was judged right.
struct Found {
    version: Version,
    proposal: Proposal,
}

impl<'s> Search<'s> {
    fn new(original: &'s Version, question: &'s Question<'s>) -> Result<Self, NoAdvice> {
        let (size, cost) = size(original, question)?;
        Ok(Search {
            original,
            question,
            size,
            cost,
            trials: OnceCell::new(),
            tried: Tried::default(),
            seen: vec![original.text().to_owned()],
        })
    }

    fn advice(mut self) -> Result<Advice, NoAdvice> {
        let mut found = self.from(self.original, None);
        // On from the best, as long as that finds something.
        let mut best = found.first().map(|_| 0);
        while let Some(at) = best {
            if found[at].proposal.steps.len() == MOST_STEPS {
                break;
            }
            let mut more = self.from(&found[at].version, Some(&found[at].proposal));
            more.truncate(1);
            best = (!more.is_empty()).then_some(found.len());
            found.extend(more);
        }
        self.sort(&mut found);
        if let Some(Err(faults)) = self.trials.into_inner() {
            return Err(NoAdvice::Fails(faults));
        }
        Ok(Advice {
            size: self.size,
            cost: Some(self.cost),
            proposals: found.into_iter().map(|found| found.proposal).collect(),
            tried: self.tried,
        })
    }

    /// Sorts by gain; of equal gains the shorter proposal comes first. Where conflicts are the point of one, they are
    /// charged in all, so that the gains compare.
    fn sort(&self, found: &mut [Found]) {
        let charges = found.iter().any(|found| found.proposal.charges_conflicts);
        let charged = |found: &Found| {
            let cost = |version| worth::cost(version, self.question, &self.size, true);
            saved(&[cost(self.original)?, cost(&found.version)?])
        };
        found.sort_by_cached_key(|found| {
            let gain = charges.then(|| charged(found)).flatten();
            let gain = gain.unwrap_or_else(|| found.proposal.gain());
            (Reverse(gain), found.proposal.steps.len())
        });
    }

    /// Everything that is right and gains, one rewrite after a version. `before` is the proposal of that version.
    fn from(&mut self, base: &Version, before: Option<&Proposal>) -> Vec<Found> {
        let subject = base.subject();
        let mut found = Vec::new();
        for rewrite in &REWRITES {
            for draft in (rewrite.drafts)(&subject) {
                if self.tried.drafts == MOST_JUDGED {
                    self.tried.is_cut = true;
                    return found;
                }
                let line = subject.line(draft.at);
                found.extend(self.judged(base, before, (rewrite, &draft, line)));
            }
        }
        // Only the best of several drafts of one kind at one place is shown.
        self.sort(&mut found);
        let mut places = Vec::new();
        found.retain(|found| {
            let place = found
                .proposal
                .steps
                .last()
                .map(|step| (step.rewrite, step.line));
            let is_first = !places.contains(&place);
            places.push(place);
            is_first
        });
        found
    }

    fn judged(
        &mut self,
        base: &Version,
        before: Option<&Proposal>,
        (rewrite, draft, line): (&'static Rewrite, &Draft, usize),
    ) -> Option<Found> {
        let Some(version) = base.with(&draft.edits) else {
            self.tried.drafts += 1;
            self.tried.unchecked += 1;
            return None;
        };
        if self.seen.iter().any(|text| text == version.text()) {
            return None;
        }
        self.seen.push(version.text().to_owned());
        self.tried.drafts += 1;
        let charged_before = before.is_some_and(|before| before.charges_conflicts);
        let charges =
            self.question.charges_conflicts || rewrite.charges_conflicts || charged_before;
        let cost = |version| worth::cost(version, self.question, &self.size, charges);
        let costs = cost(self.original).zip(cost(base)).zip(cost(&version));
        let gains = costs.filter(|((_, base), new)| {
            let part = Rational::from(LEAST_PART);
            (base - new) * part >= *base && new < base
        });
        let Some(((original, _), new)) = gains else {
            self.tried.gainless += 1;
            return None;
        };
        let keeps = before.map_or(draft.keeps, |before| before.right.keeps.max(draft.keeps));
        let judged = version.with_true_claims().and_then(|version| {
            let run = || Trials::of(&self.original.program, self.question.machine);
            let trials = self.trials.get_or_init(run).as_ref().ok()?;
            let right = trials.judge(self.original, &version, keeps)?;
            Some((version, right))
        });
        let Some((version, right)) = judged else {
            self.tried.wrong += 1;
            return None;
        };
        let point = Point::new(
            &self.original.program,
            self.question.machine.atgpu.numbers(),
            &self.size,
        );
        let mut steps = before.map_or(Vec::new(), |before| before.steps.clone());
        steps.push(Step {
            rewrite: rewrite.name,
            line,
            why: draft.why.clone(),
        });
        let proposal = Proposal {
            steps,
            text: version.text().to_owned(),
            right,
            costs: [original, new],
            charges_conflicts: charges,
            changes: worth::changes(self.original, &version, &point.ok()?),
            sizes: worth::sizes(self.original, &version, self.question, &self.size, charges),
            claims: claims::lost(&self.original.program, &version.program),
        };
        Some(Found { version, proposal })
    }
}

/// The size that is asked about, and the cost there. Without values it is a large one: the free formals are all the
/// same power of two, the largest whose words the machine holds and whose cost is known.
fn size(original: &Version, question: &Question<'_>) -> Result<(Parameters, Rational), NoAdvice> {
    let program = &original.program;
    let names = program.formals.iter();
    let names = names.map(|id| program.parameter(*id).name.as_str());
    let free: Vec<&str> = names
        .filter(|name| question.given.get(name).is_none())
        .collect();
    let alike = |power: u32| {
        let mut size = question.given.clone();
        free.iter().for_each(|name| size.set(name, 1_i64 << power));
        size
    };
    let numbers = question.machine.atgpu.numbers();
    if free.is_empty() {
        Point::new(program, numbers, question.given).map_err(NoAdvice::Fails)?;
    }
    let has_room = |size: &Parameters| {
        let point = Point::new(program, numbers, size);
        point.is_ok_and(|point| has_room(program, question.machine, &point))
    };
    let most = match free.len() {
        1 => MOST_POWER,
        _ => MOST_POWER_OF_SEVERAL,
    };
    let sizes = (0..=most).rev().map(alike).filter(has_room);
    let sizes: Vec<Parameters> = match free.as_slice() {
        [] => vec![question.given.clone()],
        _ => sizes
            .chain(admissible_points(program, numbers, question.given, 1))
            .collect(),
    };
    let cost =
        |size: &Parameters| worth::cost(original, question, size, question.charges_conflicts);
    // A size that takes long to count is followed by much smaller ones.
    let tried = sizes
        .iter()
        .step_by(SIZES_APART)
        .take(MOST_SIZES)
        .chain(sizes.last());
    let mut tried = tried.filter_map(|size| Some((size.clone(), cost(size)?)));
    let found = tried.next();
    found.ok_or(if sizes.is_empty() {
        NoAdvice::NoSize
    } else {
        NoAdvice::NoCost
    })
}

/// True if a machine holds the words of a program, and they are not too many for a size of our own choice.
fn has_room(program: &Program, machine: &Machine, point: &Point) -> bool {
    let words = |scope: Scope| -> BigInt {
        let variables = program.variables.iter().zip(&point.extents);
        let of = variables.filter(|(variable, _)| variable.scope == scope);
        of.map(|(_, extents)| extents.iter().product::<BigInt>())
            .sum()
    };
    words(Scope::Global) <= BigInt::from(MOST_WORDS.min(machine.atgpu.global_words))
        && words(Scope::Shared) <= BigInt::from(machine.atgpu.shared_words)
}
