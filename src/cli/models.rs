//! `atgpu models`: the cost models side by side, or one alone.

use atgpu::cost::{self, MODELS};
use atgpu::diag::Diagnostic;
use atgpu::report::models;
use atgpu::text::Known;

use crate::cli::args::ModelsArgs;
use crate::cli::error::UsageError;
use crate::cli::remedy::Remedy;
use crate::cli::reply::Reply;

/// Table I of paper 1, or one model of it.
pub fn models(args: &ModelsArgs) -> Reply {
    let Some(name) = &args.name else {
        return Reply::text(models::table());
    };
    match cost::find(name) {
        Some(model) => Reply::text(models::one(model)),
        None => {
            let known = MODELS.iter().map(|model| model.name());
            let known = Known::beside(name, known);
            Reply::fault(Diagnostic::of(&UsageError::Name {
                option: "models",
                name: name.clone(),
                problem: "no such model",
                remedy: Remedy::Models {
                    known,
                    or_all: false,
                },
            }))
        }
    }
}
