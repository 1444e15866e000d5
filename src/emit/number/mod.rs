//! Numbers and conditions of the program as terms.
//!
//! On parameters `/` is exact (language.md §2.3), so what is no whole number yet is carried as a
//! numerator and a denominator until it is rounded, compared or whole again; C never sees a
//! fraction. Floor division is C's own where neither side can be negative.

mod bounds;

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;

use crate::emit::error::{EmitError, Unsupported};
use crate::emit::names::NamesInC;
use crate::emit::target::Words;
use crate::emit::term::Term;
use crate::meaning::launch::fold::Folder;
use crate::meaning::value::Value;
use crate::program::{
    Arithmetic, BitFunction, Comparison, Condition, ConditionKind, Expr, MathFunction, Number,
    NumberKind, ParamId, ParameterKind, Place, Program, Scope, Type, VarId, Word, WordType,
};
use crate::text::Span;

pub(crate) use bounds::Bounds;

type Result<T> = std::result::Result<T, EmitError>;

/// What a number becomes.
#[derive(Debug, Clone)]
enum Lowered {
    Whole(Term),
    /// Numerator, denominator, and whether the denominator is known to be positive.
    Ratio(Term, Term, bool),
    Real(Term),
}

/// What is known of the parameters around an expression.
#[derive(Debug)]
pub(crate) struct Numbers<'p> {
    pub program: &'p Program,
    pub names: NamesInC,
    /// Who is written for, in messages.
    pub target: &'static str,
    /// p, b, M, G.
    pub machine: HashMap<ParamId, i64>,
    /// Whether ints of the program's arrays have 32 bits.
    has_short_ints: bool,
    /// Between which values whole parameters lie.
    pub bounds: HashMap<ParamId, Bounds>,
    /// Parameters that every core has of its own.
    pub registers: HashSet<ParamId>,
    /// Shared variables that are registers of the kernel: every core has its own.
    pub single: Vec<VarId>,
    /// Names that stand for powers of two, each with its exponent.
    powers: HashMap<String, Term>,
    /// Parameters read since somebody last looked.
    pub used: IndexSet<ParamId>,
    /// Exact reals met since the last rounding, each whole or irrational.
    irrational: u32,
    /// Those of them of which a multiple may be whole and they not: logarithms to a power's base.
    broken: u32,
}

impl<'p> Numbers<'p> {
    pub(crate) fn new(
        program: &'p Program,
        target: &'static str,
        machine: [i64; 4],
        words: Words,
    ) -> Self {
        let ids = &program.machine;
        let machine = [ids.p, ids.b, ids.m, ids.g].into_iter().zip(machine);
        let machine: HashMap<ParamId, i64> = machine.collect();
        let bounds = machine.iter().map(|(id, value)| (*id, Bounds::of(*value)));
        let mut numbers = Numbers {
            program,
            names: NamesInC::new(program),
            target,
            has_short_ints: words.int32,
            bounds: bounds.collect(),
            machine,
            registers: HashSet::new(),
            single: Vec::new(),
            powers: HashMap::new(),
            used: IndexSet::new(),
            irrational: 0,
            broken: 0,
        };
        for formal in &program.formals {
            numbers.bounds.insert(*formal, Bounds::from(0));
        }
        numbers
    }

    pub(crate) fn unsupported(&self, what: Unsupported, span: Span) -> EmitError {
        EmitError::Unsupported {
            target: self.target,
            what,
            span,
        }
    }

    /// A number that is whole where it stands.
    pub(crate) fn whole<P: Place>(&mut self, number: &Number<P>) -> Result<Term> {
        let before = std::mem::take(&mut self.irrational);
        let lowered = self.number(number)?;
        let met = std::mem::replace(&mut self.irrational, before);
        match lowered {
            _ if met > 1 => Err(self.unsupported(Unsupported::Irrational, number.span)),
            Lowered::Whole(term) => Ok(term),
            Lowered::Ratio(numerator, denominator, _) => {
                Ok(self.floor_div(numerator, denominator, false))
            }
            // `check` admits no float where a whole number is needed.
            Lowered::Real(term) => Ok(Term::call("floor_real", vec![term])),
        }
    }

