//! The fixed point of loops: takes the body of a loop and what is written before it, and finds what is written where an
//! iteration begins and where the loop ends.
//!
//! A loop is walked once, with its variable as a symbol between its ends. It is walked again, for its reads only, if
//! one of them is not covered yet and it is known which iterations came before ([`Turn`]).

use crate::program::{HostStmt, Stmt, VarId, nested_on_host};
use crate::safety::cover::{self, Around, Turn, Written};
use crate::safety::site::Place;
use crate::safety::verdict::Judged;
use crate::safety::walk::{Asks, Walk, is_about_reads};
use crate::text::Span;

/// How often a host loop is walked until what is written at its beginning is known.
const MOST_WALKS: usize = 4;

impl<'p> Walk<'p> {
    /// Walks the body of a host loop, and finds which words are written where an iteration begins and after the loop.
    ///
    /// First walk: the words written before the loop count as written. Of arrays that a `swap` exchanges, only those
    /// count that are wholly written at the head of every iteration (`head_of_all`). Second walk, for unproved reads
    /// only: the writes of earlier iterations count too (`Written::carried`).
    ///
    /// Example: `for t: …write all of y from x…; swap x, y`, with x whole before the loop. An iteration leaves the
    /// new x whole, for it is the old y. So x stays whole at every head, and each read of x is covered. y is not
    /// whole at the first head, so nothing is said of it.
    pub(super) fn repeated(&mut self, body: &'p [HostStmt], place: &Place, turn: Option<&Turn>) {
        if self.asks == Asks::Contents {
            return self.host(body, &mut place.clone());
        }
        let swapped = swapped_in(body);
        let entry = self.written.clone();
        let head = self.head_of_all(body, &swapped, place);
        let (mut judged, mut exit) = self.iteration(body, place, &head);
        let unwritten = unwritten_in(&judged);
        if let Some(turn) = turn
            && !unwritten.is_empty()
            && self.may_walk_again()
        {
            let around = Around {
                entry: &entry,
                exit: &exit,
                swapped: &swapped,
            };
            let carried = head.carried(&around, turn, &mut self.forms);
            let asks = std::mem::replace(&mut self.asks, Asks::Reads(unwritten));
            let again;
            (again, exit) = self.iteration(body, place, &carried);
            self.take_over(asks, &mut judged, again);
        }
        self.judged.extend(judged);
        self.written = exit;
        // After the loop, which may not have run at all.
        for &array in &swapped {
            match turn {
                // That it was whole may follow from the loop running at all.
                Some(turn) if !entry.is_whole(array) || !head.is_whole(array) => {
                    if head.is_whole(array) {
                        self.written.restore(array, &head);
                    }
                    self.written.finish(array, &entry, turn);
                }
                Some(_) | None => self.written.restore(array, &head),
            }
        }
    }

    /// Finds what is written at the head of every iteration, of arrays that change names only which are whole.
    ///
    /// Begins with those that are whole before the loop, and takes away those that an iteration does not leave whole,
    /// until it takes none.
    fn head_of_all(&mut self, body: &'p [HostStmt], swapped: &[VarId], place: &Place) -> Written {
        let mut head = self.whole_only(self.written.clone(), swapped, place);
        for walk in 0..=MOST_WALKS {
            let mut lost: Vec<VarId> = swapped.to_vec();
            lost.retain(|array| head.is_whole(*array));
            if lost.is_empty() {
                break;
            }
            // After the last walk nothing is known of the arrays that still change.
            if walk < MOST_WALKS && self.may_walk_again() {
                let asks = std::mem::replace(&mut self.asks, Asks::Nothing);
                let (_, exit) = self.iteration(body, place, &head);
                self.asks = asks;
                lost.retain(|array| !exit.is_whole(*array));
            }
            if lost.is_empty() {
                break;
            }
            lost.into_iter().for_each(|array| head.forget(array));
        }
        head
    }

