//! `launch`: all that a program does between its first transfers and its last, with arrays that are on the device.

use crate::emit::form::{Array, Formal, HostStep};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::c::pointer_to;
use crate::emit::write::callable::copies::Copying;
use crate::emit::write::callable::tidy::without_unused;
use crate::emit::write::callable::{Callable, Function, each, middle, word_of};
use crate::emit::write::mentions;
use crate::emit::write::page::Page;
use crate::program::{Direction, WordType};

impl<'f> Callable<'f> {
    pub(super) fn launch(self) -> (Function, Vec<&'f Array>) {
        let mut steps = Page::inside();
        self.middle_steps(&mut steps);
        let steps = steps.into_text();
        let arrays = self.arrays_of(&steps);
        let (mut parameters, mut names) = self.first_parameters();
        for array in &arrays {
            parameters.push(self.parameter(array));
            names.push(&array.name);
        }
        if self.target == Target::Cuda {
            parameters.push("cudaStream_t stream = 0".to_owned());
            names.push("stream");
        }
        let mut page = Page::default();
        page.signature(&self.function("launch"), &parameters);
        page.open("{");
        self.asked_first(&mut page);
        self.lets(&mut page);
        self.asked_then(&mut page);
        self.beginning(&steps, &arrays, &mut page);
        page.text(&steps);
        self.end(&steps, &arrays, &mut page);
        page.close();
        let told: Vec<String> = arrays.iter().map(|array| self.told(array)).collect();
        let (call, names) = (self.called_as("launch"), names.join(", "));
        let function = Function {
            text: without_unused(&page.into_text()),
            call: format!("{call}({names}), on the device: {}", told.join(", ")),
        };
        (function, arrays)
    }

    /// The arguments of both functions before their arrays, and the names of these arguments.
    pub(super) fn first_parameters(self) -> (Vec<String>, Vec<&'f str>) {
        let (mut parameters, mut names) = (Vec::new(), Vec::new());
        if self.target == Target::OpenCl {
            parameters.extend(["cl_command_queue queue", "cl_program program"].map(str::to_owned));
            names.extend(["queue", "program"]);
        }
        for Formal { name, .. } in &self.form.formals {
            parameters.push(format!("{} {name}", self.pen().type_of(name)));
            names.push(name);
        }
        (parameters, names)
    }

    /// Declares what the steps need: a status, and arrays that come by their place.
    fn beginning(self, steps: &str, arrays: &[&Array], page: &mut Page) {
        if mentions(steps, "error") && self.target != Target::C {
            page.line(&format!("{} error = {};", self.status(), self.well()));
        }
        for array in arrays.iter().filter(|array| self.is_by_place(array)) {
            let (ty, name) = (self.pointer(array), &array.name);
            page.line(&format!("{ty}{name} = *{name}_at;"));
        }
    }

    fn end(self, steps: &str, arrays: &[&Array], page: &mut Page) {
        for array in arrays.iter().filter(|array| self.is_by_place(array)) {
            page.line(&format!("*{0}_at = {0};", array.name));
        }
        let has_status = mentions(steps, "error");
        page.line(match self.target {
            Target::C => "return 0;",
            Target::Cuda if has_status => "return error ? error : cudaGetLastError();",
            Target::Cuda => "return cudaGetLastError();",
            Target::OpenCl if has_status => "return error;",
            Target::OpenCl => "return CL_SUCCESS;",
        });
    }

    /// Returns true if a function takes the address of an array's pointer. C has no references.
    pub(super) fn is_by_place(self, array: &Array) -> bool {
        self.is_swapped(array) && self.target != Target::Cuda
    }

    /// `static inline int NAME`
    pub(super) fn function(self, name: &str) -> String {
        format!("static inline {} {}", self.status(), self.named(name))
    }

    /// A call of the function, as others write it.
    pub(super) fn called_as(self, name: &str) -> String {
        match self.target {
            Target::Cuda => format!("{}::{name}", self.form.name),
            Target::C | Target::OpenCl => self.named(name),
        }
    }

