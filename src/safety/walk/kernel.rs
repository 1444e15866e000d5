//! Kernels: takes the wrapper and each statement of the cores, binds their names, and judges all that a statement reads
//! and writes.

use std::sync::Arc;

use crate::program::{
    AtomicOperand, AtomicOperator, Condition, CoreLoop, Kernel, LetBinding, MpRange, Number,
    ParamId, Stmt, StmtKind, Type, Word, WrapperStmt,
};
use crate::safety::cover::Turn;
use crate::safety::races;
use crate::safety::site::{Ask, Place, ScopeKind, Usage};
use crate::safety::walk::counters::Counter;
use crate::safety::walk::{Asks, Walk, ranges};
use crate::sym::Expr;

/// The head of a `for` of the cores.
struct ForHead<'p> {
    variable: ParamId,
    from: &'p Number,
    to: &'p Number,
    down: bool,
}

impl<'p> Walk<'p> {
    /// Walks through a kernel, and judges the races between its MPs.
    pub(super) fn kernel(&mut self, kernel: &'p Kernel, outer: &Place) {
        let mut place = outer.clone();
        let id = self.new_scope();
        for range in &kernel.mps {
            self.mps(range, id, &mut place);
        }
        place.enter(id, ScopeKind::Mps);
        let sites = std::mem::take(&mut self.sites);
        self.forms.enter_kernel();
        for part in &kernel.body {
            match part {
                WrapperStmt::Let(binding) => self.kernel_let(binding, &mut place),
                WrapperStmt::Cores(cores) => self.cores(cores, &place),
            }
        }
        let sites = std::mem::replace(&mut self.sites, sites);
        if self.asks == Asks::All && !self.is_over() {
            races::between_mps(&sites, id, &mut self.forms, &mut self.judged);
        }
        for &variable in &kernel.names_shared {
            self.written.forget(variable);
        }
    }

    /// Binds the number of an MP in one dimension.
    fn mps(&mut self, range: &'p MpRange, id: u32, place: &mut Place) {
        for bound in [&range.low, &range.high] {
            self.whole_value(bound, place);
        }
        let ends = [&range.low, &range.high].map(|end| self.forms.number(end, place));
        let symbol = self.forms.bind_symbol(range.parameter);
        match ends {
            [Some(low), Some(high)] => place.range(&symbol, &low, &high, id),
            [_, _] => {
                place.facts.integer(&symbol);
                place.doubts.push(id);
            }
        }
    }

    fn cores(&mut self, cores: &'p CoreLoop, outer: &Place) {
        let mut place = outer.clone();
        let id = self.new_scope();
        let symbol = self.forms.bind_symbol(cores.core);
        let last = self.forms.width() - 1;
        place.range(&symbol, &Expr::zero(), &last, id);
        place.enter(id, ScopeKind::Cores);
        self.block(&cores.body, &mut place);
    }

    fn kernel_let(&mut self, binding: &'p LetBinding, place: &mut Place) {
        self.reads(&binding.value, place);
        let value = if is_of_numbers(&binding.value) {
            self.forms.number(&binding.value, place)
        } else {
            None
        };
        self.forms.bind(binding.parameter, value, binding.span);
    }

    /// Judges one statement of the cores.
    pub(super) fn statement(&mut self, statement: &'p Stmt, place: &mut Place) {
        place.begin(Ask::Step);
        match &statement.kind {
            StmtKind::Load { target, source } => {
                self.source_read(source, target, place);
                let value = self.forms.copied(source, place);
                self.write(target, value, place);
            }
            StmtKind::Store { target, source } => {
                self.source_read(source, target, place);
                let value = self.forms.word(source, place);
                self.write(target, value, place);
            }
            StmtKind::Assign { target, value } => self.assign(target, value, place),
            StmtKind::Atomic {
                target,
                operator,
                operands,
            } => self.atomic(target, *operator, operands, place),
            StmtKind::Let(binding) => self.kernel_let(binding, place),
            StmtKind::If { condition, body } => {
                self.reads(condition, place);
                let mut inner = place.clone();
                self.forms.assume(condition, &mut inner);
                let held = self.forms.words_held();
                self.block(body, &mut inner);
                self.forms.leave_block(held);
            }
            StmtKind::For {
                variable,
                from,
                to,
                down,
                body,
            } => {
                let head = ForHead {
                    variable: *variable,
                    from,
                    to,
                    down: *down,
                };
                self.counted_loop(&head, body, place);
            }
            StmtKind::Until { condition } => self.reads(condition, place),
            StmtKind::While {
                condition,
                at_most,
                body,
            } => {
                if let Some(bound) = at_most {
                    self.reads_whole(bound, place);
                    self.iterations_bounded(condition, statement.span);
                }
                self.while_loop(condition, body, place);
            }
        }
    }

    /// Judges the words of a move: all indices, then the word read.
    fn source_read(&mut self, source: &'p Word, target: &'p Word, place: &Place) {
        self.index_reads(source, place);
        self.index_reads(target, place);
        self.touch(source, Usage::Read, &Arc::new(place.clone()));
    }

