//! The walk over a program in the order it runs: every touch of memory, every division, every size,
//! each judged where it stands.
//!
//! Gives the [`Judged`] places in the order of the text. Facts are those of the place: the
//! `require`s, the ranges of all loops around, the guards. What a fault would have stopped earlier is
//! taken for granted later, as in a run.
//!
//! This file goes through the host and through blocks of statements. [`header`] judges what stands before, [`kernel`]
//! each statement of a kernel, [`transfers`] moves between host and global memory. They end at words ([`touches`]) and
//! their declared [`ranges`]. [`loops`] finds what iterations leave to each other, [`counters`]
//! how far they count.

mod counters;
mod header;
mod kernel;
mod loops;
mod ranges;
mod touches;
mod transfers;

use crate::program::{
    self, Condition, Execute, HostFor, HostStmt, HostWhile, LetBinding, Number, Program, Stmt,
    Type, VarId,
};
use crate::safety::aimed;
use crate::safety::argument::Header;
use crate::safety::cover::{Turn, Written};
use crate::safety::defined;
use crate::safety::forms::Forms;
use crate::safety::site::{Ask, Place, ScopeKind, Site};
use crate::safety::verdict::{Judged, Lack, Property, Reason, Rule, Subject, Verdict};
use crate::sym::{Cond, Expr};
use crate::text::Span;

/// The most times that loops of a program are walked again. Each level of nesting doubles them.
const MOST_AGAIN: u32 = 64;

/// The questions of a walk. A loop is walked again for what its iterations leave to each other.
#[derive(Clone, PartialEq)]
enum Asks {
    /// Everything.
    All,
    /// Initialisation, of the words read at these places.
    Reads(Vec<Span>),
    /// Nothing: the walk only notes which words are written.
    Nothing,
    /// The ranges supposed for the words of arrays. The walk drops an end that some write is not proved to keep: with
    /// `0 ≤ _k` supposed, `_k ← x` drops that end unless x ≥ 0 is proved.
    Contents,
}

/// The walk over one program.
pub(crate) struct Walk<'p> {
    pub(crate) program: &'p Program,
    /// The forms of parameters and words.
    pub(crate) forms: Forms<'p>,
    /// The places judged so far.
    pub(crate) judged: Vec<Judged>,
    /// The words written so far.
    written: Written,
    /// The touches of the kernel so far.
    sites: Vec<Site>,
    /// The last number given to a scope.
    next: u32,
    /// The questions asked of each place.
    asks: Asks,
    /// The number of times that loops may still be walked again.
    again: u32,
    /// True if it ends where something cannot be proved.
    until_open: bool,
    /// True once it ended there.
    has_ended: bool,
    /// What is known before any statement, where each proof is told with its argument.
    pub(crate) header: Option<Header>,
    /// The number of open places for which a point may still be sought.
    aims: usize,
}

impl<'p> Walk<'p> {
    pub(crate) fn new(program: &'p Program, forms: Forms<'p>) -> Self {
        Walk {
            program,
            forms,
            judged: Vec::new(),
            written: Written::default(),
            sites: Vec::new(),
            next: 0,
            asks: Asks::All,
            again: MOST_AGAIN,
            until_open: false,
            has_ended: false,
            header: None,
            aims: aimed::MOST_AIMS,
        }
    }

    /// A walk that ends where something cannot be proved.
    pub(crate) fn until_open(program: &'p Program, forms: Forms<'p>) -> Self {
        Walk {
            until_open: true,
            ..Walk::new(program, forms)
        }
    }

    /// A walk that holds every write against the ends of what it is written to.
    pub(crate) fn of_contents(program: &'p Program, forms: Forms<'p>) -> Self {
        Walk {
            asks: Asks::Contents,
            ..Walk::new(program, forms)
        }
    }

    /// Drops the ends of a variable's range that this value may pass. Only a walk of [`Asks::Contents`] does so.
    fn drop_passed_ends(&mut self, variable: VarId, value: Option<&Expr>, place: &Place) {
        if self.asks == Asks::Contents {
            self.forms
                .contents
                .hold(self.program, variable, value, place);
        }
    }

