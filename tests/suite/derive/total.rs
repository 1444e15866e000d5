//! Forms have a value wherever the program runs, as they are written: what divides is nowhere 0, what a logarithm is
//! taken of nowhere less than 1. And it is what is counted there.

use std::fs;
use std::ops::ControlFlow;

use crate::support::engines::{self, Choice};
use crate::support::programs::{DerivedFile, derived_file, name, path, program, programs};
use atgpu::count::{Interval, Parameters, Quantity};
use atgpu::derivation::{Derivation, Verdict};
use atgpu::derive::derive;
use atgpu::interval::{CountOptions, count};
use atgpu::program::Program;
use atgpu::sym::Symbol;
use atgpu::sym::print::{Names, Printer};
use atgpu::sym::shape::{Condition, Function, Relation, Shape, Sign};

/// Formals up to this, and values of b.
const LARGEST: i64 = 13;
const WIDTHS: [i64; 3] = [1, 2, 3];

/// The value of a shape: every part is asked, but beside a bracket that is 0 nothing else.
pub(super) fn value(shape: &Shape, at: &dyn Fn(&Symbol) -> f64) -> Option<f64> {
    let of = |part: &Shape| value(part, at);
    let all = |parts: &[Shape]| parts.iter().map(of).collect::<Option<Vec<f64>>>();
    Some(match shape {
        Shape::Number(number) => number.to_string().parse().ok()?,
        Shape::Name(symbol) => at(symbol),
        Shape::Sum(terms) => {
            let mut sum = 0.0;
            for (sign, term) in terms {
                sum += if *sign == Sign::Plus {
                    of(term)?
                } else {
                    -of(term)?
                };
            }
            sum
        }
        Shape::Product(over, under) => {
            let is_bracket = |factor: &&Shape| matches!(factor, Shape::Bracket(_));
            let brackets: Vec<Shape> = over.iter().filter(is_bracket).cloned().collect();
            if all(&brackets)?.contains(&0.0) {
                return Some(0.0);
            }
            let over: f64 = all(over)?.into_iter().product();
            let under: f64 = all(under)?.into_iter().product();
            (under != 0.0).then_some(over / under)?
        }
        Shape::Power(base, exponent) => {
            let value = of(base)?.powf(of(exponent)?);
            value.is_finite().then_some(value)?
        }
        Shape::SquareRoot(x) => Some(of(x)?).filter(|x| *x >= 0.0)?.sqrt(),
        Shape::Floor(x) => (of(x)? + 1e-9).floor(),
        Shape::Ceiling(x) => (of(x)? - 1e-9).ceil(),
        Shape::Log(base, x) => {
            let (base, x) = (of(base)?, of(x)?);
            (x > 0.0 && base > 0.0 && base != 1.0).then(|| x.log(base))?
        }
        Shape::Call(function, items) => call(*function, &all(items)?)?,
        Shape::Bracket(condition) => f64::from(u8::from(holds(condition, at)?)),
        Shape::Total(variable, low, high, body) => {
            let (low, high) = (of(low)?.ceil() as i64, of(high)?.floor() as i64);
            let mut sum = 0.0;
            for here in low..=high {
                let inside = |symbol: &Symbol| {
                    if symbol == variable {
                        here as f64
                    } else {
                        at(symbol)
                    }
                };
                sum += value(body, &inside)?;
            }
            sum
        }
    })
}

fn call(function: Function, items: &[f64]) -> Option<f64> {
    let is_whole = |x: &f64| x.fract() == 0.0;
    match function {
        Function::Min => items.iter().copied().reduce(f64::min),
        Function::Max => items.iter().copied().reduce(f64::max),
        Function::Gcd | Function::DigitSum | Function::FloorSum if !items.iter().all(is_whole) => {
            None
        }
        Function::Gcd => {
            let (mut x, mut y) = (items[0].abs(), items[1].abs());
            while y > 0.0 {
                (x, y) = (y, x % y);
            }
            Some(x)
        }
        Function::DigitSum => {
            let (mut x, base) = (items[0], items[1]);
            let mut sum = (x >= 0.0 && base >= 2.0).then_some(0.0)?;
            while x > 0.0 {
                (sum, x) = (sum + x % base, (x / base).floor());
            }
            Some(sum)
        }
        Function::FloorSum => {
            let [n, a, c, m] = items else { return None };
            let terms = (0..*n as i64).map(|v| ((a * v as f64 + c) / m).floor());
            (*m != 0.0).then(|| terms.sum())
        }
    }
}

