//! Paper 3 (van Werkhoven et al.): equations (1) to (6), their conditions and best numbers of
//! streams (sections IV to VI). `n` is nStreams; each direction has its own L + o, G and g.

use crate::cost::overlap::{Bus, DeviceClass, Work, least};

/// Bulk-synchronous: all in, the kernel, all out.
///
/// ```
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// assert_eq!(werkhoven::explicit(&work, &bus), (1.0 + 4.0) + 8.0 + (1.0 + 2.0));
/// ```
pub fn explicit(work: &Work, bus: &Bus) -> f64 {
    bus.inward_ms(work.inward_bytes, 1) + work.kernel_ms + bus.outward_ms(work.outward_bytes, 1)
}

/// Equation (1): implicit synchronisation, one copy engine, dominant kernel.
///
/// ```
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// assert_eq!(werkhoven::equation_1(&work, &bus, 2), (1.0 + 4.0 / 2.0) + 8.0 + (1.0 + 2.0 + 0.5));
/// ```
pub fn equation_1(work: &Work, bus: &Bus, n: u32) -> f64 {
    let part = work.inward_bytes / f64::from(n);
    bus.inward_ms(part, 1) + work.kernel_ms + bus.outward_ms(work.outward_bytes, n)
}

/// Equation (2): implicit synchronisation, one copy engine, dominant transfers.
///
/// ```
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// assert_eq!(werkhoven::equation_2(&work, &bus, 2), 5.5 + 8.0 / 2.0 + 3.5);
/// ```
pub fn equation_2(work: &Work, bus: &Bus, n: u32) -> f64 {
    bus.inward_ms(work.inward_bytes, n)
        + work.kernel_ms / f64::from(n)
        + bus.outward_ms(work.outward_bytes, n)
}

/// Equation (3): no implicit synchronisation, one copy engine, dominant kernel.
///
/// ```
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// assert_eq!(werkhoven::equation_3(&work, &bus, 2), 3.0 + 8.0 + 2.0);
/// ```
pub fn equation_3(work: &Work, bus: &Bus, n: u32) -> f64 {
    let parts = f64::from(n);
    bus.inward_ms(work.inward_bytes / parts, 1)
        + work.kernel_ms
        + bus.outward_ms(work.outward_bytes / parts, 1)
}

/// Equation (4): no implicit synchronisation, one copy engine, dominant transfers.
///
/// ```
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// // All of the inward transfer, half of the kernel, half of the outward transfer.
/// assert_eq!(werkhoven::equation_4(&work, &bus, 2), 5.5 + 8.0 / 2.0 + 2.0);
/// ```
pub fn equation_4(work: &Work, bus: &Bus, n: u32) -> f64 {
    let both = bus.inward_ms(work.inward_bytes, n) + bus.outward_ms(work.outward_bytes, n);
    both.max(inward_longest(work, bus, n))
        .max(outward_longest(work, bus, n))
}

/// Equation (5): no implicit synchronisation, two copy engines; also hybrid, with the G of
/// explicit copies in and mapped writes out.
///
/// ```
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// // The kernel is longest: half of each transfer around it.
/// assert_eq!(werkhoven::equation_5(&work, &bus, 2), 3.0 + 8.0 + 2.0);
/// ```
pub fn equation_5(work: &Work, bus: &Bus, n: u32) -> f64 {
    inward_longest(work, bus, n)
        .max(equation_3(work, bus, n))
        .max(outward_longest(work, bus, n))
}

/// Equation (6): device-mapped host memory. The bytes are those the kernel reads and writes, each
/// as often as it does.
///
/// ```
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// assert_eq!(werkhoven::equation_6(&work, &bus), 1.0 + 1.0 + 8.0);
/// ```
pub fn equation_6(work: &Work, bus: &Bus) -> f64 {
    let latencies = bus.start.inward + bus.start.outward;
    let inward = work.inward_bytes * bus.per_byte.inward;
    let outward = work.outward_bytes * bus.per_byte.outward;
    latencies + inward.max(work.kernel_ms).max(outward)
}

/// All of the inward transfer, and a part of the kernel and the outward one.
fn inward_longest(work: &Work, bus: &Bus, n: u32) -> f64 {
    let parts = f64::from(n);
    bus.inward_ms(work.inward_bytes, n)
        + work.kernel_ms / parts
        + bus.outward_ms(work.outward_bytes / parts, 1)
}

/// A part of the inward transfer and the kernel, and all of the outward one.
fn outward_longest(work: &Work, bus: &Bus, n: u32) -> f64 {
    let parts = f64::from(n);
    bus.inward_ms(work.inward_bytes / parts, 1)
        + work.kernel_ms / parts
        + bus.outward_ms(work.outward_bytes, n)
}

/// Which of its equations holds for a streamed kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equation {
    /// Implicit synchronisation, dominant kernel.
    One,
    /// Implicit synchronisation, dominant transfers.
    Two,
    /// One engine, dominant kernel.
    Three,
    /// One engine, dominant transfers.
    Four,
    /// Two engines.
    Five,
}

impl Equation {
    /// Its number in the paper.
    ///
    /// ```
    /// use atgpu::cost::overlap::werkhoven::Equation;
    ///
    /// assert_eq!(Equation::Four.number(), 4);
    /// ```
    pub const fn number(self) -> u32 {
        match self {
            Equation::One => 1,
            Equation::Two => 2,
            Equation::Three => 3,
            Equation::Four => 4,
            Equation::Five => 5,
        }
    }

