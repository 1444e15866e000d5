//! The one writer of expressions: statements go in as terms and come out as text.
//!
//! Nobody else can write a term. A statement has its expressions where nothing binds tighter: behind `=`, between
//! brackets or commas, alone in a condition. Whatever else stands around an expression is part of a larger term, whose
//! brackets are set here.

use std::fmt::Write;

use crate::emit::form::Loop;
use crate::emit::indices::Indices;
use crate::emit::term::Term;

/// How words and registers are spelled where a statement stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pen<'a> {
    /// The index that registers have, where each is an array over the cores.
    pub core: Option<&'a str>,
    /// How words and whole numbers are spelled in all of the text.
    pub manner: &'a Manner,
}

/// How a text is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Manner {
    /// Whether a float's words are single.
    pub is_single: bool,
    /// Whether it is for people who call it: without lines of the program, conditions where they are asked for, and
    /// nothing declared that is not used.
    pub is_plain: bool,
    /// Which names have 32 bits.
    pub indices: Indices,
}

impl Pen<'_> {
    /// `type name = value;`
    pub(super) fn defined(self, ty: &str, name: &str, value: &Term) -> String {
        let gap = if ty.ends_with('*') { "" } else { " " };
        format!("{ty}{gap}{name} = {};", self.text(value))
    }

    /// `type name[words];`
    pub(super) fn array(self, ty: &str, name: &str, words: &Term) -> String {
        format!("{ty} {name}[{}];", self.text(words))
    }

    /// `type name[] = {values};`
    pub(super) fn list(self, ty: &str, name: &str, values: &[Term]) -> String {
        format!("{ty} {name}[] = {{{}}};", self.texts(values))
    }

    /// `place = value;`, or with another operator that assigns.
    pub(super) fn assigned(self, place: &Term, operator: &str, value: &Term) -> String {
        let value = self.manner.indices.assigned(place, value);
        format!("{} {operator} {};", self.text(place), self.written(&value))
    }

    /// The type of a whole number of this name.
    pub(super) fn type_of(self, name: &str) -> &'static str {
        self.manner.indices.type_of(name)
    }

    /// `const whole name = value;`, or with an `int`.
    pub(super) fn number(self, name: &str, value: &Term) -> String {
        self.defined(&format!("const {}", self.type_of(name)), name, value)
    }

    /// `function(arguments);`
    pub(super) fn called(self, function: &str, arguments: &[Term]) -> String {
        format!("{function}({});", self.texts(arguments))
    }

    /// `kernel<<<configuration>>>(arguments);`
    pub(super) fn launched(
        self,
        kernel: &str,
        configuration: &[Term],
        arguments: &[Term],
    ) -> String {
        let configuration = self.texts(configuration);
        format!("{kernel}<<<{configuration}>>>({});", self.texts(arguments))
    }

    /// `if (condition)`
    pub(super) fn condition(self, condition: &Term) -> String {
        format!("if ({})", self.text(condition))
    }

    /// `while (condition) {`
    pub(super) fn during(self, condition: &Term) -> String {
        format!("while ({}) {{", self.text(condition))
    }

    /// `for (whole variable = from; condition; step) {`
    pub(super) fn counted(
        self,
        (variable, from): (&str, &Term),
        condition: &Term,
        step: &str,
    ) -> String {
        let (from, condition) = (self.text(from), self.text(condition));
        let ty = self.type_of(variable);
        format!("for ({ty} {variable} = {from}; {condition}; {variable}{step}) {{")
    }

    /// The head of a loop.
    pub(super) fn repeated(self, head: &Loop) -> String {
        let (order, step) = if head.down {
            (">=", "--")
        } else {
            ("<=", "++")
        };
        let variable = Term::name(&head.variable);
        if let (true, false, Term::Infix("-", end, one)) =
            (self.manner.is_plain, head.down, &head.to)
            && **one == Term::Whole(1)
            && head.last.is_none()
        {
            // `s < h` for `s <= h - 1`
            let is_left = Term::infix("<", variable, (**end).clone());
            return self.counted((&head.variable, &head.from), &is_left, step);
        }
        let Some(last) = &head.last else {
            let is_left = Term::infix(order, variable, head.to.clone());
            return self.counted((&head.variable, &head.from), &is_left, step);
        };
        let is_left = Term::infix(order, variable, Term::name(last));
        let (from, to) = (self.text(&head.from), self.text(&head.to));
        let (name, is_left) = (&head.variable, self.text(&is_left));
        let ty = self.type_of(name);
        format!("for ({ty} {name} = {from}, {last} = {to}; {is_left}; {name}{step}) {{")
    }

    fn texts(self, terms: &[Term]) -> String {
        let texts: Vec<String> = terms.iter().map(|term| self.text(term)).collect();
        texts.join(", ")
    }

    fn all_written(self, terms: &[Term]) -> String {
        let texts: Vec<String> = terms.iter().map(|term| self.written(term)).collect();
        texts.join(", ")
    }

    /// A term as it stands alone.
    pub(super) fn text(self, term: &Term) -> String {
        self.written(&self.manner.indices.fitting(term))
    }

    fn written(self, term: &Term) -> String {
        let mut text = String::new();
        self.write(term, LOOSEST, &mut text);
        text
    }

    /// Writes a term in brackets where it binds less than what is around it.
    fn write(self, term: &Term, around: u8, text: &mut String) {
        let binding = binding(term);
        if binding < around {
            text.push('(');
        }
        match term {
            Term::Whole(whole) => text.push_str(&whole_literal(*whole)),
            Term::Real(float) => text.push_str(&real_literal(*float, self.manner.is_single)),
            Term::Text(literal) => text.push_str(&text_literal(literal)),
            Term::Name(name) => text.push_str(name),
            Term::Register(name) => {
                text.push_str(name);
                if let Some(core) = self.core {
                    let _ = write!(text, "[{core}]");
                }
            }
            Term::Word(array, index) => {
                text.push_str(array);
                text.push('[');
                self.write(index, LOOSEST, text);
                text.push(']');
            }
            Term::Prefix(operator, of) => {
                text.push_str(operator);
                self.write(of, binding + 1, text);
            }
            Term::Cast(to, of) => {
                let _ = write!(text, "({to})");
                self.write(of, binding + 1, text);
            }
            Term::Infix(operator, left, right) => {
                self.write(left, of_side(operator, left, binding), text);
                let _ = write!(text, " {operator} ");
                let of_right = of_side(operator, right, binding).max(binding + 1);
                self.write(right, of_right, text);
            }
            Term::Call(function, arguments) => {
                let _ = write!(text, "{function}({})", self.all_written(arguments));
            }
            Term::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.write(condition, binding + 1, text);
                text.push_str(" ? ");
                self.write(then, binding + 1, text);
                text.push_str(" : ");
                self.write(otherwise, binding, text);
            }
        }
        if binding < around {
            text.push(')');
        }
    }
}

