//! The header of a program: takes its `let`s, sizes and declared ranges, and gives verdicts on all that is evaluated
//! before anything runs.

use crate::program::{Arithmetic, LetBinding, NumberKind, Role, VarId};
use crate::safety::bounds;
use crate::safety::requires;
use crate::safety::site::Place;
use crate::safety::verdict::{Lack, Property, Reason, Subject, Verdict};
use crate::safety::walk::Walk;
use crate::sym::{Cond, Expr};

/// Judges the header, and leaves in `place` all that holds once it is evaluated.
pub(super) fn judge(walk: &mut Walk<'_>, place: &mut Place) {
    for binding in &walk.program.lets {
        number(walk, binding, place);
    }
    for id in walk.program.variable_ids() {
        sizes(walk, id, place);
        range(walk, id, place);
    }
    requires::judge(walk.program, &mut walk.forms, place, &mut walk.judged);
}

/// Judges a `let` and binds its name.
fn number(walk: &mut Walk<'_>, binding: &LetBinding, place: &mut Place) {
    walk.whole_value(&binding.value, place);
    let Some(value) = walk.forms.number(&binding.value, place) else {
        return;
    };
    // From here on it is whole, or nothing runs.
    if let NumberKind::Binary {
        operator: Arithmetic::Divide,
        left,
        right,
    } = &binding.value.kind
        && let [Some(left), Some(right)] = [left, right].map(|side| walk.forms.number(side, place))
        && place.facts.is_integer(&left)
        && place.facts.is_integer(&right)
    {
        place.facts.suppose(&Cond::divides(&right, &left));
    }
    walk.forms
        .bind(binding.parameter, Some(value), binding.span);
}

/// Judges the extents of a variable: whole, and never negative.
fn sizes(walk: &mut Walk<'_>, id: VarId, place: &mut Place) {
    for extent in &walk.program.variable(id).dimensions {
        walk.whole_value(extent, place);
        let verdict = match walk.forms.number(extent, place) {
            Some(extent) if bounds::never_negative(&extent, place) => continue,
            Some(extent) => {
                let fits = Cond::ge(&extent, &Expr::zero());
                place.facts.suppose(&fits);
                Verdict::Open(Reason::Unproved(Lack::Condition(fits)))
            }
            None => Verdict::Open(Reason::Form),
        };
        walk.judge(Property::Defined, extent.span, Subject::Size(id), verdict);
    }
}

/// Judges the range that a declaration gives its variable.
fn range(walk: &mut Walk<'_>, id: VarId, place: &mut Place) {
    let variable = walk.program.variable(id);
    let Some((low, high)) = &variable.range else {
        return;
    };
    for end in [low, high] {
        walk.defined(end, place);
        if !walk.forms.is_float(id) {
            walk.whole(end, place);
        }
    }
    // An input whose range holds no value can have no data: a run says so.
    let ends = [low, high].map(|end| walk.forms.number(end, place));
    if let (Role::Input, [Some(low), Some(high)]) = (variable.role, ends)
        && place.facts.proves(&Cond::lt(&high, &low))
    {
        let holds_one = Lack::Condition(Cond::le(&low, &high));
        let verdict = Verdict::Open(Reason::Unproved(holds_one));
        let subject = Subject::Range(id);
        walk.judge(Property::Defined, variable.span, subject, verdict);
    }
}
