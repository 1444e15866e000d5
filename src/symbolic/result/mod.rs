//! From counted rounds to the [`Derivation`] that a user sees: quantities, lines, classes, and a
//! reason for everything that is not an exact closed form.

pub(crate) mod given;
pub(crate) mod plain;
pub(crate) mod total;
pub(crate) mod totals;

use std::cell::LazyCell;

use indexmap::IndexMap;

use crate::count::{ArrayBlocks, Inexact, Quantity, Round, Totals, Traffic};
use crate::derivation::letters;
use crate::derivation::{
    Bound, Coarse, Derivation, Derived, DerivedLine, DerivedRound, DerivedTransfer, LoopRange,
    Touched,
};
use crate::number::Rational;
use crate::program::{CostSymbol, ParamId, Program};
use crate::sym::order::{self, Order};
use crate::sym::{Cond, Expr, Facts, Symbol};
use crate::symbolic::amount::{Amount, FEW_ATOMS};
use crate::symbolic::entry::{self, ByData, Entry};
use crate::symbolic::kernel::{self, Affected, Loss};
use crate::symbolic::result::plain::PlainBounds;
use crate::symbolic::result::totals::WORK_OF_A_TOTAL;
use crate::symbolic::rounds::host::HostWalk;
use crate::symbolic::rounds::whole::{Whole, whole};

/// Of so many atoms the number of a round may be: after hundreds of loops it is left out.
const LONGEST_NUMBER: u32 = 200;

/// What is derived of the counted rounds; `plain` takes the short bounds of each, if they are wanted.
pub(crate) fn assemble(
    walk: &HostWalk<'_, '_>,
    list: &[Entry],
    live: &[Amount],
    plain: Option<&PlainBounds>,
    facts: &Facts,
) -> Derivation {
    let program = walk.program;
    let capacity = walk
        .symbols
        .value(program.machine.m)
        .expect("the machine's parameters are bound");
    let sums = totals::sums(list, live, &capacity, facts);
    let mut rounds = Vec::new();
    for shown in whole(numbered(list, live, facts), facts) {
        let entry = &shown.entry;
        let mut round = round(program, &shown, &capacity, facts);
        if let Some(plain) = plain {
            let kernel = entry.part.kernel.as_ref().map(|launched| &launched.count);
            plain.bound_round(program, &mut round, kernel, &entry.facts(facts));
        }
        rounds.push(round);
    }
    let known = |amount: &Amount| {
        facts.allow(WORK_OF_A_TOTAL);
        amount.quantity(facts)
    };
    let totals = sums.totals.map(|_, amount| known(amount));
    let mut derivation = Derivation {
        charges_conflicts: walk.charging.conflicts,
        known: facts.clone(),
        rounds,
        totals,
        transfer_cost: known(&sums.transfer_cost),
        cost: known(&sums.cost),
        gpu_cost: known(&sums.gpu_cost),
        occupancy: sums.occupancy.map(|value| facts.simplify(&value)),
        coarse: sums
            .coarse
            .map(|amount| amount.upper.map(|upper| facts.simplify(&upper))),
        full_waves: (sums.full_waves.0.upper)
            .map(|upper| [facts.simplify(&upper), sums.full_waves.1]),
        ..empty(program)
    };
    derivation.bounds = bounds(program, &derivation, walk.losses, facts);
    derivation
}

/// The result when the host itself has no closed form.
pub(crate) fn nothing_derived(program: &Program, losses: &[Loss]) -> Derivation {
    let mut derivation = empty(program);
    derivation.bounds = bounds(program, &derivation, losses, &Facts::new());
    derivation
}

/// Of which nothing is derived yet.
fn empty(program: &Program) -> Derivation {
    Derivation {
        algorithm: program.name.clone(),
        formals: program
            .formals
            .iter()
            .map(|formal| program.parameter(*formal).name.clone())
            .collect(),
        charges_conflicts: false,
        known: Facts::new(),
        rounds: Vec::new(),
        totals: Totals::default(),
        transfer_cost: Derived::default(),
        cost: Derived::default(),
        gpu_cost: Derived::default(),
        occupancy: None,
        classes: IndexMap::new(),
        facts: Vec::new(),
        claims: Vec::new(),
        bounds: Vec::new(),
        contradictions: Vec::new(),
        loose: Vec::new(),
        names: Vec::new(),
        coarse: Coarse::default(),
        full_waves: None,
    }
}

