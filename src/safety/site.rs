//! A touch of memory, with all that is known where it happens: which word, in which loops, under
//! which guards. What the rules of races and initialisation reason about.

use std::sync::Arc;

use crate::program::VarId;
use crate::safety::verdict::{Reason, Verdict};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::text::Span;

/// What is done to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It is read and written by an `atomic`.
    Update,
}

/// What a place stands in, outermost first.
#[derive(Clone, PartialEq)]
pub(crate) struct Scope {
    /// Tells scopes apart.
    pub(crate) id: u32,
    /// What it is.
    pub(crate) kind: ScopeKind,
}

/// What a scope is.
#[derive(Clone, PartialEq)]
pub(crate) enum ScopeKind {
    /// A loop of the host that runs through a range.
    HostFor,
    /// A loop that data end: what is in it may never happen.
    Uncertain,
    /// A kernel.
    Mps,
    /// A core loop.
    Cores,
    /// A `for` of the cores.
    Loop {
        /// True if all cores in one iteration are at the same number, because their first numbers agree. Their last
        /// numbers may differ, as in `for v = 0 → j`.
        is_common: bool,
    },
    /// The iterations of a loop before the one looked at.
    Earlier {
        /// Whether all who run through it are at the same number.
        is_common: bool,
    },
}

/// An index that runs through a range.
#[derive(Clone)]
pub(crate) struct Index {
    /// Its symbol.
    pub(crate) symbol: Symbol,
    /// The first number.
    pub(crate) low: Expr,
    /// The last number.
    pub(crate) high: Expr,
    /// The scope that it belongs to.
    pub(crate) scope: u32,
}

/// How much may be done for all places of a program with few kernels.
const WORK_IN_ALL: u64 = 300_000;

/// How much may be done for each kernel, where there are many: one that copies a block takes some 1,450.
const WORK_OF_A_KERNEL: u64 = 2_000;

/// How much may be done for all places, however many kernels there are.
const MOST_WORK_IN_ALL: u64 = 1_500_000;

/// How much may be done for all places of a program.
pub(crate) fn work_in_all(kernels: usize) -> u64 {
    let kernels = u64::try_from(kernels).unwrap_or(u64::MAX);
    let more = kernels.saturating_mul(WORK_OF_A_KERNEL);
    WORK_IN_ALL.max(more).min(MOST_WORK_IN_ALL)
}

/// What work is for: each question has its own, so that a hard one leaves the others theirs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// A step of the walk: what is known there.
    Step,
    /// Whether something holds.
    Question,
    /// Whether it follows from one guard.
    Guard,
    /// Whether it does where indices are taken apart.
    Digits,
    /// Whether several writes cover a read together.
    Parts,
    /// Whether the words of a write are told by digits.
    Onto,
}

impl Ask {
    /// How much of the work for all places may be done when it is asked: what is costly leaves work to the others.
    fn share_of(self, in_all: u64) -> u64 {
        match self {
            Ask::Digits | Ask::Onto => in_all / 2,
            Ask::Step | Ask::Question | Ask::Guard | Ask::Parts => in_all,
        }
    }

    /// How much may be done for it.
    pub(crate) fn work(self) -> u64 {
        match self {
            Ask::Step => 40_000,
            Ask::Question => 16_000,
            Ask::Guard => 2_000,
            Ask::Digits => 50_000,
            Ask::Parts => 8_000,
            Ask::Onto => 50_000,
        }
    }
}

/// What stands around a place.
#[derive(Clone)]
pub(crate) struct Place {
    /// What is known here, whoever is active.
    pub(crate) facts: Facts,
    /// The scopes, outermost first.
    pub(crate) scopes: Vec<Scope>,
    /// The indices of MPs, cores and loops, outermost first.
    pub(crate) indices: Vec<Index>,
    /// What decides whether it is executed: ranges of indices, guards.
    pub(crate) guards: Vec<Cond>,
    /// What is true of words that are read on the way.
    pub(crate) truths: Vec<Cond>,
    /// Words that are read on the way, each a symbol of its own.
    pub(crate) words: Vec<Symbol>,
    /// Guards that have no form, each by a number: what is under one may happen or not.
    pub(crate) doubts: Vec<u32>,
    /// How much may be done for all places of the program.
    pub(crate) work_in_all: u64,
    /// How many times the usual work may be done.
    pub(crate) effort: u64,
}

impl Place {
    /// Takes for granted what decides whether anything here is executed.
    pub(crate) fn guard(&mut self, cond: &Cond) {
        self.facts.suppose(cond);
        self.guards.push(cond.clone());
    }

    /// Takes for granted what always holds.
    pub(crate) fn truth(&mut self, cond: &Cond) {
        self.facts.suppose(cond);
        self.truths.push(cond.clone());
    }

