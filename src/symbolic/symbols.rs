//! The checked program's data-free expressions as [`sym::Expr`].
//!
//! Header and host `let`s are written out, so every expression is over formals, machine
//! parameters and the indices of the loops around it; the printer folds `let` names back.

use std::collections::HashMap;

use crate::count::Formless;
use crate::derivation::letters::{letter_expr, symbol_of};
use crate::number::Rational;
use crate::program::{
    Arithmetic, BitFunction, ClaimNumber, Claimed, Code, Condition, ConditionKind, Extreme,
    Formula, FormulaCondition, FormulaNumber, MathFunction, Nothing, Number, NumberKind, Over,
    PairFunction, ParamId, Place, Program, Type, Unary,
};
use crate::sym::{self, Cond, Symbol, SymbolKind};
use crate::syntax::ast::Comparison;
use crate::text::Span;

/// Why an expression has no symbolic form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untranslatable {
    /// It reads data at this place.
    Data(Span),
    /// The algebra has no such operation; the place is named.
    Operation(Span),
}

impl Untranslatable {
    /// Where.
    pub(crate) fn span(self) -> Span {
        match self {
            Untranslatable::Data(span) | Untranslatable::Operation(span) => span,
        }
    }

    /// Why, wherever it is.
    pub(crate) fn formless(self) -> Formless {
        match self {
            Untranslatable::Data(_) => Formless::Data,
            Untranslatable::Operation(_) => Formless::Operation,
        }
    }
}

/// What every parameter stands for at this point of the walk.
#[derive(Debug, Clone)]
pub(crate) struct Symbols<'p> {
    program: &'p Program,
    values: HashMap<ParamId, Result<sym::Expr, Untranslatable>>,
    fresh: u32,
}

/// Whether a symbol is newer than another that is no parameter either.
pub(crate) fn is_since(symbol: &Symbol, mark: u32) -> bool {
    symbol.id.kind == SymbolKind::Local && symbol.id.number > mark
}

impl<'p> Symbols<'p> {
    /// No parameter bound yet.
    pub(crate) fn new(program: &'p Program) -> Self {
        Symbols {
            program,
            values: HashMap::new(),
            fresh: 0,
        }
    }

    /// A new symbol that no parameter has.
    pub(crate) fn fresh(&mut self, name: &str) -> Symbol {
        self.fresh += 1;
        Symbol::of(SymbolKind::Local, self.fresh, name)
    }

    /// A new symbol that is called like a parameter.
    pub(crate) fn fresh_like(&mut self, parameter: ParamId) -> Symbol {
        self.fresh(&self.program.parameter(parameter).name)
    }

    /// Binds a parameter to itself, as an unknown.
    pub(crate) fn bind_symbol(&mut self, parameter: ParamId) -> Symbol {
        let symbol = symbol_of(self.program, parameter);
        self.values
            .insert(parameter, Ok(sym::Expr::symbol(&symbol)));
        symbol
    }

    /// Binds a parameter to a value, or to the reason it has none.
    pub(crate) fn bind(&mut self, parameter: ParamId, value: Result<sym::Expr, Untranslatable>) {
        self.values.insert(parameter, value);
    }

