//! Expressions and conditions as text of the language, which parses back to the same value, and
//! the names a program's `let`s give.

use std::collections::HashSet;
use std::fmt;

use crate::sym::notation::latex;
use crate::sym::notation::layout::{Shaper, names_in};
use crate::sym::notation::reading;
use crate::sym::notation::shape::{Condition, Relation, Shape, Sign};
use crate::sym::{Cond, Expr};

/// What names stand for: a program's `let`s, their values written in formal symbols.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Name and value, in the order in which to fold.
    pub definitions: Vec<(String, Expr)>,
}

/// Writes expressions with definitions folded back.
pub struct Printer {
    shaper: Shaper,
}

impl Printer {
    /// A printer that uses these names.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::print::{Names, Printer};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let names = Names { definitions: vec![("k".into(), over(&n, &b))] };
    /// assert_eq!(Printer::new(&names).text(&over(&n, &b).scale(&3.into())), "3k");
    /// ```
    pub fn new(names: &Names) -> Self {
        Printer {
            shaper: Shaper::new(&names.definitions),
        }
    }

    /// As text: `r^2(2n + b)`.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::print::{Names, Printer};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let printer = Printer::new(&Names::default());
    /// assert_eq!(printer.text(&n.add(&b).mul(&n)), "n(n + b)");
    /// ```
    pub fn text(&self, expr: &Expr) -> String {
        Writer::for_shape(&self.shaper.expr(expr))
    }

    /// As a shape to walk, with definitions folded back.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::print::{Names, Printer};
    /// use atgpu::sym::shape::Shape;
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let names = Names { definitions: vec![("k".into(), over(&n, &b))] };
    /// let Shape::Name(k) = Printer::new(&names).shape(&over(&n, &b)) else { panic!("a name") };
    /// assert_eq!(&*k.name, "k");
    /// ```
    pub fn shape(&self, expr: &Expr) -> Shape {
        self.shaper.expr(expr)
    }

    /// The expression that a shape of this printer, or a part of one, stands for.
    pub(crate) fn read(&self, shape: &Shape) -> Expr {
        reading::expr(shape, &|name| self.shaper.meant_by(name))
    }

    /// The condition that a written one stands for.
    pub(crate) fn read_cond(&self, condition: &Condition) -> Cond {
        reading::cond(condition, &|name| self.shaper.meant_by(name))
    }

    /// A condition as text: `0 ≤ n`.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::Cond;
    /// use atgpu::sym::print::{Names, Printer};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let names = Names { definitions: vec![("k".into(), over(&n, &b))] };
    /// assert_eq!(Printer::new(&names).cond(&Cond::divides(&b, &n)), "b | n");
    /// ```
    #[doc(hidden)]
    pub fn cond(&self, cond: &Cond) -> String {
        Writer::default().cond(&self.shaper.cond(cond), Tightness::Implication)
    }

    /// As LaTeX for mathematics mode: `r^{2}\left(2n + b\right)`.
    ///
    /// ```
    /// use atgpu::examples::{over, symbols};
    /// use atgpu::sym::print::{Names, Printer};
    ///
    /// let [n, b] = symbols(["n", "b"]);
    /// let printer = Printer::new(&Names::default());
    /// assert_eq!(printer.latex(&over(&n, &b).ceil()), r"\left\lceil \frac{n}{b} \right\rceil");
    /// ```
    pub fn latex(&self, expr: &Expr) -> String {
        latex::write(&self.shaper.expr(expr))
    }

    /// A condition as LaTeX for mathematics mode: `n \geq 2b`.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    /// use atgpu::sym::print::{Names, Printer};
    /// use atgpu::sym::{Cond, Expr};
    ///
    /// let [n] = symbols(["n"]);
    /// let printer = Printer::new(&Names { definitions: Vec::new() });
    /// assert_eq!(printer.latex_of_cond(&Cond::ge(&n, &Expr::int(2))), r"n \geq 2");
    /// ```
    pub fn latex_of_cond(&self, cond: &Cond) -> String {
        latex::cond(&self.shaper.cond(cond))
    }
}

impl Expr {
    /// As LaTeX for mathematics mode.
    ///
    /// ```
    /// use atgpu::examples::symbols;
    ///
    /// let [n] = symbols(["n"]);
    /// assert_eq!(n.mul(&n).to_latex(), "n^{2}");
    /// ```
    pub fn to_latex(&self) -> String {
        Printer::new(&Names::default()).latex(self)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(&Names::default()).text(self))
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(&Names::default()).cond(self))
    }
}

