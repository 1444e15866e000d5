//! Transfers between a host array and one of the device: words in a row with one call, rows that lie apart with one
//! call or a loop, all else word by word.

use crate::emit::form::{Part, Side};
use crate::emit::target::Target;
use crate::emit::term::Term;
use crate::emit::write::callable::{Callable, word_of};
use crate::emit::write::device::many_of;
use crate::emit::write::page::Page;
use crate::program::{Direction, WordType};

/// Who transfers.
#[derive(Clone, Copy)]
pub(super) struct Copying<'f> {
    pub of: Callable<'f>,
    pub direction: Direction,
    /// True if the transfer joins the caller's stream, after the work already in it.
    pub stream: bool,
}

/// Rows of an array: the first word, words from one row to the next, words of a row, and how many rows.
struct Rows {
    first: Term,
    apart: Term,
    width: Term,
    height: Term,
}

impl Copying<'_> {
    pub(super) fn copied(self, host: &Side, global: &Side, page: &mut Page) {
        let (to, from) = match self.direction {
            Direction::Inward => (global, host),
            Direction::Outward => (host, global),
        };
        let is_same = to.word_type == from.word_type;
        match (&to.part, &from.part) {
            (Part::Row(first, words), Part::Row(from_first, _)) if is_same => {
                self.row((to, first), (from, from_first), words, page);
            }
            (to_part, from_part) => match rows(to_part, from_part, self.of).filter(|_| is_same) {
                Some((to_rows, from_rows)) => self.rows((to, &to_rows), (from, &from_rows), page),
                None => self.words((to, to_part), (from, from_part), page),
            },
        }
        let is_read_next = self.stream && self.direction == Direction::Outward;
        if is_read_next && self.of.target == Target::Cuda {
            self.of.tried("cudaStreamSynchronize(stream)", page);
        }
    }

    fn row(
        self,
        (to, first): (&Side, &Term),
        (from, from_first): (&Side, &Term),
        words: &Term,
        page: &mut Page,
    ) {
        let bytes = self.of.bytes(words, to.word_type);
        let call = self.call((to, first), (from, from_first), &bytes);
        if self.of.target == Target::OpenCl && !matches!(words, Term::Whole(1..)) {
            // Nothing is no size there.
            let has_words = Term::infix(">", words.clone(), Term::Whole(0));
            let has_words = Term::infix("&&", Term::not(Term::name("error")), has_words);
            let asked = self.of.pen().condition(&has_words);
            page.line(&format!("{asked} error = {call};"));
        } else {
            self.of.tried(&call, page);
        }
    }

    /// The call that moves so many bytes.
    fn call(
        self,
        (to, first): (&Side, &Term),
        (from, from_first): (&Side, &Term),
        bytes: &str,
    ) -> String {
        let (target, source) = (self.place(to, first), self.place(from, from_first));
        match self.of.target {
            Target::C => format!("memcpy({target}, {source}, {bytes})"),
            Target::Cuda if self.stream => {
                format!(
                    "cudaMemcpyAsync({target}, {source}, {bytes}, {}, stream)",
                    self.kind()
                )
            }
            Target::Cuda => format!("cudaMemcpy({target}, {source}, {bytes}, {})", self.kind()),
            Target::OpenCl => {
                let (name, buffer, at, memory) = match self.direction {
                    Direction::Inward => ("Write", to, first, source),
                    Direction::Outward => ("Read", from, from_first, target),
                };
                let offset = match at {
                    Term::Whole(0) => "0".to_owned(),
                    at => self.of.bytes(
                        &Term::infix("*", at.clone(), Term::Whole(1)),
                        buffer.word_type,
                    ),
                };
                format!(
                    "clEnqueue{name}Buffer(queue, {}, CL_TRUE, {offset}, {bytes}, {memory}, 0, NULL, NULL)",
                    buffer.array
                )
            }
        }
    }

    fn kind(self) -> &'static str {
        match self.direction {
            Direction::Inward => "cudaMemcpyHostToDevice",
            Direction::Outward => "cudaMemcpyDeviceToHost",
        }
    }

    /// A pointer to a word.
    fn place(self, side: &Side, first: &Term) -> String {
        let place = Term::infix("+", Term::name(&side.array), first.clone());
        match first {
            Term::Whole(0) => side.array.clone(),
            _ => self.of.pen().text(&place),
        }
    }

    fn rows(
        self,
        (to, to_rows): (&Side, &Rows),
        (from, from_rows): (&Side, &Rows),
        page: &mut Page,
    ) {
        let (pen, Rows { width, height, .. }) = (self.of.pen(), to_rows);
        if self.of.target == Target::Cuda {
            let bytes = |words: &Term| self.of.bytes(words, to.word_type);
            let (function, last) = if self.stream {
                ("cudaMemcpy2DAsync", ", stream")
            } else {
                ("cudaMemcpy2D", "")
            };
            let call = format!(
                "{function}({}, {}, {}, {}, {}, {}, {}{last})",
                self.place(to, &to_rows.first),
                bytes(&to_rows.apart),
                self.place(from, &from_rows.first),
                bytes(&from_rows.apart),
                bytes(width),
                pen.text(height),
                self.kind(),
            );
            return self.of.tried(&call, page);
        }
        let row = || Term::cast("size_t", Term::name("row"));
        let first = |rows: &Rows| {
            let before = Term::infix("*", row(), rows.apart.clone());
            Term::infix("+", rows.first.clone(), before)
        };
        let is_left = Term::infix("<", Term::name("row"), height.clone());
        page.open(&pen.counted(("row", &Term::Whole(0)), &is_left, "++"));
        self.row(
            (to, &first(to_rows)),
            (from, &first(from_rows)),
            width,
            page,
        );
        page.close();
    }

    /// One word after the other, converted where the types differ.
    fn words(
        self,
        (to, to_part): (&Side, &Part),
        (from, from_part): (&Side, &Part),
        page: &mut Page,
    ) {
        let pen = self.of.pen();
        page.open("{");
        let words = self.number_of_words(to_part, from_part);
        let target = self.numbered("to", to_part, page);
        let source = self.numbered("from", from_part, page);
        let is_left = Term::infix("<", Term::name("at"), words);
        page.open(&pen.counted(("at", &Term::Whole(0)), &is_left, "++"));
        let place = |side: &Side, at: &Term| {
            pen.text(&Term::Word(side.array.clone(), Box::new(at.clone())))
        };
        let ty = match self.direction {
            Direction::Inward => word_of(to.word_type),
            Direction::Outward => word_of(from.word_type),
        };
        let one = Term::Whole(1);
        match (self.of.target, self.direction) {
            (Target::C, _) => page.line(&format!(
                "{} = {};",
                place(to, &target),
                place(from, &source)
            )),
            (_, Direction::Inward) => {
                page.line(&format!("const {ty} held = {};", place(from, &source)));
                let held = held(to.word_type);
                let call = self.call(
                    (to, &target),
                    (&held, &Term::Whole(0)),
                    &self.of.bytes(&one, to.word_type),
                );
                self.of.tried(&call, page);
            }
            (_, Direction::Outward) => {
                page.line(&format!("{ty} held;"));
                let held = held(from.word_type);
                let call = self.call(
                    (&held, &Term::Whole(0)),
                    (from, &source),
                    &self.of.bytes(&one, from.word_type),
                );
                self.of.tried(&call, page);
                if self.of.target == Target::Cuda && self.stream {
                    self.of.tried("cudaStreamSynchronize(stream)", page);
                }
                page.line(&format!("{} = held;", place(to, &target)));
            }
        }
        page.close();
        page.close();
    }

    /// The number of words of both parts.
    fn number_of_words(self, to: &Part, from: &Part) -> Term {
        match (to, from) {
            (Part::Row(_, words), _) | (_, Part::Row(_, words)) => words.clone(),
            (Part::Block(_, ranges), Part::Block(..)) => {
                let counts = ranges.iter().map(|(low, high)| clamped(low, high, self.of));
                let words = counts.reduce(|all, one| Term::infix("*", all, one));
                words.unwrap_or(Term::Whole(1))
            }
        }
    }

    /// The place of the word number `at` of a part.
    fn numbered(self, name: &str, part: &Part, page: &mut Page) -> Term {
        let (extents, ranges) = match part {
            Part::Row(first, _) => {
                return Term::infix("+", first.clone(), Term::name("at"));
            }
            Part::Block(extents, ranges) => (extents, ranges),
        };
        let (low, high): (Vec<Term>, Vec<Term>) = ranges.iter().cloned().unzip();
        let lists = [("extents", extents), ("low", &low), ("high", &high)];
        let mut arguments = vec![Term::Whole(extents.len() as i64)];
        for (of, values) in lists {
            let list = format!("{name}_{of}");
            page.line(&self.of.pen().list("const whole", &list, values));
            arguments.push(Term::Name(list));
        }
        arguments.push(Term::name("at"));
        Term::call("place_in_block", arguments)
    }
}