    /// Puts a value for a symbol into everything bound.
    pub(crate) fn substitute(&mut self, symbol: &Symbol, value: &sym::Expr) {
        for bound in self.values.values_mut().flatten() {
            *bound = bound.substitute(symbol, value);
        }
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// When it is not bound; the checker has resolved every name to a binding around it.
    pub(crate) fn value(&self, parameter: ParamId) -> Result<sym::Expr, Untranslatable> {
        self.values
            .get(&parameter)
            .cloned()
            .expect("every visible parameter is bound")
    }

    /// The expression over symbols.
    pub(crate) fn expr<P: Symbolic>(&self, expr: &Number<P>) -> Result<sym::Expr, Untranslatable> {
        let value = self.value_of(expr)?;
        if value.is_unwieldy() {
            Err(Untranslatable::Operation(expr.span))
        } else {
            Ok(value)
        }
    }

    fn value_of<P: Symbolic>(&self, expr: &Number<P>) -> Result<sym::Expr, Untranslatable> {
        let impossible = || Untranslatable::Operation(expr.span);
        let is_float_leaf = matches!(
            expr.kind,
            NumberKind::Float(_) | NumberKind::Parameter(_) | NumberKind::Word(_)
        );
        if expr.ty == Type::Float && !is_float_leaf && !P::IS_EXACT {
            // A run rounds where the algebra would not: 0.7·10 is 7 there.
            return Err(impossible());
        }
        let all = |list: &[Number<P>]| {
            list.iter()
                .map(|e| self.expr(e))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match &expr.kind {
            NumberKind::Integer(value) => sym::Expr::from_bigint(value.clone()),
            NumberKind::Float(value) => {
                sym::Expr::rational(Rational::from_f64(*value).ok_or_else(impossible)?)
            }
            NumberKind::Parameter(parameter) => {
                self.value(*parameter).map_err(|reason| match reason {
                    Untranslatable::Data(_) => Untranslatable::Data(expr.span),
                    Untranslatable::Operation(span) => Untranslatable::Operation(span),
                })?
            }
            NumberKind::Word(word) => return Err(Untranslatable::Data(word.span)),
            NumberKind::Unary { operation, operand } => {
                unary(*operation, &self.expr(operand)?).ok_or_else(impossible)?
            }
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                arithmetic(*operator, &left, &right).ok_or_else(impossible)?
            }
            NumberKind::Pair {
                function,
                left,
                right,
            } => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                match function {
                    PairFunction::Bits(function) => {
                        bits(*function, &left, &right, &sym::Expr::is_power_of_two)
                            .ok_or_else(impossible)?
                    }
                    PairFunction::Log => sym::Expr::log(&left, &right),
                }
            }
            NumberKind::Extreme {
                extreme: of,
                arguments,
            } => extreme(*of)(all(arguments)?),
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.condition(condition)?;
                let (then, otherwise) = (self.expr(then)?, self.expr(otherwise)?);
                select(condition, &then, &otherwise)
            }
            NumberKind::Bracket(condition) => sym::Expr::bracket(self.condition(condition)?),
            NumberKind::Only(only) => P::number(self, only, expr.span)?,
        })
    }

    fn sum<P: Symbolic>(&self, over: &Over<Number<P>, P>) -> Result<sym::Expr, Untranslatable> {
        let mut inner = self.clone();
        let mut ranges = Vec::new();
        for binder in &over.binders {
            let (low, high) = (inner.expr(&binder.low)?, inner.expr(&binder.high)?);
            ranges.push((inner.bind_symbol(binder.parameter), low, high));
        }
        let body = inner.expr(&over.body)?;
        let facts = sym::Facts::new();
        let sum = ranges.iter().rev().fold(body, |body, (symbol, low, high)| {
            facts.sum(symbol, low, high, &body)
        });
        Ok(sum)
    }

    /// A condition over symbols.
    pub(crate) fn condition<P: Symbolic>(
        &self,
        condition: &Condition<P>,
    ) -> Result<Cond, Untranslatable> {
        Ok(match &condition.kind {
            ConditionKind::And(left, right) => {
                Cond::and(vec![self.condition(left)?, self.condition(right)?])
            }
            ConditionKind::Or(left, right) => {
                Cond::or(vec![self.condition(left)?, self.condition(right)?])
            }
            ConditionKind::Not(operand) => self.condition(operand)?.not(),
            ConditionKind::Compare { .. } => {
                let parts = self.comparisons(condition)?;
                Cond::and(parts.iter().map(Compared::condition).collect())
            }
            ConditionKind::Only(only) => P::condition(self, only, condition.span)?,
        })
    }

    /// The links of a chain of comparisons.
    pub(crate) fn comparisons<P: Symbolic>(
        &self,
        chain: &Condition<P>,
    ) -> Result<Vec<Compared>, Untranslatable> {
        let ConditionKind::Compare {
            operands,
            operators,
        } = &chain.kind
        else {
            return Err(Untranslatable::Operation(chain.span));
        };
        let values = operands
            .iter()
            .map(|e| self.expr(e))
            .collect::<Result<Vec<_>, _>>()?;
        let pairs = values.windows(2).zip(operators);
        Ok(pairs
            .map(|(pair, operator)| Compared {
                operator: *operator,
                left: pair[0].clone(),
                right: pair[1].clone(),
            })
            .collect())
    }
}

