//! Sweeps with one row a point: `program,machine,<parameters>,<figures>,exact`.
//!
//! A figure of a model is a column `model_figure`, what is counted one of its own name; a cell is
//! empty where there is nothing to say. `exact` is `false` where any figure is an upper bound.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::report::json::{Whole, value};
use crate::report::sweep::csv::{field, number};
use crate::report::sweep::json::parameter;
use crate::report::sweep::{Cell, each};
use crate::study::{Case, Sweep};

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
        let mut figures = sweep.figures();
        figures.retain(|(model, name)| match wanted.is_empty() {
            true => model.is_some(),
            false => wanted.iter().any(|wanted| wanted == name),
        });
        Columns { figures }
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

    /// The line of a case.
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
    /// sweep.run(&|case, out: &mut String| columns.csv(case, &wanted, out), &mut |_, rows| {
    ///     all += &rows;
    ///     ControlFlow::Continue(())
    /// })?;
    /// let lines: Vec<&str> = all.lines().take(2).collect();
    /// assert_eq!(lines, ["program,machine,n,time,io,exact", "VectorAddition,gtx650,32,13,3,true"]);
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn csv(&self, case: &Case<'_>, wanted: &[String], out: &mut String) {
        let (cells, is_exact) = self.cells(case, wanted, |cell| {
            let mut text = String::new();
            // Writing to a string cannot fail.
            let _ = match cell {
                Cell::Nothing => Ok(()),
                Cell::Whole(count) => write!(text, "{count}"),
                Cell::Rounded(value) => write!(text, "{value}"),
                Cell::Text(class) => {
                    field(class, &mut text);
                    Ok(())
                }
            };
            text
        });
        field(case.program, out);
        out.push(',');
        field(case.machine, out);
        out.push(',');
        for value in case.values {
            if let Some(value) = value {
                number(value, out);
            }
            out.push(',');
        }
        for cell in cells {
            out.push_str(&cell.unwrap_or_default());
            out.push(',');
        }
        out.push_str(if is_exact { "true\n" } else { "false\n" });
    }

    /// The object of a case, behind a comma and on a line of its own.
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
    /// sweep.run(&|case, out: &mut String| columns.json(case, &["n".into()], &wanted, out), &mut |_, rows| {
    ///     all += &rows;
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(all.contains(r#""parameters":{"n":64},"values":{"io":6},"exact":true}"#));
    /// # Ok::<(), atgpu::Error>(())
    /// ```
    pub fn json(&self, case: &Case<'_>, columns: &[String], wanted: &[String], out: &mut String) {
        let (cells, is_exact) = self.cells(case, wanted, |cell| match cell {
            Cell::Nothing => Value::Null,
            Cell::Whole(count) => value(Whole(count.clone())),
            Cell::Rounded(number) => value(number),
            Cell::Text(text) => value(text),
        });
        let parameters = columns.iter().zip(case.values);
        let parameters: Map<String, Value> = parameters
            .filter_map(|(name, value)| Some((name.clone(), parameter(value.as_ref()?))))
            .collect();
        let values = self.figures.iter().map(|figure| name(*figure));
        let values: Map<String, Value> = values
            .zip(cells.into_iter().map(Option::unwrap_or_default))
            .collect();
        out.push_str(",\n");
        let row = json!({
            "program": case.program,
            "machine": case.machine,
            "parameters": parameters,
            "values": values,
            "exact": is_exact,
        });
        out.push_str(&row.to_string());
    }

    /// The cells in the order of the columns, and whether none is an upper bound.
    fn cells<T: Clone>(
        &self,
        case: &Case<'_>,
        wanted: &[String],
        write: impl Fn(Cell<'_>) -> T,
    ) -> (Vec<Option<T>>, bool) {
        let mut cells = vec![None; self.figures.len()];
        let mut is_exact = true;
        each(case, wanted, &mut |row| {
            let figure = (row.model, row.quantity);
            if let Some(at) = self.figures.iter().position(|known| *known == figure) {
                cells[at] = Some(write(row.value));
                is_exact &= row.is_exact;
            }
        });
        (cells, is_exact)
    }
}

fn name((model, figure): (Option<&'static str>, &'static str)) -> String {
    match model {
        Some(model) => format!("{}_{figure}", model.replace('-', "_")),
        None => figure.to_owned(),
    }
}
