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
mod search;
mod size;
mod subject;
mod version;
mod worth;

use std::ops::ControlFlow;

use crate::advise::search::Search;
use crate::advise::version::Version;
use crate::cost::Model;
use crate::count::Parameters;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::number::Rational;
use crate::program::Program;
use crate::room::with_room;

pub use draft::Keeps;
pub use rewrites::{REWRITES, Rewrite};
pub use right::Right;
pub use worth::{Basis, Change, Sizes};

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
    /// The source of this and all other costs.
    pub basis: Basis,
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
    /// Drafts that gain under one percent, or have no cost to compare.
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
    /// Its cost at the size is neither known exactly nor counted in a short run, or the model lacks a figure of the machine.
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
    let going = || ControlFlow::Continue(());
    advise_while(program, question, &going).expect("nobody stops it")
}

/// As [`advise`], as long as `going` says so; it is asked before each change is judged. `None` once it stopped the search.
pub fn advise_while(
    program: &Program,
    question: &Question<'_>,
    going: &dyn Fn() -> ControlFlow<()>,
) -> Option<Result<Advice, NoAdvice>> {
    with_room(|| {
        let Some(original) = Version::of(program.clone()) else {
            return Some(Err(NoAdvice::NoSize));
        };
        let subject = original.subject();
        let mut rewrites = REWRITES.iter();
        if rewrites.all(|rewrite| (rewrite.drafts)(&subject).is_empty()) {
            return Some(Ok(Advice {
                size: question.given.clone(),
                cost: None,
                basis: Basis::Exact,
                proposals: Vec::new(),
                tried: Tried::default(),
            }));
        }
        match Search::new(&original, question, going) {
            Ok(search) => search.advice(),
            Err(why) => Some(Err(why)),
        }
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
