//! Whole rounds: transfers that are part of a neighbour's round are put into it.
//!
//! The walk leaves transfers that go on in the next iteration of a loop as entries of their own, [`Joined`] to a
//! neighbour, so that sums and live words see them where they stand. A reader counts rounds by the loops of an entry.
//! So at last they move:
//!
//! ```text
//! for r = 1 → 3 do        K takes a[r - 1] in where r ≠ 1,
//!   K                     and the round behind the loop takes a[3] in.
//!   a[r] ⇚ A[r]           Without one, a[3] is a round by itself.
//! end for
//! ```
//!
//! Where data decide which iteration is the last, or a loop may not run that something meets, all stays as it is.
//!
//! [`Joined`]: crate::symbolic::entry::Joined

use crate::count::Traffic;
use crate::derivation::Neighbour;
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::amount::Amount;
use crate::symbolic::entry::{Entry, HostLoop, Part, Transferred};
use crate::symbolic::rounds::merge::{End, at};

/// What may be tried to find out where an entry belongs.
const WORK_OF_AN_ENTRY: u64 = 10_000;

/// Behind so many entries the number of a round is left out.
const MOST_BEFORE: usize = 50;

/// A round as it is shown: an entry, its live words, and the number of its first round.
#[derive(Clone)]
pub(crate) struct Whole {
    pub(crate) entry: Entry,
    pub(crate) live: Amount,
    pub(crate) number: Amount,
}

/// The entries without those that are part of another one, as far as it is certain of which.
pub(crate) fn whole(entries: Vec<Whole>, outer: &Facts) -> Vec<Whole> {
    let mut all = Vec::with_capacity(entries.len());
    let mut rest = &entries[..];
    while let Some(first) = rest.first() {
        // Entries about other parameters are no neighbours.
        let others = |whole: &Whole| whole.entry.when != first.entry.when;
        let (case, behind) = rest.split_at(rest.iter().position(others).unwrap_or(rest.len()));
        let is_joined = |whole: &Whole| whole.entry.part.joined.is_some();
        let settled = case.iter().any(is_joined).then(|| {
            let case = Case {
                entries: case,
                outer: outer.with_work(WORK_OF_AN_ENTRY),
            };
            case.settled()
        });
        match settled.flatten() {
            Some(settled) => all.extend(settled),
            None => all.extend_from_slice(case),
        }
        rest = behind;
    }
    all
}

/// Entries about the same parameters, in order.
struct Case<'e> {
    entries: &'e [Whole],
    /// What is known outside all loops, with work of its own: all rounds hang on it.
    outer: Facts,
}

/// Some of the iterations of an entry that is joined to another: those in which its innermost loops are at the end where
/// the neighbour is. For an entry at the end of `for q do for r do …` there are three: r ≠ last; r = last and
/// q ≠ last; r = last and q = last.
#[derive(Clone, Copy)]
struct Piece {
    /// All loops but so many are at that end.
    depth: usize,
    /// True if the innermost of these others is not at that end, false if all are anywhere.
    is_inside: bool,
}

/// What becomes of a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is a round by itself.
    Alone,
    /// It is part of the round of this entry.
    In(usize),
}

