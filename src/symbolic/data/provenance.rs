//! Which shared words and `let`s hold words of a sorted array, and what is computed from them: what
//! has been loaded, as long as nothing else is written there.
//!
//! A word of a sorted array is a symbol of its own. What is known holds for the cores that are active
//! where it was learnt, so it ends with the block around it, and before a loop that writes it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::program::sources::sources_in;
use crate::program::{
    Arithmetic, Direction, HostStmt, Number, NumberKind, ParamId, Program, Region, Stmt, StmtKind,
    Transfer, Type, Unary, VarId, Word, Written, nested,
};
use crate::sym::{Expr, Symbol, SymbolKind};
use crate::symbolic::active::Active;
use crate::symbolic::data::Known;
use crate::symbolic::symbols;
use crate::syntax::ast::{Property, WordType};

/// A word of a sorted array in global memory.
#[derive(Debug, Clone)]
pub(crate) struct SortedWord {
    /// Stands for its value.
    pub(crate) symbol: Symbol,
    /// The array.
    pub(crate) array: VarId,
    /// Its offset there, in the cores' own index and the loops around it.
    pub(crate) offset: Expr,
}

/// A shared word that is known to hold a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    variable: VarId,
    offset: Expr,
    value: Expr,
}

/// What is known of shared words and `let`s at one place of a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Copies {
    /// Every word that was loaded so far.
    pub(crate) words: Vec<SortedWord>,
    held: Vec<Held>,
    lets: HashMap<ParamId, Expr>,
}

impl Copies {
    /// What is held before a block.
    pub(crate) fn before_block(&self) -> Vec<Held> {
        self.held.clone()
    }

    /// Behind a block, only what held before it and still does.
    pub(crate) fn after_block(&mut self, mut before: Vec<Held>) {
        before.retain(|held| self.held.contains(held));
        self.held = before;
    }

    /// Nothing is known of what a body writes.
    pub(crate) fn forget_written(&mut self, body: &[Stmt]) {
        for (target, _) in nested(body).filter_map(|it| it.kind.parts().write) {
            self.forget(target.variable);
        }
    }

    /// The value of a loop variable, if it has such a form.
    pub(crate) fn count(&mut self, variable: ParamId, value: Option<Expr>) {
        match value {
            Some(value) => self.lets.insert(variable, value),
            None => self.lets.remove(&variable),
        };
    }

    fn forget(&mut self, variable: VarId) {
        self.held.retain(|held| held.variable != variable);
    }
}

impl Known<'_, '_> {
    /// Learns from a statement that has no body.
    pub(crate) fn follow(&mut self, statement: &Stmt, active: &Active) {
        if let StmtKind::Let(binding) = &statement.kind {
            let form = self.value_of(&binding.value, active);
            let form = form.filter(|_| binding.value.ty == Type::Int);
            return self.copies.count(binding.parameter, form);
        }
        let Some((target, written)) = statement.kind.parts().write else {
            return;
        };
        let value = match written {
            Written::Word(source) => self.sorted_word(source, active),
            Written::Value(value) => self.value_of(value, active),
            Written::Update(..) => None,
        };
        self.copies.forget(target.variable);
        if let (Some(value), Some(offset)) = (value, self.own_offset(target, active)) {
            self.copies.held.push(Held {
                variable: target.variable,
                offset,
                value,
            });
        }
    }

    /// A word of an array that is known to be sorted, as a symbol.
    fn sorted_word(&mut self, word: &Word, active: &Active) -> Option<Expr> {
        let array = word.variable;
        sorted_source(self.program, array)?;
        let offset = self.own_offset(word, active)?;
        let mut words = self.copies.words.iter();
        let known = words.find(|known| known.array == array && known.offset == offset);
        let symbol = match known {
            Some(known) => known.symbol.clone(),
            None => {
                let symbol = self.symbols.fresh("word");
                self.copies.words.push(SortedWord {
                    symbol: symbol.clone(),
                    array,
                    offset,
                });
                symbol
            }
        };
        Some(Expr::symbol(&symbol))
    }

