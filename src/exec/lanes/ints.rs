//! Operations of whole numbers, for all active cores at once.

use crate::exec::lanes::{Buffers, Floats, Ints, Mask, Truths};
use crate::number::theory;

impl Buffers {
    /// Applies an operation core by core. The flag of `operation` marks a result as unusable.
    #[inline(always)]
    fn zip(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
        operation: impl Fn(i64, i64) -> (i64, bool),
    ) -> Option<Ints> {
        if let (Ints::Uniform(x), Ints::Uniform(y)) = (&left, &right) {
            let (result, bad) = operation(*x, *y);
            return (!bad).then_some(Ints::Uniform(result));
        }
        // The flag is collected and tested once at the end, not core by core: so the loops have no
        // branch and the compiler can make vectors of them.
        let mut any_bad = false;
        let result = match (left, right) {
            (Ints::Lanes(mut x), Ints::Uniform(y)) => {
                update(mask, &mut x, |x| operation(x, y), &mut any_bad);
                x
            }
            (Ints::Uniform(x), Ints::Lanes(mut y)) => {
                update(mask, &mut y, |y| operation(x, y), &mut any_bad);
                y
            }
            (left, right) => {
                let (mut x, y) = (self.spread(left), self.spread(right));
                match mask {
                    Mask::Range(low, high) => {
                        for (x, y) in x[*low..*high].iter_mut().zip(&y[*low..*high]) {
                            let (result, bad) = operation(*x, *y);
                            *x = result;
                            any_bad |= bad;
                        }
                    }
                    Mask::List(cores) => {
                        for &core in cores {
                            let (result, bad) = operation(x[core as usize], y[core as usize]);
                            x[core as usize] = result;
                            any_bad |= bad;
                        }
                    }
                }
                self.ints.push(y);
                x
            }
        };
        if any_bad {
            self.ints.push(result);
            return None;
        }
        Some(Ints::Lanes(result))
    }

    /// `x + y`
    pub(in crate::exec) fn add(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        if let (Some((a, s)), Some((b, t))) = (left.line(), right.line()) {
            return self.affine(a.checked_add(b)?, s.checked_add(t)?);
        }
        self.zip(mask, left, right, i64::overflowing_add)
    }

    /// `x - y`
    pub(in crate::exec) fn subtract(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
    ) -> Option<Ints> {
        if let (Some((a, s)), Some((b, t))) = (left.line(), right.line()) {
            return self.affine(a.checked_sub(b)?, s.checked_sub(t)?);
        }
        self.zip(mask, left, right, i64::overflowing_sub)
    }

    /// `x · y`
    pub(in crate::exec) fn multiply(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
    ) -> Option<Ints> {
        if let (Some((a, s)), Some((b, t))) = (left.line(), right.line())
            && (s == 0 || t == 0)
        {
            let stride = if s == 0 {
                a.checked_mul(t)?
            } else {
                b.checked_mul(s)?
            };
            return self.affine(a.checked_mul(b)?, stride);
        }
        self.zip(mask, left, right, i64::overflowing_mul)
    }

