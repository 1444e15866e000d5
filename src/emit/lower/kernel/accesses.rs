//! The words that cores touch, as far as their indices tell: what barriers are proved away with.

use crate::emit::conflicts::{Access, Age, Index};
use crate::emit::lower::kernel::Lowering;
use crate::program::{Condition, Expr, Number, NumberKind, Word};
use crate::sym::{self, Cond};

/// The most cores whose indices are told apart one by one.
const MOST_TOLD_APART: usize = 1024;

impl Lowering<'_, '_> {
    /// The words that an expression reads.
    pub(super) fn reads(&self, expr: Expr<'_>) -> Vec<Access> {
        let mut reads = Vec::new();
        if let Expr::Number(Number {
            kind: NumberKind::Word(word),
            ..
        }) = expr
        {
            reads.extend(self.access(word, false));
        }
        for operand in expr.operands() {
            reads.extend(self.reads(operand));
        }
        reads
    }

    /// The words that the indices of a word read.
    pub(super) fn reads_of_word(&self, word: &Word) -> Vec<Access> {
        let indices = word.indices.iter();
        indices
            .flat_map(|index| self.reads(Expr::from(index)))
            .collect()
    }

    /// An access where cores might meet: nobody does at a word that each has of its own.
    pub(super) fn access(&self, word: &Word, is_write: bool) -> Option<Access> {
        if self.own.contains(&word.variable) {
            return None;
        }
        let indices = word.indices.iter().map(|index| self.index(index));
        Some(Access {
            line: self.numbers.program.line(word.span),
            age: Age::Now,
            array: word.variable,
            is_write,
            indices: indices.collect(),
            cores: self.active.clone(),
        })
    }

    /// An index as what all cores have in common and what each adds.
    fn index(&self, index: &Number) -> Option<Index> {
        let core = self.core.as_ref()?;
        let expr = self.symbols.expr(index).ok()?;
        let cores = self.active.len();
        if !expr.contains(core) {
            return Some(Index {
                common: expr,
                offsets: vec![0; cores],
                is_row: false,
            });
        }
        if let Some([common, slope]) = expr.linear_in(core)
            && let Some(slope) = slope.as_integer().and_then(|it| i64::try_from(&it).ok())
            && !common.contains(core)
            && slope.unsigned_abs() < 1 << 40
        {
            let offsets = (0..cores as i64).map(|core| core * slope).collect();
            return Some(Index {
                common,
                offsets,
                is_row: false,
            });
        }
        if cores > MOST_TOLD_APART {
            return None;
        }
        let at = |core_number: i64| expr.substitute(core, &sym::Expr::int(core_number));
        let common = at(0);
        let offsets = (0..cores as i64).map(|core| {
            let offset = (at(core) - &common).as_integer()?;
            i64::try_from(&offset).ok()
        });
        let offsets = offsets.collect::<Option<Vec<i64>>>()?;
        Some(Index {
            common,
            offsets,
            is_row: false,
        })
    }

    /// Leaves out the cores for which a condition never holds.
    pub(super) fn narrow(&mut self, condition: &Condition) {
        let (Some(core), Ok(cond)) = (self.core.as_ref(), self.symbols.condition(condition)) else {
            return;
        };
        if self.active.len() > MOST_TOLD_APART || !cond.contains(core) {
            return;
        }
        for (number, active) in self.active.iter_mut().enumerate() {
            let at = cond.substitute(core, &sym::Expr::int(number as i64));
            *active &= at != Cond::False;
        }
    }
}
