//! The search for changes of one program.
//!
//! A round begins at a version: every draft of it is priced, which takes a derivation. Only then are they judged, the best
//! one first, since proofs and runs take longer. From the best proposal the next round begins.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::advise::draft::{Draft, Keeps};
use crate::advise::right::Trials;
use crate::advise::size::{Asked, size};
use crate::advise::version::Version;
use crate::advise::worth::{Basis, changes, cost, cost_on_data, sizes};
use crate::advise::{
    Advice, NoAdvice, Proposal, Question, REWRITES, Rewrite, Step, Tried, claims, saved,
};
use crate::diag::Diagnostic;
use crate::meaning::Point;
use crate::number::Rational;

/// The most drafts that are judged for one program: the budget of a search.
const MOST_JUDGED: usize = 60;

/// The most rewrites of one proposal, one after the other.
const MOST_STEPS: usize = 3;

/// The least gain of a proposal: one part in so many of the cost.
const LEAST_PART: i64 = 100;

/// The search for one program.
pub(super) struct Search<'s> {
    original: &'s Version,
    question: &'s Question<'s>,
    going: &'s dyn Fn() -> ControlFlow<()>,
    asked: Asked,
    /// The runs of the original, made for the first change that gains something.
    trials: OnceCell<Result<Trials, Vec<Diagnostic>>>,
    tried: Tried,
    /// The texts that were priced.
    seen: Vec<String>,
}

/// A draft that gains something.
struct Candidate {
    step: Step,
    keeps: Keeps,
    version: Version,
    charges_conflicts: bool,
    /// The cost of the original and of this one.
    costs: [Rational; 2],
}

