//! The shape of a rule: its statement, and the function that applies it under facts.
//!
//! Each file beside this one keeps its rules in one list, in the order of trying. A rule answers
//! with a form that is equal wherever the facts hold. It proves its own premises, and does not
//! apply where it cannot. `tests` holds left = right for every row.

use crate::sym::facts::knowledge::Facts;

/// One rule, or one step that is always taken.
pub(crate) struct Rule<Left: ?Sized, Right> {
    /// The equation, as text.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "tests name the rule that fails")
    )]
    pub(crate) name: &'static str,
    /// Returns the right side for a left side.
    pub(crate) rewrite: fn(&Facts, &Left) -> Right,
}

/// Returns the result of the first rule that applies.
pub(crate) fn first<Left: ?Sized, Right>(
    rules: &[Rule<Left, Option<Right>>],
    facts: &Facts,
    left: &Left,
) -> Option<Right> {
    rules.iter().find_map(|rule| (rule.rewrite)(facts, left))
}

/// Returns the result of all steps, one after the other.
pub(crate) fn all<Form: Clone>(steps: &[Rule<Form, Form>], facts: &Facts, form: &Form) -> Form {
    let take = |form: Form, step: &Rule<Form, Form>| (step.rewrite)(facts, &form);
    steps.iter().fold(form.clone(), take)
}