/// A place whose expressions have symbolic forms.
pub(crate) trait Symbolic: Place {
    /// Whether what stands there with floats is reckoned exactly, not as a run does.
    const IS_EXACT: bool = false;

    /// A number that only stands there.
    fn number(
        symbols: &Symbols<'_>,
        only: &Self::Number,
        span: Span,
    ) -> Result<sym::Expr, Untranslatable>;

    /// A condition that only stands there.
    fn condition(
        symbols: &Symbols<'_>,
        only: &Self::Condition,
        span: Span,
    ) -> Result<Cond, Untranslatable>;
}

impl Symbolic for Code {
    fn number(_: &Symbols<'_>, only: &Nothing, _: Span) -> Result<sym::Expr, Untranslatable> {
        match *only {}
    }

    fn condition(_: &Symbols<'_>, only: &Nothing, _: Span) -> Result<Cond, Untranslatable> {
        match *only {}
    }
}

impl Symbolic for Formula {
    fn number(
        symbols: &Symbols<'_>,
        only: &FormulaNumber,
        span: Span,
    ) -> Result<sym::Expr, Untranslatable> {
        match only {
            FormulaNumber::Sum(over) => symbols.sum(over),
            FormulaNumber::Min(_) | FormulaNumber::Max(_) => Err(Untranslatable::Operation(span)),
        }
    }

    fn condition(
        symbols: &Symbols<'_>,
        only: &FormulaCondition,
        span: Span,
    ) -> Result<Cond, Untranslatable> {
        match only {
            FormulaCondition::Implies(left, right) => {
                let (left, right) = (symbols.condition(left)?, symbols.condition(right)?);
                Ok(Cond::or(vec![left.not(), right]))
            }
            FormulaCondition::About { .. }
            | FormulaCondition::ForAll(_)
            | FormulaCondition::Exists(_) => Err(Untranslatable::Operation(span)),
        }
    }
}

impl Symbolic for Claimed {
    const IS_EXACT: bool = true;

    fn number(
        symbols: &Symbols<'_>,
        only: &ClaimNumber,
        _: Span,
    ) -> Result<sym::Expr, Untranslatable> {
        let expr = |number| symbols.expr(number);
        Ok(match only {
            ClaimNumber::Symbol(which) => letter_expr(*which),
            ClaimNumber::Sum(over) => symbols.sum(over)?,
            ClaimNumber::Gcd(x, y) => sym::Expr::gcd(&expr(x)?, &expr(y)?),
            ClaimNumber::DigitSum(x, b) => sym::Expr::digit_sum(&expr(x)?, &expr(b)?),
            ClaimNumber::FloorSum(arguments) => {
                let [n, a, c, m] = &**arguments;
                sym::Expr::floor_sum(&expr(n)?, &expr(a)?, &expr(c)?, &expr(m)?)
            }
        })
    }

    fn condition(_: &Symbols<'_>, only: &Nothing, _: Span) -> Result<Cond, Untranslatable> {
        match *only {}
    }
}

/// An operation on one number, where it has a form: of the functions of floats only the root has.
pub(crate) fn unary(operation: Unary, of: &sym::Expr) -> Option<sym::Expr> {
    Some(match operation {
        Unary::Negate => of.neg(),
        Unary::Ceil => of.ceil(),
        Unary::Floor => of.floor(),
        Unary::Abs => of.abs(),
        Unary::Math(MathFunction::Sqrt) => {
            let half = Rational::new(1, 2).expect("2 is not 0");
            of.pow(&sym::Expr::rational(half))
        }
        Unary::Math(_) => return None,
    })
}

