//! Measured times from CSV: `n,total_ms,kernel_ms`.
//!
//! The first line names the columns. `total…` is the whole time with transfers, `kernel…` the time without
//! them. The suffixes `_s`, `_us` and `_ns` are other units; a bare `total` is in ms. `program` names the
//! algorithm of a row. Every other column is a parameter. A row may leave a time or its program empty.
//! Repeated measurements are repeated rows.

use csv::{ReaderBuilder, Trim};

use crate::array::Problem;
use crate::count::{Parameters, canonical, parse_number};
use crate::number::{BigInt, legible};
use crate::program::Direction;
use crate::study::error::StrayMeasurement;

/// The kind of an event that is timed on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A transfer.
    Transfer(Direction),
    /// A kernel.
    Launch,
}

impl EventKind {
    /// Its name in the rows of `measure`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            EventKind::Transfer(Direction::Inward) => "inward",
            EventKind::Transfer(Direction::Outward) => "outward",
            EventKind::Launch => "launch",
        }
    }
}

/// A transfer or a launch, with its predicted counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The kind.
    pub kind: EventKind,
    /// The line of the program.
    pub line: u64,
    /// Words of a transfer, or MPs of a launch.
    pub amount: BigInt,
    /// Blocks of global memory of a launch.
    pub blocks: Option<BigInt>,
    /// Operations of its costliest MP.
    pub operations: Option<BigInt>,
    /// Shared words of an MP.
    pub shared: Option<BigInt>,
    /// Bytes of a word, if the file has them.
    pub word_bytes: Option<i64>,
    /// The shortest repetition, in ms; the time is the median.
    pub least: Option<f64>,
}

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Its line in the file.
    pub line: u64,
    /// The algorithm, if the file names it.
    pub program: Option<String>,
    /// The parameters of the measurement.
    pub parameters: Parameters,
    /// The whole time, in ms.
    pub total: Option<f64>,
    /// The time without transfers, in ms.
    pub kernel: Option<f64>,
    /// The transfer or launch, if the row is a single one.
    pub event: Option<Event>,
}

impl Observation {
    /// Verifies that the measurement belongs in a figure over the parameter `along`, of these programs, at
    /// these values of other parameters. A figure of shares needs both times.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn belongs(
        &self,
        along: &str,
        programs: &[&str],
        fixed: &Parameters,
        is_share: bool,
    ) -> Result<(), StrayMeasurement> {
        let line = self.line;
        if let Some(name) = &self.program
            && !programs.contains(&name.as_str())
        {
            let name = name.clone();
            return Err(StrayMeasurement::Program { line, name });
        }
        if self.parameters.get(along).is_none() {
            let name = along.to_owned();
            return Err(StrayMeasurement::Place { line, name });
        }
        for (name, drawn) in fixed.iter() {
            if let Some(measured) = self.parameters.get(name)
                && measured != drawn
            {
                return Err(StrayMeasurement::Elsewhere {
                    line,
                    name: name.to_owned(),
                    measured: legible(measured),
                    drawn: legible(drawn),
                });
            }
        }
        let lacking = match (self.total, self.kernel) {
            (None, None) => "both times",
            (None, Some(_)) if is_share => "the total",
            (Some(_), None) if is_share => "the time of the kernels",
            (Some(_), _) | (_, Some(_)) => return Ok(()),
        };
        Err(StrayMeasurement::Times { line, lacking })
    }
}

/// The meaning of a column.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    Program,
    /// The whole time, with its unit in ms.
    Total(f64),
    Kernel(f64),
    Parameter(String),
}

impl Column {
    /// The name of the column, independent of unit and spelling.
    fn name(&self) -> String {
        match self {
            Column::Program => "program".to_owned(),
            Column::Total(_) => "total".to_owned(),
            Column::Kernel(_) => "kernel".to_owned(),
            Column::Parameter(name) => canonical(name).into_owned(),
        }
    }
}

