//! Bounds on the words of an array that each half of a kernel's MPs may touch.

use std::collections::BTreeMap;

use crate::meaning::Point;
use crate::number::BigInt;
use crate::program::{
    Arithmetic, Extreme, Kernel, LetBinding, Number, NumberKind, ParamId, Program, Stmt, StmtKind,
    Unary, VarId, Word, WrapperStmt,
};

/// The minimum and the maximum of a number.
pub(super) type Half = (i128, i128);

/// The accesses of the halves of a kernel's MPs to an array.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub line: usize,
    /// The words of each half, in the order of the MPs; `None` if data decide them.
    pub halves: Option<[Half; 2]>,
}

impl Access {
    /// Returns true if each half may touch most of the words that both touch.
    pub(super) fn is_wide(&self) -> bool {
        let Some([lower, upper]) = self.halves else {
            return true;
        };
        let length = |(low, high): Half| high - low + 1;
        let both = length((lower.0.min(upper.0), lower.1.max(upper.1)));
        // Two halves that split the words have lengths that add up to `both`; two that each touch all have
        // 2 · `both`. The limit is half-way, 1.5 · `both`.
        2 * (length(lower) + length(upper)) >= 3 * both
    }
}

/// The arrays that a kernel touches.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub read: BTreeMap<VarId, Access>,
    pub written: BTreeMap<VarId, Access>,
}

/// Ranges of numbers at a point of a program.
pub(super) struct Spans<'p> {
    program: &'p Program,
    point: &'p Point,
    known: BTreeMap<ParamId, Option<Half>>,
}

impl<'p> Spans<'p> {
    pub(super) fn new(program: &'p Program, point: &'p Point) -> Spans<'p> {
        Spans {
            program,
            point,
            known: BTreeMap::new(),
        }
    }

    /// Records the range of a loop variable.
    pub(super) fn vary(&mut self, variable: ParamId, from: &Number, to: &Number) {
        let ends = self.value(from).zip(self.value(to));
        let hull = ends.map(|(from, to)| (from.0.min(to.0), from.1.max(to.1)));
        self.known.insert(variable, hull);
    }

    pub(super) fn bind(&mut self, binding: &LetBinding) {
        let value = self.value(&binding.value);
        self.known.insert(binding.parameter, value);
    }

    /// Finds the words that each half of a kernel's MPs touches.
    pub(super) fn touched(&mut self, kernel: &Kernel) -> Touched {
        let ranges: Vec<_> = kernel
            .mps
            .iter()
            .map(|range| {
                (
                    range.parameter,
                    self.value(&range.low).zip(self.value(&range.high)),
                )
            })
            .collect();
        let several = |ends: &Option<(Half, Half)>| ends.is_some_and(|(low, high)| low.0 < high.1);
        // The first dimension with several MPs is halved; the others keep their range. Example: i in 0..4
        // splits into 0..1 and 2..4.
        let halved = ranges.iter().position(|(_, ends)| several(ends));
        let mut touched = Touched::default();
        for half in 0..2 {
            for (at, (parameter, ends)) in ranges.iter().enumerate() {
                let range = ends.map(|(low, high)| match (Some(at) == halved, half) {
                    (false, _) => (low.0, high.1),
                    (true, 0) => (low.0, low.0 + (high.1 - low.0 - 1) / 2),
                    (true, _) => (low.0 + (high.1 - low.0 + 1) / 2, high.1),
                });
                self.known.insert(*parameter, range);
            }
            for stmt in &kernel.body {
                match stmt {
                    WrapperStmt::Let(binding) => self.bind(binding),
                    WrapperStmt::Cores(cores) => {
                        let width = i128::try_from(self.point.cores()).ok();
                        let range = width.map(|width| (0, width - 1));
                        self.known.insert(cores.core, range);
                        self.block(&cores.body, half, &mut touched);
                    }
                }
            }
        }
        touched
    }

    fn block(&mut self, body: &[Stmt], half: usize, touched: &mut Touched) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Load { source, .. } => self.access(source, half, stmt, &mut touched.read),
                StmtKind::Store { target, .. } => {
                    self.access(target, half, stmt, &mut touched.written);
                }
                StmtKind::Let(binding) => self.bind(binding),
                StmtKind::For {
                    variable,
                    from,
                    to,
                    body,
                    ..
                } => {
                    self.vary(*variable, from, to);
                    self.block(body, half, touched);
                }
                StmtKind::If { body, .. } | StmtKind::While { body, .. } => {
                    self.block(body, half, touched);
                }
                StmtKind::Assign { .. } | StmtKind::Atomic { .. } | StmtKind::Until { .. } => {}
            }
        }
    }

    fn access(&self, word: &Word, half: usize, stmt: &Stmt, list: &mut BTreeMap<VarId, Access>) {
        let words = self.words(word);
        let access = list.entry(word.variable).or_insert_with(|| Access {
            line: self.program.line(stmt.span),
            halves: Some([(i128::MAX, i128::MIN); 2]),
        });
        access.halves = match (access.halves, words) {
            (Some(mut halves), Some((low, high))) => {
                let (least, most) = halves[half];
                halves[half] = (least.min(low), most.max(high));
                Some(halves)
            }
            _ => None,
        };
    }

    /// The words of a row-major index, clamped to the array.
    fn words(&self, word: &Word) -> Option<Half> {
        let extents = self.point.extents.get(word.variable.0 as usize)?;
        let (mut low, mut high) = (0_i128, 0_i128);
        for (index, extent) in word.indices.iter().zip(extents) {
            let extent = i128::try_from(extent).ok().filter(|extent| *extent > 0)?;
            let (least, most) = self.value(index)?;
            low = low
                .checked_mul(extent)?
                .checked_add(least.clamp(0, extent - 1))?;
            high = high
                .checked_mul(extent)?
                .checked_add(most.clamp(0, extent - 1))?;
        }
        Some((low, high))
    }

    /// The range of a number; `None` if it is unknown.
    fn value(&self, number: &Number) -> Option<Half> {
        match &number.kind {
            NumberKind::Integer(value) => exactly(value),
            NumberKind::Parameter(parameter) => match self.known.get(parameter) {
                Some(known) => *known,
                None => exactly(&self.point.environment.get(*parameter)?.to_integer()?),
            },
            NumberKind::Unary { operation, operand } => match operation {
                Unary::Negate => {
                    let (low, high) = self.value(operand)?;
                    Some((-high, -low))
                }
                Unary::Ceil => self.quotient(operand, true),
                Unary::Floor => self.quotient(operand, false),
                Unary::Abs | Unary::Math(_) => None,
            },
            NumberKind::Binary {
                operator,
                left,
                right,
            } => combined(*operator, self.value(left)?, self.value(right)?),
            NumberKind::Extreme { extreme, arguments } => match extreme {
                Extreme::Min => self.folded(arguments, i128::min),
                Extreme::Max => self.folded(arguments, i128::max),
            },
            NumberKind::Select {
                then, otherwise, ..
            } => {
                let (one, other) = (self.value(then)?, self.value(otherwise)?);
                Some((one.0.min(other.0), one.1.max(other.1)))
            }
            NumberKind::Bracket(_) => Some((0, 1)),
            NumberKind::Float(_) | NumberKind::Word(_) | NumberKind::Pair { .. } => None,
            NumberKind::Only(nothing) => match *nothing {},
        }
    }

    fn folded(&self, each: &[Number], pick: fn(i128, i128) -> i128) -> Option<Half> {
        let mut values = each.iter().map(|one| self.value(one));
        let first = values.next()??;
        values.try_fold(first, |sum, next| {
            let next = next?;
            Some((pick(sum.0, next.0), pick(sum.1, next.1)))
        })
    }

    /// The range of ⌈x/y⌉ or ⌊x/y⌋, or of a number that is whole already.
    fn quotient(&self, inner: &Number, is_up: bool) -> Option<Half> {
        let NumberKind::Binary {
            operator: Arithmetic::Divide,
            left,
            right,
        } = &inner.kind
        else {
            return self.value(inner);
        };
        let (left, right) = (self.value(left)?, self.value(right)?);
        let round = |value: i128| {
            if is_up {
                -((-value).div_euclid(right.0))
            } else {
                value.div_euclid(right.0)
            }
        };
        (right.0 == right.1 && right.0 > 0).then(|| (round(left.0), round(left.1)))
    }
}

