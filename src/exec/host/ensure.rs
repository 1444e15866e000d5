//! `require`s on data before the execution, `ensure`s after it, and what shows that one fails.

use crate::diag::Diagnostic;
use crate::exec::error::{Error, Result};
use crate::exec::host::context::HostContext;
use crate::exec::{EnsureResult, Witness};
use crate::meaning::eval::{self, Bound, Connectives, Leaves};
use crate::program::{
    Condition, ConditionKind, Formula, FormulaCondition, NumberKind, Over, Requirement,
};

/// Tests the `require`s that read data.
pub(crate) fn test_requires(context: &mut HostContext<'_>, requires: &[Requirement]) -> Result<()> {
    for require in requires.iter().filter(|require| require.reads_data) {
        if !eval::condition(context, &require.condition, Connectives::ShortCircuit)? {
            return Err(Box::new(Error::RequireViolated {
                text: context.program().clause(require.span).to_owned(),
                witnesses: explain(context, &require.condition)?,
                span: require.span,
            }));
        }
    }
    Ok(())
}

/// Tests every `ensure`; the diagnostics of those that fail or cannot be evaluated stand beside
/// the results.
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
                result.counterexample = explain(context, &ensure.condition)?;
                diagnostics.push(
                    Error::EnsureFailed {
                        text: result.text.clone(),
                        witnesses: result.counterexample.clone(),
                        span: ensure.span,
                    }
                    .into(),
                );
            }
            Err(stopped) if matches!(*stopped, Error::Stopped) => return Err(stopped),
            Err(fault) => diagnostics.push((*fault).into()),
        }
        results.push(result);
    }
    Ok((results, diagnostics))
}

/// The values that make a condition false, as far as they can be told: those of the variables
/// that ∀ binds, and of the operands of the comparison that fails.
fn explain(context: &mut HostContext<'_>, condition: &Condition<Formula>) -> Result<Vec<Witness>> {
    let mut values = Vec::new();
    let mut at = condition;
    loop {
        let holds = |context: &mut dyn Leaves<Stop = Box<Error>>, expr: &Condition<Formula>| {
            eval::condition(context, expr, Connectives::ShortCircuit)
        };
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
                // Leaves the binders bound to the first values for which the body fails.
                let how = (at.span, Connectives::ShortCircuit);
                eval::over(context, binders, how, &mut |context| {
                    context.tick(1, Bound::Innermost, at.span)?;
                    Ok(!holds(context, body)?)
                })?;
                for binder in binders {
                    let name = context.program().parameter(binder.parameter).name.clone();
                    let value = context.parameter(binder.parameter)?.to_string();
                    values.push(Witness::Bound { name, value });
                }
                body
            }
            ConditionKind::Compare { operands, .. }
            | ConditionKind::Only(FormulaCondition::About { operands, .. }) => {
                for operand in operands {
                    if matches!(operand.kind, NumberKind::Integer(_) | NumberKind::Float(_)) {
                        continue;
                    }
                    let value = eval::number(context, operand, Connectives::ShortCircuit)?;
                    let text = context.program().source.slice(operand.span).to_owned();
                    let value = value.to_string();
                    let (name, bound) = (text.clone(), value.clone());
                    if !values.contains(&Witness::Bound { name, value: bound }) {
                        values.push(Witness::Operand { text, value });
                    }
                }
                return Ok(values);
            }
            ConditionKind::Or(..)
            | ConditionKind::Not(_)
            | ConditionKind::Only(FormulaCondition::Exists(_)) => return Ok(values),
        };
    }
}
