//! What the cores of one MP hold, all at once: the arithmetic of the fast form.
//!
//! A quantity that is the same for all cores is one word ([`Ints::Uniform`]); one that grows
//! evenly from core to core, as an index usually does, is two ([`Ints::Affine`]); everything else
//! is one word per core. All of it is exact in 64 bits or not done at all: an operation gives
//! `None` when a result of an active core does not fit, is no whole number or does not exist, and
//! the caller falls back on the reference form. What inactive cores hold is arbitrary.

use crate::exec::value;
use crate::number::theory;
use crate::syntax::ast::Comparison;

/// The active cores: never empty while a statement executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mask {
    /// The cores from the first to before the second.
    Range(usize, usize),
    /// These, ascending, and not a range.
    List(Vec<u32>),
}

impl Mask {
    /// How many are active.
    pub fn count(&self) -> usize {
        match self {
            Mask::Range(low, high) => high - low,
            Mask::List(cores) => cores.len(),
        }
    }

    /// The first active core.
    pub fn first(&self) -> usize {
        match self {
            Mask::Range(low, _) => *low,
            Mask::List(cores) => cores[0] as usize,
        }
    }

    /// The last active core.
    pub fn last(&self) -> usize {
        match self {
            Mask::Range(_, high) => high - 1,
            Mask::List(cores) => cores[cores.len() - 1] as usize,
        }
    }

    /// The active cores, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let (range, list): (_, &[u32]) = match self {
            Mask::Range(low, high) => (*low..*high, &[]),
            Mask::List(cores) => (0..0, cores),
        };
        range.chain(list.iter().map(|&core| core as usize))
    }

    /// Calls `visit` with every active core, ascending; quicker than [`iter`](Self::iter).
    #[inline(always)]
    pub fn each(&self, mut visit: impl FnMut(usize)) {
        match self {
            Mask::Range(low, high) => (*low..*high).for_each(visit),
            Mask::List(cores) => cores.iter().for_each(|&core| visit(core as usize)),
        }
    }

    /// Whether something holds for every active core.
    #[inline(always)]
    pub fn all(&self, mut holds: impl FnMut(usize) -> bool) -> bool {
        match self {
            Mask::Range(low, high) => (*low..*high).all(holds),
            Mask::List(cores) => cores.iter().all(|&core| holds(core as usize)),
        }
    }

    /// The mask of these cores, ascending; empty as an empty range.
    pub fn of(cores: Vec<u32>) -> Mask {
        match (cores.first(), cores.last()) {
            (Some(&first), Some(&last)) if (last - first) as usize + 1 == cores.len() => {
                Mask::Range(first as usize, last as usize + 1)
            }
            (Some(_), Some(_)) => Mask::List(cores),
            _ => Mask::Range(0, 0),
        }
    }

    /// Those active cores for which a condition holds.
    pub fn narrow(&self, truths: &Truths) -> Mask {
        match (self, truths) {
            (_, Truths::Uniform(true)) => self.clone(),
            (_, Truths::Uniform(false)) => Mask::Range(0, 0),
            (Mask::Range(low, high), Truths::Range(from, to)) => {
                let (low, high) = (*low.max(from), *high.min(to));
                Mask::Range(low.min(high), high)
            }
            (Mask::List(cores), Truths::Range(from, to)) => {
                let inside = cores
                    .iter()
                    .filter(|&&core| (*from..*to).contains(&(core as usize)));
                Mask::of(inside.copied().collect())
            }
            (_, Truths::Lanes(truths)) => {
                let mut cores = Vec::with_capacity(self.count());
                self.each(|core| {
                    if truths[core] {
                        cores.push(core as u32);
                    }
                });
                Mask::of(cores)
            }
        }
    }

    /// Whether no core is active.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

/// A whole number per core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ints {
    /// The same for all.
    Uniform(i64),
    /// base + stride · core; fits for every core of the MP, stride ≠ 0.
    Affine { base: i64, stride: i64 },
    /// One each.
    Lanes(Vec<i64>),
}

impl Ints {
    /// The value of one core.
    #[inline(always)]
    pub fn at(&self, core: usize) -> i64 {
        match self {
            Ints::Uniform(value) => *value,
            Ints::Affine { base, stride } => base.wrapping_add(stride.wrapping_mul(core as i64)),
            Ints::Lanes(lanes) => lanes[core],
        }
    }

