//! The values of a parameter at which one program becomes cheaper than another. The sign of the difference
//! of two cost formulas is searched for, and proved where the algebra can.
//!
//! The search evaluates every value up to [`DENSE`] and values around powers up to 2^40. It narrows every
//! change of sign down to two neighbouring admissible values. Around each change it evaluates every value
//! again, because a difference with waves of MPs may change more than once. If a cost has sums without a
//! closed form, it goes as far as they can be added up. A range is proved if each of its values was
//! evaluated or lies where the algebra proves the sign. Only the last range extends to infinity.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::count::Parameters;
use crate::meaning::Point;
use crate::number::{BigInt, Rational};
use crate::program::{ParamId, Program};
use crate::sym::compiled::{Form, Forms, Scratch, Slot};
use crate::sym::{Cond, EvaluateError, Expr, Facts, Symbol};

/// Every value from 0 to this one is evaluated.
pub(crate) const DENSE: i64 = 1024;

/// The exponent of 2 of the largest value evaluated.
pub(crate) const LARGEST_POWER: u32 = 40;

/// Number of values evaluated on each side of a change.
const AROUND: i64 = 1024;

/// Limit on the changes of sign that are narrowed down. A difference that changes more often is reported as
/// such.
const MOST_CHANGES: usize = 12;

/// Budget of terms for sums without a closed form: once to find the range of the search, and again for each
/// change. It takes about a second.
const MOST_TERMS: u64 = 300_000;

/// Number of values tried on each side of one that a program does not admit.
const NEIGHBOURS: i64 = 48;

/// A program with its cost by a model, as an expression of one parameter.
pub struct Contender<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its varied parameter, a formal or b, if it has it.
    pub parameter: Option<ParamId>,
    /// Its other parameters.
    pub fixed: Parameters,
    /// p, b, M and G.
    pub machine: [i64; 4],
    /// The exact cost as an expression of the parameter alone, with the parameter's id in the symbol.
    pub cost: Expr,
}

/// Consecutive values at which the same program is cheaper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The first value that both programs admit.
    pub from: BigInt,
    /// The last value; `None` for the last range, which goes on as far as the search.
    pub to: Option<BigInt>,
    /// The cost of the first program compared with that of the second.
    pub order: Ordering,
    /// True if this holds for every value, in the last range without end.
    pub is_proved: bool,
}

/// The cheaper of two programs, by range.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Crossover {
    /// The ranges, ascending; empty if no value suits both programs.
    pub ranges: Vec<Range>,
    /// The number of values evaluated.
    pub points: usize,
    /// The largest value evaluated.
    pub up_to: BigInt,
    /// True if the sign changes more often than was followed.
    pub is_cut: bool,
    /// The least value found that both programs admit, but at which one has no cost: its memory does not fit, say. Such
    /// values are in no range.
    pub without_cost: Option<BigInt>,
}

impl Crossover {
    /// Returns true if every range is proved.
    pub fn is_proved(&self) -> bool {
        !self.is_cut && self.ranges.iter().all(|range| range.is_proved)
    }
}

/// Compares two costs over their parameter, where both have a value. `None` if they contain sums that take too long
/// even for few terms.
///
/// ```
/// use atgpu::{number::Rational, study::{Contender, crossover}, sym::{Expr, Symbol}};
/// use std::cmp::Ordering::*;
///
/// let program = atgpu::program("algorithm T(n)\n  require n ≥ 1\n")?;
/// // The symbol of a parameter has its id.
/// let n = Expr::symbol(&Symbol::new(program.formals()[0].0, "n"));
/// let contender = |cost: Expr| Contender {
///     program: &program,
///     parameter: Some(program.formals()[0]),
///     fixed: ().into(),
///     machine: [64, 32, 1 << 20, 1 << 40],
///     cost,
/// };
/// let fixed = contender(&n + 100);
/// let steep = contender(&n + &n);
/// let found = crossover(&fixed, &steep).expect("both have values");
/// let froms: Vec<_> = found.ranges.iter().map(|range| (range.from.to_string(), range.order)).collect();
/// let from = |n: &str, order| (n.to_owned(), order);
/// assert_eq!(froms, [from("1", Greater), from("100", Equal), from("101", Less)]);
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn crossover(left: &Contender<'_>, right: &Contender<'_>) -> Option<Crossover> {
    let search = Search::new(left, right);
    // First the candidates are sampled. Then each change of order between neighbouring samples is narrowed
    // to its place, and the values around it are sampled too, which may reveal further changes.
    let mut seen: BTreeMap<BigInt, Ordering> = BTreeMap::new();
    for value in candidates(left.machine[1]) {
        search.look(&value, &mut seen);
        if search.is_too_far(&value) {
            break;
        }
    }
    search.knows_how_far.set(true);
    let mut changes = 0;
    let mut done: Vec<(BigInt, BigInt)> = Vec::new();
    while let Some((low, high)) = next_change(&seen, &done) {
        if changes == MOST_CHANGES {
            break;
        }
        changes += 1;
        search.scratch.borrow_mut().allow(MOST_TERMS);
        let (low, high) = search.narrow(low, high, &mut seen);
        for value in around(&low).chain(around(&high)) {
            search.look(&value, &mut seen);
        }
        done.push((low, high));
    }
    let looked_at_none = seen.is_empty() && search.too_far.borrow().is_some();
    if looked_at_none {
        return None;
    }
    let is_cut = next_change(&seen, &done).is_some();
    Some(Crossover {
        ranges: search.ranges(&seen),
        points: seen.len(),
        up_to: seen.keys().next_back().cloned().unwrap_or_default(),
        is_cut,
        without_cost: search.without_cost.into_inner(),
    })
}

