//! Rewriting under facts: every atom is rebuilt from simplified parts and then decided or reduced
//! where the facts allow.

use std::sync::Arc;

use crate::sym::Expr;
use crate::sym::expr::types::{Atom, Sum};
use crate::sym::facts::knowledge::Facts;
use crate::sym::prove::decide;
use crate::sym::simplify::brackets;
use crate::sym::simplify::extremes;
use crate::sym::simplify::functions;
use crate::sym::simplify::powers;
use crate::sym::simplify::rule::{self, Rule};
use crate::sym::sum::range::Range;

/// Rewriting stops when nothing changes; this only bounds the unforeseen.
const MOST_PASSES: usize = 4;

/// What is done to the whole, once its atoms are simplified.
pub(crate) const STEPS: &[Rule<Expr, Expr>] = &[
    Rule {
        name: "2^L·b^L = n with L = log_{2b} n",
        rewrite: powers::join_powers,
    },
    Rule {
        name: "⌊x⌋ + ⌊−x⌋ = [x is whole] − 1",
        rewrite: brackets::join_floor_and_ceiling,
    },
    Rule {
        name: "⌈(p + 1)/d⌉ = ⌊p/d⌋ + 1",
        rewrite: brackets::join_neighbours,
    },
    Rule {
        name: "⌈x⌉ = ⌊x⌋ + [x is not whole] in products",
        rewrite: brackets::part_floor_and_ceiling,
    },
    Rule {
        name: "[c] + [not c] = 1",
        rewrite: brackets::join_complements,
    },
    Rule {
        name: "p/q − p/q = 0 over one denominator",
        rewrite: cancel_denominators,
    },
];

/// [`Facts::simplify`].
pub(crate) fn simplify(facts: &Facts, expr: &Expr) -> Expr {
    if expr.is_plain() {
        return expr.clone();
    }
    if let Some(known) = facts.memory().forms.get(expr) {
        return known;
    }
    facts.spend(expr.terms().len() as u64);
    if facts.is_exhausted() {
        return expr.clone();
    }
    let mut current = expr.clone();
    for _ in 0..MOST_PASSES {
        let next = simplify_once(facts, &current);
        if next == current {
            break;
        }
        current = next;
    }
    // What an unsolved sum becomes is remembered with the sum, when it is known.
    if decide::is_at_leisure(facts) && expr.is_closed() {
        facts.memory().forms.insert(expr.clone(), current.clone());
    }
    current
}

fn simplify_once(facts: &Facts, expr: &Expr) -> Expr {
    let rewritten = expr.replace(&|atom| match atom {
        Atom::Symbol(_) => None,
        Atom::Sum(sum) => simplify_sum(facts, sum),
        other => rewritten(facts, other),
    });
    rule::all(STEPS, facts, &rewritten)
}

/// What an atom becomes that is neither a name nor an unsolved sum; `None` where it stays.
fn rewritten(facts: &Facts, atom: &Atom) -> Option<Expr> {
    let known = &facts.memory().atoms;
    if let Some(known) = known.get(atom) {
        return known;
    }
    let value = match atom {
        Atom::Bracket(cond) => {
            let simpler = facts.simplify_cond(cond);
            (simpler != **cond).then(|| Expr::bracket(simpler))
        }
        other => {
            let rebuilt = other.rebuild(&|child| facts.simplify(child));
            match rebuilt.as_atom() {
                Some(same) if same == other => simplify_atom(facts, other),
                Some(same) => simplify_atom(facts, same).or(Some(rebuilt)),
                None => Some(rebuilt.replace(&|inner| simplify_atom(facts, inner))),
            }
        }
    };
    if decide::is_at_leisure(facts) && !facts.is_exhausted() && atom.is_closed() {
        known.insert(atom.clone(), value.clone());
    }
    value
}

/// The value of an atom with simplified parts, where it has a simpler one.
fn simplify_atom(facts: &Facts, atom: &Atom) -> Option<Expr> {
    match atom {
        Atom::Floor(x) => {
            let simpler = facts.simplify_floor(x);
            (simpler.as_atom() != Some(atom)).then_some(simpler)
        }
        Atom::Min(_) | Atom::Max(_) => rule::first(extremes::RULES, facts, atom),
        Atom::Gcd(..)
        | Atom::DigitSum(..)
        | Atom::FloorSum(_)
        | Atom::Power(..)
        | Atom::Log(..) => rule::first(functions::RULES, facts, atom),
        Atom::Symbol(_) | Atom::Bracket(_) | Atom::Inverse(_) | Atom::Sum(_) => None,
    }
}

/// Tries an unsolved sum under these facts, once.
fn simplify_sum(facts: &Facts, sum: &Arc<Sum>) -> Option<Expr> {
    if let Some(known) = facts.memory().sums.get(sum) {
        return known;
    }
    let inside = facts.within_sum()?;
    // While it is being solved, the sum stands for itself.
    facts.memory().sums.insert(sum.clone(), None);
    let solved = solve_sum(&inside, sum);
    facts.memory().sums.insert(sum.clone(), solved.clone());
    solved
}

fn solve_sum(facts: &Facts, sum: &Arc<Sum>) -> Option<Expr> {
    let (variable, body) = facts.open(sum);
    let range = Range {
        variable,
        low: facts.simplify(&sum.low),
        high: facts.simplify(&sum.high),
    };
    let body = facts.with(&range.inside()).simplify(&body);
    let solved = facts.sum(&range.variable, &range.low, &range.high, &body);
    (solved.as_atom() != Some(&Atom::Sum(sum.clone()))).then_some(solved)
}

/// Tries to do without the inverses: the quotient may come out exact once everything is over
/// one denominator.
fn cancel_denominators(facts: &Facts, expr: &Expr) -> Expr {
    let inverses = expr
        .atoms()
        .into_iter()
        .filter(|atom| matches!(atom, Atom::Inverse(_)))
        .count();
    if inverses == 0 {
        return expr.clone();
    }
    match facts.cleared(expr) {
        Some(cleared) if cleared.is_zero() => Expr::zero(),
        _ => expr.clone(),
    }
}
