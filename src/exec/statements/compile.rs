//! The fast form of a kernel: what the host knows at its launch folded into constants, every
//! expression typed as ints, floats or truths, every index list with its extents and strides.
//!
//! A kernel is compiled each time it is launched. Whatever has no fast form becomes `Opaque`,
//! which makes the statement fall back on its reference form each time it executes; so compiling
//! never fails, and a faulty expression that no core reaches stays no fault.

use crate::exec::error::Result;
use crate::exec::memory::strides;
use crate::exec::mp::Connectives;
use crate::exec::ops;
use crate::exec::reference::eval::{self, Context, Executed};
use crate::exec::value::Value;
use crate::meaning::fault::Place;
use crate::number::BigInt;
use crate::program::{
    Arithmetic, AtomicOperator, BitFunction, Code as CodeOnly, Condition, ConditionKind, CoreLoop,
    Expr, Formula, FormulaCondition, Kernel, LetBinding, MathFunction, Nothing, Number, NumberKind,
    ParamId, Program, Stmt, StmtKind, Type, VarId, Word, WrapperStmt,
};
use crate::syntax::ast::{Comparison, WordType};
use crate::text::Span;

/// A kernel ready to be executed by any MP.
#[derive(Debug)]
pub(crate) struct Code<'p> {
    /// In text order.
    pub body: Vec<WrapperStep<'p>>,
}

/// A statement directly inside the wrapper loop.
#[derive(Debug)]
pub(crate) enum WrapperStep<'p> {
    /// A `let` of the MP.
    Let {
        /// Its reference form.
        binding: &'p LetBinding,
        /// op(e)
        operations: u64,
        /// Its fast form.
        value: Operand,
    },
    /// A core loop.
    Cores {
        /// Its reference form.
        cores: &'p CoreLoop,
        /// What the cores do.
        body: Vec<Step<'p>>,
    },
}

/// A statement of a core loop in both forms.
#[derive(Debug)]
pub(crate) struct Step<'p> {
    /// The reference form.
    pub stmt: &'p Stmt,
    /// What [`ops::of_stmt`] says it costs.
    pub operations: u64,
    /// The fast form.
    pub action: Action<'p>,
}

/// What a statement does.
#[derive(Debug)]
pub(crate) enum Action<'p> {
    /// Global to shared.
    Load {
        /// Shared.
        target: Access,
        /// Global.
        source: Access,
    },
    /// Shared to global.
    Store {
        /// Global.
        target: Access,
        /// Shared.
        source: Access,
    },
    /// An int to shared memory.
    AssignInts {
        /// Shared, of ints.
        target: Access,
        /// What is written.
        value: Ints,
    },
    /// A float to shared memory.
    AssignFloats {
        /// Shared, of floats.
        target: Access,
        /// What is written.
        value: Floats,
    },
    /// `atomic`.
    Atomic {
        /// The words updated.
        target: Access,
        /// ⊕
        operator: AtomicOperator,
        /// What is combined with them: the operand of each core, and whether it is subtracted.
        operands: Vec<(bool, Operand)>,
    },
    /// `let` of a whole number.
    LetInts(ParamId, Ints),
    /// `let` of a float.
    LetFloats(ParamId, Floats),
    /// `if`
    If {
        /// Which cores go on.
        condition: Truths,
        /// The block.
        body: Vec<Step<'p>>,
    },
    /// `for`
    For {
        /// The loop variable.
        variable: ParamId,
        /// The first number written.
        from: Ints,
        /// The second.
        to: Ints,
        /// Whether it counts down.
        down: bool,
        /// The block.
        body: Vec<Step<'p>>,
    },
    /// `while`
    While {
        /// Which cores go on.
        condition: Truths,
        /// The bound of `at most`.
        at_most: Option<Ints>,
        /// The block.
        body: Vec<Step<'p>>,
    },
}

