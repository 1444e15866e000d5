//! `compare` as comma-separated values.

use crate::cost::Value;
use crate::count::Totals;
use crate::number::BigInt;
use crate::report::comparison::{Comparison, faster};
use crate::study::{unit_of, unit_of_count};

/// Renders `program,machine,model,<parameters>,quantity,value,unit,exact`, one line per value, like
/// `sweep`. If one parameter is free, renders `left,right,machine,model,parameter,from,to,faster,proved`,
/// one line per range.
pub fn csv(comparison: &Comparison) -> String {
    if comparison.rows.is_empty() {
        return duels_csv(comparison);
    }
    let parameters: Vec<(&str, String)> = comparison
        .parameters
        .iter()
        .map(|(name, value)| (name, value.to_string()))
        .collect();
    let names: String = parameters
        .iter()
        .map(|(name, _)| format!("{name},"))
        .collect();
    let values: String = parameters
        .iter()
        .map(|(_, value)| format!("{value},"))
        .collect();
    let mut out = format!("program,machine,model,{names}quantity,value,unit,exact\n");
    for row in &comparison.rows {
        let start = |model: &str| {
            let program = field(&comparison.programs[row.program]);
            format!("{program},{},{model},{values}", field(&row.machine))
        };
        for (which, number) in row.totals.iter().flat_map(Totals::all) {
            let name = which.name();
            out.push_str(&format!(
                "{}{name},{number},{},{}\n",
                start(""),
                unit_of_count(name),
                row.exact.total(which)
            ));
        }
        for (model, estimate) in &row.estimates {
            let Ok(estimate) = estimate else { continue };
            for figure in &estimate.figures {
                let name = figure.name;
                let unit = unit_of(name, &figure.value, estimate);
                let (value, unit) = match &figure.value {
                    Value::Time(time) => (time.to_f64().to_string(), estimate.unit.unwrap_or("")),
                    Value::Share(Some(share)) => (share.to_f64().to_string(), unit),
                    Value::Count(Some(count)) => (count.to_string(), unit),
                    Value::Class(Some(class)) => (field(class), unit),
                    Value::Share(None) | Value::Count(None) | Value::Class(None) => {
                        (String::new(), unit)
                    }
                };
                out.push_str(&format!(
                    "{}{name},{value},{unit},{}\n",
                    start(model),
                    row.exact.figure(model, name)
                ));
            }
        }
    }
    out
}

fn duels_csv(comparison: &Comparison) -> String {
    let mut out = String::from("left,right,machine,model,parameter,from,to,faster,proved\n");
    for duel in &comparison.duels {
        let [left, right] = [duel.left, duel.right].map(|at| &comparison.programs[at]);
        for range in duel.outcome.iter().flat_map(|crossover| &crossover.ranges) {
            let faster = faster(comparison, duel, range).map_or("", String::as_str);
            let to = range.to.as_ref().map(BigInt::to_string).unwrap_or_default();
            let cells = [
                field(left),
                field(right),
                field(&duel.machine),
                duel.model.to_owned(),
                duel.variable.clone(),
                range.from.to_string(),
                to,
                field(faster),
                range.is_proved.to_string(),
            ];
            out.push_str(&(cells.join(",") + "\n"));
        }
    }
    out
}

fn field(text: &str) -> String {
    let mut out = String::new();
    crate::report::sweep::csv::field(text, &mut out);
    out
}
