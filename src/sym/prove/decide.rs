//! Decides conditions under facts. Sound and incomplete: an answer is a proof, a missing answer
//! means nothing.
//!
//! Answers are remembered. A condition that fails at a point where all facts hold is not searched
//! for. Inequalities are questions of [`sign`](crate::sym::prove::sign).

use crate::sym::expr::types::Atom;
use crate::sym::facts::knowledge::Facts;
use crate::sym::{Cond, Expr};

/// [`Facts::prove`].
pub(crate) fn prove(facts: &Facts, cond: &Cond) -> Option<bool> {
    match cond {
        Cond::True => return Some(true),
        Cond::False => return Some(false),
        _ => {}
    }
    if let Some(answer) = remembered(facts, cond) {
        return answer;
    }
    facts.spend(1);
    if facts.is_exhausted() {
        return None;
    }
    // A failure is remembered only if the budget was not its cause. Otherwise a proof cut short
    // deep inside another one would answer "unknown" to a later question with its full budget.
    let answer = decide(facts, cond);
    if answer.is_some() || failed_with_budget(facts) {
        remember(facts, cond, answer);
    }
    answer
}

/// [`Facts::proves`].
pub(crate) fn proves(facts: &Facts, cond: &Cond) -> bool {
    if let Some(answer) = remembered(facts, cond) {
        return answer == Some(true);
    }
    // `prove` would go on to ask if the condition fails everywhere. Nobody here needs that
    // answer, and it would cost a second search.
    if fails_somewhere(facts, cond) {
        facts.spend(1);
        return false;
    }
    facts.prove(cond) == Some(true)
}

/// Returns true if a point at which all facts hold refutes the condition.
fn fails_somewhere(facts: &Facts, cond: &Cond) -> bool {
    let models = &facts.known().models;
    match cond {
        Cond::NonNegative(value) => models.refute_sign(value, false),
        Cond::Zero(value) => {
            models.refute_sign(value, false) || models.refute_sign(&value.neg(), false)
        }
        Cond::Not(inner) => match &**inner {
            Cond::NonNegative(value) => models.refute_sign(&value.neg(), true),
            _ => false,
        },
        _ => false,
    }
}

/// Returns the remembered answer. A failure at some depth of nested proofs also holds for deeper
/// ones, which have less budget, but not for shallower ones.
fn remembered(facts: &Facts, cond: &Cond) -> Option<Option<bool>> {
    let (answer, depth) = facts.memory().proofs.get(cond)?;
    (answer.is_some() || depth <= facts.nesting().proofs()).then_some(answer)
}

fn remember(facts: &Facts, cond: &Cond, answer: Option<bool>) {
    let depth = facts.nesting().proofs();
    facts.memory().proofs.insert(cond.clone(), (answer, depth));
}

/// Returns true if no proof is under way, so that the present question has the whole budget.
pub(crate) fn is_at_leisure(facts: &Facts) -> bool {
    facts.nesting().proofs() == 0
}

fn decide(facts: &Facts, cond: &Cond) -> Option<bool> {
    if is_constant(cond)
        && let Ok(answer) = cond.evaluate(&|_| None)
    {
        return Some(answer);
    }
    if let Some(answer) = decide_by_literals(facts, cond) {
        return Some(answer);
    }
    let answer = match cond {
        Cond::True => Some(true),
        Cond::False => Some(false),
        Cond::NonNegative(e) => {
            if facts.is_non_negative(e) {
                Some(true)
            } else if facts.is_positive(&e.neg()) {
                Some(false)
            } else {
                None
            }
        }
        Cond::Zero(e) => decide_zero(facts, e),
        Cond::Divides(d, e) => decide_divides(facts, d, e),
        Cond::PowerOf(x, y) => decide_power(facts, x, y),
        Cond::Not(inner) => facts.prove(inner).map(|answer| !answer),
        Cond::And(parts) => {
            let answers: Vec<_> = parts.iter().map(|part| facts.prove(part)).collect();
            if answers.contains(&Some(false)) {
                Some(false)
            } else {
                (!answers.contains(&None)).then_some(true)
            }
        }
        Cond::Or(parts) => {
            let answers: Vec<_> = parts.iter().map(|part| facts.prove(part)).collect();
            if answers.contains(&Some(true)) {
                Some(true)
            } else {
                (!answers.contains(&None)).then_some(false)
            }
        }
    };
    answer.or_else(|| decide_by_cases(facts, cond))
}

