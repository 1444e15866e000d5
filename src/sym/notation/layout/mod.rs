//! The shape in which a person would write an expression: common factors outside, one fraction
//! for each denominator, ceilings for negated floors, program names folded back. Text and LaTeX
//! are both written from it.
//!
//! [`sums`] and [`products`] lay out, by the [`order`] and the [`sign`] of terms and what they share
//! ([`common`], [`factors`]), once [`fold`] has put definitions back. Where several forms are as good, [`weight`] says
//! which is the shortest: a sum as a product ([`powers`]), fractions as one ([`fractions`]), logarithms of
//! quotients ([`logs`]).

mod common;
mod factors;
mod fold;
mod fractions;
mod logs;
mod order;
mod powers;
mod products;
mod sign;
mod sums;
mod weight;

use std::collections::HashSet;

use crate::number::BigInt;
use crate::sym::expr::types::Term;
use crate::sym::notation::layout::fold::fold_one;
use crate::sym::notation::layout::logs::of_quotients;
use crate::sym::notation::layout::sign::reads_positive;
use crate::sym::notation::layout::sums::sum_shape;
use crate::sym::notation::shape::{Condition, Relation, Shape, Sign};
use crate::sym::{Cond, Expr, Symbol, SymbolKind};

/// Letters that close a product: β after n, λ after k.
const COST_LETTERS: [&str; 6] = ["α", "β", "γ", "λ", "σ", "ℓ"];

/// Names of the machine's parameters stand after those of the algorithm.
const MACHINE_NAMES: [&str; 6] = ["b", "p", "M", "G", "k'", "H"];

/// Those of the cost letters that are whole numbers ≥ 1.
const WHOLE_LETTERS: [&str; 3] = ["k'", "H", "ℓ"];

/// Builds shapes, folding definitions back.
pub(crate) struct Shaper {
    folded: Vec<(Symbol, Expr)>,
}

impl Shaper {
    pub(super) fn new(definitions: &[(String, Expr)]) -> Self {
        let folded = definitions
            .iter()
            .filter(|(_, value)| value.as_rational().is_none() && value.as_symbol().is_none())
            .enumerate()
            .map(|(at, (name, value))| {
                (
                    Symbol::of(SymbolKind::Folded, at as u32, name),
                    value.clone(),
                )
            })
            .collect();
        Shaper { folded }
    }

    pub(super) fn expr(&self, expr: &Expr) -> Shape {
        without_minus(sum_shape(self, &of_quotients(self.fold(expr))))
    }

    pub(super) fn cond(&self, cond: &Cond) -> Condition {
        match cond {
            Cond::True => Condition::Constant(true),
            Cond::False => Condition::Constant(false),
            Cond::NonNegative(e) => self.comparison(e, Relation::AtLeast, Relation::AtMost),
            Cond::Zero(e) => self.comparison(e, Relation::Equal, Relation::Equal),
            Cond::Divides(d, e) => Condition::Divides(self.expr(d), self.expr(e)),
            Cond::PowerOf(x, y) => Condition::PowerOf(self.expr(x), self.expr(y)),
            Cond::Not(inner) => match &**inner {
                Cond::NonNegative(e) => self.comparison(e, Relation::Less, Relation::Greater),
                Cond::Zero(e) => self.comparison(e, Relation::NotEqual, Relation::NotEqual),
                other => Condition::Not(Box::new(self.cond(other))),
            },
            Cond::And(parts) => Condition::And(parts.iter().map(|c| self.cond(c)).collect()),
            Cond::Or(parts) => Condition::Or(parts.iter().map(|c| self.cond(c)).collect()),
        }
    }

    /// e related to 0, as two sides without minus signs; the plainer side on the left.
    fn comparison(&self, e: &Expr, relation: Relation, reversed: Relation) -> Condition {
        let e = self.fold(e);
        let (positive, negative): (Vec<Term>, Vec<Term>) = e
            .terms()
            .iter()
            .cloned()
            .partition(|(m, c)| reads_positive(m, c));
        let (left, right) = (Expr::from_terms(positive), Expr::from_terms(negative).neg());
        let of_machine = |value: &Expr| {
            let symbols = value.symbols();
            let mut names = symbols.iter().map(|symbol| &*symbol.name);
            names.all(|name| MACHINE_NAMES.contains(&name))
        };
        let swaps = left.as_rational().is_some() || of_machine(&left) && !of_machine(&right);
        let side = |value: &Expr| sum_shape(self, value);
        if swaps {
            Condition::Compare(side(&right), reversed, side(&left))
        } else {
            Condition::Compare(side(&left), relation, side(&right))
        }
    }

    /// The value of a name: its definition, where the program has one.
    pub(super) fn meant_by(&self, symbol: &Symbol) -> Expr {
        let definition = self.definition(symbol).cloned();
        definition.unwrap_or_else(|| Expr::symbol(symbol))
    }

    /// What a name of the program stands for.
    fn definition(&self, symbol: &Symbol) -> Option<&Expr> {
        let mut folded = self.folded.iter().filter(|(name, _)| name == symbol);
        folded.next().map(|(_, value)| value)
    }

    /// Replaces what definitions stand for by their names.
    fn fold(&self, expr: &Expr) -> Expr {
        let mut result = expr.clone();
        for (symbol, definition) in &self.folded {
            result = fold_one(&result, symbol, definition);
        }
        result
    }
}

/// (5 - min(4, m))·k rather than -(min(4, m) - 5)·k: a minus in front of everything goes into the first factor
/// that has both signs.
fn without_minus(shape: Shape) -> Shape {
    let Shape::Sum(mut terms) = shape else {
        return shape;
    };
    if let Some((sign @ Sign::Minus, Shape::Product(factors, _))) = terms.first_mut()
        && let Some(turned) = factors.iter_mut().find_map(with_both_signs)
    {
        for (sign, _) in turned.iter_mut() {
            *sign = sign.opposite();
        }
        turned.sort_by_key(|(sign, _)| *sign == Sign::Minus);
        *sign = Sign::Plus;
    }
    match &mut terms[..] {
        [(Sign::Plus, only)] => std::mem::replace(only, Shape::Number(BigInt::ZERO)),
        _ => Shape::Sum(terms),
    }
}

/// The terms of a sum that has both signs.
fn with_both_signs(shape: &mut Shape) -> Option<&mut Vec<(Sign, Shape)>> {
    let Shape::Sum(terms) = shape else {
        return None;
    };
    let has = |wanted: Sign| terms.iter().any(|(sign, _)| *sign == wanted);
    (has(Sign::Plus) && has(Sign::Minus)).then_some(terms)
}

/// The names in a shape, for the writer of text.
pub(crate) fn names_in(shape: &Shape, names: &mut HashSet<String>) {
    let mut visit = |shape: &Shape| names_in(shape, names);
    match shape {
        Shape::Name(name) => {
            names.insert(name.name.to_string());
        }
        Shape::Number(_) | Shape::Bracket(_) => {}
        Shape::Sum(parts) => parts.iter().for_each(|(_, part)| visit(part)),
        Shape::Product(over, under) => over.iter().chain(under).for_each(visit),
        Shape::Power(x, y) | Shape::Log(x, y) => {
            visit(x);
            visit(y);
        }
        Shape::SquareRoot(x) | Shape::Floor(x) | Shape::Ceiling(x) => visit(x),
        Shape::Call(_, items) => items.iter().for_each(visit),
        Shape::Total(_, x, y, z) => {
            visit(x);
            visit(y);
            visit(z);
        }
    }
}
