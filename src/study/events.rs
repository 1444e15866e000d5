//! Times by event, as `measure` writes them.
//!
//! `program,n,event,line,amount,blocks,operations,shared,ms,min_ms,…`: a row for each transfer (`inward`,
//! `outward`) or `launch`. For a plot all rows of one program at the same parameters are one measurement.
//! `calibrate` takes each row on its own, with its predicted counts.

use csv::{ReaderBuilder, StringRecord, Trim};
use num_bigint::Sign;

use crate::array::Problem;
use crate::count::{Parameters, parse_number};
use crate::number::BigInt;
use crate::program::Direction;
use crate::study::observed::{Event, EventKind, Observation, totals};

/// The columns of `atgpu measure` in order, without the parameters, which stand after the first.
#[doc(hidden)]
pub const EVENT_COLUMNS: [&str; 17] = [
    "program",
    "event",
    "line",
    "amount",
    "blocks",
    "operations",
    "shared",
    "word_bytes",
    "ms",
    "min_ms",
    "repeats",
    "warm_ups",
    "target",
    "memory",
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
/// Rows written by `measure`, one per event, are summed up.
///
/// # Errors
/// With its line: rows of another length than the first, cells that are no number, times that are
/// not above 0; two columns for one thing; and a file without a column of times, or without a row.
pub fn observations(text: &str) -> Result<Vec<Observation>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if are_events(text) {
        of_events(text)
    } else {
        totals(text)
    }
}

/// Reads measurements, each event on its own.
///
/// # Errors
/// The errors of [`observations`].
pub fn measurements(text: &str) -> Result<Vec<Observation>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if are_events(text) {
        rows(text)
    } else {
        totals(text)
    }
}

/// Returns true if the header of a text names the columns of events.
fn are_events(text: &str) -> bool {
    let header = text.lines().find(|line| !line.trim().is_empty());
    let mut names = header.unwrap_or_default().split(',').map(str::trim);
    names.clone().any(|name| name == "ms") && names.any(|name| name == "event")
}

/// Sums up events to measurements.
fn of_events(text: &str) -> Result<Vec<Observation>, Problem> {
    let mut found: Vec<Observation> = Vec::new();
    for row in rows(text)? {
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
            None => found.push(Observation { event: None, ..row }),
        }
    }
    Ok(found)
}

/// Each event on its own.
fn rows(text: &str) -> Result<Vec<Observation>, Problem> {
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let columns = reader
        .headers()
        .map_err(|error| Problem::Csv(error.to_string()))?
        .clone();
    let mut found = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Problem::Csv(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        found.push(row(&columns, &record, line)?);
    }
    if found.is_empty() {
        Err(Problem::NoRows)
    } else {
        Ok(found)
    }
}

fn row(columns: &StringRecord, record: &StringRecord, line: u64) -> Result<Observation, Problem> {
    let mut parameters = Parameters::new();
    let (mut program, mut kind, mut ms) = (None, None, None);
    let (mut of_program, mut amount) = (0, None);
    let (mut blocks, mut operations, mut shared) = (None, None, None);
    let (mut word_bytes, mut least) = (None, None);
    for (at, (name, cell)) in columns.iter().zip(record).enumerate() {
        let bad = |expected| Problem::Measurement {
            line,
            column: at + 1,
            text: cell.to_owned(),
            expected,
        };
        let count = || match cell {
            "" => Ok(None),
            digits => match digits.parse::<BigInt>() {
                Ok(count) if count.sign() != Sign::Minus => Ok(Some(count)),
                Ok(_) | Err(_) => Err(bad("whole number of at least 0")),
            },
        };
        match name {
            "program" => program = (!cell.is_empty()).then(|| cell.to_owned()),
            "event" => {
                kind = Some(match cell {
                    "launch" => EventKind::Launch,
                    "inward" => EventKind::Transfer(Direction::Inward),
                    "outward" => EventKind::Transfer(Direction::Outward),
                    _ => return Err(bad("`inward`, `outward` or `launch`")),
                });
            }
            "ms" => match cell.parse::<f64>() {
                Ok(time) if time >= 0.0 && time.is_finite() => ms = Some(time),
                Ok(_) | Err(_) => return Err(bad("time of at least 0")),
            },
            "line" => of_program = cell.parse().map_err(|_| bad("line of the program"))?,
            "amount" => amount = count()?,
            "blocks" => blocks = count()?,
            "operations" => operations = count()?,
            "shared" => shared = count()?,
            "word_bytes" => word_bytes = cell.parse().ok(),
            "min_ms" => least = cell.parse().ok(),
            own if EVENT_COLUMNS.contains(&own) => {}
            // A parameter of another program.
            _ if cell.is_empty() => {}
            parameter => {
                let value = parse_number(cell).map_err(|_| bad("number"))?;
                parameters.set(parameter, value);
            }
        }
    }
    let event = kind.zip(amount).map(|(kind, amount)| Event {
        kind,
        line: of_program,
        amount,
        blocks,
        operations,
        shared,
        word_bytes,
        least,
    });
    Ok(Observation {
        line,
        program,
        parameters,
        total: ms,
        kernel: ms.filter(|_| kind == Some(EventKind::Launch)),
        event,
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