/// Returns true if a condition has no symbol: sqrt(99) ≥ 2.
fn is_constant(cond: &Cond) -> bool {
    let mut is_constant = true;
    cond.for_each_expr(&mut |value| is_constant &= value.summary().is_constant());
    is_constant
}

/// Decides a condition that is assumed word for word, or the opposite of an assumed one.
fn decide_by_literals(facts: &Facts, cond: &Cond) -> Option<bool> {
    let opposite = cond.clone().negate();
    for (literal, source) in &facts.known().literals {
        if literal == cond || *literal == opposite {
            facts.mark_used(&[*source]);
            return Some(literal == cond);
        }
    }
    None
}

/// Decides a condition in each case of an assumed alternative. All cases have to agree.
fn decide_by_cases(facts: &Facts, cond: &Cond) -> Option<bool> {
    // Only at the outermost level: each case copies the facts and proves anew, and within nested
    // proofs the copies would multiply. From "n = 1 or n ≥ b" and "b ≥ 1" the first case shows n
    // ≥ 1, and so does the second.
    if facts.nesting().proofs() > 0 {
        return None;
    }
    for (literal, source) in &facts.known().literals {
        let Cond::Or(parts) = literal else {
            continue;
        };
        let mut answers = parts.iter().map(|part| facts.with(part).prove(cond));
        let first = answers.next().flatten()?;
        if answers.all(|answer| answer == Some(first)) {
            facts.mark_used(&[*source]);
            return Some(first);
        }
    }
    None
}

fn decide_zero(facts: &Facts, e: &Expr) -> Option<bool> {
    // e = 0 is two inequalities. Before them come the cheap ways: the cleared form vanishes, or e
    // has a strict sign, which refutes it.
    if e.is_zero() || facts.cleared(e).is_some_and(|cleared| cleared.is_zero()) {
        return Some(true);
    }
    if facts.is_positive(e) || facts.is_positive(&e.neg()) {
        return Some(false);
    }
    (facts.is_non_negative(e) && facts.is_non_negative(&e.neg())).then_some(true)
}

fn decide_divides(facts: &Facts, d: &Expr, e: &Expr) -> Option<bool> {
    // d ∣ e is the question if e/d is whole. It is refuted by a positive remainder: e − d·⌊e/d⌋,
    // with the floor simplified under the facts. For e = 4b + 1 and d = b ≥ 2 the floor is 4, and
    // the remainder 1 > 0.
    let quotient = e.div(d)?;
    let is_positive = facts.is_positive(d);
    if is_positive && facts.is_integer(&quotient) {
        return Some(true);
    }
    if !is_positive || !facts.is_integer(d) || !facts.is_integer(e) {
        return None;
    }
    let remainder = e - (d * facts.simplify_floor(&quotient));
    if remainder.is_zero() {
        return Some(true);
    }
    facts.is_positive(&remainder).then_some(false)
}

fn decide_power(facts: &Facts, x: &Expr, y: &Expr) -> Option<bool> {
    // x is a power of y if log_y x is a whole number ≥ 0. The form may split the logarithm:
    // log2(4n) = 2 + log2 n. Each logarithm left in it must come from a known fact, for only
    // these are known to be whole.
    let log = Expr::log(y, x);
    let is_known = !log.has_atom(&|atom| match atom {
        Atom::Log(base, inner) => !facts
            .known()
            .powers
            .iter()
            .any(|(px, py, _)| px == inner && py == base),
        _ => false,
    });
    let holds = is_known
        && facts.is_integer(&log)
        && facts.proves(&Cond::non_negative(&log))
        && facts.proves(&Cond::ge(y, &Expr::int(2)));
    holds.then_some(true)
}

/// Returns true if a failure now is not for want of budget. A failure for want of budget says
/// nothing about a proof with more of it.
pub(crate) fn failed_with_budget(facts: &Facts) -> bool {
    !facts.is_exhausted() && (facts.nesting().proofs() == 0 || facts.nesting().has_nodes())
}
