//! A kernel made ready for counting at one launch: parameters of the host folded in, extents and
//! operations known, every statement with the line it is tallied under.

use num_traits::{ToPrimitive, Zero};

use crate::interval::value::{self, Truth, Value};
use crate::meaning::{Environment, evaluate, read_parameters};
use crate::number::BigInt;
use crate::operations::{self, Operations};
use crate::program::{
    Arithmetic, AtomicOperator, BitFunction, Condition, ConditionKind, Expr, Kernel, LetBinding,
    MathFunction, Number, NumberKind, ParamId, ParameterKind, Program, Stmt, StmtKind, Type, VarId,
    Word, WrapperStmt,
};
use crate::syntax::ast::{Comparison, WordType};
use crate::text::Span;

/// A number over the MP's and the core's indices, registers and shared words.
#[derive(Debug)]
pub(super) enum Code {
    Const(Value),
    /// The MP's number in one dimension.
    Mp(usize),
    Core,
    /// A kernel `let`, a loop variable, or a `let` of the wrapper.
    Register(ParamId),
    Word(WordCode),
    Negate(Box<Code>),
    Binary {
        operator: Arithmetic,
        left: Box<Code>,
        right: Box<Code>,
        /// Whether this is arithmetic on int data, whose results must fit a word.
        on_words: bool,
        span: Span,
    },
    Ceil(Box<Code>, Span),
    Floor(Box<Code>, Span),
    Abs(Box<Code>),
    Extremum {
        larger: bool,
        arguments: Vec<Code>,
    },
    Select {
        condition: Box<Test>,
        then: Box<Code>,
        otherwise: Box<Code>,
    },
    Math {
        function: MathFunction,
        argument: Box<Code>,
        span: Span,
    },
    Bits {
        function: BitFunction,
        left: Box<Code>,
        right: Box<Code>,
        span: Span,
    },
    Log {
        base: Box<Code>,
        argument: Box<Code>,
        span: Span,
    },
    Bracket(Box<Test>),
}

/// A condition.
#[derive(Debug)]
pub(super) enum Test {
    Const(Truth),
    Compare {
        operands: Vec<Code>,
        operators: Vec<Comparison>,
        span: Span,
    },
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    Not(Box<Test>),
}

/// A word of shared or global memory.
#[derive(Debug)]
pub(super) struct WordCode {
    pub(super) variable: VarId,
    pub(super) indices: Vec<Code>,
    pub(super) extents: Vec<i64>,
    pub(super) spans: Vec<Span>,
    pub(super) span: Span,
}

/// A statement of a core loop.
#[derive(Debug)]
pub(super) struct Step {
    /// Where it is tallied.
    pub(super) line: usize,
    /// Operations each time it is executed; of a loop, at entry (`for`) or at each test (`while`).
    pub(super) operations: u64,
    pub(super) span: Span,
    pub(super) kind: StepKind,
}

#[derive(Debug)]
pub(super) enum StepKind {
    Load {
        target: WordCode,
        source: WordCode,
    },
    Store {
        target: WordCode,
        source: WordCode,
    },
    Assign {
        target: WordCode,
        value: Code,
        value_span: Span,
    },
    Atomic {
        target: WordCode,
        operator: AtomicOperator,
        operands: Vec<(bool, Code)>,
    },
    Let {
        parameter: ParamId,
        value: Code,
    },
    If {
        condition: Test,
        body: Vec<Step>,
        is_guard: bool,
    },
    For {
        variable: ParamId,
        from: Code,
        to: Code,
        down: bool,
        body: Vec<Step>,
    },
    While {
        condition: Test,
        at_most: Option<Code>,
        body: Vec<Step>,
    },
}

/// What a wrapper loop holds, in order.
#[derive(Debug)]
pub(super) enum Part {
    /// A `let` of the wrapper: line, operations, parameter, value.
    Let(usize, u64, ParamId, Code),
    Cores(Vec<Step>),
}

