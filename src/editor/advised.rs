//! A search for changes that save something, and its result.
//!
//! The search takes seconds, so nobody waits for it: it is part of a job that is begun when a user asks.

use std::ops::ControlFlow;

use crate::advise::{Advice, NoAdvice, Proposal, Question, advise_while};
use crate::cost;
use crate::count::Parameters;
use crate::machine::Machine;
use crate::program::Program;
use crate::report::advice::on_the_whole;

/// The model that decides.
const MODEL: &str = "atgpu";

/// The result of a search for changes.
#[derive(Debug, Clone)]
pub struct Advised {
    /// The result in one sentence.
    pub summary: String,
    pub(super) proposals: Vec<Proposal>,
    pub(super) revision: u64,
}

/// Looks for changes that save something; `None` if it was stopped.
pub(super) fn advised(
    program: &Program,
    (machine, formals): (&Machine, &Parameters),
    revision: u64,
    going: &dyn Fn() -> ControlFlow<()>,
) -> Option<Advised> {
    let model = cost::find(MODEL)?;
    let question = Question {
        machine,
        model,
        given: formals,
        charges_conflicts: false,
    };
    let name = program.name();
    let (summary, proposals) = match advise_while(program, &question, going)? {
        Ok(advice) => {
            let summary = on_the_whole(name, machine, model.name(), &advice);
            let Advice { proposals, .. } = advice;
            (summary, proposals)
        }
        Err(why) => {
            let told = format!("no change of {name} can be judged: {}", told(&why));
            (told, Vec::new())
        }
    };
    Some(Advised {
        summary,
        proposals,
        revision,
    })
}

fn told(why: &NoAdvice) -> String {
    match why {
        NoAdvice::NoSize => "no size of it fits the machine".to_owned(),
        NoAdvice::NoCost => "its cost is not known exactly".to_owned(),
        NoAdvice::Fails(faults) => faults
            .first()
            .map_or_else(|| "it fails".to_owned(), |fault| fault.message.to_string()),
    }
}