    /// The offset of a word in the cores' own index, however they are numbered now.
    fn own_offset(&self, word: &Word, active: &Active) -> Option<Expr> {
        let dimensions = &self.program.variable(word.variable).dimensions;
        let mut offset = Expr::zero();
        for (index, extent) in word.indices.iter().zip(dimensions) {
            let (index, extent) = (self.symbols.expr(index).ok()?, self.symbols.expr(extent));
            offset = &offset * extent.ok()? + &index;
        }
        Some(active.facts.simplify(&active.own(&offset)?))
    }

    /// The offset of a word in which words of sorted arrays are symbols.
    pub(crate) fn offset_of(&self, word: &Word, active: &Active) -> Option<Expr> {
        self.offset_with(word, active, &|_, _| None)
    }

    /// The same in the number that the active cores have, where all of them mean the same words: how
    /// it moves with the core is known then, but not where it begins. A shared word at a place of its own
    /// is the same for all cores that read it in an instruction.
    pub(crate) fn offset_from_one_word(&self, word: &Word, active: &Active) -> Option<Expr> {
        let core = active.own_core();
        let met: RefCell<Vec<(VarId, Expr)>> = RefCell::default();
        let one_word = |variable: VarId, offset: &Expr| {
            if offset.contains(core) {
                return None;
            }
            let mut met = met.borrow_mut();
            let read = (variable, offset.clone());
            let at = met.iter().position(|known| *known == read);
            let at = at.unwrap_or_else(|| {
                met.push(read);
                met.len() - 1
            });
            Some(Expr::symbol(&unknown_word(at as u32)))
        };
        let offset = self.offset_with(word, active, &one_word)?;
        let mut words = self.copies.words.iter();
        let differs = words.any(|read| read.offset.contains(core) && offset.contains(&read.symbol));
        (!differs).then(|| active.view(&offset))
    }

    /// The part of a word's offset that decides its bank, where unknown words only move it by multiples of b: j for
    /// `_h[_d[j]·b + j]`, whatever `_d[j]` is.
    pub(crate) fn offset_within_banks(&self, word: &Word, active: &Active) -> Option<Expr> {
        let met = Cell::new(0);
        let any_word = |_: VarId, _: &Expr| {
            let number = met.get();
            met.set(number + 1);
            Some(Expr::symbol(&unknown_word(number)))
        };
        let offset = self.offset_with(word, active, &any_word)?;
        let mut facts = active.facts.clone();
        for number in 0..met.get() {
            facts.integer(&unknown_word(number));
        }
        let mut within = Expr::zero();
        for term in offset.terms().iter().cloned() {
            let term = Expr::from_terms(vec![term]);
            if !has_unknown_word(&term) {
                within = &within + &term;
            } else if !facts.is_integer(&term.div(&active.width)?) {
                return None;
            }
        }
        (met.get() > 0).then(|| active.view(&within))
    }

    fn offset_with(&self, word: &Word, active: &Active, unheld: Unheld<'_>) -> Option<Expr> {
        let dimensions = &self.program.variable(word.variable).dimensions;
        let mut offset = Expr::zero();
        for (index, extent) in word.indices.iter().zip(dimensions) {
            let extent = self.symbols.expr(extent).ok()?;
            let index = self.value_with(index, active, unheld)?;
            offset = &offset * &extent + &index;
        }
        Some(active.facts.simplify(&offset))
    }

    /// A value in which words of sorted arrays are symbols.
    pub(crate) fn value_of(&self, value: &Number, active: &Active) -> Option<Expr> {
        self.value_with(value, active, &|_, _| None)
    }

