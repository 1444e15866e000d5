//! Tests of `require`s on data before an execution and of `ensure`s after it, with the reasons
//! for a failure.

use crate::diag::Diagnostic;
use crate::exec::error::{Error, Result};
use crate::exec::host::context::HostContext;
use crate::exec::{EnsureResult, Witness};
use crate::meaning::arithmetic::relate;
use crate::meaning::eval::{self, Bound, Connectives, Leaves};
use crate::meaning::fault::Fault;
use crate::meaning::read_parameters;
use crate::meaning::value::Value;
use crate::program::{
    Binder, Condition, ConditionKind, Expr, Formula, FormulaCondition, Number, NumberKind, Over,
    ParamId, ParameterKind, Program, Requirement, StmtKind,
};
use crate::syntax::ast::{Comparison, Relation};
use crate::text::Span;

/// Tests the `require`s that read data. One that cannot be evaluated is told only where all others hold.
pub(crate) fn test_requires(context: &mut HostContext<'_>, requires: &[Requirement]) -> Result<()> {
    let mut outcome = Ok(());
    for require in requires.iter().filter(|require| require.reads_data) {
        match eval::condition(context, &require.condition, Connectives::ShortCircuit) {
            Ok(true) => {}
            Ok(false) => {
                return Err(Box::new(Error::RequireViolated {
                    text: context.program().clause(require.span).to_owned(),
                    witnesses: explain(context, &require.condition)?.witnesses,
                    span: require.span,
                }));
            }
            Err(fault) => outcome = outcome.and(Err(fault)),
        }
    }
    outcome
}

/// Tests every `ensure`. Diagnostics of those that fail or cannot be evaluated stand beside the
/// results.
///
/// # Errors
/// Only when the watcher stopped it.
pub(crate) fn test_ensures(
    context: &mut HostContext<'_>,
    ensures: &[Requirement],
) -> Result<(Vec<EnsureResult>, Vec<Diagnostic>)> {
    let mut results = Vec::new();
    let mut diagnostics = Vec::new();
    for ensure in ensures {
        let mut result = EnsureResult {
            text: context.program().clause(ensure.span).to_owned(),
            line: context.program().line(ensure.span),
            holds: false,
            counterexample: Vec::new(),
        };
        match eval::condition(context, &ensure.condition, Connectives::ShortCircuit) {
            Ok(true) => result.holds = true,
            Ok(false) => {
                let shown = explain(context, &ensure.condition)?;
                result.counterexample = shown.witnesses;
                diagnostics.push(
                    Error::EnsureFailed {
                        text: result.text.clone(),
                        witnesses: result.counterexample.clone(),
                        by_rounding: shown.by_rounding,
                        same_in_all: same_in_all(context.program()),
                        span: ensure.span,
                    }
                    .into(),
                );
            }
            Err(stopped) if matches!(*stopped, Error::Stopped) => return Err(stopped),
            Err(fault) => {
                let fault: Diagnostic = of_condition(*fault, &ensure.condition).into();
                result.counterexample = vec![Witness::NoTruth {
                    fault: fault.message.to_string(),
                }];
                diagnostics.push(fault);
            }
        }
        results.push(result);
    }
    Ok((results, diagnostics))
}

/// Rewords a fault met in a condition: an index outside its array has another remedy there than
/// in a transfer.
fn of_condition(fault: Error, condition: &Condition<Formula>) -> Error {
    let Error::Fault(Fault::BoundsHost {
        fact,
        place,
        span,
        declaration,
    }) = fault
    else {
        return fault;
    };
    let is_here = |part: Expr<'_, Formula>| {
        part.any(&mut |part| match part {
            Expr::Number(number) => number.span == span,
            Expr::Condition(_) => false,
        })
    };
    let in_select = Expr::from(condition).any(&mut |part| match part {
        Expr::Number(Number {
            kind: NumberKind::Select {
                then, otherwise, ..
            },
            ..
        }) => is_here((&**then).into()) || is_here((&**otherwise).into()),
        _ => false,
    });
    Error::Fault(Fault::BoundsFormula {
        fact,
        in_select,
        place,
        span,
        declaration,
    })
}

/// The reasons for a condition to be false.
#[derive(Default)]
struct Shown {
    /// Values of the variables bound by ∀ and of the operands of the failing comparison, as far
    /// as they can be told.
    witnesses: Vec<Witness>,
    /// True if that comparison is a float `=` whose sides differ by rounding alone.
    by_rounding: bool,
}

