//! Sweeps as comma-separated values: `program,machine,model,<parameters>,quantity,value,unit,exact`.
//!
//! Tidy: one value a line. `model` is empty for what was counted, `value` where there is none,
//! a parameter where the program does not have it; `exact` is `false` for upper bounds.

use std::fmt::Write;

use crate::report::sweep::{Cell, each};
use crate::study::Case;

/// The first line.
///
/// ```
/// use atgpu::report::sweep::csv;
///
/// assert_eq!(csv::header(&["n".into()]), "program,machine,model,n,quantity,value,unit,exact\n");
/// ```
pub fn header(columns: &[String]) -> String {
    let mut out = String::from("program,machine,model,");
    for column in columns {
        field(column, &mut out);
        out.push(',');
    }
    out.push_str("quantity,value,unit,exact\n");
    out
}

/// The lines of one case: of the models' figures, or of the quantities `wanted`.
///
/// ```
/// use atgpu::report::sweep::csv;
/// use std::ops::ControlFlow;
///
/// let program = atgpu::examples::vector_addition();
/// let sweep = atgpu::examples::sweep(&program);
/// let mut all = csv::header(sweep.columns());
/// let quantities = ["io".to_owned()];
/// sweep.run(&|case, out: &mut String| csv::rows(case, &quantities, out), &mut |_, rows| {
///     all += &rows;
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(all.lines().nth(2), Some("VectorAddition,gtx650,,64,io,6,blocks,true"));
/// # Ok::<(), atgpu::Error>(())
/// ```
pub fn rows(case: &Case<'_>, wanted: &[String], out: &mut String) {
    let mut parameters = String::new();
    for value in case.values {
        if let Some(value) = value {
            number(value, &mut parameters);
        }
        parameters.push(',');
    }
    each(case, wanted, &mut |row| {
        field(case.program, out);
        out.push(',');
        field(case.machine, out);
        out.push(',');
        out.push_str(row.model.unwrap_or_default());
        out.push(',');
        out.push_str(&parameters);
        out.push_str(row.quantity);
        out.push(',');
        // Writing to a string cannot fail.
        let _ = match row.value {
            Cell::Nothing => Ok(()),
            Cell::Whole(count) => write!(out, "{count}"),
            Cell::Rounded(value) => write!(out, "{value}"),
            Cell::Text(text) => {
                field(text, out);
                Ok(())
            }
        };
        out.push(',');
        out.push_str(row.unit);
        out.push_str(if row.is_exact { ",true\n" } else { ",false\n" });
    });
}

/// A whole number as its digits, a fraction as the nearest double.
pub(crate) fn number(value: &crate::number::Rational, out: &mut String) {
    let _ = match value.is_integer() {
        true => write!(out, "{value}"),
        false => write!(out, "{}", value.to_f64()),
    };
}

/// A text, in quotes where CSV needs them.
pub(crate) fn field(text: &str, out: &mut String) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        let quoted = |text: &str| {
            let mut out = String::new();
            field(text, &mut out);
            out
        };
        assert_eq!(quoted("gtx650"), "gtx650");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!(
            header(&["n".to_owned(), "k'".to_owned()]),
            "program,machine,model,n,k',quantity,value,unit,exact\n"
        );
    }
}
