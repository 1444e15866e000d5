//! What is known of data without seeing them: declared ranges, and ranges that follow from where
//! words come from. They bound loops and indices that data decide.

pub(crate) mod amortized;
pub(crate) mod gather;
pub(crate) mod provenance;
pub(crate) mod quantified;
pub(crate) mod rows;

use std::collections::{HashMap, HashSet};

use crate::program::{
    Arithmetic, BitFunction, Direction, Expr as Checked, ExprKind, HostStmt, ParamId, Program,
    Role, Stmt, StmtKind, Type, VarId, Word, WrapperStmt,
};
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::kernel::Walk;
use crate::symbolic::kernel::active::Active;
use crate::syntax::ast::{Property, WordType};

/// The least and the largest value, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Range {
    /// Never above a value.
    pub(crate) low: Option<Expr>,
    /// Never below a value.
    pub(crate) high: Option<Expr>,
}

impl Range {
    pub(crate) fn of(low: Expr, high: Expr) -> Self {
        Range {
            low: Some(low),
            high: Some(high),
        }
    }

    pub(crate) fn only(value: Expr) -> Self {
        Range::of(value.clone(), value)
    }

    fn negated(self) -> Range {
        Range {
            low: self.high.map(|high| high.neg()),
            high: self.low.map(|low| low.neg()),
        }
    }

    fn plus(self, other: Range) -> Range {
        let sum = |x: Option<Expr>, y: Option<Expr>| Some(x?.add(&y?));
        Range {
            low: sum(self.low, other.low),
            high: sum(self.high, other.high),
        }
    }

    /// The product, for factors that are never negative.
    fn times(self, other: Range, facts: &Facts) -> Range {
        let zero = Expr::zero();
        let is_natural = |range: &Range| {
            range
                .low
                .as_ref()
                .is_some_and(|low| facts.prove(&Cond::ge(low, &zero)) == Some(true))
        };
        if !is_natural(&self) || !is_natural(&other) {
            return Range::default();
        }
        let product = |x: Option<Expr>, y: Option<Expr>| Some(x?.mul(&y?));
        Range {
            low: product(self.low, other.low),
            high: product(self.high, other.high),
        }
    }

    fn map(self, change: impl Fn(Expr) -> Option<Expr>) -> Range {
        Range {
            low: self.low.and_then(&change),
            high: self.high.and_then(change),
        }
    }

    /// What is in both.
    pub(crate) fn within(self, other: Range) -> Range {
        let both = |x: Option<Expr>, y: Option<Expr>, joined: fn(Vec<Expr>) -> Expr| match (x, y) {
            (Some(x), Some(y)) => Some(joined(vec![x, y])),
            (x, y) => x.or(y),
        };
        Range {
            low: both(self.low, other.low, Expr::max),
            high: both(self.high, other.high, Expr::min),
        }
    }

    /// The smallest range that holds both.
    fn hull(self, other: Range) -> Range {
        let both = |x: Option<Expr>, y: Option<Expr>, joined: fn(Vec<Expr>) -> Expr| {
            let (x, y) = (x?, y?);
            Some(match x == y {
                true => x,
                false => joined(vec![x, y]),
            })
        };
        Range {
            low: both(self.low, other.low, Expr::min),
            high: both(self.high, other.high, Expr::max),
        }
    }
}

impl Walk<'_, '_> {
    /// The range of an expression over the active cores, whatever the data.
    pub(crate) fn range(&self, expr: &Checked, active: &Active) -> Range {
        if !is_whole(expr) {
            return Range::default();
        }
        if let Ok(value) = self.expr(expr, active)
            && let Some((low, high)) = active.ends(&value)
        {
            return Range::of(low, high);
        }
        let facts = &active.facts;
        let word = |word: &Word| self.words(word.variable, facts);
        let parameter = |id: &ParamId| self.ranges.get(id).cloned().unwrap_or_default();
        combined(expr, facts, &parameter, &word, &|inner| {
            self.range(inner, active)
        })
    }

    /// The range of the offset of a word, whatever the data: it lies in its array.
    pub(crate) fn offsets(&self, word: &Word, active: &Active) -> Option<(Expr, Expr)> {
        let dimensions = &self.program.variable(word.variable).dimensions;
        let (mut low, mut high) = (Expr::zero(), Expr::zero());
        for (index, extent) in word.indices.iter().zip(dimensions) {
            let extent = self.expr(extent, active).ok()?;
            let within = self.range(index, active);
            let last = extent.sub(&Expr::one());
            let first = within.low.unwrap_or_default();
            low = low.mul(&extent).add(&first);
            high = high.mul(&extent).add(&within.high.unwrap_or(last));
        }
        Some((active.facts.simplify(&low), active.facts.simplify(&high)))
    }

    /// The range of the words of a variable: declared, or that of all that is written to it.
    pub(crate) fn words(&self, variable: VarId, facts: &Facts) -> Range {
        let mut origins = Origins {
            walk: self,
            facts,
            seen: Vec::new(),
            computing: 0,
        };
        let range = origins.of(variable);
        range.map(|end| Some(facts.simplify(&end)))
    }
}

