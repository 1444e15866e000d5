//! Aligned columns of text: words to the left, numbers to the right. If a table is wider than a report, its
//! widest columns of words are wrapped.

use crate::report::wrap::{WIDTH, labelled, longest_word, wrapped};

/// Minimum width of a wrapped column.
const NARROWEST: usize = 16;

/// Indentation of a note.
const INDENT: &str = "            ";

/// The alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table under construction.
pub(super) struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
    /// Indices of stacked rows, with one line per cell after the first.
    stacked: Vec<usize>,
    /// True if cells of the last column move below their rows when there is no room beside them.
    has_notes: bool,
    /// True if the first row is a header. Only such a table can be split in two.
    has_header: bool,
}

impl Table {
    /// A table with a header row.
    pub(super) fn new(header: &[(&str, Align)]) -> Self {
        Table {
            columns: header.iter().map(|(_, align)| *align).collect(),
            rows: vec![header.iter().map(|(text, _)| (*text).to_owned()).collect()],
            stacked: Vec::new(),
            has_notes: false,
            has_header: true,
        }
    }

    /// A table without a header.
    pub(super) fn bare(columns: &[Align]) -> Self {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
            stacked: Vec::new(),
            has_notes: false,
            has_header: false,
        }
    }

    /// Moves cells of the last column below their rows, indented, if there is no room beside them.
    pub(super) fn with_notes(mut self) -> Self {
        self.has_notes = true;
        self
    }

    fn most(&self, column: usize, measure: fn(&str) -> usize) -> usize {
        let rows = self.rows.iter().enumerate();
        let in_columns = rows.filter(|(at, _)| column == 0 || !self.stacked.contains(at));
        let cells = in_columns.map(|(_, row)| measure(&row[column]));
        cells.max().unwrap_or(0)
    }

    /// Adds a row. Extra cells are dropped, missing ones are empty.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// Adds a stacked row: its cells after the first stand one below the other, at full width. They widen
    /// no column.
    pub(super) fn stacked_row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.stacked.push(self.rows.len());
        self.row(cells);
    }

    /// Returns true if every row fits on one line.
    pub(super) fn fits(&self) -> bool {
        let columns = 0..self.columns.len();
        all_of(columns.map(|at| self.most(at, width))) <= WIDTH
    }

    /// Renders the lines, indented by two spaces, with two spaces between columns and no trailing space.
    pub(super) fn render(&self) -> String {
        let mut widths = self.widths();
        if let Some(parts) = self.parts(&widths) {
            let parts: Vec<String> = parts.iter().map(Table::render).collect();
            return parts.join("\n");
        }
        let before = all_of(widths.iter().copied());
        if self.has_notes {
            widths.extend((widths.len() < self.columns.len()).then_some(0));
        }
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            if self.stacked.contains(&at) {
                self.render_stacked(row, widths[0], &mut out);
                continue;
            }
            let (mut row, mut note) = (row.clone(), None);
            if let Some(last) = row.last_mut().filter(|_| self.has_notes)
                && !last.is_empty()
                && before + 2 + width(last) > WIDTH
            {
                note = Some(std::mem::take(last));
            }
            self.render_row(&row, &widths, &mut out);
            if let Some(note) = note {
                out.push_str(&labelled(INDENT, &note));
            }
        }
        out
    }

    /// Splits a table that is too wide, even with wrapped columns, into two with the same first column.
    fn parts(&self, widths: &[usize]) -> Option<[Table; 2]> {
        if all_of(widths.iter().copied()) <= WIDTH || self.has_notes || !self.has_header {
            return None;
        }
        let mut room = WIDTH;
        let fitting = (0..self.columns.len()).take_while(|&at| {
            let column = self.most(at, width) + 2;
            let fits = column <= room;
            room = room.saturating_sub(column);
            fits
        });
        // The first part has at least one column beside the first; both parts need one.
        let seam = fitting.count().max(2);
        let part = |columns: Vec<usize>| Table {
            columns: columns.iter().map(|&at| self.columns[at]).collect(),
            rows: (self.rows.iter())
                .map(|row| columns.iter().map(|&at| row[at].clone()).collect())
                .collect(),
            stacked: self.stacked.clone(),
            has_notes: false,
            has_header: true,
        };
        (seam < self.columns.len()).then(|| {
            [
                part((0..seam).collect()),
                part(std::iter::once(0).chain(seam..self.columns.len()).collect()),
            ]
        })
    }

    fn render_stacked(&self, row: &[String], first: usize, out: &mut String) {
        let [name, cells @ ..] = row else { return };
        let label = format!("  {name:first$}  ");
        let indent = " ".repeat(label.chars().count());
        let present = cells.iter().filter(|cell| !cell.is_empty());
        for (at, cell) in present.enumerate() {
            let label = if at == 0 { &label } else { &indent };
            out.push_str(&labelled(label, cell));
        }
    }

    fn render_row(&self, row: &[String], widths: &[usize], out: &mut String) {
        let last = self.columns.len() - 1;
        // Notes in the last column are not wrapped: nothing stands behind them.
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(at, (cell, column))| {
                if self.has_notes && at == last {
                    vec![cell.clone()]
                } else {
                    chopped(wrapped(cell, *column), *column)
                }
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        for at in 0..height {
            let mut line = String::new();
            for ((cell, align), column) in cells.iter().zip(&self.columns).zip(widths) {
                let cell = cell.get(at).map_or("", String::as_str);
                let padding = " ".repeat(column.saturating_sub(width(cell)));
                line.push_str("  ");
                match align {
                    Align::Left => {
                        line.push_str(cell);
                        line.push_str(&padding);
                    }
                    Align::Right => {
                        line.push_str(&padding);
                        line.push_str(cell);
                    }
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }

    /// The widths of the columns, without the column of notes. They are natural if they fit. Otherwise the
    /// widest columns of words shrink one after the other, down to their longest words.
    fn widths(&self) -> Vec<usize> {
        let columns = 0..self.columns.len() - usize::from(self.has_notes);
        let mut widths: Vec<usize> = columns.clone().map(|at| self.most(at, width)).collect();
        let least: Vec<usize> = columns
            .clone()
            .map(|at| match self.columns[at] {
                Align::Left => self.most(at, longest_word).max(NARROWEST).min(widths[at]),
                Align::Right => widths[at],
            })
            .collect();
        give_way(&mut widths, &least);
        // If whole words leave too little room, long words are broken too.
        let least: Vec<usize> = columns
            .map(|at| match self.columns[at] {
                Align::Left => NARROWEST.min(widths[at]),
                Align::Right => widths[at],
            })
            .collect();
        give_way(&mut widths, &least);
        widths
    }
}

/// The total width of columns, with the space before each.
fn all_of(widths: impl Iterator<Item = usize>) -> usize {
    widths.map(|width| width + 2).sum()
}

/// Shrinks the widest columns, not below `least`, until all fit.
fn give_way(widths: &mut [usize], least: &[usize]) {
    while all_of(widths.iter().copied()) > WIDTH {
        let widest = (0..widths.len())
            .filter(|&at| widths[at] > least[at])
            .max_by_key(|&at| widths[at]);
        let Some(at) = widest else { return };
        widths[at] -= 1;
    }
}

/// Breaks lines longer than a column, before a capital or a mark if possible (`ReductionInterleaved`
/// `Divergent`).
fn chopped(lines: Vec<String>, room: usize) -> Vec<String> {
    let mut out = Vec::new();
    for line in lines {
        let mut rest: Vec<char> = line.chars().collect();
        while rest.len() > room.max(1) {
            let fits = 1..=room.max(1);
            let seam = fits
                .rev()
                .find(|&at| rest[at].is_uppercase() || "_-/.,(⌈".contains(rest[at]));
            let at = seam.filter(|at| 2 * at > room).unwrap_or(room.max(1));
            out.push(rest.drain(..at).collect());
        }
        out.push(rest.into_iter().collect());
    }
    out
}

/// The width of a text in columns: one per character, which holds for all our output.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_table_is_broken_into_lines() {
        let mut table = Table::new(&[("total", Align::Left), ("", Align::Left)]);
        let long = ["abc·(n + 1)"; 12].join(" + ");
        table.row(["io", &long]);
        let text = table.render();
        assert!(text.lines().count() > 2, "{text}");
        assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
        let words = text
            .split_whitespace()
            .skip(2)
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(words, long);
    }

    #[test]
    fn a_stacked_row_has_a_line_for_each_cell() {
        let mut table = Table::new(&[
            ("total", Align::Left),
            ("", Align::Left),
            ("class", Align::Left),
        ]);
        table.row(["io", "n", "Θ(n)"]);
        let long = ["abc"; 20].join(" + ");
        table.stacked_row(["time", &long, "∈ O(abc)"]);
        let text = table.render();
        let expected = [
            "  total     class".to_owned(),
            "  io     n  Θ(n)".to_owned(),
            format!("  time   {}", ["abc"; 15].join(" + ")),
            format!("         + {}", ["abc"; 5].join(" + ")),
            "         ∈ O(abc)".to_owned(),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_long_name_is_broken_at_a_capital() {
        let mut table = Table::bare(&[Align::Left, Align::Right]);
        let number = "9".repeat(70);
        table.row(["ReductionInterleavedDivergent", &number]);
        let first = table.render();
        assert!(first.starts_with("  ReductionInterleaved  "), "{first}");
        assert!(first.ends_with("\n  Divergent\n"), "{first}");
    }

    #[test]
    fn numbers_without_room_go_below() {
        let mut table = Table::new(&[
            ("program", Align::Left),
            ("time", Align::Right),
            ("io", Align::Right),
        ]);
        table.row(["Scan", &"1".repeat(60), &"2".repeat(60)]);
        let text = table.render();
        let expected = format!(
            "  program  {:>60}\n  Scan     {}\n\n  program  {:>60}\n  Scan     {}\n",
            "time",
            "1".repeat(60),
            "io",
            "2".repeat(60)
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&[("name", Align::Left), ("⌈x⌉", Align::Right)]);
        table.row(["a", "1"]);
        table.row(["longer", "1_000"]);
        assert_eq!(
            table.render(),
            "  name      ⌈x⌉\n  a           1\n  longer  1_000\n"
        );
    }
}