impl fmt::Debug for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Words that names side by side must not spell: those of the grammar's `reserved`, but for the one with a number.
const RESERVED: [&str; 55] = [
    "algorithm",
    "atomic",
    "at",
    "as",
    "and",
    "abs",
    "bitand",
    "bitor",
    "bitxor",
    "claim",
    "ceil",
    "cos",
    "downto",
    "do",
    "divides",
    "div",
    "ensure",
    "execute",
    "end",
    "else",
    "exists",
    "exp",
    "forall",
    "for",
    "floor",
    "global",
    "host",
    "input",
    "implies",
    "if",
    "in",
    "is",
    "kernel",
    "let",
    "log",
    "ln",
    "mod",
    "min",
    "max",
    "not",
    "output",
    "or",
    "require",
    "shared",
    "swap",
    "sum",
    "select",
    "sqrt",
    "sin",
    "shl",
    "shr",
    "then",
    "to",
    "until",
    "while",
];

/// What may stand where, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Implication,
    Negation,
    Sum,
    Product,
    Primary,
}

#[derive(Default)]
struct Writer {
    names: HashSet<String>,
}

impl Writer {
    fn for_shape(shape: &Shape) -> String {
        let mut writer = Writer::default();
        names_in(shape, &mut writer.names);
        writer.expr(shape, Tightness::Sum)
    }

    fn expr(&self, shape: &Shape, place: Tightness) -> String {
        let (text, tightness) = self.bare(shape);
        if tightness < place {
            format!("({text})")
        } else {
            text
        }
    }

    fn loose(&self, shape: &Shape) -> String {
        self.expr(shape, Tightness::Sum)
    }

    fn bare(&self, shape: &Shape) -> (String, Tightness) {
        let list = |items: &[Shape]| {
            let items: Vec<String> = items.iter().map(|item| self.loose(item)).collect();
            items.join(", ")
        };
        match shape {
            Shape::Number(number) => (number.to_string(), Tightness::Primary),
            Shape::Name(symbol) => (symbol.name.to_string(), Tightness::Primary),
            Shape::Sum(parts) => (self.sum(parts), Tightness::Sum),
            Shape::Product(over, under) => (self.product(over, under), Tightness::Product),
            Shape::Power(base, exponent) => {
                let base = self.expr(base, Tightness::Primary);
                let exponent = self.expr(exponent, Tightness::Primary);
                (format!("{base}^{exponent}"), Tightness::Product)
            }
            Shape::SquareRoot(x) => (format!("sqrt({})", self.loose(x)), Tightness::Primary),
            Shape::Floor(x) => (format!("⌊{}⌋", self.loose(x)), Tightness::Primary),
            Shape::Ceiling(x) => (format!("⌈{}⌉", self.loose(x)), Tightness::Primary),
            Shape::Log(base, x) => {
                let x = self.expr(x, Tightness::Primary);
                let text = match &**base {
                    Shape::Number(two) if *two == 2.into() => format!("log2 {x}"),
                    Shape::Name(name) => format!("log_{name} {x}"),
                    Shape::Number(number) => format!("log_{number} {x}"),
                    other => format!("log_{{{}}} {x}", self.loose(other)),
                };
                (text, Tightness::Product)
            }
            Shape::Call(function, items) => {
                let text = format!("{}({})", function.name(), list(items));
                (text, Tightness::Primary)
            }
            Shape::Bracket(cond) => {
                let cond = self.cond(cond, Tightness::Implication);
                (format!("[{cond}]"), Tightness::Primary)
            }
            Shape::Total(name, low, high, body) => {
                let (low, high) = (self.loose(low), self.loose(high));
                let text = format!("Σ {name} ∈ {low}..{high} : {}", self.loose(body));
                // The body reaches as far as it can.
                (text, Tightness::Implication)
            }
        }
    }

    fn sum(&self, parts: &[(Sign, Shape)]) -> String {
        let mut text = String::new();
        for (at, (sign, part)) in parts.iter().enumerate() {
            text += sign.before(at == 0);
            text += &self.expr(part, Tightness::Product);
        }
        text
    }

    fn product(&self, over: &[Shape], under: &[Shape]) -> String {
        let numerator = self.factors(over);
        if under.is_empty() {
            return numerator;
        }
        let denominator = match under {
            // `n/b^2` is unambiguous, `n/2b` and `n/log2 b` are not.
            [single] => match single {
                Shape::Power(..) => self.expr(single, Tightness::Product),
                _ => self.expr(single, Tightness::Primary),
            },
            several => format!("({})", self.factors(several)),
        };
        format!("{numerator}/{denominator}")
    }

