//! Kernels that do something else in every second round, or every third: counted once for each
//! residue of the host loop's variable, where that leaves less undecided than counting all rounds
//! alike. `2(ib + j) + r mod 2` moves by the parity of r.

use crate::derivation::BlockRule;
use crate::number::Rational;
use crate::program::Kernel;
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::Amount;
use crate::symbolic::kernel::{self, KernelCount, LineCount, Walk};
use crate::symbolic::symbols::Untranslatable;

/// The counts of a kernel within host loops over these variables.
pub(crate) fn count<'p>(
    walk: &mut Walk<'_, 'p>,
    kernel: &'p Kernel,
    facts: &Facts,
    variables: &[Symbol],
) -> Result<KernelCount, Untranslatable> {
    let before = walk.losses.len();
    let alike = kernel::count(walk, kernel, facts)?;
    if walk.cycle_rules.is_some() {
        // Charges are no sum over the residues.
        return Ok(alike);
    }
    for variable in variables.iter().rev() {
        let Some(divisor) = divisor_of(&alike, variable) else {
            continue;
        };
        let lost = walk.losses.split_off(before);
        let classes: Result<Vec<_>, _> = (0..divisor)
            .map(|class| count_class(walk, kernel, facts, variable, divisor, class))
            .collect();
        let together = classes.ok().and_then(|classes| {
            let is_simpler = classes
                .iter()
                .all(|class| divisor_of(class, variable).is_none());
            (is_simpler && walk.losses.len() <= before + lost.len())
                .then(|| joined(classes, variable, divisor, facts))?
        });
        if let Some(together) = together {
            return Ok(together);
        }
        walk.losses.truncate(before);
        walk.losses.extend(lost);
    }
    Ok(alike)
}

/// The number by which what is counted divides the variable.
fn divisor_of(count: &KernelCount, variable: &Symbol) -> Option<i64> {
    let amounts = [&count.time, &count.io, &count.conflicts, &count.launched];
    let ends = amounts.into_iter().flat_map(Amount::ends);
    ends.filter_map(|end| end.small_divisor(variable)).max()
}

/// The counts where the variable is divisor·u + class, written in the variable again.
fn count_class<'p>(
    walk: &mut Walk<'_, 'p>,
    kernel: &'p Kernel,
    facts: &Facts,
    variable: &Symbol,
    divisor: i64,
    class: i64,
) -> Result<KernelCount, Untranslatable> {
    let quotient = walk.known.symbols.fresh(&variable.name);
    let value = Expr::symbol(&quotient).scale(&divisor.into()) + Expr::int(class);
    let mut inside = facts.clone();
    inside.integer(&quotient);
    inside.suppose(&Cond::eq(&Expr::symbol(variable), &value));
    let saved = walk.known.symbols.clone();
    walk.known.symbols.substitute(variable, &value);
    let count = kernel::count(walk, kernel, &inside);
    *walk.known.symbols = saved;
    let fraction = Rational::new(1, divisor).unwrap_or(Rational::ONE);
    let back = (Expr::symbol(variable) - Expr::int(class)).scale(&fraction);
    let rewritten = |amount: &Amount| amount.map(|end| end.substitute(&quotient, &back));
    count.map(|count| count.map(rewritten))
}

/// Each class under its bracket `[divisor ∣ variable − class]`; what is the same in all stands bare.
fn joined(
    classes: Vec<KernelCount>,
    variable: &Symbol,
    divisor: i64,
    facts: &Facts,
) -> Option<KernelCount> {
    let brackets: Vec<Amount> = (0..divisor)
        .map(|class| {
            let value = Expr::symbol(variable) - Expr::int(class);
            Amount::exact(Expr::bracket(Cond::divides(&Expr::int(divisor), &value)))
        })
        .collect();
    let join = |each: Vec<&Amount>| {
        if each.windows(2).all(|pair| pair[0] == pair[1]) {
            return each[0].clone();
        }
        let parts = each.into_iter().zip(&brackets);
        let sum = parts.fold(Amount::zero(), |sum, (amount, bracket)| {
            sum.plus(&amount.times(bracket))
        });
        sum.map(|end| facts.simplify(end))
    };
    let first = classes.first()?;
    let spans = |count: &KernelCount| count.lines.iter().map(|line| line.span).collect::<Vec<_>>();
    let arrays = |count: &KernelCount| count.arrays.keys().copied().collect::<Vec<_>>();
    let is_parallel = classes
        .iter()
        .all(|other| spans(other) == spans(first) && arrays(other) == arrays(first));
    if !is_parallel {
        return None;
    }
    let of = |view: &dyn Fn(&KernelCount) -> &Amount| join(classes.iter().map(view).collect());
    let line = |at: usize| {
        let part = |view: fn(&LineCount) -> &Amount| {
            join(classes.iter().map(|count| view(&count.lines[at])).collect())
        };
        let mut line = first.lines[at].clone();
        line.executions = part(|line| &line.executions);
        line.operations = part(|line| &line.operations);
        line.loose.executions = part(|line| &line.loose.executions);
        line.loose.operations = part(|line| &line.loose.operations);
        line.blocks = part(|line| &line.blocks);
        line.conflicts = part(|line| &line.conflicts);
        if let Some(access) = &mut line.access {
            let each = || classes.iter().filter_map(|c| c.lines[at].access.as_ref());
            access.coarse = join(each().map(|access| &access.coarse).collect());
            let rules = BlockRule::in_turn(each().map(|access| &access.rule));
            access.rule = rules.expect("every class has the access");
        }
        line
    };
    Some(KernelCount {
        launched: of(&|count| &count.launched),
        time: of(&|count| &count.time),
        io: of(&|count| &count.io),
        coarse: of(&|count| &count.coarse),
        conflicts: of(&|count| &count.conflicts),
        arrays: arrays(first)
            .into_iter()
            .map(|id| {
                let read = of(&|count| &count.arrays[&id].0);
                (id, (read, of(&|count| &count.arrays[&id].1)))
            })
            .collect(),
        lines: (0..first.lines.len()).map(line).collect(),
        charges: None,
    })
}
