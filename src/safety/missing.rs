//! The missing `require`: a short condition that the witness does not meet and under which the place
//! that failed is proved.
//!
//! Takes the places that runs have refuted and gives each the weakest condition that will do: the one that
//! leaves most of the small sizes, those with several MPs before all others. `n ≤ b` proves that no two MPs
//! meet, since there is only one. None is proposed that was not proved to suffice, nor one that contradicts
//! the program's own `require`s. Where all sizes tried with the machine's b are right, none refuses one of them.

use crate::count::Parameters;
use crate::machine::Machine;
use crate::meaning::{Point, evaluate, read_parameters};
use crate::program::{Number, ParamId, Program};
use crate::safety::proofs_under;
use crate::safety::verdict::{Judged, Missing, Subject, Verdict};
use crate::safety::witness::AtOwnWidth;
use crate::sym::{Cond, Expr};
use crate::symbolic::symbols::Symbols;

/// Conditions under which a program is proved once more.
const MOST_PROOFS: usize = 6;

/// Sizes at which candidates are compared, with these values of b.
const SIZES: [i64; 8] = [1, 2, 3, 4, 6, 8, 12, 16];
const WIDTHS: [i64; 3] = [1, 2, 4];
/// The most points looked at.
const MOST_POINTS: usize = 1_500;

/// A side of a condition.
#[derive(Clone, Copy)]
enum Side {
    Parameter(ParamId),
    Number(i64),
}

/// How the sides compare.
#[derive(Clone, Copy)]
enum Relation {
    AtLeast,
    AtMost,
    Is,
    Divides,
    PowerOf,
}

/// A condition that may be missing.
pub(crate) struct Candidate {
    left: Side,
    relation: Relation,
    right: Side,
}

impl Candidate {
    /// As a `require` would say it.
    fn text(&self, program: &Program) -> String {
        let side = |side: Side| match side {
            Side::Parameter(id) => program.parameter(id).name.clone(),
            Side::Number(value) => value.to_string(),
        };
        let word = match self.relation {
            Relation::AtLeast => "≥",
            Relation::AtMost => "≤",
            Relation::Is => "=",
            Relation::Divides => "|",
            Relation::PowerOf => "is a power of",
        };
        format!("{} {word} {}", side(self.left), side(self.right))
    }

    /// Over symbols.
    pub(crate) fn condition(&self, symbols: &Symbols<'_>) -> Option<Cond> {
        let side = |side: Side| match side {
            Side::Parameter(id) => symbols.value(id).ok(),
            Side::Number(value) => Some(Expr::int(value)),
        };
        let (left, right) = (side(self.left)?, side(self.right)?);
        Some(match self.relation {
            Relation::AtLeast => Cond::ge(&left, &right),
            Relation::AtMost => Cond::le(&left, &right),
            Relation::Is => Cond::eq(&left, &right),
            Relation::Divides => Cond::divides(&left, &right),
            Relation::PowerOf => Cond::power_of(&left, &right),
        })
    }

    /// Whether it holds at a point; `None` where that is not known.
    fn holds_at(&self, program: &Program, values: &Parameters) -> Option<bool> {
        let side = |side: Side| match side {
            Side::Parameter(id) => values.get(&program.parameter(id).name)?.to_i64(),
            Side::Number(value) => Some(value),
        };
        let (left, right) = (side(self.left)?, side(self.right)?);
        Some(match self.relation {
            Relation::AtLeast => left >= right,
            Relation::AtMost => left <= right,
            Relation::Is => left == right,
            Relation::Divides => left != 0 && right % left == 0,
            Relation::PowerOf => is_power(left, right),
        })
    }
}

fn is_power(value: i64, base: i64) -> bool {
    let mut rest = value;
    while base >= 2 && rest >= base && rest % base == 0 {
        rest /= base;
    }
    rest == 1
}

/// Gives refuted places the condition that is missing, where a short one will do.
pub(crate) fn propose(
    program: &Program,
    given: &Parameters,
    machine: &Machine,
    own: &AtOwnWidth,
    judged: &mut [Judged],
) {
    let mut proofs = 0;
    let sizes = Sizes::of(program, given, machine);
    let mut candidates = candidates(program, given);
    candidates.sort_by_cached_key(|candidate| std::cmp::Reverse(sizes.left_by(candidate)));
    // Nothing failed with the machine's b: its number may stand in the text for b, and no size of it is to be refused.
    if own.failed == 0 && !own.passed.is_empty() && given.get("b").is_none() {
        candidates.retain(|candidate| {
            let mut passed = own.passed.iter();
            passed.all(|values| candidate.holds_at(program, values) != Some(false))
        });
        candidates.push(Candidate {
            left: Side::Parameter(program.machine.b),
            relation: Relation::Is,
            right: Side::Number(machine.atgpu.numbers()[1]),
        });
    }
    for candidate in candidates {
        let is_concerned = |found: &Judged| match &found.verdict {
            Verdict::Refuted(witness) => {
                found.subject != Subject::Run
                    && witness.require.is_none()
                    && candidate.holds_at(program, &witness.values) == Some(false)
            }
            Verdict::Proved(_) | Verdict::Open(_) => false,
        };
        if !judged.iter().any(is_concerned) {
            continue;
        }
        if proofs == MOST_PROOFS {
            return;
        }
        proofs += 1;
        let Some(anew) = proofs_under(program, given, Some(&candidate)) else {
            continue;
        };
        for found in judged.iter_mut().filter(|found| is_concerned(found)) {
            if is_proved(found, &anew)
                && let Verdict::Refuted(witness) = &mut found.verdict
            {
                let one_width = matches!(candidate.relation, Relation::Is);
                let leaves_several = sizes.left_by(&candidate).0 > 0;
                witness.require = Some(Missing {
                    text: candidate.text(program),
                    one_mp: !one_width && sizes.has_several_mps() && !leaves_several,
                    one_width,
                });
            }
        }
    }
}

