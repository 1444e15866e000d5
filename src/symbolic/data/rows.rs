//! Loops between neighbours of a sorted array, `for w = P[v] → P[v+1] - 1`: the rows of a sparse
//! matrix. One row may have all there is, but as P ascends, rows that do not overlap have together no
//! more than lies between the least and the largest word of P. So what a core does in them is bounded
//! over all cores and MPs at once.

use crate::program::{Number, VarId};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::active::Active;
use crate::symbolic::amount::Amount;
use crate::symbolic::around::{Around, Dimension, at_least_zero};
use crate::symbolic::data::Known;
use crate::symbolic::data::amortized::Joint;
use crate::symbolic::data::provenance::sorted_source;

/// The rows of a loop.
pub(crate) struct Rows {
    /// The sorted input.
    pub(crate) input: VarId,
    /// No row has fewer iterations.
    pub(crate) least: Expr,
    /// No row has more.
    pub(crate) most: Expr,
    /// The smaller and the larger end of the loop, in words of sorted arrays.
    pub(crate) ends: (Expr, Expr),
    /// Iterations of all rows on all MPs together, but for `extra` in each.
    all: Expr,
    extra: Expr,
    /// Whether each core has a row of its own, or all cores of an MP share one.
    is_by_core: bool,
    is_once: bool,
    absorbed: Vec<Symbol>,
}

/// How the words are spread over which rows begin.
pub(crate) struct Spacing {
    /// The turns that all differ in where their rows begin, the closest first.
    pub(crate) apart: Vec<Symbol>,
    /// No two of those begin closer.
    gap: Expr,
}

/// What a line adds where it is counted.
pub(crate) struct RowLine<'a> {
    /// How often an MP executes it.
    pub(crate) executions: &'a Amount,
    /// Blocks.
    pub(crate) blocks: &'a Amount,
    /// Σ (degree − 1).
    pub(crate) conflicts: &'a Amount,
    /// How many of its shared operands may conflict.
    pub(crate) operands: u64,
}

/// The rows of a loop from `low` to `high`, if it has any.
pub(crate) fn rows(
    known: &Known<'_, '_>,
    around: &Around,
    (low, high): (&Number, &Number),
    active: &Active,
) -> Option<Rows> {
    let facts = &active.facts;
    let one = Expr::one();
    let low = known.value_of(low, active)?;
    let high = known.value_of(high, active)?;
    let length = facts.simplify(&(&high - &low + &one));
    let words = known.copies.words.iter();
    let words: Vec<_> = words.filter(|word| length.contains(&word.symbol)).collect();
    let [x, y] = words[..] else {
        return None;
    };
    let parts = Parts::of(&length, &x.symbol, &y.symbol, facts)
        .map(|parts| (parts, x, y))
        .or_else(|| Some((Parts::of(&length, &y.symbol, &x.symbol, facts)?, y, x)));
    let (parts, earlier, later) = parts?;
    let width = facts.simplify(&(&later.offset - &earlier.offset));
    let constants = [&width, &parts.scale, &parts.most, &parts.least];
    if earlier.array != later.array
        || facts.prove(&Cond::ge(&width, &one)) != Some(true)
        || !constants.into_iter().all(|part| around.is_common(part))
    {
        return None;
    }
    let input = sorted_source(known.program, earlier.array)?;
    let range = known.words(earlier.array, facts);
    let words = at_least_zero(&around.facts, &(range.upper? - range.lower?));
    let spacing = spacing(around, &earlier.offset, facts, None)?;
    // No step of P is in more rows than this.
    let overlap = match facts.prove(&Cond::le(&width, &spacing.gap)) {
        Some(true) => one.clone(),
        _ => width.div(&spacing.gap)?.ceil(),
    };
    let steps = |words: &Expr| {
        let steps = &parts.scale * words;
        if around.facts.is_integer(&steps) {
            steps
        } else {
            steps.floor()
        }
    };
    let mut all = steps(&(&words * &overlap));
    let mut is_once = overlap.is_one();
    for mp in &around.mps {
        if !spacing.apart.contains(&mp.symbol) {
            all = &all * around.common_length(&mp.low, &mp.high)?;
            is_once = false;
        }
    }
    let core = &around.cores.as_ref()?.symbol;
    Some(Rows {
        input,
        ends: (low, high),
        least: at_least_zero(facts, &parts.least),
        most: at_least_zero(facts, &(steps(&words) + &parts.most)),
        all: at_least_zero(&around.facts, &around.facts.simplify(&all)),
        extra: at_least_zero(facts, &facts.simplify(&parts.most)),
        is_by_core: spacing.apart.contains(core),
        is_once,
        absorbed: spacing.apart,
    })
}

