//! Times by event, as `measure` writes them, as whole times and times of kernels.
//!
//! `program,n,event,line,amount,blocks,operations,ms,min_ms,…`: a row a transfer (`inward`, `outward`) or
//! `launch`. All rows of one program at the same parameters are one measurement.

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::array::Problem;
use crate::count::{Parameters, parse_number};
use crate::study::observed::{Observation, totals};

/// Columns that are no parameters.
const OWN: [&str; 14] = [
    "program",
    "event",
    "line",
    "amount",
    "blocks",
    "operations",
    "ms",
    "min_ms",
    "repeats",
    "warm_ups",
    "target",
    "device",
    "driver",
    "revision",
];

/// Reads measurements.
///
/// ```
/// use atgpu::study::observations;
///
/// let found = observations("n,total_ms,kernel_us\n1024,0.5,120\n2048,0.75,\n").expect("complete");
/// assert_eq!(found[0].kernel, Some(0.12));
/// assert_eq!(found[1].parameters.get("n"), Some(&2048.into()));
/// assert!(observations("n,words\n1024,3072\n").is_err());
/// ```
///
/// What `measure` writes, a row an event, is summed up.
///
/// # Errors
/// With its line: rows of another length than the first, cells that are no number, times that are
/// not above 0; two columns for one thing; and a file without a column of times, or without a row.
pub fn observations(text: &str) -> Result<Vec<Observation>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match are_events(text) {
        true => of_events(text),
        false => totals(text),
    }
}

/// Whether the first line of a text names the columns of events.
fn are_events(text: &str) -> bool {
    let header = text.lines().find(|line| !line.trim().is_empty());
    let mut names = header.unwrap_or_default().split(',').map(str::trim);
    names.clone().any(|name| name == "ms") && names.any(|name| name == "event")
}

/// The measurements that these events make up.
fn of_events(text: &str) -> Result<Vec<Observation>, Problem> {
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let columns = reader
        .headers()
        .map_err(|error| Problem::Csv(error.to_string()))?
        .clone();
    let mut found: Vec<Observation> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Problem::Csv(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let row = row(&columns, &record, line)?;
        let place = found
            .iter_mut()
            .find(|known| known.program == row.program && known.parameters == row.parameters);
        match place {
            Some(known) => {
                let sum = |one: Option<f64>, other: Option<f64>| match (one, other) {
                    (Some(one), Some(other)) => Some(one + other),
                    (one, other) => one.or(other),
                };
                known.total = sum(known.total, row.total);
                known.kernel = sum(known.kernel, row.kernel);
            }
            None => found.push(row),
        }
    }
    match found.is_empty() {
        true => Err(Problem::NoRows),
        false => Ok(found),
    }
}

fn row(columns: &StringRecord, record: &StringRecord, line: u64) -> Result<Observation, Problem> {
    let mut parameters = Parameters::new();
    let (mut program, mut is_launch, mut ms) = (None, false, None);
    for (at, (name, cell)) in columns.iter().zip(record).enumerate() {
        let bad = |expected| Problem::Measurement {
            line,
            column: at + 1,
            text: cell.to_owned(),
            expected,
        };
        match name {
            "program" => program = (!cell.is_empty()).then(|| cell.to_owned()),
            "event" => match cell {
                "launch" => is_launch = true,
                "inward" | "outward" => {}
                _ => return Err(bad("`inward`, `outward` or `launch`")),
            },
            "ms" => match cell.parse::<f64>() {
                Ok(time) if time >= 0.0 && time.is_finite() => ms = Some(time),
                Ok(_) | Err(_) => return Err(bad("time of at least 0")),
            },
            own if OWN.contains(&own) => {}
            parameter => {
                let value = parse_number(cell).map_err(|_| bad("number"))?;
                parameters.set(parameter, value);
            }
        }
    }
    Ok(Observation {
        line,
        program,
        parameters,
        total: ms,
        kernel: ms.filter(|_| is_launch),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_point_are_one_measurement() {
        let text = "program,n,event,line,amount,ms\nT,8,inward,3,8,0.5\nT,8,launch,4,1,0.25\n\
                    T,8,outward,9,8,0.125\nT,16,inward,3,16,1\nT,16,launch,4,2,2\n";
        assert!(are_events(text) && !are_events("n,total_ms\n1,2\n"));
        let found = observations(text).expect("complete");
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].total, found[0].kernel), (Some(0.875), Some(0.25)));
        assert_eq!((found[1].total, found[1].kernel), (Some(3.0), Some(2.0)));
        assert_eq!(found[1].parameters.get("n"), Some(&16.into()));
        assert!(observations("n,event,ms\n8,sideways,1\n").is_err());
        assert!(observations("n,event,ms\n").is_err());
    }
}
