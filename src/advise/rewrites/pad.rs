//! `pad-rows`: `_s[b, b]` becomes `_s[b, b + 1]`, so that the words of a column lie in b banks.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::subject::Subject;
use crate::diag::Edit;
use crate::text::Span;

pub(super) fn drafts(subject: &Subject<'_>) -> Vec<Draft> {
    let arrays = subject.shared().filter(|array| array.dimensions.len() > 1);
    let padded = arrays.filter_map(|array| {
        let last = array.dimensions.last()?;
        Some(Draft {
            edits: vec![Edit {
                span: Span::new(last.span.end, last.span.end),
                text: " + 1".to_owned(),
            }],
            at: array.span,
            why: format!(
                "`{}` only gets longer rows: every index names the word that it named before",
                array.name.text
            ),
            keeps: Keeps::Values,
        })
    });
    padded.collect()
}
