//! Points of a program, small and varied, at which functions of its parameters are distinguished.

use crate::count::Parameters;
use crate::derivation::Derivation;
use crate::derivation::letters::{letter, symbol_of};
use crate::derivation::sources::vectors::{Residue, Vector};
use crate::meaning::{Allowance, Point, admissible_within, widths};
use crate::number::Rational;
use crate::program::{CostSymbol, Program};
use crate::sym::compiled::{Forms, Scratch};
use crate::sym::{Expr, Symbol};

/// Pairs of b and M: widths, with room for few MPs and for many.
const MACHINES: [(i64, i64); 11] = [
    (2, 61),
    (32, 1 << 13),
    (4, 230),
    (8, 900),
    (3, 4000),
    (32, 1 << 16),
    (2, 1 << 14),
    (16, 5000),
    (4, 1 << 16),
    (32, 1 << 20),
    (8, 1 << 20),
];

/// Smallest points on each machine; a random walk to larger points starts from each.
const STARTS: usize = 4;

/// Budget of values for the quantifiers of all `require`s.
const VALUES_OF_QUANTIFIERS: u64 = 1_000_000;

/// Length of a walk.
const STEPS: usize = 12;

/// Candidates tried for one step.
const TRIES: usize = 6;

/// Largest size on a walk.
const LARGEST: i64 = 3000;

/// Budget at one point, in forms evaluated and terms added up. A point that needs more is skipped.
const WORK_EACH: u64 = 10_000;

/// Budget over all points. Once it is spent, no more points are tried.
const WORK_OF_ALL: u64 = 200_000;

/// Points as values of the symbols of a derivation.
pub(super) struct Points {
    all: Vec<Vec<(Symbol, Rational)>>,
    /// m and M, to skip points at which shared memory does not fit.
    room: Option<(Expr, Symbol)>,
}

/// Collects points of the program, ordered so that neighbours differ much.
pub(super) fn points(program: &Program, derivation: &Derivation) -> Points {
    let ids = program.machine;
    let mut draw = Draw(1);
    let mut batches = Vec::new();
    for (b, words) in machines(program) {
        let machine = [384, b, words, 1 << 40];
        let on = [ids.p, ids.b, ids.m, ids.g].into_iter().zip(machine);
        let on: Vec<_> = on
            .map(|(id, value)| (symbol_of(program, id), Rational::from(value)))
            .collect();
        let sizes = walks(program, machine, &mut draw);
        let batch = sizes.iter().map(|sizes| {
            let formals = program.formals.iter().filter_map(|id| {
                let value = sizes.get(&program.parameter(*id).name)?;
                Some((symbol_of(program, *id), value.clone()))
            });
            let letters = CostSymbol::ALL.map(|each| (letter(each), draw.letter(each).into()));
            formals.chain(on.clone()).chain(letters).collect()
        });
        let mut batch: Vec<Vec<(Symbol, Rational)>> = batch.collect();
        draw.shuffle(&mut batch);
        batches.push(batch);
    }
    let longest = batches.iter().map(Vec::len).max().unwrap_or(0);
    // The batches (one a machine) are interleaved, so that the first few points already differ in b and M.
    let all = (0..longest).flat_map(|at| batches.iter().filter_map(move |batch| batch.get(at)));
    let shared = derivation.totals.shared.upper.clone();
    Points {
        all: all.cloned().collect(),
        room: shared.map(|shared| (shared, symbol_of(program, ids.m))),
    }
}

/// Returns [`MACHINES`], or machines with the widths that the program's `require`s admit.
fn machines(program: &Program) -> Vec<(i64, i64)> {
    let usual = MACHINES.map(|(b, _)| b);
    let widths = widths(program, &().into(), &usual);
    if widths == usual {
        return MACHINES.to_vec();
    }
    let rooms = [1 << 13, 1 << 16, 1 << 20];
    let each = rooms.into_iter().flat_map(|words| {
        let widths = widths.iter();
        widths.map(move |b| (*b, words))
    });
    each.collect()
}