/// One launch of a kernel.
#[derive(Debug)]
pub(super) struct Launch {
    /// The first and the last MP in each dimension.
    pub(super) low: Vec<i64>,
    pub(super) high: Vec<i64>,
    pub(super) parts: Vec<Part>,
    /// The statements tallied, by line index.
    pub(super) lines: Vec<Span>,
    /// What each of them pays for once, by line index.
    pub(super) each: Vec<Operations>,
    /// b
    pub(super) cores: usize,
}

/// Why a kernel cannot be made ready.
#[derive(Debug)]
pub(super) enum NotReady {
    /// An extent or a launch beyond 64 bits.
    TooLarge(Span),
}

/// Makes kernels ready.
pub(super) struct Compiler<'a> {
    pub(super) program: &'a Program,
    pub(super) environment: &'a Environment,
    pub(super) extents: &'a [Vec<BigInt>],
    mps: Vec<ParamId>,
    core: Option<ParamId>,
    lines: Vec<Span>,
    each: Vec<Operations>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        program: &'a Program,
        environment: &'a Environment,
        extents: &'a [Vec<BigInt>],
    ) -> Self {
        Compiler {
            program,
            environment,
            extents,
            mps: Vec::new(),
            core: None,
            lines: Vec::new(),
            each: Vec::new(),
        }
    }

    /// The launch of a kernel on the given MPs.
    pub(super) fn launch(
        mut self,
        kernel: &Kernel,
        low: Vec<i64>,
        high: Vec<i64>,
        cores: usize,
    ) -> Result<Launch, NotReady> {
        self.mps = kernel.mps.iter().map(|range| range.parameter).collect();
        let mut parts = Vec::new();
        for stmt in &kernel.body {
            parts.push(match stmt {
                WrapperStmt::Let(binding) => {
                    let each = operations::operations(&binding.value);
                    let operations = each.total();
                    let line = self.line(binding.span, each);
                    let (parameter, value) = self.binding(binding)?;
                    Part::Let(line, operations, parameter, value)
                }
                WrapperStmt::Cores(cores) => {
                    self.core = Some(cores.core);
                    Part::Cores(self.steps(&cores.body)?)
                }
            });
        }
        Ok(Launch {
            low,
            high,
            parts,
            lines: self.lines,
            each: self.each,
            cores,
        })
    }

    /// A condition of the host.
    pub(super) fn host_test(mut self, condition: &Condition) -> Result<Test, NotReady> {
        self.test(condition)
    }

    fn line(&mut self, span: Span, each: Operations) -> usize {
        self.lines.push(span);
        self.each.push(each);
        self.lines.len() - 1
    }

    fn binding(&mut self, binding: &LetBinding) -> Result<(ParamId, Code), NotReady> {
        Ok((binding.parameter, self.number(&binding.value)?))
    }

    fn steps(&mut self, body: &[Stmt]) -> Result<Vec<Step>, NotReady> {
        body.iter().map(|stmt| self.step(stmt)).collect()
    }

    fn step(&mut self, stmt: &Stmt) -> Result<Step, NotReady> {
        let each = operations(stmt);
        let operations = each.total();
        let line = self.line(stmt.span, each);
        let kind = match &stmt.kind {
            StmtKind::Load { target, source } => StepKind::Load {
                target: self.word(target)?,
                source: self.word(source)?,
            },
            StmtKind::Store { target, source } => StepKind::Store {
                target: self.word(target)?,
                source: self.word(source)?,
            },
            StmtKind::Assign { target, value } => StepKind::Assign {
                target: self.word(target)?,
                value: self.number(value)?,
                value_span: value.span,
            },
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => {
                let mut codes = Vec::new();
                for operand in operands {
                    codes.push((operand.negated, self.number(&operand.value)?));
                }
                StepKind::Atomic {
                    target: self.word(target)?,
                    operator: *operator,
                    operands: codes,
                }
            }
            StmtKind::Let(binding) => {
                let (parameter, value) = self.binding(binding)?;
                StepKind::Let { parameter, value }
            }
            StmtKind::If { condition, body } => StepKind::If {
                is_guard: self.is_guard(condition, body),
                condition: self.test(condition)?,
                body: self.steps(body)?,
            },
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => StepKind::For {
                variable: *variable,
                from: self.number(from)?,
                to: self.number(to)?,
                down: *down,
                body: self.steps(body)?,
            },
            StmtKind::While {
                condition,
                at_most,
                body,
            } => StepKind::While {
                condition: self.test(condition)?,
                at_most: match at_most {
                    Some(bound) => Some(self.number(bound)?),
                    None => None,
                },
                body: self.steps(body)?,
            },
        };
        Ok(Step {
            line,
            operations,
            span: stmt.span,
            kind,
        })
    }

    fn word(&mut self, word: &Word) -> Result<WordCode, NotReady> {
        let mut extents = Vec::new();
        let mut size = 1i64;
        for extent in &self.extents[word.variable.0 as usize] {
            let extent = extent.to_i64().ok_or(NotReady::TooLarge(word.span))?;
            size = size
                .checked_mul(extent)
                .ok_or(NotReady::TooLarge(word.span))?;
            extents.push(extent);
        }
        let mut indices = Vec::new();
        for index in &word.indices {
            indices.push(self.number(index)?);
        }
        Ok(WordCode {
            variable: word.variable,
            indices,
            extents,
            spans: word.indices.iter().map(|index| index.span).collect(),
            span: word.span,
        })
    }

    fn boxed(&mut self, expr: &Number) -> Result<Box<Code>, NotReady> {
        self.number(expr).map(Box::new)
    }

    fn number(&mut self, expr: &Number) -> Result<Code, NotReady> {
        let span = expr.span;
        let code = match &expr.kind {
            NumberKind::Integer(value) => Code::Const(Value::exact(value.clone().into())),
            NumberKind::Float(value) => Code::Const(Value::Float(*value)),
            NumberKind::Parameter(id) => self.parameter(*id),
            NumberKind::Word(word) => Code::Word(self.word(word)?),
            NumberKind::Negate(inner) => Code::Negate(self.boxed(inner)?),
            NumberKind::Binary {
                operator,
                left,
                right,
            } => Code::Binary {
                operator: *operator,
                left: self.boxed(left)?,
                right: self.boxed(right)?,
                on_words: expr.ty == Type::Int,
                span,
            },
            // The floor of a quotient of int data is floor division (language.md §5).
            NumberKind::Floor(inner) => match self.number(inner)? {
                Code::Binary {
                    operator: Arithmetic::Divide,
                    left,
                    right,
                    on_words,
                    span,
                } if inner.ty != Type::Float => Code::Binary {
                    operator: Arithmetic::FloorDivide,
                    left,
                    right,
                    on_words,
                    span,
                },
                other => Code::Floor(Box::new(other), span),
            },
            // ⌈x/y⌉ = −⌊−x/y⌋
            NumberKind::Ceil(inner) => match self.number(inner)? {
                Code::Binary {
                    operator: Arithmetic::Divide,
                    left,
                    right,
                    on_words,
                    span,
                } if inner.ty != Type::Float => Code::Negate(Box::new(Code::Binary {
                    operator: Arithmetic::FloorDivide,
                    left: Box::new(Code::Negate(left)),
                    right,
                    on_words,
                    span,
                })),
                other => Code::Ceil(Box::new(other), span),
            },
            NumberKind::Abs(inner) => Code::Abs(self.boxed(inner)?),
            NumberKind::Min(arguments) => self.extremum(arguments, false)?,
            NumberKind::Max(arguments) => self.extremum(arguments, true)?,
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => Code::Select {
                condition: Box::new(self.test(condition)?),
                then: self.boxed(then)?,
                otherwise: self.boxed(otherwise)?,
            },
            NumberKind::Math { function, argument } => Code::Math {
                function: *function,
                argument: self.boxed(argument)?,
                span,
            },
            NumberKind::Bits {
                function,
                left,
                right,
            } => Code::Bits {
                function: *function,
                left: self.boxed(left)?,
                right: self.boxed(right)?,
                span,
            },
            NumberKind::Log { base, argument } => Code::Log {
                base: self.boxed(base)?,
                argument: self.boxed(argument)?,
                span,
            },
            NumberKind::Bracket(condition) => Code::Bracket(Box::new(self.test(condition)?)),
            NumberKind::Only(nothing) => match *nothing {},
        };
        Ok(fold(code))
    }

    fn extremum(&mut self, arguments: &[Number], larger: bool) -> Result<Code, NotReady> {
        let mut codes = Vec::new();
        for argument in arguments {
            codes.push(self.number(argument)?);
        }
        Ok(Code::Extremum {
            larger,
            arguments: codes,
        })
    }

    fn parameter(&self, id: ParamId) -> Code {
        if let Some(dimension) = self.mps.iter().position(|mp| *mp == id) {
            return Code::Mp(dimension);
        }
        if self.core == Some(id) {
            return Code::Core;
        }
        match self.program.parameter(id).kind {
            ParameterKind::WrapperLet | ParameterKind::KernelLet | ParameterKind::KernelLoop => {
                Code::Register(id)
            }
            ParameterKind::Formal
            | ParameterKind::Machine
            | ParameterKind::HeaderLet
            | ParameterKind::HostLet
            | ParameterKind::HostLoop
            | ParameterKind::KernelFormal
            | ParameterKind::Mp
            | ParameterKind::Core
            | ParameterKind::Quantifier => {
                let value = self.environment.get(id);
                Code::Const(Value::exact(
                    value.expect("the host binds it before the launch").clone(),
                ))
            }
        }
    }

    fn test(&mut self, expr: &Condition) -> Result<Test, NotReady> {
        let test = match &expr.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let mut codes = Vec::new();
                for operand in operands {
                    codes.push(self.number(operand)?);
                }
                Test::Compare {
                    operands: codes,
                    operators: operators.clone(),
                    span: expr.span,
                }
            }
            ConditionKind::And(left, right) => {
                Test::And(Box::new(self.test(left)?), Box::new(self.test(right)?))
            }
            ConditionKind::Or(left, right) => {
                Test::Or(Box::new(self.test(left)?), Box::new(self.test(right)?))
            }
            ConditionKind::Not(inner) => Test::Not(Box::new(self.test(inner)?)),
            ConditionKind::Only(nothing) => match *nothing {},
        };
        Ok(fold_test(test))
    }

    /// Whether a condition only keeps indices inside extents: every comparison is `<` or the like
    /// against the extent of an array that the block accesses.
    fn is_guard(&self, condition: &Condition, body: &[Stmt]) -> bool {
        let mut extents: Vec<&BigInt> = Vec::new();
        for variable in accessed(body) {
            extents.extend(&self.extents[variable.0 as usize]);
        }
        self.guards(condition, &extents)
    }

    fn guards(&self, condition: &Condition, extents: &[&BigInt]) -> bool {
        match &condition.kind {
            ConditionKind::And(left, right) => {
                self.guards(left, extents) && self.guards(right, extents)
            }
            ConditionKind::Compare {
                operands,
                operators,
            } => operators.iter().enumerate().all(|(at, operator)| {
                let (left, right) = (&operands[at], &operands[at + 1]);
                match operator {
                    Comparison::Less => self.is_bound(right, 0, extents) || self.is_zero(left, 0),
                    Comparison::AtMost => self.is_bound(right, 1, extents) || self.is_zero(left, 0),
                    Comparison::Greater => {
                        self.is_bound(left, 0, extents) || self.is_zero(right, 0)
                    }
                    Comparison::AtLeast => {
                        self.is_bound(left, 1, extents) || self.is_zero(right, 0)
                    }
                    Comparison::Equal
                    | Comparison::NotEqual
                    | Comparison::Divides
                    | Comparison::PowerOf => false,
                }
            }),
            _ => false,
        }
    }

    fn host_value(&self, expr: &Number) -> Option<BigInt> {
        let of_host = read_parameters(expr)
            .iter()
            .all(|id| self.environment.get(*id).is_some());
        let data_free = expr.ty == Type::Number;
        if !of_host || !data_free || Expr::from(expr).reads_words() {
            return None;
        }
        evaluate(self.program, expr, self.environment)
            .ok()?
            .to_integer()
    }

    /// `n`, or `n - 1` where a neighbour is read: an extent less a written number.
    fn is_bound(&self, expr: &Number, offset: i64, extents: &[&BigInt]) -> bool {
        let (expr, less) = match &expr.kind {
            NumberKind::Binary {
                operator: Arithmetic::Subtract,
                left,
                right,
            } if read_parameters(&**right).is_empty() => (&**left, self.host_value(right)),
            _ => (expr, Some(BigInt::zero())),
        };
        let is_extent = |value: BigInt| extents.iter().any(|extent| **extent == value);
        match (self.host_value(expr), less) {
            (Some(value), Some(less)) => {
                let whole = &value + offset;
                is_extent(whole.clone() - less) || is_extent(whole) || is_extent(value)
            }
            _ => false,
        }
    }

    fn is_zero(&self, expr: &Number, zero: i64) -> bool {
        self.host_value(expr) == Some(zero.into())
    }
}

