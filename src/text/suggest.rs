//! The nearest known name to a misspelt one.

use strsim::levenshtein;

/// The candidate with the smallest edit distance to `name`, if it is close enough to be a slip:
/// at most a third of the name's length, and at least one edit allowed for names of two letters
/// or more. The first of equally near candidates wins.
///
/// ```
/// use atgpu::text::nearest;
///
/// assert_eq!(nearest("trasnfer", ["time", "transfer", "total_time"]), Some("transfer"));
/// assert_eq!(nearest("q", ["time", "transfer"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / 3).max(usize::from(length > 1));
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (levenshtein(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_but_not_a_stranger() {
        assert_eq!(nearest("totl", ["total", "time"]), Some("total"));
        assert_eq!(nearest("speed", ["time", "io"]), None);
        assert_eq!(nearest("q", ["a", "b"]), None);
        assert_eq!(nearest("überal", ["überall", "uberal"]), Some("überall"));
    }
}