/// The entries with their live words, and the number of the first round of each.
fn numbered(list: &[Entry], live: &[Amount], facts: &Facts) -> Vec<Whole> {
    let mut before = Amount::of(1);
    // Where the loops around an entry begin, and how many rounds are before all of them.
    let mut beginning = (0, before.clone());
    let each = list.iter().zip(live).enumerate();
    each.map(|(at, (entry, live))| {
        if at > 0 && entry.shared_loops(&list[at - 1]) == 0 {
            beginning = (at, before.clone());
        }
        let others = list[beginning.0..at].iter();
        let number = others.fold(beginning.1.clone(), |sum, other| {
            let shared = entry.shared_loops(other);
            sum.plus(&other.rounds_in_first(shared, facts))
        });
        before = before.plus(&entry.rounds(facts));
        Whole {
            entry: entry.clone(),
            live: live.clone(),
            number,
        }
    })
    .collect()
}

fn round(program: &Program, shown: &Whole, capacity: &Expr, outer: &Facts) -> DerivedRound {
    let Whole {
        entry,
        live,
        number,
    } = shown;
    let count = entry.rounds(outer);
    let first = number.is_exact().then(|| number.lower.clone());
    let facts = entry.facts(outer);
    let known = |amount: &Amount| amount.quantity(&facts);
    let traffic = |side: &Traffic<Amount>| Traffic {
        words: known(&side.words),
        transactions: known(&side.transactions),
    };
    let kernel = entry.part.kernel.as_ref();
    let counted = |view: fn(&kernel::KernelCount) -> &Amount| {
        kernel.map_or_else(
            || Derived::exact(Expr::zero()),
            |launched| known(view(&launched.count)),
        )
    };
    let shared_words = kernel.map_or_else(Expr::zero, |launched| launched.shared_words.clone());
    let case = entry.case(outer);
    let joined = entry.joined();
    DerivedRound {
        number: first
            .filter(|first| joined.is_none() && first.length() <= LONGEST_NUMBER)
            .map(|first| case.simplify(&first)),
        joined,
        when: Some(outer.simplify_cond(&entry.when)).filter(|when| *when != Cond::True),
        count: count.quantity(outer),
        loops: entry
            .loops
            .iter()
            .filter(|repeated| !matches!(repeated.by_data, Some(ByData::While(_))))
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
        within_while: entry.loops.iter().fold(None, |outer, repeated| {
            let Some(ByData::While(span)) = repeated.by_data else {
                return outer;
            };
            let times = outer.map_or(Expr::one(), |(_, times): (usize, Expr)| times);
            Some((program.line(span), &times * &repeated.high))
        }),
        within_until: entry
            .loops
            .iter()
            .find_map(|repeated| match repeated.by_data {
                Some(ByData::Until(span)) => Some(program.line(span)),
                Some(ByData::While(_)) | None => None,
            }),
        counts: Round {
            launched_mps: counted(|count| &count.launched),
            time: counted(|count| &count.time),
            io: counted(|count| &count.io),
            inward: traffic(&entry.part.inward),
            outward: traffic(&entry.part.outward),
            shared_words: Derived::exact(shared_words.clone()),
            global_words: known(live),
            bank_conflicts: counted(|count| &count.conflicts),
            arrays: arrays(program, kernel, &facts),
        },
        occupancy: Derived::exact(totals::resident(&shared_words, capacity, &facts)),
        opens: kernel.map(|launched| program.line(launched.span)),
        lines: kernel.map_or_else(Vec::new, |launched| lines(program, launched, &facts)),
        transfers: transfers(program, entry),
        charges: kernel.and_then(|launched| {
            let charges = launched.count.charges.as_deref()?;
            Some(Box::new(charges.map(|amount| known(amount))))
        }),
    }
}

