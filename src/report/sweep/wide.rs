//! Sweeps with one row per point: `program,machine,<parameters>,<figures>,exact`.
//!
//! A model's figure is the column `model_figure`, a count has a column of its own name. A cell is empty if
//! there is no value. `exact` is `false` if any figure is an upper bound.

use serde_json::{Map, Value, json};

use crate::report::sweep::csv::{self, field};
use crate::report::sweep::json;

use crate::study::{Figures, Heading, Row, Sweep};

/// The figures that become columns.
pub struct Columns {
    headings: Vec<Heading>,
}

impl Columns {
    /// Selects the models' figures, or the quantities in `wanted`.
    pub fn of(sweep: &Sweep<'_>, wanted: &[String]) -> Columns {
        Columns {
            headings: sweep.shown(wanted),
        }
    }

    /// Renders the header line.
    pub fn header(&self, sweep: &Sweep<'_>) -> String {
        let mut out = String::from("program,machine,");
        for column in sweep.columns() {
            field(column, &mut out);
            out.push(',');
        }
        for heading in &self.headings {
            out.push_str(&heading.full_name());
            out.push(',');
        }
        out.push_str("exact\n");
        out
    }

    /// Renders the line of a point.
    pub fn csv(&self, figures: &Figures<'_>, out: &mut String) {
        field(figures.program, out);
        out.push(',');
        field(figures.machine, out);
        out.push(',');
        csv::parameters(figures, out);
        let mut is_exact = true;
        for row in self.rows(figures) {
            if let Some(row) = row {
                csv::cell(row.value, out);
                is_exact &= row.is_exact;
            }
            out.push(',');
        }
        out.push_str(if is_exact { "true\n" } else { "false\n" });
    }

    /// Renders the object of a point, on its own line after a comma.
    pub fn json(&self, figures: &Figures<'_>, columns: &[String], out: &mut String) {
        let cells = self.rows(figures);
        let cells = cells.map(|row| row.map_or(Value::Null, |row| json::cell(row.value)));
        let names = self.headings.iter().map(Heading::full_name);
        let values: Map<String, Value> = names.zip(cells).collect();
        let is_exact = self.rows(figures).flatten().all(|row| row.is_exact);
        out.push_str(",\n");
        let row = json!({
            "program": figures.program,
            "machine": figures.machine,
            "parameters": json::parameters(figures, columns),
            "values": values,
            "exact": is_exact,
        });
        out.push_str(&row.to_string());
    }

    /// The rows in the order of the columns.
    fn rows<'f>(&'f self, figures: &'f Figures<'_>) -> impl Iterator<Item = Option<&'f Row<'f>>> {
        self.headings.iter().map(|heading| {
            let mut rows = figures.rows.iter();
            rows.find(|row| row.heading == *heading)
        })
    }
}
