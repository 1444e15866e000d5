//! The rows of a table at a point, tidy or wide.

use crate::cost::Value;
use crate::number::{BigInt, Rational};
use crate::study::sweep::Case;
use crate::study::sweep::units::{unit_of, unit_of_count};

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
    fn count(count: &'c BigInt) -> Self {
        i64::try_from(count).map_or(Cell::Whole(count), Cell::Short)
    }
}

/// One figure of a point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'c> {
    /// The model; `None` for a count.
    pub(crate) model: Option<&'static str>,
    /// The figure.
    pub(crate) quantity: &'static str,
    pub(crate) value: Cell<'c>,
    pub(crate) unit: &'static str,
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

/// Returns true if a figure of a model, or a count (without a model), is part of a table with these wanted
/// quantities.
pub(super) fn is_wanted(wanted: &[String], model: Option<&str>, name: &str) -> bool {
    match wanted.is_empty() {
        true => model.is_some(),
        false => wanted.iter().any(|wanted| wanted == name),
    }
}

/// The rows of a case.
pub(super) fn rows<'c>(case: &Case<'c>, wanted: &[String]) -> Vec<Row<'c>> {
    let mut rows = Vec::new();
    for (model, estimate) in case.estimates {
        let figures = estimate.figures.iter();
        for figure in figures.filter(|figure| is_wanted(wanted, Some(model), figure.name)) {
            let rounded = |value: &Rational| Cell::Rounded(value.to_f64());
            rows.push(Row {
                model: Some(model),
                quantity: figure.name,
                value: match &figure.value {
                    Value::Time(time) => rounded(time),
                    Value::Share(share) => share.as_ref().map_or(Cell::Nothing, rounded),
                    Value::Class(class) => class.as_deref().map_or(Cell::Nothing, Cell::Text),
                    Value::Count(count) => count.as_ref().map_or(Cell::Nothing, Cell::count),
                },
                unit: unit_of(figure.name, &figure.value, estimate),
                is_exact: case.exact.figure(model, figure.name),
            });
        }
    }
    for (which, total) in case.counts.totals.all() {
        if is_wanted(wanted, None, which.name()) {
            rows.push(Row {
                model: None,
                quantity: which.name(),
                value: Cell::count(total),
                unit: unit_of_count(which.name()),
                is_exact: case.exact.total(which),
            });
        }
    }
    for (name, total, unit) in case.charges() {
        if is_wanted(wanted, None, name) {
            rows.push(Row {
                model: None,
                quantity: name,
                value: Cell::Rounded(total.to_f64()),
                unit,
                is_exact: case.has_exact_charges(),
            });
        }
    }
    rows
}
