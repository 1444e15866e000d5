//! The units of the figures in a row.

use crate::cost::{Estimate, OCCUPANCY, Value};
use crate::count::Quantity;
use crate::study::sweep::charging::CHARGES;

/// The unit of a figure: that of its times, that of a count, or 1 for a share.
pub(crate) fn unit_of(figure: &str, value: &Value, estimate: &Estimate) -> &'static str {
    match value {
        Value::Time(_) => estimate.unit.unwrap_or("ms"),
        Value::Share(_) | Value::Class(_) => "1",
        Value::Count(_) => unit_of_count(figure),
    }
}

/// The unit of a total.
pub(crate) fn unit_of_count(name: &str) -> &'static str {
    if name == OCCUPANCY {
        return "MPs";
    }
    let of_charge = || CHARGES.iter().find(|(charge, _)| *charge == name);
    let unit = Quantity::named(name).and_then(Quantity::unit);
    unit.or_else(|| of_charge().map(|(_, unit)| *unit))
        .unwrap_or("1")
}