impl Case<'_> {
    /// All entries as whole rounds; `None` if it is not certain where one of them belongs.
    fn settled(&self) -> Option<Vec<Whole>> {
        let mut grown = self.entries.to_vec();
        let mut kept: Vec<Option<Vec<Piece>>> = vec![None; self.entries.len()];
        // What goes on in a round that goes on itself arrives there before that one moves.
        let joined_to = |with: Neighbour| {
            let each = self.entries.iter().enumerate();
            each.filter_map(move |(index, whole)| {
                let joined = whole.entry.part.joined.as_ref()?;
                (joined.with == with).then_some(index)
            })
        };
        let next = joined_to(Neighbour::Next);
        let previous: Vec<usize> = joined_to(Neighbour::Previous).collect();
        for index in next.chain(previous.into_iter().rev()) {
            self.outer.allow(WORK_OF_AN_ENTRY);
            let entry = &self.entries[index].entry;
            let joined = entry.part.joined.as_ref()?;
            if !joined.is_exact || entry.loops.iter().any(|l| l.by_data.is_some()) {
                return None;
            }
            let pieces = self.pieces(index);
            let mut fates = Vec::new();
            for &piece in &pieces {
                let fate = self.fate(index, piece)?;
                if let Fate::In(target) = fate {
                    self.add(&mut grown, index, piece, target)?;
                }
                fates.push((piece, fate));
            }
            kept[index] = Some(alone(&entry.loops, &fates));
        }
        let mut settled = Vec::new();
        for (index, (mut whole, kept)) in grown.into_iter().zip(kept).enumerate() {
            whole.entry.part.joined = None;
            match kept {
                None => settled.push(whole),
                Some(pieces) => {
                    let pieces = pieces.into_iter();
                    let at = settled.len();
                    settled.extend(pieces.map(|piece| self.cut(index, &whole, piece)));
                    if self.neighbour(index).0 == Neighbour::Previous {
                        // The outermost come first, those of the inner loops behind.
                        settled[at..].reverse();
                    }
                }
            }
        }
        Some(settled)
    }

    /// Of which round a joined entry may be part, its neighbour if it has one, and how many loops are around both.
    fn neighbour(&self, index: usize) -> (Neighbour, Option<usize>, usize) {
        let entry = &self.entries[index].entry;
        let joined = entry.part.joined.as_ref();
        let with = joined.expect("only joined entries move").with;
        let neighbour = match with {
            Neighbour::Next => Some(index + 1).filter(|next| *next < self.entries.len()),
            Neighbour::Previous => index.checked_sub(1),
        };
        let shared = neighbour.map(|other| entry.shared_loops(&self.entries[other].entry));
        (with, neighbour, shared.unwrap_or(0))
    }

    /// The pieces of a joined entry, the one of its innermost loop first, but for those without an iteration.
    fn pieces(&self, index: usize) -> Vec<Piece> {
        let entry = &self.entries[index].entry;
        let (with, _, shared) = self.neighbour(index);
        let known = entry.known(&self.outer);
        let inside = (shared..entry.loops.len()).rev().map(|at| Piece {
            depth: at + 1,
            is_inside: true,
        });
        let some = inside.filter(|piece| {
            let repeated = &entry.loops[piece.depth - 1];
            known[piece.depth].prove(&is_at(repeated, near(repeated, with))) != Some(true)
        });
        let at_the_end = Piece {
            depth: shared,
            is_inside: false,
        };
        some.chain([at_the_end]).collect()
    }

    /// Whether a piece is a round, or in which entry's it is; `None` if that is not certain.
    fn fate(&self, index: usize, piece: Piece) -> Option<Fate> {
        let entry = &self.entries[index].entry;
        let (with, neighbour, _) = self.neighbour(index);
        let mut known = entry.known(&self.outer).swap_remove(piece.depth);
        if piece.is_inside {
            let repeated = &entry.loops[piece.depth - 1];
            known.suppose(&is_at(repeated, near(repeated, with)).negate());
        }
        let alone = entry.part.joined.as_ref()?.alone.map(&|end| {
            let rest = &entry.loops[piece.depth..];
            at_their_ends(rest, with, end)
        });
        if known.prove(&alone)? {
            return Some(Fate::Alone);
        }
        if !piece.is_inside {
            return neighbour.map(Fate::In);
        }
        // The other end of the body of that loop.
        let is_in_it = |other: &usize| {
            let other = &self.entries[*other].entry;
            entry.shared_loops(other) >= piece.depth
        };
        let target = match with {
            Neighbour::Next => (0..index).rev().take_while(is_in_it).last(),
            Neighbour::Previous => (index + 1..self.entries.len()).take_while(is_in_it).last(),
        };
        target.map(Fate::In)
    }

    /// Adds the transfers of a piece to the entry in whose round they are; `None` if it is not certain that they are.
    fn add(&self, grown: &mut [Whole], index: usize, piece: Piece, target: usize) -> Option<()> {
        let entry = &self.entries[index].entry;
        let to = &self.entries[target].entry;
        let (with, _, _) = self.neighbour(index);
        let (around, extra) = to.loops.split_at(piece.depth);
        let is_open = |repeated: &HostLoop| match with {
            Neighbour::Next => repeated.is_while(),
            Neighbour::Previous => repeated.by_data.is_some(),
        };
        if extra.iter().any(is_open) {
            return None;
        }
        let moved = Moved {
            with,
            ended: &entry.loops[piece.depth..],
            turned: around.last().filter(|_| piece.is_inside),
        };
        let here = moved.here(extra, &entry.known(&self.outer)[piece.depth..]);
        let inside = to.facts(&self.outer);
        if let Some(joined) = &to.part.joined {
            // It moves on from there, or is a round there.
            let moves_on = match with {
                Neighbour::Next => target > index,
                Neighbour::Previous => target < index,
            };
            let is_alone = || inside.with(&here).proves(&joined.alone);
            let is_joined = joined.with == with && moves_on;
            if !is_joined && !is_alone() {
                return None;
            }
        }
        let factor = Amount::exact(Expr::bracket(here));
        let there = |amount: &Amount| {
            let moved = amount.map(|end| moved.form(end, moved.ended.len()));
            moved.times(&factor).map(|end| inside.simplify(end))
        };
        let from = grown[index].entry.part.clone();
        grown[target].entry.part.take_in(&from, with, &there);
        Some(())
    }

    /// The rounds of a piece that are rounds by themselves.
    fn cut(&self, index: usize, whole: &Whole, piece: Piece) -> Whole {
        let (with, _, _) = self.neighbour(index);
        let mut cut = whole.clone();
        let known = whole.entry.known(&self.outer);
        for at in (piece.depth..whole.entry.loops.len()).rev() {
            let (repeated, known) = (&whole.entry.loops[at], &known[at]);
            if repeated.does_run(known) == Some(true) {
                cut.entry.loops.remove(at);
                let end = near(repeated, with);
                cut.put(&|form| form.substitute(&repeated.symbol, end));
            } else {
                // One iteration, or none where the loop does not run.
                let [low, high] = [&repeated.low, &repeated.high];
                let narrow = &mut cut.entry.loops[at];
                if near(repeated, with) == high {
                    narrow.low = known.simplify(&Expr::max(vec![low.clone(), high.clone()]));
                } else {
                    narrow.high = known.simplify(&Expr::min(vec![low.clone(), high.clone()]));
                }
            }
        }
        if piece.is_inside {
            let repeated = &mut cut.entry.loops[piece.depth - 1];
            if near(repeated, with) == &repeated.high {
                repeated.high = &repeated.high - 1;
            } else {
                repeated.low = &repeated.low + 1;
            }
            repeated.runs = Cond::ge(&repeated.high, &repeated.low);
        }
        cut.number = self.number(index, piece);
        cut
    }

    /// The number of the first round of a piece that is a round by itself.
    fn number(&self, index: usize, piece: Piece) -> Amount {
        let entry = &self.entries[index].entry;
        let (with, _, _) = self.neighbour(index);
        let (before, one) = match (piece.is_inside, with) {
            (false, Neighbour::Previous) => (index, Amount::of(1)),
            // It is the last of what is alone in the first iteration of all loops that it keeps.
            (false, Neighbour::Next) => (index + 1, Amount::zero()),
            // It is in the second iteration of the innermost of these, so behind all of the first.
            (true, Neighbour::Previous) => {
                let mut behind = self.entries[index..].iter();
                let others =
                    behind.position(|other| entry.shared_loops(&other.entry) < piece.depth);
                let before = others.map_or(self.entries.len(), |others| index + others);
                (before, Amount::of(1))
            }
            (true, Neighbour::Next) => return Amount::unknown(),
        };
        if before > MOST_BEFORE {
            return Amount::unknown();
        }
        self.entries[..before].iter().fold(one, |sum, other| {
            let shared = entry.shared_loops(&other.entry).min(piece.depth);
            sum.plus(&other.entry.rounds_in_first(shared, &self.outer))
        })
    }
}

