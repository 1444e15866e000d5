//! The times of all methods to move data, side by side (paper 3, section VII).

use crate::cost::overlap::{Bus, Card, DeviceClass, Limits, Method, Ways, Work, least, werkhoven};

/// The time of one method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// Its number of streams, where it has some.
    pub streams: Option<u32>,
    /// Milliseconds.
    pub ms: f64,
    /// The times with no overlap and with full overlap. With its best number of streams the method lies
    /// between them.
    pub limits: Limits,
}

/// The time of each method with n streams; if `n` is `None`, with its best number of streams up to `most`.
/// `mapped` is the work with the bytes that kernels move themselves. Equations (1) to (4) and (6) take the
/// one-way G. Streams with two engines take the G of explicit copies both ways, and hybrid the G of
/// explicit copies in and mapped writes out.
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
    /// The time of n streams with explicit copies.
    pub(crate) fn streams(&self, work: &Work, n: u32) -> f64 {
        werkhoven::streams(self.class, work, &self.streams_bus(), n)
    }

    /// The bus for explicit transfers: each transfer has a start-up time.
    pub(crate) fn explicit_bus(&self) -> Bus {
        self.bus.starting(self.transactions)
    }

    /// The bus for streams: it runs both ways at once if the card has two engines.
    pub(crate) fn streams_bus(&self) -> Bus {
        let bus = self.explicit_bus();
        match self.class {
            DeviceClass::TwoEngines => bus.with_per_byte(self.bidirectional),
            DeviceClass::ImplicitSync | DeviceClass::OneEngine => bus,
        }
    }

    /// The bus for explicit transfers in and mapped writes out.
    pub(crate) fn hybrid_bus(&self) -> Bus {
        let transactions = Ways {
            outward: 1.0,
            ..self.transactions
        };
        self.bus.starting(transactions).with_per_byte(self.mapped)
    }

    /// The time of n streams that copy in explicitly and write mapped memory: equation (5) on every card.
    pub(crate) fn hybrid(&self, explicit: &Work, mapped: &Work, n: u32) -> f64 {
        let work = Work {
            outward_bytes: mapped.outward_bytes,
            ..*explicit
        };
        werkhoven::equation_5(&work, &self.hybrid_bus(), n)
    }
}
