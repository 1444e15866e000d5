//! `run`: makes the device's arrays, transfers, calls `launch`, transfers back and frees.

use crate::emit::form::{Array, HostStep};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::c::pointer_to;
use crate::emit::write::callable::copies::Copying;
use crate::emit::write::callable::tidy::without_unused;
use crate::emit::write::callable::{Callable, Function, each, middle, word_of};
use crate::emit::write::page::Page;
use crate::program::Direction;

impl<'f> Callable<'f> {
    pub(super) fn run(self, launch: &[&'f Array]) -> Function {
        let is_of_call = |array: &&Array| array.is_input || array.is_output;
        let given: Vec<&Array> = self.arrays(true).filter(is_of_call).collect();
        let device: Vec<&Array> = self.arrays(false).collect();
        let own: Vec<&Array> = self
            .arrays(true)
            .filter(|array| !is_of_call(array))
            .collect();
        let mut page = Page::default();
        let (mut parameters, mut names) = self.first_parameters();
        for array in &given {
            let constant = if self.is_target(array) { "" } else { "const " };
            parameters.push(format!(
                "{constant}{}{}",
                pointer_to(array.word_type),
                array.name
            ));
            names.push(&array.name);
        }
        page.signature(&self.function("run"), &parameters);
        page.open("{");
        self.asked_first(&mut page);
        self.lets(&mut page);
        for step in &self.form.body {
            if let HostStep::Let(name, value) = step {
                page.line(&self.pen().number(name, value));
            }
        }
        page.line(&format!("{} error = {};", self.status(), self.well()));
        if self.target == Target::OpenCl {
            page.line("cl_context context = NULL;");
            let of = "queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL";
            self.tried(&format!("clGetCommandQueueInfo({of})"), &mut page);
        }
        own.iter()
            .for_each(|array| self.allocated_on_host(array, &mut page));
        self.allocated(&device, &mut page);
        if self.target == Target::C {
            page.open("if (!error) {");
        }
        let (first, last) = middle(&self.form.body);
        self.transfers(&self.form.body[..first], &mut page);
        self.call_of_launch(launch, &mut page);
        self.transfers(&self.form.body[last..], &mut page);
        if self.target == Target::C {
            page.close();
        }
        self.freed(&device, &own, &mut page);
        page.line("return error;");
        page.close();
        Function {
            text: without_unused(&page.into_text()),
            call: format!(
                "{}({}), on the host: allocates, transfers, launches, frees",
                self.called_as("run"),
                names.join(", ")
            ),
        }
    }

    fn transfers(self, steps: &'f [HostStep], page: &mut Page) {
        for step in steps {
            if let HostStep::Transfer {
                direction,
                host,
                global,
                ..
            } = step
            {
                let copying = Copying {
                    of: self,
                    direction: *direction,
                    stream: false,
                };
                copying.copied(host, global, page);
            }
        }
    }

    /// Returns true if some transfer writes to this host array.
    fn is_target(self, array: &Array) -> bool {
        let mut found = false;
        each(&self.form.body, &mut |step| {
            if let HostStep::Transfer {
                direction: Direction::Outward,
                host,
                ..
            } = step
            {
                found |= host.array == array.name;
            }
        });
        found
    }

    fn call_of_launch(self, arrays: &[&Array], page: &mut Page) {
        let mut arguments: Vec<String> = Vec::new();
        if self.target == Target::OpenCl {
            arguments.extend(["queue", "program"].map(str::to_owned));
        }
        arguments.extend(self.form.formals.iter().map(|it| it.name.clone()));
        for array in arrays {
            let is_by_place = self.is_by_place(array);
            arguments.push(format!(
                "{}{}",
                if is_by_place { "&" } else { "" },
                array.name
            ));
        }
        let call = format!("{}({})", self.named("launch"), arguments.join(", "));
        match self.target {
            Target::C => page.line(&format!("error = {call};")),
            Target::Cuda | Target::OpenCl => self.tried(&call, page),
        }
    }

    /// At least one word, where none is no size.
    fn at_least_one(self, array: &Array) -> Term {
        let words = array.extents.iter().cloned();
        let words = words.reduce(|words, extent| Term::infix("*", words, extent));
        let words = words.unwrap_or(Term::Whole(1));
        match self.manner.indices.range(&words) {
            Some((1.., _)) => words,
            _ => Term::call("greatest", vec![words, Term::Whole(1)]),
        }
    }

    fn allocated_on_host(self, array: &Array, page: &mut Page) {
        let (ty, name) = (pointer_to(array.word_type), &array.name);
        let words = self
            .pen()
            .text(&Term::cast("size_t", self.at_least_one(array)));
        let size = word_of(array.word_type);
        page.line(&format!(
            "{ty}{name} = ({ty})calloc({words}, sizeof({size}));"
        ));
        let failed = match self.target {
            Target::C => "3",
            Target::Cuda => "cudaErrorMemoryAllocation",
            Target::OpenCl => "CL_OUT_OF_HOST_MEMORY",
        };
        page.line(&format!("if (!{name}) error = {failed};"));
    }

    fn allocated(self, device: &[&Array], page: &mut Page) {
        for array in device {
            let (name, words) = (&array.name, self.at_least_one(array));
            let bytes = self.bytes(&words, array.word_type);
            let pointer = self.pointer(array);
            match self.target {
                Target::C => self.allocated_on_host(array, page),
                Target::Cuda => {
                    page.line(&format!("{pointer}{name} = NULL;"));
                    self.tried(&format!("cudaMalloc((void **)&{name}, {bytes})"), page);
                }
                Target::OpenCl => {
                    let made = format!(
                        "clCreateBuffer(context, CL_MEM_READ_WRITE, {bytes}, NULL, &error)"
                    );
                    page.line(&format!("{pointer}{name} = error ? NULL : {made};"));
                }
            }
        }
    }

    fn freed(self, device: &[&Array], own: &[&Array], page: &mut Page) {
        for array in device {
            let name = &array.name;
            match self.target {
                Target::C => page.line(&format!("free({name});")),
                Target::Cuda => page.line(&format!("cudaFree({name});")),
                Target::OpenCl => {
                    page.under(
                        &format!("if ({name})"),
                        &format!("clReleaseMemObject({name});"),
                    );
                }
            }
        }
        own.iter()
            .for_each(|array| page.line(&format!("free({});", array.name)));
    }
}
