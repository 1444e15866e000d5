//! `atgpu advise`: changes of a program that are right, with what each one saves.

use atgpu::advise::{Advice, NoAdvice, Question};
use atgpu::diag::Diagnostic;
use atgpu::meaning::Point;
use atgpu::report::advice::{AdviceReport, json, text};

use crate::cli::args::{AdviseArgs, BankConflicts, Format};
use crate::cli::error::UsageError;
use crate::cli::options::{self, Given};
use crate::cli::progress::AtWork;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{diff, files, program};

/// The model that decides, where none is named.
const MODEL: &str = "atgpu";

/// Advises on a program.
pub fn advise(args: &AdviseArgs) -> Reply {
    let mut findings = Vec::new();
    let mut aside = String::new();
    let answer = advised(args, &mut findings, &mut aside);
    Reply {
        aside,
        ..Reply::of(answer, findings, args.format == Format::Json)
    }
}

fn advised(
    args: &AdviseArgs,
    findings: &mut Vec<Finding>,
    aside: &mut String,
) -> Result<Body, Vec<Finding>> {
    let bare = |fault: Diagnostic| vec![Finding::bare(fault)];
    let given = Given::read(&args.options, std::slice::from_ref(&args.file))?;
    let (program, found) = program::load_sound(&args.file)?;
    findings.extend(found);
    let given = given.of(&program);
    let (machine, formals) = given.refuse_strangers(&program)?;
    let named = args.model.clone().into_iter().collect::<Vec<_>>();
    let named = match given.models(&named) {
        [] => vec![MODEL.to_owned()],
        named => named[..1].to_vec(),
    };
    let models = options::models(&named).map_err(bare)?;
    let Some(model) = models.first().copied() else {
        return Ok(Body::Nothing);
    };
    let question = Question {
        machine: &machine,
        model,
        given: &formals,
        charges_conflicts: args.bank_conflicts == BankConflicts::Charge,
    };
    let at_work = AtWork::on_each(1);
    let advice = atgpu::advise::advise(&program, &question);
    drop(at_work);
    let mut advice = advice.map_err(|why| match why {
        NoAdvice::NoSize => Finding::all(program.source(), [Point::none_admitted(&program)]),
        NoAdvice::Fails(faults) => Finding::all(program.source(), faults),
        NoAdvice::NoCost => bare(Diagnostic::of(&UsageError::NoExactCost {
            model: model.name(),
            machine: machine.name.to_string(),
        })),
    })?;
    if let Some(number) = args.apply {
        apply(args, &mut advice, number, program.source().text(), aside)?;
    }
    let diffs = advice.proposals.iter().enumerate().map(|(at, proposal)| {
        let made = format!("proposal {}", args.apply.unwrap_or(at + 1));
        diff::unified(&args.file, &made, program.source().text(), &proposal.text)
    });
    let diffs: Vec<String> = diffs.collect();
    let report = AdviceReport {
        algorithm: program.name(),
        machine: &machine,
        model: model.name(),
        charges_conflicts: question.charges_conflicts,
        advice: &advice,
        diffs: &diffs,
    };
    Ok(match args.format {
        Format::Json => Body::Json(Some(json(&report))),
        Format::Text if args.apply.is_some() && args.file == "-" => {
            Body::Text(advice.proposals[0].text.clone())
        }
        Format::Text => Body::Text(text(&report)),
    })
}

/// Writes a proposal into its file, and leaves it alone in the advice. Standard input goes to the output.
fn apply(
    args: &AdviseArgs,
    advice: &mut Advice,
    number: usize,
    before: &str,
    aside: &mut String,
) -> Result<(), Vec<Finding>> {
    let found = advice.proposals.len();
    let Some(at) = number.checked_sub(1).filter(|at| *at < found) else {
        let fault = UsageError::NoProposal { number, found };
        return Err(vec![Finding::bare(Diagnostic::of(&fault))]);
    };
    advice.proposals = vec![advice.proposals.swap_remove(at)];
    if args.file == "-" {
        return Ok(());
    }
    let text = advice.proposals[0].text.as_bytes();
    files::replace(&args.file, before, text).map_err(|fault| vec![Finding::bare(fault)])?;
    aside.push_str(&format!("{}: proposal {number} made\n", args.file));
    Ok(())
}
