//! The information in a name itself: its scope, and the letters it may split into (language.md
//! §2.2, §5).

use crate::check::error::Suggestion;
use crate::program::Scope;
use crate::text::{lookalike, nearest};

/// Longest name compared: comparing takes the product of the lengths, and nobody misspells a longer
/// one.
const LONGEST_SUGGESTED: usize = 100;

/// Most names compared for one suggestion.
const MOST_COMPARED: usize = 1000;

/// Returns the scope of a variable by its first character: upper-case is host, an underscore is
/// shared, any other letter is global.
pub(super) fn scope_of(name: &str) -> Scope {
    match name.chars().next() {
        Some('_') => Scope::Shared,
        Some(first) if first.is_uppercase() => Scope::Host,
        Some(_) | None => Scope::Global,
    }
}

/// Returns the letters, each with its primes, of a name of two letters or more. `None` for a single
/// letter, or with a digit or an underscore, which never split.
pub(super) fn letters(name: &str) -> Option<Vec<&str>> {
    // `k'ℓ` has the letters k' and ℓ: primes belong to the letter before them.
    let mut letters = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if !first.is_alphabetic() {
            return None;
        }
        let after = &rest[first.len_utf8()..];
        let primes = after.len() - after.trim_start_matches('\'').len();
        let (letter, others) = rest.split_at(first.len_utf8() + primes);
        letters.push(letter);
        rest = others;
    }
    (letters.len() > 1).then_some(letters)
}

/// Respells a name for another scope: `_x` for `x`, `x` for `X`, `X` for `_x`.
pub(super) fn respelt(name: &str, scope: Scope) -> String {
    let bare = name.trim_start_matches('_');
    let mut rest = bare.chars();
    let first = rest.next();
    match scope {
        Scope::Shared => format!("_{bare}"),
        Scope::Global => first
            .into_iter()
            .flat_map(char::to_lowercase)
            .chain(rest)
            .collect(),
        Scope::Host => first
            .into_iter()
            .flat_map(char::to_uppercase)
            .chain(rest)
            .collect(),
    }
}

/// Suggests the known name nearest to a misspelt one; before all others, the one that looks the same, then the one
/// in the other case: `n` for `N`.
pub(super) fn suggestion<'n>(
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Option<Suggestion> {
    let known = known
        .into_iter()
        .take(MOST_COMPARED)
        .take_while(|_| name.len() <= LONGEST_SUGGESTED);
    let known: Vec<&str> = known
        .filter(|known| known.len() <= LONGEST_SUGGESTED)
        .collect();
    let mut alike = known.iter().filter_map(|known| {
        let letter = lookalike(name, known)?;
        Some(Suggestion::LooksLike((*known).to_owned(), letter))
    });
    alike.next().or_else(|| {
        let in_other_case = |known: &&&str| known.to_lowercase() == name.to_lowercase();
        let nearest = match known.iter().find(in_other_case) {
            Some(known) => known,
            None => nearest(name, known.iter().copied())?,
        };
        Some(Suggestion::Nearest(nearest.to_owned()))
    })
}

/// Suggests a variable for an unknown one: `_x` for `x_` and `_X`. One of another memory is no slip, for its first
/// character tells where it lives: then the declaration is missing.
pub(super) fn suggested_variable<'n>(
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Option<Suggestion> {
    let scope = scope_of(name);
    let shared = format!("_{}", name.trim_end_matches('_'));
    let (same, others): (Vec<&str>, Vec<&str>) = known.partition(|known| scope_of(known) == scope);
    if name.ends_with('_') && others.contains(&shared.as_str()) {
        return Some(Suggestion::Nearest(shared));
    }
    // `_c` is one letter from both `_a` and `_b`: it is as likely a word of its own.
    let is_short = |name: &str| name.trim_start_matches('_').chars().count() == 1;
    let is_other = |known: &&&str| is_short(known) && known.to_lowercase() != name.to_lowercase();
    let others_alike = same.iter().filter(is_other).count();
    let in_other_case = same
        .iter()
        .any(|known| known.to_lowercase() == name.to_lowercase());
    if is_short(name) && name.starts_with('_') && others_alike > 1 && !in_other_case {
        return Some(Suggestion::Declare(scope, name.to_owned()));
    }
    suggestion(name, same).or_else(|| {
        let other = suggestion(name, others)?;
        let Suggestion::Nearest(_) = other else {
            return Some(other);
        };
        Some(Suggestion::Declare(scope, name.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_characters_of_every_script_have_a_scope() {
        let scopes = ["A", "Ω", "a", "ε", "ש", "_A"].map(scope_of);
        use Scope::{Global, Host, Shared};
        assert_eq!(scopes, [Host, Host, Global, Global, Global, Shared]);
    }

    #[test]
    fn letters_keep_their_primes_and_digits_never_split() {
        assert_eq!(letters("ib"), Some(vec!["i", "b"]));
        assert_eq!(letters("k'ℓ"), Some(vec!["k'", "ℓ"]));
        assert_eq!(letters("k''"), None);
        assert_eq!(letters("α3"), None);
        assert_eq!(letters("i_b"), None);
    }
}
