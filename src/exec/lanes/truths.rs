//! Comparisons and connectives, for all active cores at once.

use pulp::{Arch, NullaryFnOnce};

use crate::exec::lanes::{Buffers, Floats, Ints, Mask, Truths};
use crate::meaning::arithmetic;
use crate::syntax::ast::Comparison;

impl Truths {
    /// Counts the cores among the first `cores` for which it holds.
    pub(in crate::exec) fn held(&self, cores: usize) -> usize {
        match self {
            Truths::Uniform(truth) => cores * usize::from(*truth),
            Truths::Range(from, to) => (*to).min(cores).saturating_sub(*from),
            Truths::Lanes(truths) => Arch::new().dispatch(Held(&truths[..cores])),
        }
    }
}

impl Buffers {
    /// Compares ints. Does not cover `is a power of`.
    pub(in crate::exec) fn compare(
        &mut self,
        mask: &Mask,
        operator: Comparison,
        left: &Ints,
        right: &Ints,
    ) -> Option<Truths> {
        if operator == Comparison::PowerOf {
            return None;
        }
        // Two lines with the same slope differ by a constant, so one comparison decides for all
        // cores: i·b + j < n·b + j. Other lines are compared by the sign of their difference.
        if let (Some((a, s)), Some((b, t))) = (left.line(), right.line()) {
            if s == t && operator != Comparison::Divides || s == 0 && t == 0 {
                return Some(Truths::Uniform(holds(operator, a, b)));
            }
            if let (Some(base), Some(stride)) = (a.checked_sub(b), s.checked_sub(t))
                && let Some(range) = solve(operator, base, stride, self.cores)
            {
                return Some(range);
            }
        }
        let mut truths = vec![false; self.cores];
        Arch::new().dispatch(Compared {
            mask,
            operator,
            left,
            right,
            truths: &mut truths,
        });
        Some(Truths::Lanes(truths))
    }

    /// Compares floats.
    pub(in crate::exec) fn compare_floats(
        &mut self,
        mask: &Mask,
        operator: Comparison,
        left: &Floats,
        right: &Floats,
    ) -> Truths {
        let holds = |x: f64, y: f64| arithmetic::holds(operator, x.partial_cmp(&y));
        if let (Floats::Uniform(x), Floats::Uniform(y)) = (left, right) {
            return Truths::Uniform(holds(*x, *y));
        }
        let mut truths = vec![false; self.cores];
        mask.each(|core| truths[core] = holds(left.at(core), right.at(core)));
        Truths::Lanes(truths)
    }

    /// Combines truths by ∧ (or ∨); both sides are already evaluated.
    pub(in crate::exec) fn connect(
        &mut self,
        mask: &Mask,
        and: bool,
        left: Truths,
        right: Truths,
    ) -> Truths {
        match (left, right) {
            (Truths::Uniform(truth), other) | (other, Truths::Uniform(truth)) => {
                if truth == and {
                    other
                } else {
                    Truths::Uniform(!and)
                }
            }
            // Disjoint ranges must not cross over: 0..3 and 5..8 meet in 5..3, which becomes the
            // empty
            // 3..3.
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
    pub(in crate::exec) fn negate(&mut self, truths: Truths) -> Truths {
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

/// Returns true if a comparison of ints holds; `PowerOf` never does here.
#[inline(always)]
fn holds(operator: Comparison, x: i64, y: i64) -> bool {
    match operator {
        Comparison::Equal => x == y,
        Comparison::NotEqual => x != y,
        Comparison::Less => x < y,
        Comparison::AtMost => x <= y,
        Comparison::Greater => x > y,
        Comparison::AtLeast => x >= y,
        Comparison::Divides if x == 0 => y == 0,
        Comparison::Divides => y.wrapping_rem(x) == 0,
        Comparison::PowerOf => false,
    }
}

/// Counts the truths that hold.
struct Held<'t>(&'t [bool]);

impl NullaryFnOnce for Held<'_> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        // 255 is the most that a byte can count, and a vector has the most lanes for bytes.
        let parts = self.0.chunks(255);
        let held = parts.map(|part| part.iter().map(|&truth| u8::from(truth)).sum::<u8>());
        held.map(usize::from).sum()
    }
}

/// Compares core by core, with a loop of its own for every operator.
struct Compared<'t> {
    mask: &'t Mask,
    operator: Comparison,
    left: &'t Ints,
    right: &'t Ints,
    truths: &'t mut [bool],
}

impl NullaryFnOnce for Compared<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Compared {
            mask,
            operator,
            left,
            right,
            truths,
        } = self;
        macro_rules! by {
            ($($operator:ident)*) => {
                match operator {
                    $(Comparison::$operator => {
                        zip(mask, left, right, truths, |x, y| holds(Comparison::$operator, x, y))
                    })*
                }
            };
        }
        by!(Equal NotEqual Less AtMost Greater AtLeast Divides PowerOf);
    }
}

#[inline(always)]
fn zip(
    mask: &Mask,
    left: &Ints,
    right: &Ints,
    truths: &mut [bool],
    holds: impl Fn(i64, i64) -> bool,
) {
    match (left, right, mask) {
        (Ints::Lanes(left), Ints::Uniform(right), Mask::Range(low, high)) => {
            for (truth, left) in truths[*low..*high].iter_mut().zip(&left[*low..*high]) {
                *truth = holds(*left, *right);
            }
        }
        (Ints::Uniform(left), Ints::Lanes(right), Mask::Range(low, high)) => {
            for (truth, right) in truths[*low..*high].iter_mut().zip(&right[*low..*high]) {
                *truth = holds(*left, *right);
            }
        }
        (Ints::Lanes(left), Ints::Lanes(right), Mask::Range(low, high)) => {
            let pairs = left[*low..*high].iter().zip(&right[*low..*high]);
            for (truth, (left, right)) in truths[*low..*high].iter_mut().zip(pairs) {
                *truth = holds(*left, *right);
            }
        }
        _ => mask.each(|core| truths[core] = holds(left.at(core), right.at(core))),
    }
}

/// Returns the cores for which base + stride · core compares so with 0, if they are one range.
fn solve(operator: Comparison, base: i64, stride: i64, cores: usize) -> Option<Truths> {
    if stride == 0 {
        return None;
    }
    // A falling line is a rising one with its sign and the comparison turned round.
    let (base, stride, operator) = if stride > 0 {
        (base, stride, operator)
    } else {
        let (base, stride) = (base.checked_neg()?, stride.checked_neg()?);
        (base, stride, operator.mirrored())
    };
    // The first core at which the line reaches 0, and the first at which it is above. For
    // j − 5 on 8 cores: reaches = 5, passes = 6; `<` holds for 0..5, `=` for 5..6, `>` for 6..8.
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

/// Returns the first core with stride · core ≥ rise, for a stride above 0; at most `cores`.
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
