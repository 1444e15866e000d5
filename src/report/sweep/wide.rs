//! Sweeps with one row a point: `program,machine,<parameters>,<figures>,exact`.
//!
//! A figure of a model is a column `model_figure`, what is counted one of its own name; a cell is
//! empty where there is nothing to say. `exact` is `false` where any figure is an upper bound.

use serde_json::{Map, Value, json};

use crate::report::sweep::csv::{self, field};
use crate::report::sweep::json;

use crate::study::{Figures, Row, Sweep};

/// The figures of a sweep that become columns.
pub struct Columns {
    figures: Vec<(Option<&'static str>, &'static str)>,
}

impl Columns {
    /// Of the models' figures, or of the quantities `wanted`.
    ///
    /// ```
    /// use atgpu::report::sweep::wide::Columns;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// let columns = Columns::of(&sweep, &["gpu_cost".into(), "io".into()]);
    /// assert_eq!(columns.header(&sweep), "program,machine,n,atgpu_gpu_cost,io,exact\n");
    /// ```
    pub fn of(sweep: &Sweep<'_>, wanted: &[String]) -> Columns {
        Columns {
            figures: sweep.shown(wanted),
        }
    }

    /// The first line.
    ///
    /// ```
    /// use atgpu::report::sweep::wide::Columns;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// let header = Columns::of(&sweep, &["time".into()]).header(&sweep);
    /// assert_eq!(header, "program,machine,n,time,exact\n");
    /// ```
    pub fn header(&self, sweep: &Sweep<'_>) -> String {
        let mut out = String::from("program,machine,");
        for column in sweep.columns() {
            field(column, &mut out);
            out.push(',');
        }
        for figure in &self.figures {
            out.push_str(&name(*figure));
            out.push(',');
        }
        out.push_str("exact\n");
        out
    }

    /// The line of a point.
    ///
    /// ```
    /// use atgpu::report::sweep::wide::Columns;
    /// use std::ops::ControlFlow;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// let wanted = ["io".to_owned(), "time".to_owned()];
    /// let columns = Columns::of(&sweep, &wanted);
    /// let mut all = columns.header(&sweep);
    /// sweep.table(&wanted, &|figures, out: &mut String| columns.csv(figures, out), &mut |_, rows| {
    ///     all += &rows;
    ///     ControlFlow::Continue(())
    /// })?;
    /// let lines: Vec<&str> = all.lines().take(2).collect();
    /// assert_eq!(lines, ["program,machine,n,time,io,exact", "VectorAddition,gtx650,32,13,3,true"]);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
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

    /// The object of a point, behind a comma and on a line of its own.
    ///
    /// ```
    /// use atgpu::report::sweep::wide::Columns;
    /// use std::ops::ControlFlow;
    ///
    /// let program = atgpu::examples::vector_addition();
    /// let sweep = atgpu::examples::sweep(&program);
    /// let wanted = ["io".to_owned()];
    /// let columns = Columns::of(&sweep, &wanted);
    /// let mut all = String::new();
    /// sweep.table(
    ///     &wanted,
    ///     &|figures, out: &mut String| columns.json(figures, &["n".into()], out),
    ///     &mut |_, rows| {
    ///         all += &rows;
    ///         ControlFlow::Continue(())
    ///     },
    /// )?;
    /// assert!(all.contains(r#""parameters":{"n":64},"values":{"io":6},"exact":true}"#));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn json(&self, figures: &Figures<'_>, columns: &[String], out: &mut String) {
        let cells = self.rows(figures);
        let cells = cells.map(|row| row.map_or(Value::Null, |row| json::cell(row.value)));
        let names = self.figures.iter().map(|figure| name(*figure));
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
        self.figures.iter().map(|(model, quantity)| {
            let mut rows = figures.rows.iter();
            rows.find(|row| row.model == *model && row.quantity == *quantity)
        })
    }
}

fn name((model, figure): (Option<&'static str>, &'static str)) -> String {
    match model {
        Some(model) => format!("{}_{figure}", model.replace('-', "_")),
        None => figure.to_owned(),
    }
}
