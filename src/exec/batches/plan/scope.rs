//! The facts that hold at one place of a kernel: what parameters stand for, the values they may
//! take, and quantities of parameters as forms.
//!
//! Takes compiled numbers; gives forms, intervals of forms, and the truth of comparisons that are
//! the same for all cores, MPs and iterations. Looks at no statement and no data.

use crate::exec::batches::plan::Truths;
use crate::exec::batches::plan::form::{Form, Interval, Slot};
use crate::exec::launch;
use crate::exec::statements::typed;
use crate::meaning::value::Value;
use crate::number::theory;
use crate::program::{Arithmetic, Kernel, ParamId};
use crate::syntax::ast::Comparison;

/// Larger numbers are left to the reference form.
pub(super) const LARGEST: i128 = 1 << 60;
/// Largest number of the host that a plan leaves open.
const LARGEST_OPEN: i64 = 1 << 40;

/// Returns true if a plan that leaves a number of the host open can serve this one.
pub(crate) fn may_stay_open(number: i64) -> bool {
    OPEN.contains(&number)
}

/// The range of an open number.
pub(super) const OPEN: std::ops::RangeInclusive<i64> = -LARGEST_OPEN..=LARGEST_OPEN;

/// A launch, with the values that it knows.
pub(crate) struct Launched<'a> {
    pub known: launch::Known<'a>,
    /// Parameters that other launches with the plan may change; their values are not known.
    pub open: &'a [ParamId],
    pub kernel: &'a Kernel,
    /// First number and length of each dimension of the MPs.
    pub mps: &'a [(i64, u64)],
}

/// The meaning of a parameter in a plan.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    /// Not bound by the plan; the launch may know it.
    Nothing,
    /// A number that grows evenly.
    Form(Form),
    /// The same in all MPs, but not even from core to core.
    Table(Vec<i64>),
    /// Ints of data, in this register.
    Ints(usize),
    /// Floats, in this register.
    Floats(usize),
}

/// The possible values of cores and slots at a place.
#[derive(Debug, Clone)]
pub(super) struct Ranges {
    /// First and last core that may be active.
    pub active: (i64, i64),
    /// First and last value of each slot.
    pub slots: Vec<(i64, i64)>,
    /// Values that slots do not take here.
    pub except: Vec<(Slot, i64)>,
}

/// The facts at a place.
pub(super) struct Scope<'a> {
    pub launched: &'a Launched<'a>,
    /// Meanings by parameter id.
    pub bound: Vec<Bound>,
    pub ranges: Ranges,
    /// Slots of the loops around that are too long to be written out.
    pub long: Vec<Slot>,
}

