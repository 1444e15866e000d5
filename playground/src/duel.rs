//! Two programs side by side: from which value of a parameter on one is cheaper than the other.

use std::cmp::Ordering;

use atgpu::count::Parameters;
use atgpu::derivation::Derivation;
use atgpu::editor::Document;
use atgpu::program::Program;
use atgpu::study::{Contender, crossover};
use atgpu::sym::Expr;
use serde_json::{Value, json};

use crate::formulas::derived;
use crate::request::Request;
use crate::values::{Chosen, atgpu_model};

/// The ranges in which each is cheaper, by the model of paper 1 on the chosen machine.
pub(crate) fn duel(document: &Document, asked: &Request) -> Result<Value, String> {
    let (program, derivation) = derived(document)?;
    let chosen = Chosen::of(asked)?;
    let other = atgpu::program(asked.text("other")).map_err(|error| error.to_string())?;
    let other_derivation = other.derive().map_err(|error| error.to_string())?;
    let along = asked.text("along");
    let left = contender(program, derivation, &chosen, along);
    let right = contender(&other, &other_derivation, &chosen, along);
    let names = json!([program.name(), other.name()]);
    let (left, right) = match (left, right) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(why), _) | (_, Err(why)) => return Ok(json!({"programs": names, "why": why})),
    };
    let Some(found) = crossover(&left, &right) else {
        return Ok(
            json!({"programs": names, "why": "a cost has sums that take too long to add up"}),
        );
    };
    let ranges = found.ranges.iter().map(|range| {
        json!({
            "from": range.from.to_string(),
            "to": range.to.as_ref().map(ToString::to_string),
            "cheaper": match range.order {
                Ordering::Less => 0,
                Ordering::Equal => -1,
                Ordering::Greater => 1,
            },
            "proved": range.is_proved,
        })
    });
    Ok(json!({
        "programs": names,
        "ranges": ranges.collect::<Vec<_>>(),
        "proved": found.is_proved(),
        "upTo": found.up_to.to_string(),
        "cut": found.is_cut,
    }))
}

/// A program's cost in the parameter that varies alone.
fn contender<'p>(
    program: &'p Program,
    derivation: &Derivation,
    chosen: &Chosen,
    along: &str,
) -> Result<Contender<'p>, String> {
    let name = |id| program.parameter(id).name.as_str();
    let parameter = program
        .formals()
        .iter()
        .copied()
        .find(|id| name(*id) == along);
    let mut fixed = Parameters::new();
    for id in program
        .formals()
        .iter()
        .filter(|id| Some(**id) != parameter)
    {
        let value = chosen.given.get(name(*id));
        let value = value
            .ok_or_else(|| format!("`{}` needs a value of `{}`", program.name(), name(*id)))?;
        fixed.set(name(*id), value.clone());
    }
    let machine: Parameters = chosen.machine.atgpu.named().into_iter().collect();
    let known = machine.with(&fixed);
    let cost = atgpu_model().symbolic(derivation, &chosen.machine);
    let cost = cost.ok_or_else(|| format!("`{}` has no exact formula", program.name()))?;
    let own = parameter.map(name);
    let mut alone = cost.clone();
    for symbol in cost
        .symbols()
        .iter()
        .filter(|symbol| own != Some(&*symbol.name))
    {
        let value = known.get(&symbol.name);
        let value = value.ok_or_else(|| format!("the cost depends on `{}`", symbol.name))?;
        alone = alone.substitute(symbol, &Expr::rational(value.clone()));
    }
    Ok(Contender {
        program,
        parameter,
        fixed,
        machine: chosen.machine.atgpu.numbers(),
        cost: alone,
    })
}
