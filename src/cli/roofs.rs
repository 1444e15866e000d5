//! The diagrams of `plot --roofline`: the kernels of programs at one point, and the roofs of cards.

use atgpu::cost::{Picture, Subject};
use atgpu::diag::Diagnostic;
use atgpu::interval::{CountOptions, TEN_SECONDS};
use atgpu::lint;
use atgpu::machine::OVERRIDABLE;
use atgpu::meaning::Point;
use atgpu::program::Program;

use crate::cli::args::StudyOptions;
use crate::cli::cost::count;
use crate::cli::options::Together;
use crate::cli::reply::Finding;

/// Returns the diagram of each program on each card, with the legend text and the card's name.
pub fn pictures(
    options: &StudyOptions,
    together: &Together,
    programs: &[Program],
    labels: &[(String, String)],
) -> Result<Vec<(String, String, Picture)>, Vec<Finding>> {
    let mut drawn = Vec::new();
    for machine in &together.machines {
        for program in programs {
            let within = |faults: Vec<Diagnostic>| Finding::all(program.source(), faults);
            let is_formal = |name: &str| program.has_formal(name);
            // A parameter of another program alone does not concern this one.
            let is_others = |name: &str| {
                let mut others = programs.iter();
                !OVERRIDABLE.contains(&name) && others.any(|other| other.has_formal(name))
            };
            let mut given = together.given.clone();
            given.retain(|name| is_formal(name) || !is_others(name));
            let settled = machine.with_overrides(&given, is_formal);
            let (machine, formals) = settled.map_err(Finding::all_bare)?;
            let point = Point::new(program, machine.atgpu.numbers(), &formals).map_err(within)?;
            let count_options = CountOptions {
                charge_conflicts: false,
                work_limit: (!options.count).then_some(TEN_SECONDS),
                cycle_rules: Some(machine.rules()),
            };
            let counted = count(program, &point, &count_options);
            let (numbers, derivation) = counted.map_err(|fault| within(vec![fault]))?;
            let exceeded = lint::exceeded(program, &machine, &numbers);
            if !exceeded.is_empty() {
                return Err(within(exceeded));
            }
            let subject = Subject::of(&numbers.counts)
                .with_charges(numbers.charges.as_ref())
                .with_derivation(derivation.as_ref());
            let picture = Picture::of(&subject, &machine)
                .map_err(|missing| vec![Finding::bare(Diagnostic::of(&missing))])?;
            let mut given = labels.iter().filter(|(name, _)| *name == program.name());
            let called = given
                .next()
                .map_or(program.name(), |(_, label)| label.as_str());
            let legend = match together.machines.len() {
                1 => called.to_owned(),
                _ => format!("{called} on {}", machine.name),
            };
            drawn.push((legend, machine.name.to_string(), picture));
        }
    }
    Ok(drawn)
}
