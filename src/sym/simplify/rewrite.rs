//! Rewriting under facts: every atom is rebuilt from simplified parts, then decided or reduced if
//! the facts allow it.

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

/// The most passes. Rewriting stops when nothing changes, so the limit only stops unforeseen
/// loops.
const MOST_PASSES: usize = 4;

/// The steps for a whole expression, once its atoms are simplified.
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
        name: "max(x + c, y + c) + min(x, y) = x + y + c",
        rewrite: extremes::join_equal_comparisons,
    },
    Rule {
        name: "p/q − p/q = 0 over one denominator",
        rewrite: cancel_denominators,
    },
];

/// [`Facts::simplify`].
pub(crate) fn simplify(facts: &Facts, expr: &Expr) -> Expr {
    // Passes to a fixed point: a decided bracket may make a floor's inside whole, which the next
    // pass sees. Results go into the memo only if no proof was under way. Within one, nested
    // proofs are cut short, and a form that stayed for want of budget must not stay for ever.
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
    // A sum under solution stands for itself for the moment. `simplify_sum` remembers its result.
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

/// Returns the new value of an atom that is neither a symbol nor an unsolved sum; `None` if it
/// stays.
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

/// Returns the simpler value of an atom with simplified parts, if there is one.
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

/// Tries to solve an unsolved sum under these facts, once.
fn simplify_sum(facts: &Facts, sum: &Arc<Sum>) -> Option<Expr> {
    if let Some(known) = facts.memory().sums.get(sum) {
        return known;
    }
    let inside = facts.within_sum()?;
    // Solving may meet the same sum again. It then stands for itself, which ends the recursion.
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

/// Returns 0 if everything over one denominator cancels; otherwise leaves the inverses.
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
