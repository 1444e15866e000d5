//! Columns of text, aligned: the first to the left, numbers to the right.

/// Which side the cells of a column keep to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table in the making.
pub(super) struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a header row.
    pub(super) fn new(header: &[(&str, Align)]) -> Self {
        Table {
            columns: header.iter().map(|(_, align)| *align).collect(),
            rows: vec![header.iter().map(|(text, _)| (*text).to_owned()).collect()],
        }
    }

    /// A table without header.
    pub(super) fn bare(columns: &[Align]) -> Self {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; cells beyond the columns are dropped, missing ones empty.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// The lines, each indented by two spaces, two spaces between columns, none at the end.
    pub(super) fn render(&self) -> String {
        let width_of = |at: usize| {
            let cells = self.rows.iter().map(|row| width(&row[at]));
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width_of).collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, align), column) in row.iter().zip(&self.columns).zip(&widths) {
                let padding = " ".repeat(column - width(cell));
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
        out
    }
}

/// Columns a text takes: one a character, which holds for all we print.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

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