/// A version that was judged right.
struct Found {
    /// The version whose cost was computed.
    version: Version,
    /// The same with true claims.
    told: Version,
    proposal: Proposal,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        original: &'s Version,
        question: &'s Question<'s>,
        going: &'s dyn Fn() -> ControlFlow<()>,
    ) -> Result<Self, NoAdvice> {
        let asked = size(original, question)?;
        // It is known, and a cell that is filled stays.
        let _ =
            original.priced[usize::from(question.charges_conflicts)].set(Some(asked.cost.clone()));
        Ok(Search {
            original,
            question,
            going,
            asked,
            trials: OnceCell::new(),
            tried: Tried::default(),
            seen: vec![original.text().to_owned()],
        })
    }

    /// The advice; `None` if it was stopped.
    pub(super) fn advice(mut self) -> Option<Result<Advice, NoAdvice>> {
        let mut found = self.from(None, usize::MAX)?;
        // On from the best, as long as that finds something.
        let mut best = found.first().map(|_| 0);
        while let Some(at) = best {
            if found[at].proposal.steps.len() == MOST_STEPS {
                break;
            }
            let more = self.from(Some(&found[at]), 1)?;
            best = (!more.is_empty()).then_some(found.len());
            found.extend(more);
        }
        let charges = found.iter().any(|found| found.proposal.charges_conflicts);
        found.sort_by_cached_key(|found| {
            let gain = self.gain(charges, &found.version, &found.proposal.costs);
            (Reverse(gain), found.proposal.steps.len())
        });
        if let Some(Err(faults)) = self.trials.into_inner() {
            return Some(Err(NoAdvice::Fails(faults)));
        }
        Some(Ok(Advice {
            size: self.asked.size,
            cost: Some(self.asked.cost),
            basis: self.asked.basis,
            proposals: found.into_iter().map(|found| found.proposal).collect(),
            tried: self.tried,
        }))
    }

    /// The gain of a version, by which versions are sorted. Where conflicts are the point of one of them, `charges` is true:
    /// they are then charged in all, so that the gains compare.
    fn gain(&self, charges: bool, version: &Version, costs: &[Rational; 2]) -> Rational {
        let charged = || {
            let [before, after] = [self.original, version].map(|it| self.cost(it, true));
            saved(&[before?, after?])
        };
        let gain = charges.then(charged).flatten();
        gain.or_else(|| saved(costs)).unwrap_or_default()
    }

    /// The cost of a version at the size.
    fn cost(&self, version: &Version, charges_conflicts: bool) -> Option<Rational> {
        let (question, size) = (self.question, &self.asked.size);
        let found = || match (self.asked.basis, charges_conflicts) {
            (Basis::Exact, _) => cost(version, question, size, charges_conflicts),
            (Basis::Data, false) => cost_on_data(version, question, size).ok().flatten(),
            // A run does not charge them.
            (Basis::Data, true) => None,
        };
        version.priced[usize::from(charges_conflicts)]
            .get_or_init(found)
            .clone()
    }

    /// Returns the changes of a version that are right and gain, the best first, and no more than `wanted`. Of several
    /// drafts of one rewrite at one place only the best is judged.
    fn from(&mut self, base: Option<&Found>, wanted: usize) -> Option<Vec<Found>> {
        let mut candidates = self.candidates(base)?;
        let charges = candidates.iter().any(|it| it.charges_conflicts);
        candidates.sort_by_cached_key(|it| Reverse(self.gain(charges, &it.version, &it.costs)));
        let mut places = Vec::new();
        let mut found = Vec::new();
        for candidate in candidates {
            if found.len() == wanted {
                break;
            }
            let place = (candidate.step.rewrite, candidate.step.line);
            if places.contains(&place) {
                continue;
            }
            self.goes_on()?;
            if let Some(right) = self.judged(candidate, base) {
                places.push(place);
                found.push(right);
            }
        }
        Some(found)
    }

    /// The drafts of a version that gain something.
    fn candidates(&mut self, base: Option<&Found>) -> Option<Vec<Candidate>> {
        let text = base.map_or(self.original, |base| &base.told);
        let subject = text.subject();
        let mut candidates = Vec::new();
        for rewrite in &REWRITES {
            for draft in (rewrite.drafts)(&subject) {
                if self.tried.drafts == MOST_JUDGED {
                    self.tried.is_cut = true;
                    return Some(candidates);
                }
                self.goes_on()?;
                let line = subject.line(draft.at);
                candidates.extend(self.candidate(text, base, (rewrite, draft, line)));
            }
        }
        Some(candidates)
    }

    /// `None` once the search is stopped.
    fn goes_on(&self) -> Option<()> {
        (self.going)().is_continue().then_some(())
    }

    fn candidate(
        &mut self,
        text: &Version,
        base: Option<&Found>,
        (rewrite, draft, line): (&'static Rewrite, Draft, usize),
    ) -> Option<Candidate> {
        let Some(version) = text.with(&draft.edits) else {
            self.tried.drafts += 1;
            self.tried.unchecked += 1;
            return None;
        };
        if self.seen.iter().any(|text| text == version.text()) {
            return None;
        }
        self.seen.push(version.text().to_owned());
        self.tried.drafts += 1;
        let before = base.map(|base| &base.proposal);
        let charges_conflicts = self.question.charges_conflicts
            || rewrite.charges_conflicts
            || before.is_some_and(|before| before.charges_conflicts);
        let priced = base.map_or(self.original, |base| &base.version);
        let cost = |version: &Version| self.cost(version, charges_conflicts);
        let costs = cost(self.original).zip(cost(priced)).zip(cost(&version));
        let gains = costs.filter(|((_, base), new)| {
            let part = Rational::from(LEAST_PART);
            (base - new) * part >= *base && new < base
        });
        let Some(((original, _), new)) = gains else {
            self.tried.gainless += 1;
            return None;
        };
        Some(Candidate {
            step: Step {
                rewrite: rewrite.name,
                line,
                why: draft.why,
            },
            keeps: before.map_or(draft.keeps, |before| before.right.keeps.max(draft.keeps)),
            version,
            charges_conflicts,
            costs: [original, new],
        })
    }

    fn judged(&mut self, candidate: Candidate, base: Option<&Found>) -> Option<Found> {
        let Candidate {
            step,
            keeps,
            version,
            charges_conflicts,
            costs,
        } = candidate;
        let (original, question, size) = (self.original, self.question, &self.asked.size);
        let run = || Trials::of(&original.program, question.machine);
        let trials = self.trials.get_or_init(run).as_ref().ok();
        let right = trials.and_then(|trials| trials.judge(original, &version, keeps));
        let told = |right| Some((right, version.with_true_claims()?));
        let Some((right, told)) = right.and_then(told) else {
            self.tried.wrong += 1;
            return None;
        };
        let numbers = question.machine.atgpu.numbers();
        let point = Point::new(&original.program, numbers, size);
        let mut steps = base.map_or(Vec::new(), |base| base.proposal.steps.clone());
        steps.push(step);
        let proposal = Proposal {
            steps,
            text: told.text().to_owned(),
            right,
            costs,
            charges_conflicts,
            changes: changes(original, &version, &point.ok()?),
            sizes: sizes(original, &version, question, size, charges_conflicts),
            claims: claims::lost(&original.program, &told.program),
        };
        Some(Found {
            version,
            told,
            proposal,
        })
    }
}