impl Scope<'_> {
    /// Returns the first and last core, active or not.
    fn everyone(&self) -> (i64, i64) {
        (0, self.launched.known.cores as i64 - 1)
    }

    /// Returns the interval of a form, if it stays far from the end of a word for every core.
    pub(super) fn bounded(&self, form: &Form) -> Option<Interval> {
        let (low, high) = form.interval(self.everyone(), &self.ranges.slots);
        if low < -LARGEST || high > LARGEST {
            return None;
        }
        // Only the cores that are ever active count for the result.
        if self.ranges.active == self.everyone() {
            Some((low, high))
        } else {
            Some(form.interval(self.ranges.active, &self.ranges.slots))
        }
    }

    /// Converts a quantity of parameters to a form.
    pub(super) fn form(&self, node: &typed::Ints) -> Option<Form> {
        match node {
            typed::Ints::Constant(value) => Some(Form::constant(*value)),
            typed::Ints::Register(parameter) => self.parameter(*parameter),
            typed::Ints::Linear {
                constant, terms, ..
            } => {
                let mut sum = Form::constant(*constant);
                for (factor, parameter) in terms {
                    match &self.bound[parameter.0 as usize] {
                        Bound::Form(form) => sum.add(*factor, form)?,
                        Bound::Nothing => {
                            let known = self.known(*parameter)?.checked_mul(*factor)?;
                            sum.constant = sum.constant.checked_add(known)?;
                        }
                        Bound::Table(_) | Bound::Ints(_) | Bound::Floats(_) => return None,
                    }
                }
                Some(sum)
            }
            typed::Ints::Straight(node) => self.form(node),
            typed::Ints::Binary(operator, left, right) => {
                self.combined(*operator, self.form(left)?, self.form(right)?)
            }
            typed::Ints::CeilQuotient(left, right) => {
                let (left, right) = (self.form(left)?, self.form(right)?);
                // ⌈x/y⌉ = ⌊(x + y − 1)/y⌋
                let divisor = right.as_constant().filter(|&divisor| divisor > 0)?;
                let raised = left.plus(1, &Form::constant(divisor - 1))?;
                self.combined(Arithmetic::FloorDivide, raised, right)
            }
            typed::Ints::Minimum(nodes) => self.extreme(nodes, false),
            typed::Ints::Maximum(nodes) => self.extreme(nodes, true),
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

    fn parameter(&self, parameter: ParamId) -> Option<Form> {
        match &self.bound[parameter.0 as usize] {
            Bound::Form(form) => Some(form.clone()),
            Bound::Table(_) | Bound::Ints(_) | Bound::Floats(_) => None,
            Bound::Nothing => self.known(parameter).map(Form::constant),
        }
    }

    /// Returns the word that the launch knows for a parameter.
    fn known(&self, parameter: ParamId) -> Option<i64> {
        match self.launched.known.values[parameter.0 as usize] {
            Some(Value::Whole(whole)) => Some(whole),
            Some(Value::Exact(_) | Value::Float(_)) | None => None,
        }
    }

    pub(super) fn combined(&self, operator: Arithmetic, left: Form, right: Form) -> Option<Form> {
        match operator {
            Arithmetic::Add => left.plus(1, &right),
            Arithmetic::Subtract => left.plus(-1, &right),
            Arithmetic::Multiply => match (left.as_constant(), right.as_constant()) {
                (_, Some(factor)) => left.times(factor),
                (Some(factor), None) => right.times(factor),
                (None, None) => None,
            },
            Arithmetic::Divide => left.over(right.as_constant()?),
            Arithmetic::FloorDivide | Arithmetic::Modulo => {
                let divisor = right.as_constant()?;
                if let Some(constant) = left.as_constant() {
                    let result = match operator {
                        Arithmetic::Modulo => theory::floor_remainder(constant, divisor),
                        _ => theory::floor_quotient(constant, divisor),
                    };
                    return result.map(Form::constant);
                }
                // With i·32 + j and divisor 32: quotient i and rest j, and 0 ≤ j < 32, so the floor
                // is i. The
                // rest must lie within 0 … divisor − 1 for every core, else the floor is no form.
                let (quotient, rest) = left.split(divisor)?;
                let (low, high) = rest.interval(self.everyone(), &self.ranges.slots);
                if low < 0 || high >= divisor.into() {
                    return None;
                }
                Some(if operator == Arithmetic::Modulo {
                    rest
                } else {
                    quotient
                })
            }
            Arithmetic::Power => {
                let exponent = u32::try_from(right.as_constant()?).ok()?;
                let power = left.as_constant()?.checked_pow(exponent)?;
                Some(Form::constant(power))
            }
        }
    }

    /// Returns the least or greatest of several forms, if one of them always is.
    fn extreme(&self, nodes: &[typed::Ints], greatest: bool) -> Option<Form> {
        let mut best: Option<Form> = None;
        for node in nodes {
            let next = self.form(node)?;
            best = Some(match best {
                None => next,
                Some(best) => {
                    let (low, high) = next
                        .plus(-1, &best)?
                        .interval(self.everyone(), &self.ranges.slots);
                    match (greatest, low >= 0, high <= 0) {
                        (true, true, _) | (false, _, true) => next,
                        (true, _, true) | (false, true, _) => best,
                        (_, false, false) => return None,
                    }
                }
            });
        }
        best
    }

    /// Narrows the ranges of slots to where a condition holds for some active core.
    pub(super) fn assume(&mut self, condition: &Truths) {
        match condition {
            Truths::Connect {
                and: true,
                left,
                right,
            } => {
                self.assume(left);
                self.assume(right);
            }
            Truths::Order(operator, left, right) => {
                if let Some(difference) = left.plus(-1, right) {
                    self.assume_order(*operator, &difference);
                }
            }
            Truths::Cores(_)
            | Truths::Ints(..)
            | Truths::Floats(..)
            | Truths::Connect { .. }
            | Truths::Not(_) => {}
        }
    }

    /// Narrows them to where a comparison of `difference` with 0 holds.
    fn assume_order(&mut self, operator: Comparison, difference: &Form) {
        for &(factor, slot) in &difference.terms {
            let others = difference.without(slot);
            let (low, high) = others.interval(self.ranges.active, &self.ranges.slots);
            // For each slot, factor · slot is at least `least` and at most `most`, because the
            // other
            // terms lie within low … high. From 4s + j − 20 < 0 with j in 0..3 follows 4s ≤ 19, s ≤
            // 4.
            let (least, most) = match operator {
                Comparison::Less => (None, Some(-low - 1)),
                Comparison::AtMost => (None, Some(-low)),
                Comparison::Greater => (Some(1 - high), None),
                Comparison::AtLeast => (Some(-high), None),
                Comparison::Equal => (Some(-high), Some(-low)),
                Comparison::NotEqual => {
                    if low == high && (-low).rem_euclid(factor.into()) == 0 {
                        let value = -low / i128::from(factor);
                        self.ranges.except.push((slot, value as i64));
                    }
                    (None, None)
                }
                Comparison::Divides | Comparison::PowerOf => (None, None),
            };
            let factor = i128::from(factor);
            let (least, most) = if factor > 0 {
                (least, most)
            } else {
                (most.map(|most| -most), least.map(|least| -least))
            };
            let factor = factor.abs();
            let (first, last) = self.ranges.slots[slot];
            let first = least.map_or(first.into(), |least| {
                i128::from(first).max(-(-least).div_euclid(factor))
            });
            let last = most.map_or(last.into(), |most| {
                i128::from(last).min(most.div_euclid(factor))
            });
            if first <= last {
                self.ranges.slots[slot] = (first as i64, last as i64);
            }
        }
    }

    /// Returns the truth of a comparison with 0, if it is the same for all cores, MPs and
    /// iterations.
    pub(super) fn decided(&self, operator: Comparison, difference: &Form) -> Option<bool> {
        let (low, high) = difference.interval(self.everyone(), &self.ranges.slots);
        match operator {
            Comparison::Less if high < 0 => Some(true),
            Comparison::Less if low >= 0 => Some(false),
            Comparison::AtMost if high <= 0 => Some(true),
            Comparison::AtMost if low > 0 => Some(false),
            Comparison::Greater if low > 0 => Some(true),
            Comparison::Greater if high <= 0 => Some(false),
            Comparison::AtLeast if low >= 0 => Some(true),
            Comparison::AtLeast if high < 0 => Some(false),
            Comparison::Equal if low > 0 || high < 0 => Some(false),
            Comparison::NotEqual if low > 0 || high < 0 => Some(true),
            Comparison::Less
            | Comparison::AtMost
            | Comparison::Greater
            | Comparison::AtLeast
            | Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Divides
            | Comparison::PowerOf => None,
        }
    }

    /// Returns the numbers of a dimension of MPs at which a comparison with 0 turns: where it
    /// starts
    /// to depend on more than the MP, and where it stops.
    pub(super) fn turns(
        &self,
        operator: Comparison,
        difference: &Form,
        dimension: Slot,
    ) -> Vec<i64> {
        let factor = i128::from(difference.factor(dimension));
        if factor == 0 {
            return Vec::new();
        }
        let others = difference.without(dimension);
        let (mut low, mut high) = others.interval(self.everyone(), &self.ranges.slots);
        // Undecided from where the greatest value reaches the first of these up to where the least
        // passes the second. For 32i + j − 100 < 0 with j in 0..31: all cores hold it up to i = 2,
        // some
        // at i = 3, none from i = 4 on, so the cuts are 3 and 4.
        let (mut reached, mut passed) = match operator {
            Comparison::Less | Comparison::AtLeast => (0, -1),
            Comparison::AtMost | Comparison::Greater => (1, 0),
            Comparison::Equal | Comparison::NotEqual => (0, 0),
            Comparison::Divides | Comparison::PowerOf => return Vec::new(),
        };
        if factor < 0 {
            (low, high) = (-high, -low);
            (reached, passed) = (-passed, -reached);
        }
        let factor = factor.abs();
        let from = -(high - reached).div_euclid(factor);
        let to = (passed - low).div_euclid(factor) + 1;
        let (first, last) = self.ranges.slots[dimension];
        let within = i128::from(first) + 1..=i128::from(last);
        let cuts = [from, to].into_iter().filter(|cut| within.contains(cut));
        cuts.map(|cut| cut as i64).collect()
    }
}
