//! A kernel in C: a function for one MP. Between two barriers the cores take turns in one loop;
//! where nobody meets anybody, that is lockstep.

use std::collections::HashMap;

use crate::emit::form::{Act, Kernel, KernelPart, Kind, Loop, Shared, Step};
use crate::emit::target::Words;
use crate::emit::term::Term;
use crate::emit::write::masks;
use crate::emit::write::page::{Page, types};
use crate::emit::write::pen::{Manner, Pen};
use crate::program::{AtomicOperator, WordType};

/// All that stands before the kernels; `asks_any` where a loop goes on until no core is left.
pub(super) fn file_head(
    words: Words,
    machine: &str,
    functions: &str,
    asks_any: bool,
    page: &mut Page,
) {
    page.text(HEAD);
    page.text(&types(
        "int64_t",
        if words.int32 { "int32_t" } else { "int64_t" },
        words.float,
    ));
    page.text("#define FUNCTION static inline\n\n");
    page.text(include_str!("../runtime/host.c"));
    page.text(include_str!("../runtime/c.c"));
    page.text(include_str!("../runtime/transfer.c"));
    page.text("\n// ---- the program ----\n\n");
    page.text(machine);
    page.text(functions);
    if asks_any {
        page.text(ANY);
    }
}

const HEAD: &str = "\
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

";

pub(super) const ANY: &str = "\
// Whether the loop goes on for some core.
static bool any_core(const bool *holds)
{
    for (whole core = 0; core < b; core++)
        if (holds[core])
            return true;
    return false;
}
";

/// The MPs of a launch one after another, each a call of the kernel's function.
pub(super) fn mps_in_turn(kernel: &Kernel, ranges: &[(Term, Term)], pen: Pen<'_>, page: &mut Page) {
    for (mp, (low, high)) in kernel.mps.iter().zip(ranges) {
        let head = Loop {
            variable: mp.clone(),
            from: low.clone(),
            to: high.clone(),
            last: None,
            down: false,
        };
        page.open(&pen.repeated(&head));
    }
    let numbers = kernel.mps.iter().chain(&kernel.numbers);
    let arguments = numbers.chain(kernel.globals.iter().map(|(name, _, _)| name));
    let arguments: Vec<Term> = arguments.map(|name| Term::name(name)).collect();
    page.line(&pen.called(&kernel.name, &arguments));
    ranges.iter().for_each(|_| page.close());
}

/// The function of a kernel.
pub(super) fn kernel(kernel: &Kernel, manner: &Manner, page: &mut Page) {
    let pen = Pen { core: None, manner };
    page.comment(&kernel.line);
    let head = format!("static void {}", kernel.name);
    if manner.is_plain {
        page.signature(&head, &arguments(kernel, pen))
    } else {
        page.line(&format!("{head}({})", arguments(kernel, pen).join(", ")))
    }
    page.open("{");
    let allocated = shared_arrays(kernel, pen, page);
    for (name, kind) in &kernel.registers {
        let ty = match kind {
            Kind::Whole => pen.type_of(name),
            Kind::Real => "real",
            Kind::Truth => "bool",
            Kind::Word => "word",
        };
        page.line(&format!("static {ty} {name}[b];"));
    }
    let mut asked = HashMap::new();
    for part in &kernel.body {
        if let KernelPart::Cores { body, .. } = part {
            masks::asked_times(body, &mut asked);
        }
    }
    let asked = &asked;
    for part in &kernel.body {
        match part {
            KernelPart::Line(line) => page.comment(line),
            KernelPart::Let(name, value) => {
                page.line(&pen.number(name, value));
            }
            KernelPart::Cores { core, body } => {
                let cores = Cores {
                    core,
                    manner,
                    asked,
                };
                cores.steps(body, page);
            }
        }
    }
    allocated.iter().for_each(|line| page.line(line));
    page.close();
}

fn arguments(kernel: &Kernel, pen: Pen<'_>) -> Vec<String> {
    let mut arguments: Vec<String> = Vec::new();
    let numbers = kernel.mps.iter().chain(&kernel.numbers);
    arguments.extend(numbers.map(|name| format!("{} {name}", pen.type_of(name))));
    for (name, word_type, is_written) in &kernel.globals {
        let constant = if *is_written { "" } else { "const " };
        arguments.push(format!("{constant}{} *{name}", type_of(*word_type)));
    }
    if arguments.is_empty() {
        arguments.push("void".to_owned());
    }
    arguments
}

