//! The `main` of what is emitted: arguments, arrays, the host's statements, outputs.

use crate::emit::form::{Array, Form, HostStep, Kernel, Loop, Part, Side};
use crate::emit::target::Target;
use crate::emit::term::{Spelling, Term};
use crate::emit::write::c::{kind_of, loop_head, type_of};
use crate::emit::write::page::Page;
use crate::program::{Direction, Property, WordType};

/// Who writes the host's side.
pub(super) struct Host<'f> {
    pub form: &'f Form,
    pub target: Target,
    pub is_single: bool,
}

impl Host<'_> {
    fn text(&self, term: &Term) -> String {
        term.spelled(Spelling {
            core: None,
            is_single: self.is_single,
        })
    }

    pub(super) fn main(&self, page: &mut Page) {
        page.line("int main(int argc, char **argv)");
        page.open("{");
        page.line("argument_count = argc;");
        page.line("argument_values = argv;");
        let names = self.form.formals.iter();
        let names: String = names
            .map(|(written, ..)| format!("{written:?}, "))
            .collect();
        page.line(&format!(
            "static const char *const formal_names[] = {{{names}NULL}};"
        ));
        page.line("arguments_known(formal_names);");
        self.header(page);
        page.line("");
        page.line("device_open();");
        for array in &self.form.arrays {
            self.array(array, page);
        }
        page.line("");
        page.line("const int repeats = (int)number_of(option(\"--repeat\", \"1\"), \"--repeat\");");
        page.line(
            "const int warm_ups = (int)number_of(option(\"--warm-up\", \"0\"), \"--warm-up\");",
        );
        page.line("if (repeats < 1)");
        page.line("    fail(\"this is less than 1: \", \"--repeat\");");
        page.open("for (int run = -warm_ups; run < repeats; run++) {");
        page.line("is_first_run = run == -warm_ups;");
        page.line("is_warm = run >= 0;");
        for array in self.form.arrays.iter().filter(|array| array.is_host) {
            self.data(array, page);
        }
        page.line("");
        self.steps(&self.form.body, page);
        page.close();
        page.line("");
        self.results(page);
        page.line("return 0;");
        page.close();
    }

    fn header(&self, page: &mut Page) {
        for (written, name, default) in &self.form.formals {
            let (has, value) = match default {
                Some(value) => ("true", *value),
                None => ("false", 0),
            };
            page.line(&format!(
                "const whole {name} = formal({written:?}, {has}, {value});"
            ));
        }
        for (name, value) in &self.form.lets {
            page.line(&format!("const whole {name} = {};", self.text(value)));
        }
        for (name, _) in &self.form.lets {
            page.line(&format!("(void){name};"));
        }
        for (_, name, _) in &self.form.formals {
            page.line(&format!("(void){name};"));
        }
        for (text, term) in &self.form.requires {
            match term {
                Some(term) => page.line(&format!("require({}, {text:?});", self.text(term))),
                None => page.comment(&format!("not tested here: {text}")),
            }
        }
    }

    fn words(&self, array: &Array) -> String {
        let words = array.extents.iter().cloned();
        let words = words.reduce(|words, extent| Term::infix("*", words, extent));
        self.text(&words.unwrap_or(Term::Whole(1)))
    }

    fn array(&self, array: &Array, page: &mut Page) {
        let (name, ty, kind) = (
            &array.name,
            type_of(array.word_type),
            kind_of(array.word_type),
        );
        let words = self.words(array);
        page.line(&match (array.is_host, self.target) {
            (true, _) => format!("{ty} *{name} = ({ty} *)host_array({words}, {kind});"),
            (false, Target::OpenCl) => format!("buffer {name} = device_array({words}, {kind});"),
            (false, Target::C | Target::Cuda) => {
                format!("{ty} *{name} = ({ty} *)device_array({words}, {kind});")
            }
        });
        if array.is_host && self.target == Target::Cuda {
            page.line(&format!("device_pin({name}, {words}, {kind});"));
        }
    }

    /// What a host array holds before the program runs.
    fn data(&self, array: &Array, page: &mut Page) {
        let (name, words) = (&array.name, self.words(array));
        let kind = kind_of(array.word_type);
        if !array.is_input {
            page.line(&format!(
                "memset({name}, 0, (size_t)({words}) * size_of({kind}));"
            ));
            return;
        }
        let property = match array.property {
            None => "ANY",
            Some(Property::Sorted) => "SORTED",
            Some(Property::Permutation) => "PERMUTATION",
            Some(Property::List) => "LIST",
        };
        let (function, low, high) = match array.word_type {
            WordType::Int => ("generate_ints", Term::Whole(-100), Term::Whole(100)),
            WordType::Float => ("generate_floats", Term::Real(0.0), Term::Real(1.0)),
        };
        let (low, high) = array.range.clone().unwrap_or((low, high));
        let (low, high) = (self.text(&low), self.text(&high));
        let written = &array.written;
        page.line(&format!(
            "{function}({name}, {words}, {written:?}, {property}, {low}, {high});"
        ));
    }

    fn steps(&self, steps: &[HostStep], page: &mut Page) {
        for step in steps {
            self.step(step, page);
        }
    }

    fn step(&self, step: &HostStep, page: &mut Page) {
        match step {
            HostStep::Line(line) => page.comment(line),
            HostStep::Let(name, value) => {
                page.line(&format!("const whole {name} = {};", self.text(value)));
                page.line(&format!("(void){name};"));
            }
            HostStep::Scope(body) => {
                page.open("{");
                self.steps(body, page);
                page.close();
            }
            HostStep::Launch {
                kernel,
                line,
                ranges,
            } => {
                let kernel = &self.form.kernels[*kernel];
                match self.target {
                    Target::C => self.turns(kernel, *line, ranges, page),
                    Target::Cuda | Target::OpenCl => self.launch(kernel, *line, ranges, page),
                }
            }
            HostStep::Transfer {
                direction,
                line,
                host,
                global,
            } => {
                let (to, from) = match direction {
                    Direction::Inward => (global, host),
                    Direction::Outward => (host, global),
                };
                self.transfer(*direction, *line, to, from, page);
            }
            HostStep::For { head, until, body } => {
                page.open(&loop_head(head, &|term| self.text(term)));
                self.steps(body, page);
                if let Some(until) = until {
                    page.under(&format!("if ({})", self.text(until)), "break;");
                }
                page.close();
            }
            HostStep::While {
                condition,
                at_most,
                line,
                body,
            } => {
                page.open("{");
                page.line(&format!("const whole at_most = {};", self.text(at_most)));
                let head = format!(
                    "for (whole round = 0; {}; round++) {{",
                    self.text(condition)
                );
                page.open(&head);
                let passed = format!("fail(\"passed its bound: the loop of line \", \"{line}\");");
                page.under("if (round >= at_most)", &passed);
                page.open("{");
                self.steps(body, page);
                page.close();
                page.close();
                page.close();
            }
            HostStep::Swap(left, right, word_type) => {
                let ty = match self.target {
                    Target::OpenCl => "buffer ".to_owned(),
                    Target::C | Target::Cuda => format!("{} *", type_of(*word_type)),
                };
                page.open("{");
                page.line(&format!("{ty}held = {left};"));
                page.line(&format!("{left} = {right};"));
                page.line(&format!("{right} = held;"));
                page.close();
            }
        }
    }

    /// The MPs one after another.
    fn turns(&self, kernel: &Kernel, line: usize, ranges: &[(Term, Term)], page: &mut Page) {
        let mut many = Term::Whole(1);
        for (low, high) in ranges {
            let count = Term::infix("-", high.clone(), low.clone());
            let count = Term::infix("+", count, Term::Whole(1));
            let count = Term::call("greatest", vec![count, Term::Whole(0)]);
            many = Term::infix("*", many, count);
        }
        page.line("event_begin();");
        for (mp, (low, high)) in kernel.mps.iter().zip(ranges) {
            let head = Loop {
                variable: mp.clone(),
                from: low.clone(),
                to: high.clone(),
                last: None,
                down: false,
            };
            page.open(&loop_head(&head, &|term| self.text(term)));
        }
        let numbers = kernel.mps.iter().chain(&kernel.numbers);
        let arguments: Vec<&str> = numbers
            .chain(kernel.globals.iter().map(|(name, _, _)| name))
            .map(String::as_str)
            .collect();
        page.line(&format!("{}({});", kernel.name, arguments.join(", ")));
        for _ in ranges {
            page.close();
        }
        page.line(&format!(
            "event_end(\"launch\", {line}, {});",
            self.text(&many)
        ));
    }

    /// All MPs at once.
    fn launch(&self, kernel: &Kernel, line: usize, ranges: &[(Term, Term)], page: &mut Page) {
        page.open("{");
        let mut numbers = Vec::new();
        let mut many = Vec::new();
        for (at, (mp, (low, high))) in kernel.mps.iter().zip(ranges).enumerate() {
            let low_name = format!("{mp}_low");
            let many_name = format!("{mp}_many");
            page.line(&format!("const whole {low_name} = {};", self.text(low)));
            let count = Term::infix("-", high.clone(), Term::Name(low_name.clone()));
            let count = Term::infix("+", count, Term::Whole(1));
            let count = Term::call("greatest", vec![count, Term::Whole(0)]);
            page.line(&format!("const whole {many_name} = {};", self.text(&count)));
            numbers.push(low_name);
            // What is left of an MP's number belongs to the first dimension, however many it has.
            if at > 0 {
                numbers.push(many_name.clone());
            }
            many.push(many_name);
        }
        page.line(&format!("const whole mps = {};", many.join(" * ")));
        numbers.extend(kernel.numbers.iter().cloned());
        let globals = kernel.globals.iter().map(|(name, _, _)| name.clone());
        let thread_block = self.form.thread_block;
        let (told, _) = kernel.shared(self.target, thread_block);
        let unknown: Vec<String> = told
            .into_iter()
            .map(|shared| {
                let words = self.text(&shared.words);
                format!(
                    "(size_t)greatest({words}, 1) * sizeof({})",
                    type_of(shared.word_type)
                )
            })
            .collect();
        match self.target {
            Target::Cuda => {
                let is_told = !unknown.is_empty();
                if is_told {
                    let all = unknown.iter().map(|bytes| format!("({bytes} + 7) / 8 * 8"));
                    let all = all.collect::<Vec<_>>().join(" + ");
                    let all = match thread_block {
                        1 => all,
                        mps => {
                            page.line(&format!("const size_t mp_bytes = {all};"));
                            page.line(&format!(
                                "const whole together = device_together({mps}, mp_bytes);"
                            ));
                            "together * mp_bytes".to_owned()
                        }
                    };
                    page.line(&format!("const size_t shared_bytes = {all};"));
                    page.line(&format!(
                        "device_shared((const void *){}, shared_bytes);",
                        kernel.name
                    ));
                }
                let (blocks, threads) = match (thread_block, is_told) {
                    (1, _) => ("mps".to_owned(), "b".to_owned()),
                    (_, true) => (
                        "(mps + together - 1) / together".to_owned(),
                        "(together * b)".to_owned(),
                    ),
                    (mps, false) => (
                        format!("(mps + {}) / {mps}", mps - 1),
                        format!("({mps} * b)"),
                    ),
                };
                if thread_block > 1 {
                    numbers.insert(0, "mps".to_owned());
                }
                let bytes = if is_told { ", shared_bytes" } else { "" };
                let arguments: Vec<String> = numbers.into_iter().chain(globals).collect();
                let call = format!(
                    "{}<<<grid({blocks}), (unsigned){threads}{bytes}>>>({});",
                    kernel.name,
                    arguments.join(", ")
                );
                page.line("launch_begin();");
                page.under("if (mps > 0)", &call);
                page.line("check(cudaGetLastError(), \"a launch\");");
            }
            Target::OpenCl | Target::C => {
                page.line("event_begin();");
                page.line(&format!(
                    "cl_kernel kernel = kernel_of(\"{}\");",
                    kernel.name
                ));
                let mut at = 0;
                let mut argument = |size: String, value: String, page: &mut Page| {
                    page.line(&format!(
                        "check(clSetKernelArg(kernel, {at}, {size}, {value}), \"an argument\");"
                    ));
                    at += 1;
                };
                for number in numbers {
                    argument("sizeof(whole)".to_owned(), format!("&{number}"), page);
                }
                for global in globals {
                    argument("sizeof(cl_mem)".to_owned(), format!("&{global}"), page);
                }
                for bytes in unknown {
                    argument(bytes, "NULL".to_owned(), page);
                }
                page.line("device_launch(kernel, mps, (size_t)b);");
            }
        }
        page.line(&format!("event_end(\"launch\", {line}, mps);"));
        page.close();
    }

    fn transfer(&self, direction: Direction, line: usize, to: &Side, from: &Side, page: &mut Page) {
        let function = match direction {
            Direction::Inward => "inward",
            Direction::Outward => "outward",
        };
        let (target, source) = (&to.array, &from.array);
        let (into, of) = (kind_of(to.word_type), kind_of(from.word_type));
        if let (Part::Row(first, words), Part::Row(from_first, _)) = (&to.part, &from.part) {
            let (first, words) = (self.text(first), self.text(words));
            let from_first = self.text(from_first);
            page.line(&format!(
                "{function}({line}, {target}, {into}, {first}, {source}, {of}, {from_first}, {words});"
            ));
            return;
        }
        page.open("{");
        self.block("to", &to.part, page);
        self.block("from", &from.part, page);
        page.line(&format!(
            "{function}_block({line}, {target}, {into}, to, {source}, {of}, from);"
        ));
        page.close();
    }

    fn block(&self, name: &str, part: &Part, page: &mut Page) {
        let (extents, ranges) = match part {
            Part::Block(extents, ranges) => (extents.clone(), ranges.clone()),
            Part::Row(first, words) => {
                let end = Term::infix("+", first.clone(), words.clone());
                let last = Term::infix("-", end.clone(), Term::Whole(1));
                (vec![end], vec![(first.clone(), last)])
            }
        };
        let list = |terms: &mut dyn Iterator<Item = &Term>| {
            let terms: Vec<String> = terms.map(|term| self.text(term)).collect();
            terms.join(", ")
        };
        let extents_listed = list(&mut extents.iter());
        let low = list(&mut ranges.iter().map(|(low, _)| low));
        let high = list(&mut ranges.iter().map(|(_, high)| high));
        page.line(&format!(
            "const whole {name}_extents[] = {{{extents_listed}}};"
        ));
        page.line(&format!("const whole {name}_low[] = {{{low}}};"));
        page.line(&format!("const whole {name}_high[] = {{{high}}};"));
        let rank = extents.len();
        page.line(&format!(
            "const struct block {name} = {{{rank}, {name}_extents, {name}_low, {name}_high}};"
        ));
    }

    fn results(&self, page: &mut Page) {
        page.line("const char *folder = option(\"--out\", \"\");");
        page.open("if (folder[0] != '\\0') {");
        for array in self.form.arrays.iter().filter(|array| array.is_output) {
            let (written, name) = (&array.written, &array.name);
            let kind = kind_of(array.word_type);
            let rank = array.extents.len();
            let extents: Vec<String> = array.extents.iter().map(|it| self.text(it)).collect();
            // An array of C has at least one element.
            let listed = match extents.is_empty() {
                true => "0".to_owned(),
                false => extents.join(", "),
            };
            page.open("{");
            page.line(&format!("const whole extents[] = {{{listed}}};"));
            page.line(&format!(
                "write_npy(folder, {written:?}, {name}, {kind}, {rank}, extents);"
            ));
            page.close();
        }
        page.close();
        page.line("const char *path = option(\"--times\", \"\");");
        page.under("if (path[0] != '\\0')", "write_times(path, repeats);");
        page.line("printf(\"device: %s\\n\", device_name());");
        page.line("printf(\"driver: %s\\n\", device_driver());");
        page.line("device_reports();");
        page.line("printf(\"events: %zu\\n\", event_count);");
    }
}
