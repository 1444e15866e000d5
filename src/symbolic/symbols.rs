//! The checked program's data-free expressions as [`sym::Expr`].
//!
//! Header and host `let`s are written out, so every expression is over formals, machine
//! parameters and the indices of the loops around it; the printer folds `let` names back.

use std::collections::HashMap;

use crate::count::Formless;
use crate::derivation::letters::{is_letter, letter_expr, symbol_of};
use crate::number::Rational;
use crate::program::{Arithmetic, BitFunction, Expr, ExprKind, MathFunction, ParamId, Program};
use crate::sym::{self, Cond, Symbol};
use crate::syntax::ast::{Comparison, Quantifier};
use crate::text::Span;

/// Ids of symbols that are no parameter of the program start here.
const FIRST_FRESH: u32 = 1 << 24;

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
    symbol.id > mark && !is_letter(symbol)
}

impl<'p> Symbols<'p> {
    /// No parameter bound yet.
    pub(crate) fn new(program: &'p Program) -> Self {
        Symbols {
            program,
            values: HashMap::new(),
            fresh: FIRST_FRESH,
        }
    }

    /// A new symbol that no parameter has.
    pub(crate) fn fresh(&mut self, name: &str) -> Symbol {
        self.fresh += 1;
        Symbol::new(self.fresh, name)
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
    pub(crate) fn expr(&self, expr: &Expr) -> Result<sym::Expr, Untranslatable> {
        let value = self.value_of(expr)?;
        match value.is_unwieldy() {
            true => Err(Untranslatable::Operation(expr.span)),
            false => Ok(value),
        }
    }

    fn value_of(&self, expr: &Expr) -> Result<sym::Expr, Untranslatable> {
        let impossible = || Untranslatable::Operation(expr.span);
        let all = |list: &[Expr]| {
            list.iter()
                .map(|e| self.expr(e))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(match &expr.kind {
            ExprKind::Integer(value) => sym::Expr::from_bigint(value.clone()),
            ExprKind::Float(value) => {
                sym::Expr::rational(Rational::from_f64(*value).ok_or_else(impossible)?)
            }
            ExprKind::Parameter(parameter) => {
                self.value(*parameter).map_err(|reason| match reason {
                    Untranslatable::Data(_) => Untranslatable::Data(expr.span),
                    Untranslatable::Operation(span) => Untranslatable::Operation(span),
                })?
            }
            ExprKind::Word(word) => return Err(Untranslatable::Data(word.span)),
            ExprKind::Negate(operand) => self.expr(operand)?.neg(),
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                if *operator == Arithmetic::Multiply && left.is_unwieldy_times(&right) {
                    return Err(impossible());
                }
                match operator {
                    Arithmetic::Add => left.add(&right),
                    Arithmetic::Subtract => left.sub(&right),
                    Arithmetic::Multiply => left.mul(&right),
                    Arithmetic::Divide => left.div(&right).ok_or_else(impossible)?,
                    Arithmetic::FloorDivide => left.floor_div(&right).ok_or_else(impossible)?,
                    Arithmetic::Modulo => left.modulo(&right).ok_or_else(impossible)?,
                    Arithmetic::Power => left.pow(&right),
                }
            }
            ExprKind::Ceil(operand) => self.expr(operand)?.ceil(),
            ExprKind::Floor(operand) => self.expr(operand)?.floor(),
            ExprKind::Abs(operand) => self.expr(operand)?.abs(),
            ExprKind::Min(operands) => sym::Expr::min(all(operands)?),
            ExprKind::Max(operands) => sym::Expr::max(all(operands)?),
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.condition(condition)?;
                let (then, otherwise) = (self.expr(then)?, self.expr(otherwise)?);
                let holds = sym::Expr::bracket(condition);
                holds
                    .mul(&then)
                    .add(&sym::Expr::one().sub(&holds).mul(&otherwise))
            }
            ExprKind::Math {
                function: MathFunction::Sqrt,
                argument,
            } => {
                let half = Rational::new(1, 2).expect("2 is not 0");
                self.expr(argument)?.pow(&sym::Expr::rational(half))
            }
            ExprKind::Math { .. } => return Err(impossible()),
            ExprKind::Bits {
                function,
                left,
                right,
            } => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                let scale = sym::Expr::int(2).pow(&right);
                match function {
                    BitFunction::ShiftLeft => left.mul(&scale),
                    BitFunction::ShiftRight => left.floor_div(&scale).ok_or_else(impossible)?,
                    BitFunction::And => bits_in_common(&left, &right).ok_or_else(impossible)?,
                    // x + y counts the bits in common twice.
                    BitFunction::Or => {
                        let common = bits_in_common(&left, &right).ok_or_else(impossible)?;
                        left.add(&right).sub(&common)
                    }
                    BitFunction::Xor => {
                        let common = bits_in_common(&left, &right).ok_or_else(impossible)?;
                        left.add(&right).sub(&common).sub(&common)
                    }
                }
            }
            ExprKind::Log { base, argument } => {
                sym::Expr::log(&self.expr(base)?, &self.expr(argument)?)
            }
            ExprKind::Bracket(condition) => sym::Expr::bracket(self.condition(condition)?),
            ExprKind::Symbol(which) => letter_expr(*which),
            ExprKind::Gcd(x, y) => sym::Expr::gcd(&self.expr(x)?, &self.expr(y)?),
            ExprKind::DigitSum(x, b) => sym::Expr::digit_sum(&self.expr(x)?, &self.expr(b)?),
            ExprKind::FloorSum(arguments) => {
                let [n, a, c, m] = &**arguments;
                sym::Expr::floor_sum(
                    &self.expr(n)?,
                    &self.expr(a)?,
                    &self.expr(c)?,
                    &self.expr(m)?,
                )
            }
            ExprKind::Quantified {
                quantifier: Quantifier::Sum,
                binders,
                body,
            } => {
                let mut inner = self.clone();
                let mut ranges = Vec::new();
                for binder in binders {
                    let (low, high) = (inner.expr(&binder.low)?, inner.expr(&binder.high)?);
                    ranges.push((inner.bind_symbol(binder.parameter), low, high));
                }
                let body = inner.expr(body)?;
                let facts = sym::Facts::new();
                ranges.iter().rev().fold(body, |body, (symbol, low, high)| {
                    facts.sum(symbol, low, high, &body)
                })
            }
            ExprKind::Quantified { .. }
            | ExprKind::Compare { .. }
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Not(_)
            | ExprKind::Implies(..) => return Err(impossible()),
        })
    }

    /// A condition over symbols.
    pub(crate) fn condition(&self, condition: &Expr) -> Result<Cond, Untranslatable> {
        Ok(match &condition.kind {
            ExprKind::And(left, right) => {
                Cond::and(vec![self.condition(left)?, self.condition(right)?])
            }
            ExprKind::Or(left, right) => {
                Cond::or(vec![self.condition(left)?, self.condition(right)?])
            }
            ExprKind::Not(operand) => self.condition(operand)?.not(),
            ExprKind::Implies(left, right) => {
                Cond::or(vec![self.condition(left)?.not(), self.condition(right)?])
            }
            ExprKind::Compare { .. } => {
                let parts = self.comparisons(condition)?;
                Cond::and(parts.iter().map(Compared::condition).collect())
            }
            ExprKind::Quantified { .. } => return Err(Untranslatable::Operation(condition.span)),
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Parameter(_)
            | ExprKind::Word(_)
            | ExprKind::Negate(_)
            | ExprKind::Binary { .. }
            | ExprKind::Ceil(_)
            | ExprKind::Floor(_)
            | ExprKind::Abs(_)
            | ExprKind::Min(_)
            | ExprKind::Max(_)
            | ExprKind::Select { .. }
            | ExprKind::Math { .. }
            | ExprKind::Bits { .. }
            | ExprKind::Log { .. }
            | ExprKind::Bracket(_)
            | ExprKind::Symbol(_)
            | ExprKind::Gcd(..)
            | ExprKind::DigitSum(..)
            | ExprKind::FloorSum(_) => {
                unreachable!("the checker lets no number stand as a condition")
            }
        })
    }

    /// The links of a chain of comparisons.
    pub(crate) fn comparisons(&self, chain: &Expr) -> Result<Vec<Compared>, Untranslatable> {
        let ExprKind::Compare {
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

/// `bitand(x, y)` where one of both is a power of two, or one less: d·(⌊x/d⌋ mod 2), or x mod d. The
/// operands are whole and not negative, or the program fails.
fn bits_in_common(x: &sym::Expr, y: &sym::Expr) -> Option<sym::Expr> {
    let two = sym::Expr::int(2);
    for (x, y) in [(x, y), (y, x)] {
        if y.is_power_of_two() {
            return Some(y.mul(&x.floor_div(y)?.modulo(&two)?));
        }
        let past = y.add(&sym::Expr::one());
        if past.is_power_of_two() {
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
        let (left, right) = (&self.left, &self.right);
        match self.operator {
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
}
