//! The `main` of the file: arguments, arrays, the host's statements, outputs. [`launch`] starts kernels.

mod launch;

use crate::emit::form::{Array, Form, Formal, HostStep, MOST_WORDS, Part, Side};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::c::{kind_of, pointer_to};
use crate::emit::write::names_let;
use crate::emit::write::page::Page;
use crate::emit::write::pen::{Manner, Pen};
use crate::program::{Direction, Property, WordType};

/// Who writes the host's side.
pub(super) struct Host<'f> {
    pub form: &'f Form,
    pub target: Target,
    pub manner: &'f Manner,
}

impl Host<'_> {
    fn pen(&self) -> Pen<'_> {
        Pen {
            core: None,
            manner: self.manner,
        }
    }

    pub(super) fn main(&self, page: &mut Page) {
        page.line("int main(int argc, char **argv)");
        page.open("{");
        page.line("argument_count = argc;");
        page.line("argument_values = argv;");
        let names = self.form.formals.iter();
        let names = names.map(|formal| Term::Text(formal.written.clone()));
        let names: Vec<Term> = names.chain([Term::name("NULL")]).collect();
        let ty = "static const char *const";
        page.line(&self.pen().list(ty, "formal_names", &names));
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
        let pen = self.pen();
        for formal in &self.form.formals {
            self.formal(formal, page);
        }
        self.required(false, page);
        for (name, value) in &self.form.lets {
            page.line(&pen.number(name, value));
        }
        for (name, _) in &self.form.lets {
            page.line(&format!("(void){name};"));
        }
        for Formal { name, .. } in &self.form.formals {
            page.line(&format!("(void){name};"));
        }
        self.required(true, page);
        for (array, words) in self.form.sizes_to_ask() {
            let what = Term::Text(format!("words of {array}"));
            page.line(&pen.called("fitting", &[words, Term::Whole(MOST_WORDS), what]));
        }
    }

    fn formal(&self, formal: &Formal, page: &mut Page) {
        let (has, value) = match formal.default {
            Some(value) => ("true", value),
            None => ("false", 0),
        };
        let written = || Term::Text(formal.written.clone());
        let arguments = vec![written(), Term::name(has), Term::Whole(value)];
        let value = Term::call("formal", arguments);
        let most = formal.most.map(Term::Whole);
        let value = match most.filter(|_| self.form.indices.is_short(&formal.name)) {
            Some(most) => Term::call("fitting", vec![value, most, written()]),
            None => value,
        };
        page.line(&self.pen().number(&formal.name, &value));
    }

    /// Tests the `require`s that name a `let`, or the others: numbers of 32 bits may rely on these.
    fn required(&self, by_let: bool, page: &mut Page) {
        let pen = self.pen();
        for (text, term) in &self.form.requires {
            let named = term.as_ref().map(|term| pen.text(term)).unwrap_or_default();
            if names_let(self.form, &named) != by_let {
                continue;
            }
            match term {
                Some(term) => {
                    let arguments = [term.clone(), Term::Text(text.clone())];
                    page.line(&pen.called("require", &arguments));
                }
                None => page.comment(&format!("not tested here: {text}")),
            }
        }
    }

    fn array(&self, array: &Array, page: &mut Page) {
        let (pen, name, words) = (self.pen(), &array.name, words(array));
        let kind = kind_of(array.word_type);
        let function = if array.is_host {
            "host_array"
        } else {
            "device_array"
        };
        let made = Term::call(function, vec![words.clone(), kind.clone()]);
        let pointer = pointer_to(array.word_type);
        page.line(&match (array.is_host, self.target) {
            (false, Target::OpenCl) => pen.defined("buffer", name, &made),
            _ => pen.defined(pointer, name, &Term::cast(pointer, made)),
        });
        if array.is_host && self.target == Target::Cuda {
            page.line(&pen.called("device_pin", &[Term::name(name), words, kind]));
        }
    }

    /// Fills a host array with the data that the program starts from.
    fn data(&self, array: &Array, page: &mut Page) {
        let (pen, name, words) = (self.pen(), Term::name(&array.name), words(array));
        let kind = kind_of(array.word_type);
        if !array.is_input {
            let size = Term::call("size_of", vec![kind]);
            let bytes = Term::infix("*", Term::cast("size_t", words), size);
            page.line(&pen.called("memset", &[name, Term::Whole(0), bytes]));
            return;
        }
        let property = Term::name(match array.property {
            None => "ANY",
            Some(Property::Sorted) => "SORTED",
            Some(Property::Permutation) => "PERMUTATION",
            Some(Property::List) => "LIST",
        });
        let (function, low, high) = match array.word_type {
            WordType::Int => ("generate_ints", Term::Whole(-100), Term::Whole(100)),
            WordType::Float => ("generate_floats", Term::Real(0.0), Term::Real(1.0)),
        };
        let (low, high) = array.range.clone().unwrap_or((low, high));
        let written = Term::Text(array.written.clone());
        page.line(&pen.called(function, &[name, words, written, property, low, high]));
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
                page.line(&self.pen().number(name, value));
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
                page.open(&self.pen().repeated(head));
                self.steps(body, page);
                if let Some(until) = until {
                    page.under(&self.pen().condition(until), "break;");
                }
                page.close();
            }
            HostStep::While {
                condition,
                at_most,
                line,
                body,
            } => self.repeated_while((condition, at_most, *line), body, page),
            HostStep::Swap(left, right, word_type) => self.swap(left, right, *word_type, page),
        }
    }

    /// A loop that fails where it passes its bound; `line` is its line in the program.
    fn repeated_while(
        &self,
        (condition, at_most, line): (&Term, &Term, usize),
        body: &[HostStep],
        page: &mut Page,
    ) {
        page.open("{");
        let pen = self.pen();
        page.line(&pen.defined("const whole", "at_most", at_most));
        page.open(&pen.counted(("round", &Term::Whole(0)), condition, "++"));
        let told = [
            "passed its bound: the loop of line ".to_owned(),
            line.to_string(),
        ];
        let passed = pen.called("fail", &told.map(Term::Text));
        let is_passed = Term::infix(">=", Term::name("round"), Term::name("at_most"));
        page.under(&pen.condition(&is_passed), &passed);
        page.open("{");
        self.steps(body, page);
        page.close();
        page.close();
        page.close();
    }

    fn swap(&self, left: &str, right: &str, word_type: WordType, page: &mut Page) {
        let ty = match self.target {
            Target::OpenCl => "buffer",
            Target::C | Target::Cuda => pointer_to(word_type),
        };
        let (pen, held) = (self.pen(), Term::name("held"));
        let (left, right) = (Term::name(left), Term::name(right));
        page.open("{");
        page.line(&pen.defined(ty, "held", &left));
        page.line(&pen.assigned(&left, "=", &right));
        page.line(&pen.assigned(&right, "=", &held));
        page.close();
    }

    fn transfer(&self, direction: Direction, line: usize, to: &Side, from: &Side, page: &mut Page) {
        let function = match direction {
            Direction::Inward => "inward",
            Direction::Outward => "outward",
        };
        let pen = self.pen();
        let (target, source) = (Term::name(&to.array), Term::name(&from.array));
        let (into, of) = (kind_of(to.word_type), kind_of(from.word_type));
        if let (Part::Row(first, words), Part::Row(from_first, _)) = (&to.part, &from.part) {
            let [first, from_first, words] = [first, from_first, words].map(Clone::clone);
            let to = [numbered(line), target, into, first];
            let from = [source, of, from_first, words];
            page.line(&pen.called(function, &[to, from].concat()));
            return;
        }
        page.open("{");
        self.block("to", &to.part, page);
        self.block("from", &from.part, page);
        let to = [numbered(line), target, into, Term::name("to")];
        let from = [source, of, Term::name("from")];
        let function = format!("{function}_block");
        page.line(&pen.called(&function, &to.into_iter().chain(from).collect::<Vec<_>>()));
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
        let rank = extents.len();
        let (low, high): (Vec<Term>, Vec<Term>) = ranges.into_iter().unzip();
        for (of, values) in [("extents", extents), ("low", low), ("high", high)] {
            let list = self
                .pen()
                .list("const whole", &format!("{name}_{of}"), &values);
            page.line(&list);
        }
        page.line(&format!(
            "const struct block {name} = {{{rank}, {name}_extents, {name}_low, {name}_high}};"
        ));
    }

    fn results(&self, page: &mut Page) {
        let pen = self.pen();
        page.line("const char *folder = option(\"--out\", \"\");");
        page.open("if (folder[0] != '\\0') {");
        for array in self.form.arrays.iter().filter(|array| array.is_output) {
            let rank = array.extents.len();
            let mut extents = array.extents.clone();
            // An array of C has at least one element.
            if extents.is_empty() {
                extents.push(Term::Whole(0));
            }
            page.open("{");
            page.line(&pen.list("const whole", "extents", &extents));
            let arguments = [
                Term::name("folder"),
                Term::Text(array.written.clone()),
                Term::name(&array.name),
                kind_of(array.word_type),
                numbered(rank),
                Term::name("extents"),
            ];
            page.line(&pen.called("write_npy", &arguments));
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

/// The number of words of an array.
fn words(array: &Array) -> Term {
    let words = array.extents.iter().cloned();
    let words = words.reduce(|words, extent| Term::infix("*", words, extent));
    words.unwrap_or(Term::Whole(1))
}

/// A line, a rank, a place in a list.
fn numbered(number: usize) -> Term {
    Term::Name(number.to_string())
}