fn holds(condition: &Condition, at: &dyn Fn(&Symbol) -> f64) -> Option<bool> {
    let all = |parts: &[Condition]| {
        let parts = parts.iter().map(|part| holds(part, at));
        parts.collect::<Option<Vec<bool>>>()
    };
    Some(match condition {
        Condition::Constant(value) => *value,
        Condition::Compare(left, relation, right) => {
            let difference = value(left, at)? - value(right, at)?;
            let difference = if difference.abs() < 1e-9 {
                0.0
            } else {
                difference
            };
            match relation {
                Relation::Equal => difference == 0.0,
                Relation::NotEqual => difference != 0.0,
                Relation::AtLeast => difference >= 0.0,
                Relation::Less => difference < 0.0,
                Relation::AtMost => difference <= 0.0,
                Relation::Greater => difference > 0.0,
            }
        }
        Condition::Divides(d, e) => {
            let (d, e) = (value(d, at)?, value(e, at)?);
            if d == 0.0 { e == 0.0 } else { e % d == 0.0 }
        }
        Condition::PowerOf(x, y) => {
            let (x, y) = (value(x, at)?, value(y, at)?);
            (0..60).any(|exponent| y.powi(exponent) == x && x >= 1.0)
        }
        Condition::Not(inner) => !holds(inner, at)?,
        Condition::And(parts) => !all(parts)?.contains(&false),
        Condition::Or(parts) => all(parts)?.contains(&true),
    })
}

/// Every choice of the formals up to a size.
fn choices(program: &Program) -> Vec<Vec<(String, i64)>> {
    let mut choices = vec![Vec::new()];
    for formal in program.formals() {
        let name = &program.parameter(*formal).name;
        let largest = if program.formals().len() > 1 {
            LARGEST / 2
        } else {
            LARGEST
        };
        let longer = choices.iter().flat_map(|choice: &Vec<(String, i64)>| {
            (0..=largest).map(|value| [choice.clone(), vec![(name.clone(), value)]].concat())
        });
        choices = longer.collect();
    }
    choices
}

/// The totals counted at a point, if the program runs there.
fn counted(program: &Program, choice: &Choice) -> Option<Vec<(Quantity, Interval)>> {
    let going = |_| ControlFlow::Continue(());
    let counted = count(program, &choice.point, &CountOptions::default(), &going).ok()?;
    let totals = counted.counts.totals.all().into_iter();
    let totals = totals.map(|(quantity, total)| (quantity, total.clone()));
    counted.faults.is_empty().then(|| totals.collect())
}

/// Holds every total against what is counted, at all small sizes at which the program runs; how many were held.
fn held(program: &Program, derivation: &Derivation, label: &str) -> usize {
    let exported = Printer::new(&Names::default());
    let printed = Printer::new(&derivation.let_names());
    let mut held = 0;
    for width in WIDTHS {
        for choice in choices(program) {
            let Some(choice) = engines::choice(program, width, choice) else {
                continue;
            };
            let parameter = |symbol: &Symbol| {
                let name = &*symbol.name;
                let letters = |number: i64| number as f64;
                let value = choice
                    .point
                    .parameters
                    .get(name)
                    .and_then(|value| value.try_into().ok());
                value.map_or(2.5, letters)
            };
            let at = |symbol: &Symbol| {
                let mut names = derivation.names.iter();
                match names.find(|(name, _)| **name == *symbol.name) {
                    Some((_, form)) => value(&exported.shape(form), &parameter).expect("it runs"),
                    None => parameter(symbol),
                }
            };
            let Some(counted) = counted(program, &choice) else {
                continue;
            };
            for (name, quantity) in derivation.quantities() {
                let Some(upper) = &quantity.upper else {
                    continue;
                };
                let short = quantity.short.as_ref();
                for (form, is_exact) in [(Some(upper), quantity.is_exact()), (short, false)] {
                    let Some(form) = form else { continue };
                    let shapes = [printed.shape(form), exported.shape(form)];
                    for shape in shapes {
                        let at_point = format!("{label}: {name} = {form} at {}", choice.label);
                        let value = value(&shape, &at);
                        let value = value.unwrap_or_else(|| panic!("no value: {at_point}"));
                        held += 1;
                        let which = Quantity::named(name).expect("it has a name");
                        let Some(counted) = counted.iter().find(|(of, _)| *of == which) else {
                            continue;
                        };
                        let [lower, upper] = [&counted.1.lower, &counted.1.upper]
                            .map(|end| end.to_string().parse::<f64>().expect("a number"));
                        let agrees = if is_exact {
                            (lower - 1e-6..=upper + 1e-6).contains(&value)
                        } else {
                            value + 1e-6 >= lower
                        };
                        assert!(agrees, "{at_point}: {value} for {lower} to {upper}");
                    }
                }
            }
        }
    }
    held
}