/// Finds the values that make a false condition false.
fn explain(context: &mut HostContext<'_>, condition: &Condition<Formula>) -> Result<Shown> {
    // Walks down one path of parts that are false: the false side of `∧`, the right side of `⇒`,
    // the body of `∀` at its first failing values, down to a comparison. A false `∨`, `¬` or `∃`
    // has no single culprit, so the walk ends there.
    let mut shown = Shown::default();
    let values = &mut shown.witnesses;
    let mut at = condition;
    loop {
        at = match &at.kind {
            ConditionKind::And(left, right) => {
                if holds(context, left)? {
                    right
                } else {
                    left
                }
            }
            ConditionKind::Only(FormulaCondition::Implies(_, right)) => right,
            ConditionKind::Only(FormulaCondition::ForAll(Over { binders, body })) => {
                bind_to_failure(context, (binders, body), at.span)?;
                for binder in binders {
                    let name = context.program().parameter(binder.parameter).name.clone();
                    let value = context.parameter(binder.parameter)?.to_string();
                    values.push(Witness::Bound { name, value });
                }
                body
            }
            ConditionKind::Compare { operands, .. }
            | ConditionKind::Only(FormulaCondition::About { operands, .. }) => {
                let mut sides = Vec::with_capacity(operands.len());
                for operand in operands {
                    let side = eval::number(context, operand, Connectives::ShortCircuit)?;
                    let literal =
                        matches!(operand.kind, NumberKind::Integer(_) | NumberKind::Float(_));
                    let text = context.program().source.slice(operand.span).to_owned();
                    let value = side.to_string();
                    sides.push(side);
                    let (name, bound) = (text.clone(), value.clone());
                    if !literal && !values.contains(&Witness::Bound { name, value: bound }) {
                        values.push(Witness::Operand { text, value });
                    }
                }
                if let ConditionKind::Compare { operators, .. } = &at.kind {
                    shown.by_rounding = differ_by_rounding(&sides, operators);
                }
                return Ok(shown);
            }
            ConditionKind::Or(..)
            | ConditionKind::Not(_)
            | ConditionKind::Only(FormulaCondition::Exists(_)) => return Ok(shown),
        };
    }
}

/// Returns the truth of a condition.
pub(super) fn holds(
    context: &mut dyn Leaves<Stop = Box<Error>>,
    condition: &Condition<Formula>,
) -> Result<bool> {
    eval::condition(context, condition, Connectives::ShortCircuit)
}

/// Binds the variables of a false `∀` to the first values for which its body fails.
pub(super) fn bind_to_failure(
    context: &mut dyn Leaves<Stop = Box<Error>>,
    (binders, body): (&[Binder<Formula>], &Condition<Formula>),
    span: Span,
) -> Result<()> {
    let how = (span, Connectives::ShortCircuit);
    eval::over(context, binders, how, &mut |context| {
        context.tick(1, Bound::Innermost, span)?;
        Ok(!holds(context, body)?)
    })?;
    Ok(())
}

/// Returns true if a failing chain of `=` would hold as a chain of `≈`.
fn differ_by_rounding(sides: &[Value], operators: &[Comparison]) -> bool {
    operators
        .iter()
        .all(|operator| *operator == Comparison::Equal)
        && sides
            .windows(2)
            .all(|pair| matches!(relate(Relation::About, &pair[0], &pair[1]), Ok(true)))
}

/// The line of the first load outside loops whose index is one of the core alone, as `a[j]` is, where several MPs run:
/// each of them reads the same words.
fn same_in_all(program: &Program) -> Option<usize> {
    let of_core = |id: &ParamId| program.parameter(*id).kind == ParameterKind::Core;
    let others = |id: &ParamId| {
        use ParameterKind::{Core, Formal, HeaderLet, Machine};
        !matches!(
            program.parameter(*id).kind,
            Core | Formal | HeaderLet | Machine
        )
    };
    let mut several = program.kernels().filter(|kernel| {
        let text = |number: &Number| program.source.slice(number.span).trim();
        kernel
            .mps
            .iter()
            .any(|range| text(&range.low) != text(&range.high))
    });
    several.find_map(|kernel| {
        let mut loads = kernel.statements().filter_map(|stmt| match &stmt.kind {
            StmtKind::Load { source, .. } => Some(source),
            _ => None,
        });
        let load = loads.find(|source| {
            let read: Vec<ParamId> = source.indices.iter().flat_map(read_parameters).collect();
            read.iter().any(of_core) && !read.iter().any(others)
        })?;
        Some(program.line(load.span))
    })
}
