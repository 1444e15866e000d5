//! Steps of a core: masks around what it does on its own, never around a barrier.

use crate::emit::form::{Act, Step};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::c::updated;
use crate::emit::write::device::Writer;
use crate::emit::write::masks;
use crate::emit::write::page::Page;
use crate::emit::write::pen::Pen;
use crate::program::{AtomicOperator, WordType};

pub(super) struct Cores<'a> {
    pub writer: Writer<'a>,
    pub core: &'a str,
}

impl Cores<'_> {
    fn pen(&self) -> Pen<'_> {
        self.writer.pen()
    }

    fn barrier(&self) -> &'static str {
        match (self.writer.target, self.writer.manner.is_plain) {
            (Target::Cuda, false) => "barrier();",
            (Target::Cuda, true) if self.writer.is_warp => "__syncwarp();",
            (Target::Cuda, true) => "__syncthreads();",
            (Target::OpenCl | Target::C, _) => "wait_for_all();",
        }
    }

    /// Writes steps where `under` holds already.
    pub(super) fn steps(&self, steps: &[Step], under: Option<&str>, page: &mut Page) {
        let mut rest = steps;
        while let [step, ..] = rest {
            let asked = self
                .writer
                .manner
                .is_plain
                .then(|| masks::asked_once(rest, under));
            let run = if let Some(asked) = asked.flatten() {
                let condition = asked.condition(&|mask| Term::name(mask));
                self.masked((asked.mask, &condition), asked.steps, page);
                1 + asked.steps.len()
            } else if let Some((mask, run)) = masks::run(rest, under) {
                self.masked((mask, &Term::name(mask)), &rest[..run], page);
                run
            } else {
                self.step(step, under, page);
                1
            };
            rest = &rest[run..];
        }
    }

    /// Steps of which nothing happens but where the mask holds, which is asked for by a condition.
    fn masked(&self, (mask, condition): (&str, &Term), steps: &[Step], page: &mut Page) {
        let asked = self.pen().condition(condition);
        match steps {
            [Step::Act { act, .. }] if !matches!(act, Act::Mask(..)) => {
                page.under(&asked, &self.simple(act));
            }
            [Step::Scope(body)] => self.masked((mask, condition), body, page),
            _ => {
                page.open(&format!("{asked} {{"));
                self.steps(steps, Some(mask), page);
                page.close();
            }
        }
    }

    fn step(&self, step: &Step, under: Option<&str>, page: &mut Page) {
        match step {
            Step::Line(line) => page.comment(line),
            Step::Barrier => page.line(self.barrier()),
            Step::Let(name, value) => {
                page.line(&self.pen().number(name, value));
                self.writer.unused(name, page);
            }
            Step::Scope(body) => {
                page.open("{");
                self.steps(body, under, page);
                page.close();
            }
            Step::For { head, body } => {
                page.open(&self.pen().repeated(head));
                self.steps(body, under, page);
                page.close();
            }
            Step::WhileAny { mask, body } => {
                let mask = Term::name(mask);
                let any = match self.writer.target {
                    Target::Cuda => Term::call("any_core", vec![mask]),
                    Target::OpenCl | Target::C => {
                        let flag = Term::prefix("&", Term::name("any_flag"));
                        Term::call("any_core_of", vec![mask, flag])
                    }
                };
                page.open(&self.pen().during(&any));
                self.steps(body, under, page);
                page.close();
            }
            Step::Act { mask, act } => self.act(mask.as_deref(), act, under, page),
        }
    }

    fn act(&self, mask: Option<&str>, act: &Act, under: Option<&str>, page: &mut Page) {
        match act {
            Act::Mask(name, condition) => {
                let around = mask.filter(|mask| Some(*mask) != under);
                let term = match around {
                    Some(mask) => Term::infix("&&", Term::name(mask), condition.clone()),
                    None => condition.clone(),
                };
                page.line(&self.pen().assigned(&Term::name(name), "=", &term));
            }
            Act::Update {
                word,
                operator,
                values,
                word_type: WordType::Float,
                ..
            } => self.in_turn(mask, (word, *operator, values), page),
            // A step with another mask than the one around is a run of its own.
            Act::Set(..) | Act::Write(..) | Act::Update { .. } => page.line(&self.simple(act)),
        }
    }

    fn simple(&self, act: &Act) -> String {
        let pen = self.pen();
        match act {
            Act::Set(name, value) | Act::Mask(name, value) => {
                pen.assigned(&Term::name(name), "=", value)
            }
            Act::Write(word, value) => pen.assigned(word, "=", value),
            Act::Update {
                word,
                operator,
                values,
                ..
            } => {
                let prefix = match self.writer.target {
                    Target::Cuda => "atomic_",
                    Target::OpenCl | Target::C => "atomic_of_",
                };
                let name = match operator {
                    AtomicOperator::Add => "add",
                    AtomicOperator::Multiply => "times",
                    AtomicOperator::Min => "least",
                    AtomicOperator::Max => "greatest",
                };
                let place = Term::prefix("&", word.clone());
                pen.called(&format!("{prefix}{name}"), &[place, values[0].clone()])
            }
        }
    }

    /// Floats are updated core by core, as language.md §3 orders them.
    fn in_turn(
        &self,
        mask: Option<&str>,
        (word, operator, values): (&Term, AtomicOperator, &[Term]),
        page: &mut Page,
    ) {
        let (pen, turn) = (self.pen(), Term::name("turn"));
        let is_left = Term::infix("<", turn.clone(), Term::name("b"));
        page.open(&pen.counted(("turn", &Term::Whole(0)), &is_left, "++"));
        let is_own = Term::infix("==", Term::name(self.core), turn);
        let on = match mask {
            Some(mask) => Term::infix("&&", is_own, Term::name(mask)),
            None => is_own,
        };
        page.open(&format!("{} {{", pen.condition(&on)));
        for value in values {
            page.line(&updated(pen, word, operator, value, WordType::Float));
        }
        page.close();
        page.line(self.barrier());
        page.close();
    }
}
