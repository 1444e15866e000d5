//! The terms of a written formula: what of it is pointed at as a whole, what that is paid for, and which
//! lines it comes from, which is the library's to say.

use atgpu::derivation::{Paid, Source, Sources};
use atgpu::sym::shape::{Shape, Sign};
use atgpu::sym::{Expr, Facts, Symbol, SymbolKind};
use serde_json::{Value, json};

use crate::written::expr;

/// Terms of one formula that can be pointed at; a longer formula is pointed at in larger parts.
const MOST_TERMS: usize = 40;

/// How deep terms are looked for.
const MOST_DEPTH: usize = 10;

/// Finds terms, and writes the formula around them.
pub(crate) struct Terms<'n> {
    /// Names of the program in the formula.
    names: &'n [(String, Expr)],
    found: Vec<Term>,
}

/// A part of a formula that is pointed at as a whole.
struct Term {
    latex: String,
    paid: Option<Paid>,
    /// With all that stands around it; none where it cannot be read back.
    whole: Option<Expr>,
}

/// What stands around a part of a formula, from the outside in.
#[derive(Clone, Default)]
struct Around {
    layers: Vec<Option<Layer>>,
}

/// What is made of a part.
#[derive(Clone)]
enum Layer {
    Times(Expr),
    Total(Symbol, Expr, Expr),
}

impl Around {
    fn with(&self, layer: Option<Layer>) -> Around {
        let mut layers = self.layers.clone();
        layers.push(layer);
        Around { layers }
    }

    fn whole(&self, part: Option<Expr>) -> Option<Expr> {
        let layers = self.layers.iter().rev();
        layers.fold(part, |inner, layer| {
            let inner = inner?;
            Some(match layer.as_ref()? {
                Layer::Times(factor) => inner.mul(factor),
                Layer::Total(symbol, low, high) => Facts::new().sum(symbol, low, high, &inner),
            })
        })
    }
}

impl<'n> Terms<'n> {
    /// Those of a formula, and the formula as LaTeX with `\htmlData{term=…}` around each.
    pub(crate) fn of(shape: &Shape, names: &'n [(String, Expr)]) -> (Terms<'n>, String) {
        let mut terms = Terms {
            names,
            found: Vec::new(),
        };
        let latex = terms.write(shape, &Around::default());
        (terms, latex)
    }

    /// Each of them.
    pub(crate) fn told(&self) -> Vec<Value> {
        let each = self.found.iter();
        each.map(|term| json!({"for": term.paid.map_or("count", Paid::name), "latex": term.latex}))
            .collect()
    }

    /// The lines behind each of them, or null.
    pub(crate) fn behind(&self, sources: &Sources) -> Vec<Value> {
        let mut behind = vec![Value::Null; self.found.len()];
        for paid in Paid::ALL {
            let own = || {
                let all = self.found.iter().enumerate();
                all.filter(|(_, term)| term.paid == Some(paid))
            };
            let wholes: Option<Vec<Expr>> = own().map(|(_, term)| term.whole.clone()).collect();
            let found = sources.behind(paid, &wholes.unwrap_or_default());
            for ((at, _), source) in own().zip(found) {
                behind[at] = told(&source);
            }
        }
        behind
    }

    fn write(&mut self, shape: &Shape, around: &Around) -> String {
        let is_room = around.layers.len() < MOST_DEPTH && self.found.len() < MOST_TERMS;
        match shape {
            Shape::Sum(parts) if is_room => {
                let mut text = String::new();
                for (at, (sign, part)) in parts.iter().enumerate() {
                    let (before, inside) = match sign {
                        Sign::Plus if at == 0 => ("", around.clone()),
                        Sign::Plus => (" + ", around.clone()),
                        Sign::Minus => {
                            let minus = Layer::Times(Expr::one().neg());
                            let before = if at == 0 { "-" } else { " - " };
                            (before, around.with(Some(minus)))
                        }
                    };
                    text += before;
                    text += &match part {
                        Shape::Sum(_) => self.in_parentheses(part, &inside),
                        _ => self.write(part, &inside),
                    };
                }
                text
            }
            Shape::Product(over, under) if is_room => match seam(over) {
                Some(seam) => self.write_product(over, under, seam, around),
                None => self.leaf(shape, around),
            },
            Shape::Total(symbol, low, high, body) if is_room && has_sum(body) => {
                let (text, inner) = (shape.to_latex(), body.to_latex());
                let parenthesised = format!("\\left({inner}\\right)");
                let low_high = self.expr(low).zip(self.expr(high));
                let layer = low_high.map(|(low, high)| Layer::Total(symbol.clone(), low, high));
                let inside = around.with(layer);
                match (text.strip_suffix(&parenthesised), text.strip_suffix(&inner)) {
                    (Some(before), _) => {
                        format!("{before}{}", self.in_parentheses(body, &inside))
                    }
                    (None, Some(before)) => format!("{before}{}", self.write(body, &inside)),
                    (None, None) => self.leaf(shape, around),
                }
            }
            _ => self.leaf(shape, around),
        }
    }

