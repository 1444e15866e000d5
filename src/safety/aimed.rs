//! Points that are aimed at: takes a condition under which an open place fails, and finds the least formals and b at
//! which it holds together with all that is known around the place.
//!
//! An index that leaves its array only from n = 1000 on, because a guard says so, fails at no small point. The numbers of
//! loops, MPs and cores are sought with the formals, and words of data too. Whether the place fails there, a run tells.

use crate::count::Parameters;
use crate::derivation::letters::symbol_of;
use crate::program::Program;
use crate::safety::site::Place;
use crate::sym::solve::{Unknown, solve};
use crate::sym::{Cond, Expr, Symbol};
use crate::symbolic::header;

/// The most points that are aimed at.
pub(crate) const MOST_AIMS: usize = 8;

/// How often conditions are looked at for one point.
const LOOKS: u32 = 2_000;

/// Returns the point, if one is found.
pub(crate) fn point(program: &Program, fails: &Cond, place: &Place) -> Option<Parameters> {
    let (required, _) = header::asked(program, &Parameters::new());
    let width = Expr::symbol(&symbol_of(program, program.machine.b));
    let mut conditions = vec![fails.clone(), Cond::ge(&width, &Expr::one())];
    let known = place.guards.iter().chain(&place.truths).chain(&required);
    conditions.extend(known.cloned());
    let machine = program.machine;
    let named = program.formals.iter().copied().chain([machine.b]);
    let named: Vec<(&str, Symbol)> = named
        .map(|id| (program.parameter(id).name.as_str(), symbol_of(program, id)))
        .collect();
    let mut symbols: Vec<Symbol> = named.iter().map(|(_, symbol)| symbol.clone()).collect();
    for symbol in conditions.iter().flat_map(Cond::symbols) {
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    // With b and the numbers of cores, loops and MPs chosen first, what a guard asks of `ib + j` is found at once; with
    // the sizes first, what an index like `n - 1 - j` needs.
    let sizes_first = symbols.clone();
    symbols.reverse();
    symbols.sort_by_key(|symbol| {
        let width = &named[named.len() - 1].1;
        (
            symbol != width,
            named.iter().any(|(_, size)| size == symbol),
        )
    });
    [symbols, sizes_first].into_iter().find_map(|order| {
        let numbers = first(&conditions, &order)?;
        let mut values = Parameters::new();
        for (name, symbol) in &named {
            let at = order.iter().position(|other| other == symbol)?;
            values.set(name, numbers[at]);
        }
        Some(values)
    })
}

/// The first numbers found for some symbols at which conditions hold.
fn first(conditions: &[Cond], symbols: &[Symbol]) -> Option<Vec<i64>> {
    let unknowns = symbols.iter().map(|symbol| Unknown {
        symbol: symbol.clone(),
        least: 0,
        usual: None,
    });
    let unknowns: Vec<Unknown> = unknowns.collect();
    let mut found = None;
    let mut looks = LOOKS;
    solve(conditions, &unknowns, &mut looks, &mut |numbers| {
        found = Some(numbers.to_vec());
        true
    });
    found
}
