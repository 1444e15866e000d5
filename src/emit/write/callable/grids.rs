//! Launches: in C a loop over the MPs, on a device a grid of them.

use crate::emit::form::Kernel;
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::c::mps_in_turn;
use crate::emit::write::callable::Callable;
use crate::emit::write::device::{many_of, told_bytes, whole_eights};
use crate::emit::write::page::Page;

/// The most thread blocks of a launch.
const MOST_BLOCKS: i64 = i32::MAX as i64;

impl<'f> Callable<'f> {
    pub(super) fn launched(self, kernel: &'f Kernel, ranges: &'f [(Term, Term)], page: &mut Page) {
        match self.target {
            Target::C => mps_in_turn(kernel, ranges, self.pen(), page),
            Target::Cuda | Target::OpenCl => self.grids(kernel, ranges, page),
        }
    }

    /// All MPs at once, if there are any.
    fn grids(self, kernel: &'f Kernel, ranges: &'f [(Term, Term)], page: &mut Page) {
        let Some(grid) = self.grid(kernel) else {
            return;
        };
        let pen = self.pen();
        let mut inner = page.beside();
        let mut names: Vec<Term> = Vec::new();
        for (name, value) in grid.numbers() {
            inner.line(&pen.defined("const whole", &name, &value));
            names.push(Term::Name(name));
        }
        let mut counts: Vec<Term> = Vec::new();
        for (mp, (low, high)) in kernel.mps.iter().zip(ranges) {
            let many = many_of(low, high);
            let name = format!("{mp}_many");
            let is_told = names.contains(&Term::name(&name));
            counts.push(match (many.is_leaf(), is_told) {
                (true, false) => many,
                (_, true) => Term::Name(name),
                (false, false) => {
                    let ty = if self.manner.indices.range(&many).is_some() {
                        "int"
                    } else {
                        "whole"
                    };
                    inner.line(&pen.defined(&format!("const {ty}"), &name, &many));
                    Term::Name(name)
                }
            });
        }
        names.extend(kernel.numbers.iter().map(|name| Term::name(name)));
        let is_some = counts
            .iter()
            .filter(|many| !matches!(many, Term::Whole(1..)));
        let is_some = is_some.map(|many| Term::infix(">", many.clone(), Term::Whole(0)));
        let has_mps = is_some.reduce(|all, one| Term::infix("&&", all, one));
        match self.target {
            Target::Cuda => {
                self.in_cuda(kernel, (names, &counts, grid.is_whole), has_mps, &mut inner)
            }
            Target::OpenCl | Target::C => {
                self.in_opencl(kernel, (&names, &counts), has_mps, &mut inner)
            }
        }
        page.around(inner);
    }

    fn in_cuda(
        self,
        kernel: &Kernel,
        (mut names, counts, is_whole): (Vec<Term>, &[Term], bool),
        has_mps: Option<Term>,
        page: &mut Page,
    ) {
        let (pen, thread_block) = (self.pen(), self.form.thread_block);
        let name = |name| Term::name(name);
        let mut threads = name("b");
        let mut blocks = grid_of(counts, is_whole);
        let bytes = told_bytes(kernel, self.target, thread_block);
        let bytes = bytes.into_iter().map(whole_eights);
        let bytes = bytes.reduce(|all, one| Term::infix("+", all, one));
        let mut shared = Term::Whole(0);
        if thread_block > 1 {
            page.line(&pen.defined("const whole", "mps", &blocks));
            names.insert(0, name("mps"));
            let mut together = Term::Whole(thread_block);
            if let Some(bytes) = &bytes {
                page.line(&pen.defined("const size_t", "mp_bytes", bytes));
                let of = vec![together, name("mp_bytes")];
                page.line(&pen.defined(
                    "const whole",
                    "together",
                    &Term::call("together_at_most", of),
                ));
                together = name("together");
                shared = Term::infix("*", together.clone(), name("mp_bytes"));
            }
            let more = Term::infix("-", together.clone(), Term::Whole(1));
            blocks = Term::infix("/", Term::infix("+", name("mps"), more), together.clone());
            threads = Term::infix("*", together, threads);
        } else if let Some(bytes) = &bytes {
            shared = bytes.clone();
        }
        if bytes.is_some() {
            page.line(&pen.defined("const size_t", "shared_bytes", &shared));
            page.line(&format!(
                "cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);",
                kernel.name
            ));
            shared = name("shared_bytes");
        }
        self.not_too_many(&blocks, page);
        let configuration = [blocks, threads, shared, name("stream")];
        let globals = kernel.globals.iter().map(|(global, _, _)| name(global));
        let arguments: Vec<Term> = names.into_iter().chain(globals).collect();
        let call = pen.launched(&kernel.name, &configuration, &arguments);
        self.if_any(has_mps, &call, page);
    }

