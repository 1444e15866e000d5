//! The known name nearest to a misspelt one.

use std::fmt;

use strsim::osa_distance;

/// Returns the candidate with the smallest edit distance to `name`, if it is close enough for a slip. The
/// limit is a third of the name's length, but at least one edit for names of two letters or more. Two letters
/// in the wrong order are one edit. The first of equally near candidates wins.
///
/// ```
/// use atgpu::text::nearest;
///
/// assert_eq!(nearest("trasnfer", ["time", "transfer", "total_time"]), Some("transfer"));
/// assert_eq!(nearest("q", ["time", "transfer"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names of 2 to 5 letters may differ by 1 edit, names of 6 to 8 letters by 2. A single letter gets
    // none: any other letter would be near it.
    let length = name.chars().count();
    let allowed = (length / 3).max(usize::from(length > 1));
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The known names, for a name that is none of them. It displays as advice.
///
/// ```
/// use atgpu::text::Known;
///
/// let known = |name| Known::beside(name, ["time", "transfer"]).to_string();
/// assert_eq!(known("trasnfer"), "did you mean `transfer`?");
/// assert_eq!(known("speed"), "there are time, transfer");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// The nearest name, if it is near enough to be meant.
    Near(String),
    /// All names, if none is near.
    All(Vec<String>),
}

impl Known {
    /// Compares a name with the known ones.
    pub fn beside<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Known {
        let known: Vec<&str> = known.into_iter().collect();
        match nearest(name, known.iter().copied()) {
            Some(near) => Known::Near(near.to_owned()),
            None => Known::All(known.into_iter().map(str::to_owned).collect()),
        }
    }

    /// Returns the advice, with the caller's words for the list of all names.
    pub fn or_else(&self, all: impl FnOnce(&str) -> String) -> String {
        match self {
            Known::Near(near) => format!("did you mean `{near}`?"),
            Known::All(names) => all(&names.join(", ")),
        }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.or_else(|all| format!("there are {all}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_but_not_a_stranger() {
        assert_eq!(nearest("totl", ["total", "time"]), Some("total"));
        assert_eq!(nearest("modle", ["machine", "model"]), Some("model"));
        assert_eq!(nearest("speed", ["time", "io"]), None);
        assert_eq!(nearest("q", ["a", "b"]), None);
        assert_eq!(nearest("überal", ["überall", "uberal"]), Some("überall"));
    }
}
