//! Launches: in C a loop over the MPs, on a device a call with its arguments and the sizes of shared arrays.

use crate::emit::form::Kernel;
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::c::mps_in_turn;
use crate::emit::write::device::{told_bytes, whole_eights};
use crate::emit::write::host::{Host, numbered};
use crate::emit::write::page::Page;

impl Host<'_> {
    /// The MPs one after another.
    pub(super) fn turns(
        &self,
        kernel: &Kernel,
        line: usize,
        ranges: &[(Term, Term)],
        page: &mut Page,
    ) {
        let mut many = Term::Whole(1);
        for (low, high) in ranges {
            many = Term::infix("*", many, many_of(low, high));
        }
        page.line("event_begin();");
        mps_in_turn(kernel, ranges, self.pen(), page);
        self.ended(line, many, page);
    }

    /// The end of a launch, of so many MPs.
    fn ended(&self, line: usize, mps: Term, page: &mut Page) {
        let arguments = [Term::Text("launch".to_owned()), numbered(line), mps];
        page.line(&self.pen().called("event_end", &arguments));
    }

    /// All MPs at once.
    pub(super) fn launch(
        &self,
        kernel: &Kernel,
        line: usize,
        ranges: &[(Term, Term)],
        page: &mut Page,
    ) {
        let pen = self.pen();
        page.open("{");
        let mut numbers = Vec::new();
        let mut mps = Term::Whole(1);
        for (at, (mp, (low, high))) in kernel.mps.iter().zip(ranges).enumerate() {
            let low_name = Term::Name(format!("{mp}_low"));
            let many_name = Term::Name(format!("{mp}_many"));
            page.line(&pen.defined("const whole", &format!("{mp}_low"), low));
            let many = many_of(&low_name, high);
            page.line(&pen.defined("const whole", &format!("{mp}_many"), &many));
            numbers.push(low_name);
            // What is left of an MP's number belongs to the first dimension, however many it has.
            if at > 0 {
                numbers.push(many_name.clone());
            }
            mps = Term::infix("*", mps, many_name);
        }
        page.line(&pen.defined("const whole", "mps", &mps));
        numbers.extend(kernel.numbers.iter().map(|name| Term::name(name)));
        match self.target {
            Target::Cuda => self.launch_in_cuda(kernel, numbers, page),
            Target::OpenCl | Target::C => self.launch_in_opencl(kernel, numbers, page),
        }
        self.ended(line, Term::name("mps"), page);
        page.close();
    }

    fn launch_in_cuda(&self, kernel: &Kernel, mut numbers: Vec<Term>, page: &mut Page) {
        let (pen, thread_block) = (self.pen(), self.form.thread_block);
        let name = |name| Term::name(name);
        let bytes = told_bytes(kernel, self.target, thread_block);
        let bytes = bytes.into_iter().map(whole_eights);
        let bytes = bytes.reduce(|all, one| Term::infix("+", all, one));
        let is_told = bytes.is_some();
        if let Some(mut all) = bytes {
            if thread_block > 1 {
                page.line(&pen.defined("const size_t", "mp_bytes", &all));
                let of = vec![Term::Whole(thread_block), name("mp_bytes")];
                let together = Term::call("device_together", of);
                page.line(&pen.defined("const whole", "together", &together));
                all = Term::infix("*", name("together"), name("mp_bytes"));
            }
            page.line(&pen.defined("const size_t", "shared_bytes", &all));
            let asked = Term::cast("const void *", name(&kernel.name));
            page.line(&pen.called("device_shared", &[asked, name("shared_bytes")]));
        }
        let together = if is_told {
            name("together")
        } else {
            Term::Whole(thread_block)
        };
        let (blocks, threads) = blocks_and_threads(thread_block, together);
        let mut configuration = vec![
            Term::call("grid", vec![blocks]),
            Term::cast("unsigned", threads),
        ];
        if is_told {
            configuration.push(name("shared_bytes"));
        }
        if thread_block > 1 {
            numbers.insert(0, name("mps"));
        }
        let globals = kernel.globals.iter();
        let globals = globals.map(|(global, _, _)| Term::name(global));
        let arguments: Vec<Term> = numbers.into_iter().chain(globals).collect();
        page.line("launch_begin();");
        let has_mps = Term::infix(">", name("mps"), Term::Whole(0));
        let call = pen.launched(&kernel.name, &configuration, &arguments);
        page.under(&pen.condition(&has_mps), &call);
        page.line("check(cudaGetLastError(), \"a launch\");");
    }

    fn launch_in_opencl(&self, kernel: &Kernel, numbers: Vec<Term>, page: &mut Page) {
        let pen = self.pen();
        let name = |name| Term::name(name);
        page.line("event_begin();");
        let asked = Term::call("kernel_of", vec![Term::Text(kernel.name.clone())]);
        page.line(&pen.defined("cl_kernel", "kernel", &asked));
        let at_place = |of: Term| Term::prefix("&", of);
        let size_of = |ty| Term::call("sizeof", vec![name(ty)]);
        let numbers = numbers.into_iter();
        let numbers = numbers.map(|number| {
            let ty = match &number {
                Term::Name(name) => pen.type_of(name),
                _ => "whole",
            };
            (size_of(ty), at_place(number))
        });
        let globals = kernel.globals.iter();
        let globals = globals.map(|(global, _, _)| (size_of("cl_mem"), at_place(name(global))));
        let told = told_bytes(kernel, self.target, self.form.thread_block).into_iter();
        let told = told.map(|bytes| (bytes, name("NULL")));
        for (at, (size, value)) in numbers.chain(globals).chain(told).enumerate() {
            let arguments = vec![name("kernel"), numbered(at), size, value];
            let set = Term::call("clSetKernelArg", arguments);
            page.line(&pen.called("check", &[set, Term::Text("an argument".to_owned())]));
        }
        let cores = Term::cast("size_t", name("b"));
        page.line(&pen.called("device_launch", &[name("kernel"), name("mps"), cores]));
    }
}

/// How many thread blocks a launch has, and how many threads each: of so many MPs `together`.
fn blocks_and_threads(thread_block: i64, together: Term) -> (Term, Term) {
    let name = |name| Term::name(name);
    match thread_block {
        1 => (name("mps"), name("b")),
        _ => {
            let room = Term::infix("-", together.clone(), Term::Whole(1));
            // `mps + together - 1`
            let made_up = match room {
                Term::Whole(_) => Term::infix("+", name("mps"), room),
                _ => {
                    let sum = Term::infix("+", name("mps"), together.clone());
                    Term::infix("-", sum, Term::Whole(1))
                }
            };
            (
                Term::infix("/", made_up, together.clone()),
                Term::infix("*", together, name("b")),
            )
        }
    }
}

/// The number of values in a range.
fn many_of(low: &Term, high: &Term) -> Term {
    let many = Term::infix("-", high.clone(), low.clone());
    let many = Term::infix("+", many, Term::Whole(1));
    Term::call("greatest", vec![many, Term::Whole(0)])
}
