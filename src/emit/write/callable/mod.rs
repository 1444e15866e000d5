//! A program as kernels and two functions that one calls: `launch` with arrays of the device, `run` with arrays of the
//! host.
//!
//! Transfers at the beginning and at the end are the caller's of `launch`; whatever stands between, host loops too, is
//! inside, and takes the host's arrays that it needs. [`launch`] writes the one, [`run`] the other, [`copies`] their
//! transfers. Nothing is declared that is not used: [`tidy`] looks at the text.

mod asked;
mod copies;
mod grids;
mod launch;
mod run;
mod tidy;

use crate::emit::form::{Array, Form, HostStep, Kernel, Step};
use crate::emit::helpers;
use crate::emit::target::{Target, Words};
use crate::emit::term::Term;
use crate::emit::write::callable::tidy::{pieces_used, without_unused};
use crate::emit::write::device::{Grid, Writer, atomics};
use crate::emit::write::page::Page;
use crate::emit::write::pen::{Manner, Pen};
use crate::emit::write::{Manners, c, mentions, wide};
use crate::program::{Direction, WordType};

/// A file, all but its first comment.
pub(in crate::emit) struct Written {
    rest: String,
    calls: [String; 2],
    /// The names of whole numbers of 64 bits that no data decide.
    pub wide: Vec<String>,
}

impl Written {
    /// The whole file; `head` is the text of its first comment.
    pub(in crate::emit) fn text(&self, head: &[String]) -> String {
        let mut page = Page::default();
        for line in head {
            match line.as_str() {
                "" => page.line("//"),
                CALLS => self.calls.iter().for_each(|call| page.comment(call)),
                line => page.comment(line),
            }
        }
        page.line("");
        page.text(&self.rest);
        page.into_text()
    }
}

pub(in crate::emit) fn written(form: &Form, target: Target, words: Words) -> Written {
    let Manners { main, kernels } = &Manners::of(form, target, words, true);
    let writer = Callable {
        form,
        target,
        words,
        in_kernels: kernels,
        manner: main,
    };
    let kernels = writer.kernels();
    let (launch, arrays) = writer.launch();
    let run = writer.run(&arrays);
    let functions = format!("{}\n{}", launch.text, run.text);
    let mut page = Page::default();
    writer.file(&kernels, &functions, &mut page);
    Written {
        rest: page.into_text(),
        calls: [launch.call, run.call],
        wide: wide(form, &[&kernels, &functions]),
    }
}

/// A function, and how it is called.
struct Function {
    text: String,
    call: String,
}

#[derive(Clone, Copy)]
struct Callable<'f> {
    form: &'f Form,
    target: Target,
    words: Words,
    /// The manner of kernels, and that of the functions of the host.
    in_kernels: &'f Manner,
    manner: &'f Manner,
}

