//! Statements of cores as steps, with barriers where cores might meet.
//!
//! Lockstep (language.md §3) is: all active cores read, then all write. As steps of cores that run
//! on their own that is *read, barrier, write, barrier*. A barrier is left out where
//! [`conflicts`](crate::emit::conflicts) proves that no core touches what another one, before the
//! barrier, touched, one of them writing.

use crate::emit::conflicts::{Access, Pending, Turn};
use crate::emit::form::{Act, Loop, Reason, Step};
use crate::emit::term::Term;
use crate::sym::Symbol;

/// A statement, not yet divided into what happens before and after a barrier.
#[derive(Debug, Clone)]
pub(crate) enum Raw {
    Line(String),
    Let(String, Term),
    /// Statements with names of their own.
    Scope(Vec<Raw>),
    /// One act, with the words that cores read and write in it.
    Act {
        mask: Option<String>,
        act: Act,
        reads: Vec<Access>,
        writes: Vec<Access>,
        /// Registers for the values and the place, where a barrier comes between or the first value changes what the
        /// next ones are made of.
        held: Option<Held>,
    },
    For {
        head: Loop,
        body: Vec<Raw>,
        /// The loop's variable.
        variable: Symbol,
        /// Symbols, this one among them, that have another value in the next iteration.
        stale: Vec<Symbol>,
    },
    WhileAny {
        mask: String,
        body: Vec<Raw>,
    },
}

/// Where a core keeps what it will write, and where to.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    /// As many as there are values.
    pub values: Vec<String>,
    /// None where the place reads no word and may be found again.
    pub place: Option<String>,
}

/// Barriers kept, each with its reason, and the number of those that would stand if nothing were proved.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub reasons: Vec<Reason>,
    pub all: usize,
}

/// The steps of statements; `pending` is what cores did since they last waited for each other.
pub(crate) fn place(statements: &[Raw], pending: &mut Pending, tally: &mut Tally) -> Vec<Step> {
    let mut placing = Placing {
        steps: Vec::new(),
        pending,
        tally,
    };
    for statement in statements {
        placing.statement(statement);
    }
    placing.steps
}

/// Steps so far, and the accesses that the next one must not meet.
struct Placing<'a> {
    steps: Vec<Step>,
    pending: &'a mut Pending,
    tally: &'a mut Tally,
}

impl Placing<'_> {
    fn statement(&mut self, statement: &Raw) {
        match statement {
            Raw::Line(line) => self.steps.push(Step::Line(line.clone())),
            Raw::Let(name, value) => self.steps.push(Step::Let(name.clone(), value.clone())),
            Raw::Scope(body) => {
                let body = place(body, self.pending, self.tally);
                self.steps.push(Step::Scope(body));
            }
            Raw::Act {
                mask,
                act,
                reads,
                writes,
                held,
            } => self.act(mask.as_ref(), act, (reads, writes), held.as_ref()),
            Raw::For {
                head,
                body,
                variable,
                stale,
            } => self.repeated(head, body, (variable, stale)),
            Raw::WhileAny { mask, body } => {
                // All wait for each other where the loop asks whether a core is left.
                self.pending.clear();
                let body = place(body, &mut Pending::default(), self.tally);
                self.steps.push(Step::WhileAny {
                    mask: mask.clone(),
                    body,
                });
            }
        }
    }

    fn barrier(&mut self, reason: Reason) {
        self.tally.reasons.push(reason);
        self.pending.clear();
        self.steps.push(Step::Barrier);
    }

    /// Reads and writes: at once, or with the values held while the cores wait in between.
    fn act(
        &mut self,
        mask: Option<&String>,
        act: &Act,
        (reads, writes): (&[Access], &[Access]),
        held: Option<&Held>,
    ) {
        if matches!(act, Act::Write(..) | Act::Update { .. }) {
            self.tally.all += 2;
        }
        let step = |act| Step::Act {
            mask: mask.cloned(),
            act,
        };
        let meeting = self.pending.meeting(reads);
        if let Some(reason) = meeting.or_else(|| self.pending.meeting(writes)) {
            self.barrier(reason);
        }
        match held {
            Some(held) => {
                let (before, after) = divided(act, held);
                self.steps.extend(before.into_iter().map(step));
                match Pending::of(reads).meeting(writes) {
                    Some(reason) => self.barrier(reason),
                    None => self.pending.add(reads),
                }
                self.steps.push(step(after));
                self.pending.add(writes);
            }
            None => {
                self.steps.push(step(act.clone()));
                self.pending.add(reads);
                self.pending.add(writes);
            }
        }
    }

    fn repeated(&mut self, head: &Loop, body: &[Raw], (variable, stale): (&Symbol, &[Symbol])) {
        let turn = Turn {
            variable,
            step: if head.down { -1 } else { 1 },
            stale,
        };
        let mut placed = iterated(body, self.pending.clone(), &turn);
        if let Some(reason) = placed.counted.reasons.first().cloned()
            && !self.pending.is_empty()
            && loops_deep(body) <= MOST_LOOPS_INSIDE
        {
            // A barrier before the loop may spare those of each iteration.
            let waited = iterated(body, Pending::default(), &turn);
            if waited.counted.reasons.len() < placed.counted.reasons.len() {
                self.tally.reasons.push(reason);
                self.steps.push(Step::Barrier);
                placed = waited;
            }
        }
        self.tally.reasons.extend(placed.counted.reasons);
        self.tally.all += placed.counted.all;
        *self.pending = placed.pending;
        self.steps.push(Step::For {
            head: head.clone(),
            body: placed.body,
        });
    }
}

