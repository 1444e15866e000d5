//! The missing `require`: a short condition that the witness does not meet and under which the place
//! that failed is proved.
//!
//! Takes the places that runs have refuted and gives each the first condition that will do. None is
//! proposed that was not proved to suffice, nor one that contradicts the program's own `require`s.

use crate::count::Parameters;
use crate::program::{ParamId, Program};
use crate::safety::proofs_under;
use crate::safety::verdict::{Judged, Subject, Verdict};
use crate::sym::{Cond, Expr};
use crate::symbolic::symbols::Symbols;

/// Conditions under which a program is proved once more.
const MOST_PROOFS: usize = 5;

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
pub(crate) fn propose(program: &Program, given: &Parameters, judged: &mut [Judged]) {
    let mut proofs = 0;
    for candidate in candidates(program, given) {
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
                witness.require = Some(candidate.text(program));
            }
        }
    }
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
