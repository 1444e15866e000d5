//! The budget of searches. Work is counted in terms looked at, not in time, so the same program
//! gives up at the same place on every machine. Also the depth of proofs within proofs, and of any
//! question within another.
//!
//! [`Facts`](crate::sym::Facts) carry both along. Clones book on the same account, and a proof
//! within a proof works on facts with a deeper nesting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::room::has_left;
use crate::sym::Expr;

/// The work after which nothing more is tried: proofs fail, forms stay as they are. Raising it
/// lets larger programs close more formulas, and lets the slowest derivation take longer in
/// proportion.
const MOST_WORK: u64 = 1_500_000;
/// The depth to which a proof may ask for other proofs. One level more multiplies failing
/// searches. One level less loses proofs about atoms within atoms.
const DEEPEST_PROOFS: u32 = 3;
/// The polynomials that a proof may look at together with all proofs that it asks for. It bounds
/// one question of the outermost level, whatever its nesting.
const MOST_NODES_IN_ALL: u32 = 300;
/// The depth of sums solved within sums. It stops only unforeseen recursion.
const DEEPEST_SUMS: u32 = 64;

/// The depth of questions within questions, of whatever kind. It ends rules that ask for each other
/// without end. The shipped programs reach 30. Forms that nest 250 deep, the deepest allowed, reach
/// 750 where each level asks thrice. A level takes up to 7 KB of stack without optimisation: more
/// levels would not fit on half of the smallest stack of [`room`](crate::room), which is 8 MB.
const DEEPEST_QUESTIONS: u32 = 1024;

/// The least stack for a question. On a small stack, where no larger one could be had, it ends
/// questions before [`DEEPEST_QUESTIONS`] does.
const STACK_OF_A_QUESTION: usize = 256 << 10;

/// Work booked and allowed.
pub(crate) struct Budget {
    done: AtomicU64,
    limit: AtomicU64,
    /// Work allowed in addition to [`MOST_WORK`].
    more: AtomicU64,
    /// A hard limit on the work, whatever is allowed otherwise.
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

    /// Books work that led nowhere, and remembers that something was given up.
    pub(crate) fn give_up(&self, work: u64) {
        self.spend(work);
        self.has_given_up.store(true, Ordering::Relaxed);
    }

    /// Returns the work done so far, roughly in terms looked at.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Returns true if the allowed work is done, and remembers that something was given up for
    /// it.
    pub(crate) fn is_exhausted(&self) -> bool {
        let is_exhausted = self.done() > self.limit.load(Ordering::Relaxed);
        if is_exhausted {
            self.has_given_up.store(true, Ordering::Relaxed);
        }
        is_exhausted
    }

    /// Returns true if the work allowed in total, additions for parts included, is done.
    pub(crate) fn is_spent(&self) -> bool {
        let allowed = MOST_WORK.saturating_add(self.more.load(Ordering::Relaxed));
        self.done() > allowed.min(self.most_in_all.load(Ordering::Relaxed))
    }

    /// Allows this much work from here on, within [`MOST_WORK`].
    pub(crate) fn allow(&self, work: u64) {
        self.allow_leaving(work, 0);
    }

    /// The same, but leaves some of the total to others.
    pub(crate) fn allow_leaving(&self, work: u64, left: u64) {
        let limit = self.done().saturating_add(work).min(MOST_WORK - left);
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Lowers the limit to this much work from here on.
    pub(crate) fn restrict(&self, work: u64) {
        let limit = self.done().saturating_add(work);
        self.limit.fetch_min(limit, Ordering::Relaxed);
    }

    /// Raises the total by this much work.
    pub(crate) fn allow_for_parts(&self, work: u64) {
        self.more.fetch_add(work, Ordering::Relaxed);
    }

    /// Lowers the total to this much work from here on.
    pub(crate) fn limit_in_all(&self, work: u64) {
        let limit = self.done().saturating_add(work);
        self.most_in_all.fetch_min(limit, Ordering::Relaxed);
    }

    /// Returns true if anything was ever left undone for want of budget.
    pub(crate) fn has_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Relaxed)
    }

    /// Notes that a formula was left out because it is too long to show.
    pub(crate) fn note_unwieldy(&self) {
        self.was_unwieldy.store(true, Ordering::Relaxed);
    }

    /// Returns true if a formula was left out because it is too long to show.
    pub(crate) fn was_unwieldy(&self) -> bool {
        self.was_unwieldy.load(Ordering::Relaxed)
    }
}

/// The depth of proofs and sums that the present question is nested in.
#[derive(Clone, Default)]
pub(crate) struct Nesting {
    proofs: u32,
    /// The polynomials that the outermost proof and all proofs within it may still look at.
    nodes_left: Arc<AtomicU32>,
    sums: u32,
    /// The comparisons with powers under way, the innermost first.
    comparisons: Option<Arc<Comparison>>,
}

/// A value whose sign is being decided by logarithms, and the comparison that asked for it.
struct Comparison {
    value: Expr,
    around: Option<Arc<Comparison>>,
}

impl Nesting {
    /// Returns the number of proofs under way.
    pub(crate) fn proofs(&self) -> u32 {
        self.proofs
    }

