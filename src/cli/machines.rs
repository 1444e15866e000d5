//! `atgpu machines`: list the built-in machines, show one, or compare two.

use atgpu::diag::Diagnostic;
use atgpu::machine::{BUILT_IN, Machine};
use atgpu::report::machines;

use crate::cli::args::MachinesArgs;
use crate::cli::reply::{Finding, Reply};
use crate::cli::{files, options};

/// With no name the list, with one its file (which can be copied and changed), with two what
/// differs.
pub fn machines(args: &MachinesArgs) -> Reply {
    let shown = match (&args.name, &args.other) {
        (None, _) => Ok(machines::list(&built_in())),
        (Some(name), None) => text_of(name),
        (Some(name), Some(other)) => two(name, other),
    };
    match shown {
        Ok(text) => Reply::text(text),
        Err(findings) => Reply::faults(findings, false),
    }
}

fn built_in() -> Vec<Machine> {
    let names = BUILT_IN.iter().map(|(name, _)| *name);
    names.filter_map(Machine::built_in).collect()
}

fn text_of(name: &str) -> Result<String, Vec<Finding>> {
    if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
        return Ok((*text).to_owned());
    }
    // Read as a machine first, so that a faulty file is told and not shown.
    options::machine_for("machines", name)?;
    let source = files::read_source(name);
    let source = source.map_err(|fault: Diagnostic| vec![Finding::bare(fault)])?;
    Ok(source.text().to_owned())
}

fn two(name: &str, other: &str) -> Result<String, Vec<Finding>> {
    let (left, right) = (
        options::machine_for("machines", name)?,
        options::machine_for("machines", other)?,
    );
    Ok(machines::difference(&left, &right))
}
