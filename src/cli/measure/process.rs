//! Compilers and programs as processes of their own, stopped after a time limit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use atgpu::diag::Diagnostic;
use thiserror::Error;

use crate::cli::reply::Finding;

/// What went wrong outside.
#[derive(Debug, Clone, PartialEq, Eq, Error, miette::Diagnostic)]
#[diagnostic(code("atgpu::measure::failed"), help("{help}"))]
#[error("{what}: {why}")]
pub(super) struct Failed {
    /// Which compiler or program.
    what: String,
    why: Why,
    help: &'static str,
}

/// Why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Why {
    #[error("cannot be started: {0}")]
    NotStarted(String),
    #[error("not done after {0} s")]
    TimeLimit(u64),
    #[error("ends with {0}")]
    Status(String),
    #[error("leaves no readable {0}")]
    NoResult(String),
    #[error("`{0}` is not what `run` computes")]
    Different(String),
}

pub(super) fn failed(what: &str, why: Why) -> Vec<Finding> {
    let help = match why {
        Why::NotStarted(_) => "install it, or name another with `--compiler`",
        Why::TimeLimit(_) => "give it longer with `--time-limit`, or take smaller sizes",
        Why::Status(_) | Why::NoResult(_) => "its own words stand in the message",
        Why::Different(_) => "please report it, with the program, the compiler and the device",
    };
    let fault = Failed {
        what: what.to_owned(),
        why,
        help,
    };
    vec![Finding::bare(Diagnostic::of(&fault))]
}

/// A folder for what is emitted, compiled and written, gone at the end.
pub(super) struct Place(pub(super) PathBuf);

impl Place {
    pub(super) fn new() -> Result<Place, Vec<Finding>> {
        let folder = std::env::temp_dir().join(format!("atgpu-measure-{}", std::process::id()));
        fs::create_dir_all(&folder)
            .map_err(|error| failed("a temporary folder", Why::NotStarted(error.to_string())))?;
        Ok(Place(folder))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a process to its end, or stops it; what it printed.
pub(super) fn finished(
    mut command: Command,
    what: &str,
    seconds: u64,
    place: &Place,
) -> Result<String, Vec<Finding>> {
    let printed = place.0.join("printed");
    let told = place.0.join("told");
    let file = |path: &Path| fs::File::create(path).map(Stdio::from);
    let child = file(&printed).and_then(|out| {
        let told = file(&told)?;
        command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(told)
            .spawn()
    });
    let mut child = child.map_err(|it| failed(what, Why::NotStarted(it.to_string())))?;
    let Some(status) = waited(&mut child, seconds) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed(what, Why::TimeLimit(seconds)));
    };
    if !status.success() {
        let told = fs::read_to_string(&told).unwrap_or_default();
        let told: Vec<&str> = told.lines().take(8).map(str::trim_end).collect();
        let status = format!("{status}: {}", told.join("; "));
        return Err(failed(what, Why::Status(status)));
    }
    Ok(fs::read_to_string(&printed).unwrap_or_default())
}

fn waited(child: &mut Child, seconds: u64) -> Option<std::process::ExitStatus> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => return None,
        }
    }
}