/// The range of a compound expression from those of its operands.
fn combined(
    expr: &Checked,
    facts: &Facts,
    parameter: &dyn Fn(&ParamId) -> Range,
    word: &dyn Fn(&Word) -> Range,
    range: &dyn Fn(&Checked) -> Range,
) -> Range {
    let (zero, one) = (Expr::zero(), Expr::one());
    match &expr.kind {
        ExprKind::Integer(value) => Range::only(Expr::from_bigint(value.clone())),
        ExprKind::Parameter(id) => parameter(id),
        ExprKind::Word(read) => word(read),
        ExprKind::Negate(operand) => range(operand).negated(),
        ExprKind::Binary {
            operator,
            left,
            right,
        } => {
            let (x, y) = (range(left), range(right));
            match operator {
                Arithmetic::Add => x.plus(y),
                Arithmetic::Subtract => x.plus(y.negated()),
                Arithmetic::Multiply => x.times(y, facts),
                Arithmetic::FloorDivide | Arithmetic::Modulo => {
                    divided(*operator == Arithmetic::Modulo, x, y, facts)
                }
                Arithmetic::Divide | Arithmetic::Power => Range::default(),
            }
        }
        ExprKind::Min(operands) => extreme(operands, range, Expr::min, true),
        ExprKind::Max(operands) => extreme(operands, range, Expr::max, false),
        ExprKind::Select {
            then, otherwise, ..
        } => range(then).hull(range(otherwise)),
        ExprKind::Bits {
            function,
            left,
            right,
        } => {
            let (x, y) = (range(left), range(right));
            match function {
                BitFunction::And => Range {
                    low: Some(zero),
                    high: match (x.high, y.high) {
                        (Some(x), Some(y)) => Some(Expr::min(vec![x, y])),
                        (x, y) => x.or(y),
                    },
                },
                BitFunction::ShiftRight => Range {
                    low: Some(zero),
                    high: x.high,
                },
                BitFunction::Or | BitFunction::Xor | BitFunction::ShiftLeft => Range {
                    low: Some(zero),
                    high: None,
                },
            }
        }
        ExprKind::Bracket(_) => Range::of(zero, one),
        ExprKind::Float(_)
        | ExprKind::Ceil(_)
        | ExprKind::Floor(_)
        | ExprKind::Abs(_)
        | ExprKind::Math { .. }
        | ExprKind::Log { .. }
        | ExprKind::Symbol(_)
        | ExprKind::Gcd(..)
        | ExprKind::DigitSum(..)
        | ExprKind::FloorSum(_)
        | ExprKind::Quantified { .. }
        | ExprKind::Compare { .. }
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Not(_)
        | ExprKind::Implies(..) => Range::default(),
    }
}

fn is_whole(expr: &Checked) -> bool {
    matches!(expr.ty, Type::Number | Type::Int)
}

/// By a divisor that is one number ≥ 1.
fn divided(is_remainder: bool, x: Range, y: Range, facts: &Facts) -> Range {
    let one = Expr::one();
    let divisor = match (y.low, y.high) {
        (Some(low), Some(high)) if low == high => low,
        _ => return Range::default(),
    };
    if facts.prove(&Cond::ge(&divisor, &one)) != Some(true) {
        return Range::default();
    }
    match is_remainder {
        true => Range::of(Expr::zero(), divisor.sub(&one)),
        false => x.map(|end| end.floor_div(&divisor)),
    }
}

/// Of a minimum every operand bounds the value from above, all of them from below; of a maximum the
/// reverse.
fn extreme(
    operands: &[Checked],
    range: &dyn Fn(&Checked) -> Range,
    combine: fn(Vec<Expr>) -> Expr,
    is_min: bool,
) -> Range {
    let ranges: Vec<Range> = operands.iter().map(range).collect();
    let lows: Vec<Expr> = ranges.iter().filter_map(|r| r.low.clone()).collect();
    let highs: Vec<Expr> = ranges.iter().filter_map(|r| r.high.clone()).collect();
    let all = |ends: Vec<Expr>| (ends.len() == operands.len()).then(|| combine(ends));
    let any = |ends: Vec<Expr>| (!ends.is_empty()).then(|| combine(ends));
    match is_min {
        true => Range {
            low: all(lows),
            high: any(highs),
        },
        false => Range {
            low: any(lows),
            high: all(highs),
        },
    }
}

/// Follows the words of a variable to where they were written.
struct Origins<'w, 'a, 'p> {
    walk: &'w Walk<'a, 'p>,
    facts: &'w Facts,
    /// Variables on the way: a copy of themselves adds no value,
    seen: Vec<VarId>,
    /// but something computed from them may grow each time round.
    computing: u32,
}

