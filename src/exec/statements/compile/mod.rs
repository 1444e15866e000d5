//! Translation of a lowered kernel into its fast form
//! ([`typed`](crate::exec::statements::typed)).
//!
//! A kernel is compiled for the values that it needs as constants. Other values of the host may
//! stay
//! open, and are registers then ([`prepared`](crate::exec::prepared)). An expression without a fast
//! form becomes `Opaque`, and its statement falls back on the reference form each time it executes.
//! So compiling never fails, and a faulty expression that no core reaches is no fault.

use crate::exec::memory::strides;
use crate::exec::ops;
use crate::exec::statements::linear::{is_straight, linear};
use crate::exec::statements::typed::{
    Access, Action, Code, Floats, Ints, Operand, Step, Truths, WrapperStep,
};
use crate::meaning::launch;
use crate::meaning::launch::fold::{Folded, Folder, Launched};
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, Code as CodeOnly, Condition, ConditionKind, Formula, FormulaCondition, Kernel,
    Nothing, Number, NumberKind, ParamId, Place, Program, Type, Word,
};
use crate::syntax::ast::{Comparison, WordType};

/// Compiles a kernel for these values, by parameter id; a parameter without a value is a register.
pub(crate) fn kernel<'p>(
    program: &'p Program,
    values: &[Option<Value>],
    extents: &[Vec<usize>],
    kernel: &'p Kernel,
) -> Code<'p> {
    let compiler = Compiler {
        program,
        values,
        extents,
    };
    let parts = compiler.folded(|folder| launch::lower(kernel, folder));
    let body = parts.into_iter().map(|part| match part {
        launch::Part::Let { binding, value, .. } => WrapperStep::Let {
            binding,
            operations: ops::of_expr(&binding.value),
            value: compiler.number(&value),
        },
        launch::Part::Cores { cores, body } => WrapperStep::Cores {
            cores,
            body: compiler.block(&body),
        },
    });
    Code {
        body: body.collect(),
    }
}

/// Compiles a number under a quantifier for the values that are fixed while it is evaluated. Its
/// own
/// variables and those around it stay open.
pub(crate) fn number_body(
    program: &Program,
    values: &[Option<Value>],
    extents: &[Vec<usize>],
    body: &Number<Formula>,
) -> Operand {
    let compiler = Compiler {
        program,
        values,
        extents,
    };
    compiler.number(&compiler.folded(|folder| folder.number(body)))
}

/// Compiles a condition under a quantifier, as [`number_body`].
pub(crate) fn condition_body(
    program: &Program,
    values: &[Option<Value>],
    extents: &[Vec<usize>],
    body: &Condition<Formula>,
) -> Truths {
    let compiler = Compiler {
        program,
        values,
        extents,
    };
    compiler.written_truths(body)
}

struct Compiler<'a> {
    program: &'a Program,
    values: &'a [Option<Value>],
    extents: &'a [Vec<usize>],
}

