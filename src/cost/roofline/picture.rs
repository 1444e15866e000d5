//! The classical roofline diagram: operations per byte against operations per second, kernels below the
//! card's roofs.

use crate::cost::roofline::card::Card;
use crate::cost::roofline::sums::each_kernel;
use crate::cost::{Missing, Subject};
use crate::machine::Machine;
use crate::number::{BigInt, Rational};

/// A kernel in the diagram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Instructions of all cores, with address computations, per byte delivered by memory.
    pub intensity: f64,
    /// Operations per second, in 10⁹, for the model's time without its launch.
    pub gops: f64,
}

/// The roofs of a card, and kernels below them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// Peak operations per second of all cores, in 10⁹.
    pub peak_gops: f64,
    /// Peak bytes per second of its memory, in 10⁹.
    pub memory_gb_s: f64,
    /// The distinct kernels, in order. Kernels that move no byte have no place.
    pub kernels: Vec<Placed>,
}

impl Picture {
    /// Places the kernels of a program on a card.
    ///
    /// ```
    /// use atgpu::cost::{Picture, Subject};
    /// use atgpu::{count::{Charged, Counts}, machine::Machine};
    ///
    /// let card = Machine::built_in("rtx3060").expect("built in");
    /// let (nothing, charged) = (Counts::default(), Charged::default());
    /// let subject = Subject::of(&nothing).with_charges(&charged);
    /// let picture = Picture::of(&subject, &card).expect("complete");
    /// // 28 multiprocessors issue 4 warps of 32 cores each cycle of 1.777 GHz.
    /// assert_eq!(picture.peak_gops.round(), (28.0 * 4.0 * 32.0 * 1.777_f64).round());
    /// assert!(picture.kernels.is_empty());
    /// ```
    ///
    /// # Errors
    /// The machine lacks a figure, or the subject lacks its charges.
    pub fn of(subject: &Subject<'_>, machine: &Machine) -> Result<Picture, Missing> {
        let missing = || Missing::Charges { model: "roofline" };
        let card = Card::of(machine)?;
        let mut kernels: Vec<Placed> = Vec::new();
        each_kernel(subject, &card, &mut |_, kernel| {
            let bounds = kernel.bounds(&card)?;
            let times = bounds.iter().filter_map(|bound| bound.as_rational());
            let ms = times.max()?;
            let operations = kernel.operations(&card).as_rational()?;
            let intensity = operations.checked_div(&kernel.moved(&card).as_rational()?);
            let rate = operations.checked_div(&(&ms * &a_second()));
            if let (Some(intensity), Some(rate)) = (intensity, rate) {
                let placed = Placed {
                    intensity: intensity.to_f64(),
                    gops: rate.to_f64(),
                };
                if placed.gops > 0.0 && !kernels.contains(&placed) {
                    kernels.push(placed);
                }
            }
            Some(())
        })?;
        let rate = |number: &crate::sym::Expr| {
            let number = number.as_rational().unwrap_or_default();
            number
                .checked_div(&a_second())
                .map_or(0.0, |rate| rate.to_f64())
        };
        // The number of lanes: the cores of an MP divided by the warps across it.
        let lanes = card.width.div(&card.across).ok_or_else(missing)?;
        let issued = &card.issue * &card.clock * &lanes;
        Ok(Picture {
            peak_gops: rate(&(&card.multiprocessors * &issued)),
            memory_gb_s: rate(&card.memory),
            kernels,
        })
    }
}

/// The factor between 10⁹ a second and one a ms.
fn a_second() -> Rational {
    Rational::from(BigInt::from(1_000_000))
}