/// Reads whole times and times of kernels.
pub(super) fn totals(text: &str) -> Result<Vec<Observation>, Problem> {
    // A spreadsheet may put a byte-order mark first.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let mut columns: Option<(u64, Vec<Column>)> = None;
    let mut found = Vec::new();
    let mut lines = Lines::default();
    for record in reader.records() {
        let record = record.map_err(|error| Problem::Csv(error.to_string()))?;
        let offset = record.position().map_or(0, csv::Position::byte);
        let line = lines.of(text, offset);
        let Some((first, columns)) = &columns else {
            columns = Some((line, header(&record, line)?));
            continue;
        };
        if record.len() != columns.len() {
            return Err(Problem::Ragged {
                line,
                found: record.len(),
                first: *first,
                expected: columns.len(),
            });
        }
        found.push(observation(&record, line, columns)?);
    }
    if found.is_empty() {
        Err(Problem::NoRows)
    } else {
        Ok(found)
    }
}

/// Finds the lines of records. Records come in order, so each search continues from the last.
#[derive(Default)]
struct Lines {
    /// The offset reached, and the number of line ends before it.
    seen: (usize, u64),
}

impl Lines {
    /// Returns the line (from 1) of the record that begins at or after an offset. Blank lines and comments
    /// in between belong to no record.
    fn of(&mut self, text: &str, offset: u64) -> u64 {
        let (from, before) = self.seen;
        let start = usize::try_from(offset).unwrap_or(text.len());
        let passed = text.get(from..start).unwrap_or_default();
        let before = before + passed.matches('\n').count() as u64;
        self.seen = (start, before);
        let mut lines = text.get(start..).unwrap_or_default().lines().zip(0..);
        let record = lines.find(|(line, _)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        before + record.map_or(0, |(_, at)| at) + 1
    }
}

fn header(record: &csv::StringRecord, line: u64) -> Result<Vec<Column>, Problem> {
    let columns: Vec<Column> = record.iter().map(column).collect();
    let has_times = columns
        .iter()
        .any(|column| matches!(column, Column::Total(_) | Column::Kernel(_)));
    if !has_times {
        return Err(Problem::NoTimes { line });
    }
    for (at, column) in columns.iter().enumerate() {
        let name = column.name();
        if columns[..at].iter().any(|before| before.name() == name) {
            return Err(Problem::TwoColumns { line, name });
        }
    }
    let has_parameters = columns
        .iter()
        .any(|column| matches!(column, Column::Parameter(_)));
    if has_parameters {
        Ok(columns)
    } else {
        Err(Problem::NoParameters { line })
    }
}

fn column(name: &str) -> Column {
    let unit = |name: &str| {
        Some(match name {
            "" | "_ms" => 1.0,
            "_s" => 1e3,
            "_us" | "_µs" => 1e-3,
            "_ns" => 1e-6,
            _ => return None,
        })
    };
    if name == "program" {
        return Column::Program;
    }
    for (prefix, make) in [
        ("total", Column::Total as fn(f64) -> Column),
        ("kernel", Column::Kernel),
    ] {
        if let Some(unit) = name.strip_prefix(prefix).and_then(unit) {
            return make(unit);
        }
    }
    Column::Parameter(name.to_owned())
}

fn observation(
    record: &csv::StringRecord,
    line: u64,
    columns: &[Column],
) -> Result<Observation, Problem> {
    let mut found = Observation {
        line,
        program: None,
        parameters: Parameters::new(),
        total: None,
        kernel: None,
        event: None,
    };
    for (at, (cell, column)) in record.iter().zip(columns).enumerate() {
        let bad = |expected| Problem::Measurement {
            line,
            column: at + 1,
            text: cell.to_owned(),
            expected,
        };
        let time = |unit: f64| match cell.parse::<f64>() {
            _ if cell.is_empty() => Ok(None),
            Ok(time) if time > 0.0 && time.is_finite() => Ok(Some(time * unit)),
            Ok(_) | Err(_) => Err(bad("time above 0")),
        };
        match column {
            Column::Program => found.program = (!cell.is_empty()).then(|| cell.to_owned()),
            Column::Total(unit) => found.total = time(*unit)?,
            Column::Kernel(unit) => found.kernel = time(*unit)?,
            Column::Parameter(name) => {
                let value = parse_number(cell).map_err(|_| bad("number"))?;
                found.parameters.set(name, value);
            }
        }
    }
    if let (Some(total), Some(kernel)) = (found.total, found.kernel)
        && kernel > total
    {
        return Err(Problem::KernelBeyondTotal { line });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_parameters_and_times_in_ms() {
        let text = "n, total_ms, kernel_us, program\n# a comment\n2^16, 1.5, 250, VectorAddition\n\n1e6,,7.5,\n";
        let found = totals(text).expect("fine");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].parameters.get("n"), Some(&65536.into()));
        assert_eq!((found[0].total, found[0].kernel), (Some(1.5), Some(0.25)));
        assert_eq!(found[0].program.as_deref(), Some("VectorAddition"));
        assert_eq!((found[1].line, found[1].total), (5, None));
        assert_eq!(found[1].program, None);
        let seconds = totals("\u{feff}total_s,lambda\r\n0.5,3\r\n").expect("fine");
        assert_eq!(seconds[0].total, Some(500.0));
        assert_eq!(seconds[0].parameters.get("λ"), Some(&3.into()));
    }