    /// `x / y`, where it is whole.
    pub(in crate::exec) fn divide(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| {
            match (x.checked_rem(y), x.checked_div(y)) {
                (Some(0), Some(quotient)) => (quotient, false),
                _ => (0, true),
            }
        })
    }

    /// `⌊x/y⌋`
    pub(in crate::exec) fn floor_divide(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
    ) -> Option<Ints> {
        // A line is monotone and so is its quotient: equal at the first and the last active core
        // means equal at all. (32·i + j) div 32 is i for the cores 0 … 31.
        if let (Ints::Affine { .. }, Ints::Uniform(divisor)) = (&left, &right) {
            let first = theory::floor_quotient(left.at(mask.first()), *divisor)?;
            let last = theory::floor_quotient(left.at(mask.last()), *divisor)?;
            if first == last {
                return Some(Ints::Uniform(first));
            }
        }
        self.zip(mask, left, right, |x, y| {
            let quotient = theory::floor_quotient(x, y);
            (quotient.unwrap_or(0), quotient.is_none())
        })
    }

    /// `⌈x/y⌉`
    pub(in crate::exec) fn ceil_divide(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
    ) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| {
            let ceiling = || {
                let quotient = theory::floor_quotient(x, y)?;
                Some(quotient + i64::from(theory::floor_remainder(x, y)? != 0))
            };
            let ceiling = ceiling();
            (ceiling.unwrap_or(0), ceiling.is_none())
        })
    }

    /// `x mod y`
    pub(in crate::exec) fn modulo(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        // Where the quotient is the same q for all active cores, x mod y is the line x − q·y:
        // (32·i + j) mod 32 is j.
        if let (Ints::Affine { base, stride }, Ints::Uniform(divisor)) = (&left, &right) {
            let first = theory::floor_quotient(left.at(mask.first()), *divisor)?;
            let last = theory::floor_quotient(left.at(mask.last()), *divisor)?;
            if first == last {
                let below = first.checked_mul(*divisor)?;
                return self.affine(base.checked_sub(below)?, *stride);
            }
        }
        self.zip(mask, left, right, |x, y| {
            let remainder = theory::floor_remainder(x, y);
            (remainder.unwrap_or(0), remainder.is_none())
        })
    }

    /// `x ^ y` for y ≥ 0.
    pub(in crate::exec) fn power(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| {
            let power = u32::try_from(y).ok().and_then(|y| x.checked_pow(y));
            (power.unwrap_or(0), power.is_none())
        })
    }

    /// `min(x, y)`
    pub(in crate::exec) fn minimum(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
    ) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| (x.min(y), false))
    }

    /// `max(x, y)`
    pub(in crate::exec) fn maximum(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
    ) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| (x.max(y), false))
    }

    /// Applies any operation of two ints that may refuse.
    pub(in crate::exec) fn combine(
        &mut self,
        mask: &Mask,
        left: Ints,
        right: Ints,
        operation: impl Fn(i64, i64) -> Option<i64>,
    ) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| {
            let result = operation(x, y);
            (result.unwrap_or(0), result.is_none())
        })
    }

    /// Returns the next value of a loop variable, one more or one less. It may wrap for a core
    /// whose loop ends there, which then never uses it.
    pub(in crate::exec) fn step(&mut self, mask: &Mask, of: Ints, down: bool) -> Ints {
        let by = if down { -1 } else { 1 };
        match of {
            Ints::Uniform(value) => Ints::Uniform(value.wrapping_add(by)),
            Ints::Affine { base, stride } => match base.checked_add(by) {
                Some(next) if self.affine(next, stride).is_some() => {
                    Ints::Affine { base: next, stride }
                }
                _ => {
                    let lanes = Ints::Lanes(self.spread(Ints::Affine { base, stride }));
                    self.step(mask, lanes, down)
                }
            },
            Ints::Lanes(mut lanes) => {
                mask.each(|core| lanes[core] = lanes[core].wrapping_add(by));
                Ints::Lanes(lanes)
            }
        }
    }

    /// `abs(x)`
    pub(in crate::exec) fn absolute(&mut self, mask: &Mask, of: Ints) -> Option<Ints> {
        self.zip(mask, of, Ints::Uniform(0), |x, _| x.overflowing_abs())
    }

    /// Selects x where the condition holds, else y.
    pub(in crate::exec) fn select(
        &mut self,
        mask: &Mask,
        truths: &Truths,
        then: Ints,
        otherwise: Ints,
    ) -> Ints {
        match truths {
            Truths::Uniform(true) => {
                self.free(otherwise);
                then
            }
            Truths::Uniform(false) => {
                self.free(then);
                otherwise
            }
            Truths::Range(..) | Truths::Lanes(_) => {
                let mut lanes = self.spread(then);
                mask.each(|core| {
                    if !truths.at(core) {
                        lanes[core] = otherwise.at(core);
                    }
                });
                self.free(otherwise);
                Ints::Lanes(lanes)
            }
        }
    }

    /// Gives 1 where a condition holds, else 0.
    pub(in crate::exec) fn bracket(&mut self, truths: &Truths) -> Ints {
        match truths {
            Truths::Uniform(truth) => Ints::Uniform((*truth).into()),
            Truths::Range(from, to) => {
                let mut lanes = self.ints();
                lanes.fill(0);
                lanes[*from..*to].fill(1);
                Ints::Lanes(lanes)
            }
            Truths::Lanes(truths) => {
                let mut lanes = self.ints();
                for (lane, truth) in lanes.iter_mut().zip(truths) {
                    *lane = (*truth).into();
                }
                Ints::Lanes(lanes)
            }
        }
    }

    /// Converts floats to ints by an operation that may refuse.
    pub(in crate::exec) fn ints_of(
        &mut self,
        mask: &Mask,
        floats: Floats,
        operation: impl Fn(f64) -> Option<i64>,
    ) -> Option<Ints> {
        if let Floats::Uniform(value) = floats {
            return operation(value).map(Ints::Uniform);
        }
        let mut lanes = self.ints();
        let fine = mask.all(|core| match operation(floats.at(core)) {
            Some(int) => {
                lanes[core] = int;
                true
            }
            None => false,
        });
        self.free_floats(floats);
        fine.then_some(Ints::Lanes(lanes))
    }
}

#[inline(always)]
fn update(
    mask: &Mask,
    lanes: &mut [i64],
    operation: impl Fn(i64) -> (i64, bool),
    any_bad: &mut bool,
) {
    let mut bad_so_far = false;
    match mask {
        Mask::Range(low, high) => {
            for lane in &mut lanes[*low..*high] {
                let (result, bad) = operation(*lane);
                *lane = result;
                bad_so_far |= bad;
            }
        }
        Mask::List(cores) => {
            for &core in cores {
                let (result, bad) = operation(lanes[core as usize]);
                lanes[core as usize] = result;
                bad_so_far |= bad;
            }
        }
    }
    *any_bad |= bad_so_far;
}