impl Origins<'_, '_, '_> {
    fn of(&mut self, id: VarId) -> Range {
        let program = self.walk.program;
        let variable = program.variable(id);
        if variable.word_type == WordType::Float {
            return Range::default();
        }
        if let Some((low, high)) = &variable.range {
            let symbols = &self.walk.symbols;
            return Range {
                low: symbols.expr(low).ok(),
                high: symbols.expr(high).ok(),
            };
        }
        if let Some(Property::Permutation | Property::List) = variable.property {
            let mut size = Expr::one();
            for extent in &variable.dimensions {
                let Ok(extent) = self.walk.symbols.expr(extent) else {
                    return Range::default();
                };
                size = size.mul(&extent);
            }
            return Range::of(Expr::zero(), size.sub(&Expr::one()));
        }
        if variable.role == Role::Input {
            let mut sources = Vec::new();
            sources_in(&program.body, &[id], &mut sources);
            return match sources.is_empty() {
                true => self.walk.required_range(id, self.facts),
                false => Range::default(),
            };
        }
        self.seen.push(id);
        let mut written: Option<Range> = None;
        let group = program.swap_groups.iter().find(|group| group.contains(&id));
        let alone = [id];
        let group = group.map_or(&alone[..], |group| group.as_slice());
        let mut sources = Vec::new();
        sources_in(&program.body, group, &mut sources);
        // Words that come from one variable in many places are in one range.
        let mut copied: HashSet<VarId> = HashSet::new();
        for source in sources {
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
                Source::Words(from) => self.of(from),
                Source::Value(value) => self.value(value),
                Source::Unknown => Range::default(),
            };
            written = Some(match written {
                Some(known) => known.hull(range),
                None => range,
            });
        }
        self.seen.pop();
        written.unwrap_or_default()
    }

    /// A value wherever it stands: only what the header binds is known of it.
    fn value(&mut self, value: &Checked) -> Range {
        if !is_whole(value) {
            return Range::default();
        }
        self.computing += 1;
        let range = self.computed(value);
        self.computing -= 1;
        range
    }

    fn computed(&mut self, value: &Checked) -> Range {
        if let ExprKind::Word(word) = &value.kind {
            return match self.seen.contains(&word.variable) {
                true => Range::default(),
                false => self.of(word.variable),
            };
        }
        let mut operands: HashMap<*const Checked, Range> = HashMap::new();
        value.kind.operands(&mut |operand| {
            operands.insert(std::ptr::from_ref(operand), self.value(operand));
        });
        let known = |operand: &Checked| {
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
        let program: &Program = self.walk.program;
        let machine = program.machine;
        let is_fixed = program.formals.contains(&id)
            || [machine.p, machine.b, machine.m, machine.g].contains(&id)
            || program.lets.iter().any(|binding| binding.parameter == id);
        if !is_fixed {
            return Range::default();
        }
        let value = self.walk.symbols.value(id);
        value.map_or_else(|_| Range::default(), Range::only)
    }
}

/// What is written to a variable.
pub(crate) enum Source<'p> {
    /// Words of this one.
    Words(VarId),
    /// A value.
    Value(&'p Checked),
    /// Anything.
    Unknown,
}

pub(crate) fn sources_in<'p>(
    body: &'p [HostStmt],
    targets: &[VarId],
    sources: &mut Vec<Source<'p>>,
) {
    for statement in body {
        match statement {
            HostStmt::Transfer(transfer) => {
                let (from, to) = match transfer.direction {
                    Direction::Inward => (&transfer.host, &transfer.global),
                    Direction::Outward => (&transfer.global, &transfer.host),
                };
                if targets.contains(&to.variable) {
                    sources.push(Source::Words(from.variable));
                }
            }
            HostStmt::Kernel(kernel) => {
                for part in &kernel.body {
                    match part {
                        WrapperStmt::Let(_) => {}
                        WrapperStmt::Cores(cores) => written_in(&cores.body, targets, sources),
                    }
                }
            }
            HostStmt::For(inner) => sources_in(&inner.body, targets, sources),
            HostStmt::While(inner) => sources_in(&inner.body, targets, sources),
            HostStmt::Execute(execute) => sources_in(&execute.body, targets, sources),
            HostStmt::Let(_) | HostStmt::Swap(_) => {}
        }
    }
}

fn written_in<'p>(body: &'p [Stmt], targets: &[VarId], sources: &mut Vec<Source<'p>>) {
    for statement in body {
        match &statement.kind {
            StmtKind::Load { target, source } | StmtKind::Store { target, source } => {
                if targets.contains(&target.variable) {
                    sources.push(Source::Words(source.variable));
                }
            }
            StmtKind::Assign { target, value } => {
                if targets.contains(&target.variable) {
                    sources.push(Source::Value(value));
                }
            }
            StmtKind::Atomic { target, .. } => {
                if targets.contains(&target.variable) {
                    sources.push(Source::Unknown);
                }
            }
            StmtKind::Let(_) => {}
            StmtKind::If { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::While { body, .. } => {
                written_in(body, targets, sources);
            }
        }
    }
}