/// The operations of a statement itself, without its body. Apart from [`Compiler::step`], so that
/// the frames of nested statements stay small.
fn operations(stmt: &Stmt) -> Operations {
    match &stmt.kind {
        StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
            operations::access_operations(target, source)
        }
        StmtKind::Assign { target, value } => operations::assign_operations(target, value),
        StmtKind::Atomic {
            target,
            operator,
            operands,
        } => operations::atomic_operations(target, *operator, operands),
        StmtKind::Let(binding) => operations::operations(&binding.value),
        StmtKind::If { condition, body: _ } | StmtKind::While { condition, .. } => {
            operations::operations(condition)
        }
        StmtKind::For { from, to, .. } => operations::bound_operations(from, to),
    }
}

/// The variables of the accesses in a block.
fn accessed(body: &[Stmt]) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut open: Vec<&Stmt> = body.iter().collect();
    while let Some(stmt) = open.pop() {
        match &stmt.kind {
            StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
                found.extend([target.variable, source.variable]);
            }
            StmtKind::Assign { target, .. } | StmtKind::Atomic { target, .. } => {
                found.push(target.variable);
            }
            StmtKind::Let(_) => {}
            StmtKind::If { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::While { body, .. } => open.extend(body),
        }
    }
    found
}

/// Evaluates what is constant; a fault stays, to be found where a core executes it.
fn fold(code: Code) -> Code {
    let folded = match &code {
        Code::Negate(inner) => constant(inner).map(value::negate),
        Code::Binary {
            operator,
            left,
            right,
            on_words: false,
            ..
        } => match (constant(left), constant(right)) {
            (Some(x), Some(y)) => value::arithmetic(*operator, x, y).ok(),
            _ => None,
        },
        Code::Ceil(inner, _) => constant(inner).and_then(|value| value::ceil(value).ok()),
        Code::Floor(inner, _) => constant(inner).and_then(|value| value::floor(value).ok()),
        Code::Abs(inner) => constant(inner).map(value::abs),
        Code::Extremum { larger, arguments } => {
            let values: Option<Vec<&Value>> = arguments.iter().map(constant).collect();
            values.and_then(|values| {
                let all = values.into_iter().cloned();
                all.reduce(|x, y| value::extremum(&x, &y, *larger))
            })
        }
        Code::Select {
            condition,
            then,
            otherwise,
        } => match (&**condition, constant(then), constant(otherwise)) {
            (Test::Const(Truth::True), Some(then), Some(other)) => Some(mixed(then, other)),
            (Test::Const(Truth::False), Some(then), Some(other)) => Some(mixed(other, then)),
            _ => None,
        },
        Code::Math {
            function, argument, ..
        } => constant(argument).and_then(|value| value::math(*function, value).ok()),
        Code::Bits {
            function,
            left,
            right,
            ..
        } => match (constant(left), constant(right)) {
            (Some(x), Some(y)) => value::bits(*function, x, y).ok(),
            _ => None,
        },
        Code::Log { base, argument, .. } => match (constant(base), constant(argument)) {
            (Some(base), Some(argument)) => value::log(base, argument).ok(),
            _ => None,
        },
        Code::Bracket(condition) => match **condition {
            Test::Const(Truth::True) => Some(Value::Int(1)),
            Test::Const(Truth::False) => Some(Value::Int(0)),
            Test::Const(Truth::Maybe)
            | Test::Compare { .. }
            | Test::And(..)
            | Test::Or(..)
            | Test::Not(_) => None,
        },
        Code::Const(_)
        | Code::Mp(_)
        | Code::Core
        | Code::Register(_)
        | Code::Word(_)
        | Code::Binary { .. } => None,
    };
    folded.map_or(code, Code::Const)
}

