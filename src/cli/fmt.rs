//! `atgpu fmt`: the canonical layout of programs, in place.

use atgpu::diag::Diagnostic;
use atgpu::syntax::{self, Spelling};

use crate::cli::args::FmtArgs;
use crate::cli::error::UsageError;
use crate::cli::reply::{Body, Finding, Reply};
use crate::cli::{alone, diff, files, program};

/// Formats every file and every program of the folders. A file that does not parse is reported and left alone.
pub fn fmt(args: &FmtArgs) -> Reply {
    let files = match program::meant(&args.files) {
        Ok(files) => files,
        Err(fault) => return Reply::fault(fault),
    };
    let mut reply = Reply::text("").about(&files);
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Reply::fault(Diagnostic::of(&UsageError::StandardInputTwice));
    }
    let mut out = String::new();
    for file in &files {
        let formatted = alone::one_of(files.len(), file, || one(args, file));
        match formatted.unwrap_or_else(|fault| Err(vec![*fault])) {
            Ok(outcome) => {
                out.push_str(&outcome.text);
                reply.refused |= outcome.refused;
            }
            Err(findings) => reply.findings.extend(findings),
        }
    }
    reply.body = Body::Text(out);
    reply
}

struct Outcome {
    /// Text for standard output.
    text: String,
    /// True if `--check` found that the file is not canonical.
    refused: bool,
}

fn one(args: &FmtArgs, file: &str) -> Result<Outcome, Vec<Finding>> {
    let source = files::read_source(file).map_err(|fault| vec![Finding::bare(fault)])?;
    let spelling = match (args.ascii, args.unicode) {
        (true, _) => Spelling::Ascii,
        (false, true) => Spelling::Unicode,
        (false, false) => Spelling::AsWritten,
    };
    let formatted =
        syntax::format(&source, spelling).map_err(|faults| Finding::all(&source, faults))?;
    let is_canonical = formatted == source.text();
    let mut text = String::new();
    if args.diff {
        text = diff::unified(source.name(), "formatted", source.text(), &formatted);
    } else if args.check && !is_canonical {
        text = format!("{} is not canonical\n", source.name());
    }
    if !args.diff && !args.check {
        if file == "-" {
            text = formatted;
        } else if !is_canonical {
            files::replace(file, source.text(), formatted.as_bytes())
                .map_err(|fault| vec![Finding::bare(fault)])?;
        }
    }
    Ok(Outcome {
        text,
        refused: args.check && !is_canonical,
    })
}