    /// The time of n streams.
    ///
    /// ```
    /// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
    ///
    /// let both = |ms| Ways { inward: ms, outward: ms };
    /// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
    /// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
    /// let equation = werkhoven::Equation::Three;
    /// assert_eq!(equation.time(&work, &bus, 2), werkhoven::equation_3(&work, &bus, 2));
    /// ```
    pub fn time(self, work: &Work, bus: &Bus, n: u32) -> f64 {
        match self {
            Equation::One => equation_1(work, bus, n),
            Equation::Two => equation_2(work, bus, n),
            Equation::Three => equation_3(work, bus, n),
            Equation::Four => equation_4(work, bus, n),
            Equation::Five => equation_5(work, bus, n),
        }
    }

    /// The real number of streams at which it is least; `None` where it only falls with more, so
    /// that the number is limited by something else.
    ///
    /// ```
    /// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
    ///
    /// let both = |ms| Ways { inward: ms, outward: ms };
    /// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
    /// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
    /// // √(t_E/(g + g)): more streams hide more of the kernel, and each costs a gap both ways.
    /// assert_eq!(werkhoven::Equation::Two.best(&work, &bus), Some(8.0_f64.sqrt()));
    /// assert_eq!(werkhoven::Equation::Three.best(&work, &bus), None);
    /// ```
    pub fn best(self, work: &Work, bus: &Bus) -> Option<f64> {
        let inward = work.inward_bytes * bus.per_byte.inward;
        let outward = work.outward_bytes * bus.per_byte.outward;
        match self {
            // Printed with one g; the equation's is that of the outward transfers.
            Equation::One => Some((inward / bus.gap.outward).sqrt()),
            // Printed √(t_E/2g), for g alike both ways.
            Equation::Two => Some((work.kernel_ms / (bus.gap.inward + bus.gap.outward)).sqrt()),
            Equation::Three => None,
            Equation::Four => {
                // Both transfers rise with n, and the longest with a part of the rest falls at first:
                // the best is where they cross, or the latter's own least value before.
                // The paper compares bytes; it is their times that make the longest side.
                let (other, other_gap, long_gap) = if inward > outward {
                    (outward, bus.gap.outward, bus.gap.inward)
                } else {
                    (inward, bus.gap.inward, bus.gap.outward)
                };
                let crossing = crossing(other_gap, other, work.kernel_ms);
                Some(crossing.min(((work.kernel_ms + other) / long_gap).sqrt()))
            }
            Equation::Five => {
                let (longest, other, gap) = if inward > outward {
                    (inward, outward, bus.gap.inward)
                } else {
                    (outward, inward, bus.gap.outward)
                };
                (longest > work.kernel_ms).then(|| ((other + work.kernel_ms) / gap).sqrt())
            }
        }
    }
}

/// The root of g n² + (T − g) n − (t_E + T) = 0: where T + g (n − 1) = (t_E + T)/n.
///
/// ```
/// use atgpu::cost::overlap::werkhoven::crossing;
///
/// // n² + (3 − 1) n − (5 + 3) = 0
/// assert_eq!(crossing(1.0, 3.0, 5.0), 2.0);
/// ```
pub fn crossing(gap: f64, transfer: f64, kernel: f64) -> f64 {
    let half = (transfer - gap) / 2.0;
    // In the form that loses no digits for a small gap.
    let sum = kernel + transfer;
    sum / (half + (half * half + gap * sum).sqrt())
}

/// The equation that holds for n streams on a card of this class. The paper gives no rule for
/// "dominant"; the larger of the two holds.
///
/// ```
/// use atgpu::cost::overlap::DeviceClass;
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// let equation = werkhoven::equation(DeviceClass::OneEngine, &work, &bus, 2);
/// assert_eq!(equation, werkhoven::Equation::Three);
/// ```
pub fn equation(class: DeviceClass, work: &Work, bus: &Bus, n: u32) -> Equation {
    let (kernel, transfers) = match class {
        DeviceClass::ImplicitSync => (Equation::One, Equation::Two),
        DeviceClass::OneEngine => (Equation::Three, Equation::Four),
        DeviceClass::TwoEngines => return Equation::Five,
    };
    match kernel.time(work, bus, n) > transfers.time(work, bus, n) {
        true => kernel,
        false => transfers,
    }
}

/// The time of n streams on a card of this class.
///
/// ```
/// use atgpu::cost::overlap::DeviceClass;
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// assert_eq!(werkhoven::streams(DeviceClass::ImplicitSync, &work, &bus, 2), 14.5);
/// assert_eq!(werkhoven::streams(DeviceClass::TwoEngines, &work, &bus, 2), 13.0);
/// ```
pub fn streams(class: DeviceClass, work: &Work, bus: &Bus, n: u32) -> f64 {
    equation(class, work, bus, n).time(work, bus, n)
}

/// The best number of streams up to `most`, and its time. Every equation is a sum of a/n and b n,
/// so their maximum has one valley, which halving finds.
///
/// ```
/// use atgpu::cost::overlap::DeviceClass;
/// use atgpu::cost::overlap::{Bus, Ways, Work, werkhoven};
///
/// let both = |ms| Ways { inward: ms, outward: ms };
/// let work = Work { kernel_ms: 8.0, inward_bytes: 4.0, outward_bytes: 2.0 };
/// let bus = Bus { start: both(1.0), per_byte: both(1.0), gap: both(0.5) };
/// let (streams, ms) = werkhoven::best_streams(DeviceClass::ImplicitSync, &work, &bus, 256);
/// assert_eq!((streams, format!("{ms:.2}")), (3, "14.33".into()));
/// ```
pub fn best_streams(class: DeviceClass, work: &Work, bus: &Bus, most: u32) -> (u32, f64) {
    least(most, |n| streams(class, work, bus, n))
}
