//! What each way to move data takes, side by side (paper 3, section VII).

use crate::cost::overlap::{Bus, Card, DeviceClass, Limits, Method, Ways, Work, least, werkhoven};

/// What one method takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// Its number of streams, where it has some.
    pub streams: Option<u32>,
    /// Milliseconds.
    pub ms: f64,
    /// What no and all overlap would make of it; with its best number of streams it lies between.
    pub limits: Limits,
}

/// What each method takes with n streams, or with the best number up to `most` for none given.
/// `mapped` is the work with the bytes that kernels move themselves. Equations (1) to (4) and (6)
/// take the one-way G, streams with two engines that of explicit copies both ways, hybrid that of
/// explicit copies in and mapped writes out.
///
/// ```
/// use atgpu::cost::overlap::{Card, Method, Work, choices};
/// use atgpu::machine::Machine;
///
/// let card = Card::of(&Machine::built_in("gtx680").expect("built in")).expect("complete");
/// let work = Work { kernel_ms: 4.0, inward_bytes: 16e6, outward_bytes: 16e6 };
/// let [explicit, streams, ..] = choices(&card, &work, &work, None, 256);
/// assert_eq!((explicit.method, explicit.streams), (Method::Explicit, None));
/// assert!(streams.ms < explicit.ms && streams.streams > Some(1));
/// ```
pub fn choices(
    card: &Card,
    explicit: &Work,
    mapped: &Work,
    n: Option<u32>,
    most: u32,
) -> [Choice; 4] {
    let at = |time: &dyn Fn(u32) -> f64| match n {
        Some(n) => (n, time(n)),
        None => least(most, time),
    };
    Method::ALL.map(|method| {
        let (streams, ms) = match method {
            Method::Explicit => (None, werkhoven::explicit(explicit, &card.explicit_bus())),
            Method::Mapped => (None, werkhoven::equation_6(mapped, &card.bus)),
            Method::Streams => {
                let (n, ms) = at(&|n| card.streams(explicit, n));
                (Some(n), ms)
            }
            Method::Hybrid => {
                let (n, ms) = at(&|n| card.hybrid(explicit, mapped, n));
                (Some(n), ms)
            }
        };
        Choice {
            method,
            streams,
            ms,
            limits: card.limits(method, explicit, mapped),
        }
    })
}

impl Card {
    /// The time of n streams that copy explicitly.
    pub(crate) fn streams(&self, work: &Work, n: u32) -> f64 {
        werkhoven::streams(self.class, work, &self.streams_bus(), n)
    }

    /// The bus as explicit transfers meet it: each of them starts.
    pub(crate) fn explicit_bus(&self) -> Bus {
        self.bus.starting(self.transactions)
    }

    /// The bus as streams meet it: both ways at once where the card has two engines.
    pub(crate) fn streams_bus(&self) -> Bus {
        let bus = self.explicit_bus();
        match self.class {
            DeviceClass::TwoEngines => bus.with_per_byte(self.bidirectional),
            DeviceClass::ImplicitSync | DeviceClass::OneEngine => bus,
        }
    }

    /// The bus of explicit transfers in and mapped writes out.
    pub(crate) fn hybrid_bus(&self) -> Bus {
        let transactions = Ways {
            outward: 1.0,
            ..self.transactions
        };
        self.bus.starting(transactions).with_per_byte(self.mapped)
    }

    /// The time of n streams that copy in explicitly and write mapped memory: equation (5) whatever
    /// the card.
    pub(crate) fn hybrid(&self, explicit: &Work, mapped: &Work, n: u32) -> f64 {
        let work = Work {
            outward_bytes: mapped.outward_bytes,
            ..*explicit
        };
        werkhoven::equation_5(&work, &self.hybrid_bus(), n)
    }
}
