//! `atgpu new`: a commented skeleton to start from.

use std::path::Path;

use atgpu::diag::Diagnostic;

use crate::cli::args::NewArgs;
use crate::cli::error::UsageError;
use crate::cli::files;
use crate::cli::remedy::Remedy;
use crate::cli::reply::Reply;

const SKELETON: &str = include_str!("skeleton.atgpu");

/// Writes `NAME.atgpu`, never over an existing file.
pub fn new(args: &NewArgs) -> Reply {
    let path = match args.name.strip_suffix(".atgpu") {
        Some(_) => args.name.clone(),
        None => format!("{}.atgpu", args.name),
    };
    let Some(algorithm) = algorithm_name(&path) else {
        return Reply::fault(Diagnostic::of(&UsageError::Name {
            option: "new",
            name: args.name.clone(),
            problem: "no name for an algorithm",
            remedy: Remedy::AlgorithmName,
        }));
    };
    match files::write_new(&path, SKELETON.replace("NAME", &algorithm).as_bytes()) {
        Ok(()) => Reply::text(format!("wrote {path}\n")),
        Err(fault) => Reply::fault(fault),
    }
}

/// The algorithm's name for a file: `vector_addition.atgpu` gives `VectorAddition`.
fn algorithm_name(path: &str) -> Option<String> {
    let stem = Path::new(path).file_stem()?.to_str()?;
    let words = stem.split(['_', '-', ' ']).filter(|word| !word.is_empty());
    let name: String = words
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string());
            first.unwrap_or_default() + letters.as_str()
        })
        .collect();
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric());
    fits.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_their_algorithm() {
        let name = |path| algorithm_name(path);
        assert_eq!(name("scan.atgpu").as_deref(), Some("Scan"));
        assert_eq!(
            name("my/vector_addition.atgpu").as_deref(),
            Some("VectorAddition")
        );
        assert_eq!(name("2d.atgpu"), None);
        assert_eq!(name("_.atgpu"), None);
        assert_eq!(name("a+b.atgpu"), None);
    }
}
