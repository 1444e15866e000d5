//! Operations of floats, for all active cores at once.

use crate::exec::lanes::{Buffers, Floats, Ints, Mask, Truths};

impl Buffers {
    /// Selects x where the condition holds, else y.
    pub(in crate::exec) fn select_floats(
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

    /// Converts ints to floats.
    pub(in crate::exec) fn floats_of(&mut self, mask: &Mask, ints: Ints) -> Floats {
        if let Ints::Uniform(value) = ints {
            return Floats::Uniform(value as f64);
        }
        let mut lanes = self.floats();
        mask.each(|core| lanes[core] = ints.at(core) as f64);
        self.free(ints);
        Floats::Lanes(lanes)
    }

    /// Applies an operation of two floats.
    #[inline(always)]
    pub(in crate::exec) fn zip_floats(
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

    /// Applies an operation of one float.
    #[inline(always)]
    pub(in crate::exec) fn map_floats(
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