    /// base and stride, unless every core has a value of its own.
    #[inline]
    pub fn line(&self) -> Option<(i64, i64)> {
        match self {
            Ints::Uniform(value) => Some((*value, 0)),
            Ints::Affine { base, stride } => Some((*base, *stride)),
            Ints::Lanes(_) => None,
        }
    }
}

/// A float per core.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Floats {
    /// The same for all.
    Uniform(f64),
    /// One each.
    Lanes(Vec<f64>),
}

impl Floats {
    /// The value of one core.
    #[inline(always)]
    pub fn at(&self, core: usize) -> f64 {
        match self {
            Floats::Uniform(value) => *value,
            Floats::Lanes(lanes) => lanes[core],
        }
    }
}

/// A condition per core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truths {
    /// The same for all.
    Uniform(bool),
    /// True from the first core to before the second, false elsewhere.
    Range(usize, usize),
    /// One each.
    Lanes(Vec<bool>),
}

impl Truths {
    /// The truth for one core.
    #[inline(always)]
    pub fn at(&self, core: usize) -> bool {
        match self {
            Truths::Uniform(truth) => *truth,
            Truths::Range(from, to) => (*from..*to).contains(&core),
            Truths::Lanes(truths) => truths[core],
        }
    }
}

/// Buffers of one word per core, used again and again.
#[derive(Debug)]
pub(super) struct Buffers {
    /// b
    cores: usize,
    ints: Vec<Vec<i64>>,
    floats: Vec<Vec<f64>>,
}

impl Buffers {
    /// For MPs of b cores.
    pub fn new(cores: usize) -> Buffers {
        Buffers {
            cores,
            ints: Vec::new(),
            floats: Vec::new(),
        }
    }

    /// A buffer of arbitrary ints.
    #[inline]
    pub fn ints(&mut self) -> Vec<i64> {
        self.ints.pop().unwrap_or_else(|| vec![0; self.cores])
    }

    /// A buffer of arbitrary floats.
    #[inline]
    pub fn floats(&mut self) -> Vec<f64> {
        self.floats.pop().unwrap_or_else(|| vec![0.0; self.cores])
    }

    /// Takes back what is no longer needed.
    #[inline]
    pub fn free(&mut self, ints: Ints) {
        if let Ints::Lanes(lanes) = ints {
            self.ints.push(lanes);
        }
    }

    /// Takes back what is no longer needed.
    #[inline]
    pub fn free_floats(&mut self, floats: Floats) {
        if let Floats::Lanes(lanes) = floats {
            self.floats.push(lanes);
        }
    }

    /// One word per core, whatever the form was.
    fn spread(&mut self, ints: Ints) -> Vec<i64> {
        match ints {
            Ints::Lanes(lanes) => lanes,
            Ints::Uniform(value) => {
                let mut lanes = self.ints();
                lanes.fill(value);
                lanes
            }
            Ints::Affine { base, stride } => {
                let mut lanes = self.ints();
                let mut value = base;
                for lane in &mut lanes {
                    *lane = value;
                    value = value.wrapping_add(stride);
                }
                lanes
            }
        }
    }

    /// base + stride · core where that fits for every core.
    #[inline]
    pub fn affine(&self, base: i64, stride: i64) -> Option<Ints> {
        if stride == 0 {
            return Some(Ints::Uniform(base));
        }
        let last = stride.checked_mul(self.cores as i64 - 1)?;
        base.checked_add(last)?;
        Some(Ints::Affine { base, stride })
    }

    /// Applies an operation core by core; its flag says that the result is no good.
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
    pub fn add(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        if let (Some((a, s)), Some((b, t))) = (left.line(), right.line()) {
            return self.affine(a.checked_add(b)?, s.checked_add(t)?);
        }
        self.zip(mask, left, right, i64::overflowing_add)
    }

    /// `x - y`
    pub fn subtract(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        if let (Some((a, s)), Some((b, t))) = (left.line(), right.line()) {
            return self.affine(a.checked_sub(b)?, s.checked_sub(t)?);
        }
        self.zip(mask, left, right, i64::overflowing_sub)
    }

    /// `x · y`
    pub fn multiply(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
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

    /// `x / y`, exact.
    pub fn divide(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| {
            match (x.checked_rem(y), x.checked_div(y)) {
                (Some(0), Some(quotient)) => (quotient, false),
                _ => (0, true),
            }
        })
    }

