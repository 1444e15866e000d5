//! `atgpu compare`: programs × machines × models side by side, and the n from which one program beats
//! another.
//!
//! `subjects` reads the inputs, `row` fills the table if every parameter is given, and `duel` finds the
//! cheaper program by range.

mod duel;
mod row;
mod subjects;

use atgpu::report::comparison::{self, Comparison};

use crate::cli::args::{CompareArgs, CompareFormat};
use crate::cli::compare::subjects::Study;
use crate::cli::progress::AtWork;
use crate::cli::reply::{Body, Finding, Reply};

/// Compares programs.
pub fn compare(args: &CompareArgs) -> Reply {
    let mut findings = Vec::new();
    let answer = compared(args, &mut findings);
    Reply::of(answer, findings, args.format == CompareFormat::Json).about(&args.files)
}

fn compared(args: &CompareArgs, findings: &mut Vec<Finding>) -> Result<Body, Vec<Finding>> {
    let study = Study::read(args, findings)?;
    let varied = study.varied(args.vary.as_deref())?;
    let mut comparison = Comparison {
        programs: study.names(),
        parameters: study.given.clone(),
        charges_conflicts: study.charges_conflicts,
        rows: Vec::new(),
        duels: Vec::new(),
    };
    for machine in &study.machines {
        // The note depends on the machine alone, so one program is enough.
        if let Some(program) = study.programs.first() {
            let (settled, _) = study.settle(program, machine)?;
            findings.extend(settled.beyond_memory().map(Finding::bare));
        }
        match &varied {
            None => {
                for at in 0..study.programs.len() {
                    comparison.rows.push(study.row(at, machine, findings)?);
                }
            }
            Some(name) => {
                let _line = AtWork::on_each(1);
                comparison.duels.extend(study.duels(machine, name)?);
            }
        }
    }
    Ok(match args.format {
        CompareFormat::Text => Body::Text(comparison::text(&comparison)),
        CompareFormat::Json => Body::Json(Some(comparison::json(&comparison))),
        CompareFormat::Csv => Body::Text(comparison::csv(&comparison)),
        CompareFormat::Markdown => Body::Text(comparison::markdown(&comparison)),
        CompareFormat::Latex => Body::Text(comparison::latex(&comparison)),
    })
}
