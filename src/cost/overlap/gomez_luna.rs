//! Paper 5 (Gómez-Luna et al.): equations (1) to (8), section 3.2. Streams cost their creation,
//! t_sc each; compute capability 1.x hides either transfer, 2.x the inward one alone.

use crate::cost::overlap::{DeviceClass, nearest, root};

/// Times of one program, in ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// t_E: the kernel.
    pub kernel: f64,
    /// t_Thd: inward transfers.
    pub inward: f64,
    /// t_Tdh: outward transfers.
    pub outward: f64,
    /// t_sc: the creation of a stream.
    pub creation: f64,
}

impl Times {
    /// t_T: all transfers.
    pub fn transfers(&self) -> f64 {
        self.inward + self.outward
    }
}

/// The classes of cards in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capability {
    /// 1.x: no implicit synchronisation.
    One,
    /// 2.x: implicit synchronisation.
    Two,
}

impl Capability {
    /// The class of a card. Later cards without implicit synchronisation count as 1.x.
    pub const fn of(class: DeviceClass) -> Capability {
        match class {
            DeviceClass::ImplicitSync => Capability::Two,
            DeviceClass::OneEngine | DeviceClass::TwoEngines => Capability::One,
        }
    }
}

/// Returns true if transfers dominate: t_T > t_E + t_T/n on 1.x, t_Thd > t_E on 2.x.
pub fn transfers_dominate(capability: Capability, t: &Times, n: u32) -> bool {
    match capability {
        Capability::One => t.transfers() > t.kernel + t.transfers() / f64::from(n),
        Capability::Two => t.inward > t.kernel,
    }
}

/// The number of the equation that holds: (1) or (3) on 1.x, (5) or (7) on 2.x.
pub fn equation(capability: Capability, t: &Times, n: u32) -> u32 {
    match (capability, transfers_dominate(capability, t, n)) {
        (Capability::One, true) => 1,
        (Capability::One, false) => 3,
        (Capability::Two, true) => 5,
        (Capability::Two, false) => 7,
    }
}

/// The time of n streams: equations (1), (3), (5) and (7).
///
/// ```
/// use atgpu::cost::overlap::gomez_luna::{self, Capability, Times};
///
/// let times = Times { kernel: 4.0, inward: 6.0, outward: 2.0, creation: 0.5 };
/// assert_eq!(gomez_luna::streams(Capability::One, &times, 4), 8.0 + 4.0 * 0.5);
/// ```
pub fn streams(capability: Capability, t: &Times, n: u32) -> f64 {
    let parts = f64::from(n);
    let overhead = parts * t.creation;
    match equation(capability, t, n) {
        1 => t.transfers() + overhead,
        3 => t.kernel + t.transfers() / parts + overhead,
        5 => t.inward + t.kernel / parts + t.outward + overhead,
        _ => t.inward / parts + t.kernel + t.outward + overhead,
    }
}

/// Equation (2): t_T/(t_T − t_E), the n at which (1) and (3) are equal. `None` unless transfers are longer.
pub fn equation_2(t: &Times) -> Option<f64> {
    let spare = t.transfers() - t.kernel;
    (spare > 0.0).then(|| t.transfers() / spare)
}

/// The real number of streams with the least time: equations (4), (6) and (8). For dominant transfers on
/// 1.x it is the smaller of (2) and (4), since (2) is no minimum.
pub fn best(capability: Capability, t: &Times) -> f64 {
    let least = |time: f64| root(time, t.creation);
    match capability {
        Capability::One => {
            let four = least(t.transfers());
            equation_2(t).map_or(four, |two| two.min(four))
        }
        Capability::Two if transfers_dominate(capability, t, 1) => least(t.kernel),
        Capability::Two => least(t.inward),
    }
}

/// The whole number of streams next to [`best`], at most `most`, and its time.
pub fn best_streams(capability: Capability, t: &Times, most: u32) -> (u32, f64) {
    nearest(best(capability, t), most, |n| streams(capability, t, n))
}
