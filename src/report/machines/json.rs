//! The JSON of `machines`.

use serde_json::{Map, Value, json};

use crate::machine::Machine;
use crate::number::BigInt;
use crate::report::json::whole;
use crate::report::machines::{Shown, figures};

/// Renders all machines, each with its known figures.
pub fn list(machines: &[Machine]) -> Value {
    let each = machines.iter().map(|machine| {
        let [p, b, m, g] = machine.atgpu.numbers().map(|number| whole(&number.into()));
        json!({
            "machine": &*machine.name,
            "p": p,
            "b": b,
            "M": m,
            "G": g,
            "multiprocessors": machine.device.multiprocessors,
            "max_blocks": machine.device.max_blocks,
            "clock_ghz": machine.device.clock.as_ref().map(|clock| clock.to_f64() / 1e6),
        })
    });
    json!({ "machines": each.collect::<Vec<_>>() })
}

/// Renders a machine's file: each figure with its section and its source.
pub fn machine(machine: &Machine, text: &str) -> Value {
    // The machine was read from this text, so it is valid TOML.
    let file: Map<String, Value> = toml::from_str(text).unwrap_or_default();
    let mut list = Vec::new();
    for (section, keys) in file.iter().filter(|(section, _)| *section != "source") {
        for (key, value) in keys.as_object().into_iter().flatten() {
            let mut sources = machine.sources.iter();
            let source =
                sources.find(|source| source.section == section.as_str() && source.key == *key);
            list.push(json!({
                "section": section,
                "key": key,
                "value": exact(value),
                "how": source.map(|source| source.how.name()),
                "from": source.map(|source| &*source.from),
            }));
        }
    }
    json!({ "machine": &*machine.name, "figures": list })
}

/// A value; whole numbers beyond 2^53 become digits.
fn exact(value: &Value) -> Value {
    match value.as_i64() {
        Some(number) => whole(&BigInt::from(number)),
        None => value.clone(),
    }
}

/// Renders the differing figures of two machines.
pub fn difference(left: &Machine, right: &Machine) -> Value {
    let shown = |figure: Option<Shown>| match figure {
        Some(Shown::Number(figure)) => match figure.to_integer() {
            Some(number) => whole(&number),
            None => figure.to_f64().into(),
        },
        Some(Shown::Text(text)) => text.into(),
        None => Value::Null,
    };
    let pairs = figures(left).into_iter().zip(figures(right));
    let differences = pairs.filter(|((_, a), (_, b))| a != b);
    let each = differences.map(|((name, a), (_, b))| {
        // A name is an optional letter, a gap, and the meaning.
        let (letter, figure) = name.split_once("  ").unwrap_or(("", &name));
        let letter = Some(letter).filter(|letter| !letter.is_empty());
        let figure = figure.trim();
        json!({ "letter": letter, "figure": figure, "left": shown(a), "right": shown(b) })
    });
    json!({
        "machines": [&*left.name, &*right.name],
        "differences": each.collect::<Vec<_>>(),
    })
}
