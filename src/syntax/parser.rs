//! One line of text to a tree of grammar nodes. The only file that knows pest.
//!
//! Gives the nodes of the line (label, statement, comment, each with its place in the whole file).
//! If
//! the grammar stops, it gives that place and the constructs that could have stood there. Places of
//! statements and blocks of lines are not its concern.

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

use crate::room::has_left;
use crate::text::Span;

/// The parser that pest makes from the grammar file.
mod generated {
    #![allow(missing_docs)]

    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/atgpu.pest"]
    pub(super) struct LineParser;
}

/// The kinds of nodes: one per rule of the grammar that leaves a trace.
pub(super) use generated::Rule as Form;

impl Form {
    /// Returns true if a statement of this form opens a block, which an `end` closes.
    pub(super) fn opens_block(self) -> bool {
        matches!(
            self,
            Form::kernel_line
                | Form::wrapper_line
                | Form::core_line
                | Form::for_line
                | Form::while_line
                | Form::if_line
        )
    }
}

/// A piece of a line; a terminal if it has no children.
#[derive(Debug, Clone)]
pub(super) struct Node<'s> {
    /// The rule that matched.
    pub form: Form,
    /// Its place in the whole file.
    pub span: Span,
    /// The matched text.
    pub text: &'s str,
    /// Its parts, in order.
    pub children: Vec<Node<'s>>,
}

impl<'s> Node<'s> {
    fn new(pair: Pair<'s, Form>, line_start: usize) -> Self {
        let (form, text) = (pair.as_rule(), pair.as_str());
        let start = line_start + pair.as_span().start();
        let children: Vec<Node<'s>> = pair
            .into_inner()
            .map(|child| Node::new(child, line_start))
            .collect();
        // A rule with an optional last part also matches the blanks before the missing part. They
        // are
        // cut off here.
        let length = children
            .last()
            .map_or(text.len(), |last| last.span.end - start);
        Node {
            form,
            span: Span::new(start, start + length),
            text: &text[..length],
            children,
        }
    }

    /// Returns the first child of this form.
    pub(super) fn find(&self, form: Form) -> Option<&Node<'s>> {
        self.children.iter().find(|child| child.form == form)
    }

    /// Iterates over the children of this form.
    pub(super) fn all(&self, form: Form) -> impl Iterator<Item = &Node<'s>> {
        self.children.iter().filter(move |child| child.form == form)
    }

    /// Returns the child of this form, which the grammar guarantees.
    pub(super) fn child(&self, form: Form) -> &Node<'s> {
        self.find(form)
            .unwrap_or_else(|| panic!("the grammar gives {:?} a {form:?}", self.form))
    }
}

/// The nodes of a line.
#[derive(Debug, Clone, Default)]
pub(super) struct Line<'s> {
    /// `12:`
    pub label: Option<Node<'s>>,
    /// The statement.
    pub statement: Option<Node<'s>>,
    /// `▷ …`, without trailing blanks.
    pub comment: Option<Node<'s>>,
}

/// The reason for a line not to parse.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    /// The furthest place reached, and the terminals and constructs that could have stood there.
    At {
        /// The offset in the file.
        offset: usize,
        /// The fitting terminals and constructs.
        fitting: Vec<Form>,
    },
    /// The brackets nest too deeply for this thread's stack.
    OutOfStack,
}

/// Stack for a line without brackets, and for each level of them: three times the use of a build
/// without optimisation.
const STACK: usize = 64 << 10;
const LEVEL_STACK: usize = 4 << 10;

/// Parses one line, without its line end, that begins at `line_start` of its file and has brackets
/// `levels` deep.
pub(super) fn parse_line(text: &str, line_start: usize, levels: usize) -> Result<Line<'_>, Stop> {
    // The stack is checked once, for all levels; pest would check it at every rule.
    if !has_left(STACK + levels * LEVEL_STACK) {
        return Err(Stop::OutOfStack);
    }
    let pairs = generated::LineParser::parse(Form::line, text).map_err(|error| {
        let offset = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => line_start + at,
        };
        match error.variant {
            ErrorVariant::ParsingError { positives, .. } if !positives.is_empty() => Stop::At {
                offset,
                fitting: positives,
            },
            ErrorVariant::ParsingError { .. } | ErrorVariant::CustomError { .. } => Stop::At {
                offset,
                fitting: Vec::new(),
            },
        }
    })?;
    let mut line = Line::default();
    for pair in pairs {
        match pair.as_rule() {
            Form::label => line.label = Some(Node::new(pair, line_start)),
            Form::comment => {
                let mut comment = Node::new(pair, line_start);
                comment.text = comment.text.trim_end();
                comment.span.end = comment.span.start + comment.text.len();
                line.comment = Some(comment);
            }
            Form::EOI => {}
            _ => line.statement = Some(Node::new(pair, line_start)),
        }
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_from_the_start_of_the_file() {
        let line = parse_line("12: a ⇚ A  ▷ in ", 100, 0).expect("parses");
        assert_eq!(
            line.label.map(|label| label.span),
            Some(Span::new(100, 103))
        );
        let statement = line.statement.expect("a statement");
        assert_eq!(statement.form, Form::move_line);
        assert_eq!(statement.span, Span::new(104, 111));
        assert_eq!(
            statement.child(Form::transfer_arrow).span,
            Span::new(106, 109)
        );
        assert_eq!(line.comment.map(|comment| comment.text), Some("▷ in"));
    }

    #[test]
    fn a_bad_line_names_the_furthest_place() {
        let Err(Stop::At { offset, fitting }) = parse_line("if j < 2", 10, 0) else {
            panic!("parsed")
        };
        assert_eq!(offset, 18);
        assert!(fitting.contains(&Form::kw_then), "{fitting:?}");
    }

    #[test]
    fn deep_brackets_need_stack_and_shallow_ones_little() {
        let on = |stack: usize, levels: usize| {
            let line = format!("let x = {}n{}", "(".repeat(levels), ")".repeat(levels));
            let parse = move || match parse_line(&line, 0, levels) {
                Ok(_) => true,
                Err(Stop::OutOfStack) => false,
                Err(Stop::At { offset, .. }) => panic!("stopped at {offset}"),
            };
            let thread = std::thread::Builder::new().stack_size(stack);
            thread
                .spawn(parse)
                .expect("a thread")
                .join()
                .expect("no overflow")
        };
        assert!(on(256 << 10, 16));
        // Far more than a level can do with, however the compiler lays out a frame.
        assert!(!on(256 << 10, 1024));
        assert!(on(2 << 20, 128));
    }
}