impl Compiler<'_> {
    /// Folds with the known values. All arrays exist in memory here, so their words have numbers.
    fn folded<T>(&self, fold: impl FnOnce(&mut Folder<'_>) -> T) -> T {
        let values = |parameter: ParamId| self.values[parameter.0 as usize].clone();
        fold(&mut Folder::new(&values, &|_| true))
    }

    /// Compiles a condition that is not folded yet.
    fn written_truths<P: Compiled>(&self, written: &Condition<P>) -> Truths {
        self.truths(&self.folded(|folder| folder.condition(written)))
    }

    fn block<'p>(&self, body: &[launch::Step<'p>]) -> Vec<Step<'p>> {
        body.iter()
            .map(|step| Step {
                stmt: step.stmt,
                operations: ops::of_stmt(step.stmt),
                action: self.action(&step.action),
            })
            .collect()
    }

    fn action<'p>(&self, action: &launch::Action<'p>) -> Action<'p> {
        match action {
            launch::Action::Load { target, source } => Action::Load {
                target: self.access(target),
                source: self.access(source),
            },
            launch::Action::Store { target, source } => Action::Store {
                target: self.access(target),
                source: self.access(source),
            },
            launch::Action::Assign { target, value } => {
                let access = self.access(target);
                match access.word_type {
                    WordType::Int => Action::AssignInts {
                        target: access,
                        value: self.ints(value),
                    },
                    WordType::Float => Action::AssignFloats {
                        target: access,
                        value: self.floats(value),
                    },
                }
            }
            launch::Action::Atomic {
                target,
                operator,
                operands,
            } => {
                let access = self.access(target);
                let operands = operands.iter().map(|(negated, value)| {
                    let value = match access.word_type {
                        WordType::Int => Operand::Ints(self.ints(value)),
                        WordType::Float => Operand::Floats(self.floats(value)),
                    };
                    (*negated, value)
                });
                Action::Atomic {
                    operands: operands.collect(),
                    target: access,
                    operator: *operator,
                }
            }
            launch::Action::Let { parameter, value } => match value.ty {
                Type::Float => Action::LetFloats(*parameter, self.floats(value)),
                Type::Number | Type::Int => Action::LetInts(*parameter, self.ints(value)),
            },
            launch::Action::If { condition, body } => Action::If {
                condition: self.truths(condition),
                body: self.block(body),
            },
            launch::Action::For {
                variable,
                from,
                to,
                down,
                body,
            } => Action::For {
                variable: *variable,
                from: self.ints(from),
                to: self.ints(to),
                down: *down,
                body: self.block(body),
            },
            launch::Action::Until { condition } => Action::Until {
                condition: self.truths(condition),
            },
            launch::Action::While {
                condition,
                at_most,
                body,
            } => Action::While {
                condition: self.truths(condition),
                at_most: at_most.as_ref().map(|bound| self.ints(bound)),
                body: self.block(body),
            },
        }
    }

    fn number<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Operand {
        match expr.ty {
            Type::Float => Operand::Floats(self.floats(expr)),
            Type::Number | Type::Int => Operand::Ints(self.ints(expr)),
        }
    }

    fn access<P: Compiled>(&self, word: &Word<Launched<P>>) -> Access {
        let extents = &self.extents[word.variable.0 as usize];
        let strides = strides(extents);
        let dimensions = word.indices.iter().zip(extents).zip(strides);
        Access {
            variable: word.variable,
            word_type: self.program.variable(word.variable).word_type,
            dimensions: dimensions
                .map(|((index, extent), stride)| (self.ints(index), *extent as i64, stride as i64))
                .collect(),
        }
    }

    /// Compiles an expression that is not part of a larger one of ints.
    fn ints<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Ints {
        let node = self.inner_ints(expr);
        match node {
            Ints::Binary(..) | Ints::CeilQuotient(..) | Ints::Minimum(_) | Ints::Maximum(_)
                if expr.ty == Type::Number && is_straight(&node) =>
            {
                Ints::Straight(Box::new(node))
            }
            node => node,
        }
    }

    fn inner_ints<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Ints {
        // Only numbers may be regrouped: 2·(i + j) becomes 2i + 2j. Int data must fit a word at
        // every
        // step as written.
        let written = self.ints_as_written(expr);
        if expr.ty != Type::Number || !matches!(written, Ints::Binary(..)) {
            return written;
        }
        match linear(&written) {
            Some((constant, terms)) => Ints::Linear {
                constant,
                terms,
                written: Box::new(written),
            },
            None => written,
        }
    }

    fn ints_as_written<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Ints {
        if let Some(constant) = expr.constant() {
            return match constant {
                Value::Whole(whole) => Ints::Constant(*whole),
                Value::Exact(_) | Value::Float(_) => Ints::Opaque,
            };
        }
        let boxed = |expr: &Number<Launched<P>>| Box::new(self.inner_ints(expr));
        match &expr.kind {
            NumberKind::Parameter(parameter) => Ints::Register(*parameter),
            NumberKind::Word(word) => Ints::Read(self.access(word)),
            NumberKind::Negate(of) => {
                Ints::Binary(Arithmetic::Subtract, Box::new(Ints::Constant(0)), boxed(of))
            }
            NumberKind::Abs(of) => Ints::Absolute(boxed(of)),
            NumberKind::Binary {
                operator,
                left,
                right,
            } => Ints::Binary(*operator, boxed(left), boxed(right)),
            NumberKind::Floor(of) if of.ty == Type::Float => {
                Ints::FloorOf(Box::new(self.floats(of)))
            }
            NumberKind::Ceil(of) if of.ty == Type::Float => Ints::CeilOf(Box::new(self.floats(of))),
            NumberKind::Floor(of) => match of.exact_quotient() {
                Some((left, right)) => {
                    Ints::Binary(Arithmetic::FloorDivide, boxed(left), boxed(right))
                }
                // In fast form every value is whole or missing, so there is nothing to round.
                None => self.inner_ints(of),
            },
            NumberKind::Ceil(of) => match of.exact_quotient() {
                Some((left, right)) => Ints::CeilQuotient(boxed(left), boxed(right)),
                None => self.inner_ints(of),
            },
            NumberKind::Min(arguments) => {
                Ints::Minimum(arguments.iter().map(|expr| self.inner_ints(expr)).collect())
            }
            NumberKind::Max(arguments) => {
                Ints::Maximum(arguments.iter().map(|expr| self.inner_ints(expr)).collect())
            }
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => Ints::Select(
                Box::new(self.truths(condition)),
                boxed(then),
                boxed(otherwise),
            ),
            NumberKind::Bits {
                function,
                left,
                right,
            } => Ints::Bits(*function, boxed(left), boxed(right)),
            NumberKind::Bracket(of) => Ints::Bracket(Box::new(self.truths(of))),
            NumberKind::Integer(_)
            | NumberKind::Float(_)
            | NumberKind::Math { .. }
            | NumberKind::Log { .. }
            | NumberKind::Only(_) => Ints::Opaque,
        }
    }

    fn floats<P: Compiled>(&self, expr: &Number<Launched<P>>) -> Floats {
        if let Some(constant) = expr.constant() {
            return Floats::Constant(constant.to_float());
        }
        let boxed = |expr: &Number<Launched<P>>| Box::new(self.floats(expr));
        if expr.ty != Type::Float {
            return match &expr.kind {
                NumberKind::Binary {
                    operator: Arithmetic::Divide,
                    left,
                    right,
                } if expr.ty == Type::Number => Floats::Quotient(self.ints(left), self.ints(right)),
                NumberKind::Select {
                    condition,
                    then,
                    otherwise,
                } if expr.ty == Type::Number => Floats::Select(
                    Box::new(self.truths(condition)),
                    boxed(then),
                    boxed(otherwise),
                ),
                _ => Floats::OfInts(self.ints(expr)),
            };
        }
        match &expr.kind {
            NumberKind::Parameter(parameter) => Floats::Register(*parameter),
            NumberKind::Word(word) => Floats::Read(self.access(word)),
            NumberKind::Negate(of) => Floats::Negate(boxed(of)),
            NumberKind::Abs(of) => Floats::Absolute(boxed(of)),
            NumberKind::Binary {
                operator,
                left,
                right,
            } => Floats::Binary(*operator, boxed(left), boxed(right)),
            NumberKind::Min(arguments) => {
                Floats::Minimum(arguments.iter().map(|expr| self.floats(expr)).collect())
            }
            NumberKind::Max(arguments) => {
                Floats::Maximum(arguments.iter().map(|expr| self.floats(expr)).collect())
            }
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => Floats::Select(
                Box::new(self.truths(condition)),
                boxed(then),
                boxed(otherwise),
            ),
            NumberKind::Math { function, argument } => Floats::Math(*function, boxed(argument)),
            NumberKind::Log { base, argument } => Floats::Log(boxed(base), boxed(argument)),
            NumberKind::Integer(_)
            | NumberKind::Float(_)
            | NumberKind::Ceil(_)
            | NumberKind::Floor(_)
            | NumberKind::Bits { .. }
            | NumberKind::Bracket(_)
            | NumberKind::Only(_) => Floats::OfInts(Ints::Opaque),
        }
    }

    fn truths<P: Compiled>(&self, expr: &Condition<Launched<P>>) -> Truths {
        let boxed = |expr: &Condition<Launched<P>>| Box::new(self.truths(expr));
        match &expr.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => self.chain(operands, operators),
            ConditionKind::And(left, right) => Truths::Connect {
                and: true,
                left: boxed(left),
                right: boxed(right),
            },
            ConditionKind::Or(left, right) => Truths::Connect {
                and: false,
                left: boxed(left),
                right: boxed(right),
            },
            ConditionKind::Not(of) => Truths::Not(boxed(of)),
            ConditionKind::Only(Folded::Known(truth)) => Truths::Constant(*truth),
            ConditionKind::Only(Folded::Left(only)) => P::truths(self, only),
        }
    }

    fn chain<P: Compiled>(
        &self,
        operands: &[Number<Launched<P>>],
        operators: &[Comparison],
    ) -> Truths {
        if let ([left, right], [operator]) = (operands, operators)
            && left.ty != Type::Float
            && right.ty != Type::Float
        {
            let against = self.against_fraction(left, *operator, right);
            let against =
                against.or_else(|| self.against_fraction(right, operator.mirrored(), left));
            return against
                .unwrap_or_else(|| Truths::Order(*operator, self.ints(left), self.ints(right)));
        }
        let any_float = operands.iter().any(|operand| operand.ty == Type::Float);
        let all_float = any_float && operands.len() == 2;
        // A chain evaluates each operand once, so a middle operand between an int and a float must
        // keep its own type. Two operands can both become floats.
        let operand = |expr: &Number<Launched<P>>| match expr.ty {
            Type::Float => Operand::Floats(self.floats(expr)),
            _ if all_float => Operand::Floats(self.floats(expr)),
            Type::Number | Type::Int => Operand::Ints(self.ints(expr)),
        };
        Truths::Chain(operands.iter().map(operand).collect(), operators.to_vec())
    }

    /// Compares with a constant fraction through its floor or ceiling: `j < 7/2` is `j ≤ 3`.
    fn against_fraction<P: Compiled>(
        &self,
        left: &Number<Launched<P>>,
        operator: Comparison,
        right: &Number<Launched<P>>,
    ) -> Option<Truths> {
        let Some(Value::Exact(bound)) = right.constant() else {
            return None;
        };
        if bound.to_integer().is_some() {
            return None;
        }
        let (operator, bound) = match operator {
            Comparison::Less | Comparison::AtMost => (Comparison::AtMost, bound.floor()),
            Comparison::Greater | Comparison::AtLeast => (Comparison::AtLeast, bound.ceil()),
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Divides
            | Comparison::PowerOf => return None,
        };
        let bound = i64::try_from(bound).ok()?;
        Some(Truths::Order(
            operator,
            self.ints(left),
            Ints::Constant(bound),
        ))
    }
}

/// A place of expressions with a fast form.
trait Compiled: Place {
    /// Compiles a condition that occurs in such places only.
    fn truths(compiler: &Compiler<'_>, only: &Self::Condition) -> Truths;
}

impl Compiled for CodeOnly {
    fn truths(_: &Compiler<'_>, only: &Nothing) -> Truths {
        match *only {}
    }
}

impl Compiled for Formula {
    fn truths(compiler: &Compiler<'_>, only: &FormulaCondition) -> Truths {
        match only {
            FormulaCondition::Implies(left, right) => Truths::Connect {
                and: false,
                left: Box::new(Truths::Not(Box::new(compiler.written_truths(left)))),
                right: Box::new(compiler.written_truths(right)),
            },
            FormulaCondition::About { .. }
            | FormulaCondition::ForAll(_)
            | FormulaCondition::Exists(_) => opaque_truth(),
        }
    }
}

fn opaque_truth() -> Truths {
    Truths::Order(Comparison::Equal, Ints::Opaque, Ints::Opaque)
}