/// The pieces that are rounds by themselves, those joined that are alike but for the iteration of their outer loops:
/// r = last where q ≠ last, and where q = last, is r = last.
fn alone(loops: &[HostLoop], fates: &[(Piece, Fate)]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let outermost = fates
        .iter()
        .rev()
        .take_while(|(_, fate)| *fate == Fate::Alone);
    let joined = outermost.count();
    let (others, joined) = fates.split_at(fates.len() - joined);
    let is_alone = others.iter().filter(|(_, fate)| *fate == Fate::Alone);
    pieces.extend(is_alone.map(|(piece, _)| *piece));
    if let Some((piece, _)) = joined.first() {
        let depth = if others.is_empty() {
            loops.len()
        } else {
            piece.depth
        };
        pieces.push(Piece {
            depth,
            is_inside: false,
        });
    }
    pieces
}

/// How the forms of a piece read where it is moved to.
struct Moved<'m> {
    with: Neighbour,
    /// The loops at their ends, outermost first.
    ended: &'m [HostLoop],
    /// The loop whose next iteration it goes on in, or whose previous one.
    turned: Option<&'m HostLoop>,
}

impl Moved<'_> {
    /// A form in so many of the loops at their ends. What came in behind iteration r - 1 is in the round of iteration r.
    fn form(&self, form: &Expr, ended: usize) -> Expr {
        let form = at_their_ends(&self.ended[..ended], self.with, form);
        let Some(repeated) = self.turned else {
            return form;
        };
        let variable = Expr::symbol(&repeated.symbol);
        let from = match (self.with, repeated.down) {
            (Neighbour::Next, false) | (Neighbour::Previous, true) => variable - 1,
            (Neighbour::Next, true) | (Neighbour::Previous, false) => variable + 1,
        };
        form.substitute(&repeated.symbol, &from)
    }

    /// Where it is moved to, in the variables there: `extra` are the further loops there, and `known` is known outside
    /// each of the loops at their ends.
    fn here(&self, extra: &[HostLoop], known: &[Facts]) -> Cond {
        let end = match self.with {
            Neighbour::Next => End::First,
            Neighbour::Previous => End::Last,
        };
        let mut here = vec![at(&extra.iter().collect::<Vec<_>>(), end)];
        let turned = self.turned;
        here.extend(turned.map(|repeated| is_at(repeated, far(repeated, self.with)).negate()));
        // There is nothing to move where a loop around it does not run.
        for (place, (repeated, known)) in self.ended.iter().zip(known).enumerate() {
            if repeated.does_run(known) != Some(true) {
                here.push(repeated.runs.map(&|end| self.form(end, place)));
            }
        }
        Cond::and(here)
    }
}

