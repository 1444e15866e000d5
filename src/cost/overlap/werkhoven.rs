//! Paper 3 (van Werkhoven et al.): equations (1) to (6), their conditions and best numbers of streams
//! (sections IV to VI). `n` is nStreams. Each direction has its own L + o, G and g.

use crate::cost::overlap::{Bus, DeviceClass, Work, least, root};

/// Bulk-synchronous: all in, the kernel, all out.
pub fn explicit(work: &Work, bus: &Bus) -> f64 {
    bus.inward_ms(work.inward_bytes, 1) + work.kernel_ms + bus.outward_ms(work.outward_bytes, 1)
}

/// Equation (1): implicit synchronisation, one copy engine, dominant kernel.
pub fn equation_1(work: &Work, bus: &Bus, n: u32) -> f64 {
    let part = work.inward_bytes / f64::from(n);
    bus.inward_ms(part, 1) + work.kernel_ms + bus.outward_ms(work.outward_bytes, n)
}

/// Equation (2): implicit synchronisation, one copy engine, dominant transfers.
pub fn equation_2(work: &Work, bus: &Bus, n: u32) -> f64 {
    bus.inward_ms(work.inward_bytes, n)
        + work.kernel_ms / f64::from(n)
        + bus.outward_ms(work.outward_bytes, n)
}

/// Equation (3): no implicit synchronisation, one copy engine, dominant kernel.
pub fn equation_3(work: &Work, bus: &Bus, n: u32) -> f64 {
    let parts = f64::from(n);
    bus.inward_ms(work.inward_bytes / parts, 1)
        + work.kernel_ms
        + bus.outward_ms(work.outward_bytes / parts, 1)
}

/// Equation (4): no implicit synchronisation, one copy engine, dominant transfers.
pub fn equation_4(work: &Work, bus: &Bus, n: u32) -> f64 {
    let both = bus.inward_ms(work.inward_bytes, n) + bus.outward_ms(work.outward_bytes, n);
    both.max(inward_longest(work, bus, n))
        .max(outward_longest(work, bus, n))
}

/// Equation (5): no implicit synchronisation, two copy engines; also hybrid, with the G of
/// explicit copies in and mapped writes out.
pub fn equation_5(work: &Work, bus: &Bus, n: u32) -> f64 {
    inward_longest(work, bus, n)
        .max(equation_3(work, bus, n))
        .max(outward_longest(work, bus, n))
}

/// Equation (6): device-mapped host memory. The bytes are the kernel's reads and writes, with repetitions.
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

/// The equation that holds for a streamed kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    pub fn time(self, work: &Work, bus: &Bus, n: u32) -> f64 {
        match self {
            Equation::One => equation_1(work, bus, n),
            Equation::Two => equation_2(work, bus, n),
            Equation::Three => equation_3(work, bus, n),
            Equation::Four => equation_4(work, bus, n),
            Equation::Five => equation_5(work, bus, n),
        }
    }

    /// The real number of streams with the least time. `None` if the time only falls with more streams, so
    /// that something else limits their number.
    pub fn best(self, work: &Work, bus: &Bus) -> Option<f64> {
        let inward = work.inward_bytes * bus.per_byte.inward;
        let outward = work.outward_bytes * bus.per_byte.outward;
        match self {
            // Printed with one g; the equation's is that of the outward transfers.
            Equation::One => Some(root(inward, bus.gap.outward)),
            // Printed √(t_E/2g), for g alike both ways.
            Equation::Two => Some(root(work.kernel_ms, bus.gap.inward + bus.gap.outward)),
            Equation::Three => None,
            Equation::Four => {
                // The time is the maximum of two functions of n. Both transfers together rise with n. The
                // longest side with a part of the rest falls first, and then rises. The best n is where
                // they cross, or the minimum of the latter if that comes before. The paper compares bytes,
                // but the times decide the longest side.
                let (other, other_gap, long_gap) = if inward > outward {
                    (outward, bus.gap.outward, bus.gap.inward)
                } else {
                    (inward, bus.gap.inward, bus.gap.outward)
                };
                let crossing = crossing(other_gap, other, work.kernel_ms);
                Some(crossing.min(root(work.kernel_ms + other, long_gap)))
            }
            Equation::Five => {
                let (longest, other, gap) = if inward > outward {
                    (inward, outward, bus.gap.inward)
                } else {
                    (outward, inward, bus.gap.outward)
                };
                (longest > work.kernel_ms).then(|| root(other + work.kernel_ms, gap))
            }
        }
    }
}

/// The root of g n² + (T − g) n − (t_E + T) = 0, the n with T + g (n − 1) = (t_E + T)/n.
pub fn crossing(gap: f64, transfer: f64, kernel: f64) -> f64 {
    let sum = kernel + transfer;
    if sum == 0.0 {
        // g n² − g n = 0.
        return 1.0;
    }
    let half = (transfer - gap) / 2.0;
    // In the form that loses no digits for a small gap.
    sum / (half + (half * half + gap * sum).sqrt())
}

/// The equation that holds for n streams on a card of this class. The paper gives no rule for "dominant";
/// the equation with the larger time holds.
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
    if kernel.time(work, bus, n) > transfers.time(work, bus, n) {
        kernel
    } else {
        transfers
    }
}

/// The time of n streams on a card of this class.
pub fn streams(class: DeviceClass, work: &Work, bus: &Bus, n: u32) -> f64 {
    equation(class, work, bus, n).time(work, bus, n)
}

/// The best number of streams up to `most`, and its time. Every equation is a sum of a/n and b n, so their
/// maximum has a single valley, and bisection finds it.
pub fn best_streams(class: DeviceClass, work: &Work, bus: &Bus, most: u32) -> (u32, f64) {
    least(most, |n| streams(class, work, bus, n))
}
