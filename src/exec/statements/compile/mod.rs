//! Translation of a lowered kernel into its fast form
//! ([`typed`](crate::exec::statements::typed)).
//!
//! A kernel is compiled for the values that it needs as constants. Other values of the host may
//! stay
//! open, and are registers then ([`prepared`](crate::exec::prepared)). An expression without a fast
//! form becomes `Opaque`, and its statement falls back on the reference form each time it executes.
//! So compiling never fails, and a faulty expression that no core reaches is no fault.

mod expressions;

use crate::exec::memory::strides;
use crate::exec::ops;
use crate::exec::statements::typed::{
    Access, Action, Code, Ints, Operand, Step, Truths, WrapperStep,
};
use crate::meaning::launch;
use crate::meaning::launch::fold::{Folder, Launched};
use crate::meaning::value::Value;
use crate::program::{
    AtomicOperator, Code as CodeOnly, Condition, Formula, FormulaCondition, Kernel, Nothing,
    Number, ParamId, Place, Program, Type, Word,
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
            launch::Action::Assign { target, value } => self.assign(target, value),
            launch::Action::Atomic {
                target,
                operator,
                operands,
            } => self.atomic(target, *operator, operands),
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

    fn assign<'p, P: Compiled>(
        &self,
        target: &Word<Launched<P>>,
        value: &Number<Launched<P>>,
    ) -> Action<'p> {
        let target = self.access(target);
        match self.of_type(target.word_type, value) {
            Operand::Ints(value) => Action::AssignInts { target, value },
            Operand::Floats(value) => Action::AssignFloats { target, value },
        }
    }

    fn atomic<'p, P: Compiled>(
        &self,
        target: &Word<Launched<P>>,
        operator: AtomicOperator,
        operands: &[(bool, Number<Launched<P>>)],
    ) -> Action<'p> {
        let target = self.access(target);
        let operands = operands
            .iter()
            .map(|(negated, value)| (*negated, self.of_type(target.word_type, value)))
            .collect();
        Action::Atomic {
            target,
            operator,
            operands,
        }
    }

    /// Compiles a number in the type of the variable it goes to.
    fn of_type<P: Compiled>(&self, word_type: WordType, value: &Number<Launched<P>>) -> Operand {
        match word_type {
            WordType::Int => Operand::Ints(self.ints(value)),
            WordType::Float => Operand::Floats(self.floats(value)),
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