/// What stands where anything may.
const LOOSEST: u8 = 0;
const UNARY: u8 = 12;
const PRIMARY: u8 = u8::MAX;

/// How tightly a term binds.
fn binding(term: &Term) -> u8 {
    match term {
        Term::Whole(whole) if *whole < 0 => UNARY,
        Term::Real(float) if float.is_sign_negative() => UNARY,
        Term::Whole(_) | Term::Real(_) | Term::Text(_) => PRIMARY,
        Term::Name(_) | Term::Register(_) | Term::Word(..) | Term::Call(..) => PRIMARY,
        Term::Prefix(..) | Term::Cast(..) => UNARY,
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
            "||" => 2,
            other => unreachable!("no term has the operator {other}"),
        },
        Term::Choice(_) => 1,
    }
}

/// How tightly a side of an operator must bind to stand without brackets.
fn of_side(operator: &str, side: &Term, binding: u8) -> u8 {
    let is_logical = matches!(operator, "&&" | "||");
    let is_of_bits = matches!(operator, "&" | "|" | "^" | "<<" | ">>");
    match side {
        Term::Infix(inner, ..) if *inner == operator => binding,
        Term::Infix("==" | "!=" | "<" | "<=" | ">" | ">=", ..) if is_logical => binding,
        // Compilers warn of `a && b || c`, and of `a + b & c`.
        Term::Infix(..) if is_logical || is_of_bits => PRIMARY,
        _ => binding,
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
    let suffix = if is_single { "f" } else { "" };
    digits + suffix
}

/// Between quotes; what is not for the eye becomes three octal digits, which no letter behind them prolongs.
fn text_literal(literal: &str) -> String {
    let mut text = String::from("\"");
    for letter in literal.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            letter if letter.is_ascii_control() => {
                let _ = write!(text, "\\{:03o}", u32::from(letter));
            }
            letter => text.push(letter),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pen(manner: &Manner) -> Pen<'_> {
        Pen {
            core: Some("j"),
            manner,
        }
    }

    fn name(name: &str) -> Term {
        Term::name(name)
    }

    fn infix(operator: &'static str, left: Term, right: Term) -> Term {
        Term::infix(operator, left, right)
    }

    #[test]
    fn brackets_stand_where_c_needs_them() {
        let sum = infix("+", name("i"), Term::Register("v".to_owned()));
        let choice = || Term::choice(infix(">", name("n"), Term::Whole(5)), name("x"), name("y"));
        let both = infix("&&", infix("<", name("a"), name("c")), name("d"));
        for (term, text) in [
            (infix("*", sum, name("b")), "(i + v[j]) * b"),
            (
                infix("-", name("a"), infix("-", name("b"), name("c"))),
                "a - (b - c)",
            ),
            (
                infix("-", infix("-", name("a"), name("b")), name("c")),
                "a - b - c",
            ),
            (infix("-", name("a"), Term::Whole(-3)), "a - -3"),
            (Term::not(infix("<", name("a"), name("c"))), "!(a < c)"),
            (infix("||", both, name("e")), "(a < c && d) || e"),
            (
                infix("/", name("a"), infix("*", name("b"), name("c"))),
                "a / (b * c)",
            ),
            (infix("<=", name("r"), choice()), "r <= (n > 5 ? x : y)"),
            (
                infix("<=", name("r"), infix("&", name("n"), Term::Whole(3))),
                "r <= (n & 3)",
            ),
            (
                infix("==", infix("^", name("n"), name("m")), name("c")),
                "(n ^ m) == c",
            ),
            (Term::cast("whole", name("x")), "(whole)x"),
            (Term::cast("real", choice()), "(real)(n > 5 ? x : y)"),
            (Term::prefix("-", Term::prefix("-", name("x"))), "-(-x)"),
            (
                infix("<<", Term::Whole(1), infix("+", name("s"), Term::Whole(1))),
                "(whole)1 << (s + 1)",
            ),
            (
                infix("+", infix(">>", name("n"), Term::Whole(5)), name("m")),
                "(n >> 5) + m",
            ),
            (Term::Whole(i64::MIN), "(-9223372036854775807 - 1)"),
            (Term::Real(1e300), "1e300"),
            (
                Term::Text("a \\ \"b\"\n1".to_owned()),
                r#""a \\ \"b\"\0121""#,
            ),
        ] {
            assert_eq!(pen(&Manner::default()).text(&term), text);
        }
    }

    /// `(c ? 100000 : 1) * 100000` would be an int.
    #[test]
    fn literals_make_no_ints() {
        let literal = |value| Term::Whole(value);
        let choice = Term::choice(name("c"), literal(100_000), literal(1));
        let product = infix("*", choice, literal(100_000));
        assert_eq!(
            pen(&Manner::default()).text(&product),
            "(c ? (whole)100000 : 1) * 100000"
        );
        for (operator, value) in [("/", "14285"), ("%", "5"), ("&", "0"), ("|", "100007")] {
            let of_literals = infix(operator, literal(100_000), literal(7));
            assert_eq!(pen(&Manner::default()).text(&of_literals), value);
        }
        assert_eq!(
            pen(&Manner::default()).text(&Term::prefix("-", literal(7))),
            "-7"
        );
    }

    #[test]
    fn the_end_of_a_loop_is_compared_as_a_whole() {
        let end = || infix("|", name("n"), Term::Whole(3));
        let head = |last: Option<&str>, down| Loop {
            variable: "s".to_owned(),
            from: Term::Whole(1),
            to: end(),
            last: last.map(str::to_owned),
            down,
        };
        assert_eq!(
            pen(&Manner::default()).repeated(&head(None, false)),
            "for (whole s = 1; s <= (n | 3); s++) {"
        );
        assert_eq!(
            pen(&Manner::default()).repeated(&head(Some("s_last"), true)),
            "for (whole s = 1, s_last = n | 3; s >= s_last; s--) {"
        );
    }
}
