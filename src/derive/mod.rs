//! The abstract interpreter: the checked program over symbols gives counts as closed forms.
//!
//! [`derive`] walks the host ([`rounds`]), each kernel once ([`kernel`]) with its active cores as an
//! interval ([`active`]), and sums up ([`totals`]). Shares no counting code with `exec`. What it
//! cannot derive it says, with line and reason; a quantity without a reason is exact.
//!
//! [`steps`] is the same interpretation with numbers for the parameters and nothing for the data.

mod active;
mod amount;
pub mod claims;
pub mod derivation;
pub mod evaluate;
mod grid;
mod kernel;
pub mod ops;
mod rounds;
pub mod steps;
pub(crate) mod symbols;
mod totals;

use indexmap::IndexMap;

use crate::check::program::{Arithmetic, Expr as Checked};
use crate::check::program::{CostSymbol, ExprKind, Program};
use crate::count::{ArrayBlocks, Parameters, Totals, Traffic};
use crate::derive::amount::Amount;
use crate::derive::derivation::{DerivedLine, DerivedRound, LoopRange};
use crate::derive::kernel::{Affected, Loss};
use crate::derive::rounds::{Entry, HostWalk, entries, live_words};
use crate::derive::symbols::{Symbols, letter};
use crate::sym::{Cond, Expr, Facts, order};

pub use derivation::{Bound, Derivation, Quantity};

/// Derives a program's counts and costs. Parameters stay symbols, those of the machine too, but for
/// those `given`.
///
/// Never fails: what has no closed form is `None` or a bound in the result, listed in its `bounds`.
pub fn derive(program: &Program, given: &Parameters) -> Derivation {
    let mut symbols = Symbols::new(program);
    let mut facts = known_facts(program, given, &mut symbols);
    let names = header_lets(program, &mut symbols, &mut facts);
    let mut losses = Vec::new();
    let mut walk = HostWalk {
        program,
        symbols: &mut symbols,
        losses: &mut losses,
        executing: None,
    };
    let items = walk.items(&program.body, &facts);
    let mut derivation = match items {
        Ok(items) => {
            let list = entries(items);
            let live = live_words(&walk, &list, &facts);
            assemble(program, &symbols, &list, &live, &facts, &losses)
        }
        Err(no_rounds) => {
            losses.push(no_rounds.loss());
            nothing_derived(program, &losses)
        }
    };
    for (which, value) in given_letters(given) {
        derivation.transfer_cost = derivation
            .transfer_cost
            .map(|e| e.substitute(&letter(which), &value));
        derivation.cost = derivation
            .cost
            .map(|e| e.substitute(&letter(which), &value));
        derivation.gpu_cost = derivation
            .gpu_cost
            .map(|e| e.substitute(&letter(which), &value));
    }
    derivation.names = names;
    derivation.classes = classes(program, &derivation, &facts);
    derivation.claims = claims::judge(program, given, &derivation, &symbols, &facts);
    derivation.facts = facts.used();
    derivation
}

/// Formals and machine parameters bound, and what `require`s and declarations say of them.
fn known_facts(program: &Program, given: &Parameters, symbols: &mut Symbols<'_>) -> Facts {
    let mut facts = Facts::new();
    let machine = program.machine;
    let all = program
        .formals
        .iter()
        .copied()
        .chain([machine.p, machine.b, machine.m, machine.g]);
    for parameter in all {
        match given.get(&program.parameter(parameter).name) {
            Some(value) => symbols.bind(parameter, Ok(Expr::rational(value.clone()))),
            None => {
                let symbol = symbols.bind_symbol(parameter);
                facts.integer(&symbol);
                if parameter == machine.b {
                    facts.suppose(&Cond::ge(&Expr::symbol(&symbol), &Expr::one()));
                } else if [machine.p, machine.m, machine.g].contains(&parameter) {
                    facts.suppose(&Cond::ge(&Expr::symbol(&symbol), &Expr::zero()));
                }
            }
        }
    }
    for which in [
        CostSymbol::Alpha,
        CostSymbol::Beta,
        CostSymbol::Gamma,
        CostSymbol::Lambda,
        CostSymbol::Sigma,
    ] {
        facts.positive_real(&letter(which));
    }
    for which in [
        CostSymbol::RealMps,
        CostSymbol::MaxResident,
        CostSymbol::Occupancy,
    ] {
        let symbol = letter(which);
        facts.integer(&symbol);
        facts.suppose(&Cond::ge(&Expr::symbol(&symbol), &Expr::one()));
    }
    facts
}

