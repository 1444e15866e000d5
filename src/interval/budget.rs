//! The work that a count may still do, in core-steps, and the callback that hears of progress.

use std::ops::ControlFlow;

use crate::interval::lanes::Bail;

/// The work done, its limit, and the callback that hears of progress.
pub(crate) struct Budget<'a> {
    pub(super) done: u64,
    pub(super) limit: Option<u64>,
    pub(super) progress: &'a dyn Fn(u64) -> ControlFlow<()>,
    next_report: u64,
}

impl<'a> Budget<'a> {
    const REPORT_EVERY: u64 = 1 << 20;

    pub(super) fn new(limit: Option<u64>, progress: &'a dyn Fn(u64) -> ControlFlow<()>) -> Self {
        Budget {
            done: 0,
            limit,
            progress,
            next_report: Self::REPORT_EVERY,
        }
    }

    pub(super) fn spend(&mut self, work: u64) -> Result<(), Bail> {
        self.done += work;
        if self.limit.is_some_and(|limit| self.done > limit) {
            return Err(Bail::Budget);
        }
        if self.done >= self.next_report {
            self.next_report = self.done + Self::REPORT_EVERY;
            if (self.progress)(self.done).is_break() {
                return Err(Bail::Interrupted);
            }
        }
        Ok(())
    }
}
