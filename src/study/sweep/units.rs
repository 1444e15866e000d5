//! The units of what a row shows.

use crate::cost::{Estimate, Value};
use crate::study::sweep::charging::CHARGES;

/// The unit of a figure that is no time: what is counted, or 1 for a share.
pub(crate) fn unit_of(figure: &str, value: &Value, estimate: &Estimate) -> &'static str {
    match value {
        Value::Time(_) => estimate.unit.unwrap_or("ms"),
        Value::Share(_) | Value::Class(_) => "1",
        Value::Count(_) => unit_of_count(figure),
    }
}

/// What a total counts.
pub(crate) fn unit_of_count(name: &str) -> &'static str {
    match name {
        "rounds" => "rounds",
        "time" | "total_time" => "operations",
        "io" => "blocks",
        "inward" | "outward" | "transfer" | "shared" | "global" => "words",
        "transactions" => "transactions",
        "bank_conflicts" => "conflicts",
        "occupancy" => "MPs",
        other => {
            let charge = CHARGES.iter().find(|(name, _)| *name == other);
            charge.map_or("1", |(_, unit)| *unit)
        }
    }
}