/// Header `let`s written out, `require`s assumed, extents known not to be negative. Gives the names
/// the printer may fold back.
fn header_lets(
    program: &Program,
    symbols: &mut Symbols<'_>,
    facts: &mut Facts,
) -> Vec<(String, Expr)> {
    for binding in &program.lets {
        let value = symbols.expr(&binding.value);
        symbols.bind(binding.parameter, value);
    }
    for requirement in program
        .requires
        .iter()
        .filter(|requirement| !requirement.reads_data)
    {
        for conjunct in conjuncts(&requirement.condition) {
            if let Ok(condition) = symbols.condition(conjunct) {
                facts.assume(&condition);
            }
        }
    }
    for binding in &program.lets {
        suppose_logs_defined(&binding.value, symbols, facts);
        // A `let` of the header is whole, so a quotient there comes out even.
        if let ExprKind::Binary {
            operator: Arithmetic::Divide,
            left,
            right,
        } = &binding.value.kind
            && let (Ok(left), Ok(right)) = (symbols.expr(left), symbols.expr(right))
            && facts.is_integer(&left)
            && facts.is_integer(&right)
        {
            facts.suppose(&Cond::divides(&right, &left));
        }
    }
    for variable in &program.variables {
        for extent in &variable.dimensions {
            if let Ok(extent) = symbols.expr(extent) {
                facts.suppose(&Cond::ge(&extent, &Expr::zero()));
            }
        }
    }
    let mut names = Vec::new();
    for binding in &program.lets {
        let value = symbols
            .value(binding.parameter)
            .map(|value| facts.simplify(&value));
        if let Ok(value) = &value
            && value.as_rational().is_none()
        {
            names.push((
                program.parameter(binding.parameter).name.clone(),
                value.clone(),
            ));
        }
        symbols.bind(binding.parameter, value);
    }
    names
}

/// A `let` of the header is always evaluated, so the bases of its logarithms are 2 or more and
/// their arguments positive wherever the program runs at all.
fn suppose_logs_defined(expr: &Checked, symbols: &Symbols<'_>, facts: &mut Facts) {
    if let ExprKind::Log { base, argument } = &expr.kind
        && let (Ok(base), Ok(argument)) = (symbols.expr(base), symbols.expr(argument))
        && facts.is_integer(&base)
        && facts.is_integer(&argument)
    {
        facts.suppose(&Cond::ge(&base, &Expr::int(2)));
        facts.suppose(&Cond::ge(&argument, &Expr::one()));
    }
    expr.kind
        .operands(&mut |operand| suppose_logs_defined(operand, symbols, facts));
}