    /// A number as a float.
    pub(crate) fn real<P: Place>(&mut self, number: &Number<P>) -> Result<Term> {
        if let Type::Number = number.ty {
            match &number.kind {
                NumberKind::Math {
                    function: MathFunction::Sqrt,
                    argument,
                } => return Ok(Term::call("sqrt", vec![self.real(argument)?])),
                NumberKind::Log { base, argument } => {
                    let of = vec![self.real(base)?, self.real(argument)?];
                    return Ok(Term::call("log_real", of));
                }
                _ => {}
            }
        }
        let lowered = self.rational(number)?;
        Ok(into_real(lowered))
    }

    /// A number of which nothing may be irrational.
    fn rational<P: Place>(&mut self, number: &Number<P>) -> Result<Lowered> {
        let before = std::mem::take(&mut self.irrational);
        let lowered = self.number(number)?;
        match std::mem::replace(&mut self.irrational, before) {
            0 => Ok(lowered),
            _ => Err(self.unsupported(Unsupported::Irrational, number.span)),
        }
    }

    /// A word's value in the type of the variable it goes to.
    pub(crate) fn of_type<P: Place>(&mut self, number: &Number<P>, ty: WordType) -> Result<Term> {
        match ty {
            WordType::Int => self.whole(number),
            WordType::Float => self.real(number),
        }
    }

    /// A parameter as its name.
    pub(crate) fn parameter(&mut self, id: ParamId) -> Term {
        let name = self.names.parameter(id).to_owned();
        if self.registers.contains(&id) {
            Term::Register(name)
        } else {
            self.used.insert(id);
            Term::Name(name)
        }
    }

    /// A word of an array, at its place in a row.
    pub(crate) fn word<P: Place>(&mut self, word: &Word<P>) -> Result<Term> {
        if self.single.contains(&word.variable) {
            let name = self.names.variable(word.variable);
            return Ok(Term::Register(name.to_owned()));
        }
        let place = self.place(word)?;
        let name = self.names.variable(word.variable).to_owned();
        Ok(Term::Word(name, Box::new(place)))
    }

    /// Where in its array a word lies.
    pub(crate) fn place<P: Place>(&mut self, word: &Word<P>) -> Result<Term> {
        let program = self.program;
        let dimensions = &program.variable(word.variable).dimensions;
        let mut place = Term::Whole(0);
        for (at, index) in word.indices.iter().enumerate() {
            let index = self.whole(index)?;
            place = match at {
                0 => index,
                _ => {
                    let extent = self.whole(&dimensions[at])?;
                    Term::infix("+", Term::infix("*", place, extent), index)
                }
            };
        }
        Ok(place)
    }

    /// The number of words of a variable.
    pub(crate) fn words(&mut self, variable: VarId) -> Result<Term> {
        let program = self.program;
        let mut words = Term::Whole(1);
        for extent in &program.variable(variable).dimensions {
            words = Term::infix("*", words, self.whole(extent)?);
        }
        Ok(words)
    }

    /// What the machine's parameters alone decide.
    pub(crate) fn constant<P: Place>(&self, number: &Number<P>) -> Option<Value> {
        let known = |id: ParamId| self.machine.get(&id).map(|value| Value::Whole(*value));
        let all = |_| true;
        let folded = Folder::new(&known, &all).number(number);
        folded.constant().cloned()
    }

    /// Takes in a parameter, and between which values it lies.
    pub(crate) fn bind(&mut self, id: ParamId, bounds: Bounds) {
        self.powers.remove(self.names.parameter(id));
        self.bounds.insert(id, bounds);
    }

    /// Takes in what a bound parameter is. Nothing that its value names is declared again where it is visible.
    pub(crate) fn define(&mut self, id: ParamId, value: &Term) {
        if let Some(exponent) = self.exponent(value) {
            let name = self.names.parameter(id).to_owned();
            self.powers.insert(name, exponent);
        }
    }

