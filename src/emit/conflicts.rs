//! Where the cores of an MP must wait for each other: between an access to a word and a later one
//! of another core, unless it is proved that no two cores meet there.
//!
//! Each access is known by its array, the cores that may take part, and in each dimension its index
//! as something common to all cores plus a known offset of each. Two accesses meet unless a
//! dimension in which both are known so, with a known difference between what is common, keeps
//! all pairs of different cores apart; also where that difference is known but for a multiple of b, as
//! between rows of b words. What is not known may always meet.
//!
//! An access of the iteration before has the loop's variable one step back. So two buffers are told apart: what is
//! read of `_x[t mod 2, j + 1]` is not what the next iteration writes to `_x[t mod 2, j]`.

use std::collections::HashMap;

use num_traits::Zero;

use crate::emit::form::{Reason, Touch};
use crate::program::VarId;
use crate::sym::{Expr, Facts, Symbol};

/// The index of an access in one dimension.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Index {
    /// What is common to all cores.
    pub common: Expr,
    /// What each core adds.
    pub offsets: Vec<i64>,
    /// Whether a multiple of b that nobody knows is added: then two indices may only be compared modulo b.
    pub is_row: bool,
}

/// When an access was, seen from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    Now,
    /// In the iteration before: the loop's variable is one step back in its indices.
    Before,
    /// In some iteration before.
    Earlier,
}

/// A step of a loop.
#[derive(Debug)]
pub(crate) struct Turn<'l> {
    pub variable: &'l Symbol,
    /// By how much it grows.
    pub step: i64,
    /// Symbols that have another value in the next iteration.
    pub stale: &'l [Symbol],
}

/// The cores of a warp: those of a card, at least.
const WARP: usize = 32;

/// The periods of an index in a loop's variable that are looked for: buffers used in turn.
const PERIODS: [i64; 3] = [2, 3, 4];

/// An access of the cores of an MP.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Access {
    /// Its line in the program.
    pub line: usize,
    pub age: Age,
    pub array: VarId,
    pub is_write: bool,
    /// None where it is not known.
    pub indices: Vec<Option<Index>>,
    /// Which cores may take part.
    pub cores: Vec<bool>,
}

impl Access {
    /// Whether cores of different groups, of so many neighbours each, may touch the same word, one of them writing.
    fn meets(&self, other: &Access, together: usize) -> bool {
        if self.array != other.array || !(self.is_write || other.is_write) {
            return false;
        }
        let cores = self.cores.len() as i64;
        let mut keys: Vec<Key<'_>> = Vec::new();
        // The keys of a dimension whose distance takes several values in turn: of the first one.
        let mut turns: Option<Vec<Key<'_>>> = None;
        for pair in self.indices.iter().zip(&other.indices) {
            let (Some(one), Some(two)) = pair else {
                continue;
            };
            let apart = &two.common - &one.common;
            let (number, modulus) = if one.is_row || two.is_row {
                let within = without_rows(&apart, &apart.symbols(), cores);
                let within = within.and_then(|within| within.as_integer());
                (within.map(|it| it % cores), Some(cores))
            } else {
                (apart.as_integer(), None)
            };
            let key = |apart| Key {
                one,
                two,
                apart,
                modulus,
            };
            match number.map(|number| i64::try_from(&number)) {
                Some(Ok(apart)) => keys.push(key(apart)),
                // Further apart than cores can make up for.
                Some(Err(_)) => return false,
                None => {
                    if let (None, Some(values)) = (&turns, in_turn(&apart)) {
                        turns = Some(values.into_iter().map(key).collect());
                    }
                }
            }
        }
        let met = |more: Option<&Key<'_>>| {
            let keys: Vec<&Key<'_>> = keys.iter().chain(more).collect();
            self.meets_at(other, &keys, together)
        };
        match turns {
            Some(in_turn) => in_turn.iter().any(|key| met(Some(key))),
            None => met(None),
        }
    }

    /// The same, where indices are compared by these keys.
    fn meets_at(&self, other: &Access, keys: &[&Key<'_>], together: usize) -> bool {
        // Of each word the first group that may touch it, and whether there is another.
        let mut touched: HashMap<Vec<i64>, (usize, bool)> = HashMap::new();
        for core in active(&self.cores) {
            let key = keys.iter().map(|key| key.of_one(core)).collect();
            let group = core / together;
            let entry = touched.entry(key).or_insert((group, false));
            entry.1 |= entry.0 != group;
        }
        active(&other.cores).any(|core| {
            let key: Vec<i64> = keys.iter().map(|key| key.of_two(core)).collect();
            touched
                .get(&key)
                .is_some_and(|(first, are_more)| *are_more || *first != core / together)
        })
    }

    /// The same access, or one of another line that is alike.
    fn is_like(&self, other: &Access) -> bool {
        let Access {
            line: _,
            age,
            array,
            is_write,
            indices,
            cores,
        } = self;
        (age, array, is_write) == (&other.age, &other.array, &other.is_write)
            && (indices, cores) == (&other.indices, &other.cores)
    }

    /// The same access in the next iteration of a loop: an iteration before now, or some.
    fn next(&self, turn: &Turn<'_>) -> Access {
        if self.age != Age::Now {
            return self.without(turn.stale);
        }
        let before = Expr::symbol(turn.variable) - turn.step;
        let others: Vec<Symbol> = turn
            .stale
            .iter()
            .filter(|one| *one != turn.variable)
            .cloned()
            .collect();
        let moved = self.indices.iter().map(|index| {
            let mut index = index.clone()?;
            index.common = index.common.substitute(turn.variable, &before);
            Some(index)
        });
        let moved = Access {
            indices: moved.collect(),
            ..self.clone()
        };
        Access {
            age: Age::Before,
            ..moved.without(&others)
        }
    }

    fn touch(&self) -> Touch {
        Touch {
            line: self.line,
            array: self.array,
            is_write: self.is_write,
        }
    }

    /// The same access once a symbol has taken another value.
    fn without(&self, symbols: &[Symbol]) -> Access {
        let cores = self.cores.len() as i64;
        let indices = self.indices.iter().map(|index| {
            let mut index = index.clone()?;
            if symbols.iter().any(|symbol| index.common.contains(symbol)) {
                index.common = without_rows(&index.common, symbols, cores)?;
                index.is_row = true;
            }
            Some(index)
        });
        Access {
            age: Age::Earlier,
            indices: indices.collect(),
            ..self.clone()
        }
    }
}

