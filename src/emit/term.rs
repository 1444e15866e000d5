//! Expressions of C, C++ and OpenCL C, which agree on them: what numbers and conditions become.
//!
//! `write/pen` alone writes them. Whatever a larger expression is made of is a term, never a
//! text, so that brackets stand where the targets' precedence needs them.

/// An expression. Whole numbers have 64 bits whatever the words have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    /// A whole number.
    Whole(i64),
    /// A float.
    Real(f64),
    /// A text between quotes.
    Text(String),
    /// What is the same for all cores; also a type as an argument of `sizeof`, and what else C reads as one word.
    Name(String),
    /// What every core has of its own.
    Register(String),
    /// A word of an array.
    Word(String, Box<Term>),
    /// `-x`, `!x`, `&x`
    Prefix(&'static str, Box<Term>),
    /// `x + y`
    Infix(&'static str, Box<Term>, Box<Term>),
    /// `(whole)x`
    Cast(&'static str, Box<Term>),
    /// `f(x, y)`
    Call(&'static str, Vec<Term>),
    /// `c ? x : y`
    Choice(Box<[Term; 3]>),
}

/// Functions with loops.
const SEARCHING: [&str; 7] = [
    "power",
    "floor_log",
    "ceil_log",
    "floor_log2",
    "ceil_log2",
    "floor_root",
    "ceil_root",
];

impl Term {
    pub(crate) fn name(name: &str) -> Term {
        Term::Name(name.to_owned())
    }

    pub(crate) fn infix(operator: &'static str, left: Term, right: Term) -> Term {
        if let (Term::Whole(x), Term::Whole(y)) = (&left, &right) {
            // C would take them as ints of 32 bits, and of all that is computed with them and other literals.
            let value = match operator {
                "+" => x.checked_add(*y),
                "-" => x.checked_sub(*y),
                "*" => x.checked_mul(*y),
                "/" => x.checked_div(*y),
                "%" => x.checked_rem(*y),
                "&" => Some(x & y),
                "|" => Some(x | y),
                "^" => Some(x ^ y),
                _ => None,
            };
            if let Some(value) = value {
                return Term::Whole(value);
            }
        }
        match (operator, &left, &right) {
            ("+", Term::Whole(0), _) => right,
            ("*", Term::Whole(0), _) | ("*", _, Term::Whole(0)) => Term::Whole(0),
            ("+" | "-" | "<<" | ">>", _, Term::Whole(0)) | ("*" | "/", _, Term::Whole(1)) => left,
            ("*", Term::Whole(1), _) => right,
            ("+", _, Term::Whole(y)) if *y < 0 && *y > i64::MIN => {
                Term::Infix("-", Box::new(left), Box::new(Term::Whole(-y)))
            }
            _ => Term::Infix(operator, Box::new(left), Box::new(right)),
        }
    }

    pub(crate) fn call(function: &'static str, arguments: Vec<Term>) -> Term {
        Term::Call(function, arguments)
    }

    /// `base^exponent`, of an exponent that is not negative.
    pub(crate) fn power(base: Term, exponent: Term) -> Term {
        match base {
            Term::Whole(2) => Term::call("shift_left", vec![Term::Whole(1), exponent]),
            _ => Term::call("power", vec![base, exponent]),
        }
    }

    /// `⌊log_base over/under⌋`, or with `ceil_log` the whole number above.
    pub(crate) fn log(function: &'static str, base: Term, over: Term, under: Term) -> Term {
        match (function, &base, &under) {
            ("floor_log", Term::Whole(2), Term::Whole(1)) => Term::call("floor_log2", vec![over]),
            ("ceil_log", Term::Whole(2), Term::Whole(1)) => Term::call("ceil_log2", vec![over]),
            _ => Term::call(function, vec![base, over, under]),
        }
    }

    /// Whether a function with a loop of its own finds it, which no compiler moves out of another loop. Divisions they
    /// do move, and a loop whose end they see they have under way several times over.
    pub(crate) fn is_searched(&self) -> bool {
        let mut called = Vec::new();
        self.calls(&mut called);
        called.iter().any(|function| SEARCHING.contains(function))
    }

    /// Returns true if the term is short enough to be written twice: a name or a number, or two of them.
    pub(crate) fn is_short(&self) -> bool {
        match self {
            Term::Infix(_, left, right) => left.is_leaf() && right.is_leaf(),
            term => term.is_leaf(),
        }
    }

    /// A name or a number.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self, Term::Whole(_) | Term::Name(_) | Term::Register(_))
    }

    /// Whether it calls a function.
    pub(crate) fn has_calls(&self) -> bool {
        let mut called = Vec::new();
        self.calls(&mut called);
        !called.is_empty()
    }

    /// An int of an array, of 32 bits there, as a whole number.
    pub(crate) fn into_whole(self) -> Term {
        Term::cast("whole", self)
    }

    pub(crate) fn cast(to: &'static str, of: Term) -> Term {
        Term::Cast(to, Box::new(of))
    }

    pub(crate) fn prefix(operator: &'static str, of: Term) -> Term {
        match (operator, of) {
            ("-", Term::Whole(value)) if value != i64::MIN => Term::Whole(-value),
            (operator, of) => Term::Prefix(operator, Box::new(of)),
        }
    }

    /// `condition ? then : otherwise`
    pub(crate) fn choice(condition: Term, then: Term, otherwise: Term) -> Term {
        // Of two literals C would make an int of 32 bits.
        let then = match (&then, &otherwise) {
            (Term::Whole(_), Term::Whole(_)) => then.into_whole(),
            _ => then,
        };
        Term::Choice(Box::new([condition, then, otherwise]))
    }

    /// The same in as many bits as its words have, for which sums and products are the same whatever is lost on the
    /// way.
    pub(crate) fn narrowed(self) -> Term {
        match self {
            Term::Infix(operator @ ("+" | "-" | "*"), left, right) => Term::Infix(
                operator,
                Box::new(left.narrowed()),
                Box::new(right.narrowed()),
            ),
            Term::Prefix("-", of) => Term::prefix("-", of.narrowed()),
            term => term.narrowed_word(),
        }
    }

    /// A word in as many bits as it has.
    pub(crate) fn narrowed_word(self) -> Term {
        match self {
            Term::Cast("whole", of) => *of,
            term => term,
        }
    }

    pub(crate) fn not(of: Term) -> Term {
        Term::prefix("!", of)
    }

    /// The functions called anywhere inside.
    pub(crate) fn calls(&self, found: &mut Vec<&'static str>) {
        match self {
            Term::Whole(_) | Term::Real(_) | Term::Text(_) | Term::Name(_) | Term::Register(_) => {}
            Term::Word(_, of) | Term::Prefix(_, of) | Term::Cast(_, of) => of.calls(found),
            Term::Infix(_, left, right) => {
                left.calls(found);
                right.calls(found);
            }
            Term::Call(function, arguments) => {
                found.push(function);
                arguments.iter().for_each(|argument| argument.calls(found));
            }
            Term::Choice(parts) => parts.iter().for_each(|part| part.calls(found)),
        }
    }
}
