//! The present places of an older text's lines.

use crate::text::Source;

/// For each line of an older text, its present number.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    now: Vec<Option<usize>>,
    /// For each present line, its number in the older text.
    then: Vec<Option<usize>>,
}

impl Lines {
    /// Maps every line to itself.
    pub(super) fn of(source: &Source) -> Lines {
        let all: Vec<Option<usize>> = (1..=source.line_count()).map(Some).collect();
        Lines {
            now: all.clone(),
            then: all,
        }
    }

    /// Follows a change. Lines above and below it keep their identity; lines inside it are lost.
    pub(super) fn follow(&mut self, before: &Source, after: &Source) {
        let line = |source: &Source, number: usize| source.line_span(number);
        let text = |source: &Source, number: usize| source.slice(line(source, number)).to_owned();
        // Example: a line is inserted behind line 2 of 5. Then 2 lines are equal above and 3 below, so that
        // line 3 moves to 3 + 6 − 5 = 4.
        let (old, new) = (before.line_count(), after.line_count());
        let shorter = old.min(new);
        let same_above = (1..=shorter)
            .take_while(|number| text(before, *number) == text(after, *number))
            .count();
        let same_below = (0..shorter - same_above)
            .take_while(|back| text(before, old - back) == text(after, new - back))
            .count();
        for place in &mut self.now {
            *place = place.and_then(|number| match number {
                _ if number <= same_above => Some(number),
                _ if number > old - same_below => Some(number + new - old),
                _ => None,
            });
        }
        self.then = vec![None; new];
        for (older, now) in self.now.iter().enumerate() {
            if let Some(now) = now {
                self.then[now - 1] = Some(older + 1);
            }
        }
    }

    /// Returns the present number of a line of the older text.
    pub(super) fn now(&self, line: usize) -> Option<usize> {
        *self.now.get(line.checked_sub(1)?)?
    }

    /// Returns the older text's number of a present line.
    pub(super) fn then(&self, line: usize) -> Option<usize> {
        *self.then.get(line.checked_sub(1)?)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_with_what_is_written_above_them() {
        let texts = [
            "a\nb\nc\nd",
            "a\nx\ny\nb\nc\nd",
            "a\nx\ny\nb!\nc\nd",
            "c\nd",
            "",
        ];
        let sources: Vec<Source> = texts.iter().map(|text| Source::new("t", text)).collect();
        let mut lines = Lines::of(&sources[0]);
        let now = |lines: &Lines| (1..=4).map(|line| lines.now(line)).collect::<Vec<_>>();
        lines.follow(&sources[0], &sources[1]);
        assert_eq!(now(&lines), [Some(1), Some(4), Some(5), Some(6)]);
        assert_eq!((lines.then(4), lines.then(2)), (Some(2), None));
        lines.follow(&sources[1], &sources[2]);
        assert_eq!(now(&lines), [Some(1), None, Some(5), Some(6)]);
        lines.follow(&sources[2], &sources[3]);
        assert_eq!(now(&lines), [None, None, Some(1), Some(2)]);
        lines.follow(&sources[3], &sources[4]);
        assert_eq!(now(&lines), [None; 4]);
        assert_eq!(
            (lines.now(9), lines.now(0), lines.then(9)),
            (None, None, None)
        );
    }
}
