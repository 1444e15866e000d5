//! A host loop around nothing but another one: where the inner loop is empty, an iteration makes no round.

use crate::sym::{Cond, Expr, Facts};
use crate::symbolic::entry::{HostLoop, Item};

/// Cuts the range of a loop to the iterations in which the only loop in it runs, where these are all from some value on
/// or all up to one. `facts` hold outside the loop, `inside` in it.
pub(crate) fn cut_to_rounds(repeated: &mut HostLoop, items: &[Item], [facts, inside]: [&Facts; 2]) {
    // `for r = 0 → L` around `for s = 1 → r` makes L(L + 1)/2 rounds, none of them at r = 0. From r = 1 on there is a
    // round in each iteration, so a transfer before the loops is part of the first one.
    let [Item::Loop(nested, _)] = items else {
        return;
    };
    let is_of_data = repeated.by_data.is_some() || nested.by_data.is_some();
    if is_of_data || nested.does_run(inside) == Some(true) {
        return;
    }
    let Cond::NonNegative(room) = &nested.runs else {
        return;
    };
    let Some([offset, slope]) = room.linear_in(&repeated.symbol) else {
        return;
    };
    let Some(crossing) = offset.neg().div(&slope) else {
        return;
    };
    if facts.is_positive(&slope) {
        let low = Expr::max(vec![repeated.low.clone(), crossing.ceil()]);
        repeated.low = facts.simplify(&low);
    } else if facts.is_positive(&slope.neg()) {
        let high = Expr::min(vec![repeated.high.clone(), crossing.floor()]);
        repeated.high = facts.simplify(&high);
    }
    repeated.runs = Cond::ge(&repeated.high, &repeated.low);
}