    /// Enters the range of an index.
    pub(crate) fn range(&mut self, symbol: &Symbol, low: &Expr, high: &Expr, scope: u32) {
        self.facts.integer(symbol);
        let value = Expr::symbol(symbol);
        self.guard(&Cond::ge(&value, low));
        self.guard(&Cond::le(&value, high));
        self.indices.push(Index {
            symbol: symbol.clone(),
            low: low.clone(),
            high: high.clone(),
            scope,
        });
    }

    /// Enters a scope.
    pub(crate) fn enter(&mut self, id: u32, kind: ScopeKind) {
        self.scopes.push(Scope { id, kind });
    }

    /// Allows work for something, within what is allowed for a program.
    pub(crate) fn begin(&self, ask: Ask) {
        let left = ask.share_of(self.work_in_all.saturating_mul(self.effort));
        let left = left.saturating_sub(self.facts.work_done());
        self.facts
            .allow(ask.work().saturating_mul(self.effort).min(left));
    }

    /// Asks a question with the work that one question is allowed. A verdict left open for lack of work says so.
    pub(crate) fn verdict_within_work(&self, question: impl FnOnce() -> Verdict) -> Verdict {
        self.within_work(|| match question() {
            Verdict::Open(Reason::Unproved(lack)) if self.facts.is_exhausted() => {
                Verdict::Open(Reason::Work(lack))
            }
            verdict => verdict,
        })
    }

    /// Answers a question with the work that one question is allowed.
    pub(crate) fn within_work<T>(&self, question: impl FnOnce() -> T) -> T {
        self.begin(Ask::Question);
        let answer = question();
        self.begin(Ask::Step);
        answer
    }

    /// The number of the core, where cores are at work and are told apart.
    pub(crate) fn core(&self) -> Option<&Index> {
        let mut scopes = self.scopes.iter();
        let cores = scopes.find(|scope| scope.kind == ScopeKind::Cores)?;
        self.indices.iter().find(|index| index.scope == cores.id)
    }

    /// Whether some scope is such.
    pub(crate) fn is_in(&self, kind: &ScopeKind) -> bool {
        self.scopes.iter().any(|scope| scope.kind == *kind)
    }
}

/// One touch of memory.
#[derive(Clone)]
pub(crate) struct Site {
    /// Where in the text.
    pub(crate) span: Span,
    /// The variable.
    pub(crate) variable: VarId,
    /// What is done to it.
    pub(crate) usage: Usage,
    /// Its indices, as far as they have a form.
    pub(crate) indices: Vec<Option<Expr>>,
    /// The value written, where it has a form.
    pub(crate) value: Option<Expr>,
    /// What stands around it.
    pub(crate) place: Arc<Place>,
}

impl Site {
    /// The indices, if all have forms.
    pub(crate) fn offsets(&self) -> Option<Vec<Expr>> {
        self.indices.iter().cloned().collect()
    }

    /// Whether all indices are polynomials.
    pub(crate) fn is_plain(&self) -> bool {
        let mut indices = self.indices.iter();
        indices.all(|index| index.as_ref().is_some_and(Expr::is_plain))
    }

    /// The same at one number of a loop, where `guard` holds too.
    pub(crate) fn at(&self, index: &Index, value: &Expr, guard: &Cond) -> Site {
        let mut site = self.with(&index.symbol, value);
        if let Some(place) = Arc::get_mut(&mut site.place) {
            place.indices.retain(|other| other.symbol != index.symbol);
            place.guards.push(guard.clone());
        }
        site
    }

    /// The same at any number of a loop, which `anew` runs through in a scope of its own.
    pub(crate) fn at_any(&self, index: &Index, anew: Index, scope: Scope) -> Site {
        let symbol = Expr::symbol(&anew.symbol);
        let mut site = self.with(&index.symbol, &symbol);
        if let Some(place) = Arc::get_mut(&mut site.place) {
            place.indices.retain(|other| other.symbol != index.symbol);
            place.guards.push(Cond::ge(&symbol, &anew.low));
            place.guards.push(Cond::le(&symbol, &anew.high));
            place.indices.insert(0, anew);
            place.scopes.push(scope);
        }
        site
    }

    fn with(&self, symbol: &Symbol, value: &Expr) -> Site {
        let put = |form: &Expr| form.substitute(symbol, value);
        let mut place = (*self.place).clone();
        for cond in place.guards.iter_mut().chain(&mut place.truths) {
            *cond = cond.substitute(symbol, value);
        }
        for index in &mut place.indices {
            (index.low, index.high) = (put(&index.low), put(&index.high));
        }
        Site {
            indices: self
                .indices
                .iter()
                .map(|index| index.as_ref().map(put))
                .collect(),
            value: self.value.as_ref().map(put),
            place: Arc::new(place),
            ..self.clone()
        }
    }
}