/// The place of a word per core.
#[derive(Debug)]
pub(crate) struct Access {
    /// The variable.
    pub variable: VarId,
    /// The type of its words.
    pub word_type: WordType,
    /// Index, extent and stride of each dimension.
    pub dimensions: Vec<(Ints, i64, i64)>,
}

/// An expression that gives a whole number per core.
#[derive(Debug)]
pub(crate) enum Ints {
    Constant(i64),
    Register(ParamId),
    /// Of constants and registers only, and a number, not data: quick while no register holds a
    /// value of its own for every core.
    Straight(Box<Ints>),
    /// constant + Σ factor · register, of numbers; beside it the expression as written, for
    /// registers that hold a value of its own for every core.
    Linear {
        constant: i64,
        terms: Vec<(i64, ParamId)>,
        written: Box<Ints>,
    },
    Read(Access),
    Absolute(Box<Ints>),
    Binary(Arithmetic, Box<Ints>, Box<Ints>),
    /// `⌈x/y⌉`
    CeilQuotient(Box<Ints>, Box<Ints>),
    Minimum(Vec<Ints>),
    Maximum(Vec<Ints>),
    Select(Box<Truths>, Box<Ints>, Box<Ints>),
    Bits(BitFunction, Box<Ints>, Box<Ints>),
    Bracket(Box<Truths>),
    FloorOf(Box<Floats>),
    CeilOf(Box<Floats>),
    /// Only the reference form can tell.
    Opaque,
}

/// An expression that gives a float per core.
#[derive(Debug)]
pub(crate) enum Floats {
    Constant(f64),
    Register(ParamId),
    Read(Access),
    OfInts(Ints),
    /// A quotient of numbers, on its way to a float.
    Quotient(Ints, Ints),
    Negate(Box<Floats>),
    Absolute(Box<Floats>),
    Binary(Arithmetic, Box<Floats>, Box<Floats>),
    Minimum(Vec<Floats>),
    Maximum(Vec<Floats>),
    Select(Box<Truths>, Box<Floats>, Box<Floats>),
    Math(MathFunction, Box<Floats>),
    Log(Box<Floats>, Box<Floats>),
}

/// An expression that gives a truth per core.
#[derive(Debug)]
pub(crate) enum Truths {
    Constant(bool),
    /// One comparison of ints.
    Order(Comparison, Ints, Ints),
    /// Each operand evaluated once.
    Chain(Vec<Operand>, Vec<Comparison>),
    Connect {
        and: bool,
        left: Box<Truths>,
        right: Box<Truths>,
    },
    Not(Box<Truths>),
}

/// A number of either kind.
#[derive(Debug)]
pub(crate) enum Operand {
    Ints(Ints),
    Floats(Floats),
}

/// Compiles a kernel for the values its launch knows.
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
    let body = kernel.body.iter().map(|stmt| match stmt {
        WrapperStmt::Let(binding) => WrapperStep::Let {
            binding,
            operations: ops::of_expr(&binding.value),
            value: compiler.number(&binding.value),
        },
        WrapperStmt::Cores(cores) => WrapperStep::Cores {
            cores,
            body: compiler.block(&cores.body),
        },
    });
    Code {
        body: body.collect(),
    }
}

/// Compiles the body of a quantifier for the values that stand fast while it is evaluated, its
/// variables and those around it left open.
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
    compiler.number(body)
}

/// The same where the body is a condition.
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
    compiler.truths(body)
}

struct Compiler<'a, 'p> {
    program: &'p Program,
    values: &'a [Option<Value>],
    extents: &'a [Vec<usize>],
}