/// Small sizes that a program admits.
struct Sizes<'p> {
    program: &'p Program,
    /// The values of formals and b, and whether some kernel has several MPs there.
    points: Vec<(Parameters, bool)>,
}

impl<'p> Sizes<'p> {
    fn of(program: &'p Program, given: &Parameters, machine: &Machine) -> Self {
        let [p, _, m, g] = machine.atgpu.numbers();
        let formals = program.formals.iter();
        let names = formals.map(|id| program.parameter(*id).name.as_str());
        let mut choices = vec![given.clone()];
        for name in names.filter(|name| given.get(name).is_none()) {
            // Of many formals each has few sizes.
            let room = MOST_POINTS / choices.len() / WIDTHS.len();
            let sizes = SIZES.iter().take(room.clamp(1, SIZES.len()));
            let with = |size: &i64, values: &Parameters| {
                let mut values = values.clone();
                values.set(name, *size);
                values
            };
            let each = sizes.flat_map(|size| choices.iter().map(move |values| with(size, values)));
            choices = each.collect();
        }
        let widths = match given.get("b").and_then(|b| b.to_i64()) {
            Some(width) => vec![width],
            None => WIDTHS.to_vec(),
        };
        let mut points = Vec::new();
        for values in choices {
            for &width in &widths {
                let formals = super::witness::without_machine(&values);
                if let Some(point) = Point::tried(program, [p, width, m, g], &formals) {
                    let mut values = values.clone();
                    values.set("b", width);
                    points.push((values, has_several_mps(program, &point)));
                }
            }
        }
        Sizes { program, points }
    }

    fn has_several_mps(&self) -> bool {
        self.points.iter().any(|(_, several)| *several)
    }

    /// The number of sizes with several MPs that a condition leaves, and of all sizes.
    fn left_by(&self, candidate: &Candidate) -> (usize, usize) {
        let left = self.points.iter();
        let left = left.filter(|(at, _)| candidate.holds_at(self.program, at) == Some(true));
        left.fold((0, 0), |(with_several, all), (_, several)| {
            (with_several + usize::from(*several), all + 1)
        })
    }
}

/// Whether some kernel launches several MPs; so it is said of a kernel whose ranges a loop decides.
fn has_several_mps(program: &Program, point: &Point) -> bool {
    program.kernels().any(|kernel| {
        let mut ranges = kernel.mps.iter();
        ranges.any(|range| {
            let end = |number: &Number| {
                let reads = read_parameters(number);
                let mut reads = reads.iter();
                let is_bound = reads.all(|id| point.environment.get(*id).is_some());
                let value = is_bound.then(|| evaluate(program, number, &point.environment));
                value?.ok()?.to_integer()
            };
            match (end(&range.low), end(&range.high)) {
                (Some(low), Some(high)) => high > low,
                _ => true,
            }
        })
    })
}

/// Whether a place is proved in another judgement. What must be whole, or have a value, is named only
/// where it is not proved.
fn is_proved(place: &Judged, anew: &[Judged]) -> bool {
    let is_array = matches!(place.subject, Subject::Array(_));
    let is_same = |other: &&Judged| {
        other.property == place.property
            && other.subject == place.subject
            && (is_array || other.span == place.span)
    };
    let mut found = anew.iter().filter(is_same).peekable();
    let is_always_named = matches!(
        place.subject,
        Subject::Read(_) | Subject::Write(_) | Subject::Update(_)
    );
    (found.peek().is_some() || !is_always_named) && found.all(|other| other.verdict.is_proved())
}

/// What is required most often first.
fn candidates(program: &Program, given: &Parameters) -> Vec<Candidate> {
    let is_open = |id: &ParamId| given.get(&program.parameter(*id).name).is_none();
    let formals: Vec<ParamId> = program.formals.iter().copied().filter(is_open).collect();
    let width = program.machine.b;
    let one = |left: ParamId, relation, right| Candidate {
        left: Side::Parameter(left),
        relation,
        right,
    };
    let mut list = Vec::new();
    for least in [1, 2] {
        let at_least = |id: &ParamId| one(*id, Relation::AtLeast, Side::Number(least));
        list.extend(formals.iter().map(at_least));
    }
    for &formal in &formals {
        list.push(one(width, Relation::Divides, Side::Parameter(formal)));
    }
    for &left in &formals {
        let others = formals.iter().filter(|right| **right != left);
        list.extend(others.map(|right| one(left, Relation::AtMost, Side::Parameter(*right))));
    }
    let at_least_width = |id: &ParamId| one(width, Relation::AtMost, Side::Parameter(*id));
    list.extend(formals.iter().map(at_least_width));
    let at_most_width = |id: &ParamId| one(*id, Relation::AtMost, Side::Parameter(width));
    list.extend(formals.iter().map(at_most_width));
    if is_open(&width) {
        list.push(one(width, Relation::AtLeast, Side::Number(2)));
        list.push(one(width, Relation::PowerOf, Side::Number(2)));
    }
    for &formal in &formals {
        list.push(one(formal, Relation::PowerOf, Side::Parameter(width)));
        list.push(one(formal, Relation::PowerOf, Side::Number(2)));
    }
    list
}