    fn write_product(
        &mut self,
        over: &[Shape],
        under: &[Shape],
        seam: usize,
        around: &Around,
    ) -> String {
        let others = over.iter().enumerate().filter(|(at, _)| *at != seam);
        let times = others.map(|(_, factor)| self.expr(factor));
        let times = times.reduce(|one, other| Some(one?.mul(&other?)));
        let times = times.unwrap_or_else(|| Some(Expr::one()));
        let by = under.iter().map(|divisor| self.expr(divisor));
        let times = by.fold(times, |over, divisor| over?.div(&divisor?));
        let inside = around.with(times.map(Layer::Times));
        let mut text = String::new();
        for (at, factor) in over.iter().enumerate() {
            let is_long = matches!(factor, Shape::Sum(_) | Shape::Total(..));
            let is_digit = match factor {
                Shape::Number(_) => true,
                Shape::Power(base, _) => matches!(**base, Shape::Number(_)),
                _ => false,
            };
            if at > 0 && is_digit {
                text += "\\cdot ";
            }
            text += &match (at == seam, over.len() > 1 && is_long) {
                (true, true) => self.in_parentheses(factor, &inside),
                (true, false) => self.write(factor, &inside),
                (false, true) => format!("\\left({}\\right)", factor.to_latex()),
                (false, false) => factor.to_latex(),
            };
            text.push(' ');
        }
        if under.is_empty() {
            text
        } else {
            let under = Shape::Product(under.to_vec(), Vec::new());
            format!("\\frac{{{text}}}{{{}}}", under.to_latex())
        }
    }

    fn in_parentheses(&mut self, shape: &Shape, around: &Around) -> String {
        format!("\\left({}\\right)", self.write(shape, around))
    }

    fn leaf(&mut self, shape: &Shape, around: &Around) -> String {
        let whole = around.whole(self.expr(shape));
        let term = self.found.len();
        let latex = shape.to_latex();
        let text = format!("\\htmlData{{term={term}}}{{{latex}}}");
        self.found.push(Term {
            latex,
            paid: whole.as_ref().and_then(paid_for),
            whole,
        });
        text
    }

    /// A part of the formula as an expression, names of the program written out.
    fn expr(&self, shape: &Shape) -> Option<Expr> {
        expr(shape, self.names)
    }
}

/// The factor whose summands are terms of their own: a sum of costs, else one without figures of the card
/// (operations, not the waves of MPs that execute them), else the first.
fn seam(over: &[Shape]) -> Option<usize> {
    let sums = || (0..over.len()).filter(|at| has_sum(&over[*at]));
    let of_costs = |at: &usize| {
        ["λ", "α", "β", "σ"]
            .iter()
            .any(|letter| has(&over[*at], letter))
    };
    let of_card = |at: &usize| {
        ["k'", "H", "ℓ"]
            .iter()
            .any(|letter| has(&over[*at], letter))
    };
    let found = sums().find(of_costs);
    found
        .or_else(|| sums().find(|at| !of_card(at)))
        .or_else(|| sums().next())
}

fn has_sum(shape: &Shape) -> bool {
    match shape {
        Shape::Sum(_) => true,
        Shape::Product(over, _) => over.iter().any(has_sum),
        Shape::Total(_, _, _, body) => has_sum(body),
        _ => false,
    }
}

fn paid_for(whole: &Expr) -> Option<Paid> {
    let symbols = whole.symbols();
    Paid::of(&|letter| {
        let mut letters = symbols.iter().filter(|symbol| is_letter(symbol));
        letters.any(|symbol| bare(symbol) == letter)
    })
}

/// Its parts, the lines of each one's own or known only together, and whether they are all of the term.
fn told(source: &Source) -> Value {
    let each = source.parts.iter();
    let each = each.map(|part| json!({"lines": part.lines, "share": part.share}));
    json!({"parts": each.collect::<Vec<_>>(), "whole": source.is_whole})
}

/// Whether a symbol is a letter of the cost functions.
fn is_letter(symbol: &Symbol) -> bool {
    symbol.id.kind == SymbolKind::Letter
}

/// A letter's name, also where the program calls something of its own so.
fn bare(symbol: &Symbol) -> &str {
    symbol.name.strip_suffix("_GPU").unwrap_or(&symbol.name)
}

/// Whether a letter of the cost functions stands in it.
fn has(shape: &Shape, letter: &str) -> bool {
    let mut open = vec![shape];
    while let Some(part) = open.pop() {
        if matches!(part, Shape::Name(symbol) if is_letter(symbol) && bare(symbol) == letter) {
            return true;
        }
        open.extend(part.parts());
    }
    false
}