impl<'f> Callable<'f> {
    fn pen(self) -> Pen<'f> {
        Pen {
            core: None,
            manner: self.manner,
        }
    }

    /// A function's own name: CUDA has a namespace around it.
    fn named(self, name: &str) -> String {
        match self.target {
            Target::Cuda => name.to_owned(),
            Target::C | Target::OpenCl => format!("{}_{name}", self.form.name),
        }
    }

    fn kernels(self) -> String {
        let mut all = String::new();
        for kernel in &self.form.kernels {
            let mut page = Page::default();
            match self.target {
                Target::C => c::kernel(kernel, self.in_kernels, &mut page),
                Target::Cuda | Target::OpenCl => {
                    let writer = Writer {
                        target: self.target,
                        manner: self.in_kernels,
                        thread_block: self.form.thread_block,
                        is_warp: self.form.cores == crate::emit::target::WARP,
                    };
                    if let Some(grid) = self.grid(kernel) {
                        writer.plain_kernel(&grid, &mut page);
                    }
                }
            }
            all += &without_unused(&page.into_text());
            all.push('\n');
        }
        all
    }

    /// The MPs of a kernel's one launch.
    fn grid(self, kernel: &'f Kernel) -> Option<Grid<'f>> {
        let ranges = ranges_of(&self.form.body, &self.form.kernels, kernel)?;
        let thread_block = self.form.thread_block;
        Some(Grid::of(
            kernel,
            ranges,
            (self.target, thread_block),
            self.manner,
        ))
    }

    fn file(self, kernels: &str, functions: &str, page: &mut Page) {
        let of_program = format!("{kernels}{functions}");
        let called = helpers::names().filter(|name| mentions(&of_program, name));
        let function = match self.target {
            Target::Cuda => "static inline __host__ __device__",
            Target::C | Target::OpenCl => "static inline",
        };
        let called = called.collect::<Vec<_>>();
        let helpers = helpers::texts(&called).replace("FUNCTION", function);
        let lent = match self.target {
            Target::C => c::ANY.to_owned(),
            Target::Cuda | Target::OpenCl => atomics(self.target, self.words, self.form.cores),
        };
        let lent = pieces_used(&lent, &of_program).replace("FUNCTION", function);
        let constants = self.constants(&[&helpers, &lent, kernels, functions]);
        let rest = [&constants, &helpers, &lent, &of_program]
            .map(String::as_str)
            .concat();
        match self.target {
            Target::C => {
                page.text(&included(C_HEADERS, &rest));
                page.line("");
                page.text(&self.types("long long", &rest));
                // The names of fixed values may be names inside the helper functions, too.
                page.text(&["\n", &helpers, &constants, "\n", &lent, kernels, functions].concat());
                page.text(&self.undefined(&constants));
            }
            Target::Cuda => {
                page.text("#pragma once\n#include <cuda_runtime.h>\n");
                page.text(&included(&C_HEADERS[2..3], functions));
                page.line(&format!("\nnamespace {} {{\n", self.form.name));
                page.text(&self.types("long long", &rest));
                page.text(&[&constants, "\n", &helpers, &lent, kernels, functions].concat());
                page.line(&format!("\n}} // namespace {}", self.form.name));
            }
            Target::OpenCl => {
                self.two_readers(&constants, &helpers, (&lent, kernels), functions, page)
            }
        }
    }

    /// One file for the device's compiler and for the host's.
    fn two_readers(
        self,
        constants: &str,
        helpers: &str,
        (lent, kernels): (&str, &str),
        functions: &str,
        page: &mut Page,
    ) {
        let rest = [constants, helpers, lent, kernels].concat();
        page.line("#ifdef __OPENCL_VERSION__");
        if !self.words.float && mentions(&rest, "real") {
            page.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
        }
        if !self.words.int32 && lent.contains("atom_") {
            page.line("#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable");
            page.line("#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable");
        }
        page.line("#pragma OPENCL FP_CONTRACT OFF");
        page.text(&self.types("long", &rest));
        page.text(lent);
        page.line("#else");
        let rest = [constants, helpers, functions].concat();
        page.text("#include <CL/cl.h>\n");
        page.text(&included(C_HEADERS, &rest));
        page.text(&self.types("cl_long", &rest));
        page.line("#endif\n");
        page.text(&[helpers, constants].concat());
        page.text(
            &[
                "\n#ifdef __OPENCL_VERSION__\n\n",
                kernels,
                "#else\n\n",
                functions,
            ]
            .concat(),
        );
        page.text("\n#endif\n");
        page.text(&self.undefined(constants));
    }

    /// The types that some text names.
    fn types(self, long: &str, text: &str) -> String {
        let int = if self.words.int32 { "int" } else { long };
        let real = if self.words.float { "float" } else { "double" };
        let types = [("whole", long), ("word", int), ("real", real)];
        let used = types.iter().filter(|(name, _)| mentions(text, name));
        used.map(|(name, ty)| format!("typedef {ty} {name};\n"))
            .collect()
    }

    /// The fixed values that the text names.
    fn constants(self, texts: &[&str]) -> String {
        let mut lines = String::new();
        for (name, value) in &self.form.constants {
            if !texts.iter().any(|text| mentions(text, name)) {
                continue;
            }
            let (ty, is_short) = (self.pen().type_of(name), self.manner.indices.is_short(name));
            lines += &match (self.target, is_short) {
                (Target::Cuda, _) => format!("constexpr {ty} {name} = {value};\n"),
                (_, true) => format!("#define {name} {value}\n"),
                (_, false) => format!("#define {name} ((whole){value})\n"),
            };
        }
        lines
    }

    /// The end of what is fixed: nobody who includes the file has names of one letter replaced.
    fn undefined(self, constants: &str) -> String {
        let lines = constants.lines().filter_map(|line| line.split(' ').nth(1));
        lines.map(|name| format!("#undef {name}\n")).collect()
    }

    fn arrays(self, is_host: bool) -> impl Iterator<Item = &'f Array> {
        self.form
            .arrays
            .iter()
            .filter(move |array| array.is_host == is_host)
    }
}