/// The values that a distance takes in turn as its one symbol, a whole number, grows: of
/// `t mod 2 - (t - 1) mod 2` they are -1 and 1.
fn in_turn(apart: &Expr) -> Option<Vec<i64>> {
    let symbols = apart.symbols();
    let mut symbols = symbols.iter();
    let (Some(symbol), None) = (symbols.next(), symbols.next()) else {
        return None;
    };
    let mut facts = Facts::new();
    facts.integer(symbol);
    let values = |period: i64| {
        let at = |turn: i64| {
            let value = Expr::symbol(symbol).scale(&period.into()) + turn;
            let value = facts.simplify(&apart.substitute(symbol, &value));
            i64::try_from(&value.as_integer()?).ok()
        };
        (0..period).map(at).collect::<Option<Vec<i64>>>()
    };
    PERIODS.into_iter().find_map(values)
}

/// A number without these symbols, which are whole, where they have multiples of so many cores before them.
fn without_rows<'s>(
    number: &Expr,
    symbols: impl IntoIterator<Item = &'s Symbol>,
    cores: i64,
) -> Option<Expr> {
    let mut left = number.clone();
    for symbol in symbols {
        if left.contains(symbol) {
            let [rest, slope] = left.linear_in(symbol)?;
            let is_row = (slope.as_integer()? % cores).is_zero();
            left = is_row.then_some(rest)?;
        }
    }
    Some(left)
}

/// Indices of two accesses in a dimension where they are known to be so far apart.
struct Key<'i> {
    one: &'i Index,
    two: &'i Index,
    apart: i64,
    /// What they are compared modulo.
    modulus: Option<i64>,
}

impl Key<'_> {
    fn of_one(&self, core: usize) -> i64 {
        self.compared(self.one.offsets[core])
    }

    fn of_two(&self, core: usize) -> i64 {
        self.compared(self.two.offsets[core].wrapping_add(self.apart))
    }

    fn compared(&self, offset: i64) -> i64 {
        match self.modulus {
            Some(modulus) => offset.rem_euclid(modulus),
            None => offset,
        }
    }
}

fn active(cores: &[bool]) -> impl Iterator<Item = usize> {
    let cores = cores.iter().enumerate();
    cores
        .filter(|(_, is_active)| **is_active)
        .map(|(core, _)| core)
}

/// The accesses since all cores last waited for each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pending(Vec<Access>);

impl Pending {
    /// Accesses that follow nothing else.
    pub(crate) fn of(accesses: &[Access]) -> Pending {
        let mut pending = Pending::default();
        pending.add(accesses);
        pending
    }

    /// Why some core must wait before these accesses, if one must.
    pub(crate) fn meeting(&self, next: &[Access]) -> Option<Reason> {
        self.0.iter().find_map(|first| {
            let then = next.iter().find(|next| first.meets(next, 1))?;
            Some(Reason {
                first: first.touch(),
                then: then.touch(),
                is_again: first.age != Age::Now,
                is_of_warp: !first.meets(then, WARP),
            })
        })
    }

    /// Whether accesses that follow one another in one statement meet.
    pub(crate) fn meet(first: &[Access], then: &[Access]) -> bool {
        Pending::of(first).meeting(then).is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn add(&mut self, accesses: &[Access]) {
        for access in accesses {
            if !self.0.iter().any(|known| known.is_like(access)) {
                self.0.push(access.clone());
            }
        }
    }

    /// The pending accesses where a loop begins again.
    pub(crate) fn next(&self, turn: &Turn<'_>) -> Pending {
        let mut next = Pending::default();
        for access in &self.0 {
            next.add(&[access.next(turn)]);
        }
        next
    }

    /// The pending accesses behind a loop, where these symbols have other values.
    pub(crate) fn stale(&self, symbols: &[Symbol]) -> Pending {
        let mut stale = Pending::default();
        for access in &self.0 {
            stale.add(&[access.without(symbols)]);
        }
        stale
    }

    pub(crate) fn join(&mut self, other: &Pending) {
        self.add(&other.0);
    }
}
