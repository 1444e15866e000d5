//! The range of an expression whatever the data: declared, required, or following from where its
//! words come from.

use std::collections::{HashMap, HashSet};

use crate::meaning::arithmetic;
use crate::program::sources::{Source, sources_in};
use crate::program::{
    Arithmetic, Expr as CheckedExpr, Extreme, Number, NumberKind, PairFunction, ParamId, Program,
    Role, Type, Unary, VarId, Word,
};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::Active;
use crate::symbolic::data::Known;
use crate::symbolic::data::range::Range;
use crate::symbolic::symbols;
use crate::syntax::ast::{Property, WordType};

impl Known<'_, '_> {
    /// The range of an expression over the active cores, whatever the data.
    pub(crate) fn range(&self, expr: &Number, active: &Active) -> Range {
        if !is_whole(expr) {
            return Range::default();
        }
        if let Ok(value) = self.expr(expr, active)
            && let Some((low, high)) = active
                .ends(&value)
                .or_else(|| active.within_by_rows(&value))
        {
            return Range::between(low, high);
        }
        let facts = &active.facts;
        let word = |word: &Word| self.words(word.variable, facts);
        let parameter = |id: &ParamId| self.ranges.get(id).cloned().unwrap_or_default();
        combined(expr, facts, &parameter, &word, &|inner| {
            self.range(inner, active)
        })
    }

    /// The range of the words of a variable: declared, or that of all that is written to it.
    pub(crate) fn words(&self, variable: VarId, facts: &Facts) -> Range {
        let mut origins = Origins {
            known: self,
            facts,
            seen: Vec::new(),
            computing: 0,
        };
        let range = origins.of(variable).unwrap_or_default();
        range.map(|end| facts.simplify(end))
    }
}

/// The range of a compound expression from those of its operands.
fn combined(
    expr: &Number,
    facts: &Facts,
    parameter: &dyn Fn(&ParamId) -> Range,
    word: &dyn Fn(&Word) -> Range,
    range: &dyn Fn(&Number) -> Range,
) -> Range {
    let (zero, one) = (Expr::zero(), Expr::one());
    match &expr.kind {
        NumberKind::Integer(value) => Range::exact(Expr::from_bigint(value.clone())),
        NumberKind::Parameter(id) => parameter(id),
        NumberKind::Word(read) => word(read),
        NumberKind::Unary { operation, operand } => match operation {
            Unary::Negate => range(operand).negated(),
            Unary::Abs => {
                let ends = range(operand).lower.zip(range(operand).upper);
                Range {
                    lower: Some(zero),
                    upper: ends.map(|(low, high)| Expr::max(vec![low.neg(), high])),
                }
            }
            Unary::Ceil | Unary::Floor | Unary::Math(_) => Range::default(),
        },
        NumberKind::Binary {
            operator,
            left,
            right,
        } => {
            let (x, y) = (range(left), range(right));
            match operator {
                Arithmetic::Add => x.plus(&y),
                Arithmetic::Subtract => x.plus(&y.negated()),
                Arithmetic::Multiply => x.times_natural(y, facts),
                Arithmetic::FloorDivide | Arithmetic::Modulo => {
                    divided(*operator == Arithmetic::Modulo, x, y, facts)
                }
                Arithmetic::Divide | Arithmetic::Power => Range::default(),
            }
        }
        NumberKind::Extreme { extreme, arguments } => of_extreme(*extreme, arguments, range),
        NumberKind::Select {
            then, otherwise, ..
        } => range(then).hull(&range(otherwise)),
        NumberKind::Pair {
            function: PairFunction::Bits(function),
            left,
            right,
        } => {
            let (x, y) = (range(left), range(right));
            let (by_left, by_right) = arithmetic::bits_at_most(*function);
            let ends = [x.upper.filter(|_| by_left), y.upper.filter(|_| by_right)];
            let ends: Vec<Expr> = ends.into_iter().flatten().collect();
            Range {
                lower: Some(zero),
                upper: (!ends.is_empty()).then(|| Expr::min(ends)),
            }
        }
        NumberKind::Bracket(_) => Range::between(zero, one),
        NumberKind::Float(_)
        | NumberKind::Pair {
            function: PairFunction::Log,
            ..
        } => Range::default(),
        NumberKind::Only(nothing) => match *nothing {},
    }
}

fn is_whole(expr: &Number) -> bool {
    matches!(expr.ty, Type::Number | Type::Int)
}

/// By a divisor that is one number ≥ 1.
fn divided(is_remainder: bool, x: Range, y: Range, facts: &Facts) -> Range {
    let one = Expr::one();
    let divisor = match (y.lower, y.upper) {
        (Some(low), Some(high)) if low == high => low,
        _ => return Range::default(),
    };
    if facts.prove(&Cond::ge(&divisor, &one)) != Some(true) {
        return Range::default();
    }
    if is_remainder {
        Range::between(Expr::zero(), &divisor - &one)
    } else {
        x.and_then(|end| end.floor_div(&divisor))
    }
}

