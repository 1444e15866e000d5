//! `atgpu derive`: the symbolic derivation and its claims.

use atgpu::check::Program;
use atgpu::count::Parameters;
use atgpu::derive::steps::unbounded_loops;
use atgpu::derive::{Derivation, derive as derive_program, derive_charged};
use atgpu::machine::Machine;
use atgpu::report::{charges, claims, derivation, json, latex};
use atgpu::sym::print::Names;

use crate::cli::args::{DeriveArgs, DeriveFormat};
use crate::cli::options::Given;
use crate::cli::program;
use crate::cli::reply::{Body, Finding, Reply};

/// Derives a program.
pub fn derive(args: &DeriveArgs) -> Reply {
    let mut findings = Vec::new();
    match derived(args, &mut findings) {
        Ok(body) => Reply::with(body, findings),
        Err(faults) => {
            findings.extend(faults);
            Reply::faults(findings, args.format == DeriveFormat::Json)
        }
    }
}

fn derived(args: &DeriveArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let given = Given::read(&args.options)?;
    let (program, found) = program::load_sound(&args.file)?;
    findings.extend(found);
    let (machine, _) = given.refuse_strangers(&program)?;
    let unbounded = unbounded_loops(&program);
    if !unbounded.is_empty() {
        return Err(Finding::all(&program.source, unbounded));
    }
    let derivation = derive_program(&program, &given.parameters);
    let refuted = claims::refuted(&program, &derivation);
    findings.extend(Finding::all(&program.source, refuted));
    let names = if args.expand {
        Names::default()
    } else {
        derivation.let_names()
    };
    let charged = charged(&program, &given.parameters, &machine);
    Ok(match args.format {
        DeriveFormat::Json => {
            let mut result = json::derivation(&derivation, &names);
            if let (Some(charged), Some(object)) = (&charged, result.as_object_mut()) {
                let charges = charges::json(charged, &names, &machine);
                object.insert("charges".to_owned(), charges);
            }
            Body::Json(Some(result))
        }
        DeriveFormat::Text => {
            let mut text = derivation::text(&derivation, &names);
            if let Some(charged) = &charged {
                text.push_str(&charges::text(charged, &names, &machine));
            }
            Body::Text(text)
        }
        DeriveFormat::Latex => Body::Text(latex::derivation(&derivation, &names)),
    })
}

/// The derivation under what the machine charges, if it says, and its b, which half-warps need.
fn charged(program: &Program, given: &Parameters, machine: &Machine) -> Option<Derivation> {
    let tariff = machine.tariff().ok()?;
    let mut given = given.clone();
    given.set("b", machine.atgpu.cores_per_mp);
    Some(derive_charged(program, &given, Some(&tariff)))
}
