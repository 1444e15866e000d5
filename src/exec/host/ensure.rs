//! `require`s on data before the execution, `ensure`s after it, and what shows that one fails.

use crate::diag::Diagnostic;
use crate::exec::EnsureResult;
use crate::exec::error::{Error, Result};
use crate::exec::mp::Connectives;
use crate::exec::reference::eval::{self, Context};
use crate::program::{
    Condition, ConditionKind, Formula, FormulaCondition, NumberKind, Over, Program, Requirement,
};

/// Tests the `require`s that read data.
pub(crate) fn test_requires(context: &mut dyn Context, requires: &[Requirement]) -> Result<()> {
    for require in requires.iter().filter(|require| require.reads_data) {
        if !eval::condition(context, &require.condition, Connectives::ShortCircuit)? {
            return Err(Box::new(Error::RequireViolated {
                text: text(context.program(), require),
                values: shown(explain(context, &require.condition)?),
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
    context: &mut dyn Context,
    ensures: &[Requirement],
) -> Result<(Vec<EnsureResult>, Vec<Diagnostic>)> {
    let mut results = Vec::new();
    let mut diagnostics = Vec::new();
    for ensure in ensures {
        let mut result = EnsureResult {
            text: text(context.program(), ensure),
            line: context.program().line(ensure.span),
            holds: false,
            counterexample: None,
        };
        match eval::condition(context, &ensure.condition, Connectives::ShortCircuit) {
            Ok(true) => result.holds = true,
            Ok(false) => {
                let values = explain(context, &ensure.condition)?;
                diagnostics.push(
                    Error::EnsureFailed {
                        text: result.text.clone(),
                        values: shown(values.clone()),
                        span: ensure.span,
                    }
                    .into(),
                );
                result.counterexample = Some(values.join(", ")).filter(|text| !text.is_empty());
            }
            Err(stopped) if matches!(*stopped, Error::Stopped) => return Err(stopped),
            Err(fault) => diagnostics.push((*fault).into()),
        }
        results.push(result);
    }
    Ok((results, diagnostics))
}

/// The line as written, without its keyword.
fn text(program: &Program, requirement: &Requirement) -> String {
    let line = program.source.slice(requirement.span).trim();
    let rest = line
        .strip_prefix("ensure")
        .or_else(|| line.strip_prefix("require"));
    rest.unwrap_or(line).trim().to_owned()
}

fn shown(values: Vec<String>) -> String {
    if values.is_empty() {
        return String::new();
    }
    format!(": {}", values.join(", "))
}

/// The values that make a condition false, as far as they can be told: those of the variables
/// that ∀ binds, and of the operands of the comparison that fails.
fn explain(context: &mut dyn Context, condition: &Condition<Formula>) -> Result<Vec<String>> {
    let mut values = Vec::new();
    let mut at = condition;
    loop {
        let holds = |context: &mut dyn Context, expr: &Condition<Formula>| {
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
                eval::over(context, binders, &mut |context| {
                    context.tick(1)?;
                    Ok(!holds(context, body)?)
                })?;
                for binder in binders {
                    let name = &context.program().parameter(binder.parameter).name;
                    values.push(format!("{name} = {}", context.parameter(binder.parameter)));
                }
                body
            }
            ConditionKind::Compare { operands, .. } => {
                for operand in operands {
                    if matches!(operand.kind, NumberKind::Integer(_) | NumberKind::Float(_)) {
                        continue;
                    }
                    let value = eval::evaluate(context, operand, Connectives::ShortCircuit)?;
                    let text = context.program().source.slice(operand.span);
                    let known = format!("{text} = {value}");
                    if !values.contains(&known) {
                        values.push(format!("{text} is {value}"));
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
