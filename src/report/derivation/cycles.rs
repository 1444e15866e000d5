//! The charges of a derivation by a machine's own weights and memory rules: formulas by kind, cycles and
//! transactions, and the cost formula of each model that uses them.

use serde_json::{Map, Value, json};

use crate::derivation::Derivation;
use crate::derivation::Derived;
use crate::machine::Machine;
use crate::report::derivation::json::quantity_json;
use crate::report::formula::Formulas;
use crate::report::table::{Align, Table};
use crate::sym::Expr;
use crate::sym::print::Names;

/// The name of a model, and its formula for the cost of a program, if it has one.
pub type CostForm = (&'static str, Option<Expr>);

/// Renders text. The derivation is one under the machine's `cycle_rules` and b; the costs are those of the
/// models that use them.
pub fn text(
    derivation: &Derivation,
    names: &Names,
    machine: &Machine,
    costs: &[CostForm],
) -> String {
    let formulas = Formulas::new(names);
    let is_known = |name: &str| machine.kothapalli().is_ok() || !takes_accesses(name);
    let mut out = format!(
        "\ncharged by {} with b = {}: coalescing {}, banks {}\n",
        machine.name,
        machine.atgpu.cores_per_mp,
        machine.coalescing.name(),
        machine.banks.name()
    );
    for round in &derivation.rounds {
        let Some(charges) = round.charges.as_deref() else {
            continue;
        };
        let number = round.number.as_ref().map(|number| formulas.text(number));
        let number = number.map_or("a round".to_owned(), |number| format!("round {number}"));
        let mut table = Table::bare(&[Align::Left, Align::Left]);
        let nothing = |quantity: &Derived| {
            quantity.is_exact() && quantity.upper.as_ref().is_some_and(Expr::is_zero)
        };
        for (kind, count) in charges.kinds.iter() {
            if nothing(count) || !kind.is_operation() {
                continue;
            }
            let name = format!("operations: {}", kind.key());
            table.row([name, formulas.quantity(count)]);
        }
        for (name, quantity) in charges
            .named()
            .into_iter()
            .filter(|(name, _)| is_known(name))
        {
            table.row([name.replace('_', " "), formulas.quantity(quantity)]);
        }
        let bytes = charges.memory_bytes.as_ref();
        let bytes = bytes.map_or("?".to_owned(), |bytes| formulas.quantity(bytes));
        table.row(["memory bytes".to_owned(), bytes]);
        out.push_str(&format!("{number}\n{}", table.render()));
    }
    for (model, cost) in costs.iter().filter(|_| machine.kothapalli().is_ok()) {
        let cost = cost.as_ref();
        let cost = cost.map_or("?".to_owned(), |cost| formulas.text(cost));
        out.push_str(&format!("{model}, ms: {cost}\n"));
    }
    out
}

/// Returns true if the figure contains cycles of accesses, which `[kothapalli]` defines.
fn takes_accesses(name: &str) -> bool {
    matches!(name, "memory_cycles" | "cycles")
}

/// Renders JSON.
pub fn json(
    derivation: &Derivation,
    names: &Names,
    machine: &Machine,
    costs: &[CostForm],
) -> Value {
    let rounds = derivation.rounds.iter().filter_map(|round| {
        let charges = round.charges.as_deref()?;
        let mut object = Map::new();
        let kinds = charges.kinds.iter();
        let kinds: Map<_, _> = kinds
            .map(|(kind, count)| (kind.key().to_owned(), quantity_json(names, count)))
            .collect();
        object.insert("operations".to_owned(), kinds.into());
        for (name, quantity) in charges.named() {
            let is_known = machine.kothapalli().is_ok() || !takes_accesses(name);
            let quantity = is_known.then(|| quantity_json(names, quantity));
            object.insert(name.to_owned(), quantity.into());
        }
        let bytes = charges.memory_bytes.as_ref();
        let bytes = bytes.map(|bytes| quantity_json(names, bytes));
        object.insert("memory_bytes".to_owned(), bytes.into());
        Some(Value::Object(object))
    });
    let models = costs.iter().map(|(model, cost)| {
        let cost = cost.clone().map(Derived::exact);
        let cost = cost.map(|cost| quantity_json(names, &cost));
        ((*model).to_owned(), Value::from(cost))
    });
    let models: Map<_, _> = models.collect();
    json!({
        "b": machine.atgpu.cores_per_mp,
        "rounds": rounds.collect::<Vec<_>>(),
        "models": models,
    })
}
