//! The roofline with transfers (paper 3, section III): the rates that a card's peaks allow a kernel
//! whose transfers are wholly hidden, or not at all, or are its own accesses.
//!
//! They bound rates measured on a card whose bus moves one way at a time. They do not bound what
//! equations (1) to (6) predict, whose t_E comes from elsewhere, and of which (5) and (6) move both ways
//! at once: [`Limits`](crate::cost::overlap::Limits) does.

/// What a kernel does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intensity {
    /// Operations, as floating-point operations.
    pub operations: f64,
    /// Bytes between device memory and the multiprocessors.
    pub device_bytes: f64,
    /// Bytes over the bus, both ways.
    pub bus_bytes: f64,
}

/// What a card can do, in 10⁹ a second.
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
    /// Transfers wholly hidden.
    pub full_overlap: f64,
    /// Transfers wholly before and after.
    pub zero_overlap: f64,
    /// Every access over the bus.
    pub mapped: f64,
}

impl Intensity {
    /// Operations a byte of device memory.
    pub(crate) fn operational(&self) -> f64 {
        ratio(self.operations, self.device_bytes)
    }

    /// Operations a byte over the bus.
    pub(crate) fn data(&self) -> f64 {
        ratio(self.operations, self.bus_bytes)
    }

    /// The milliseconds of its operations at a rate in 10⁹ a second.
    ///
    /// ```
    /// use atgpu::cost::overlap::roofline::Intensity;
    ///
    /// let kernel = Intensity { operations: 3e9, device_bytes: 1e9, bus_bytes: 1e9 };
    /// assert_eq!(kernel.ms_at(100.0), 30.0);
    /// ```
    pub fn ms_at(&self, rate: f64) -> f64 {
        ratio(self.operations, rate * 1e6)
    }
}

/// x/y, without limit where nothing is divided by.
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