fn conjuncts(condition: &Checked) -> Vec<&Checked> {
    match &condition.kind {
        ExprKind::And(left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![condition],
    }
}

fn given_letters(given: &Parameters) -> Vec<(CostSymbol, Expr)> {
    let letters = [
        ("α", CostSymbol::Alpha),
        ("β", CostSymbol::Beta),
        ("γ", CostSymbol::Gamma),
        ("λ", CostSymbol::Lambda),
        ("σ", CostSymbol::Sigma),
        ("k'", CostSymbol::RealMps),
        ("H", CostSymbol::MaxResident),
    ];
    let value = |name| given.get(name).map(|value| Expr::rational(value.clone()));
    letters
        .into_iter()
        .filter_map(|(name, which)| Some((which, value(name)?)))
        .collect()
}

fn assemble(
    program: &Program,
    symbols: &Symbols<'_>,
    list: &[Entry],
    live: &[Option<Expr>],
    facts: &Facts,
    losses: &[Loss],
) -> Derivation {
    let capacity = symbols
        .value(program.machine.m)
        .expect("the machine's parameters are bound");
    let sums = totals::sums(list, live, &capacity, facts);
    let mut number = Amount::of(1);
    let mut rounds = Vec::new();
    for (entry, live) in list.iter().zip(live) {
        let count = entry.over_iterations(&Amount::of(1), facts);
        let first = number.is_exact().then(|| number.lower.clone());
        number = number.plus(&count);
        rounds.push(round(
            program,
            entry,
            first,
            &count,
            live.as_ref(),
            &capacity,
            facts,
        ));
    }
    let known = |amount: &Amount| amount.quantity(facts);
    let t = &sums.totals;
    let totals = Totals {
        rounds: known(&t.rounds),
        time: known(&t.time),
        total_time: known(&t.total_time),
        io: known(&t.io),
        inward: known(&t.inward),
        outward: known(&t.outward),
        transfer: known(&t.transfer),
        transactions: known(&t.transactions),
        shared: known(&t.shared),
        global: known(&t.global),
        bank_conflicts: known(&t.bank_conflicts),
    };
    let mut derivation = Derivation {
        algorithm: program.name.clone(),
        rounds,
        totals,
        transfer_cost: known(&sums.transfer_cost),
        cost: known(&sums.cost),
        gpu_cost: known(&sums.gpu_cost),
        occupancy: sums.occupancy.map(|value| facts.simplify(&value)),
        classes: IndexMap::new(),
        facts: Vec::new(),
        claims: Vec::new(),
        bounds: Vec::new(),
        names: Vec::new(),
    };
    derivation.bounds = bounds(program, &derivation, losses);
    derivation
}

/// The result when the host itself has no closed form.
fn nothing_derived(program: &Program, losses: &[Loss]) -> Derivation {
    let mut derivation = Derivation {
        algorithm: program.name.clone(),
        rounds: Vec::new(),
        totals: Totals::default(),
        transfer_cost: Quantity::unknown(),
        cost: Quantity::unknown(),
        gpu_cost: Quantity::unknown(),
        occupancy: None,
        classes: IndexMap::new(),
        facts: Vec::new(),
        claims: Vec::new(),
        bounds: Vec::new(),
        names: Vec::new(),
    };
    derivation.bounds = bounds(program, &derivation, losses);
    derivation
}

fn round(
    program: &Program,
    entry: &Entry,
    first: Option<Expr>,
    count: &Amount,
    live: Option<&Expr>,
    capacity: &Expr,
    outer: &Facts,
) -> DerivedRound {
    let facts = entry.facts(outer);
    let known = |amount: &Amount| amount.quantity(&facts);
    let traffic = |side: &Traffic<Amount>| Traffic {
        words: known(&side.words),
        transactions: known(&side.transactions),
    };
    let kernel = entry.part.kernel.as_ref();
    let counted = |view: fn(&kernel::KernelCount) -> &Amount| {
        kernel.map_or_else(
            || Quantity::exact(Expr::zero()),
            |launched| known(view(&launched.count)),
        )
    };
    let shared_words = kernel.map_or_else(Expr::zero, |launched| launched.shared_words.clone());
    DerivedRound {
        number: first.map(|first| outer.simplify(&first)),
        count: count.quantity(outer),
        loops: entry
            .loops
            .iter()
            .map(|repeated| LoopRange {
                symbol: repeated.symbol.clone(),
                from: if repeated.down {
                    repeated.high.clone()
                } else {
                    repeated.low.clone()
                },
                to: if repeated.down {
                    repeated.low.clone()
                } else {
                    repeated.high.clone()
                },
                down: repeated.down,
            })
            .collect(),
        within_while: None,
        launched_mps: counted(|count| &count.launched),
        time: counted(|count| &count.time),
        io: counted(|count| &count.io),
        inward: traffic(&entry.part.inward),
        outward: traffic(&entry.part.outward),
        occupancy: Quantity::exact(totals::resident(&shared_words, capacity, &facts)),
        shared_words: Quantity::exact(shared_words),
        global_words: live.map_or_else(Quantity::unknown, |live| {
            Quantity::exact(facts.simplify(live))
        }),
        bank_conflicts: counted(|count| &count.conflicts),
        arrays: arrays(program, kernel, &facts),
        lines: kernel.map_or_else(Vec::new, |launched| lines(program, launched, &facts)),
    }
}

fn arrays(
    program: &Program,
    kernel: Option<&rounds::Launched>,
    facts: &Facts,
) -> IndexMap<String, ArrayBlocks<Quantity>> {
    let mut list: Vec<_> = kernel
        .iter()
        .flat_map(|launched| &launched.count.arrays)
        .collect();
    list.sort_by_key(|(id, _)| **id);
    list.into_iter()
        .map(|(id, (read, write))| {
            let blocks = ArrayBlocks {
                read: read.quantity(facts),
                write: write.quantity(facts),
            };
            (program.variable(*id).name.clone(), blocks)
        })
        .collect()
}

fn lines(program: &Program, launched: &rounds::Launched, facts: &Facts) -> Vec<DerivedLine> {
    let line = |count: &kernel::LineCount| DerivedLine {
        line: program.line(count.span),
        from: launched.from.map(|span| program.line(span)),
        text: program.source.slice(count.span).trim().to_owned(),
        executions: count.executions.quantity(facts),
        operations: count.operations.quantity(facts),
        blocks: count.blocks.quantity(facts),
        conflicts: count.conflicts.quantity(facts),
        rule: count.rule.clone(),
    };
    launched.count.lines.iter().map(line).collect()
}

/// One entry for every quantity that is no closed exact form, with every loss that touches it.
fn bounds(program: &Program, derivation: &Derivation, losses: &[Loss]) -> Vec<Bound> {
    let costs = [
        ("transfer_cost", &derivation.transfer_cost),
        ("cost", &derivation.cost),
        ("gpu_cost", &derivation.gpu_cost),
    ];
    let quantities = derivation.totals.named().into_iter().chain(costs);
    let mut list = Vec::new();
    for (name, quantity) in quantities {
        if quantity.is_exact() {
            if quantity
                .upper
                .as_ref()
                .is_some_and(|upper| !upper.is_closed())
            {
                list.push(Bound {
                    quantity: name.to_owned(),
                    line: program.line(
                        program
                            .body
                            .first()
                            .map_or(Default::default(), |s| s.span()),
                    ),
                    reason: "the sum over the rounds has no closed form".to_owned(),
                    remedy: "the sum is exact and is evaluated term by term".to_owned(),
                });
            }
            continue;
        }
        let touching = |loss: &&Loss| {
            let time = ["time", "total_time", "cost", "gpu_cost"].contains(&name);
            let io = ["io", "cost", "gpu_cost"].contains(&name);
            match loss.affected {
                Affected::Execution => true,
                Affected::Blocks => io,
                Affected::Conflicts => name == "bank_conflicts",
                Affected::Time => time,
            }
        };
        let mut found: Vec<Bound> = losses
            .iter()
            .filter(touching)
            .map(|loss| Bound {
                quantity: name.to_owned(),
                line: program.line(loss.span),
                reason: loss.reason.clone(),
                remedy: loss.remedy.clone(),
            })
            .collect();
        if found.is_empty() {
            found.push(Bound {
                quantity: name.to_owned(),
                line: program.line(
                    program
                        .body
                        .first()
                        .map_or(Default::default(), |s| s.span()),
                ),
                reason: "no largest value over the rounds could be singled out".to_owned(),
                remedy: "counts that grow or fall with the round have a known maximum".to_owned(),
            });
        }
        list.append(&mut found);
    }
    list
}

/// Θ where both bounds have the same class, O of the upper bound otherwise.
fn classes(program: &Program, derivation: &Derivation, facts: &Facts) -> IndexMap<String, String> {
    let growing: Vec<_> = program
        .formals
        .iter()
        .chain([&program.machine.b])
        .map(|parameter| symbols::symbol_of(program, *parameter))
        .collect();
    let mut classes = IndexMap::new();
    let named = derivation.totals.named();
    let all = named.into_iter().chain([
        ("transfer_cost", &derivation.transfer_cost),
        ("cost", &derivation.cost),
    ]);
    for (name, quantity) in all {
        let Some(upper) = quantity
            .upper
            .as_ref()
            .and_then(|end| order::class(end, &growing, facts))
        else {
            continue;
        };
        let reaches = quantity.is_exact()
            || quantity.lower.as_ref().is_some_and(|lower| {
                upper.is_tight && order::is_big_o(&upper.expr, lower, &growing, facts) == Some(true)
            });
        let class = if reaches {
            upper
        } else {
            order::Class {
                is_tight: false,
                ..upper
            }
        };
        classes.insert(name.to_owned(), class.to_string());
    }
    classes
}
