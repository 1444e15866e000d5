//! `pad-rows`: `_s[b, b]` becomes `_s[b, b + 1]`, so that the words of a column lie in b banks. `pad-words`: word e of
//! an array of one dimension becomes word e + e div b, so that words b, 2b, … apart lie in different banks.

use crate::advise::draft::{Draft, Keeps};
use crate::advise::names::names_of;
use crate::advise::subject::Subject;
use crate::diag::Edit;
use crate::syntax::ast::{Declaration, Name};
use crate::text::Span;

pub(super) fn rows(subject: &Subject<'_>) -> Vec<Draft> {
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

pub(super) fn words(subject: &Subject<'_>) -> Vec<Draft> {
    let arrays = subject.shared().filter(|array| array.dimensions.len() == 1);
    arrays.filter_map(|array| spread(subject, array)).collect()
}

fn spread(subject: &Subject<'_>, array: &Declaration) -> Option<Draft> {
    let name = array.name.text.as_str();
    let extent = subject.slice(array.dimensions.first()?.span);
    let kernels = subject.tree.kernels.iter().map(|kernel| &kernel.body);
    let bodies = kernels.chain([&subject.tree.body]);
    let words: Vec<&Name> = bodies.flat_map(names_of).collect();
    let words = words.into_iter().filter(|word| word.text == name);
    let padded = |text: &str| subject.spelled(&format!("{text} + {} div b", operand(text)));
    let mut edits = vec![Edit {
        span: array.dimensions.first()?.span,
        text: padded(extent),
    }];
    for word in words {
        let index = index_behind(subject.program.source.text(), word.span.end)?;
        let text = subject.slice(index);
        // A word of the array in its own index would be edited twice.
        if text.contains(name) {
            return None;
        }
        edits.push(Edit {
            span: index,
            text: padded(text),
        });
    }
    Some(Draft {
        edits,
        at: array.span,
        why: format!("different indices of `{name}` stay different: e + e div b grows with e"),
        keeps: Keeps::Values,
    })
}

/// The text between the brackets that open at a place.
fn index_behind(text: &str, at: usize) -> Option<Span> {
    let mut depth = 0;
    for (offset, letter) in text[at..].char_indices() {
        match letter {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(Span::new(at + 1, at + offset)),
            ']' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// A text as an operand of `div`.
fn operand(text: &str) -> String {
    if text.chars().all(char::is_alphanumeric) {
        text.to_owned()
    } else {
        format!("({text})")
    }
}