/// Declares the shared arrays; the lines that free those which the heap holds are given back.
fn shared_arrays(kernel: &Kernel, pen: Pen<'_>, page: &mut Page) -> Vec<String> {
    let mut allocated = Vec::new();
    for shared in &kernel.shared {
        let (word_type, name) = (shared.word_type, &shared.name);
        let ty = format!("static {}", type_of(word_type));
        match shared.known {
            Some(words) if words < 1 => page.line(&pen.array(&ty, name, &Term::Whole(1))),
            Some(_) => page.line(&pen.array(&ty, name, &shared.words)),
            None => {
                // It may be larger than a stack.
                let words = Term::call("greatest", vec![shared.words.clone(), Term::Whole(1)]);
                let array = match pen.manner.is_plain {
                    true => {
                        let size = Term::call("sizeof", vec![Term::name(type_of(word_type))]);
                        Term::call("calloc", vec![Term::cast("size_t", words), size])
                    }
                    false => Term::call("host_array", vec![words, kind_of(word_type)]),
                };
                let pointer = pointer_to(word_type);
                page.line(&pen.defined(pointer, name, &Term::cast(pointer, array)));
                allocated.push(format!("free({name});"));
            }
        }
        unread(shared, page);
    }
    allocated
}

/// Names a shared array that nothing reads, so that no compiler warns of it.
pub(super) fn unread(shared: &Shared, page: &mut Page) {
    if !shared.is_read {
        page.line(&format!("(void)&{};", shared.name));
    }
}

pub(super) fn kind_of(word_type: WordType) -> Term {
    Term::name(match word_type {
        WordType::Int => "'i'",
        WordType::Float => "'f'",
    })
}

pub(super) fn type_of(word_type: WordType) -> &'static str {
    match word_type {
        WordType::Int => "word",
        WordType::Float => "real",
    }
}

pub(super) fn pointer_to(word_type: WordType) -> &'static str {
    match word_type {
        WordType::Int => "word *",
        WordType::Float => "real *",
    }
}

struct Cores<'a> {
    core: &'a str,
    manner: &'a Manner,
    /// The number of uses of each mask of the kernel.
    asked: &'a HashMap<&'a str, usize>,
}

