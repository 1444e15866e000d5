//! Compilers and programs as processes of their own, with a time limit.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use atgpu::diag::Diagnostic;
use thiserror::Error;

use crate::cli::interrupt::{self, Unfinished};
use crate::cli::reply::Finding;

/// A failure of a compiler or a program.
#[derive(Debug, Clone, PartialEq, Eq, Error, miette::Diagnostic)]
#[diagnostic(code("atgpu::measure::failed"), help("{help}"))]
#[error("{what}: {why}")]
pub(super) struct Failed {
    /// The compiler or program.
    what: String,
    why: Why,
    help: &'static str,
}

/// The reason of the failure.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Why {
    #[error("cannot be started: {0}")]
    NotStarted(String),
    #[error("not done after {0} s")]
    TimeLimit(u64),
    #[error("ends with {0}")]
    Status(String),
    #[error("{0}")]
    Device(String),
    #[error("leaves no readable {0}")]
    NoResult(String),
    #[error("`{0}` is not what `run` computes")]
    Different(String),
}

pub(super) fn failed(what: &str, why: Why) -> Vec<Finding> {
    let help = match why {
        Why::NotStarted(_) => "install it, or name another with `--compiler`",
        Why::TimeLimit(_) => "give it longer with `--time-limit`, or take smaller sizes",
        Why::Device(_) => {
            "see that the device's driver is installed; where memory is short, take smaller sizes"
        }
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

/// A temporary folder for emitted, compiled and written files, removed at the end.
pub(super) struct Place(
    pub(super) PathBuf,
    #[expect(dead_code, reason = "it is dropped")] Unfinished,
);

/// Limit on the folder names tried.
const MOST_FOLDERS: usize = 1000;

impl Place {
    pub(super) fn new() -> Result<Place, Vec<Finding>> {
        // `create` fails on an existing folder, so the folder is ours alone. The name may be taken by the
        // remains of an earlier process with this id.
        let name = |number| format!("atgpu-measure-{}-{number}", std::process::id());
        let mut made = Err(ErrorKind::AlreadyExists.into());
        for number in 0..MOST_FOLDERS {
            let folder = std::env::temp_dir().join(name(number));
            made = own_folder().create(&folder).map(|()| folder);
            if !made
                .as_ref()
                .is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
            {
                break;
            }
        }
        let folder =
            made.map_err(|error| failed("a temporary folder", Why::NotStarted(error.to_string())))?;
        let unfinished = interrupt::remove_on_interrupt(&folder);
        Ok(Place(folder, unfinished))
    }
}

/// Creates a folder that only its owner can read and write.
fn own_folder() -> fs::DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The exit status of an emitted program if the device fails.
const OF_DEVICE: i32 = 3;

/// Runs a process to its end, or stops it at the time limit. Returns its standard output.
pub(super) fn finished(
    mut command: Command,
    what: &str,
    seconds: u64,
    place: &Place,
) -> Result<String, Vec<Finding>> {
    let printed = place.0.join("printed");
    let told = place.0.join("told");
    // The output goes to files: nobody reads a pipe while `waited` waits, and a full one would stop the
    // process.
    let file = |path: &Path| fs::File::create(path).map(Stdio::from);
    let child = file(&printed).and_then(|out| {
        let told = file(&told)?;
        interrupt::start(command.stdin(Stdio::null()).stdout(out).stderr(told))
    });
    let (mut child, _running) =
        child.map_err(|it| failed(what, Why::NotStarted(it.to_string())))?;
    let Some(status) = waited(&mut child, seconds) else {
        interrupt::stop_group(child.id());
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed(what, Why::TimeLimit(seconds)));
    };
    if !status.success() {
        let told = fs::read(&told).unwrap_or_default();
        let told = String::from_utf8_lossy(&told);
        let told: Vec<&str> = told.lines().take(8).map(str::trim_end).collect();
        let told = told.join("; ");
        return Err(failed(
            what,
            match status.code() {
                Some(OF_DEVICE) if !told.is_empty() => Why::Device(told),
                _ => Why::Status(format!("{status}: {told}")),
            },
        ));
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