#[test]
fn forms_have_a_value_wherever_programs_run() {
    for file in programs("tests/suite/derive/total") {
        let DerivedFile {
            program,
            derivation,
        } = derived_file(&file);
        assert!(derivation.contradictions.is_empty(), "{}", name(&file));
        let held = held(program, derivation, &name(&file));
        assert!(held > 500, "{}: {held}", name(&file));
    }
}

#[test]
fn forms_have_the_values_worked_out_by_hand() {
    let io = |program: &str, n: i64, b: i64| {
        let file = path(&format!("tests/suite/derive/total/{program}.atgpu"));
        let derivation = &derived_file(&file).derivation;
        let io = derivation.formula("io").expect("derived");
        io.exact([("n", n), ("b", b)])
            .map(|value| value.to_string())
    };
    for (n, b, blocks) in [(1, 1, "1"), (3, 2, "2"), (4, 2, "5"), (7, 2, "9")] {
        assert_eq!(
            io("short-remainder", n, b).as_deref(),
            Ok(blocks),
            "{n}, {b}"
        );
    }
    for (n, b, blocks) in [(0, 2, "0"), (1, 2, "1"), (5, 2, "12")] {
        assert_eq!(
            io("log-of-no-words", n, b).as_deref(),
            Ok(blocks),
            "{n}, {b}"
        );
    }
}

/// A form that needs nothing is printed without it.
#[test]
fn what_the_host_asks_in_any_case_is_not_said_again() {
    let file = path("tests/suite/derive/total/defined-by-the-host.atgpu");
    let derivation = &derived_file(&file).derivation;
    let text = |name: &str| derivation.formula(name).expect("derived").to_string();
    assert_eq!(text("rounds"), "(⌈log2 n⌉ + 1)·[log2 n + 1 > 0] + 1");
    assert_eq!(
        text("total_time"),
        "6(⌈log2 n⌉ + 1)·[log2 n + 1 > 0] + [n/m ≥ 0]"
    );
}

/// What is printed is proved when it is claimed.
#[test]
fn printed_forms_are_proved_as_claims() {
    for file in programs("tests/suite/derive/total") {
        let derivation = &derived_file(&file).derivation;
        let printer = Printer::new(&derivation.let_names());
        let claims = derivation.quantities().filter_map(|(name, quantity)| {
            let relation = if quantity.is_exact() { "=" } else { "≤" };
            let upper = printer.text(quantity.upper.as_ref()?);
            Some(format!("  claim {name} {relation} {upper}\n"))
        });
        let claims: String = claims.collect();
        let text = fs::read_to_string(&file).expect("a program is text");
        let head = text.find("  a ⇚ A\n").expect("it begins with a transfer");
        let text = format!("{}{claims}{}", &text[..head], &text[head..]);
        for claim in derive(&program(&text), &Parameters::new()).claims {
            assert_eq!(
                claim.verdict,
                Verdict::Proved,
                "{}: {}",
                name(&file),
                claim.text
            );
        }
    }
}