/// A loop with more loops in one another inside keeps its barriers where they are: each is placed twice.
const MOST_LOOPS_INSIDE: usize = 3;

/// The depth of loops in one another.
fn loops_deep(body: &[Raw]) -> usize {
    let deep = body.iter().map(|statement| match statement {
        Raw::For { body, .. } | Raw::WhileAny { body, .. } => 1 + loops_deep(body),
        Raw::Scope(body) => loops_deep(body),
        Raw::Line(_) | Raw::Let(..) | Raw::Act { .. } => 0,
    });
    deep.max().unwrap_or(0)
}

/// The body of a loop, with its barriers and what is pending behind it.
struct Iterated {
    body: Vec<Step>,
    counted: Tally,
    pending: Pending,
}

/// A body that is run any number of times; `head` is pending before the first.
fn iterated(body: &[Raw], mut head: Pending, turn: &Turn<'_>) -> Iterated {
    loop {
        let mut inside = head.clone();
        let mut counted = Tally::default();
        let steps = place(body, &mut inside, &mut counted);
        let mut next = head.clone();
        next.join(&inside.next(turn));
        if next == head {
            return Iterated {
                body: steps,
                counted,
                pending: head.stale(turn.stale),
            };
        }
        head = next;
    }
}

/// An act as what is read and what is written.
fn divided(act: &Act, held: &Held) -> (Vec<Act>, Act) {
    let mut before = Vec::new();
    let mut keep = |value: &Term, register: &String| {
        before.push(Act::Set(register.clone(), value.clone()));
        Term::Register(register.clone())
    };
    let mut at = |word: &Term| match (word, &held.place) {
        (Term::Word(array, place), Some(register)) => {
            let place = keep(place, register);
            Term::Word(array.clone(), Box::new(place))
        }
        (word, _) => word.clone(),
    };
    let after = match act {
        Act::Write(word, value) => {
            let word = at(word);
            Act::Write(word, keep(value, &held.values[0]))
        }
        Act::Update {
            word,
            operator,
            reads_itself,
            values,
            word_type,
        } => {
            let word = at(word);
            let values = values.iter().zip(&held.values);
            Act::Update {
                word,
                operator: *operator,
                reads_itself: *reads_itself,
                values: values
                    .map(|(value, register)| keep(value, register))
                    .collect(),
                word_type: *word_type,
            }
        }
        Act::Set(..) | Act::Mask(..) => unreachable!("these write no word"),
    };
    (before, after)
}