    /// Looking for each line from the first took minutes here.
    #[test]
    fn long_files_are_read_in_one_pass() {
        let rows = 50_000;
        let text = format!("n,total\n{}", "32,1\n\n".repeat(rows));
        let found = totals(&text).expect("fine");
        assert_eq!(found.len(), rows);
        assert_eq!(found[rows - 1].line, 2 * rows as u64);
    }

    #[test]
    fn faults_have_their_line() {
        let fault = |text: &str| totals(text).expect_err(text);
        assert!(matches!(fault(""), Problem::NoRows));
        assert!(matches!(fault("n,total\n"), Problem::NoRows));
        assert!(matches!(
            fault("n,time\n1,2\n"),
            Problem::NoTimes { line: 1 }
        ));
        assert!(matches!(
            fault("total\n1\n"),
            Problem::NoParameters { line: 1 }
        ));
        for (header, twice) in [
            ("n,total,n", "n"),
            ("n,total_ms,total_us", "total"),
            ("lambda,λ,kernel", "λ"),
            ("program,n,kernel,program", "program"),
        ] {
            match fault(&format!("{header}\n1,1,1\n")) {
                Problem::TwoColumns { line: 1, name } => assert_eq!(name, twice),
                other => panic!("{other:?}"),
            }
        }
        assert!(matches!(
            fault("n,total\n1,2\n\n1\n"),
            Problem::Ragged {
                line: 4,
                found: 1,
                first: 1,
                expected: 2
            }
        ));
        for (text, at) in [
            ("n,total\n1,2\nx,3\n", (3, 1)),
            ("n,total\r\n1,2\r\n\r\n# a comment\r\n\r\nx,3\r\n", (6, 1)),
            ("n,total\n1,-2\n", (2, 2)),
            ("n,total\n1,0\n", (2, 2)),
            ("n,total\n1,inf\n", (2, 2)),
            ("n,kernel\n1,abc\n", (2, 2)),
            ("n,total\n,2\n", (2, 1)),
        ] {
            let place = match fault(text) {
                Problem::Measurement { line, column, .. } => (line, column),
                other => panic!("{other:?}"),
            };
            assert_eq!(place, at, "{text}");
        }
        assert!(matches!(
            fault("n,total,kernel\n1,2,3\n"),
            Problem::KernelBeyondTotal { line: 2 }
        ));
    }
}
