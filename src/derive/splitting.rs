//! Searches for a guard with `∨` that makes a total inexact, by splitting it into two guards.
//!
//! Of `if j < 2 ∨ j ≥ b - 2` the active cores are no interval, so what they touch is only bounded. Behind `if j < 2`
//! and `if j ≥ b - 2 ∧ ¬(j < 2)` they are one each, at the price of a second guard.

use crate::count::{Parameters, Quantity};
use crate::derivation::Derivation;
use crate::derive::agreement;
use crate::derive::closing::{TRIAL, is_decided_by_data};
use crate::program::{Condition, ConditionKind, HostStmt, Program, Stmt, StmtKind, WrapperStmt};
use crate::room::with_room;
use crate::symbolic::{self, Charging};

/// Limit on the guards tried.
const MOST_GUARDS: usize = 4;

/// A guard to split, and the result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Splitting {
    /// The line of the guard.
    pub line: usize,
    /// The two guards as written in a program.
    pub guards: [String; 2],
    /// The totals that become exact.
    pub exact: Vec<Quantity>,
}

/// Returns the first guard with `∨` whose split makes some total exact. `None` if all totals are exact or decided by
/// data, or if no split helps.
///
/// ```
/// use atgpu::derive::{derive, splitting};
///
/// let text = "algorithm Edges(n)\n  require n ≥ 1 ∧ b ≥ 8\n  input A[n·b]\n  global a[n·b]\n  shared _x[b]\n  \
///             a ⇚ A\n  for all mp_i ∈ MP[0..n-1] in parallel do\n    \
///             for all c_{i,j} ∈ C_i in parallel do\n      if j < 2 ∨ j ≥ b - 2 then\n        \
///             _x[j] ⇐ a[j·n + i]\n      end if\n    end for\n  end for\n";
/// let program = atgpu::program(text)?;
/// let derivation = derive(&program, &().into());
/// let found = splitting(&program, &().into(), &derivation).expect("the rows touched are two and two");
/// assert_eq!((found.line, found.guards), (9, ["j < 2", "j ≥ b - 2 ∧ ¬(j < 2)"].map(String::from)));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn splitting(
    program: &Program,
    given: &Parameters,
    derivation: &Derivation,
) -> Option<Splitting> {
    let totals = derivation.totals.all().into_iter();
    let missing = totals
        .filter(|(which, total)| !total.is_exact() && !is_decided_by_data(derivation, *which));
    let missing: Vec<Quantity> = missing.map(|(which, _)| which).collect();
    if missing.is_empty() || !derivation.contradictions.is_empty() {
        return None;
    }
    (0..MOST_GUARDS).find_map(|at| {
        let mut split = program.clone();
        let mut splitter = Splitter {
            left: at,
            split: None,
        };
        splitter.host(&mut split.body);
        let found = splitter.split?;
        let walked = with_room(|| symbolic::walked(&split, given, Charging::default(), TRIAL));
        let totals = walked.derivation.totals.all().into_iter();
        let exact = totals.filter(|(which, total)| total.is_exact() && missing.contains(which));
        let exact: Vec<Quantity> = exact.map(|(which, _)| which).collect();
        let is_sound = || {
            let compared = agreement::compare(&split, given, &walked.derivation);
            compared.contradictions.is_empty()
        };
        (!exact.is_empty() && is_sound()).then(|| Splitting {
            line: program.line(found.whole.span),
            guards: found.text(program),
            exact,
        })
    })
}

/// Splits one guard of a program.
struct Splitter {
    /// The guards with `∨` to leave as they are, before the one to split.
    left: usize,
    /// The guard that was split.
    split: Option<Alternative>,
}

/// A guard `whole`, in which `first ∨ second` is one of the conjuncts.
struct Alternative {
    whole: Condition,
    first: Condition,
    second: Condition,
}

impl Splitter {
    fn host(&mut self, body: &mut [HostStmt]) {
        for statement in body {
            match statement {
                HostStmt::Kernel(kernel) => {
                    for part in &mut kernel.body {
                        if let WrapperStmt::Cores(cores) = part {
                            self.block(&mut cores.body);
                        }
                    }
                }
                HostStmt::For(host_for) => self.host(&mut host_for.body),
                HostStmt::While(host_while) => self.host(&mut host_while.body),
                HostStmt::Execute(execute) => self.host(&mut execute.body),
                HostStmt::Transfer(_) | HostStmt::Let(_) | HostStmt::Swap(_) => {}
            }
        }
    }

    fn block(&mut self, statements: &mut Vec<Stmt>) {
        let mut at = 0;
        while at < statements.len() && self.split.is_none() {
            if let Some([first, second]) = self.guard(&statements[at]) {
                statements.splice(at..=at, [first, second]);
                return;
            }
            match &mut statements[at].kind {
                StmtKind::If { body, .. }
                | StmtKind::For { body, .. }
                | StmtKind::While { body, .. } => self.block(body),
                _ => {}
            }
            at += 1;
        }
    }