struct Search<'c, 'p> {
    left: &'c Contender<'p>,
    right: &'c Contender<'p>,
    symbol: Symbol,
    /// left − right
    difference: Expr,
    /// The difference, prepared for evaluation.
    forms: Forms,
    form: Form,
    slot: Slot,
    scratch: RefCell<Scratch>,
    /// The least value at which a cost has none.
    without_cost: RefCell<Option<BigInt>>,
    /// The first value at which sums take too long.
    too_far: RefCell<Option<BigInt>>,
    /// True once the range of the search is known. From then on every value is expected to fit the budget.
    knows_how_far: Cell<bool>,
}

impl<'c, 'p> Search<'c, 'p> {
    fn new(left: &'c Contender<'p>, right: &'c Contender<'p>) -> Self {
        let symbol = Symbol::new(0, "n");
        // Each program has its own name for the free parameter; both costs get the name `n`.
        let common = |contender: &Contender<'_>| {
            let own = contender.cost.symbols();
            own.iter().fold(contender.cost.clone(), |cost, other| {
                cost.substitute(other, &Expr::symbol(&symbol))
            })
        };
        let mut facts = Facts::new();
        facts.integer(&symbol);
        let difference = facts.simplify(&(common(left) - common(right)));
        let mut forms = Forms::new(&[]);
        let form = forms.add(&difference);
        let slot = forms.slot(&symbol);
        let mut scratch = forms.scratch();
        scratch.allow(MOST_TERMS);
        Search {
            left,
            right,
            symbol,
            difference,
            forms,
            form,
            slot,
            scratch: RefCell::new(scratch),
            without_cost: RefCell::new(None),
            too_far: RefCell::new(None),
            knows_how_far: Cell::new(false),
        }
    }

    fn is_too_far(&self, value: &BigInt) -> bool {
        let too_far = self.too_far.borrow();
        too_far.as_ref().is_some_and(|least| value >= least)
    }

    /// Evaluates a value, if both programs admit it.
    fn look(&self, value: &BigInt, seen: &mut BTreeMap<BigInt, Ordering>) -> Option<Ordering> {
        if let Some(known) = seen.get(value) {
            return Some(*known);
        }
        if self.is_too_far(value) {
            return None;
        }
        if ![self.left, self.right]
            .into_iter()
            .all(|contender| contender.admits(value))
        {
            return None;
        }
        let order = self.order(value)?;
        seen.insert(value.clone(), order);
        Some(order)
    }

    fn order(&self, value: &BigInt) -> Option<Ordering> {
        let mut scratch = self.scratch.borrow_mut();
        scratch.next_point();
        scratch.bind(self.slot, Rational::from(value));
        match self.forms.value(self.form, &mut scratch) {
            Ok(difference) => Some(difference.signum().cmp(&0)),
            Err(EvaluateError::TooMuchWork) => {
                if !self.knows_how_far.get() {
                    *self.too_far.borrow_mut() = Some(value.clone());
                }
                None
            }
            Err(_) => {
                let mut least = self.without_cost.borrow_mut();
                if least.as_ref().is_none_or(|least| value < least) {
                    *least = Some(value.clone());
                }
                None
            }
        }
    }

    /// Narrows a change of sign down to two values, as near to each other as the programs admit.
    fn narrow(
        &self,
        mut low: BigInt,
        mut high: BigInt,
        seen: &mut BTreeMap<BigInt, Ordering>,
    ) -> (BigInt, BigInt) {
        let before = seen[&low];
        while &high - &low > BigInt::from(1) {
            let middle: BigInt = (&low + &high) >> 1;
            let Some((found, order)) = self.near(&middle, &low, &high, seen) else {
                break;
            };
            if order == before {
                low = found;
            } else {
                high = found;
            }
        }
        (low, high)
    }

    /// Finds a value strictly between two others that both programs admit, near `middle`.
    fn near(
        &self,
        middle: &BigInt,
        low: &BigInt,
        high: &BigInt,
        seen: &mut BTreeMap<BigInt, Ordering>,
    ) -> Option<(BigInt, Ordering)> {
        // Many programs admit multiples of b only, so multiples near the middle are tried after its direct
        // neighbours.
        let b = BigInt::from(self.left.machine[1].max(1));
        let whole: BigInt = middle - middle % &b;
        let beside = (0..=NEIGHBOURS).flat_map(|step| [middle + step, middle - step]);
        let blocks = (0..=4).flat_map(|step| [&whole + &b * step, &whole - &b * step]);
        beside
            .chain(blocks)
            .filter(|value| low < value && value < high)
            .find_map(|value| self.look(&value, seen).map(|order| (value, order)))
    }

    fn ranges(&self, seen: &BTreeMap<BigInt, Ordering>) -> Vec<Range> {
        let mut groups: Vec<(Ordering, Vec<&BigInt>)> = Vec::new();
        for (value, order) in seen {
            match groups.last_mut() {
                Some((same, values)) if same == order => values.push(value),
                Some(_) | None => groups.push((*order, vec![value])),
            }
        }
        let last = groups.len().saturating_sub(1);
        groups
            .iter()
            .enumerate()
            .map(|(at, (order, values))| Range {
                from: values[0].clone(),
                to: (at < last).then(|| values[values.len() - 1].clone()),
                order: *order,
                is_proved: begins_where_looked(&groups, at)
                    && self.is_proved(*order, values, at == last),
            })
            .collect()
    }

    /// Returns true if the sign holds in all gaps of a range, and beyond it if it is the last. All gaps are
    /// proved together, from the first to the last.
    fn is_proved(&self, order: Ordering, values: &[&BigInt], is_last: bool) -> bool {
        let gaps: Vec<(&BigInt, &BigInt)> = values
            .windows(2)
            .filter(|pair| pair[1] - pair[0] > BigInt::from(1))
            .map(|pair| (pair[0], pair[1]))
            .collect();
        let end = values[values.len() - 1];
        match (gaps.first(), gaps.last(), is_last) {
            (Some((from, _)), _, true) => self.proves(order, from, None),
            (None, _, true) => self.proves(order, end, None),
            (Some((from, _)), Some((_, to)), false) => self.proves(order, from, Some(to)),
            (_, _, false) => true,
        }
    }

    fn proves(&self, order: Ordering, from: &BigInt, to: Option<&BigInt>) -> bool {
        let mut facts = Facts::new();
        facts.integer(&self.symbol);
        let variable = Expr::symbol(&self.symbol);
        facts.suppose(&Cond::ge(&variable, &Expr::from_bigint(from.clone())));
        if let Some(to) = to {
            facts.suppose(&Cond::le(&variable, &Expr::from_bigint(to.clone())));
        }
        let zero = Expr::zero();
        let goal = match order {
            Ordering::Less => Cond::lt(&self.difference, &zero),
            Ordering::Equal => return facts.simplify(&self.difference).is_zero(),
            Ordering::Greater => Cond::gt(&self.difference, &zero),
        };
        facts.prove(&goal) == Some(true)
    }
}