    /// k, where a term is 2^k and known to be.
    fn exponent(&self, term: &Term) -> Option<Term> {
        match term {
            Term::Name(name) => self.powers.get(name).cloned(),
            Term::Infix("*", left, right) => {
                let whole = |side: &Term| match side {
                    Term::Whole(value) if *value > 0 && value.count_ones() == 1 => {
                        Some(Term::Whole(value.trailing_zeros().into()))
                    }
                    side => self.exponent(side),
                };
                Some(Term::infix("+", whole(left)?, whole(right)?))
            }
            Term::Call("shift_left", of) if of[0] == Term::Whole(1) => Some(of[1].clone()),
            _ => None,
        }
    }

    /// `⌊over/under⌋`; `is_plain` where neither is negative.
    fn floor_div(&self, over: Term, under: Term, is_plain: bool) -> Term {
        match self.exponent(&under) {
            Some(exponent) => Term::call("shift_right", vec![over, exponent]),
            // C's own.
            None if is_plain => Term::infix("/", over.narrowed_word(), under.narrowed_word()),
            None => Term::call("floor_div", vec![over, under]),
        }
    }

    /// `⌈over/under⌉`; `is_plain` where neither is negative.
    fn ceil_div(&self, over: Term, under: Term, is_plain: bool) -> Term {
        match self.exponent(&under) {
            // The least number has no opposite.
            Some(exponent) if is_plain => {
                let negated = Term::prefix("-", over);
                let quotient = Term::call("shift_right", vec![negated, exponent]);
                Term::prefix("-", quotient)
            }
            _ => Term::call("ceil_div", vec![over, under]),
        }
    }

    /// What floor division leaves; `is_plain` where neither is negative.
    fn floor_mod(&self, over: Term, under: Term, is_plain: bool) -> Term {
        match self.exponent(&under) {
            Some(_) => Term::infix("&", over, Term::infix("-", under, Term::Whole(1))),
            None if is_plain => Term::infix("%", over.narrowed_word(), under.narrowed_word()),
            None => Term::call("floor_mod", vec![over, under]),
        }
    }

