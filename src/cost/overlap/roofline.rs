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

/// Rates in 10⁹ operations a second; 0 of a kernel that computes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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
    if kernel.operations == 0.0 {
        // However long it takes, it computes nothing.
        return Bounds::default();
    }
    let roofline = peaks.gflops.min(peaks.memory * kernel.operational());
    let seconds = kernel.bus_bytes / peaks.bus + kernel.operations / roofline;
    Bounds {
        roofline,
        full_overlap: roofline.min(peaks.bus * kernel.data()),
        zero_overlap: kernel.operations / seconds,
        // Operational intensity: every access that device memory would serve crosses the bus.
        mapped: peaks.gflops.min(peaks.bus * kernel.operational()),
    }
}

/// What a kernel takes at its bounds, in ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Transfers wholly hidden.
    pub full_overlap: f64,
    /// Transfers wholly before and after.
    pub zero_overlap: f64,
    /// Every access over the bus.
    pub mapped: f64,
}

/// The times of the three bounds of section III. They are no quotients of rates: a kernel that computes nothing
/// has to move its bytes all the same.
///
/// ```
/// use atgpu::cost::overlap::roofline::{Intensity, Peaks, times};
///
/// let peaks = Peaks { gflops: 1000.0, memory: 100.0, bus: 10.0 };
/// let copies = Intensity { operations: 0.0, device_bytes: 2e9, bus_bytes: 1e9 };
/// let found = times(&copies, &peaks); // 2 GB at 100 GB/s, 1 GB at 10 GB/s, 2 GB at 10 GB/s
/// assert_eq!((found.full_overlap, found.zero_overlap, found.mapped), (100.0, 120.0, 200.0));
/// ```
pub fn times(kernel: &Intensity, peaks: &Peaks) -> Times {
    let ms = |amount: f64, giga_a_second: f64| amount / (giga_a_second * 1e6);
    let computing = ms(kernel.operations, peaks.gflops);
    let moving = ms(kernel.bus_bytes, peaks.bus);
    let roofline = computing.max(ms(kernel.device_bytes, peaks.memory));
    Times {
        full_overlap: roofline.max(moving),
        zero_overlap: roofline + moving,
        mapped: computing.max(ms(kernel.device_bytes, peaks.bus)),
    }
}

#[cfg(test)]
mod tests {
    use crate::cost::overlap::roofline::{Bounds, Intensity, Peaks, bounds, times};

    #[test]
    fn an_intensity_is_operations_a_byte() {
        let kernel = Intensity {
            operations: 1000.0,
            device_bytes: 500.0,
            bus_bytes: 250.0,
        };
        assert_eq!((kernel.operational(), kernel.data()), (2.0, 4.0));
    }

    /// Where something is computed, a time is the operations at the rate of the bound: by memory, by computation,
    /// without an access, without a transfer.
    #[test]
    fn times_are_those_of_the_rates() {
        let peaks = Peaks {
            gflops: 812.0,
            memory: 80.0,
            bus: 12.0,
        };
        for (operations, device_bytes, bus_bytes) in [
            (1e9, 5e8, 2.5e8),
            (1e12, 5e8, 2.5e8),
            (1e9, 0.0, 2.5e8),
            (1e9, 5e8, 0.0),
            (1e9, 0.0, 0.0),
        ] {
            let kernel = Intensity {
                operations,
                device_bytes,
                bus_bytes,
            };
            let (rates, ms) = (bounds(&kernel, &peaks), times(&kernel, &peaks));
            for (rate, ms) in [
                (rates.full_overlap, ms.full_overlap),
                (rates.zero_overlap, ms.zero_overlap),
                (rates.mapped, ms.mapped),
            ] {
                let product = rate * ms * 1e6;
                assert!((product / operations - 1.0).abs() < 1e-12, "{kernel:?}");
            }
        }
    }

    #[test]
    fn nothing_takes_no_time_and_has_no_rate() {
        let (kernel, peaks) = (
            Intensity {
                operations: 0.0,
                device_bytes: 0.0,
                bus_bytes: 0.0,
            },
            Peaks {
                gflops: 812.0,
                memory: 80.0,
                bus: 12.0,
            },
        );
        assert_eq!(bounds(&kernel, &peaks), Bounds::default());
        let ms = times(&kernel, &peaks);
        assert_eq!([ms.full_overlap, ms.zero_overlap, ms.mapped], [0.0; 3]);
    }
}
