//! The rows of a table at a point, tidy or wide.

use crate::cost::Value;
use crate::count::Quantity;
use crate::number::{BigInt, Rational};
use crate::study::sweep::{Case, Heading};

/// One value of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Cell<'c> {
    /// No value.
    #[default]
    Nothing,
    /// A count.
    Whole(&'c BigInt),
    /// A count that fits in a word.
    Short(i64),
    /// A time or a share, rounded only here.
    Rounded(f64),
    /// An asymptotic class.
    Text(&'c str),
}

impl<'c> Cell<'c> {
    fn of(value: &'c Value) -> Self {
        let rounded = |value: &Rational| Cell::Rounded(value.to_f64());
        match value {
            Value::Time(time) => rounded(time),
            Value::Share(share) => share.as_ref().map_or(Cell::Nothing, rounded),
            Value::Class(class) => class.as_deref().map_or(Cell::Nothing, Cell::Text),
            Value::Count(count) => count.as_ref().map_or(Cell::Nothing, Cell::count),
        }
    }

    /// The number, where it is one.
    pub(crate) fn to_f64(self) -> Option<f64> {
        match self {
            Cell::Nothing | Cell::Text(_) => None,
            Cell::Whole(count) => Some(Rational::from(count).to_f64()),
            Cell::Short(count) => Some(Rational::from(count).to_f64()),
            Cell::Rounded(number) => Some(number),
        }
    }

    fn count(count: &'c BigInt) -> Self {
        i64::try_from(count).map_or(Cell::Whole(count), Cell::Short)
    }
}

/// One figure of a point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'c> {
    pub(crate) heading: Heading,
    pub(crate) value: Cell<'c>,
    pub(crate) is_exact: bool,
}

/// The rows of a table at a point: the figures of its models, or the wanted quantities, totals and charges
/// included.
#[derive(Debug)]
pub struct Figures<'c> {
    pub(crate) program: &'c str,
    pub(crate) machine: &'c str,
    /// The values of [`Sweep::columns`](crate::study::Sweep::columns); `None` for a parameter that the
    /// program does not have.
    pub(crate) values: &'c [Option<Rational>],
    pub(crate) rows: &'c [Row<'c>],
}

/// The rows of a case under these headings; of a model that says nothing on the machine there are none.
pub(crate) fn rows<'c>(case: &Case<'c>, headings: &[Heading]) -> Vec<Row<'c>> {
    let charges = case.charges();
    let row = |heading: &Heading| {
        let (value, is_exact) = match heading.model {
            Some(model) => {
                let mut estimates = case.estimates.iter();
                let (_, estimate) = estimates.find(|(of, _)| *of == model)?;
                let mut figures = estimate.figures.iter();
                let figure = figures.find(|figure| figure.name == heading.quantity);
                let value = figure.map_or(Cell::Nothing, |figure| Cell::of(&figure.value));
                (value, case.exact.figure(model, heading.quantity))
            }
            None => total(case, heading.quantity)
                .or_else(|| charged(case, &charges, heading.quantity))?,
        };
        Some(Row {
            heading: *heading,
            value,
            is_exact,
        })
    };
    headings.iter().filter_map(row).collect()
}

/// A total of what is counted, and whether it is exact.
fn total<'c>(case: &Case<'c>, name: &str) -> Option<(Cell<'c>, bool)> {
    let which = Quantity::named(name)?;
    let mut totals = case.counts.totals.all().into_iter();
    let (_, total) = totals.find(|(of, _)| *of == which)?;
    Some((Cell::count(total), case.exact.total(which)))
}

/// A sum of what is charged, and whether it is exact.
fn charged(
    case: &Case<'_>,
    charges: &[(&'static str, Rational)],
    name: &str,
) -> Option<(Cell<'static>, bool)> {
    let (_, sum) = charges.iter().find(|(of, _)| *of == name)?;
    Some((Cell::Rounded(sum.to_f64()), case.has_exact_charges()))
}
