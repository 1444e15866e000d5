//! What a search may cost: work, counted in terms looked at, so that the same program is given up at
//! the same place on every machine; and how deep proofs stand within proofs.
//!
//! [`Facts`](crate::sym::Facts) carry both to whatever is concluded from them: all that share an
//! account book on it, and each proof within a proof works on facts that say so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The work after which nothing more is tried: proofs fail, forms stay as they are.
const MOST_WORK: u64 = 1_500_000;
/// How deep a proof may ask for other proofs.
const DEEPEST_PROOFS: u32 = 3;
/// How many polynomials a proof may look at together with all proofs it asks for.
const MOST_NODES_IN_ALL: u32 = 300;
/// Sums being solved for the sake of each other; this only bounds the unforeseen.
const DEEPEST_SUMS: u32 = 64;

/// Work booked and allowed.
pub(crate) struct Budget {
    done: AtomicU64,
    limit: AtomicU64,
    /// Allowed beyond [`MOST_WORK`] before all is spent.
    more: AtomicU64,
    /// No more than this, whatever is allowed otherwise.
    most_in_all: AtomicU64,
    has_given_up: AtomicBool,
    was_unwieldy: AtomicBool,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            done: AtomicU64::new(0),
            limit: AtomicU64::new(MOST_WORK),
            more: AtomicU64::new(0),
            most_in_all: AtomicU64::new(u64::MAX),
            has_given_up: AtomicBool::new(false),
            was_unwieldy: AtomicBool::new(false),
        }
    }
}

impl Budget {
    /// Books work.
    pub(crate) fn spend(&self, work: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
    }

    /// The work done so far, about in terms looked at.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Whether the work allowed is done; remembers that it was asked in vain.
    pub(crate) fn is_exhausted(&self) -> bool {
        let is_exhausted = self.done() > self.limit.load(Ordering::Relaxed);
        if is_exhausted {
            self.has_given_up.store(true, Ordering::Relaxed);
        }
        is_exhausted
    }

    /// Whether all work is done that is allowed in all, what was allowed for parts included.
    pub(crate) fn is_spent(&self) -> bool {
        let allowed = MOST_WORK.saturating_add(self.more.load(Ordering::Relaxed));
        self.done() > allowed.min(self.most_in_all.load(Ordering::Relaxed))
    }

    /// Allows so much work from here on, within what is allowed in all.
    pub(crate) fn allow(&self, work: u64) {
        self.allow_leaving(work, 0);
    }

    /// The same, and so much of all is left to others.
    pub(crate) fn allow_leaving(&self, work: u64, left: u64) {
        let limit = self.done().saturating_add(work).min(MOST_WORK - left);
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Allows no more than so much work from here on, if more was allowed.
    pub(crate) fn restrict(&self, work: u64) {
        let limit = self.done().saturating_add(work);
        self.limit.fetch_min(limit, Ordering::Relaxed);
    }

    /// Allows so much work more before all is spent.
    pub(crate) fn allow_for_parts(&self, work: u64) {
        self.more.fetch_add(work, Ordering::Relaxed);
    }

    /// Allows no more than so much work from here on before all is spent.
    pub(crate) fn limit_in_all(&self, work: u64) {
        let limit = self.done().saturating_add(work);
        self.most_in_all.fetch_min(limit, Ordering::Relaxed);
    }

    /// Whether anything was ever left undone for want of work allowed.
    pub(crate) fn has_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Relaxed)
    }

    /// Notes that a formula too long to be shown was left out.
    pub(crate) fn note_unwieldy(&self) {
        self.was_unwieldy.store(true, Ordering::Relaxed);
    }

    /// Whether a formula too long to be shown was left out.
    pub(crate) fn was_unwieldy(&self) -> bool {
        self.was_unwieldy.load(Ordering::Relaxed)
    }
}

/// The proofs and sums that the present one is wanted for.
#[derive(Clone, Default)]
pub(crate) struct Nesting {
    proofs: u32,
    /// What the outermost proof and all within may still look at.
    nodes_left: Arc<AtomicU32>,
    sums: u32,
}

impl Nesting {
    /// How many proofs are under way.
    pub(crate) fn proofs(&self) -> u32 {
        self.proofs
    }

    /// Within one proof more; `None` beyond the limit, where it fails.
    pub(crate) fn within_proof(&self) -> Option<Nesting> {
        let nodes_left = match self.proofs {
            DEEPEST_PROOFS.. => return None,
            0 => Arc::new(AtomicU32::new(MOST_NODES_IN_ALL)),
            _ => self.nodes_left.clone(),
        };
        Some(Nesting {
            proofs: self.proofs + 1,
            nodes_left,
            sums: self.sums,
        })
    }

    /// Within one sum more; `None` beyond the limit, where it stays as it is.
    pub(crate) fn within_sum(&self) -> Option<Nesting> {
        (self.sums < DEEPEST_SUMS).then(|| Nesting {
            sums: self.sums + 1,
            ..self.clone()
        })
    }

    /// Takes one of the polynomials that may still be looked at; false where none is left.
    pub(crate) fn take_node(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        let taken = self
            .nodes_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.is_ok()
    }

    /// Whether a polynomial may still be looked at.
    pub(crate) fn has_nodes(&self) -> bool {
        self.nodes_left.load(Ordering::Relaxed) > 0
    }
}
