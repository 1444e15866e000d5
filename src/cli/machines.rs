//! `atgpu machines`: list the built-in machines, show one, or compare two.

use atgpu::diag::Diagnostic;
use atgpu::machine::{BUILT_IN, Machine};
use atgpu::report::machines;

use crate::cli::args::{Format, MachinesArgs};
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{files, options};

/// Without a name the list, with one name its file (to be copied and changed), with two names their
/// differences.
pub fn machines(args: &MachinesArgs) -> Reply {
    let as_json = args.format == Format::Json;
    let body = match (&args.name, &args.other) {
        (None, _) => Ok(list(as_json)),
        (Some(name), None) => one(name, as_json),
        (Some(name), Some(other)) => two(name, other, as_json),
    };
    Reply::of(body, Vec::new(), as_json)
}

fn list(as_json: bool) -> Body {
    let names = BUILT_IN.iter().map(|(name, _)| *name);
    let all: Vec<Machine> = names.filter_map(Machine::built_in).collect();
    if as_json {
        Body::Json(Some(machines::json::list(&all)))
    } else {
        Body::Text(machines::list(&all))
    }
}

fn one(name: &str, as_json: bool) -> Result<Body, Vec<Finding>> {
    // Read as a machine first, so that a faulty file gives diagnostics instead of its text.
    let machine = options::machine_for("machines", name)?;
    let text = match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => (*text).to_owned(),
        None => {
            let source = files::read_source(name);
            let source = source.map_err(|fault: Diagnostic| vec![Finding::bare(fault)])?;
            source.text().to_owned()
        }
    };
    Ok(if as_json {
        Body::Json(Some(machines::json::machine(&machine, &text)))
    } else {
        Body::Text(text)
    })
}

fn two(name: &str, other: &str, as_json: bool) -> Result<Body, Vec<Finding>> {
    let (left, right) = (
        options::machine_for("machines", name)?,
        options::machine_for("machines", other)?,
    );
    Ok(if as_json {
        Body::Json(Some(machines::json::difference(&left, &right)))
    } else {
        Body::Text(machines::difference(&left, &right))
    })
}