impl Contender<'_> {
    /// Returns true if the program admits this value: its `require`s hold, and its sizes are valid.
    fn admits(&self, value: &BigInt) -> bool {
        let mut given = self.fixed.clone();
        let mut machine = self.machine;
        match self.parameter {
            Some(parameter) if parameter == self.program.machine.b => {
                let width = i64::try_from(value).ok().filter(|width| *width > 0);
                let Some(width) = width else { return false };
                machine[1] = width;
            }
            Some(parameter) => {
                let name = &self.program.parameter(parameter).name;
                given.set(name, Rational::from(value));
            }
            None => {}
        }
        Point::tried(self.program, machine, &given).is_some()
    }
}

/// Returns true if the search left out no value between a range and the one before.
fn begins_where_looked(groups: &[(Ordering, Vec<&BigInt>)], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| groups[before].1.last());
    before.is_none_or(|before| groups[at].1[0] - *before <= BigInt::from(AROUND))
}

/// The initial values: all small ones, and those around powers and their multiples.
fn candidates(b: i64) -> Vec<BigInt> {
    let mut values: Vec<BigInt> = (0..=DENSE).map(BigInt::from).collect();
    let limit = BigInt::from(1) << LARGEST_POWER;
    for base in [2, 10, b.max(2)] {
        let mut power = BigInt::from(base);
        while power <= limit {
            for factor in [2, 3, 5] {
                let half: BigInt = &power * factor / 2;
                let whole: BigInt = &half - &half % b.max(1);
                values.extend([&half - 1, half.clone(), &half + 1, whole]);
            }
            power *= base;
        }
    }
    values.retain(|value| *value <= limit);
    values.sort();
    values.dedup();
    values
}

fn around(value: &BigInt) -> impl Iterator<Item = BigInt> + '_ {
    (-AROUND..=AROUND)
        .map(move |step| value + step)
        .filter(|value| *value >= BigInt::from(0))
}

/// The first change of sign between evaluated values that was not narrowed down yet.
fn next_change(
    seen: &BTreeMap<BigInt, Ordering>,
    done: &[(BigInt, BigInt)],
) -> Option<(BigInt, BigInt)> {
    let pairs = seen.iter().zip(seen.iter().skip(1));
    pairs
        .filter(|((_, before), (_, after))| before != after)
        .map(|((low, _), (high, _))| (low.clone(), high.clone()))
        .find(|(low, high)| {
            high - low > BigInt::from(1) && !done.iter().any(|(from, to)| from == low && to == high)
        })
}