    fn number<P: Place>(&mut self, number: &Number<P>) -> Result<Lowered> {
        let is_hard = matches!(
            number.kind,
            NumberKind::Log { .. }
                | NumberKind::Math { .. }
                | NumberKind::Binary {
                    operator: Arithmetic::Power,
                    ..
                }
        );
        if is_hard && number.ty == Type::Number {
            match self.constant(number) {
                Some(Value::Whole(whole)) => return Ok(Lowered::Whole(Term::Whole(whole))),
                Some(Value::Exact(_) | Value::Float(_)) | None => {}
            }
        }
        Ok(match &number.kind {
            NumberKind::Integer(value) => {
                let value = i64::try_from(value)
                    .map_err(|_| self.unsupported(Unsupported::Wide, number.span))?;
                Lowered::Whole(Term::Whole(value))
            }
            NumberKind::Float(value) => Lowered::Real(Term::Real(*value)),
            NumberKind::Parameter(id) => {
                let is_float = self.program.parameter(*id).ty == Type::Float;
                let term = self.parameter(*id);
                if is_float {
                    Lowered::Real(term)
                } else {
                    Lowered::Whole(term)
                }
            }
            NumberKind::Word(word) => {
                let variable = self.program.variable(word.variable);
                if variable.scope == Scope::Global {
                    return Err(self.unsupported(Unsupported::GlobalOnHost, word.span));
                }
                let is_float = variable.word_type == WordType::Float;
                let term = self.word(word)?;
                match is_float {
                    true => Lowered::Real(term),
                    // What is computed of words has 64 bits.
                    false if self.has_short_ints => Lowered::Whole(term.into_whole()),
                    false => Lowered::Whole(term),
                }
            }
            NumberKind::Negate(of) => match self.number(of)? {
                Lowered::Whole(term) => Lowered::Whole(Term::prefix("-", term)),
                Lowered::Ratio(over, under, is_positive) => {
                    Lowered::Ratio(Term::prefix("-", over), under, is_positive)
                }
                Lowered::Real(term) => Lowered::Real(Term::prefix("-", term)),
            },
            NumberKind::Binary {
                operator,
                left,
                right,
            } => self.binary(*operator, left, right, number)?,
            NumberKind::Floor(of) => Lowered::Whole(self.rounded(of, true)?),
            NumberKind::Ceil(of) => Lowered::Whole(self.rounded(of, false)?),
            NumberKind::Abs(of) => match self.number(of)? {
                Lowered::Whole(term) => Lowered::Whole(Term::call("absolute", vec![term])),
                Lowered::Ratio(over, under, is_positive) => {
                    let under = if is_positive {
                        under
                    } else {
                        Term::call("absolute", vec![under])
                    };
                    Lowered::Ratio(Term::call("absolute", vec![over]), under, is_positive)
                }
                Lowered::Real(term) => Lowered::Real(Term::call("fabs", vec![term])),
            },
            NumberKind::Min(of) => self.extreme(of, number, "least", "<=")?,
            NumberKind::Max(of) => self.extreme(of, number, "greatest", ">=")?,
            NumberKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.condition(condition)?;
                if number.ty == Type::Float {
                    let (then, otherwise) = (self.real(then)?, self.real(otherwise)?);
                    return Ok(Lowered::Real(Term::choice(condition, then, otherwise)));
                }
                match (self.number(then)?, self.number(otherwise)?) {
                    (Lowered::Whole(then), Lowered::Whole(otherwise)) => {
                        Lowered::Whole(Term::choice(condition, then, otherwise))
                    }
                    (then, otherwise) => {
                        let (x, u, is_x) = parts(then);
                        let (y, v, is_y) = parts(otherwise);
                        let over = Term::choice(condition.clone(), x, y);
                        Lowered::Ratio(over, Term::choice(condition, u, v), is_x && is_y)
                    }
                }
            }
            NumberKind::Math { function, argument } => self.math(*function, argument, number)?,
            NumberKind::Bits {
                function,
                left,
                right,
            } => {
                let (left, right) = (self.whole(left)?, self.whole(right)?);
                Lowered::Whole(match function {
                    BitFunction::And => Term::infix("&", left, right),
                    BitFunction::Or => Term::infix("|", left, right),
                    BitFunction::Xor => Term::infix("^", left, right),
                    BitFunction::ShiftLeft => Term::call("shift_left", vec![left, right]),
                    BitFunction::ShiftRight => Term::call("shift_right", vec![left, right]),
                })
            }
            NumberKind::Log { base, argument } => {
                if number.ty == Type::Float {
                    let of = vec![self.real(base)?, self.real(argument)?];
                    return Ok(Lowered::Real(Term::call("log_real", of)));
                }
                // Of a base that is no power, a logarithm that is rational is whole.
                match self.constant(base) {
                    Some(Value::Whole(base)) if base >= 2 && !is_perfect_power(base) => {}
                    _ => self.broken += 1,
                }
                self.irrational += 1;
                Lowered::Whole(self.log("floor_log", base, argument)?)
            }
            NumberKind::Bracket(condition) => {
                let holds = self.condition(condition)?;
                Lowered::Whole(Term::choice(holds, Term::Whole(1), Term::Whole(0)))
            }
            NumberKind::Only(_) => {
                return Err(self.unsupported(Unsupported::Irrational, number.span));
            }
        })
    }

    fn binary<P: Place>(
        &mut self,
        operator: Arithmetic,
        left: &Number<P>,
        right: &Number<P>,
        whole: &Number<P>,
    ) -> Result<Lowered> {
        if whole.ty == Type::Float {
            let (x, y) = (self.real(left)?, self.real(right)?);
            return Ok(Lowered::Real(match operator {
                Arithmetic::Add => Term::infix("+", x, y),
                Arithmetic::Subtract => Term::infix("-", x, y),
                Arithmetic::Multiply => Term::infix("*", x, y),
                Arithmetic::Divide => Term::infix("/", x, y),
                Arithmetic::Power => Term::call("pow", vec![x, y]),
                Arithmetic::FloorDivide | Arithmetic::Modulo => {
                    unreachable!("checked: of whole numbers only")
                }
            }));
        }
        let (low, high) = (self.bounds_of(left), self.bounds_of(right));
        let is_plain = low.is_at_least(0) && high.is_at_least(1);
        if operator == Arithmetic::Power {
            let Lowered::Whole(base) = self.number(left)? else {
                return Err(self.unsupported(Unsupported::Irrational, whole.span));
            };
            let Lowered::Whole(exponent) = self.number(right)? else {
                return Err(self.unsupported(Unsupported::Irrational, whole.span));
            };
            let power = |exponent| Term::power(base.clone(), exponent);
            if high.is_at_least(0) {
                return Ok(Lowered::Whole(power(exponent)));
            }
            let part = |sign: Term| Term::call("greatest", vec![sign, Term::Whole(0)]);
            let negative = Term::prefix("-", exponent.clone());
            let (over, under) = (power(part(exponent)), power(part(negative)));
            return Ok(Lowered::Ratio(over, under, low.is_at_least(1)));
        }
        let before = self.irrational;
        let broken = self.broken;
        let x = self.number(left)?;
        let of_left = self.irrational - before;
        let y = self.number(right)?;
        // An irrational number times or over another may be whole.
        let is_of_both = of_left > 0 && self.irrational - before > of_left;
        let is_sum = matches!(operator, Arithmetic::Add | Arithmetic::Subtract);
        let is_multiple = !is_sum && operator != Arithmetic::Multiply;
        if is_of_both
            || (self.irrational > before && is_multiple)
            || (self.broken > broken && !is_sum)
        {
            return Err(self.unsupported(Unsupported::Irrational, whole.span));
        }
        Ok(match (operator, x, y) {
            (Arithmetic::Add, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(Term::infix("+", x, y))
            }
            (Arithmetic::Subtract, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(Term::infix("-", x, y))
            }
            (Arithmetic::Multiply, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(Term::infix("*", x, y))
            }
            (Arithmetic::FloorDivide, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(self.floor_div(x, y, is_plain))
            }
            (Arithmetic::Modulo, Lowered::Whole(x), Lowered::Whole(y)) => {
                Lowered::Whole(self.floor_mod(x, y, is_plain))
            }
            (operator, x, y) => {
                let (x, u, is_u) = parts(x);
                let (y, v, is_v) = parts(y);
                let product = |x: &Term, y: &Term| Term::infix("*", x.clone(), y.clone());
                let positive = is_u && is_v;
                let is_over_positive = positive && high.is_at_least(1);
                match operator {
                    Arithmetic::Add | Arithmetic::Subtract => {
                        let sign = if operator == Arithmetic::Add {
                            "+"
                        } else {
                            "-"
                        };
                        if u == v {
                            Lowered::Ratio(Term::infix(sign, x, y), u, is_u)
                        } else {
                            let over = Term::infix(sign, product(&x, &v), product(&y, &u));
                            Lowered::Ratio(over, product(&u, &v), positive)
                        }
                    }
                    Arithmetic::Multiply => {
                        Lowered::Ratio(product(&x, &y), product(&u, &v), positive)
                    }
                    Arithmetic::Divide => {
                        Lowered::Ratio(product(&x, &v), product(&u, &y), is_over_positive)
                    }
                    Arithmetic::FloorDivide => {
                        let (over, under) = (product(&x, &v), product(&u, &y));
                        Lowered::Whole(self.floor_div(over, under, false))
                    }
                    // x/u − ⌊(x·v)/(u·y)⌋·y/v
                    Arithmetic::Modulo => {
                        let quotient = self.floor_div(product(&x, &v), product(&u, &y), false);
                        let times = Term::infix("*", product(&y, &u), quotient);
                        let over = Term::infix("-", product(&x, &v), times);
                        Lowered::Ratio(over, product(&u, &v), positive)
                    }
                    Arithmetic::Power => unreachable!("done above"),
                }
            }
        })
    }

    /// `⌊of⌋` or `⌈of⌉`.
    fn rounded<P: Place>(&mut self, of: &Number<P>, is_floor: bool) -> Result<Term> {
        if of.ty == Type::Float {
            let function = if is_floor { "floor_real" } else { "ceil_real" };
            return Ok(Term::call(function, vec![self.real(of)?]));
        }
        match &of.kind {
            NumberKind::Log { base, argument } => {
                if let Some(value) = self.constant(of) {
                    let rounded = if is_floor {
                        crate::meaning::arithmetic::floor(&value)
                    } else {
                        crate::meaning::arithmetic::ceil(&value)
                    };
                    if let Ok(Value::Whole(whole)) = rounded {
                        return Ok(Term::Whole(whole));
                    }
                }
                let function = if is_floor { "floor_log" } else { "ceil_log" };
                return self.log(function, base, argument);
            }
            NumberKind::Math {
                function: MathFunction::Sqrt,
                argument,
            } => {
                let (over, under, _) = parts(self.rational(argument)?);
                let function = if is_floor { "floor_root" } else { "ceil_root" };
                return Ok(Term::call(function, vec![over, under]));
            }
            _ => {}
        }
        let is_natural = self.bounds_of(of).is_at_least(0);
        Ok(match self.rational(of)? {
            Lowered::Whole(term) => term,
            Lowered::Ratio(over, under, is_positive) => {
                let is_plain = is_positive && is_natural;
                if is_floor {
                    self.floor_div(over, under, is_plain)
                } else {
                    self.ceil_div(over, under, is_plain)
                }
            }
            Lowered::Real(_) => unreachable!("its type says so"),
        })
    }

    /// The first whole number that is not below a number, or the last that is not above.
    pub(crate) fn rounded_end(&mut self, number: &Number, is_low: bool) -> Result<Term> {
        self.rounded(number, !is_low)
    }

    fn log<P: Place>(
        &mut self,
        function: &'static str,
        base: &Number<P>,
        argument: &Number<P>,
    ) -> Result<Term> {
        if !self.bounds_of(base).is_at_least(2) {
            return Err(self.unsupported(Unsupported::Base, base.span));
        }
        let base = self.whole(base)?;
        let (over, under, _) = parts(self.rational(argument)?);
        Ok(Term::log(function, base, over, under))
    }

    fn math<P: Place>(
        &mut self,
        function: MathFunction,
        argument: &Number<P>,
        whole: &Number<P>,
    ) -> Result<Lowered> {
        if whole.ty == Type::Float {
            let function = match function {
                MathFunction::Sqrt => "sqrt",
                MathFunction::Exp => "exp",
                MathFunction::Ln => "log",
                MathFunction::Sin => "sin",
                MathFunction::Cos => "cos",
            };
            return Ok(Lowered::Real(Term::call(
                function,
                vec![self.real(argument)?],
            )));
        }
        // A root of a whole number that is rational is whole.
        let Lowered::Whole(argument) = self.rational(argument)? else {
            return Err(self.unsupported(Unsupported::Irrational, whole.span));
        };
        self.irrational += 1;
        let root = Term::call("floor_root", vec![argument, Term::Whole(1)]);
        Ok(Lowered::Whole(root))
    }

    fn extreme<P: Place>(
        &mut self,
        of: &[Number<P>],
        whole: &Number<P>,
        function: &'static str,
        better: &'static str,
    ) -> Result<Lowered> {
        if whole.ty == Type::Float {
            let function = match function {
                "least" => "least_real",
                _ => "greatest_real",
            };
            let mut best = self.real(&of[0])?;
            for next in &of[1..] {
                best = Term::call(function, vec![best, self.real(next)?]);
            }
            return Ok(Lowered::Real(best));
        }
        let mut best = self.rational(&of[0])?;
        for next in &of[1..] {
            best = match (best, self.rational(next)?) {
                (Lowered::Whole(x), Lowered::Whole(y)) => {
                    Lowered::Whole(Term::call(function, vec![x, y]))
                }
                (best, next) => {
                    let is_better = compare(better, best.clone(), next.clone());
                    let (x, u, is_u) = parts(best);
                    let (y, v, is_v) = parts(next);
                    let over = Term::choice(is_better.clone(), x, y);
                    Lowered::Ratio(over, Term::choice(is_better, u, v), is_u && is_v)
                }
            };
        }
        Ok(best)
    }

    /// A condition.
    pub(crate) fn condition<P: Place>(&mut self, condition: &Condition<P>) -> Result<Term> {
        Ok(match &condition.kind {
            ConditionKind::Compare {
                operands,
                operators,
            } => {
                let mut all: Option<Term> = None;
                for (operator, pair) in operators.iter().zip(operands.windows(2)) {
                    let term = self.comparison(*operator, &pair[0], &pair[1])?;
                    all = Some(match all {
                        Some(all) => Term::infix("&&", all, term),
                        None => term,
                    });
                }
                all.expect("a chain has a comparison")
            }
            ConditionKind::And(left, right) => {
                Term::infix("&&", self.condition(left)?, self.condition(right)?)
            }
            ConditionKind::Or(left, right) => {
                Term::infix("||", self.condition(left)?, self.condition(right)?)
            }
            ConditionKind::Not(of) => Term::not(self.condition(of)?),
            ConditionKind::Only(_) => {
                return Err(self.unsupported(Unsupported::Irrational, condition.span));
            }
        })
    }

    fn comparison<P: Place>(
        &mut self,
        operator: Comparison,
        left: &Number<P>,
        right: &Number<P>,
    ) -> Result<Term> {
        let operator = match operator {
            Comparison::Divides => {
                let of = vec![self.whole(left)?, self.whole(right)?];
                return Ok(Term::call("divides", of));
            }
            Comparison::PowerOf => {
                let of = vec![self.whole(left)?, self.whole(right)?];
                return Ok(Term::call("is_power_of", of));
            }
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        };
        if Type::Float == left.ty || Type::Float == right.ty {
            return Ok(Term::infix(operator, self.real(left)?, self.real(right)?));
        }
        Ok(compare(
            operator,
            self.rational(left)?,
            self.rational(right)?,
        ))
    }

    /// Whether an expression is the same for all cores of an MP: it reads no word, and nothing
    /// that cores have of their own.
    pub(crate) fn is_uniform<P: Place>(&self, expr: Expr<'_, P>) -> bool {
        !expr.any(&mut |inner| match inner {
            Expr::Number(number) => match &number.kind {
                NumberKind::Word(_) => true,
                NumberKind::Parameter(id) => self.registers.contains(id) || self.is_core(*id),
                _ => false,
            },
            Expr::Condition(_) => false,
        })
    }

    fn is_core(&self, id: ParamId) -> bool {
        self.program.parameter(id).kind == ParameterKind::Core
    }
}