impl<'p> Compiler<'_, 'p> {
    fn block(&self, body: &'p [Stmt]) -> Vec<Step<'p>> {
        body.iter()
            .map(|stmt| Step {
                stmt,
                operations: ops::of_stmt(stmt),
                action: self.action(stmt),
            })
            .collect()
    }

    fn action(&self, stmt: &'p Stmt) -> Action<'p> {
        match &stmt.kind {
            StmtKind::Load { target, source } => Action::Load {
                target: self.access(target),
                source: self.access(source),
            },
            StmtKind::Store { target, source } => Action::Store {
                target: self.access(target),
                source: self.access(source),
            },
            StmtKind::Assign { target, value } => {
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
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => {
                let access = self.access(target);
                let operands = operands.iter().map(|operand| {
                    let value = match access.word_type {
                        WordType::Int => Operand::Ints(self.ints(&operand.value)),
                        WordType::Float => Operand::Floats(self.floats(&operand.value)),
                    };
                    (operand.negated, value)
                });
                Action::Atomic {
                    operands: operands.collect(),
                    target: access,
                    operator: *operator,
                }
            }
            StmtKind::Let(binding) => match binding.value.ty {
                Type::Float => Action::LetFloats(binding.parameter, self.floats(&binding.value)),
                Type::Number | Type::Int => {
                    Action::LetInts(binding.parameter, self.ints(&binding.value))
                }
            },
            StmtKind::If { condition, body } => Action::If {
                condition: self.truths(condition),
                body: self.block(body),
            },
            StmtKind::For {
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
            StmtKind::While {
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

    fn number<P: Compiled>(&self, expr: &Number<P>) -> Operand {
        match expr.ty {
            Type::Float => Operand::Floats(self.floats(expr)),
            Type::Number | Type::Int => Operand::Ints(self.ints(expr)),
        }
    }

    fn access<P: Compiled>(&self, word: &Word<P>) -> Access {
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

    /// An expression that is no part of a larger one of ints.
    fn ints<P: Compiled>(&self, expr: &Number<P>) -> Ints {
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

    fn inner_ints<P: Compiled>(&self, expr: &Number<P>) -> Ints {
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

    fn ints_as_written<P: Compiled>(&self, expr: &Number<P>) -> Ints {
        if let Some(constant) = self.constant(expr) {
            return match constant {
                Value::Whole(whole) => Ints::Constant(whole),
                Value::Exact(_) | Value::Float(_) => Ints::Opaque,
            };
        }
        let boxed = |expr: &Number<P>| Box::new(self.inner_ints(expr));
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
            NumberKind::Ceil(of) | NumberKind::Floor(of) => {
                let is_floor = matches!(expr.kind, NumberKind::Floor(_));
                self.rounded(is_floor, of)
            }
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

    /// `⌊e⌋` or `⌈e⌉` of something that is not constant.
    fn rounded<P: Compiled>(&self, is_floor: bool, of: &Number<P>) -> Ints {
        match (&of.kind, of.ty) {
            (_, Type::Float) => {
                let of = Box::new(self.floats(of));
                if is_floor {
                    Ints::FloorOf(of)
                } else {
                    Ints::CeilOf(of)
                }
            }
            (
                NumberKind::Binary {
                    operator: Arithmetic::Divide,
                    left,
                    right,
                },
                _,
            ) => {
                let (left, right) = (
                    Box::new(self.inner_ints(left)),
                    Box::new(self.inner_ints(right)),
                );
                if is_floor {
                    Ints::Binary(Arithmetic::FloorDivide, left, right)
                } else {
                    Ints::CeilQuotient(left, right)
                }
            }
            // Whole in fast form or not at all, so there is nothing to round.
            _ => self.inner_ints(of),
        }
    }

    fn floats<P: Compiled>(&self, expr: &Number<P>) -> Floats {
        if let Some(constant) = self.constant(expr) {
            return Floats::Constant(constant.to_float());
        }
        let boxed = |expr: &Number<P>| Box::new(self.floats(expr));
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

    fn truths<P: Compiled>(&self, expr: &Condition<P>) -> Truths {
        if let Some(constant) = self.constant_truth(expr) {
            return Truths::Constant(constant);
        }
        let boxed = |expr: &Condition<P>| Box::new(self.truths(expr));
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
            ConditionKind::Only(only) => P::truths(self, only),
        }
    }

    fn chain<P: Compiled>(&self, operands: &[Number<P>], operators: &[Comparison]) -> Truths {
        if let ([left, right], [operator]) = (operands, operators)
            && left.ty != Type::Float
            && right.ty != Type::Float
        {
            if let Some(rewritten) = self.against_fraction(left, *operator, right) {
                return rewritten;
            }
            if let Some(rewritten) = self.against_fraction(right, swapped(*operator), left) {
                return rewritten;
            }
        }
        if let ([left, right], [operator]) = (operands, operators)
            && left.ty != Type::Float
            && right.ty != Type::Float
        {
            return Truths::Order(*operator, self.ints(left), self.ints(right));
        }
        let any_float = operands.iter().any(|operand| operand.ty == Type::Float);
        let all_float = any_float && operands.len() == 2;
        let operand = |expr: &Number<P>| match expr.ty {
            Type::Float => Operand::Floats(self.floats(expr)),
            _ if all_float => Operand::Floats(self.floats(expr)),
            Type::Number | Type::Int => Operand::Ints(self.ints(expr)),
        };
        Truths::Chain(operands.iter().map(operand).collect(), operators.to_vec())
    }

    /// A comparison with a constant fraction, against its floor or ceiling instead.
    fn against_fraction<P: Compiled>(
        &self,
        left: &Number<P>,
        operator: Comparison,
        right: &Number<P>,
    ) -> Option<Truths> {
        let Some(Value::Exact(bound)) = self.constant(right) else {
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

    /// The value of an expression that the launch decides; `None` also where it has none.
    fn constant<P: Compiled>(&self, expr: &Number<P>) -> Option<Value> {
        if !self.is_constant(Expr::Number(expr)) {
            return None;
        }
        let mut host = Launched {
            program: self.program,
            values: self.values,
        };
        eval::evaluate(&mut host, expr, Connectives::BothSides).ok()
    }

    fn constant_truth<P: Compiled>(&self, expr: &Condition<P>) -> Option<bool> {
        if !self.is_constant(Expr::Condition(expr)) {
            return None;
        }
        let mut host = Launched {
            program: self.program,
            values: self.values,
        };
        eval::condition(&mut host, expr, Connectives::BothSides).ok()
    }

    fn is_constant<P: Compiled>(&self, expr: Expr<'_, P>) -> bool {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            let may_be = match expr {
                Expr::Number(number) => match &number.kind {
                    NumberKind::Parameter(parameter) => self.values[parameter.0 as usize].is_some(),
                    kind => !matches!(kind, NumberKind::Word(_) | NumberKind::Only(_)),
                },
                Expr::Condition(condition) => !matches!(condition.kind, ConditionKind::Only(_)),
            };
            if !may_be {
                return false;
            }
            expr.each_operand(&mut |operand| pending.push(operand));
        }
        true
    }
}

/// A place whose expressions have a fast form.
trait Compiled: Executed {
    /// The fast form of a condition that only stands there.
    fn truths(compiler: &Compiler<'_, '_>, only: &Self::Condition) -> Truths;
}

impl Compiled for CodeOnly {
    fn truths(_: &Compiler<'_, '_>, only: &Nothing) -> Truths {
        match *only {}
    }
}

impl Compiled for Formula {
    fn truths(compiler: &Compiler<'_, '_>, only: &FormulaCondition) -> Truths {
        match only {
            FormulaCondition::Implies(left, right) => Truths::Connect {
                and: false,
                left: Box::new(Truths::Not(Box::new(compiler.truths(left)))),
                right: Box::new(compiler.truths(right)),
            },
            FormulaCondition::ForAll(_) | FormulaCondition::Exists(_) => opaque_truth(),
        }
    }
}

/// Whether an expression reads nothing but constants and registers, by operations that are quick
/// when no register differs freely from core to core.
fn is_straight(node: &Ints) -> bool {
    match node {
        Ints::Constant(_) | Ints::Register(_) | Ints::Linear { .. } | Ints::Straight(_) => true,
        Ints::Binary(_, left, right) | Ints::CeilQuotient(left, right) => {
            is_straight(left) && is_straight(right)
        }
        Ints::Minimum(nodes) | Ints::Maximum(nodes) => nodes.iter().all(is_straight),
        Ints::Read(_)
        | Ints::Absolute(_)
        | Ints::Select(..)
        | Ints::Bits(..)
        | Ints::Bracket(_)
        | Ints::FloorOf(_)
        | Ints::CeilOf(_)
        | Ints::Opaque => false,
    }
}

/// constant + Σ factor · register, where an expression is no more than that.
fn linear(node: &Ints) -> Option<(i64, Vec<(i64, ParamId)>)> {
    match node {
        Ints::Constant(constant) => Some((*constant, Vec::new())),
        Ints::Register(parameter) => Some((0, vec![(1, *parameter)])),
        Ints::Linear {
            constant, terms, ..
        } => Some((*constant, terms.clone())),
        Ints::Binary(Arithmetic::Add, left, right) => sum(linear(left)?, linear(right)?, 1),
        Ints::Binary(Arithmetic::Subtract, left, right) => sum(linear(left)?, linear(right)?, -1),
        Ints::Binary(Arithmetic::Multiply, left, right) => match (linear(left)?, linear(right)?) {
            ((factor, none), line) | (line, (factor, none)) if none.is_empty() => {
                sum((0, Vec::new()), line, factor)
            }
            _ => None,
        },
        Ints::Binary(
            Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo | Arithmetic::Power,
            ..,
        )
        | Ints::Straight(_)
        | Ints::Read(_)
        | Ints::Absolute(_)
        | Ints::CeilQuotient(..)
        | Ints::Minimum(_)
        | Ints::Maximum(_)
        | Ints::Select(..)
        | Ints::Bits(..)
        | Ints::Bracket(_)
        | Ints::FloorOf(_)
        | Ints::CeilOf(_)
        | Ints::Opaque => None,
    }
}

type Line = (i64, Vec<(i64, ParamId)>);

/// left + factor · right
fn sum((mut constant, mut terms): Line, right: Line, factor: i64) -> Option<Line> {
    constant = constant.checked_add(right.0.checked_mul(factor)?)?;
    for (times, parameter) in right.1 {
        let times = times.checked_mul(factor)?;
        match terms.iter_mut().find(|(_, known)| *known == parameter) {
            Some((known, _)) => *known = known.checked_add(times)?,
            None => terms.push((times, parameter)),
        }
    }
    Some((constant, terms))
}

fn opaque_truth() -> Truths {
    Truths::Order(Comparison::Equal, Ints::Opaque, Ints::Opaque)
}

/// The comparison with its sides exchanged; of those that are no orders, one that
/// [`Compiler::against_fraction`] leaves alone.
fn swapped(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        Comparison::Equal | Comparison::NotEqual | Comparison::Divides | Comparison::PowerOf => {
            operator
        }
    }
}

/// The parameters a launch knows, and no memory.
struct Launched<'a> {
    program: &'a Program,
    values: &'a [Option<Value>],
}

impl Context for Launched<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn parameter(&self, parameter: ParamId) -> Value {
        self.values[parameter.0 as usize]
            .clone()
            .expect("constant expressions read bound parameters only")
    }

    fn bind(&mut self, _parameter: ParamId, _value: Value) {
        unreachable!("kernels hold no quantifiers")
    }

    fn read(&mut self, _: VarId, _: Span, _: &[(BigInt, Span)]) -> Result<Value> {
        unreachable!("constant expressions read no words")
    }

    fn place(&self) -> Place {
        Place::default()
    }
}