/// Which of the loops, MPs and cores around differ in an offset, and by how much at least;
/// where asked, with these closest of all.
pub(crate) fn spacing(
    around: &Around,
    offset: &Expr,
    facts: &Facts,
    closest: Option<&Symbol>,
) -> Option<Spacing> {
    let mut rest = offset.clone();
    let mut strides: Vec<(&Dimension, Expr)> = Vec::new();
    for turns in around.all() {
        if !rest.contains(&turns.symbol) {
            continue;
        }
        let [others, stride] = rest.linear_in(&turns.symbol)?;
        let zero = Expr::zero();
        let stride = match facts.prove(&Cond::ge(&stride, &zero)) {
            Some(true) => stride,
            _ if facts.prove(&Cond::le(&stride, &zero)) == Some(true) => stride.neg(),
            _ => return None,
        };
        if !around.is_common(&stride) {
            return None;
        }
        strides.push((turns, stride));
        rest = others;
    }
    if !around.is_common(&rest) {
        return None;
    }
    // Like the digits of a number: each weighs at least as much as all smaller ones reach.
    let ranked = |first: usize| {
        let (turns, gap) = &strides[first];
        if facts.prove(&Cond::ge(gap, &Expr::one())) != Some(true)
            || closest.is_some_and(|closest| turns.symbol != *closest)
        {
            return None;
        }
        let mut spacing = Spacing {
            apart: Vec::new(),
            gap: gap.clone(),
        };
        let mut reach = Expr::zero();
        let mut next = Some((*turns, gap));
        while let Some((turns, stride)) = next {
            let length = &turns.high - &turns.low;
            if !around.is_common(&length) {
                return None;
            }
            reach = facts.simplify(&(&reach + (stride * &length)));
            spacing.apart.push(turns.symbol.clone());
            let needed = &reach + gap;
            let fitting = strides.iter().filter(|(turns, stride)| {
                !spacing.apart.contains(&turns.symbol)
                    && around.is_common(&(&turns.high - &turns.low))
                    && facts.prove(&Cond::ge(stride, &needed)) == Some(true)
            });
            // The smallest of them leaves most room.
            next =
                fitting.map(|(turns, stride)| (*turns, stride)).reduce(
                    |smallest, next| match facts.prove(&Cond::le(next.1, smallest.1)) {
                        Some(true) => next,
                        _ => smallest,
                    },
                );
        }
        Some(spacing)
    };
    let core = &around.cores.as_ref()?.symbol;
    let moves = strides.iter().any(|(turns, _)| turns.symbol == *core);
    let found = (0..strides.len()).filter_map(ranked);
    // Cores with rows in common would each go through them.
    let found = found.filter(|spacing| !moves || spacing.apart.contains(core));
    found.max_by_key(|spacing| spacing.apart.len())
}

