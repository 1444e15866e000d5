//! The roofline with transfers (paper 3, section III): upper bounds on the rate of a kernel by a card's
//! peaks. Transfers are completely hidden, or not at all, or are the kernel's own accesses.
//!
//! They bound measured rates on a card with a bus that moves one way at a time. They do not bound the
//! predictions of equations (1) to (6): t_E of those comes from elsewhere, and (5) and (6) move both ways
//! at once. Their bounds are [`Limits`](crate::cost::overlap::Limits).

/// The operations and bytes of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intensity {
    /// Operations, as floating-point operations.
    pub operations: f64,
    /// Bytes between device memory and the multiprocessors.
    pub device_bytes: f64,
    /// Bytes over the bus, both ways.
    pub bus_bytes: f64,
}

/// The peak rates of a card, in 10⁹ a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    /// Floating-point operations.
    pub gflops: f64,
    /// Bytes of device memory.
    pub memory: f64,
    /// Bytes of the bus, one way.
    pub bus: f64,
}

/// Rates in 10⁹ operations a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// RM: the roofline without transfers.
    pub roofline: f64,
    /// With completely hidden transfers.
    pub full_overlap: f64,
    /// With transfers completely before and after the kernel.
    pub zero_overlap: f64,
    /// With every access over the bus.
    pub mapped: f64,
}

impl Intensity {
    /// Operations per byte of device memory.
    pub(crate) fn operational(&self) -> f64 {
        ratio(self.operations, self.device_bytes)
    }

    /// Operations per byte over the bus.
    pub(crate) fn data(&self) -> f64 {
        ratio(self.operations, self.bus_bytes)
    }

    /// The milliseconds for its operations at a rate in 10⁹ a second.
    pub fn ms_at(&self, rate: f64) -> f64 {
        ratio(self.operations, rate * 1e6)
    }
}

/// x/y; infinite if y is 0.
fn ratio(x: f64, y: f64) -> f64 {
    if y == 0.0 { f64::INFINITY } else { x / y }
}

/// The three bounds of section III, and the roofline they rest on.
///
/// ```
/// use atgpu::cost::overlap::roofline::{Intensity, Peaks, bounds};
///
/// let kernel = Intensity { operations: 1000.0, device_bytes: 500.0, bus_bytes: 250.0 };
/// let bounds = bounds(&kernel, &Peaks { gflops: 812.0, memory: 80.0, bus: 12.0 });
/// assert_eq!(bounds.roofline, 160.0); // 80 GB/s at 2 operations a byte
/// assert_eq!(bounds.full_overlap, 48.0); // 12 GB/s at 4 operations a byte
/// assert!(bounds.zero_overlap < bounds.full_overlap);
/// ```
pub fn bounds(kernel: &Intensity, peaks: &Peaks) -> Bounds {
    let roofline = peaks.gflops.min(peaks.memory * kernel.operational());
    let seconds = kernel.bus_bytes / peaks.bus + ratio(kernel.operations, roofline);
    Bounds {
        roofline,
        full_overlap: roofline.min(peaks.bus * kernel.data()),
        zero_overlap: ratio(kernel.operations, seconds),
        // Operational intensity: every access that device memory would serve crosses the bus.
        mapped: peaks.gflops.min(peaks.bus * kernel.operational()),
    }
}

#[cfg(test)]
mod tests {
    use crate::cost::overlap::roofline::Intensity;

    #[test]
    fn an_intensity_is_operations_a_byte() {
        let kernel = Intensity {
            operations: 1000.0,
            device_bytes: 500.0,
            bus_bytes: 250.0,
        };
        assert_eq!((kernel.operational(), kernel.data()), (2.0, 4.0));
    }
}
