//! The rows of a sweep, whatever form they take: one a model and figure, tidy, or one a point.

pub mod csv;
pub mod json;
pub mod wide;

use crate::cost::Value;
use crate::number::{BigInt, Rational};
use crate::study::{Case, unit_of, unit_of_count};

/// One value of a row.
pub(super) enum Cell<'c> {
    /// Where there is nothing to say.
    Nothing,
    /// A count.
    Whole(&'c BigInt),
    /// A time or a share, rounded here and nowhere before.
    Rounded(f64),
    /// An asymptotic class.
    Text(&'c str),
}

/// One row, without the parameters, which all rows of a case share.
pub(super) struct Row<'c> {
    /// The model; none for what was counted.
    pub(super) model: Option<&'static str>,
    /// The figure.
    pub(super) quantity: &'static str,
    pub(super) value: Cell<'c>,
    pub(super) unit: &'static str,
    pub(super) is_exact: bool,
}

/// Calls `visit` on every row of a case: the figures of its models, or those of the quantities
/// `wanted`, totals too.
pub(super) fn each<'c>(case: &Case<'c>, wanted: &[String], visit: &mut dyn FnMut(Row<'c>)) {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    for (model, estimate) in case.estimates {
        for figure in estimate
            .figures
            .iter()
            .filter(|figure| is_wanted(figure.name))
        {
            let rounded = |value: &Rational| Cell::Rounded(value.to_f64());
            visit(Row {
                model: Some(model),
                quantity: figure.name,
                value: match &figure.value {
                    Value::Time(time) => rounded(time),
                    Value::Share(share) => share.as_ref().map_or(Cell::Nothing, rounded),
                    Value::Class(class) => class.as_deref().map_or(Cell::Nothing, Cell::Text),
                    Value::Count(count) => count.as_ref().map_or(Cell::Nothing, Cell::Whole),
                },
                unit: unit_of(figure.name, &figure.value, estimate),
                is_exact: case.exact.figure(model, figure.name),
            });
        }
    }
    if wanted.is_empty() {
        return;
    }
    for (which, total) in case.counts.totals.all() {
        let name = which.name();
        if is_wanted(name) {
            visit(Row {
                model: None,
                quantity: name,
                value: Cell::Whole(total),
                unit: unit_of_count(name),
                is_exact: case.exact.total(which),
            });
        }
    }
    for (name, total, unit) in case.charges() {
        if is_wanted(name) {
            visit(Row {
                model: None,
                quantity: name,
                value: Cell::Rounded(total.to_f64()),
                unit,
                is_exact: case.has_exact_charges(),
            });
        }
    }
}