/// Of a minimum every operand bounds the value from above, all of them from below; of a maximum the
/// reverse.
fn of_extreme(extreme: Extreme, operands: &[Number], range: &dyn Fn(&Number) -> Range) -> Range {
    let combine = symbols::extreme(extreme);
    let ranges: Vec<Range> = operands.iter().map(range).collect();
    let lows: Vec<Expr> = ranges.iter().filter_map(|r| r.lower.clone()).collect();
    let highs: Vec<Expr> = ranges.iter().filter_map(|r| r.upper.clone()).collect();
    let all = |ends: Vec<Expr>| (ends.len() == operands.len()).then(|| combine(ends));
    let any = |ends: Vec<Expr>| (!ends.is_empty()).then(|| combine(ends));
    match extreme {
        Extreme::Min => Range {
            lower: all(lows),
            upper: any(highs),
        },
        Extreme::Max => Range {
            lower: any(lows),
            upper: all(highs),
        },
    }
}

/// Follows the words of a variable to where they were written.
struct Origins<'w, 'a, 'p> {
    known: &'w Known<'a, 'p>,
    facts: &'w Facts,
    /// Variables on the way: a copy of themselves adds no value,
    seen: Vec<VarId>,
    /// but something computed from them may grow each time round.
    computing: u32,
}

impl Origins<'_, '_, '_> {
    /// The range of all that is written to a variable; `None` where that is only its own words, by way of others.
    fn of(&mut self, id: VarId) -> Option<Range> {
        let program = self.known.program;
        let variable = program.variable(id);
        if variable.word_type == WordType::Float {
            return Some(Range::default());
        }
        let alone = [id];
        let group = match program.swapped_with(id) {
            [] => &alone,
            group => group,
        };
        // A swap carries words past a declaration.
        let range_of = |id: &VarId| {
            let (low, high) = program.variable(*id).range.as_ref()?;
            let symbols = &self.known.symbols;
            Some((symbols.expr(low).ok()?, symbols.expr(high).ok()?))
        };
        let is_kept = group.iter().all(|other| range_of(other) == range_of(&id));
        if let Some((low, high)) = variable.range.as_ref().filter(|_| is_kept) {
            let symbols = &self.known.symbols;
            return Some(Range {
                lower: symbols.expr(low).ok(),
                upper: symbols.expr(high).ok(),
            });
        }
        let is_as_given = || sources_in(&program.body, &[id]).is_empty();
        if let Some(Property::Permutation | Property::List) = variable.property
            && is_as_given()
        {
            let mut size = Expr::one();
            for extent in &variable.dimensions {
                let Ok(extent) = self.known.symbols.expr(extent) else {
                    return Some(Range::default());
                };
                size = &size * &extent;
            }
            return Some(Range::between(Expr::zero(), &size - 1));
        }
        if variable.role == Role::Input {
            return Some(if is_as_given() {
                self.known.required_range(id, self.facts)
            } else {
                Range::default()
            });
        }
        self.seen.push(id);
        let mut written: Option<Range> = None;
        // Words that come from one variable in many places are in one range.
        let mut copied: HashSet<VarId> = HashSet::new();
        for source in sources_in(&program.body, group) {
            if let Source::Words(from) = source
                && !copied.insert(from)
            {
                continue;
            }
            let range = match source {
                Source::Words(from)
                    if self.computing == 0
                        && (group.contains(&from) || self.seen.contains(&from)) =>
                {
                    continue;
                }
                Source::Words(from) if self.seen.contains(&from) => Range::default(),
                Source::Words(from) => match self.of(from) {
                    Some(range) => range,
                    None => continue,
                },
                Source::Value(value) => self.value(value),
                Source::Unknown => Range::default(),
            };
            written = Some(match written {
                Some(known) => known.hull(&range),
                None => range,
            });
        }
        self.seen.pop();
        written
    }

    /// A value wherever it stands: only what the header binds is known of it.
    fn value(&mut self, value: &Number) -> Range {
        if !is_whole(value) {
            return Range::default();
        }
        self.computing += 1;
        let range = self.computed(value);
        self.computing -= 1;
        range
    }

    fn computed(&mut self, value: &Number) -> Range {
        if let NumberKind::Word(word) = &value.kind {
            return if self.seen.contains(&word.variable) {
                Range::default()
            } else {
                self.of(word.variable).unwrap_or_default()
            };
        }
        let mut operands: HashMap<*const Number, Range> = HashMap::new();
        CheckedExpr::Number(value).each_operand(&mut |operand| {
            if let CheckedExpr::Number(operand) = operand {
                operands.insert(std::ptr::from_ref(operand), self.value(operand));
            }
        });
        let known = |operand: &Number| {
            operands
                .get(&std::ptr::from_ref(operand))
                .cloned()
                .unwrap_or_default()
        };
        let header = |id: &ParamId| self.header(*id);
        combined(value, self.facts, &header, &|_| Range::default(), &known)
    }

    /// Formals, parameters of the machine and header `let`s have one value.
    fn header(&self, id: ParamId) -> Range {
        let program: &Program = self.known.program;
        let machine = program.machine;
        let is_fixed = program.formals.contains(&id)
            || [machine.p, machine.b, machine.m, machine.g].contains(&id)
            || program.lets.iter().any(|binding| binding.parameter == id);
        if !is_fixed {
            return Range::default();
        }
        let value = self.known.symbols.value(id);
        value.map_or_else(|_| Range::default(), Range::exact)
    }
}
