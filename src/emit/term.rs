//! Expressions of C, C++ and OpenCL C, which agree on them: what numbers and conditions become.

use std::fmt::Write;

/// An expression. Whole numbers have 64 bits whatever the words have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    /// A whole number.
    Whole(i64),
    /// A float.
    Real(f64),
    /// What is the same for all cores.
    Name(String),
    /// What every core has of its own.
    Register(String),
    /// A word of an array.
    Word(String, Box<Term>),
    /// `-x`, `!x`
    Prefix(&'static str, Box<Term>),
    /// `x + y`
    Infix(&'static str, Box<Term>, Box<Term>),
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

/// How words and registers are spelled where a term stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spelling<'a> {
    /// The index that registers have, where each is an array over the cores.
    pub core: Option<&'a str>,
    /// Whether a float's words are single.
    pub is_single: bool,
}

impl Term {
    pub(crate) fn name(name: &str) -> Term {
        Term::Name(name.to_owned())
    }

    pub(crate) fn infix(operator: &'static str, left: Term, right: Term) -> Term {
        if let (Term::Whole(x), Term::Whole(y)) = (&left, &right) {
            // C would take them as ints of 32 bits.
            let value = match operator {
                "+" => x.checked_add(*y),
                "-" => x.checked_sub(*y),
                "*" => x.checked_mul(*y),
                _ => None,
            };
            if let Some(value) = value {
                return Term::Whole(value);
            }
        }
        match (operator, &left, &right) {
            ("+", Term::Whole(0), _) => right,
            ("+" | "-", _, Term::Whole(0)) | ("*" | "/", _, Term::Whole(1)) => left,
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

    /// An int of an array, of 32 bits there, as a whole number.
    pub(crate) fn into_whole(self) -> Term {
        Term::call("(whole)", vec![self])
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
            Term::Prefix("-", of) => Term::Prefix("-", Box::new(of.narrowed())),
            term => term.narrowed_word(),
        }
    }

    /// A word in as many bits as it has.
    pub(crate) fn narrowed_word(self) -> Term {
        match self {
            Term::Call("(whole)", mut of) if of.len() == 1 => of.remove(0),
            term => term,
        }
    }

    pub(crate) fn not(of: Term) -> Term {
        Term::Prefix("!", Box::new(of))
    }

    /// The functions called anywhere inside.
    pub(crate) fn calls(&self, found: &mut Vec<&'static str>) {
        match self {
            Term::Whole(_) | Term::Real(_) | Term::Name(_) | Term::Register(_) => {}
            Term::Word(_, of) | Term::Prefix(_, of) => of.calls(found),
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

    /// As text.
    pub(crate) fn spelled(&self, spelling: Spelling<'_>) -> String {
        let mut text = String::new();
        self.write(spelling, 0, &mut text);
        text
    }

    fn write(&self, spelling: Spelling<'_>, around: u8, text: &mut String) {
        let binding = self.binding();
        if binding < around {
            text.push('(');
        }
        match self {
            Term::Whole(whole) => text.push_str(&whole_literal(*whole)),
            Term::Real(float) => text.push_str(&real_literal(*float, spelling.is_single)),
            Term::Name(name) => text.push_str(name),
            Term::Register(name) => {
                text.push_str(name);
                if let Some(core) = spelling.core {
                    let _ = write!(text, "[{core}]");
                }
            }
            Term::Word(array, index) => {
                text.push_str(array);
                text.push('[');
                index.write(spelling, 0, text);
                text.push(']');
            }
            Term::Prefix(operator, of) => {
                text.push_str(operator);
                of.write(spelling, binding + 1, text);
            }
            Term::Infix(operator, left, right) => {
                // Compilers warn of `a && b || c`, of `a + b & c`, and of chained comparisons.
                let is_mixed = matches!(*operator, "&&" | "||" | "&" | "|" | "^" | ">>" | "<<");
                let of = |side: &Term| match side {
                    Term::Infix(inner, ..) if is_mixed && inner == operator => binding,
                    Term::Infix("==" | "!=" | "<" | "<=" | ">" | ">=", ..)
                        if matches!(*operator, "&&" | "||") =>
                    {
                        binding
                    }
                    Term::Infix(..) if is_mixed => u8::MAX - 1,
                    _ => binding,
                };
                left.write(spelling, of(left), text);
                let _ = write!(text, " {operator} ");
                right.write(spelling, of(right).max(binding + 1), text);
            }
            Term::Call(function, arguments) => {
                text.push_str(function);
                text.push('(');
                for (at, argument) in arguments.iter().enumerate() {
                    if at > 0 {
                        text.push_str(", ");
                    }
                    argument.write(spelling, 0, text);
                }
                text.push(')');
            }
            Term::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                condition.write(spelling, binding + 1, text);
                text.push_str(" ? ");
                then.write(spelling, binding + 1, text);
                text.push_str(" : ");
                otherwise.write(spelling, binding, text);
            }
        }
        if binding < around {
            text.push(')');
        }
    }

    /// How tightly it binds.
    fn binding(&self) -> u8 {
        match self {
            Term::Whole(whole) if *whole < 0 => 12,
            Term::Real(float) if float.is_sign_negative() => 12,
            Term::Whole(_) | Term::Real(_) | Term::Name(_) | Term::Register(_) => u8::MAX,
            Term::Word(..) | Term::Call(..) => u8::MAX,
            Term::Prefix(..) => 12,
            Term::Infix(operator, ..) => match *operator {
                "*" | "/" | "%" => 11,
                "+" | "-" => 10,
                "<<" | ">>" => 9,
                "<" | "<=" | ">" | ">=" => 8,
                "==" | "!=" => 7,
                "&" => 6,
                "^" => 5,
                "|" => 4,
                "&&" => 3,
                _ => 2,
            },
            Term::Choice(_) => 1,
        }
    }
}

fn whole_literal(whole: i64) -> String {
    match whole {
        // Its digits alone are no number of C.
        i64::MIN => "(-9223372036854775807 - 1)".to_owned(),
        _ => whole.to_string(),
    }
}

fn real_literal(float: f64, is_single: bool) -> String {
    if float.is_nan() {
        return "NAN".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { "INFINITY" } else { "-INFINITY" }.to_owned();
    }
    // The shortest digits that give this double back.
    let digits = format!("{float:?}");
    match is_single {
        true => format!("{digits}f"),
        false => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(term: &Term) -> String {
        term.spelled(Spelling {
            core: Some("j"),
            is_single: false,
        })
    }

    #[test]
    fn brackets_stand_where_c_needs_them() {
        let name = |name| Term::name(name);
        let infix = |operator, left, right| Term::infix(operator, left, right);
        let sum = infix("+", name("i"), Term::Register("v".to_owned()));
        assert_eq!(text(&infix("*", sum.clone(), name("b"))), "(i + v[j]) * b");
        assert_eq!(
            text(&infix("-", name("a"), infix("-", name("b"), name("c")))),
            "a - (b - c)"
        );
        assert_eq!(
            text(&infix("-", infix("-", name("a"), name("b")), name("c"))),
            "a - b - c"
        );
        assert_eq!(text(&infix("-", name("a"), Term::Whole(-3))), "a - -3");
        assert_eq!(
            text(&Term::not(infix("<", name("a"), name("c")))),
            "!(a < c)"
        );
        let both = infix("&&", infix("<", name("a"), name("c")), name("d"));
        assert_eq!(text(&infix("||", both, name("e"))), "(a < c && d) || e");
        assert_eq!(
            text(&infix("/", name("a"), infix("*", name("b"), name("c")))),
            "a / (b * c)"
        );
        assert_eq!(text(&Term::Whole(i64::MIN)), "(-9223372036854775807 - 1)");
        assert_eq!(text(&Term::Real(1e300)), "1e300");
    }
}
