//! What a table or a figure shows: whose it is, its name and its unit. One list of them makes the rows of a
//! sweep, its columns and the axes of plots.

use crate::cost::{Estimate, Model, OCCUPANCY, Value};
use crate::count::{Counts, Quantity};
use crate::number::BigInt;
use crate::study::sweep::charging::CHARGES;

/// A figure of a model, or what is counted or charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heading {
    /// The model; none for what is counted or charged.
    pub(crate) model: Option<&'static str>,
    pub(crate) quantity: &'static str,
    pub(crate) unit: &'static str,
}

impl Heading {
    /// The figures of a model, as it names them.
    pub(super) fn of_model(model: &dyn Model) -> impl Iterator<Item = Heading> {
        let name = model.name();
        model.figures().iter().map(move |(quantity, unit)| Heading {
            model: Some(name),
            quantity,
            unit,
        })
    }

    /// What is counted, then what is charged.
    pub(super) fn counted() -> impl Iterator<Item = Heading> {
        let nothing: Counts<BigInt> = Counts::default();
        let counted = nothing.totals.all();
        let counted = counted.map(|(which, _)| (which.name(), unit_of_count(which.name())));
        let all = counted.into_iter().chain(CHARGES);
        all.map(|(quantity, unit)| Heading {
            model: None,
            quantity,
            unit,
        })
    }

    /// A name that nothing else has: `roofline_shared` of a model, `shared` of what is counted.
    pub(crate) fn full_name(&self) -> String {
        match self.model {
            Some(model) => format!("{}_{}", model.replace('-', "_"), self.quantity),
            None => self.quantity.to_owned(),
        }
    }

    /// Whether it goes by a name, its own or the one that nothing else has.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.quantity == name || self.full_name() == name
    }
}

/// What a total counts.
pub(crate) fn unit_of_count(name: &str) -> &'static str {
    if name == OCCUPANCY {
        return "MPs";
    }
    let of_charge = || CHARGES.iter().find(|(charge, _)| *charge == name);
    let unit = Quantity::named(name).and_then(Quantity::unit);
    unit.or_else(|| of_charge().map(|(_, unit)| *unit))
        .unwrap_or("1")
}

/// The unit of a figure of an estimate, as its model names it; of a class 1.
pub(crate) fn unit_of(figure: &str, value: &Value, estimate: &Estimate) -> &'static str {
    match value {
        Value::Time(_) => estimate.unit.unwrap_or("ms"),
        Value::Share(_) | Value::Class(_) => "1",
        Value::Count(_) => unit_of_count(figure),
    }
}