impl Rows {
    /// The bound on a line in the body of a loop over rows, whose iterations are the last loop around.
    pub(crate) fn joint(
        &self,
        around: &Around,
        line: &RowLine<'_>,
        inner: &Active,
        outer: &Facts,
    ) -> Option<Joint> {
        if line.blocks.is_zero() && line.conflicts.is_zero() {
            return None;
        }
        let turn = around.loops.last()?;
        let zero = Expr::zero();
        let peak = |value: &Option<Expr>| around.peak(value.as_ref()?, &inner.facts);
        let executions = peak(&line.executions.upper);
        let of_all = |amount: &Amount, each: &Expr| {
            if amount.is_zero() {
                return Some(zero.clone());
            }
            let by_core = executions.as_ref().map(|executions| executions * each);
            let by_warp = peak(&amount.upper);
            let most = match (by_core, by_warp, self.is_by_core) {
                (Some(by_core), Some(by_warp), true) => {
                    match around.facts.prove(&Cond::le(&by_warp, &by_core)) {
                        Some(true) => by_warp,
                        _ => by_core,
                    }
                }
                (Some(by_core), None, true) => by_core,
                (_, Some(by_warp), _) => by_warp,
                (Some(by_core), None, false) => &by_core * &inner.width,
                (None, None, _) => return None,
            };
            let all = &self.all * at_least_zero(&around.facts, &most);
            Some(if around.facts.is_integer(&all) {
                all
            } else {
                all.floor()
            })
        };
        // Of a cores, each takes a block at most, and in each operand's bank a - 1 ≤ a(b - 1)/b wait.
        let width = &inner.width;
        let waiting = (width - 1).div(width)?;
        let waiting = &waiting * Expr::from_bigint(line.operands.into());
        let apart = |amount: &Amount| Amount {
            lower: zero.clone(),
            upper: amount
                .upper
                .as_ref()
                .map(|each| outer.sum(&turn.symbol, &Expr::one(), &self.extra, each)),
        };
        Some(Joint {
            blocks: of_all(line.blocks, &Expr::one())?,
            conflicts: of_all(line.conflicts, &waiting)?,
            blocks_apart: apart(line.blocks),
            conflicts_apart: apart(line.conflicts),
            blocks_alone: None,
            is_once: self.is_once,
            input: self.input,
            absorbed: self.absorbed.clone(),
        })
    }
}

/// The length of a row as `scale·(later − earlier)`, whole, and what comes to it.
struct Parts {
    scale: Expr,
    least: Expr,
    most: Expr,
}

impl Parts {
    fn of(length: &Expr, earlier: &Symbol, later: &Symbol, facts: &Facts) -> Option<Parts> {
        if let Some((scale, rest)) = difference(length, earlier, later, facts) {
            let rest = rest.ceil();
            return Some(Parts {
                scale,
                least: rest.clone(),
                most: rest,
            });
        }
        let (rest, factor, inner) = length.around_floor(later)?;
        if rest.contains(earlier) || factor.contains(earlier) {
            return None;
        }
        if factor.is_one() {
            // ⌊s·d + c⌋ ≤ ⌊s·d⌋ + ⌈c⌉
            let (scale, inside) = difference(&inner, earlier, later, facts)?;
            return Some(Parts {
                scale,
                least: &rest + inside.floor(),
                most: &rest + inside.ceil(),
            });
        }
        if factor.neg().is_one() {
            // ⌈s·d + c⌉ ≤ ⌊s·d⌋ + 1 + ⌈c⌉
            let (scale, inside) = difference(&inner.neg(), earlier, later, facts)?;
            let beyond = if facts.is_integer(&scale) {
                Expr::zero()
            } else {
                Expr::one()
            };
            let least = &rest + inside.ceil();
            return Some(Parts {
                scale,
                most: &least + &beyond,
                least,
            });
        }
        None
    }
}

/// A value as `scale·(later − earlier) + rest` with a positive scale.
fn difference(
    value: &Expr,
    earlier: &Symbol,
    later: &Symbol,
    facts: &Facts,
) -> Option<(Expr, Expr)> {
    let [rest, scale] = value.linear_in(later)?;
    let [rest, other] = rest.linear_in(earlier)?;
    let is_known = [&scale, &other, &rest]
        .iter()
        .all(|part| !part.contains(earlier) && !part.contains(later));
    let is_difference = is_known
        && facts.simplify(&(&scale + &other)).is_zero()
        && facts.prove(&Cond::gt(&scale, &Expr::zero())) == Some(true);
    is_difference.then_some((scale, rest))
}