    fn assign(&mut self, target: &'p Word, value: &'p Number, place: &mut Place) {
        self.reads(value, place);
        self.index_reads(target, place);
        let form = if is_of_numbers(value) {
            self.forms.number(value, place)
        } else {
            self.forms.real(value, target.variable, place)
        };
        self.whole_unless_float(value, target, place);
        self.write(target, form, place);
    }

    fn atomic(
        &mut self,
        target: &'p Word,
        operator: AtomicOperator,
        operands: &'p [AtomicOperand],
        place: &mut Place,
    ) {
        for operand in operands {
            self.reads(&operand.value, place);
            self.whole_unless_float(&operand.value, target, place);
        }
        self.index_reads(target, place);
        // An update reads and writes in one step, so two of one word are no race. A plain read or write of the word beside
        // it is one.
        self.touch(target, Usage::Update, &Arc::new(place.clone()));
        let values = operands.iter();
        let values = values.map(|operand| self.forms.number(&operand.value, place));
        let values: Option<Vec<Expr>> = values.collect();
        match (&values, operator) {
            // The word becomes one of these, or stays.
            (Some(values), AtomicOperator::Min | AtomicOperator::Max) => values
                .iter()
                .for_each(|value| self.drop_passed_ends(target.variable, Some(value), place)),
            (_, _) => self.drop_passed_ends(target.variable, None, place),
        }
        ranges::of_update(self, target, operator, values, place);
        self.forms.forget(target.variable);
    }

    /// Judges whether a value is whole that goes to a word of whole numbers.
    fn whole_unless_float(&mut self, value: &'p Number, target: &Word, place: &Place) {
        if !self.forms.is_float(target.variable) {
            self.whole(value, place);
        }
    }

    /// Walks through a `for` of the cores.
    fn counted_loop(&mut self, head: &ForHead<'p>, body: &'p [Stmt], place: &Place) {
        for bound in [head.from, head.to] {
            self.reads_whole(bound, place);
        }
        let (low, high) = if head.down {
            (head.to, head.from)
        } else {
            (head.from, head.to)
        };
        let mut inner = place.clone();
        let ends = [low, high].map(|end| self.forms.number(end, &mut inner));
        let symbol = self.forms.bind_symbol(head.variable);
        let id = self.new_scope();
        // A loop is walked once, with its variable as a symbol between its ends. What earlier iterations wrote counts
        // as written (`Turn`), if it is known which these are.
        // Which iterations a core that may leave early is in, is not known.
        let last = body.last().map(|last| &last.kind);
        let leaves = matches!(last, Some(StmtKind::Until { .. }));
        if leaves {
            inner.doubts.push(id);
        }
        let turn = if let [Some(low), Some(high)] = ends {
            let first = if head.down { &high } else { &low };
            let is_common = !leaves && is_common(first, &inner);
            inner.range(&symbol, &low, &high, id);
            inner.enter(id, ScopeKind::Loop { is_common });
            let index = inner.indices.last().filter(|_| !leaves);
            index.map(|index| Turn {
                index: index.clone(),
                down: head.down,
                is_common,
            })
        } else {
            inner.facts.integer(&symbol);
            inner.words.push(symbol);
            inner.doubts.push(id);
            inner.enter(id, ScopeKind::Loop { is_common: false });
            None
        };
        let common = turn.as_ref().filter(|turn| turn.is_common);
        let counters = common.map(|turn| Counter::in_loop(body, turn, &mut self.forms, place));
        let counters = counters.unwrap_or_default();
        self.forms.forget_written(body);
        for counter in &counters {
            counter.hold_inside(&mut self.forms, &mut inner);
        }
        self.iterations(body, &inner, turn.as_ref());
        for counter in &counters {
            counter.hold_after(&mut self.forms, place);
        }
    }

    /// Walks through a `while` of the cores.
    fn while_loop(&mut self, condition: &'p Condition, body: &'p [Stmt], place: &Place) {
        // At the head of any iteration but the first, words that the body writes have values that nothing here tells.
        // They are forgotten before the condition is read: `while _i[j] < n` says of each iteration what it says of one.
        self.forms.forget_written(body);
        let mut inner = place.clone();
        self.reads(condition, &inner);
        self.forms.assume(condition, &mut inner);
        let id = self.new_scope();
        inner.doubts.push(id);
        inner.enter(id, ScopeKind::Loop { is_common: false });
        self.iterations(body, &inner, None);
    }
}

/// True of a whole or exact number, which has a form over symbols.
fn is_of_numbers(value: &Number) -> bool {
    matches!(value.ty, Type::Number | Type::Int)
}

/// True if a value is the same for all cores: no core and no word is in it.
fn is_common(value: &Expr, place: &Place) -> bool {
    let cores = place.scopes.iter().filter(|scope| {
        matches!(
            scope.kind,
            ScopeKind::Cores | ScopeKind::Loop { is_common: false }
        )
    });
    let ids: Vec<u32> = cores.map(|scope| scope.id).collect();
    let mut own = place
        .indices
        .iter()
        .filter(|index| ids.contains(&index.scope));
    !own.any(|index| value.contains(&index.symbol))
        && !place.words.iter().any(|word| value.contains(word))
}