    /// The two statements that take the place of one, if it is the guard to split.
    fn guard(&mut self, statement: &Stmt) -> Option<[Stmt; 2]> {
        let StmtKind::If { condition, body } = &statement.kind else {
            return None;
        };
        let [first, second] = alternatives(condition)?;
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        let guarded = |part: Condition| Stmt {
            kind: StmtKind::If {
                condition: put(condition, &part),
                body: body.clone(),
            },
            ..statement.clone()
        };
        let only = |kind| Condition {
            kind,
            span: condition.span,
        };
        let not_first = only(ConditionKind::Not(Box::new(first.clone())));
        let rest = only(ConditionKind::And(
            Box::new(second.clone()),
            Box::new(not_first),
        ));
        self.split = Some(Alternative {
            whole: condition.clone(),
            first: first.clone(),
            second: second.clone(),
        });
        Some([guarded(first.clone()), guarded(rest)])
    }
}

/// Both sides of the first `∨` among the conjuncts of a condition.
fn alternatives(condition: &Condition) -> Option<[&Condition; 2]> {
    match &condition.kind {
        ConditionKind::Or(first, second) => Some([first, second]),
        ConditionKind::And(left, right) => alternatives(left).or_else(|| alternatives(right)),
        _ => None,
    }
}

/// The condition with `part` in the place of that `∨`.
fn put(condition: &Condition, part: &Condition) -> Condition {
    let kind = match &condition.kind {
        ConditionKind::And(left, right) if alternatives(left).is_some() => {
            ConditionKind::And(Box::new(put(left, part)), right.clone())
        }
        ConditionKind::And(left, right) => {
            ConditionKind::And(left.clone(), Box::new(put(right, part)))
        }
        _ => return part.clone(),
    };
    Condition {
        kind,
        span: condition.span,
    }
}

impl Alternative {
    /// The two guards as text: what stands beside the `∨`, with one of its sides.
    fn text(&self, program: &Program) -> [String; 2] {
        let text = |condition: &Condition| program.source.slice(condition.span).trim().to_owned();
        let [first, second] = [&self.first, &self.second].map(text);
        let bracketed = |side: &Condition, text: &str| match side.kind {
            ConditionKind::Or(..) => format!("({text})"),
            _ => text.to_owned(),
        };
        let mut beside = Vec::new();
        conjuncts(&self.whole, &mut beside);
        let beside = beside.into_iter().map(text);
        let beside: String = beside.map(|text| format!("{text} ∧ ")).collect();
        [
            format!("{beside}{}", bracketed(&self.first, &first)),
            format!("{beside}{} ∧ ¬({first})", bracketed(&self.second, &second)),
        ]
    }
}

/// The conjuncts beside the `∨` that is split.
fn conjuncts<'c>(condition: &'c Condition, found: &mut Vec<&'c Condition>) {
    match &condition.kind {
        ConditionKind::And(left, right) if alternatives(left).is_some() => {
            conjuncts(left, found);
            found.push(right);
        }
        ConditionKind::And(left, right) => {
            found.push(left);
            conjuncts(right, found);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::derive;

    fn split(guard: &str, access: &str) -> Option<Splitting> {
        let text = format!(
            "algorithm Edges(n)\n  require n ≥ 1 ∧ b ≥ 8\n  input A[n·b]\n  global a[n·b]\n  shared _x[b]\n  \
             a ⇚ A\n  for all mp_i ∈ MP[0..n-1] in parallel do\n    \
             for all c_{{i,j}} ∈ C_i in parallel do\n      if {guard} then\n        \
             _x[j] ⇐ {access}\n      end if\n    end for\n  end for\n"
        );
        let program = crate::program(&text).expect("sound");
        let derivation = derive(&program, &Parameters::new());
        splitting(&program, &Parameters::new(), &derivation)
    }

    #[test]
    fn a_guard_is_split_where_that_is_exact() {
        let found = split("i < n ∧ (j < 2 ∨ j ≥ b - 2)", "a[j·n + i]").expect("exact then");
        assert_eq!(found.exact, [Quantity::Io]);
        let guards = ["i < n ∧ j < 2", "i < n ∧ j ≥ b - 2 ∧ ¬(j < 2)"];
        assert_eq!(found.guards, guards);
        // The row that is loaded is not linear in the core behind any guard.
        assert_eq!(split("j < 2 ∨ j ≥ b - 2", "a[(j·j·i) mod n]"), None);
        // Both sides are the same for all cores, and counted case by case as they are.
        assert_eq!(split("i < 2 ∨ i ≥ n - 2", "a[j·n + i]"), None);
    }
}
