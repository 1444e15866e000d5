//! The form of a rule: what it says, and the function that applies it under facts.
//!
//! Each file beside this one has its rules in one list, in the order in which they are tried. A rule
//! answers with a form that is equal wherever the facts hold; what it needs for that it proves, and
//! where it cannot, it does not apply. `tests` holds left = right for every row.

use crate::sym::facts::knowledge::Facts;

/// One rule, or one step that is always taken.
pub(crate) struct Rule<Left: ?Sized, Right> {
    /// What becomes what.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "tests name the rule that fails")
    )]
    pub(crate) name: &'static str,
    /// The right side for this left side.
    pub(crate) rewrite: fn(&Facts, &Left) -> Right,
}

/// What the first rule that applies gives.
pub(crate) fn first<Left: ?Sized, Right>(
    rules: &[Rule<Left, Option<Right>>],
    facts: &Facts,
    left: &Left,
) -> Option<Right> {
    rules.iter().find_map(|rule| (rule.rewrite)(facts, left))
}

/// What all steps after each other give.
pub(crate) fn all<Form: Clone>(steps: &[Rule<Form, Form>], facts: &Facts, form: &Form) -> Form {
    let take = |form: Form, step: &Rule<Form, Form>| (step.rewrite)(facts, &form);
    steps.iter().fold(form.clone(), take)
}