impl Cores<'_> {
    /// For what is the same for all cores.
    fn even(&self) -> Pen<'_> {
        Pen {
            core: None,
            manner: self.manner,
        }
    }

    /// For what one core does.
    fn own(&self) -> Pen<'_> {
        Pen {
            core: Some(self.core),
            manner: self.manner,
        }
    }

    fn steps(&self, steps: &[Step], page: &mut Page) {
        let mut turn: Vec<&Step> = Vec::new();
        for step in steps {
            match step {
                Step::Line(_) | Step::Act { .. } => turn.push(step),
                Step::Barrier => self.turn(&mut turn, page),
                Step::Let(name, value) => {
                    self.turn(&mut turn, page);
                    page.line(&self.even().number(name, value));
                }
                Step::Scope(body) => {
                    self.turn(&mut turn, page);
                    page.open("{");
                    self.steps(body, page);
                    page.close();
                }
                Step::For { head, body } => {
                    self.turn(&mut turn, page);
                    page.open(&self.even().repeated(head));
                    self.steps(body, page);
                    page.close();
                }
                Step::WhileAny { mask, body } => {
                    self.turn(&mut turn, page);
                    let any = Term::call("any_core", vec![Term::name(mask)]);
                    page.open(&self.even().during(&any));
                    self.steps(body, page);
                    page.close();
                }
            }
        }
        self.turn(&mut turn, page);
    }

    /// One turn of all cores. Lines of the program that nothing follows stand behind it.
    fn turn(&self, turn: &mut Vec<&Step>, page: &mut Page) {
        let is_act = |step: &&Step| matches!(step, Step::Act { .. });
        let first = turn.iter().position(is_act).unwrap_or(turn.len());
        let end = turn.iter().rposition(is_act).map_or(0, |last| last + 1);
        let line = |step: &Step, page: &mut Page| {
            if let Step::Line(line) = step {
                page.comment(line);
            }
        };
        turn[..first.min(turn.len())]
            .iter()
            .for_each(|step| line(step, page));
        if first < end {
            let (core, ty) = (self.core, self.even().type_of(self.core));
            page.open(&format!("for ({ty} {core} = 0; {core} < b; {core}++) {{"));
            if self.manner.is_plain {
                let acts: Vec<Step> = turn[first..end]
                    .iter()
                    .map(|step| (*step).clone())
                    .collect();
                self.grouped(&acts, None, page);
            } else {
                for step in &turn[first..end] {
                    line(step, page);
                    if let Step::Act { mask, act } = step {
                        self.act(mask.as_deref(), act, page);
                    }
                }
            }
            page.close();
            turn[end..].iter().for_each(|step| line(step, page));
        }
        turn.clear();
    }

    /// Acts, those of one condition under one `if`; `under` holds already.
    fn grouped(&self, acts: &[Step], under: Option<&str>, page: &mut Page) {
        let register = |name: &str| Term::Register(name.to_owned());
        let mut rest = acts;
        while let [step, ..] = rest {
            let keeps = |steps: &[Step]| masks::keeps_its_masks(steps, self.asked);
            let asked = masks::asked_once(rest, under);
            let asked = asked.filter(|asked| keeps(&rest[..=asked.steps.len()]));
            let together = masks::run(rest, under).filter(|(_, run)| keeps(&rest[..*run]));
            let run = if let Some(asked) = asked {
                let condition = self.own().condition(&asked.condition(&register));
                self.masked((asked.mask, &condition), asked.steps, page);
                1 + asked.steps.len()
            } else if let Some((mask, run)) = together {
                let condition = self.own().condition(&register(mask));
                self.masked((mask, &condition), &rest[..run], page);
                run
            } else {
                if let Step::Act { mask, act } = step {
                    let mask = mask.as_deref().filter(|mask| Some(*mask) != under);
                    self.act(mask, act, page);
                }
                1
            };
            rest = &rest[run..];
        }
    }

    fn masked(&self, (mask, condition): (&str, &str), acts: &[Step], page: &mut Page) {
        page.open(&format!("{condition} {{"));
        self.grouped(acts, Some(mask), page);
        page.close();
    }

    fn act(&self, mask: Option<&str>, act: &Act, page: &mut Page) {
        let pen = self.own();
        let register = |name: &str| Term::Register(name.to_owned());
        let done: Vec<String> = match act {
            Act::Set(name, value) => vec![pen.assigned(&register(name), "=", value)],
            Act::Mask(name, condition) => {
                let condition = match mask {
                    Some(mask) => Term::infix("&&", register(mask), condition.clone()),
                    None => condition.clone(),
                };
                page.line(&pen.assigned(&register(name), "=", &condition));
                return;
            }
            Act::Write(word, value) => vec![pen.assigned(word, "=", value)],
            Act::Update {
                word,
                operator,
                values,
                word_type,
                ..
            } => {
                let values = values.iter();
                values
                    .map(|value| updated(pen, word, *operator, value, *word_type))
                    .collect()
            }
        };
        let on = mask.map(|mask| pen.condition(&register(mask)));
        match (on, done.as_slice()) {
            (None, lines) => lines.iter().for_each(|line| page.line(line)),
            (Some(on), [line]) => page.under(&on, line),
            (Some(on), lines) => {
                page.open(&format!("{on} {{"));
                lines.iter().for_each(|line| page.line(line));
                page.close();
            }
        }
    }
}

/// A word updated with a value by one core.
pub(super) fn updated(
    pen: Pen<'_>,
    word: &Term,
    operator: AtomicOperator,
    value: &Term,
    word_type: WordType,
) -> String {
    let is_float = word_type == WordType::Float;
    let function = match (operator, is_float) {
        (AtomicOperator::Add, _) => return pen.assigned(word, "+=", value),
        (AtomicOperator::Multiply, _) => return pen.assigned(word, "*=", value),
        (AtomicOperator::Min, false) => "least",
        (AtomicOperator::Max, false) => "greatest",
        (AtomicOperator::Min, true) => "least_real",
        (AtomicOperator::Max, true) => "greatest_real",
    };
    let call = Term::call(function, vec![word.clone(), value.clone()]);
    pen.assigned(word, "=", &call)
}
