//! Accesses that come to each word at most once, over all cores, iterations and MPs: they touch no more blocks than the
//! array has words.

use crate::program::Word;
use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::active::Active;
use crate::symbolic::kernel::Walk;

/// A digit of an index: how much one more of it adds, and all of it.
#[derive(Clone)]
struct Digit {
    step: Expr,
    reach: Expr,
}

/// The words of a variable, where an offset is another word for each core, iteration and MP.
pub(super) fn words_once(
    walk: &Walk<'_, '_>,
    word: &Word,
    offset: &Expr,
    active: &Active,
) -> Option<Expr> {
    // The offset ib² + jb + v with cores j and iterations v from 0 to b − 1 is a number with the digits i, j and v:
    // one more of j is more than all of v, and one more of i more than all of both.
    let around = &walk.around;
    let own = active.own(offset)?;
    around.cores.as_ref()?;
    let digits = around.all().map(|turns| {
        let [rest, step] = own.linear_in(&turns.symbol)?;
        let is_even = !rest.contains(&turns.symbol) && around.is_common(&step);
        // The first value of a digit must not depend on a higher digit. Otherwise a lower number could have more of it.
        let is_even = is_even && around.is_common(&turns.low);
        let reach = &step * (&turns.high - &turns.low);
        is_even.then_some(Digit { step, reach })
    });
    let digits: Vec<Digit> = digits.collect::<Option<_>>()?;
    if !is_numbered(&active.facts, &digits, &Expr::zero()) {
        return None;
    }
    let known = &walk.known;
    let dimensions = &known.program.variable(word.variable).dimensions;
    dimensions.iter().try_fold(Expr::one(), |words, extent| {
        Some(&words * known.symbols.expr(extent).ok()?)
    })
}

/// True if each digit, in some order, adds more than all before it, which together reach up to a value.
fn is_numbered(facts: &Facts, digits: &[Digit], reached: &Expr) -> bool {
    const MOST_DIGITS: usize = 5;
    if digits.len() > MOST_DIGITS {
        return false;
    }
    let least = reached + 1;
    digits.is_empty()
        || (0..digits.len()).any(|at| {
            let digit = &digits[at];
            facts.proves(&Cond::ge(&digit.step, &least)) && {
                let mut others = digits.to_vec();
                others.remove(at);
                is_numbered(facts, &others, &(reached + &digit.reach))
            }
        })
}
