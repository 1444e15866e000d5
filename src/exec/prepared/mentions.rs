//! The parameters that a kernel mentions: constants, registers, or open in a plan.

use std::borrow::Cow;

use crate::exec::batches::plan;
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, ConditionKind, Expr, Kernel, Number, NumberKind, PairFunction, ParamId, Type,
    Unary, WrapperStmt,
};
use crate::syntax::ast::Comparison;

/// Host values that a kernel mentions. There is no key if one of them is no word, and then
/// nothing kept is reused.
pub(super) type Key = Option<Vec<Option<i64>>>;

/// Parameters that a kernel mentions and a launch may change.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// The constants of the compiled form come first, then registers of it that are constants of
    /// plans, last the parameters that plans leave open too.
    pub parameters: Vec<ParamId>,
    /// Number of constants of the compiled form.
    pub folded: usize,
    /// Number of constants of plans.
    planned: usize,
}

/// The form in which a kernel's text needs a parameter, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// Part of a written value: a slot can hold it.
    Value,
    /// Part of a decision, an index or a bound: a register can hold it.
    Register,
    /// A constant only.
    Constant,
}

impl Mentions {
    pub(super) fn of(kernel: &Kernel, fixed: &[Option<Value>]) -> Mentions {
        let mut needs: Vec<(ParamId, Need)> = Vec::new();
        let mut visit = |expr: Expr<'_>, least: Need| {
            each_mention(expr, least, &mut |parameter, need| {
                if fixed[parameter.0 as usize].is_some() {
                    return;
                }
                match needs.iter_mut().find(|(known, _)| *known == parameter) {
                    Some((_, most)) => *most = need.max(*most),
                    None => needs.push((parameter, need)),
                }
            });
        };
        for stmt in &kernel.body {
            if let WrapperStmt::Let(binding) = stmt {
                visit((&binding.value).into(), Need::Register);
            }
        }
        for stmt in kernel.statements() {
            let parts = stmt.kind.parts();
            let of_values = match parts.write {
                Some(_) => Need::Value,
                None => Need::Register,
            };
            parts
                .values
                .iter()
                .for_each(|value| visit(*value, of_values));
            let indices = parts.places().flat_map(|word| &word.indices);
            indices.for_each(|index| visit(index.into(), Need::Register));
            if let Some(bound) = parts.at_most {
                visit(bound.into(), Need::Register);
            }
        }
        needs.sort_by_key(|(_, need)| std::cmp::Reverse(*need));
        let of = |least: Need| needs.iter().filter(|(_, need)| *need >= least).count();
        Mentions {
            folded: of(Need::Constant),
            planned: of(Need::Register),
            parameters: needs.iter().map(|(parameter, _)| *parameter).collect(),
        }
    }

    /// Returns the parameters that a plan leaves open at these values: all candidates if each is a
    /// word of moderate size, else none.
    pub(super) fn open_in_plans(&self, values: &[Option<Value>]) -> &[ParamId] {
        let open = &self.parameters[self.planned..];
        let fits = |parameter: &ParamId| match &values[parameter.0 as usize] {
            Some(Value::Whole(whole)) => plan::may_stay_open(*whole),
            Some(Value::Exact(_) | Value::Float(_)) | None => false,
        };
        if open.iter().all(fits) { open } else { &[] }
    }

    /// Returns the key of a plan that leaves `open` open.
    pub(super) fn key(&self, values: &[Option<Value>], open: &[ParamId]) -> Key {
        let value = |parameter: &ParamId| match &values[parameter.0 as usize] {
            None => Some(None),
            Some(Value::Whole(whole)) => Some(Some(*whole)),
            Some(Value::Exact(_) | Value::Float(_)) => None,
        };
        let held = self.parameters.len() - open.len();
        self.parameters[..held].iter().map(value).collect()
    }

    /// Returns the values without the words among `open`.
    pub(super) fn masked<'v>(
        &self,
        values: &'v [Option<Value>],
        open: &[ParamId],
    ) -> Cow<'v, [Option<Value>]> {
        let mut masked = Cow::Borrowed(values);
        for parameter in open {
            let at = parameter.0 as usize;
            if matches!(values[at], Some(Value::Whole(_))) {
                masked.to_mut()[at] = None;
            }
        }
        masked
    }
}

/// Calls `visit` on every parameter in an expression with the need for it there, which is at
/// least `least`. The need is `Constant` except under sums, products, whole quotients, choices
/// and comparisons of exact numbers.
fn each_mention(expr: Expr<'_>, least: Need, visit: &mut dyn FnMut(ParamId, Need)) {
    let of_words = |number: &Number| match number.ty {
        Type::Float => Need::Constant,
        Type::Number | Type::Int => least,
    };
    let least = match expr {
        Expr::Number(number) => match &number.kind {
            NumberKind::Parameter(parameter) => {
                return visit(*parameter, of_words(number));
            }
            // The parameters in its indices decide which word is read.
            NumberKind::Word(_) => Need::Register,
            NumberKind::Unary {
                operation: Unary::Floor | Unary::Ceil,
                operand: of,
            } if is_quotient(of) => {
                let least = of_words(number);
                return Expr::Number(of)
                    .each_operand(&mut |operand| each_mention(operand, least, visit));
            }
            NumberKind::Unary {
                operation: Unary::Negate | Unary::Abs,
                ..
            }
            | NumberKind::Pair {
                function: PairFunction::Bits(_),
                ..
            }
            | NumberKind::Extreme { .. }
            | NumberKind::Select { .. }
            | NumberKind::Bracket(_) => of_words(number),
            NumberKind::Binary { operator, .. } if is_of_words(*operator) => of_words(number),
            NumberKind::Integer(_)
            | NumberKind::Float(_)
            | NumberKind::Unary { .. }
            | NumberKind::Binary { .. }
            | NumberKind::Pair { .. }
            | NumberKind::Only(_) => Need::Constant,
        },
        Expr::Condition(condition) => match &condition.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let is_order = |operator: &Comparison| {
                    !matches!(operator, Comparison::Divides | Comparison::PowerOf)
                };
                if operators.iter().all(is_order)
                    && operands.iter().all(|operand| operand.ty != Type::Float)
                {
                    least
                } else {
                    Need::Constant
                }
            }
            ConditionKind::And(..)
            | ConditionKind::Or(..)
            | ConditionKind::Not(_)
            | ConditionKind::Only(_) => least,
        },
    };
    expr.each_operand(&mut |operand| each_mention(operand, least, visit));
}

/// True if the operation gives a word for any words.
fn is_of_words(operator: Arithmetic) -> bool {
    match operator {
        Arithmetic::Add
        | Arithmetic::Subtract
        | Arithmetic::Multiply
        | Arithmetic::FloorDivide
        | Arithmetic::Modulo => true,
        Arithmetic::Divide | Arithmetic::Power => false,
    }
}

fn is_quotient(number: &Number) -> bool {
    matches!(&number.kind, NumberKind::Binary { operator: Arithmetic::Divide, .. } if number.ty != Type::Float)
}
