//! `atgpu derive`: the symbolic derivation and its claims.

use atgpu::derive::derive as derive_program;
use atgpu::derive::steps::unbounded_loops;
use atgpu::report::{claims, derivation, json, latex};
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
    given.refuse_strangers(&program)?;
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
    Ok(match args.format {
        DeriveFormat::Json => Body::Json(Some(json::derivation(&derivation, &names))),
        DeriveFormat::Text => Body::Text(derivation::text(&derivation, &names)),
        DeriveFormat::Latex => Body::Text(latex::derivation(&derivation, &names)),
    })
}