    /// Walks one iteration: returns what is judged in it, and what is written at its end. An array that is whole at
    /// the beginning is whole at the end if all its words are written again.
    fn iteration(
        &mut self,
        body: &'p [HostStmt],
        place: &Place,
        head: &Written,
    ) -> (Vec<Judged>, Written) {
        let before = self.judged.len();
        self.written = head.clone();
        let mut inner = place.clone();
        self.host(body, &mut inner);
        let judged = self.judged.split_off(before);
        let mut exit = std::mem::take(&mut self.written);
        for array in swapped_in(body) {
            if head.is_whole(array) && !exit.is_whole(array) {
                let whole = self.whole_only(exit.clone(), &[array], place);
                if whole.is_whole(array) {
                    exit.fill(array);
                }
            }
        }
        (judged, exit)
    }

    /// Reduces the knowledge of some arrays to whether all their words are written.
    fn whole_only(&mut self, mut written: Written, arrays: &[VarId], place: &Place) -> Written {
        for &array in arrays {
            let is_whole = written.is_whole(array)
                || self.forms.extents(array).is_some_and(|extents| {
                    cover::is_all(&written, array, &extents, place, &mut self.forms)
                });
            written.forget(array);
            if is_whole {
                written.fill(array);
            }
        }
        written
    }

    /// Walks the body of a loop of the cores; once more with what earlier iterations wrote, if something is read that
    /// was not written before it.
    pub(super) fn iterations(&mut self, body: &'p [Stmt], place: &Place, turn: Option<&Turn>) {
        let judged = self.judged.len();
        let before = self.written.clone();
        let held = self.forms.words_held();
        self.block(body, &mut place.clone());
        self.forms.leave_block(held.clone());
        let unwritten = unwritten_in(&self.judged[judged..]);
        if let Some(turn) = turn
            && !unwritten.is_empty()
            && self.may_walk_again()
        {
            let around = Around {
                entry: &before,
                exit: &self.written,
                swapped: &[],
            };
            self.written = before.carried(&around, turn, &mut self.forms);
            let mut first = self.judged.split_off(judged);
            let sites_of_first = self.sites.len();
            let asks = std::mem::replace(&mut self.asks, Asks::Reads(unwritten));
            self.block(body, &mut place.clone());
            self.forms.leave_block(held);
            self.sites.truncate(sites_of_first);
            let again = self.judged.split_off(judged);
            self.take_over(asks, &mut first, again);
            self.judged.extend(first);
        }
        self.forms.forget_written(body);
    }

    /// Replaces the verdicts of a first walk on the reads that a second walk asked about, and asks again what was asked
    /// before.
    fn take_over(&mut self, asks: Asks, first: &mut [Judged], again: Vec<Judged>) {
        let Asks::Reads(places) = std::mem::replace(&mut self.asks, asks) else {
            return;
        };
        let was_asked =
            |judged: &&mut Judged| is_about_reads(judged) && places.contains(&judged.span);
        for (found, anew) in first.iter_mut().filter(was_asked).zip(again) {
            debug_assert_eq!(found.span, anew.span, "both walks go the same way");
            *found = anew;
        }
    }
}

/// The places that read words which may not be written.
fn unwritten_in(judged: &[Judged]) -> Vec<Span> {
    let mut places: Vec<Span> = Vec::new();
    for found in judged {
        if is_about_reads(found) && !found.verdict.is_proved() && !places.contains(&found.span) {
            places.push(found.span);
        }
    }
    places
}

/// The arrays that change names in a loop.
fn swapped_in(body: &[HostStmt]) -> Vec<VarId> {
    let mut swapped = Vec::new();
    for statement in nested_on_host(body) {
        if let HostStmt::Swap(swap) = statement {
            for array in [swap.left, swap.right] {
                if !swapped.contains(&array) {
                    swapped.push(array);
                }
            }
        }
    }
    swapped
}
