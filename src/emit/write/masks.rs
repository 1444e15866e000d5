//! What a core does where a mask holds, as one `if`: statements, and whole loops in which nobody waits.
//!
//! A loop inside its `if` is what a compiler has under way several times over; with the `if` inside, it
//! asks each time.

use std::collections::HashMap;

use crate::emit::form::{Act, Step};
use crate::emit::term::Term;
use crate::program::WordType;

/// The mask under which steps begin, and how many of them in a row do nothing where it does not hold;
/// none where they begin without one but `under`.
pub(super) fn run<'s>(steps: &'s [Step], under: Option<&str>) -> Option<(&'s str, usize)> {
    // Lines of the program stand before the `if`.
    let mask = first_mask(steps.first()?)?;
    if Some(mask) == under {
        return None;
    }
    let mut holds = vec![mask];
    let mut run = 0;
    for (at, step) in steps.iter().enumerate() {
        if !joins(step, &mut holds) {
            break;
        }
        if !matches!(step, Step::Line(_)) {
            run = at + 1;
        }
    }
    // A mask that is asked for behind them has a value there, too.
    while run > 0 {
        let made = steps[..run].iter().filter_map(made_by);
        let mut made = made.filter(|name| *name != mask);
        if !made.any(|name| steps[run..].iter().any(|step| asks(step, name))) {
            break;
        }
        let last = steps[..run - 1]
            .iter()
            .rposition(|step| !matches!(step, Step::Line(_)));
        run = last.map_or(0, |last| last + 1);
    }
    (run > 0).then_some((mask, run))
}

/// A mask that one `if` alone asks for: its condition may stand there.
pub(super) struct AskedOnce<'s> {
    pub mask: &'s str,
    /// The mask where it is made, if it is not the one that holds already.
    around: Option<&'s str>,
    own: &'s Term,
    /// The steps under it.
    pub steps: &'s [Step],
}

impl AskedOnce<'_> {
    /// Returns the condition; `named` writes a mask as a term.
    pub(super) fn condition(&self, named: &dyn Fn(&str) -> Term) -> Term {
        match self.around {
            Some(around) => Term::infix("&&", named(around), self.own.clone()),
            None => self.own.clone(),
        }
    }
}

/// The mask that the first step makes, if only the steps right behind it ask for it.
pub(super) fn asked_once<'s>(steps: &'s [Step], under: Option<&str>) -> Option<AskedOnce<'s>> {
    let [
        Step::Act {
            mask: around,
            act: Act::Mask(mask, own),
        },
        rest @ ..,
    ] = steps
    else {
        return None;
    };
    let (asked, run) = self::run(rest, None)?;
    // A loop's own mask, made anew at its end, is asked for at its head.
    let is_own = around.as_deref() == Some(mask);
    let is_alone = asked == mask && !is_own && !rest[run..].iter().any(|step| asks(step, mask));
    is_alone.then(|| AskedOnce {
        mask,
        around: around.as_deref().filter(|around| Some(*around) != under),
        own,
        steps: &rest[..run],
    })
}

/// Counts the uses of each mask.
pub(super) fn asked_times<'s>(steps: &'s [Step], times: &mut HashMap<&'s str, usize>) {
    for step in steps {
        if let Step::Act {
            mask: Some(mask), ..
        }
        | Step::WhileAny { mask, .. } = step
        {
            *times.entry(mask).or_default() += 1;
        }
        if let Step::Scope(body) | Step::For { body, .. } | Step::WhileAny { body, .. } = step {
            asked_times(body, times);
        }
    }
}

/// Returns true if only these steps use a mask that they make. `all` counts the uses of the whole kernel.
pub(super) fn keeps_its_masks(steps: &[Step], all: &HashMap<&str, usize>) -> bool {
    let mut own = HashMap::new();
    asked_times(steps, &mut own);
    let mut made = steps.iter().filter_map(made_by);
    made.all(|name| own.get(name) == all.get(name))
}

/// The mask of the first act.
fn first_mask(step: &Step) -> Option<&str> {
    match step {
        Step::Act { mask, .. } => mask.as_deref(),
        Step::For { body, .. } | Step::Scope(body) => {
            let acts = |step: &&Step| !matches!(step, Step::Line(_) | Step::Let(..));
            first_mask(body.iter().find(acts)?)
        }
        Step::Line(_) | Step::Let(..) | Step::Barrier | Step::WhileAny { .. } => None,
    }
}

/// Whether nothing happens where none of the masks holds, nobody waits, and none of them is changed; those that a
/// step makes are added.
fn joins<'s>(step: &'s Step, holds: &mut Vec<&'s str>) -> bool {
    match step {
        Step::Line(_) => true,
        Step::Act { mask, act } => {
            let is_held = |name: &str| holds.contains(&name);
            if !mask.as_deref().is_some_and(is_held) {
                return false;
            }
            match act {
                Act::Mask(name, _) => {
                    let is_new = !is_held(name);
                    holds.push(name);
                    is_new
                }
                // These take turns, and wait for each other.
                Act::Update { word_type, .. } => *word_type == WordType::Int,
                Act::Set(..) | Act::Write(..) => true,
            }
        }
        // Names of their own do no harm inside.
        Step::Scope(body) | Step::For { body, .. } => body
            .iter()
            .all(|step| matches!(step, Step::Let(..)) || joins(step, holds)),
        Step::Let(..) | Step::Barrier | Step::WhileAny { .. } => false,
    }
}