    /// Factors side by side where the language reads them as a product, else with `·`.
    fn factors(&self, factors: &[Shape]) -> String {
        let mut text = String::new();
        let mut run = String::new();
        for (at, factor) in factors.iter().enumerate() {
            let is_alone = factors.len() == 1;
            let place = match factor {
                Shape::Power(..) | Shape::Log(..) => Tightness::Product,
                Shape::Product(..) if is_alone => Tightness::Product,
                _ => Tightness::Primary,
            };
            let piece = self.expr(factor, place);
            if at > 0 {
                text += self.separator(&factors[at - 1], factor, &mut run);
            }
            if let Shape::Name(symbol) = factor {
                run += &symbol.name;
            } else {
                run.clear();
            }
            text += &piece;
        }
        text
    }

    /// What stands between two factors; `run` spells the letters side by side so far.
    fn separator(&self, left: &Shape, right: &Shape, run: &mut String) -> &'static str {
        const DOT: &str = "·";
        let starts_safely = matches!(
            right,
            Shape::Name(_) | Shape::Floor(_) | Shape::Ceiling(_) | Shape::Sum(_)
        );
        match (left, right) {
            (Shape::Bracket(_), _) | (_, Shape::Bracket(_)) => DOT,
            (_, Shape::Log(..)) if !matches!(left, Shape::Log(..)) => " ",
            (Shape::Number(_), Shape::Power(base, _)) => match **base {
                Shape::Name(_) | Shape::Sum(_) | Shape::Product(..) => "",
                _ => DOT,
            },
            (Shape::Number(_), Shape::Name(symbol)) if is_exponent_like(&symbol.name) => DOT,
            (Shape::Number(_), _) if starts_safely => "",
            (Shape::Name(left), Shape::Name(right)) => {
                let (left, right) = (&*left.name, &*right.name);
                let spelt = format!("{run}{right}");
                let is_safe = is_one_letter(left)
                    && is_one_letter(right)
                    && !self.names.contains(&spelt)
                    && !RESERVED.contains(&spelt.as_str())
                    && !RESERVED.iter().any(|word| spelt.ends_with(word));
                if is_safe {
                    ""
                } else {
                    run.clear();
                    DOT
                }
            }
            (
                Shape::Name(_)
                | Shape::Floor(_)
                | Shape::Ceiling(_)
                | Shape::Power(..)
                | Shape::Sum(_),
                _,
            ) if starts_safely && !matches!(right, Shape::Name(_)) => "",
            (Shape::Floor(_) | Shape::Ceiling(_) | Shape::Sum(_), Shape::Name(_)) => "",
            _ => DOT,
        }
    }

    fn cond(&self, cond: &Condition, place: Tightness) -> String {
        let (text, tightness) = match cond {
            Condition::Constant(true) => ("0 = 0".to_string(), Tightness::Negation),
            Condition::Constant(false) => ("0 = 1".to_string(), Tightness::Negation),
            Condition::Compare(left, relation, right) => {
                let relation = match relation {
                    Relation::Equal => "=",
                    Relation::NotEqual => "≠",
                    Relation::AtLeast => "≥",
                    Relation::AtMost => "≤",
                    Relation::Less => "<",
                    Relation::Greater => ">",
                };
                let text = format!("{} {relation} {}", self.loose(left), self.loose(right));
                (text, Tightness::Negation)
            }
            Condition::Divides(d, e) => {
                let text = format!("{} | {}", self.loose(d), self.loose(e));
                (text, Tightness::Negation)
            }
            Condition::PowerOf(x, y) => {
                let text = format!("{} is a power of {}", self.loose(x), self.loose(y));
                (text, Tightness::Negation)
            }
            Condition::Not(inner) => {
                let text = format!("¬({})", self.cond(inner, Tightness::Implication));
                (text, Tightness::Negation)
            }
            Condition::And(parts) => (self.joined(parts, " ∧ "), Tightness::Implication),
            Condition::Or(parts) => (self.joined(parts, " ∨ "), Tightness::Implication),
        };
        if tightness < place {
            format!("({text})")
        } else {
            text
        }
    }

    fn joined(&self, parts: &[Condition], connective: &str) -> String {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| self.cond(part, Tightness::Negation))
            .collect();
        parts.join(connective)
    }
}

/// A letter with its primes.
fn is_one_letter(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(char::is_alphabetic) && characters.all(|c| c == '\'' || c == '′')
}

/// `2e` could run into a number with an exponent.
fn is_exponent_like(name: &str) -> bool {
    name.starts_with(['e', 'E']) && name.len() > 1
}
