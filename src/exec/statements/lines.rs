//! Lines: numbers that grow evenly from core to core, found without a word per core.
//!
//! An index is nearly always one, such as i·b + j. Its two numbers, base and stride, are computed once for
//! all cores.

use crate::exec::lanes::{Ints, Mask};
use crate::exec::memory::words::Words;
use crate::exec::mp::{Cores, Register};
use crate::exec::statements::typed::{self, Access};
use crate::meaning::value::Value;
use crate::number::theory;
use crate::program::{Arithmetic, ParamId};

impl<W: Words> Cores<'_, W> {
    /// Returns base and stride of an expression of constants and registers, if it is a line.
    #[inline]
    pub(super) fn line(&self, node: &typed::Ints) -> Option<(i64, i64)> {
        match node {
            typed::Ints::Constant(value) => Some((*value, 0)),
            typed::Ints::Register(parameter) => self.register_line(*parameter),
            typed::Ints::Linear {
                constant, terms, ..
            } => {
                let (mut base, mut stride) = (*constant, 0i64);
                for (factor, parameter) in terms {
                    let (b, s) = self.register_line(*parameter)?;
                    base = base.checked_add(b.checked_mul(*factor)?)?;
                    stride = stride.checked_add(s.checked_mul(*factor)?)?;
                }
                Some((base, stride))
            }
            typed::Ints::Straight(node) => self.straight_line(node),
            typed::Ints::Binary(..)
            | typed::Ints::CeilQuotient(..)
            | typed::Ints::Minimum(_)
            | typed::Ints::Maximum(_)
            | typed::Ints::Read(_)
            | typed::Ints::Absolute(_)
            | typed::Ints::Select(..)
            | typed::Ints::Bits(..)
            | typed::Ints::Bracket(_)
            | typed::Ints::FloorOf(_)
            | typed::Ints::CeilOf(_)
            | typed::Ints::Opaque => None,
        }
    }

    /// As [`line`](Self::line), through the operations of numbers. Operations of int data are left
    /// out:
    /// they must fit a word at every step and for every core, which is not checked here.
    fn straight_line(&self, node: &typed::Ints) -> Option<(i64, i64)> {
        match node {
            typed::Ints::Constant(_)
            | typed::Ints::Register(_)
            | typed::Ints::Linear { .. }
            | typed::Ints::Straight(_) => self.line(node),
            typed::Ints::Binary(operator, left, right) => combine_lines(
                *operator,
                self.straight_line(left)?,
                self.straight_line(right)?,
            ),
            typed::Ints::CeilQuotient(left, right) => {
                let (left, right) = (self.same(left)?, self.same(right)?);
                let quotient = theory::floor_quotient(left, right)?;
                let rest = theory::floor_remainder(left, right)?;
                Some((quotient.checked_add((rest != 0).into())?, 0))
            }
            typed::Ints::Minimum(nodes) => {
                let mut values = nodes.iter().map(|node| self.same(node));
                let first = values.next()??;
                let least = values.try_fold(first, |least, value| Some(least.min(value?)))?;
                Some((least, 0))
            }
            typed::Ints::Maximum(nodes) => {
                let mut values = nodes.iter().map(|node| self.same(node));
                let first = values.next()??;
                let most = values.try_fold(first, |most, value| Some(most.max(value?)))?;
                Some((most, 0))
            }
            typed::Ints::Read(_)
            | typed::Ints::Absolute(_)
            | typed::Ints::Select(..)
            | typed::Ints::Bits(..)
            | typed::Ints::Bracket(_)
            | typed::Ints::FloorOf(_)
            | typed::Ints::CeilOf(_)
            | typed::Ints::Opaque => None,
        }
    }

    /// Returns the value of an expression that is the same for all cores.
    fn same(&self, node: &typed::Ints) -> Option<i64> {
        self.straight_line(node)
            .and_then(|(base, stride)| (stride == 0).then_some(base))
    }

    #[inline]
    fn register_line(&self, parameter: ParamId) -> Option<(i64, i64)> {
        match &self.registers[parameter.0 as usize] {
            Register::Ints(ints) => ints.line(),
            Register::Unset => match self.values[parameter.0 as usize] {
                Some(Value::Whole(whole)) => Some((whole, 0)),
                Some(Value::Exact(_) | Value::Float(_)) | None => None,
            },
            Register::Floats(_) | Register::Same(_) | Register::Each(_) => None,
        }
    }

    /// Returns the offsets of a word whose indices are all lines, each within its extent.
    #[inline]
    pub(super) fn straight_offsets(&self, access: &Access, mask: &Mask) -> Option<Ints> {
        // Lines are monotone, so the first and the last active core decide the bounds. The whole
        // line
        // must fit a word for inactive cores too, which `affine` checks.
        let (mut base, mut stride) = (0i64, 0i64);
        let (first, last) = (mask.first() as i64, mask.last() as i64);
        for (index, extent, step) in &access.dimensions {
            let (b, s) = self.line(index)?;
            let low = b.checked_add(s.checked_mul(first)?)?;
            let high = b.checked_add(s.checked_mul(last)?)?;
            if low < 0 || high < 0 || low >= *extent || high >= *extent {
                return None;
            }
            base = base.checked_add(b.checked_mul(*step)?)?;
            stride = stride.checked_add(s.checked_mul(*step)?)?;
        }
        self.buffers.affine(base, stride)
    }
}

/// Combines two lines, if the result is a line.
fn combine_lines(operator: Arithmetic, left: (i64, i64), right: (i64, i64)) -> Option<(i64, i64)> {
    let ((a, s), (b, t)) = (left, right);
    let same = s == 0 && t == 0;
    match operator {
        Arithmetic::Add => Some((a.checked_add(b)?, s.checked_add(t)?)),
        Arithmetic::Subtract => Some((a.checked_sub(b)?, s.checked_sub(t)?)),
        Arithmetic::Multiply if t == 0 => Some((a.checked_mul(b)?, s.checked_mul(b)?)),
        Arithmetic::Multiply if s == 0 => Some((a.checked_mul(b)?, a.checked_mul(t)?)),
        Arithmetic::Divide if same && a.checked_rem(b)? == 0 => Some((a.checked_div(b)?, 0)),
        Arithmetic::FloorDivide if same => Some((theory::floor_quotient(a, b)?, 0)),
        Arithmetic::Modulo if same => Some((theory::floor_remainder(a, b)?, 0)),
        Arithmetic::Power if same => Some((a.checked_pow(u32::try_from(b).ok()?)?, 0)),
        Arithmetic::Multiply
        | Arithmetic::Divide
        | Arithmetic::FloorDivide
        | Arithmetic::Modulo
        | Arithmetic::Power => None,
    }
}