/// The mask that a step makes; those made inside a loop or brackets are asked for there only.
fn made_by(step: &Step) -> Option<&str> {
    match step {
        Step::Act {
            act: Act::Mask(name, _),
            ..
        } => Some(name),
        _ => None,
    }
}

/// Whether a mask is asked for anywhere in a step.
fn asks(step: &Step, name: &str) -> bool {
    match step {
        Step::Act { mask, .. } => mask.as_deref() == Some(name),
        Step::For { body, .. } | Step::Scope(body) => body.iter().any(|step| asks(step, name)),
        Step::WhileAny { mask, body } => mask == name || body.iter().any(|step| asks(step, name)),
        Step::Line(_) | Step::Let(..) | Step::Barrier => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::form::Loop;

    fn act(mask: Option<&str>) -> Step {
        Step::Act {
            mask: mask.map(str::to_owned),
            act: Act::Set("v".to_owned(), Term::Whole(1)),
        }
    }

    /// `name` made where `mask` holds.
    fn made(name: &str, mask: Option<&str>) -> Step {
        Step::Act {
            mask: mask.map(str::to_owned),
            act: Act::Mask(name.to_owned(), Term::name("odd")),
        }
    }

    fn repeated(body: Vec<Step>) -> Step {
        let head = Loop {
            variable: "u".to_owned(),
            from: Term::Whole(0),
            to: Term::Whole(3),
            last: None,
            down: false,
        };
        Step::For { head, body }
    }

    #[test]
    fn a_loop_stands_in_the_if_of_all_that_it_does() {
        let inner = vec![act(Some("on")), made("on_2", Some("on")), act(Some("on_2"))];
        let steps = [act(Some("on")), repeated(inner), act(Some("on")), act(None)];
        assert_eq!(run(&steps, None), Some(("on", 3)));
        assert_eq!(run(&steps, Some("on")), None);
        assert_eq!(run(&[act(None)], None), None);
    }

    #[test]
    fn what_all_cores_do_stands_in_no_if() {
        let waits = repeated(vec![act(Some("on")), Step::Barrier]);
        let all = repeated(vec![act(Some("on")), act(None)]);
        let asks = Step::WhileAny {
            mask: "on".to_owned(),
            body: vec![act(Some("on"))],
        };
        for other in [waits, all, asks, Step::Barrier, act(Some("off"))] {
            assert_eq!(run(&[act(Some("on")), other], None), Some(("on", 1)));
        }
    }

    #[test]
    fn a_mask_that_is_asked_for_later_has_a_value_where_it_is_made() {
        let steps = [
            act(Some("on")),
            made("on_2", Some("on")),
            act(Some("on_2")),
            Step::Barrier,
            act(Some("on_2")),
        ];
        assert_eq!(run(&steps, None), Some(("on", 1)));
        assert_eq!(run(&steps[1..], None), None);
        // A mask that changes is no longer the one around.
        let changes = [act(Some("on")), made("on", Some("on")), act(Some("on"))];
        assert_eq!(run(&changes, None), Some(("on", 1)));
    }

    #[test]
    fn a_condition_stands_where_nobody_else_asks_for_it() {
        let once = [made("on", None), act(Some("on")), act(None)];
        let found = asked_once(&once, None).expect("nobody else asks");
        assert_eq!((found.mask, found.steps.len()), ("on", 1));
        assert_eq!(found.condition(&Term::name), Term::name("odd"));
        let inner = [made("on_2", Some("on")), act(Some("on_2"))];
        let both = Term::infix("&&", Term::name("on"), Term::name("odd"));
        let condition = |under| Some(asked_once(&inner, under)?.condition(&Term::name));
        assert_eq!(condition(None), Some(both));
        assert_eq!(condition(Some("on")), Some(Term::name("odd")));
        // Asked for behind a barrier, changed, or not asked for at all.
        let later = [
            made("on", None),
            act(Some("on")),
            Step::Barrier,
            act(Some("on")),
        ];
        let changed = [made("on", None), act(Some("on")), made("on", Some("on"))];
        assert!(asked_once(&later, None).is_none() && asked_once(&changed, None).is_none());
        assert!(asked_once(&[made("on", None), act(None)], None).is_none());
        // The end of a loop, whose head asks.
        let end = [made("on", Some("on")), act(Some("on"))];
        assert!(asked_once(&end, None).is_none() && asked_once(&end, Some("on")).is_none());
    }

    #[test]
    fn steps_keep_a_mask_that_nobody_else_asks_for() {
        let steps = [
            made("on", None),
            act(Some("on")),
            Step::Barrier,
            act(Some("on")),
        ];
        let mut all = HashMap::new();
        asked_times(&steps, &mut all);
        assert!(keeps_its_masks(&steps, &all) && !keeps_its_masks(&steps[..2], &all));
    }
}