fn arrays(
    program: &Program,
    kernel: Option<&entry::Launched>,
    facts: &Facts,
) -> IndexMap<String, ArrayBlocks<Derived>> {
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

/// As they were counted: they are simple, and nothing is spent on them that totals need.
fn transfers(program: &Program, entry: &Entry) -> Vec<DerivedTransfer> {
    let derived = |amount: &Amount| Derived {
        lower: Some(amount.lower.clone()),
        upper: amount.upper.clone(),
        short: None,
    };
    let each = entry.part.transfers.iter();
    each.map(|transferred| DerivedTransfer {
        line: program.line(transferred.span),
        traffic: Traffic {
            words: derived(&transferred.traffic.words),
            transactions: derived(&transferred.traffic.transactions),
        },
    })
    .collect()
}

fn lines(program: &Program, launched: &entry::Launched, facts: &Facts) -> Vec<DerivedLine> {
    let line = |count: &kernel::LineCount| DerivedLine {
        line: program.line(count.span),
        from: launched.from.map(|span| program.line(span)),
        text: program.source.slice(count.span).trim().to_owned(),
        executions: count.executions.quantity(facts),
        operations: count.operations.quantity(facts),
        each: count.loose.of_one.as_ref().map(|each| each.quantity(facts)),
        blocks: count.blocks.quantity(facts),
        conflicts: count.conflicts.quantity(facts),
        rule: count.access.as_ref().map(|access| access.rule.clone()),
    };
    launched.count.lines.iter().map(line).collect()
}

/// The lines whose own share of a quantity has no closed form. If each has one, the sum over the rounds of some kernels
/// has none, and these are named.
fn lines_of_open_sums(program: &Program, derivation: &Derivation, which: Quantity) -> Vec<usize> {
    let is_open = |quantity: &Derived| {
        let upper = quantity.upper.as_ref();
        upper.is_some_and(|upper| !upper.is_closed())
    };
    let is_cost = matches!(which, Quantity::Cost | Quantity::GpuCost);
    let adds_open = |line: &&DerivedLine| match which {
        Quantity::Time | Quantity::TotalTime => is_open(&line.operations),
        Quantity::Io => is_open(&line.blocks),
        Quantity::BankConflicts => is_open(&line.conflicts),
        _ => is_cost && (is_open(&line.operations) || is_open(&line.blocks)),
    };
    let lines = derivation.rounds.iter().flat_map(|round| &round.lines);
    let mut found: Vec<usize> = lines.filter(adds_open).map(|line| line.line).collect();
    if found.is_empty() {
        let repeated = derivation.rounds.iter();
        let repeated = repeated.filter(|round| !round.loops.is_empty());
        found = repeated.filter_map(|round| round.opens).collect();
    }
    if found.is_empty() {
        let first = program
            .body
            .first()
            .map_or(Default::default(), |s| s.span());
        found.push(program.line(first));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// One entry for every quantity that is no closed exact form, with every loss that touches it.
fn bounds(
    program: &Program,
    derivation: &Derivation,
    losses: &[Loss],
    facts: &Facts,
) -> Vec<Bound> {
    let mut list = Vec::new();
    for (which, quantity) in derivation.all() {
        let touched = Touched::Quantity(which);
        if quantity.is_exact() {
            if quantity
                .upper
                .as_ref()
                .is_some_and(|upper| !upper.is_closed())
            {
                let why = if facts.has_given_up() {
                    Inexact::OpenSumGivenUp
                } else {
                    Inexact::OpenSum
                };
                let lines = lines_of_open_sums(program, derivation, which);
                list.extend(lines.into_iter().map(|line| Bound {
                    quantity: touched,
                    line,
                    why: why.clone(),
                }));
            }
            continue;
        }
        let is_cost = matches!(which, Quantity::Cost | Quantity::GpuCost);
        let is_time = matches!(which, Quantity::Time | Quantity::TotalTime);
        let (is_io, is_conflicts) = (which == Quantity::Io, which == Quantity::BankConflicts);
        let touching = |loss: &&Loss| match loss.affected {
            Affected::Rounds => true,
            Affected::Execution => is_cost || is_time || is_io || is_conflicts,
            Affected::Blocks => is_cost || is_io,
            Affected::Conflicts => is_conflicts,
            Affected::Time => is_cost || is_time,
            Affected::Shares | Affected::Charges => false,
        };
        let mut found: Vec<Bound> = losses
            .iter()
            .filter(touching)
            .map(|loss| Bound {
                quantity: touched,
                line: program.line(loss.span),
                why: loss.why.clone(),
            })
            .collect();
        if found.is_empty() {
            let why = if facts.was_unwieldy() {
                Inexact::TooLong
            } else {
                Inexact::LargestRound
            };
            found.push(Bound {
                quantity: touched,
                line: program.line(
                    program
                        .body
                        .first()
                        .map_or(Default::default(), |s| s.span()),
                ),
                why,
            });
        }
        list.append(&mut found);
    }
    let beside = losses.iter().filter_map(|loss| match loss.affected {
        Affected::Shares => Some((loss, Touched::Operations)),
        Affected::Charges => Some((loss, Touched::Charges)),
        Affected::Rounds
        | Affected::Execution
        | Affected::Blocks
        | Affected::Conflicts
        | Affected::Time => None,
    });
    list.extend(beside.map(|(loss, quantity)| Bound {
        quantity,
        line: program.line(loss.span),
        why: loss.why.clone(),
    }));
    list
}

/// Θ where both bounds have the same class, O of the upper bound otherwise. `proved` are bounds that
/// claims gave, in the order of the claims: of two classes the smaller one is shown.
pub(crate) fn classes(
    program: &Program,
    derivation: &Derivation,
    proved: &[(Quantity, Expr)],
    facts: &Facts,
) -> IndexMap<Quantity, String> {
    let symbol_of = |parameter: &ParamId| letters::symbol_of(program, *parameter);
    let formals = program.formals.iter().map(symbol_of);
    let width = symbol_of(&program.machine.b);
    let growing: Vec<Symbol> = formals.chain([width.clone()]).collect();
    // No constants, and ℓ = min(⌊M/m⌋, H) beside them.
    let letters = [
        CostSymbol::RealMps,
        CostSymbol::MaxResident,
        CostSymbol::Occupancy,
    ];
    let order = LazyCell::new(|| Order::new(&growing, facts));
    let order_of_gpu_cost = LazyCell::new(|| {
        let letters = letters.map(letters::letter);
        Order::new(&[growing.as_slice(), &letters].concat(), facts)
    });
    let mut classes = IndexMap::new();
    for (which, quantity) in derivation.all() {
        let bounds = proved.iter().filter(|(of, _)| *of == which);
        let bounds: Vec<&Expr> = bounds.map(|(_, bound)| bound).collect();
        if !proved.is_empty() && bounds.is_empty() {
            let known = derivation.classes.get(&which).cloned();
            classes.extend(known.map(|class| (which, class)));
            continue;
        }
        facts.allow(WORK_OF_A_TOTAL);
        let of_quantity = Classified {
            quantity,
            parts: &|| match which {
                Quantity::Io => blocks_of_lines(derivation, facts),
                _ => Vec::new(),
            },
            order: match which {
                Quantity::GpuCost => &order_of_gpu_cost,
                _ => &order,
            },
            width: &width,
            facts,
        };
        if let Some(class) = of_quantity.class(&bounds) {
            classes.insert(which, class.to_string());
        }
    }
    classes
}

/// The fewest blocks of each line of each round, over all its iterations.
pub(crate) fn blocks_of_lines(derivation: &Derivation, facts: &Facts) -> Vec<Expr> {
    let facts = facts.with_work(WORK_OF_A_TOTAL);
    let rounds = derivation.rounds.iter();
    let certain =
        rounds.filter(|round| round.within_while.is_none() && round.within_until.is_none());
    let of_lines = certain.flat_map(|round| {
        let fewest = round
            .lines
            .iter()
            .filter_map(|line| line.blocks.lower.as_ref());
        let some = fewest.filter(|fewest| !fewest.is_zero() && fewest.length() <= FEW_ATOMS);
        some.map(|fewest| {
            round.over_loops(fewest.clone(), |variable, low, high, inner| {
                facts.sum(variable, low, high, inner)
            })
        })
    });
    of_lines.collect()
}

/// A quantity whose class is wanted.
struct Classified<'a> {
    quantity: &'a Derived,
    /// What together is no more than the quantity.
    parts: &'a dyn Fn() -> Vec<Expr>,
    order: &'a Order<'a>,
    width: &'a Symbol,
    facts: &'a Facts,
}

impl Classified<'_> {
    fn class(&self, proved: &[&Expr]) -> Option<order::Class> {
        let of_end = |end: &Expr| {
            let class = self.order.class(end);
            // What was spent on it already leaves it without a class, or with a longer one, for no reason.
            let again = || self.with_work(end);
            let again = self.facts.is_exhausted().then(again).flatten();
            again.or(class).or_else(|| self.of_plain(end))
        };
        let derived = self.quantity.upper.as_ref().and_then(of_end);
        // How a bound grows need not be how the quantity does.
        let derived = derived.map(|class| order::Class {
            is_tight: class.is_tight && self.quantity.is_exact(),
            ..class
        });
        let short = self.quantity.short.as_ref();
        let claimed = short.into_iter().chain(proved.iter().copied());
        let claimed = claimed.filter_map(|bound| {
            let class = of_end(bound)?;
            Some(order::Class {
                is_tight: false,
                ..class
            })
        });
        let upper = derived.into_iter().chain(claimed).reduce(|one, other| {
            let is_below =
                |x: &order::Class, y: &order::Class| self.order.is_surely_big_o(&x.expr, &y.expr);
            let is_closer = match [is_below(&other, &one), is_below(&one, &other)] {
                [true, is_same] => !is_same,
                [false, true] => false,
                [false, false] => self.rank(&other) < self.rank(&one),
            };
            if !one.is_tight && is_closer {
                other
            } else {
                one
            }
        })?;
        let reaches = |lower: &Expr| self.order.is_surely_big_o(&upper.expr, lower);
        // Of a sum without a closed form its parts may have one.
        let is_reached_by_parts = || self.order.is_reached(&upper.expr, &(self.parts)());
        let is_tight = upper.is_tight
            || self.quantity.lower.as_ref().is_some_and(reaches)
            || is_reached_by_parts();
        let in_minima = || {
            let exact = self.quantity.exact_form().filter(|_| !is_tight)?;
            self.order.class_in_minima(&exact)
        };
        Some(in_minima().unwrap_or(order::Class { is_tight, ..upper }))
    }

    /// Of two classes that cannot be compared the one that grows slower in all but b, or in all, or is
    /// shorter.
    fn rank(&self, class: &order::Class) -> (Rational, Rational, u32) {
        let expr = &class.expr;
        let [beside, all] = [Some(self.width), None].map(|slow| expr.pace(slow));
        (beside, all, expr.length())
    }

    /// The class of an expression with work of its own.
    fn with_work(&self, expr: &Expr) -> Option<order::Class> {
        let facts = self.facts.with_work(WORK_OF_A_TOTAL);
        order::class(expr, self.order.growing(), &facts)
    }

    /// The class of the short bound, or of one made here, as an upper bound on the class.
    fn of_plain(&self, end: &Expr) -> Option<order::Class> {
        let is_upper = self.quantity.upper.as_ref() == Some(end);
        let plain = self.quantity.short.clone().filter(|_| is_upper);
        let plain = plain.or_else(|| self.facts.above(end, Some(self.width)))?;
        let class = self.with_work(&plain)?;
        Some(order::Class {
            is_tight: false,
            ..class
        })
    }
}