/// The chosen side of a `select`, in the mixed type of both.
pub(super) fn mixed(chosen: &Value, other: &Value) -> Value {
    if other.is_float() {
        chosen.to_float()
    } else {
        chosen.clone()
    }
}

fn fold_test(test: Test) -> Test {
    let truth = match &test {
        Test::Compare {
            operands,
            operators,
            ..
        } => {
            let values: Option<Vec<&Value>> = operands.iter().map(constant).collect();
            values.and_then(|values| {
                let pairs = operators.iter().zip(values.windows(2));
                let mut truth = Truth::True;
                for (operator, pair) in pairs {
                    truth = truth.and(value::compare(*operator, pair[0], pair[1]).ok()?);
                }
                Some(truth)
            })
        }
        Test::And(left, right) => match (&**left, &**right) {
            (Test::Const(x), Test::Const(y)) => Some(x.and(*y)),
            _ => None,
        },
        Test::Or(left, right) => match (&**left, &**right) {
            (Test::Const(x), Test::Const(y)) => Some(x.or(*y)),
            _ => None,
        },
        Test::Not(inner) => match &**inner {
            Test::Const(x) => Some(x.not()),
            Test::Compare { .. } | Test::And(..) | Test::Or(..) | Test::Not(_) => None,
        },
        Test::Const(_) => None,
    };
    truth.map_or(test, Test::Const)
}

fn constant(code: &Code) -> Option<&Value> {
    match code {
        Code::Const(value) => Some(value),
        _ => None,
    }
}

/// What any word of a variable may hold: its declared range, or anything of its type.
pub(super) fn declared(program: &Program, variable: VarId, environment: &Environment) -> Value {
    let variable = program.variable(variable);
    let any = match variable.word_type {
        WordType::Int => value::ANY_INT,
        WordType::Float => Value::AnyFloat,
    };
    let Some((low, high)) = &variable.range else {
        return any;
    };
    let end = |expr: &Number| evaluate(program, expr, environment).ok();
    let (Some(low), Some(high)) = (end(low), end(high)) else {
        return any;
    };
    match variable.word_type {
        WordType::Float => Value::Float(low.to_f64()).join(&Value::Float(high.to_f64())),
        WordType::Int => {
            let (low, high) = (Value::exact(low), Value::exact(high));
            // The whole numbers between two bounds that may be fractions.
            Value::between(low.bounds().1, high.bounds().0)
        }
    }
}