    fn if_any(self, condition: Option<Term>, call: &str, page: &mut Page) {
        match condition {
            Some(condition) => page.under(&self.pen().condition(&condition), call),
            None => page.line(call),
        }
    }

    /// Ends the function where CUDA would take a number of thread blocks for another.
    fn not_too_many(self, blocks: &Term, page: &mut Page) {
        let is_known = matches!(blocks, Term::Call("dim3", _) | Term::Whole(0..=MOST_BLOCKS))
            || self.manner.indices.range(blocks).is_some();
        if !is_known {
            let is_more = Term::infix(">", blocks.clone(), Term::Whole(MOST_BLOCKS));
            let asked = self.pen().condition(&is_more);
            page.under(&asked, "return cudaErrorInvalidConfiguration;");
        }
    }

    fn in_opencl(
        self,
        kernel: &Kernel,
        (names, counts): (&[Term], &[Term]),
        has_mps: Option<Term>,
        page: &mut Page,
    ) {
        let pen = self.pen();
        let made = format!("clCreateKernel(program, \"{}\", &error)", kernel.name);
        page.line(&format!("cl_kernel kernel = error ? NULL : {made};"));
        let globals = kernel
            .globals
            .iter()
            .map(|(global, _, _)| Term::name(global));
        let arguments = names.iter().cloned().chain(globals);
        let arguments = arguments.map(|name| {
            let name = pen.text(&name);
            format!("sizeof {name}, &{name}")
        });
        let told = told_bytes(kernel, self.target, 1).into_iter();
        let told = told.map(|bytes| format!("{}, NULL", pen.text(&bytes)));
        for (at, argument) in arguments.chain(told).enumerate() {
            self.tried(&format!("clSetKernelArg(kernel, {at}, {argument})"), page);
        }
        let mut all = vec![String::new(); counts.len()];
        for (at, many) in counts.iter().rev().enumerate() {
            let many = Term::cast("size_t", many.clone());
            let many = if at == 0 {
                Term::infix("*", many, Term::name("b"))
            } else {
                many
            };
            all[at] = pen.text(&many);
        }
        let ones = ", 1".repeat(counts.len() - 1);
        page.line(&format!(
            "const size_t all[] = {{{}}}, own[] = {{b{ones}}};",
            all.join(", ")
        ));
        let dimensions = counts.len();
        let call = format!(
            "clEnqueueNDRangeKernel(queue, kernel, {dimensions}, NULL, all, own, 0, NULL, NULL)"
        );
        let none_failed = Term::not(Term::name("error"));
        let condition = match has_mps {
            Some(has_mps) => Term::infix("&&", none_failed, has_mps),
            None => none_failed,
        };
        page.under(&pen.condition(&condition), &format!("error = {call};"));
        page.under("if (kernel)", "clReleaseKernel(kernel);");
    }
}

/// The grid of a launch: its counts by axes, or all in one line.
fn grid_of(counts: &[Term], is_whole: bool) -> Term {
    match counts {
        [all] => all.clone(),
        [rows, columns] if is_whole => Term::call("dim3", vec![columns.clone(), rows.clone()]),
        [far, rows, columns] if is_whole => {
            Term::call("dim3", [columns, rows, far].map(Clone::clone).to_vec())
        }
        _ => {
            let counts = counts.iter().cloned();
            let all = counts.reduce(|all, one| Term::infix("*", all, one));
            all.unwrap_or(Term::Whole(1))
        }
    }
}