    /// The type of what a function returns.
    pub(super) fn status(self) -> &'static str {
        match self.target {
            Target::C => "int",
            Target::Cuda => "cudaError_t",
            Target::OpenCl => "cl_int",
        }
    }

    pub(super) fn well(self) -> &'static str {
        match self.target {
            Target::C => "0",
            Target::Cuda => "cudaSuccess",
            Target::OpenCl => "CL_SUCCESS",
        }
    }

    /// An array with its size, as the first comment tells it.
    fn told(self, array: &Array) -> String {
        let extents: Vec<String> = array.extents.iter().map(|it| self.pen().text(it)).collect();
        let size = if extents.is_empty() {
            String::new()
        } else {
            format!("[{}]", extents.join(", "))
        };
        let place = if array.is_host { " of the host" } else { "" };
        let turned = if self.is_swapped(array) {
            " by reference"
        } else {
            ""
        };
        format!("{}{size}{place}{turned}", array.name)
    }

    /// The arrays that some steps name: those of the device first.
    fn arrays_of(self, steps: &str) -> Vec<&'f Array> {
        let all = self.arrays(false).chain(self.arrays(true));
        all.filter(|array| mentions(steps, &array.name)).collect()
    }

    fn parameter(self, array: &Array) -> String {
        let name = &array.name;
        let constant = if self.is_written_in_the_middle(array) {
            ""
        } else {
            "const "
        };
        match (array.is_host, self.is_swapped(array), self.target) {
            (false, true, Target::Cuda) => format!("{} *&{name}", word_of(array.word_type)),
            (false, true, _) => format!("{}*{name}_at", self.pointer(array)),
            (false, false, Target::OpenCl) => format!("cl_mem {name}"),
            _ => format!("{constant}{}{name}", pointer_to(array.word_type)),
        }
    }

    /// The beginning of a declaration of an array of the device: `word *`, or `cl_mem `.
    pub(super) fn pointer(self, array: &Array) -> &'static str {
        match self.target {
            Target::OpenCl => "cl_mem ",
            Target::C | Target::Cuda => pointer_to(array.word_type),
        }
    }

    pub(super) fn is_swapped(self, array: &Array) -> bool {
        let mut found = false;
        each(&self.form.body, &mut |step| {
            if let HostStep::Swap(left, right, _) = step {
                found |= [left, right].contains(&&array.name);
            }
        });
        found
    }

    fn is_written_in_the_middle(self, array: &Array) -> bool {
        let (first, last) = middle(&self.form.body);
        let mut found = self.is_swapped(array);
        each(&self.form.body[first..last], &mut |step| match step {
            HostStep::Launch { kernel, .. } => {
                let globals = &self.form.kernels[*kernel].globals;
                found |= globals
                    .iter()
                    .any(|(name, _, is_written)| *is_written && *name == array.name);
            }
            HostStep::Transfer {
                direction,
                host,
                global,
                ..
            } => {
                let to = match direction {
                    Direction::Inward => global,
                    Direction::Outward => host,
                };
                found |= to.array == array.name;
            }
            _ => {}
        });
        found
    }

    /// The header's `let`s.
    pub(super) fn lets(self, page: &mut Page) {
        for (name, value) in &self.form.lets {
            page.line(&self.pen().number(name, value));
        }
    }

    fn middle_steps(self, page: &mut Page) {
        let (first, last) = middle(&self.form.body);
        for step in &self.form.body[..first] {
            if let HostStep::Let(..) = step {
                self.step(step, page);
            }
        }
        self.steps(&self.form.body[first..last], page);
    }

    fn steps(self, steps: &'f [HostStep], page: &mut Page) {
        steps.iter().for_each(|step| self.step(step, page));
    }

    fn step(self, step: &'f HostStep, page: &mut Page) {
        let pen = self.pen();
        match step {
            HostStep::Line(_) => {}
            HostStep::Let(name, value) => page.line(&pen.number(name, value)),
            HostStep::Scope(body) => {
                page.open("{");
                self.steps(body, page);
                page.close();
            }
            HostStep::Launch { kernel, ranges, .. } => {
                self.launched(&self.form.kernels[*kernel], ranges, page);
            }
            HostStep::Transfer {
                direction,
                host,
                global,
                ..
            } => {
                let copying = Copying {
                    of: self,
                    direction: *direction,
                    stream: true,
                };
                copying.copied(host, global, page);
            }
            HostStep::For { head, until, body } => {
                page.open(&pen.repeated(head));
                self.steps(body, page);
                if let Some(until) = until {
                    page.under(&pen.condition(until), "break;");
                }
                page.close();
            }
            HostStep::While {
                condition,
                at_most,
                body,
                ..
            } => {
                self.repeated_while((condition, at_most), body, page);
            }
            HostStep::Swap(left, right, word_type) => {
                let ty = match self.target {
                    Target::OpenCl => "cl_mem ",
                    Target::C | Target::Cuda => pointer_to(*word_type),
                };
                page.open("{");
                page.line(&format!("{ty}held = {left};"));
                page.line(&format!("{left} = {right};"));
                page.line(&format!("{right} = held;"));
                page.close();
            }
        }
    }

    /// A loop that ends the function where it passes its bound.
    fn repeated_while(
        self,
        (condition, at_most): (&Term, &Term),
        body: &'f [HostStep],
        page: &mut Page,
    ) {
        let pen = self.pen();
        let passed = match self.target {
            Target::C => "return 2;",
            Target::Cuda => "return cudaErrorUnknown;",
            Target::OpenCl => "return CL_INVALID_OPERATION;",
        };
        page.open("{");
        page.line(&pen.defined("const whole", "at_most", at_most));
        page.open(&pen.counted(("round", &Term::Whole(0)), condition, "++"));
        let is_passed = Term::infix(">=", Term::name("round"), Term::name("at_most"));
        page.under(&pen.condition(&is_passed), passed);
        // Names of their own do not hide `round`.
        page.open("{");
        self.steps(body, page);
        page.close();
        page.close();
        page.close();
    }

    /// A call that may fail, if none before did.
    pub(super) fn tried(self, call: &str, page: &mut Page) {
        match self.target {
            Target::C => page.line(&format!("{call};")),
            Target::Cuda | Target::OpenCl => page.line(&format!("if (!error) error = {call};")),
        }
    }

    /// The number of bytes of so many words.
    pub(super) fn bytes(self, words: &Term, word_type: WordType) -> String {
        let size = format!("sizeof({})", word_of(word_type));
        match words {
            Term::Whole(1) => size,
            words => format!(
                "{} * {size}",
                self.pen().text(&Term::cast("size_t", words.clone()))
            ),
        }
    }
}