    /// Enters one more proof. Returns `None` beyond the limit, and the proof fails.
    pub(crate) fn within_proof(&self) -> Option<Nesting> {
        // The outermost proof opens an account of nodes, and nested proofs share it. Otherwise
        // three levels of 60 nodes could look at 60 · 60 · 60 polynomials.
        let nodes_left = match self.proofs {
            DEEPEST_PROOFS.. => return None,
            0 => Arc::new(AtomicU32::new(MOST_NODES_IN_ALL)),
            _ => self.nodes_left.clone(),
        };
        Some(Nesting {
            proofs: self.proofs + 1,
            nodes_left,
            ..self.clone()
        })
    }

    /// Enters one more sum. Returns `None` beyond the limit, and the sum stays unsolved.
    pub(crate) fn within_sum(&self) -> Option<Nesting> {
        (self.sums < DEEPEST_SUMS).then(|| Nesting {
            sums: self.sums + 1,
            ..self.clone()
        })
    }

    /// Enters the comparison of a value with powers. Returns `None` if the same one is under way,
    /// since a question cannot help to answer itself.
    pub(crate) fn within_comparison(&self, value: &Expr) -> Option<Nesting> {
        // 1 ≤ n + 1 asks for n ≥ 0. For a power n of 2, ⌈log2 (n + 1)⌉ ≤ log2 n + 1 decides that
        // once 1 ≤ n + 1 is known: back to the start.
        let mut under_way = self.comparisons.as_deref();
        while let Some(comparison) = under_way {
            if comparison.value == *value {
                return None;
            }
            under_way = comparison.around.as_deref();
        }
        let comparison = Comparison {
            value: value.clone(),
            around: self.comparisons.clone(),
        };
        Some(Nesting {
            comparisons: Some(Arc::new(comparison)),
            ..self.clone()
        })
    }

    /// Takes one node from the account; false if none is left.
    pub(crate) fn take_node(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        let taken = self
            .nodes_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.is_ok()
    }

    /// Returns true if a node is left.
    pub(crate) fn has_nodes(&self) -> bool {
        self.nodes_left.load(Ordering::Relaxed) > 0
    }
}

/// The number of questions under way that led to the present one.
#[derive(Default)]
pub(crate) struct Depth(AtomicU32);

/// A question under way. It ends when this is dropped.
pub(crate) struct UnderWay<'d>(&'d Depth);

impl Depth {
    /// Enters one more question. Returns `None` beyond the limit, and the question stays open.
    pub(crate) fn enter(&self) -> Option<UnderWay<'_>> {
        let depth = self.0.fetch_add(1, Ordering::Relaxed);
        let under_way = UnderWay(self);
        let has_room = depth < DEEPEST_QUESTIONS && has_left(STACK_OF_A_QUESTION);
        has_room.then_some(under_way)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A copy starts at the same depth and counts by itself: it is made within the same questions, and
/// maybe for another thread.
impl Clone for Depth {
    fn clone(&self) -> Self {
        Depth(AtomicU32::new(self.0.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hint::black_box;

    use super::*;
    use crate::examples::symbols;
    use crate::sym::{Cond, Facts};

    /// A rule that needs itself, with as much stack as the largest of ours. Returns the answer, how
    /// often it was asked, and whether something was given up.
    fn circle(stack: usize) -> (Option<bool>, u32, bool) {
        fn ask(facts: &Facts, asked: &Cell<u32>) -> Option<bool> {
            asked.set(asked.get() + 1);
            // It is moved, so it stands there twice.
            let frame = black_box([0u8; 3 << 10]);
            let answer = facts.asked(|| ask(facts, asked)).flatten();
            answer.filter(|_| black_box(frame)[0] == 0)
        }
        let work = || {
            let (facts, asked) = (Facts::new(), Cell::new(0));
            let answer = ask(&facts, &asked);
            // The circle has left nothing behind.
            let [n] = symbols(["n"]);
            let at_least = Cond::ge(&(&n * &n + 1), &n);
            assert_eq!(
                facts.with(&Cond::ge(&n, &Expr::one())).prove(&at_least),
                Some(true)
            );
            (answer, asked.get(), facts.has_given_up())
        };
        let thread = std::thread::Builder::new().stack_size(stack);
        let ended = thread.spawn(work).expect("a thread").join();
        ended.expect("the stack is enough")
    }

    #[test]
    fn rules_that_ask_for_each_other_end_undecided() {
        assert_eq!(circle(8 << 20), (None, DEEPEST_QUESTIONS + 1, true));
        let (answer, asked, has_given_up) = circle(1 << 20);
        assert!(asked < DEEPEST_QUESTIONS, "{asked}");
        assert_eq!((answer, has_given_up), (None, true));
    }

    #[test]
    fn a_copy_counts_from_where_it_was_made() {
        let depth = Depth::default();
        let first = depth.enter().expect("the first question");
        let copy = depth.clone();
        drop(first);
        let open: Vec<_> = (0..DEEPEST_QUESTIONS)
            .filter_map(|_| copy.enter())
            .collect();
        assert_eq!(open.len() as u32, DEEPEST_QUESTIONS - 1);
        let open: Vec<_> = (0..=DEEPEST_QUESTIONS)
            .filter_map(|_| depth.enter())
            .collect();
        assert_eq!(open.len() as u32, DEEPEST_QUESTIONS);
    }
}
