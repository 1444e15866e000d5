//! Accesses by an index from a sorted array, `x[_s[j]]` where `_s[j]` was loaded from `s[ib + j]`: the
//! index ascends with the core and from MP to MP, so an MP begins in the block where the one before
//! ended or behind it. All MPs together touch a block each, and as many as lie between the least and
//! the largest word.

use crate::program::{VarId, Word};
use crate::sym::{Cond, Expr};
use crate::symbolic::active::Active;
use crate::symbolic::amount::Amount;
use crate::symbolic::around::{Around, at_least_zero};
use crate::symbolic::data::Known;
use crate::symbolic::data::amortized::Joint;
use crate::symbolic::data::provenance::sorted_source;
use crate::symbolic::data::rows::spacing;

/// Blocks that all MPs touch together.
pub(crate) struct Gather {
    /// The sorted input.
    pub(crate) input: VarId,
    /// The bound but for conflicts.
    joint: Joint,
}

impl Gather {
    /// The bound for an access with these conflicts on each MP.
    pub(crate) fn joint(self, conflicts: &Amount) -> Joint {
        Joint {
            conflicts_apart: conflicts.clone(),
            ..self.joint
        }
    }
}

/// A global word whose index ascends with the core.
pub(crate) fn gather(
    known: &Known<'_, '_>,
    around: &Around,
    word: &Word,
    active: &Active,
) -> Option<Gather> {
    if known.copies.words.is_empty() {
        return None;
    }
    let facts = &active.facts;
    let offset = known.offset_of(word, active)?;
    let mut words = known.copies.words.iter();
    let read = words.find(|read| offset.contains(&read.symbol))?;
    let [rest, scale] = offset.linear_in(&read.symbol)?;
    let core = &around.cores.as_ref()?.symbol;
    let spacing = spacing(around, &read.offset, facts, Some(core))?;
    let rest = facts.simplify(&rest);
    // In any one turn of the other loops it is the same everywhere.
    let is_fixed = rest.symbols().iter().all(|symbol| {
        !spacing.apart.contains(symbol)
            && (around.all().any(|turns| turns.symbol == *symbol)
                || around.is_common(&Expr::symbol(symbol)))
    });
    if !is_fixed
        || !around.is_common(&scale)
        || facts.prove(&Cond::ge(&scale, &Expr::one())) != Some(true)
    {
        return None;
    }
    let block = |offset: Expr| offset.floor_div(&active.width);
    let range = known.words(read.array, facts);
    let ends = range.lower.as_ref().zip(range.upper.as_ref());
    let between = match ends {
        Some((low, high)) if around.is_common(&rest) => {
            let at = |end: &Expr| block(&scale * end + &rest);
            at(high)? - at(low)?
        }
        // Wherever in a block the first word lies.
        Some((low, high)) => (&scale * (high - low)).div(&active.width)?.ceil(),
        None => {
            let (low, high) = known.offsets(word, active)?;
            block(high)? - block(low)?
        }
    };
    let mut blocks = at_least_zero(&around.facts, &around.facts.simplify(&between));
    for mp in &around.mps {
        if !spacing.apart.contains(&mp.symbol) {
            blocks = &blocks * around.common_length(&mp.low, &mp.high)?;
        }
    }
    if !around.is_common(&blocks) {
        return None;
    }
    let input = sorted_source(known.program, read.array)?;
    let one = Amount {
        lower: Expr::zero(),
        upper: Some(Expr::one()),
    };
    Some(Gather {
        input,
        joint: Joint {
            blocks,
            conflicts: Expr::zero(),
            blocks_apart: one,
            conflicts_apart: Amount::zero(),
            blocks_alone: Some(Amount {
                lower: Expr::zero(),
                upper: Some(active.span()),
            }),
            is_once: false,
            input,
            absorbed: spacing.apart,
        },
    })
}
