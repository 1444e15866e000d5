//! Which `atgpu.toml` a program has: the nearest one, from its folder upwards.
//!
//! As with the settings of a formatter, the nearest file counts alone, and nothing of one further up is mixed in. A
//! program from standard input has the file of the working directory, or the nearest above it.

use std::path::{Component, Path, PathBuf};

use atgpu::diag::Diagnostic;
use atgpu::text::Source;

use crate::cli::config::NAME;
use crate::cli::files;

/// The file of a program, with its folder, if there is one.
pub fn nearest_file(program: &str) -> Result<Option<(Source, PathBuf)>, Diagnostic> {
    for folder in folders(program) {
        if let Some(source) = file_in(&folder)? {
            return Ok(Some((source, folder)));
        }
    }
    Ok(None)
}

/// Reads the file in a folder, if there is one.
pub fn file_in(folder: &Path) -> Result<Option<Source>, Diagnostic> {
    let path = folder.join(NAME);
    if path.exists() {
        files::read_source(&path.display().to_string()).map(Some)
    } else {
        Ok(None)
    }
}

/// The paths at which the file of a program may be, the nearest first.
pub fn paths(program: &str) -> Vec<String> {
    let paths = folders(program).into_iter().map(|folder| folder.join(NAME));
    paths.map(|path| path.display().to_string()).collect()
}

/// The folders from that of a program upwards. A relative path stays one, since messages show it: `a`, here, `..`.
fn folders(program: &str) -> Vec<PathBuf> {
    let own = match program {
        "-" => Path::new(""),
        _ => Path::new(program).parent().unwrap_or(Path::new("")),
    };
    // `./a` and `a` are one folder, and two programs of it must find one file.
    let mut folder: PathBuf = own
        .components()
        .filter(|it| *it != Component::CurDir)
        .collect();
    let mut found = vec![folder.clone()];
    while let Some(above) = above(&folder) {
        folder = above;
        found.push(folder.clone());
    }
    found
}

fn above(folder: &Path) -> Option<PathBuf> {
    match folder.components().next_back() {
        Some(Component::Normal(_)) => folder.parent().map(Path::to_owned),
        Some(Component::RootDir | Component::Prefix(_)) => None,
        Some(Component::CurDir | Component::ParentDir) | None => {
            // `../..` leads on until it is the root, which has nothing above it.
            let here = Path::new(".").join(folder).canonicalize().ok()?;
            here.parent().map(|_| folder.join(".."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_lead_upwards_and_end() {
        let shown = |program: &str| -> Vec<String> {
            let found = folders(program).into_iter();
            found.map(|folder| folder.display().to_string()).collect()
        };
        assert_eq!(shown("/a/b/c.atgpu"), ["/a/b", "/a", "/"]);
        let depth = std::env::current_dir().expect("there").components().count();
        let own = shown("c.atgpu");
        assert_eq!(own[..2], ["", ".."]);
        assert_eq!(own.len(), depth);
        assert_eq!(shown("-"), own);
        assert_eq!(shown("./a/c.atgpu")[..3], ["a", "", ".."]);
        assert_eq!(shown("../c.atgpu")[..2], ["..", "../.."]);
    }
}
