//! What is known of data without seeing them: declared ranges, and what follows from where words
//! come from. It bounds loops and indices that data decide.
//!
//! [`ranges`] says between what an expression lies, [`quantified`] what `require`s say of every word,
//! [`provenance`] which words come from sorted arrays; from those [`rows`] and [`gather`] make bounds
//! over all MPs together ([`amortized`]).
//!
//! Counts nothing, and asks nothing of the kernel: a place is given as its active cores
//! ([`Active`]) and what stands around it.

pub(crate) mod amortized;
pub(crate) mod gather;
pub(crate) mod provenance;
pub(crate) mod quantified;
pub(crate) mod range;
pub(crate) mod ranges;
pub(crate) mod rows;

use std::collections::HashMap;

use crate::program::{Condition, Number, ParamId, Program, Word};
use crate::sym::{Cond, Expr};
use crate::symbolic::active::Active;
use crate::symbolic::data::provenance::Copies;
use crate::symbolic::data::range::Range;
use crate::symbolic::symbols::{Symbols, Untranslatable};

/// A program, and what is known of its values at the place walked.
pub(crate) struct Known<'w, 'p> {
    /// The program.
    pub(crate) program: &'p Program,
    /// What parameters stand for.
    pub(crate) symbols: &'w mut Symbols<'p>,
    /// Between what parameters lie that hold data.
    pub(crate) ranges: HashMap<ParamId, Range>,
    /// What shared words hold of sorted arrays.
    pub(crate) copies: Copies,
}

impl<'w, 'p> Known<'w, 'p> {
    /// No data seen yet.
    pub(crate) fn new(program: &'p Program, symbols: &'w mut Symbols<'p>) -> Self {
        Known {
            program,
            symbols,
            ranges: HashMap::new(),
            copies: Copies::default(),
        }
    }

    /// The offset in words of one word, row-major.
    pub(crate) fn offset(&self, word: &Word, active: &Active) -> Result<Expr, Untranslatable> {
        let dimensions = &self.program.variable(word.variable).dimensions;
        let mut offset = Expr::zero();
        for (index, extent) in word.indices.iter().zip(dimensions) {
            offset = &offset * self.expr(extent, active)? + self.expr(index, active)?;
        }
        Ok(offset)
    }

    /// An expression in the number that the active cores have.
    pub(crate) fn expr(&self, expr: &Number, active: &Active) -> Result<Expr, Untranslatable> {
        Ok(active.view(&self.symbols.expr(expr)?))
    }

    /// A condition in the number that the active cores have.
    pub(crate) fn condition(
        &self,
        cond: &Condition,
        active: &Active,
    ) -> Result<Cond, Untranslatable> {
        Ok(active.view_cond(&self.symbols.condition(cond)?))
    }

    /// The range of the offset of a word, whatever the data: it lies in its array.
    pub(crate) fn offsets(&self, word: &Word, active: &Active) -> Option<(Expr, Expr)> {
        let dimensions = &self.program.variable(word.variable).dimensions;
        let (mut low, mut high) = (Expr::zero(), Expr::zero());
        for (index, extent) in word.indices.iter().zip(dimensions) {
            let extent = self.expr(extent, active).ok()?;
            let within = self.range(index, active);
            let last = &extent - 1;
            let first = within.lower.unwrap_or_default();
            low = &low * &extent + &first;
            high = &high * &extent + within.upper.unwrap_or(last);
        }
        Some((active.facts.simplify(&low), active.facts.simplify(&high)))
    }
}