/// A word on its way, as a side of one word.
fn held(word_type: WordType) -> Side {
    Side {
        array: "&held".to_owned(),
        word_type,
        part: Part::Row(Term::Whole(0), Term::Whole(1)),
    }
}

/// Both sides as rows of the same width, if they surely are.
fn rows(to: &Part, from: &Part, of: Callable<'_>) -> Option<(Rows, Rows)> {
    let shape = |part: &Part| match part {
        Part::Block(extents, ranges) if extents.len() == 2 => {
            let [height, width] = [0, 1].map(|at| clamped(&ranges[at].0, &ranges[at].1, of));
            Some((height, width))
        }
        Part::Block(..) | Part::Row(..) => None,
    };
    let (height, width) = match (shape(to), shape(from)) {
        (Some(of_to), Some(of_from)) => Some(of_to.clone()).filter(|_| of_to == of_from)?,
        (Some(shape), None) if matches!(from, Part::Row(..)) => shape,
        (None, Some(shape)) if matches!(to, Part::Row(..)) => shape,
        _ => return None,
    };
    let rows = |part: &Part| {
        let (first, apart) = match part {
            Part::Row(first, _) => (first.clone(), width.clone()),
            Part::Block(extents, ranges) => {
                let row = Term::infix("*", ranges[0].0.clone(), extents[1].clone());
                (
                    Term::infix("+", row, ranges[1].0.clone()),
                    extents[1].clone(),
                )
            }
        };
        Rows {
            first,
            apart,
            width: width.clone(),
            height: height.clone(),
        }
    };
    Some((rows(to), rows(from)))
}

/// The number of values in a range.
fn clamped(low: &Term, high: &Term, of: Callable<'_>) -> Term {
    let many = many_of(low, high);
    match (&many, of.manner.indices.range(&many)) {
        (Term::Whole(_), _) | (_, Some((0.., _))) => many,
        _ => Term::call("greatest", vec![many, Term::Whole(0)]),
    }
}
