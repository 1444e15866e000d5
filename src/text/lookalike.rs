//! Letters of different alphabets that look the same.

use std::fmt;

/// Letters of the Greek and Cyrillic alphabets, each followed by the Latin letter that it looks like. Where a Greek
/// letter is in common use by itself, as α is, it counts only beside the name that it is taken for.
const ALIKE: &str = "\
    АAВBЕEЅSІIЈJКKМMНHОOРPСCТTУYХXаaсcеeһhіiјjоoрpѕsуyхxԁdԛqԝw\
    ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοoαaνvρpυuιi\
    µμ";

/// A letter taken for another one. It displays as `Cyrillic А looks like Latin A`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
#[non_exhaustive]
pub struct Lookalike {
    /// The letter that is written.
    pub written: char,
    /// The letter that is meant.
    pub meant: char,
}

impl fmt::Display for Lookalike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lookalike { written, meant } = *self;
        let [one, other] = [written, meant].map(alphabet);
        write!(f, "{one}{written} looks like {other}{meant}")
    }
}

/// Returns the name of a character's alphabet, with a space behind it.
fn alphabet(c: char) -> &'static str {
    match c {
        'µ' => "the micro sign ",
        '\u{370}'..='\u{3ff}' => "Greek ",
        '\u{400}'..='\u{52f}' => "Cyrillic ",
        '\u{ff01}'..='\u{ff5e}' => "fullwidth ",
        c if c.is_ascii_alphabetic() => "Latin ",
        _ => "",
    }
}

/// Returns the character that this one looks like; itself where there is none.
fn plain(c: char) -> char {
    if let '\u{ff01}'..='\u{ff5e}' = c {
        // Fullwidth forms stand in the order of ASCII.
        return char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
    }
    let mut pairs = ALIKE.chars();
    while let (Some(written), Some(meant)) = (pairs.next(), pairs.next()) {
        if written == c {
            return meant;
        }
    }
    c
}

/// Returns the name in the letters that it looks to be written in.
fn seen(name: &str) -> impl Iterator<Item = char> {
    name.chars().map(plain)
}

/// Returns the first letter that makes two names differ which look the same.
///
/// ```
/// use atgpu::text::lookalike;
///
/// let told = lookalike("xА", "xA").map(|found| found.to_string());
/// assert_eq!(told.as_deref(), Some("Cyrillic А looks like Latin A"));
/// assert_eq!(lookalike("xB", "xA"), None);
/// ```
#[doc(hidden)]
pub fn lookalike(name: &str, known: &str) -> Option<Lookalike> {
    if name == known || !seen(name).eq(seen(known)) {
        return None;
    }
    let mut letters = name.chars().zip(known.chars());
    let (written, meant) = letters.find(|(written, meant)| written != meant)?;
    Some(Lookalike { written, meant })
}

/// Returns a word in Latin letters, and the first letter that is none, where all that are none look like one.
///
/// ```
/// use atgpu::text::latin;
///
/// let (word, letter) = latin("fоr").expect("it has a Cyrillic letter");
/// assert_eq!((word.as_str(), letter.written), ("for", 'о'));
/// assert_eq!(latin("for"), None);
/// ```
#[doc(hidden)]
pub fn latin(word: &str) -> Option<(String, Lookalike)> {
    let written = word.chars().find(|c| !c.is_ascii())?;
    let latin: String = seen(word).collect();
    let meant = plain(written);
    latin
        .is_ascii()
        .then_some((latin, Lookalike { written, meant }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_of_two_alphabets() {
        let letters: Vec<char> = ALIKE.chars().collect();
        assert_eq!(letters.len() % 2, 0);
        for pair in letters.chunks(2) {
            let [one, other] = [pair[0], pair[1]].map(alphabet);
            assert!(
                !one.is_empty() && !other.is_empty() && one != other,
                "{pair:?}"
            );
            assert_eq!(
                letters.iter().step_by(2).filter(|c| **c == pair[0]).count(),
                1
            );
        }
    }

    #[test]
    fn the_letters_are_named() {
        let told = |name, known| lookalike(name, known).map(|found| found.to_string());
        let cyrillic = Some("Cyrillic а looks like Latin a".to_owned());
        assert_eq!(told("а", "a"), cyrillic);
        let latin = Some("Latin a looks like Cyrillic а".to_owned());
        assert_eq!(told("_a", "_а"), latin);
        let greek = Some("Greek Α looks like Cyrillic А".to_owned());
        assert_eq!(told("Α", "А"), greek);
        let micro = Some("the micro sign µ looks like Greek μ".to_owned());
        assert_eq!(told("µ", "μ"), micro);
        let wide = Some("fullwidth ｎ looks like Latin n".to_owned());
        assert_eq!(told("ｎ", "n"), wide);
        assert_eq!(told("a", "a"), None);
        assert_eq!(super::latin("ε"), None);
    }
}