fn exactly(value: &BigInt) -> Option<Half> {
    let value = i128::try_from(value).ok()?;
    Some((value, value))
}

fn combined(operator: Arithmetic, left: Half, right: Half) -> Option<Half> {
    let (low, high) = right;
    match operator {
        Arithmetic::Add => Some((left.0.checked_add(low)?, left.1.checked_add(high)?)),
        Arithmetic::Subtract => Some((left.0.checked_sub(high)?, left.1.checked_sub(low)?)),
        Arithmetic::Multiply => {
            let mut products = [(left.0, low), (left.0, high), (left.1, low), (left.1, high)]
                .into_iter()
                .map(|(one, other)| one.checked_mul(other));
            let first = products.next()??;
            products.try_fold((first, first), |(least, most), product| {
                let product = product?;
                Some((least.min(product), most.max(product)))
            })
        }
        // The range of the rounded quotients; in a sound program the quotient is whole.
        Arithmetic::Divide | Arithmetic::FloorDivide if low == high && low > 0 => {
            Some((left.0.div_euclid(low), left.1.div_euclid(low)))
        }
        // If all values lie in one period, the remainders keep their order. Otherwise any remainder may
        // occur.
        Arithmetic::Modulo if low == high && low > 0 => {
            if left.0.div_euclid(low) == left.1.div_euclid(low) {
                Some((left.0.rem_euclid(low), left.1.rem_euclid(low)))
            } else {
                Some((0, low - 1))
            }
        }
        Arithmetic::Power if left.0 >= 1 && low >= 0 => {
            let power =
                |base: i128, exponent: i128| base.checked_pow(u32::try_from(exponent).ok()?);
            Some((power(left.0, low)?, power(left.1, high)?))
        }
        Arithmetic::Divide | Arithmetic::FloorDivide | Arithmetic::Modulo | Arithmetic::Power => {
            None
        }
    }
}
