//! Rewrites of made-up programs: whoever says that it keeps values keeps them, and nothing is proposed that gives another
//! output or a fault.

use std::cell::RefCell;

use atgpu::advise::{Keeps, Question, advise, rewritten};
use atgpu::count::Parameters;
use atgpu::machine::Machine;
use atgpu::program::{Program, Role};

use super::{PROGRAMS, for_programs, points, run};
use crate::support::programs::load;
use crate::support::{cases, engines};

/// Runs of rewritten programs, and those of them without a fault.
#[derive(Clone, Copy, Default)]
struct Seen {
    programs: u32,
    rewrites: u32,
    runs: u32,
    done: u32,
}

/// A rewrite that says that it keeps values keeps the outputs of every run, whatever the judges would say of it.
#[test]
fn rewrites_keep_the_values_of_generated_programs() {
    let seen = RefCell::new(Seen::default());
    for_programs(PROGRAMS, |text, seed| {
        let (program, _) = load("generated", text);
        let kept = rewritten(&program).into_iter();
        let kept = kept.filter(|(_, keeps, _)| *keeps == Keeps::Values);
        let kept: Vec<(String, Program)> =
            kept.map(|(name, _, new)| (name.to_owned(), new)).collect();
        // A rewrite that fails is no proposal: the judges see it.
        difference(&program, &kept, seed, Faults::Pass, &mut seen.borrow_mut())
    });
    let Seen { runs, done, .. } = seen.into_inner();
    println!("{runs} runs of rewritten programs, {done} without a fault");
    assert!(runs > 20 && done * 2 > runs, "{done} of {runs}");
}

/// A proposal gives the outputs of its program at other sizes and on other data than the search ran it on.
#[test]
fn proposals_keep_the_outputs_of_generated_programs() {
    let machine = Machine::built_in("gtx650").expect("built in");
    let seen = RefCell::new(Seen::default());
    for_programs(PROGRAMS / 2 / cases::every(4) as u32, |text, seed| {
        let (program, _) = load("generated", text);
        let question = Question {
            machine: &machine,
            model: atgpu::cost::find("atgpu").expect("listed"),
            given: &Parameters::new(),
            charges_conflicts: false,
        };
        let proposals = advise(&program, &question).map_or_else(|_| Vec::new(), |it| it.proposals);
        // Floats in another order round otherwise.
        let exact = proposals.into_iter().filter(|it| !it.right.whole_numbers);
        let made = exact.map(|proposal| {
            let steps = proposal.steps.iter().map(|step| step.rewrite);
            let steps: Vec<&str> = steps.collect();
            (steps.join(", then "), load("proposed", &proposal.text).0)
        });
        let made: Vec<(String, Program)> = made.collect();
        difference(
            &program,
            &made,
            seed,
            Faults::Differ,
            &mut seen.borrow_mut(),
        )
    });
    let Seen {
        programs,
        rewrites,
        runs,
        done,
    } = seen.into_inner();
    println!("{programs} programs with {rewrites} proposals: {runs} runs, {done} without a fault");
    assert!(programs > 0 && done > 0, "{programs} programs, {done} runs");
}

/// The meaning of a fault that the original does not have.
#[derive(Clone, Copy, PartialEq)]
enum Faults {
    Pass,
    Differ,
}

/// The first output that a rewritten program gives otherwise.
fn difference(
    program: &Program,
    made: &[(String, Program)],
    seed: u64,
    faults: Faults,
    seen: &mut Seen,
) -> Option<String> {
    if made.is_empty() {
        return None;
    }
    seen.programs += 1;
    seen.rewrites += made.len() as u32;
    for choice in points(program, seed) {
        let Ok(wanted) = run(program, &choice, seed, 1) else {
            continue;
        };
        let at = choice.point.values();
        for (name, new) in made {
            seen.runs += 1;
            let text = new.source().text();
            let again = engines::choice(new, choice.machine[1], choice.values.clone());
            let found = again.map(|choice| run(new, &choice, seed, 1));
            let found = match (found, faults) {
                (Some(Ok(found)), _) => found,
                (_, Faults::Pass) => continue,
                (Some(Err(fault)), Faults::Differ) => {
                    return Some(format!("{name}: a fault at {at}: {fault}\n{text}"));
                }
                (None, Faults::Differ) => {
                    return Some(format!("{name}: a size less, {at}\n{text}"));
                }
            };
            seen.done += 1;
            let outputs = program.variables().iter();
            for output in outputs.filter(|it| it.role == Role::Output) {
                let [found, wanted] = [&found, &wanted].map(|it| &it.host[&output.name].array);
                if format!("{found:?}") != format!("{wanted:?}") {
                    return Some(format!("{name}: another {} at {at}\n{text}", output.name));
                }
            }
        }
    }
    None
}