/// An operation on two numbers, where it has a form that is not unwieldy.
pub(crate) fn arithmetic(
    operator: Arithmetic,
    left: &sym::Expr,
    right: &sym::Expr,
) -> Option<sym::Expr> {
    match operator {
        Arithmetic::Add => Some(left + right),
        Arithmetic::Subtract => Some(left - right),
        Arithmetic::Multiply => (!left.is_unwieldy_times(right)).then(|| left * right),
        Arithmetic::Divide => left.div(right),
        Arithmetic::FloorDivide => left.floor_div(right),
        Arithmetic::Modulo => left.modulo(right),
        Arithmetic::Power => Some(left.pow(right)),
    }
}

/// The function that joins the arguments of a minimum or maximum.
pub(crate) fn extreme(extreme: Extreme) -> fn(Vec<sym::Expr>) -> sym::Expr {
    match extreme {
        Extreme::Min => sym::Expr::min,
        Extreme::Max => sym::Expr::max,
    }
}

/// `[c]·x + (1 − [c])·y`
pub(crate) fn select(condition: Cond, then: &sym::Expr, otherwise: &sym::Expr) -> sym::Expr {
    let holds = sym::Expr::bracket(condition);
    &holds * then + ((sym::Expr::one() - &holds) * otherwise)
}

/// A bit function of two numbers, where it has a form: shifts always, the others where one of both is a power
/// of two, or one less. The operands are whole and not negative, or the program fails.
pub(crate) fn bits(
    function: BitFunction,
    left: &sym::Expr,
    right: &sym::Expr,
    is_power: &dyn Fn(&sym::Expr) -> bool,
) -> Option<sym::Expr> {
    let scale = || sym::Expr::int(2).pow(right);
    let common = || bits_in_common(left, right, is_power);
    match function {
        BitFunction::ShiftLeft => Some(left * scale()),
        BitFunction::ShiftRight => left.floor_div(&scale()),
        BitFunction::And => common(),
        // x + y counts the bits in common twice.
        BitFunction::Or => Some(left + right - common()?),
        BitFunction::Xor => Some(left + right - common()?.scale(&2.into())),
    }
}

/// `bitand(x, y)` where one of both is a power of two, or one less: d·(⌊x/d⌋ mod 2), or x mod d. The
/// operands are whole and not negative, or the program fails.
fn bits_in_common(
    x: &sym::Expr,
    y: &sym::Expr,
    is_power: &dyn Fn(&sym::Expr) -> bool,
) -> Option<sym::Expr> {
    let two = sym::Expr::int(2);
    for (x, y) in [(x, y), (y, x)] {
        if is_power(y) {
            return Some(y * x.floor_div(y)?.modulo(&two)?);
        }
        let past = y + sym::Expr::one();
        if is_power(&past) {
            return x.modulo(&past);
        }
    }
    None
}

/// One comparison of two expressions over symbols.
#[derive(Debug, Clone)]
pub(crate) struct Compared {
    /// How they compare.
    pub(crate) operator: Comparison,
    /// The left side.
    pub(crate) left: sym::Expr,
    /// The right side.
    pub(crate) right: sym::Expr,
}

impl Compared {
    /// As a condition of the algebra.
    pub(crate) fn condition(&self) -> Cond {
        compared(self.operator, &self.left, &self.right)
    }
}

/// A comparison as a condition of the algebra.
pub(crate) fn compared(operator: Comparison, left: &sym::Expr, right: &sym::Expr) -> Cond {
    match operator {
        Comparison::Equal => Cond::eq(left, right),
        Comparison::NotEqual => Cond::ne(left, right),
        Comparison::Less => Cond::lt(left, right),
        Comparison::AtMost => Cond::le(left, right),
        Comparison::Greater => Cond::gt(left, right),
        Comparison::AtLeast => Cond::ge(left, right),
        Comparison::Divides => Cond::divides(left, right),
        Comparison::PowerOf => Cond::power_of(left, right),
    }
}