    /// `⌊x/y⌋`
    pub fn floor_divide(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
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
    pub fn ceil_divide(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
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
    pub fn modulo(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
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
    pub fn power(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| {
            let power = u32::try_from(y).ok().and_then(|y| x.checked_pow(y));
            (power.unwrap_or(0), power.is_none())
        })
    }

    /// `min(x, y)`
    pub fn minimum(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| (x.min(y), false))
    }

    /// `max(x, y)`
    pub fn maximum(&mut self, mask: &Mask, left: Ints, right: Ints) -> Option<Ints> {
        self.zip(mask, left, right, |x, y| (x.max(y), false))
    }

    /// Any operation of two ints that may refuse.
    pub fn combine(
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

    /// The next value of a loop variable: one more, or one less. Wraps where that is never used.
    pub fn step(&mut self, mask: &Mask, of: Ints, down: bool) -> Ints {
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
    pub fn absolute(&mut self, mask: &Mask, of: Ints) -> Option<Ints> {
        self.zip(mask, of, Ints::Uniform(0), |x, _| x.overflowing_abs())
    }

    /// x where the condition holds, else y.
    pub fn select(&mut self, mask: &Mask, truths: &Truths, then: Ints, otherwise: Ints) -> Ints {
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

    /// x where the condition holds, else y.
    pub fn select_floats(
        &mut self,
        mask: &Mask,
        truths: &Truths,
        then: Floats,
        otherwise: Floats,
    ) -> Floats {
        let mut lanes = self.floats();
        mask.each(|core| {
            lanes[core] = if truths.at(core) {
                then.at(core)
            } else {
                otherwise.at(core)
            };
        });
        self.free_floats(then);
        self.free_floats(otherwise);
        Floats::Lanes(lanes)
    }

    /// Ints as floats.
    pub fn floats_of(&mut self, mask: &Mask, ints: Ints) -> Floats {
        if let Ints::Uniform(value) = ints {
            return Floats::Uniform(value as f64);
        }
        let mut lanes = self.floats();
        mask.each(|core| lanes[core] = ints.at(core) as f64);
        self.free(ints);
        Floats::Lanes(lanes)
    }

    /// Floats as ints, by an operation that may refuse.
    pub fn ints_of(
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

    /// An operation of two floats.
    #[inline(always)]
    pub fn zip_floats(
        &mut self,
        mask: &Mask,
        left: Floats,
        right: Floats,
        operation: impl Fn(f64, f64) -> f64,
    ) -> Floats {
        match (left, right) {
            (Floats::Uniform(x), Floats::Uniform(y)) => Floats::Uniform(operation(x, y)),
            (Floats::Lanes(mut x), Floats::Uniform(y)) => {
                update_floats(mask, &mut x, |x| operation(x, y));
                Floats::Lanes(x)
            }
            (Floats::Uniform(x), Floats::Lanes(mut y)) => {
                update_floats(mask, &mut y, |y| operation(x, y));
                Floats::Lanes(y)
            }
            (Floats::Lanes(mut x), Floats::Lanes(y)) => {
                match mask {
                    Mask::Range(low, high) => {
                        for (x, y) in x[*low..*high].iter_mut().zip(&y[*low..*high]) {
                            *x = operation(*x, *y);
                        }
                    }
                    Mask::List(_) => mask.each(|core| x[core] = operation(x[core], y[core])),
                }
                self.floats.push(y);
                Floats::Lanes(x)
            }
        }
    }

    /// An operation of one float.
    #[inline(always)]
    pub fn map_floats(
        &mut self,
        mask: &Mask,
        of: Floats,
        operation: impl Fn(f64) -> f64,
    ) -> Floats {
        match of {
            Floats::Uniform(x) => Floats::Uniform(operation(x)),
            Floats::Lanes(mut x) => {
                update_floats(mask, &mut x, operation);
                Floats::Lanes(x)
            }
        }
    }

    /// A comparison of ints.
    pub fn compare(
        &mut self,
        mask: &Mask,
        operator: Comparison,
        left: &Ints,
        right: &Ints,
    ) -> Option<Truths> {
        let holds = |x: i64, y: i64| -> Option<bool> {
            Some(match operator {
                Comparison::Equal => x == y,
                Comparison::NotEqual => x != y,
                Comparison::Less => x < y,
                Comparison::AtMost => x <= y,
                Comparison::Greater => x > y,
                Comparison::AtLeast => x >= y,
                Comparison::Divides if x == 0 => y == 0,
                Comparison::Divides => y.wrapping_rem(x) == 0,
                Comparison::PowerOf => return None,
            })
        };
        if let (Some((a, s)), Some((b, t))) = (left.line(), right.line()) {
            if s == t && operator != Comparison::Divides || s == 0 && t == 0 {
                return holds(a, b).map(Truths::Uniform);
            }
            if let (Some(base), Some(stride)) = (a.checked_sub(b), s.checked_sub(t))
                && let Some(range) = solve(operator, base, stride, self.cores)
            {
                return Some(range);
            }
        }
        let mut truths = vec![false; self.cores];
        let fine = mask.all(|core| match holds(left.at(core), right.at(core)) {
            Some(truth) => {
                truths[core] = truth;
                true
            }
            None => false,
        });
        fine.then_some(Truths::Lanes(truths))
    }

    /// A comparison of floats.
    pub fn compare_floats(
        &mut self,
        mask: &Mask,
        operator: Comparison,
        left: &Floats,
        right: &Floats,
    ) -> Truths {
        let holds = |x: f64, y: f64| value::holds(operator, x.partial_cmp(&y));
        if let (Floats::Uniform(x), Floats::Uniform(y)) = (left, right) {
            return Truths::Uniform(holds(*x, *y));
        }
        let mut truths = vec![false; self.cores];
        mask.each(|core| truths[core] = holds(left.at(core), right.at(core)));
        Truths::Lanes(truths)
    }

    /// `c ∧ d` (or `c ∨ d`), both sides already evaluated.
    pub fn connect(&mut self, mask: &Mask, and: bool, left: Truths, right: Truths) -> Truths {
        match (left, right) {
            (Truths::Uniform(truth), other) | (other, Truths::Uniform(truth)) => {
                if truth == and {
                    other
                } else {
                    Truths::Uniform(!and)
                }
            }
            (Truths::Range(a, b), Truths::Range(c, d)) if and => {
                let (low, high) = (a.max(c), b.min(d));
                Truths::Range(low.min(high), high)
            }
            (left, right) => {
                let mut truths = vec![false; self.cores];
                mask.each(|core| {
                    let (left, right) = (left.at(core), right.at(core));
                    truths[core] = if and { left & right } else { left | right };
                });
                Truths::Lanes(truths)
            }
        }
    }

    /// `¬ c`
    pub fn negate(&mut self, truths: Truths) -> Truths {
        match truths {
            Truths::Uniform(truth) => Truths::Uniform(!truth),
            Truths::Range(0, to) => Truths::Range(to, self.cores),
            Truths::Range(from, to) if to == self.cores => Truths::Range(0, from),
            Truths::Range(from, to) => Truths::Lanes(
                (0..self.cores)
                    .map(|core| !(from..to).contains(&core))
                    .collect(),
            ),
            Truths::Lanes(mut truths) => {
                truths.iter_mut().for_each(|truth| *truth = !*truth);
                Truths::Lanes(truths)
            }
        }
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

#[inline(always)]
fn update_floats(mask: &Mask, lanes: &mut [f64], operation: impl Fn(f64) -> f64) {
    match mask {
        Mask::Range(low, high) => {
            for lane in &mut lanes[*low..*high] {
                *lane = operation(*lane);
            }
        }
        Mask::List(cores) => {
            for &core in cores {
                lanes[core as usize] = operation(lanes[core as usize]);
            }
        }
    }
}

/// The cores for which base + stride · core compares so with 0 (stride ≠ 0), when they are a
/// range that is easily told.
fn solve(operator: Comparison, base: i64, stride: i64, cores: usize) -> Option<Truths> {
    // A falling line is the rising one below zero.
    let (base, stride, operator) = if stride > 0 {
        (base, stride, operator)
    } else {
        let (base, stride) = (base.checked_neg()?, stride.checked_neg()?);
        (base, stride, operator.mirrored())
    };
    // The first core at which the line reaches 0, and the first at which it is above.
    let reaches = first_core(base.checked_neg()?, stride, cores);
    let passes = first_core(base.checked_neg()?.checked_add(1)?, stride, cores);
    Some(match operator {
        Comparison::Less => Truths::Range(0, reaches),
        Comparison::AtMost => Truths::Range(0, passes),
        Comparison::Greater => Truths::Range(passes, cores),
        Comparison::AtLeast => Truths::Range(reaches, cores),
        Comparison::Equal => Truths::Range(reaches, passes),
        Comparison::NotEqual if reaches == passes => Truths::Uniform(true),
        Comparison::NotEqual if reaches == 0 => Truths::Range(passes, cores),
        Comparison::NotEqual if passes == cores => Truths::Range(0, reaches),
        Comparison::NotEqual | Comparison::Divides | Comparison::PowerOf => return None,
    })
}

/// The first core with stride · core ≥ rise, for a stride above 0.
#[inline]
fn first_core(rise: i64, stride: i64, cores: usize) -> usize {
    if rise <= 0 {
        return 0;
    }
    let core = match stride {
        1 => rise as u64,
        stride => (rise as u64).div_ceil(stride as u64),
    };
    core.min(cores as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ORDERS: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ];

    fn any_ints() -> impl Strategy<Value = Ints> {
        prop_oneof![
            (-20i64..20).prop_map(Ints::Uniform),
            (-20i64..20, prop_oneof![-5i64..0, 1i64..5])
                .prop_map(|(base, stride)| Ints::Affine { base, stride }),
            proptest::collection::vec(-20i64..20, 8).prop_map(Ints::Lanes),
            Just(Ints::Uniform(i64::MAX)),
            Just(Ints::Uniform(i64::MIN)),
        ]
    }

    fn any_mask() -> impl Strategy<Value = Mask> {
        proptest::collection::vec(any::<bool>(), 8).prop_map(|active| {
            let cores = (0..8).filter(|&core| active[core as usize]);
            match Mask::of(cores.collect()) {
                mask if mask.is_empty() => Mask::Range(0, 8),
                mask => mask,
            }
        })
    }

    #[test]
    fn a_mask_begins_and_ends_with_its_cores() {
        for mask in [
            Mask::Range(0, 1),
            Mask::Range(2, 7),
            Mask::List(vec![1, 4, 6]),
        ] {
            let cores: Vec<usize> = mask.iter().collect();
            assert_eq!(mask.count(), cores.len());
            assert_eq!(Some(mask.first()), cores.first().copied());
            assert_eq!(Some(mask.last()), cores.last().copied());
            let mut seen = Vec::new();
            mask.each(|core| seen.push(core));
            assert_eq!(seen, cores);
        }
    }

    proptest! {
        /// Every form of operand gives what its cores give one by one.
        #[test]
        fn forms_agree_with_single_cores(left in any_ints(), right in any_ints(), mask in any_mask()) {
            type Operation = fn(&mut Buffers, &Mask, Ints, Ints) -> Option<Ints>;
            type Single = fn(i64, i64) -> Option<i64>;
            let operations: [(Operation, Single); 7] = [
                (Buffers::add, i64::checked_add),
                (Buffers::subtract, i64::checked_sub),
                (Buffers::multiply, i64::checked_mul),
                (Buffers::floor_divide, theory::floor_quotient),
                (Buffers::modulo, theory::floor_remainder),
                (Buffers::minimum, |x, y| Some(x.min(y))),
                (Buffers::divide, |x, y| (x.checked_rem(y)? == 0).then(|| x / y)),
            ];
            let mut buffers = Buffers::new(8);
            for (operation, single) in operations {
                if let Some(result) = operation(&mut buffers, &mask, left.clone(), right.clone()) {
                    for core in mask.iter() {
                        prop_assert_eq!(Some(result.at(core)), single(left.at(core), right.at(core)));
                    }
                }
            }
            for operator in ORDERS {
                let truths = buffers.compare(&mask, operator, &left, &right).unwrap();
                let narrowed = mask.narrow(&truths);
                let expected: Vec<usize> = mask
                    .iter()
                    .filter(|&core| value::holds(operator, Some(left.at(core).cmp(&right.at(core)))))
                    .collect();
                prop_assert_eq!(narrowed.iter().collect::<Vec<_>>(), expected.clone());
                let rest = buffers.negate(truths);
                prop_assert_eq!(mask.narrow(&rest).count() + expected.len(), mask.count());
            }
        }
    }
}