/// Returns the smallest points and larger ones on walks. A step multiplies sizes by, or adds, common factors.
fn walks(program: &Program, machine: [i64; 4], draw: &mut Draw) -> Vec<Parameters> {
    let allowance = Allowance::of(VALUES_OF_QUANTIFIERS);
    let mut found = admissible_within(program, machine, &().into(), STARTS, &allowance).points;
    let names = program.formals.iter();
    let names: Vec<&str> = names
        .map(|id| program.parameter(*id).name.as_str())
        .collect();
    if names.is_empty() {
        return (0..STEPS).flat_map(|_| found.clone()).collect();
    }
    for start in found.clone() {
        let mut here = start;
        for _ in 0..STEPS {
            let steps = (0..TRIES).map(|_| stepped(&here, &names, machine[1], draw));
            let steps: Vec<_> = steps.flatten().collect();
            let next = steps.into_iter().find(|there| {
                let point = Point::if_admitted(program, machine, there, &allowance);
                matches!(point, Ok(Some(_)))
            });
            let Some(there) = next else {
                break;
            };
            found.push(there.clone());
            here = there;
        }
    }
    found
}

/// Enlarges some of the sizes, at least one. `None` if one becomes too large.
fn stepped(here: &Parameters, names: &[&str], b: i64, draw: &mut Draw) -> Option<Parameters> {
    let (times, plus) = match draw.below(7) {
        0 => (2, 0),
        1 => (3, 0),
        2 => (b, 0),
        3 => (1, 1),
        4 => (1, b),
        5 => (5, 0),
        _ => (1, 7),
    };
    let mut there = here.clone();
    let certain = draw.below(names.len() as u64);
    for (at, name) in names.iter().enumerate() {
        if at as u64 == certain || draw.below(3) == 0 {
            let value = here.get(name)?.to_i64()? * times + plus;
            if value > LARGEST {
                return None;
            }
            there.set(name, value);
        }
    }
    Some(there)
}

impl Points {
    /// Evaluates expressions at `wanted` points at which all have values, or at all such points if there
    /// are fewer.
    pub(super) fn values(&self, exprs: &[&Expr], wanted: usize) -> Vec<Vector> {
        let mut forms = Forms::new(&[]);
        let all: Vec<_> = exprs.iter().map(|expr| forms.add(expr)).collect();
        let room = self.room.as_ref();
        let room = room.map(|(shared, words)| (forms.add(shared), forms.add(&Expr::symbol(words))));
        let slots: Vec<_> = self.all.first().map_or_else(Vec::new, |point| {
            point.iter().map(|(symbol, _)| forms.slot(symbol)).collect()
        });
        let mut scratch = forms.scratch();
        let mut values = vec![Vector::new(); exprs.len()];
        let mut left = WORK_OF_ALL;
        for point in &self.all {
            if values.first().is_none_or(|first| first.len() == wanted) {
                break;
            }
            scratch.next_point();
            scratch.allow(WORK_EACH.min(left));
            for (slot, (_, value)) in slots.iter().zip(point) {
                scratch.bind(*slot, value.clone());
            }
            let fits = |scratch: &mut Scratch| {
                let (shared, words) = room?;
                Some(forms.value(shared, scratch).ok()? <= forms.value(words, scratch).ok()?)
            };
            if fits(&mut scratch) == Some(false) {
                continue;
            }
            let each = all.iter().map(|form| {
                let value = forms.value(*form, &mut scratch).ok()?;
                Residue::of(&value)
            });
            let each = each.collect::<Option<Vec<_>>>();
            // A fraction with a denominator divisible by the prime has no residue. Such a point is skipped
            // like one without a value.
            left -= WORK_EACH.min(left) - scratch.work_left();
            let Some(each) = each else {
                continue;
            };
            for (vector, value) in values.iter_mut().zip(each) {
                vector.push(value);
            }
        }
        values
    }
}

/// A deterministic generator of pseudo-random numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % end
    }

    /// Draws the value of a cost letter. Prices (α, β, γ, λ, σ) are 1; the figures of the card are small.
    fn letter(&mut self, letter: CostSymbol) -> i64 {
        let most = match letter {
            CostSymbol::Alpha
            | CostSymbol::Beta
            | CostSymbol::Gamma
            | CostSymbol::Lambda
            | CostSymbol::Sigma => 1,
            CostSymbol::RealMps => 7,
            CostSymbol::Occupancy => 5,
            CostSymbol::MaxResident => 40,
        };
        self.below(most).cast_signed() + 1
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            let other = self.below(at as u64 + 1) as usize;
            list.swap(at, other);
        }
    }
}