fn parts(lowered: Lowered) -> (Term, Term, bool) {
    match lowered {
        Lowered::Whole(term) => (term, Term::Whole(1), true),
        Lowered::Ratio(over, under, is_positive) => (over, under, is_positive),
        Lowered::Real(_) => unreachable!("a float is asked for as one"),
    }
}

fn into_real(lowered: Lowered) -> Term {
    match lowered {
        Lowered::Whole(Term::Whole(whole)) if whole.unsigned_abs() <= 1 << 53 => {
            Term::Real(whole as f64)
        }
        Lowered::Whole(term) => Term::cast("real", term.narrowed_word()),
        Lowered::Ratio(over, under, is_positive) => {
            let over = into_real(Lowered::Whole(over));
            let quotient = Term::infix("/", over, into_real(Lowered::Whole(under)));
            if is_positive {
                quotient
            } else {
                // 0 over what is negative is 0, not -0.
                Term::infix("+", quotient, Term::Real(0.0))
            }
        }
        Lowered::Real(term) => term,
    }
}

fn compare(operator: &'static str, left: Lowered, right: Lowered) -> Term {
    match (left, right) {
        (Lowered::Whole(x), Lowered::Whole(y)) => {
            Term::infix(operator, x.narrowed_word(), y.narrowed_word())
        }
        (left, right) => {
            let (x, u, is_u) = parts(left);
            let (y, v, is_v) = parts(right);
            let of = |x: Term, v: &Term| Term::infix("*", x, v.clone());
            if is_u && is_v {
                Term::infix(operator, of(x, &v), of(y, &u))
            } else {
                let order = Term::call("order_of_ratios", vec![x, u, y, v]);
                Term::infix(operator, order, Term::Whole(0))
            }
        }
    }
}

/// Whether a number is x^k for some x and k of at least 2.
fn is_perfect_power(number: i64) -> bool {
    let power = |root: i64| {
        let mut power = Some(root);
        while let Some(value) = power.filter(|value| *value < number) {
            power = value.checked_mul(root);
        }
        power == Some(number)
    };
    let roots = (2..).take_while(|root| number / root >= *root);
    roots.take(1 << 16).any(power)
}
