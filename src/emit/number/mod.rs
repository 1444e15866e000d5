//! Numbers and conditions of the program as terms.
//!
//! On parameters `/` is exact (language.md §2.3), so what is no whole number yet is carried as a
//! numerator and a denominator until it is rounded, compared or whole again; C never sees a
//! fraction. The state stands here: parameters, their bounds and powers. [`values`] has every kind of
//! expression, [`rounding`] whole numbers and floats, [`mod@bounds`] what shows a number to be positive.

mod bounds;
mod conditions;
mod lowered;
mod rounding;
mod values;

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;

use crate::emit::error::{EmitError, Unsupported};
use crate::emit::names::NamesInC;
use crate::emit::number::lowered::Lowered;
use crate::emit::target::Words;
use crate::emit::term::Term;
use crate::meaning::launch::fold::Folder;
use crate::meaning::value::Value;
use crate::program::{
    Condition, Expr, Number, NumberKind, ParamId, ParameterKind, Place, Program, VarId, Word,
};
use crate::text::Span;

pub(crate) use bounds::{Bounds, SHORT_ENDS};

type Result<T> = std::result::Result<T, EmitError>;

/// The parameters around an expression, with all that is known of them.
#[derive(Debug)]
pub(crate) struct Numbers<'p> {
    pub program: &'p Program,
    pub names: NamesInC,
    /// Who is written for, in messages.
    pub target: &'static str,
    /// p, b, M, G, and what else is fixed where the text is written.
    pub known: HashMap<ParamId, i64>,
    /// True if ints of the program's arrays have 32 bits.
    has_short_ints: bool,
    /// Between which values whole parameters lie.
    pub bounds: HashMap<ParamId, Bounds>,
    /// The same of every name in the text, over all parameters that have it.
    ranges: HashMap<String, Bounds>,
    is_plain: bool,
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
        let known: HashMap<ParamId, i64> = machine.collect();
        let mut numbers = Numbers {
            program,
            names: NamesInC::new(program),
            target,
            has_short_ints: words.int32,
            bounds: HashMap::new(),
            ranges: HashMap::new(),
            is_plain: false,
            known,
            registers: HashSet::new(),
            single: Vec::new(),
            powers: HashMap::new(),
            used: IndexSet::new(),
            irrational: 0,
            broken: 0,
        };
        for (id, value) in numbers.known.clone() {
            numbers.bind(id, Bounds::of(value));
        }
        for formal in &program.formals {
            numbers.bounds.insert(*formal, Bounds::from(0));
        }
        numbers
    }

    /// Takes in a parameter whose value is fixed.
    pub(crate) fn fix(&mut self, id: ParamId, value: i64) {
        self.known.insert(id, value);
        self.bind(id, Bounds::of(value));
    }

    /// Takes in the most that a formal is, beside what the `require`s say of it.
    pub(crate) fn bound_formal(&mut self, id: ParamId, most: Option<i64>) {
        let mut bounds = self.bounds.get(&id).copied().unwrap_or(Bounds::from(0));
        bounds.high = bounds.high.into_iter().chain(most).min();
        self.bind(id, bounds);
    }

    /// Writes from here on as for people: divisions by fixed powers of two as shifts, others without calls where both
    /// sides are natural.
    pub(crate) fn write_plainly(&mut self) {
        self.is_plain = true;
        for (id, value) in &self.known {
            if *value > 0 && value.count_ones() == 1 {
                let exponent = Term::Whole(value.trailing_zeros().into());
                let name = self.names.parameter(*id).to_owned();
                self.powers.insert(name, exponent);
            }
        }
    }

    /// Names whose values all lie between known ends.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (&str, Bounds)> {
        self.ranges
            .iter()
            .map(|(name, bounds)| (name.as_str(), *bounds))
    }

    pub(crate) fn unsupported(&self, what: Unsupported, span: Span) -> EmitError {
        EmitError::Unsupported {
            target: self.target,
            what,
            span,
        }
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

    /// The value of a number that the machine's parameters alone decide.
    pub(crate) fn constant<P: Place>(&self, number: &Number<P>) -> Option<Value> {
        let known = |id: ParamId| self.known.get(&id).map(|value| Value::Whole(*value));
        let all = |_| true;
        let folded = Folder::new(&known, &all).number(number);
        folded.constant().cloned()
    }

    /// The truth of a condition that what is fixed alone decides.
    pub(crate) fn truth<P: Place>(&self, condition: &Condition<P>) -> Option<bool> {
        let known = |id: ParamId| self.known.get(&id).map(|value| Value::Whole(*value));
        let all = |_| true;
        Folder::new(&known, &all).condition(condition).constant()
    }

    /// Takes in a parameter, and between which values it lies.
    pub(crate) fn bind(&mut self, id: ParamId, bounds: Bounds) {
        let name = self.names.parameter(id);
        self.powers.remove(name);
        let all = self.ranges.get(name).map(|all| all.joined(bounds));
        self.ranges.insert(name.to_owned(), all.unwrap_or(bounds));
        self.bounds.insert(id, bounds);
    }

    /// Takes in what runs from a first to a last value. It starts at the one, even where it never comes to the other,
    /// and each is written in its type: with `for s = 2^40 → 5` an `int` would start at 0.
    pub(crate) fn bind_between(&mut self, id: ParamId, first: Bounds, last: Bounds, down: bool) {
        let (low, high) = if down { (last, first) } else { (first, last) };
        self.bind(id, Bounds::between(low.low, high.high));
        if first.joined(last).short().is_none() {
            let name = self.names.parameter(id).to_owned();
            self.ranges.insert(name, Bounds::default());
        }
    }

    /// Takes in what a bound parameter is. Nothing that its value names is declared again where it is visible.
    pub(crate) fn define(&mut self, id: ParamId, value: &Term) {
        if let Some(exponent) = self.exponent(value) {
            let name = self.names.parameter(id).to_owned();
            self.powers.insert(name, exponent);
        }
    }

    /// Returns true if an expression is the same for all cores of an MP: it reads no word, and nothing
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
