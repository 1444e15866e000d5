//! Expressions as LaTeX for mathematics mode.

use crate::sym::bare;
use crate::sym::notation::shape::{Condition, Function, Relation, Shape, Sign};

impl Shape {
    /// As LaTeX for mathematics mode: of a part of a formula too.
    ///
    /// ```
    /// use atgpu::sym::shape::Shape;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let transfer = program.derive()?.formula("transfer_cost")?;
    /// let Shape::Sum(terms) = transfer.shape() else { panic!("two terms") };
    /// let terms: Vec<String> = terms.iter().map(|(_, term)| term.to_latex()).collect();
    /// assert_eq!(terms, [r"3 \alpha", r"3 n \beta"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_latex(&self) -> String {
        write(self)
    }
}

/// The LaTeX of a shape.
pub(crate) fn write(shape: &Shape) -> String {
    match shape {
        Shape::Number(number) => number.to_string(),
        Shape::Name(symbol) => name_of(&symbol.name),
        Shape::Sum(parts) => sum(parts),
        Shape::Product(over, under) if under.is_empty() => factors(over),
        Shape::Product(over, under) => format!("\\frac{{{}}}{{{}}}", factors(over), factors(under)),
        Shape::Power(base, exponent) => {
            let base = match **base {
                Shape::Name(_) | Shape::Number(_) => write(base),
                _ => parenthesised(base),
            };
            format!("{base}^{{{}}}", write(exponent))
        }
        Shape::SquareRoot(x) => format!("\\sqrt{{{}}}", write(x)),
        Shape::Floor(x) => format!("\\left\\lfloor {} \\right\\rfloor", write(x)),
        Shape::Ceiling(x) => format!("\\left\\lceil {} \\right\\rceil", write(x)),
        Shape::Log(base, x) => {
            let x = match **x {
                Shape::Name(_) | Shape::Number(_) => write(x),
                _ => parenthesised(x),
            };
            format!("\\log_{{{}}} {x}", write(base))
        }
        Shape::Call(function, items) => {
            let items: Vec<String> = items.iter().map(write).collect();
            let name = match function {
                Function::Min | Function::Max | Function::Gcd => format!("\\{}", function.name()),
                Function::DigitSum | Function::FloorSum => {
                    format!("\\operatorname{{{}}}", function.name().replace('_', "\\_"))
                }
            };
            format!("{name}\\left({}\\right)", items.join(", "))
        }
        Shape::Bracket(inner) => format!("\\left[{}\\right]", cond(inner)),
        Shape::Total(variable, low, high, body) => {
            let body = match **body {
                Shape::Sum(_) => parenthesised(body),
                _ => write(body),
            };
            let name = name_of(&variable.name);
            format!("\\sum_{{{name}={}}}^{{{}}} {body}", write(low), write(high))
        }
    }
}

fn parenthesised(shape: &Shape) -> String {
    format!("\\left({}\\right)", write(shape))
}

fn sum(parts: &[(Sign, Shape)]) -> String {
    let mut text = String::new();
    for (at, (sign, part)) in parts.iter().enumerate() {
        text += sign.before(at == 0);
        text += &match part {
            Shape::Sum(_) => parenthesised(part),
            _ => write(part),
        };
    }
    text
}

fn factors(factors: &[Shape]) -> String {
    let mut text = String::new();
    for (at, factor) in factors.iter().enumerate() {
        if at > 0 {
            let starts_with_digit = match factor {
                Shape::Number(_) => true,
                Shape::Power(base, _) => matches!(**base, Shape::Number(_)),
                _ => false,
            };
            text += if starts_with_digit { " \\cdot " } else { " " };
        }
        text += &match factor {
            Shape::Sum(_) if factors.len() > 1 => parenthesised(factor),
            Shape::Total(..) if factors.len() > 1 => parenthesised(factor),
            _ => write(factor),
        };
    }
    text
}

/// The LaTeX of a condition.
pub(crate) fn cond(shape: &Condition) -> String {
    let joined = |parts: &[Condition], connective: &str| {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| match part {
                Condition::And(_) | Condition::Or(_) => format!("\\left({}\\right)", cond(part)),
                _ => cond(part),
            })
            .collect();
        parts.join(connective)
    };
    match shape {
        Condition::Constant(true) => "\\top".to_string(),
        Condition::Constant(false) => "\\bot".to_string(),
        Condition::Compare(left, relation, right) => {
            let relation = match relation {
                Relation::Equal => "=",
                Relation::NotEqual => "\\neq",
                Relation::AtLeast => "\\geq",
                Relation::AtMost => "\\leq",
                Relation::Less => "<",
                Relation::Greater => ">",
            };
            format!("{} {relation} {}", write(left), write(right))
        }
        Condition::Divides(d, e) => format!("{} \\mid {}", write(d), write(e)),
        Condition::PowerOf(x, y) => {
            format!("{} \\text{{ is a power of }} {}", write(x), write(y))
        }
        Condition::Not(inner) => format!("\\neg\\left({}\\right)", cond(inner)),
        Condition::And(parts) => joined(parts, " \\land "),
        Condition::Or(parts) => joined(parts, " \\lor "),
    }
}

/// A name in mathematics mode: one letter as it is, Greek spelt out, words upright.
fn name_of(name: &str) -> String {
    let letter = bare(name);
    if letter != name {
        return format!("{}_{{\\mathrm{{GPU}}}}", name_of(letter));
    }
    // Primes inside a word stay where they are: x''_y is not x_y''.
    let name = name.replace('′', "'");
    let letters = name.trim_end_matches('\'');
    let primes = &name[letters.len()..];
    let spelt = match letters {
        "α" => "\\alpha".to_string(),
        "β" => "\\beta".to_string(),
        "γ" => "\\gamma".to_string(),
        "λ" => "\\lambda".to_string(),
        "σ" => "\\sigma".to_string(),
        "ℓ" => "\\ell".to_string(),
        one if one.chars().count() == 1 => one.to_string(),
        word => format!("\\mathit{{{}}}", word.replace('_', "\\_")),
    };
    spelt + primes
}