    fn value_with(&self, value: &Number, active: &Active, unheld: Unheld<'_>) -> Option<Expr> {
        if let Ok(known) = self.symbols.expr(value) {
            return active.own(&known);
        }
        let of = |operand: &Number| self.value_with(operand, active, unheld);
        match &value.kind {
            NumberKind::Word(word) => {
                let offset = self.own_offset(word, active)?;
                let same = |held: &&Held| held.variable == word.variable && held.offset == offset;
                match self.copies.held.iter().find(same) {
                    Some(held) => Some(held.value.clone()),
                    None => unheld(word.variable, &offset),
                }
            }
            NumberKind::Parameter(id) => self.copies.lets.get(id).cloned(),
            NumberKind::Unary {
                operation: operation @ (Unary::Negate | Unary::Ceil | Unary::Floor),
                operand,
            } => symbols::unary(*operation, &of(operand)?),
            NumberKind::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (of(left)?, of(right)?);
                match operator {
                    Arithmetic::Add => Some(&left + &right),
                    Arithmetic::Subtract => Some(&left - &right),
                    Arithmetic::Multiply => Some(&left * &right),
                    Arithmetic::Divide => left.div(&right),
                    Arithmetic::FloorDivide => left.floor_div(&right),
                    Arithmetic::Modulo | Arithmetic::Power => None,
                }
            }
            _ => None,
        }
    }
}

/// What stands for a shared word, at this offset in the cores' own index, of which nothing is held.
type Unheld<'a> = &'a dyn Fn(VarId, &Expr) -> Option<Expr>;

/// Where the numbers of symbols begin that stand for a word of which nothing is known.
const UNKNOWN_WORDS: u32 = u32::MAX / 2;

fn unknown_word(number: u32) -> Symbol {
    Symbol::of(SymbolKind::Local, UNKNOWN_WORDS + number, "word")
}

/// Whether a value speaks of a word of which nothing is known.
pub(crate) fn has_unknown_word(value: &Expr) -> bool {
    let mut symbols = value.symbols().into_iter();
    symbols.any(|symbol| symbol.id.kind == SymbolKind::Local && symbol.id.number >= UNKNOWN_WORDS)
}

/// The input whose words a global array holds in ascending order whenever they can be read: it is
/// filled from sorted inputs that nothing writes, as a whole each time, or with one stretch once.
pub(crate) fn sorted_source(program: &Program, array: VarId) -> Option<VarId> {
    let is_swapped = !program.swapped_with(array).is_empty();
    if is_swapped || program.variable(array).word_type != WordType::Int {
        return None;
    }
    let mut fillings = Vec::new();
    fillings_in(&program.body, array, false, &mut fillings);
    if sources_in(&program.body, &[array]).len() != fillings.len() {
        // A kernel writes it too.
        return None;
    }
    let is_alone = fillings.len() == 1;
    let keeps_order = |(transfer, repeats): &(&Transfer, bool)| {
        let host = program.variable(transfer.host.variable);
        let changed = sources_in(&program.body, &[transfer.host.variable]);
        let is_filled = transfer.global.is_whole();
        let is_stretch = |region: &Region| region.extents.len() <= 1 || region.is_whole();
        host.property == Some(Property::Sorted)
            && changed.is_empty()
            && is_stretch(&transfer.host)
            && (is_filled || is_alone && !repeats && is_stretch(&transfer.global))
    };
    let (first, _) = fillings.first()?;
    fillings
        .iter()
        .all(keeps_order)
        .then_some(first.host.variable)
}

/// The inward transfers to a variable, and whether they repeat.
fn fillings_in<'p>(
    body: &'p [HostStmt],
    array: VarId,
    repeats: bool,
    fillings: &mut Vec<(&'p Transfer, bool)>,
) {
    for statement in body {
        if let HostStmt::Transfer(transfer) = statement
            && transfer.direction == Direction::Inward
            && transfer.global.variable == array
        {
            fillings.push((transfer, repeats));
        }
        let repeats = repeats || matches!(statement, HostStmt::For(_) | HostStmt::While(_));
        fillings_in(statement.body(), array, repeats, fillings);
    }
}