impl Whole {
    /// Puts something else in all its forms.
    fn put(&mut self, change: &dyn Fn(&Expr) -> Expr) {
        let amount = |amount: &Amount| amount.map(change);
        for repeated in &mut self.entry.loops {
            repeated.low = change(&repeated.low);
            repeated.high = change(&repeated.high);
            repeated.runs = repeated.runs.map(change);
        }
        let traffic = |side: &Traffic<Amount>| Traffic {
            words: amount(&side.words),
            transactions: amount(&side.transactions),
        };
        let part = &mut self.entry.part;
        part.inward = traffic(&part.inward);
        part.outward = traffic(&part.outward);
        for transferred in &mut part.transfers {
            *transferred = transferred.with(&traffic);
        }
        self.live = amount(&self.live);
    }
}

impl Part {
    /// Takes over the transfers of a neighbour, changed, in the order in which they happen.
    fn take_in(&mut self, other: &Part, with: Neighbour, change: &dyn Fn(&Amount) -> Amount) {
        let changed = |side: &Traffic<Amount>| Traffic {
            words: change(&side.words),
            transactions: change(&side.transactions),
        };
        for (side, more) in [
            (&mut self.inward, &other.inward),
            (&mut self.outward, &other.outward),
        ] {
            let more = changed(more);
            side.words = side.words.plus(&more.words);
            side.transactions = side.transactions.plus(&more.transactions);
        }
        let more = other.transfers.iter().map(|each| each.with(&changed));
        let more = more.filter(|each| !each.traffic.transactions.is_zero());
        let place = match with {
            Neighbour::Next => 0,
            Neighbour::Previous => self.transfers.len(),
        };
        let more: Vec<Transferred> = more.collect();
        self.transfers.splice(place..place, more);
    }
}

/// The iteration of a loop next to which the neighbour stands.
fn near(repeated: &HostLoop, with: Neighbour) -> &Expr {
    match with {
        Neighbour::Next => repeated.last(),
        Neighbour::Previous => repeated.first(),
    }
}

/// The iteration at the other end.
fn far(repeated: &HostLoop, with: Neighbour) -> &Expr {
    match with {
        Neighbour::Next => repeated.first(),
        Neighbour::Previous => repeated.last(),
    }
}

fn is_at(repeated: &HostLoop, end: &Expr) -> Cond {
    Cond::eq(&Expr::symbol(&repeated.symbol), end)
}

/// A form in the iterations in which these loops, the outermost first, are next to the neighbour.
fn at_their_ends(loops: &[HostLoop], with: Neighbour, form: &Expr) -> Expr {
    let inwards = loops.iter().rev();
    inwards.fold(form.clone(), |form, repeated| {
        form.substitute(&repeated.symbol, near(repeated, with))
    })
}
