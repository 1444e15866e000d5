//! The times of a method with no overlap and with full overlap, from the same figures as its prediction:
//! the sum of its three sides and the longest of them. Every equation of papers 3 and 5 lies between.
//!
//! Section III of paper 3 ([`roofline`](crate::cost::overlap::roofline)) is no such bound: it takes its
//! kernel from the card's peaks instead of t_E, and its bus runs one way at a time.

use crate::cost::overlap::{Bus, Card, DeviceClass, Method, Work};

/// The least and the greatest time of a method, in ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The longest side hides the others. Explicit copies on a single engine are one side, since they never
    /// run both ways at once.
    pub full_overlap: f64,
    /// All in, the kernel, all out, as with one stream. More streams than the best number may take longer.
    pub zero_overlap: f64,
}

impl Limits {
    /// Adds the time of things before and after, which nothing overlaps.
    #[must_use]
    pub(crate) fn after(self, ms: f64) -> Limits {
        Limits {
            full_overlap: self.full_overlap + ms,
            zero_overlap: self.zero_overlap + ms,
        }
    }

    fn of(work: &Work, bus: &Bus, one_way_at_a_time: bool) -> Limits {
        let inward = bus.inward_ms(work.inward_bytes, 1);
        let outward = bus.outward_ms(work.outward_bytes, 1);
        let moving = if one_way_at_a_time {
            inward + outward
        } else {
            inward.max(outward)
        };
        Limits {
            full_overlap: moving.max(work.kernel_ms),
            zero_overlap: inward + work.kernel_ms + outward,
        }
    }
}

impl Card {
    /// The limits of a method, with its own bytes and its own G. Explicit transfers overlap nothing.
    pub(crate) fn limits(&self, method: Method, explicit: &Work, mapped: &Work) -> Limits {
        match method {
            Method::Explicit => {
                let zero_overlap = Limits::of(explicit, &self.explicit_bus(), true).zero_overlap;
                Limits {
                    full_overlap: zero_overlap,
                    zero_overlap,
                }
            }
            Method::Streams => {
                let half_duplex = self.class != DeviceClass::TwoEngines;
                Limits::of(explicit, &self.streams_bus(), half_duplex)
            }
            Method::Hybrid => {
                let work = Work {
                    outward_bytes: mapped.outward_bytes,
                    ..*explicit
                };
                Limits::of(&work, &self.hybrid_bus(), false)
            }
            Method::Mapped => Limits::of(mapped, &self.bus, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cost::overlap::{Card, Work, choices};
    use crate::machine::Machine;

    #[test]
    fn every_choice_lies_between_its_limits() {
        let card = Card::of(&Machine::built_in("gtx680").expect("built in")).expect("complete");
        let work = Work {
            kernel_ms: 4.0,
            inward_bytes: 16e6,
            outward_bytes: 16e6,
        };
        for choice in choices(&card, &work, &work, None, 256) {
            let limits = card.limits(choice.method, &work, &work);
            assert!(limits.full_overlap <= choice.ms && choice.ms <= limits.zero_overlap);
        }
        assert!(card.hybrid(&work, &work, 8) < card.hybrid(&work, &work, 1));
    }
}
