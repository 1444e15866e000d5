//! Sweeps as comma-separated values: `program,machine,model,<parameters>,quantity,value,unit,exact`.
//!
//! The table is tidy: one value per line. `model` is empty for counts, `value` where there is none, and a
//! parameter where the program does not have it. `exact` is `false` for upper bounds.

use std::fmt::Write;
use std::ops::Range;

use crate::study::{Cell, Figures};

/// Bytes reserved for a batch of points. They usually suffice, so the buffer is not copied as it grows.
const A_BATCH: usize = 1 << 16;

/// Renders the header line.
pub fn header(columns: &[String]) -> String {
    let mut out = String::from("program,machine,model,");
    for column in columns {
        field(column, &mut out);
        out.push(',');
    }
    out.push_str("quantity,value,unit,exact\n");
    out
}

/// Renders the lines of one point.
pub fn rows(figures: &Figures<'_>, out: &mut String) {
    if out.capacity() == 0 {
        out.reserve(A_BATCH);
    }
    // The common cells of a point's rows are written once and copied afterwards.
    let mut common: Option<[Range<usize>; 2]> = None;
    for row in figures.rows {
        let start = out.len();
        match &common {
            Some([names, _]) => out.extend_from_within(names.clone()),
            None => {
                for name in [figures.program, figures.machine] {
                    field(name, out);
                    out.push(',');
                }
            }
        }
        let names = start..out.len();
        out.push_str(row.heading.model.unwrap_or_default());
        out.push(',');
        let start = out.len();
        match &common {
            Some([_, values]) => out.extend_from_within(values.clone()),
            None => parameters(figures, out),
        }
        common = Some([names, start..out.len()]);
        out.push_str(row.heading.quantity);
        out.push(',');
        cell(row.value, out);
        out.push(',');
        out.push_str(row.heading.unit);
        out.push_str(if row.is_exact { ",true\n" } else { ",false\n" });
    }
}

/// The values of the columns, each followed by a comma.
pub(super) fn parameters(figures: &Figures<'_>, out: &mut String) {
    for value in figures.values {
        if let Some(value) = value {
            number(value, out);
        }
        out.push(',');
    }
}

pub(super) fn cell(cell: Cell<'_>, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match cell {
        Cell::Nothing => Ok(()),
        Cell::Whole(count) => write!(out, "{count}"),
        Cell::Short(count) => {
            word(count, out);
            Ok(())
        }
        Cell::Rounded(value) => {
            rounded(value, out);
            Ok(())
        }
        Cell::Text(text) => {
            field(text, out);
            Ok(())
        }
    };
}

/// A whole number as its digits, a fraction as the nearest double.
pub(crate) fn number(value: &crate::number::Rational, out: &mut String) {
    if let Some(short) = value.to_i64() {
        return word(short, out);
    }
    let _ = if value.is_integer() {
        write!(out, "{value}")
    } else {
        write!(out, "{}", value.to_f64())
    };
}

/// The digits of a number. A fast path, as a table has millions of them.
fn word(number: i64, out: &mut String) {
    out.push_str(itoa::Buffer::new().format(number));
}

/// The shortest digits that identify the number, without an exponent.
fn rounded(number: f64, out: &mut String) {
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format(number);
    if number.is_finite() && !digits.contains('e') {
        out.push_str(digits.strip_suffix(".0").unwrap_or(digits));
    } else {
        // Writing to a string cannot fail.
        let _ = write!(out, "{number}");
    }
}

/// A text, quoted if necessary. One that a spreadsheet would take for a formula gets a `'` before it.
pub(crate) fn field(text: &str, out: &mut String) {
    if text.starts_with(['=', '+', '-', '@', '\t']) && text.parse::<f64>().is_err() {
        return field(&format!("'{text}"), out);
    }
    // Testing all bytes without an early exit can be vectorised, and few texts need quotes.
    let special = |found, byte| found | matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if text.bytes().fold(false, special) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_written_in_the_fewest_digits(bits in any::<u64>(), thousandths in any::<i32>()) {
            for number in [f64::from_bits(bits), f64::from(thousandths) / 1e3, f64::from(thousandths)] {
                let mut out = String::new();
                rounded(number, &mut out);
                let usual = number.to_string();
                // Of a number halfway between two as short, such as -274241816454186.625, either will do.
                prop_assert_eq!(out.len(), usual.len());
                prop_assert!(out == usual || out.parse() == Ok(number), "{} for {}", out, usual);
            }
        }
    }

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        let quoted = |text: &str| {
            let mut out = String::new();
            field(text, &mut out);
            out
        };
        assert_eq!(quoted("gtx650"), "gtx650");
        assert_eq!(quoted("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        assert_eq!(quoted("-5"), "-5");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!(
            header(&["n".to_owned(), "k'".to_owned()]),
            "program,machine,model,n,k',quantity,value,unit,exact\n"
        );
    }
}
