//! What a diagnostic quotes, cut to a length that a reader looks at.

use std::borrow::Cow;

/// The most characters that are quoted in one piece. Longer quotes would bury what is said about them.
const MOST_QUOTED: usize = 400;

/// The characters that are left of a longer quote.
const SHOWN: usize = 200;

/// Cuts every quote, and every other word, that is longer than a reader looks at.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= MOST_QUOTED {
        return Cow::Borrowed(text);
    }
    // Every second piece stands between backticks: a quote, of a line or a field. Outside, words are cut, such as the
    // name of a file.
    let pieces = text.split('`').enumerate();
    let pieces = pieces.map(|(at, piece)| match at % 2 {
        1 => cut(piece),
        _ => {
            let words = piece.split_inclusive(char::is_whitespace);
            words.map(cut).collect::<String>().into()
        }
    });
    Cow::Owned(pieces.collect::<Vec<Cow<'_, str>>>().join("`"))
}

fn cut(piece: &str) -> Cow<'_, str> {
    let body = piece.trim_end();
    let is_long = body.chars().nth(MOST_QUOTED).is_some();
    match body.char_indices().nth(SHOWN) {
        Some((end, _)) if is_long => {
            Cow::Owned(format!("{}…{}", &body[..end], &piece[body.len()..]))
        }
        _ => Cow::Borrowed(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_too_long_is_cut() {
        let long = "µ".repeat(MOST_QUOTED);
        let kept = format!("line 1, `{long}`, and `x` of {long} hold no number");
        assert_eq!(shortened(&kept), kept);
        let cut = format!("{}…", "µ".repeat(SHOWN));
        let text = kept.replace(&long, &(long.clone() + "µ"));
        let expected = format!("line 1, `{cut}`, and `x` of {cut} hold no number");
        assert_eq!(shortened(&text), expected);
        let spaced = format!("`{}`", "n + ".repeat(500));
        assert_eq!(shortened(&spaced).chars().count(), SHOWN + 4);
    }
}