/// The line of the first comment that the calls replace.
pub(crate) const CALLS: &str = "\u{1}";

/// Headers of C, each with names that need it.
const C_HEADERS: &[(&str, &[&str])] = &[
    (
        "math.h",
        &[
            "sqrt", "exp", "log", "log2", "log10", "sin", "cos", "pow", "fabs", "isnan", "signbit",
            "floor", "ceil", "NAN", "INFINITY",
        ],
    ),
    ("stdbool.h", &["bool", "true", "false"]),
    ("stdlib.h", &["calloc", "free", "NULL"]),
    ("string.h", &["memcpy"]),
];

fn included(headers: &[(&str, &[&str])], text: &str) -> String {
    let used = headers
        .iter()
        .filter(|(_, names)| names.iter().any(|name| mentions(text, name)));
    used.map(|(header, _)| format!("#include <{header}>\n"))
        .collect()
}

/// The ranges of MPs with which a kernel is launched.
fn ranges_of<'f>(
    steps: &'f [HostStep],
    kernels: &[Kernel],
    kernel: &Kernel,
) -> Option<&'f [(Term, Term)]> {
    steps.iter().find_map(|step| match step {
        HostStep::Launch {
            kernel: at, ranges, ..
        } => (kernels[*at].name == kernel.name).then_some(&ranges[..]),
        HostStep::Scope(body) | HostStep::For { body, .. } | HostStep::While { body, .. } => {
            ranges_of(body, kernels, kernel)
        }
        HostStep::Line(_) | HostStep::Let(..) | HostStep::Transfer { .. } | HostStep::Swap(..) => {
            None
        }
    })
}

/// All steps, those in loops and named kernels too.
fn each<'f>(steps: &'f [HostStep], told: &mut dyn FnMut(&'f HostStep)) {
    for step in steps {
        told(step);
        if let HostStep::Scope(body) | HostStep::For { body, .. } | HostStep::While { body, .. } =
            step
        {
            each(body, told);
        }
    }
}

/// The places where the transfers at the beginning end, and those at the end begin.
fn middle(body: &[HostStep]) -> (usize, usize) {
    let is_at = |step: &HostStep, wanted: Direction| match step {
        HostStep::Line(_) => true,
        HostStep::Let(..) => wanted == Direction::Inward,
        HostStep::Transfer { direction, .. } => *direction == wanted,
        _ => false,
    };
    let first = body.iter().position(|step| !is_at(step, Direction::Inward));
    let first = first.unwrap_or(body.len());
    let last = body
        .iter()
        .rposition(|step| !is_at(step, Direction::Outward));
    (first, last.map_or(first, |last| (last + 1).max(first)))
}

/// The type of an array's words.
fn word_of(word_type: WordType) -> &'static str {
    c::type_of(word_type)
}

/// Takes lines of the program out of steps.
pub(in crate::emit) fn without_lines(steps: &mut Vec<Step>) {
    steps.retain(|step| !matches!(step, Step::Line(_)));
    for step in steps {
        if let Step::Scope(body) | Step::For { body, .. } | Step::WhileAny { body, .. } = step {
            without_lines(body);
        }
    }
}