    /// True if it went to the end of the program.
    pub(crate) fn is_whole(&self) -> bool {
        !self.has_ended
    }

    /// True once nothing more is to be judged.
    fn is_over(&mut self) -> bool {
        // That a word was written may be proved on a second walk through a loop.
        let is_open =
            |found: &Judged| matches!(found.verdict, Verdict::Open(_)) && !is_about_reads(found);
        if self.until_open && !self.has_ended {
            self.has_ended = self.judged.iter().any(is_open);
        }
        self.has_ended
    }

    /// Asks for one more walk through a loop, and returns if it is granted. Nested loops ask once for each walk around
    /// them.
    fn may_walk_again(&mut self) -> bool {
        let left = self.again.checked_sub(1);
        self.again = left.unwrap_or_default();
        left.is_some()
    }

    /// A new id for a scope.
    fn new_scope(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Walks through the program, from a place at which nothing has run yet.
    pub(crate) fn run(&mut self, place: &mut Place) {
        header::judge(self, place);
        self.host(&self.program.body, place);
    }

    /// Walks through statements of the host.
    fn host(&mut self, body: &'p [HostStmt], place: &mut Place) {
        for statement in body {
            if self.is_over() {
                return;
            }
            place.begin(Ask::Step);
            match statement {
                HostStmt::Transfer(transfer) => self.transfer(transfer, place),
                HostStmt::Kernel(kernel) => self.kernel(kernel, place),
                HostStmt::For(host_for) => self.host_for(host_for, place),
                HostStmt::While(host_while) => self.host_while(host_while, place),
                HostStmt::Let(binding) => self.host_let(binding, place),
                HostStmt::Swap(swap) => {
                    self.same_shape(swap.left, swap.right, swap.span, place);
                    self.written.swap(swap.left, swap.right);
                }
                HostStmt::Execute(execute) => self.execute(execute, place),
            }
        }
    }

    /// Judges whether two arrays that change names have one shape.
    fn same_shape(&mut self, left: VarId, right: VarId, span: Span, place: &Place) {
        if self.asks != Asks::All {
            return;
        }
        let verdict = match [left, right].map(|array| self.forms.extents(array)) {
            [Some(one), Some(other)] => {
                let mut sizes = one
                    .iter()
                    .zip(&other)
                    .map(|(one, other)| Cond::eq(one, other));
                match sizes.find(|same| !place.facts.proves(same)) {
                    None => return,
                    Some(same) => Verdict::Open(Reason::Unproved(Lack::Condition(same))),
                }
            }
            [_, _] => Verdict::Open(Reason::Form),
        };
        self.judge(Property::Bounds, span, Subject::Array(left), verdict);
    }

    /// Judges a `let` of the host, and binds its name.
    fn host_let(&mut self, binding: &'p LetBinding, place: &mut Place) {
        self.whole_value(&binding.value, place);
        let value = self.forms.number(&binding.value, place);
        self.forms.bind(binding.parameter, value, binding.span);
    }

    fn execute(&mut self, execute: &'p Execute, place: &mut Place) {
        for argument in &execute.arguments {
            self.host_let(argument, place);
        }
        self.host(&execute.body, place);
    }

    fn host_for(&mut self, host_for: &'p HostFor, outer: &Place) {
        for bound in [&host_for.from, &host_for.to] {
            self.whole_value(bound, outer);
        }
        let mut place = outer.clone();
        let ends = [&host_for.from, &host_for.to].map(|bound| self.forms.number(bound, &mut place));
        let symbol = self.forms.bind_symbol(host_for.variable);
        let id = self.new_scope();
        let kind = match ends {
            [Some(from), Some(to)] => {
                let (low, high) = if host_for.down {
                    (to, from)
                } else {
                    (from, to)
                };
                place.range(&symbol, &low, &high, id);
                match host_for.until {
                    Some(_) => ScopeKind::Uncertain,
                    None => ScopeKind::HostFor,
                }
            }
            [_, _] => {
                place.facts.integer(&symbol);
                ScopeKind::Uncertain
            }
        };
        let turn = match (&kind, place.indices.last()) {
            (ScopeKind::HostFor, Some(index)) => Some(Turn {
                index: index.clone(),
                down: host_for.down,
                is_common: true,
            }),
            (_, _) => None,
        };
        place.enter(id, kind);
        self.repeated(&host_for.body, &place, turn.as_ref());
        // `until` is tested at the end of an iteration, so the writes of the body count here.
        if let Some(until) = &host_for.until {
            self.host_reads(until, &place);
        }
    }

    fn host_while(&mut self, host_while: &'p HostWhile, outer: &Place) {
        self.whole_value(&host_while.at_most, outer);
        let mut place = outer.clone();
        let id = self.new_scope();
        place.enter(id, ScopeKind::Uncertain);
        self.host_reads(&host_while.condition, outer);
        self.iterations_bounded(&host_while.condition, host_while.span);
        self.repeated(&host_while.body, &place, None);
    }

    /// Judges a condition of the host, and the words that it reads.
    fn host_reads(&mut self, condition: &'p Condition, place: &Place) {
        self.words_of(condition.into(), place);
        self.defined(condition, place);
    }

    /// Judges whether a `while` stays within its bound, where data do not decide it.
    fn iterations_bounded(&mut self, condition: &Condition, span: Span) {
        if self.asks == Asks::All && !program::Expr::from(condition).reads_words() {
            let verdict = Verdict::Open(Reason::Unbounded);
            self.judge(Property::Defined, span, Subject::Iterations, verdict);
        }
    }

    /// Walks through statements of a kernel.
    fn block(&mut self, body: &'p [Stmt], place: &mut Place) {
        for statement in body {
            if self.is_over() {
                return;
            }
            self.statement(statement, place);
        }
    }

    fn judge(&mut self, property: Property, span: Span, subject: Subject, verdict: Verdict) {
        let judged = Judged::new(property, span, subject, verdict);
        self.judged.push(judged);
    }

    /// As [`Walk::judge`], of a touch, with the argument of a proof where it is asked for: `is_proved` asks the same of
    /// the touch under fewer facts.
    fn judge_touch(
        &mut self,
        property: Property,
        (site, subject): (&Site, Subject),
        verdict: Verdict,
        mut is_proved: impl FnMut(&mut Self, &Site) -> bool,
    ) {
        let is_argued = verdict.is_proved() && self.header.is_some();
        self.judge(property, site.span, subject, verdict);
        if let Some(header) = self.header.take() {
            if is_argued {
                let argument = header.argument(site, &mut |site| is_proved(self, site));
                if let Some(judged) = self.judged.last_mut() {
                    judged.argument = argument.map(Box::new);
                }
            }
            self.header = Some(header);
        }
    }

    /// Judges a number of the host that must have a value and be whole.
    fn whole_value(&mut self, number: &Number, place: &Place) {
        self.defined(number, place);
        self.whole(number, place);
    }

    /// Judges whether a number is whole.
    fn whole(&mut self, number: &Number, place: &Place) {
        if number.ty != Type::Number || self.asks != Asks::All {
            return;
        }
        let mut place = place.clone();
        let verdict = match self.forms.number(number, &mut place) {
            Some(value) if place.facts.is_integer(&value) => return,
            Some(value) => Verdict::Open(Reason::Unproved(Lack::Whole(value))),
            None => Verdict::Open(Reason::Form),
        };
        self.judge(Property::Defined, number.span, Subject::Whole, verdict);
    }

    /// Judges whether everything in an expression has a value.
    fn defined<'e>(&mut self, expr: impl Into<program::Expr<'e>>, place: &Place) {
        if self.asks == Asks::All {
            defined::judge(expr.into(), &mut self.forms, place, &mut self.judged);
        }
    }
}

fn is_about_reads(judged: &Judged) -> bool {
    judged.property == Property::Initialised
}

/// The worse of two verdicts.
fn worse(one: Option<Verdict>, other: Verdict) -> Verdict {
    match one {
        Some(one) if !one.is_proved() => one,
        Some(Verdict::Proved(rule)) => match other {
            // The stronger argument names both.
            Verdict::Proved(Rule::AffineRange) => Verdict::Proved(rule),
            other => other,
        },
        Some(_) | None => other,
    }
}
