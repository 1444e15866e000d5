//! All reading and writing of the command.
//!
//! A file is written under a temporary name beside its target and then renamed. So no reader, and no
//! interrupt, ever sees half of it. `-` is standard input.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use atgpu::diag::Diagnostic;
use atgpu::text::Source;

use crate::cli::error::FileError;
use crate::cli::interrupt;

/// Limit on the length of a text in bytes. No real program, machine or table is as long, and a device may
/// never end.
const MOST_TEXT: u64 = 256 << 20;

/// Limit on the temporary files of killed runs that are stepped over.
const MOST_LEFT: u32 = 1_000;

/// Reads a program or machine file. `-` is standard input, and appears so in diagnostics.
pub fn read_source(path: &str) -> Result<Source, Diagnostic> {
    let (name, bytes) = if path == "-" {
        let name = "standard input";
        (name, read(name, io::stdin().lock(), 0, MOST_TEXT)?)
    } else {
        (path, read_file(path, MOST_TEXT)?)
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, &text)),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let before = &error.as_bytes()[..offset];
            Err(Diagnostic::of(&FileError::NotText {
                path: name.to_owned(),
                line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
                offset,
            }))
        }
    }
}

/// Limit on the length of data whose size nobody told, where they come from a pipe or a device.
const MOST_UNTOLD: u64 = 256 << 20;

/// Reads a file as it is.
pub fn read_bytes(path: &str) -> Result<Vec<u8>, Diagnostic> {
    read_file(path, MOST_TEXT)
}

/// Reads a data file, if memory has room for it and for the words made from it. It is not read behind the bytes that
/// the program's sizes ask for, where these are known, and a device without end not behind [`MOST_UNTOLD`].
pub fn read_data(path: &str, asked: Option<u64>) -> Result<Vec<u8>, Diagnostic> {
    let has_end = fs::metadata(path).is_ok_and(|there| there.is_file());
    let untold = if has_end { u64::MAX } else { MOST_UNTOLD };
    let room = available_memory().unwrap_or(u64::MAX) / 2;
    read_file(path, asked.unwrap_or(untold).min(room))
}

fn read_file(path: &str, most: u64) -> Result<Vec<u8>, Diagnostic> {
    let opened = fs::File::open(path).map_err(|error| failed(path, "read", &error))?;
    let length = opened.metadata().map_or(0, |file| file.len());
    read(path, opened, length, most)
}

/// Reads to the end, which is expected after `length` bytes. More than `most` bytes are an error.
fn read(name: &str, input: impl Read, length: u64, most: u64) -> Result<Vec<u8>, Diagnostic> {
    let too_long = || {
        let (path, most) = (name.to_owned(), most >> 20);
        Diagnostic::of(&FileError::TooLong { path, most })
    };
    if length > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let has_room = bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX));
    has_room.map_err(|_| too_long())?;
    let read = input.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| failed(name, "read", &error))?;
    if bytes.len() as u64 > most {
        Err(too_long())
    } else {
        Ok(bytes)
    }
}

/// The file that a result is written to; `None` for `-`, which is standard output.
pub fn named(output: &Option<String>) -> Option<&String> {
    output.as_ref().filter(|path| *path != "-")
}

/// Writes the result of a command, but never over a program.
pub fn write_result(path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
    refuse_program(path)?;
    write(path, bytes)
}

/// Returns true if a path has the extension of a program.
fn is_program(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "atgpu")
}

/// Verifies that a result can be written, before it is computed. Nothing is left behind. A special file is
/// checked only when it is written.
pub fn refuse_unwritable(path: &str) -> Result<(), Diagnostic> {
    refuse_program(path)?;
    let is_special = fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    if is_special {
        return Ok(());
    }
    let opened = open_beside(Path::new(path));
    opened
        .map(drop)
        .map_err(|error| failed(path, "written", &error))
}

/// Refuses to overwrite an existing program.
fn refuse_program(path: &str) -> Result<(), Diagnostic> {
    if is_program(Path::new(path)) && is_there(path) {
        Err(kept(path, "a program"))
    } else {
        Ok(())
    }
}

/// Refuses to overwrite a file that the result is computed from.
pub fn refuse_input(path: &str, inputs: &[String], what: &'static str) -> Result<(), Diagnostic> {
    let place = |path: &str| fs::canonicalize(path).ok();
    let is_input = |input: &String| place(input).is_some_and(|it| Some(it) == place(path));
    if inputs.iter().any(is_input) {
        Err(kept(path, what))
    } else {
        Ok(())
    }
}

fn kept(path: &str, what: &'static str) -> Diagnostic {
    let path = path.to_owned();
    Diagnostic::of(&FileError::Kept { path, what })
}

/// Writes a file completely or not at all.
pub fn write(path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
    write_beside(Path::new(path), bytes).map_err(|error| failed(path, "written", &error))
}

/// Replaces the text of a file completely or not at all, but only while it still is `before`: what somebody saved
/// meanwhile stays.
pub fn replace(path: &str, before: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
    let failed = |error: io::Error| failed(path, "written", &error);
    let mut out = open_beside(Path::new(path)).map_err(failed)?;
    out.write_all(bytes).map_err(failed)?;
    let Out::Beside(beside) = out else {
        return Ok(());
    };
    // Looked at last, so that hardly any time is left for another change.
    if fs::read(path).map_err(failed)? != before.as_bytes() {
        let path = path.to_owned();
        return Err(Diagnostic::of(&FileError::Changed { path }));
    }
    beside.finish().map_err(failed)
}

/// Returns true if a file with a derived name may be written: it does not exist, or `is_alike` accepts its
/// content.
pub fn may_replace(path: &str, is_alike: fn(&str) -> bool) -> bool {
    match fs::read(path) {
        Ok(bytes) => str::from_utf8(&bytes).is_ok_and(is_alike),
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}

/// Writes a file that must not be there yet.
pub fn write_new(path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
    let created = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path);
    let written = created.and_then(|mut file| {
        let _clean_up = interrupt::remove_on_interrupt(Path::new(path));
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if written.is_err() {
            let _ = fs::remove_file(path);
        }
        written
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Diagnostic::of(&FileError::Exists {
            path: path.to_owned(),
        }),
        _ => failed(path, "written", &error),
    })
}

/// Lists the programs under a folder, sorted by path. Hidden folders are skipped.
pub fn programs_under(folder: &str) -> Result<Vec<String>, Diagnostic> {
    let mut programs = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        let name = folder.display().to_string();
        let entries = fs::read_dir(&folder).map_err(|error| failed(&name, "read", &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| failed(&name, "read", &error))?;
            let kind = entry.file_type();
            let kind = kind.map_err(|error| failed(&name, "read", &error))?;
            let path = entry.path();
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // Links to folders are not followed: they may form a cycle. Pipes are skipped, and links to them:
            // reading one may block for ever. A link to nothing is told when it is read.
            let leads_to_file = || fs::metadata(&path).map_or(true, |there| there.is_file());
            if kind.is_dir() {
                folders.push(path);
            } else if !is_program(&path) {
                continue;
            } else if kind.is_file() || kind.is_symlink() && leads_to_file() {
                programs.push(path.display().to_string());
            } else {
                print_error(&format!("{} is no file: skipped\n", path.display()));
            }
        }
    }
    programs.sort();
    Ok(programs)
}

/// Returns the free memory in bytes, as far as the system tells. It is the minimum of the machine's free
/// memory, the process limit (`ulimit -v`) and the limit of the control group.
pub fn available_memory() -> Option<u64> {
    let left = [free_memory(), address_space_left(), group_memory_left()];
    left.into_iter().flatten().min()
}

/// Memory of a run in bytes, if the free memory is unknown.
const MEMORY_UNTOLD: u64 = 1 << 40;

/// The memory in bytes that a run may use.
pub fn memory_of_a_run() -> u64 {
    available_memory().unwrap_or(MEMORY_UNTOLD)
}

fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// The value of a line of `/proc` in bytes; the file has kB.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn address_space_left() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let used = kibibytes(&status, "VmSize:")?;
    // Threads and the allocator need address space as well, so only three quarters count.
    Some(limit.saturating_sub(used) / 4 * 3)
}

fn group_memory_left() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = Path::new("/sys/fs/cgroup").join(group.trim_start_matches('/'));
    let number = |file: &str| -> Option<u64> {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        text.trim().parse().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

/// The canonical path of a file, or the path it would have.
pub fn place(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if let Ok(place) = fs::canonicalize(path) {
        return Some(place);
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
    Some(folder.join(path.file_name()?))
}

/// Returns true if a file or a folder exists there.
pub fn is_there(path: &str) -> bool {
    Path::new(path).exists()
}

/// Returns true if a path is a folder.
pub fn is_folder(path: &str) -> bool {
    Path::new(path).is_dir()
}

/// A text written in pieces: to standard output, or to a file that replaces its target once it is complete.
pub struct Stream {
    name: String,
    out: BufWriter<Out>,
}

enum Out {
    Standard(io::Stdout),
    Device(fs::File),
    Beside(Box<Beside>),
}

impl Stream {
    /// Opens a file; without a path, or for `-`, standard output.
    pub fn open(path: Option<&str>) -> Result<Stream, Diagnostic> {
        let (name, out) = match path {
            None | Some("-") => ("standard output", Ok(Out::Standard(io::stdout()))),
            Some(path) => (path, open_beside(Path::new(path))),
        };
        refuse_program(name)?;
        let out = out.map_err(|error| failed(name, "written", &error))?;
        Ok(Stream {
            name: name.to_owned(),
            out: BufWriter::with_capacity(1 << 16, out),
        })
    }

    /// Writes a piece. If the reader is gone, returns `Break`; that is no fault.
    pub fn write(&mut self, text: &str) -> Result<ControlFlow<()>, Diagnostic> {
        let written = self.out.write_all(text.as_bytes());
        self.judge(written)
    }

    /// Writes the rest, and moves a file to its target.
    pub fn finish(mut self) -> Result<(), Diagnostic> {
        let written = self.out.flush();
        if self.judge(written)?.is_break() {
            return Ok(());
        }
        let name = self.name;
        let out = self.out.into_inner();
        let finished = match out.map_err(io::IntoInnerError::into_error) {
            Ok(Out::Beside(beside)) => beside.finish(),
            Ok(Out::Standard(_) | Out::Device(_)) => Ok(()),
            Err(error) => Err(error),
        };
        finished.map_err(|error| failed(&name, "written", &error))
    }

    fn judge(&self, written: io::Result<()>) -> Result<ControlFlow<()>, Diagnostic> {
        match written {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Err(error) => Err(failed(&self.name, "written", &error)),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Standard(out) => out.write(bytes),
            Out::Device(out) => out.write(bytes),
            Out::Beside(out) => out.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Standard(out) => out.flush(),
            Out::Device(out) => out.flush(),
            Out::Beside(out) => out.file.flush(),
        }
    }
}

/// Writes to standard output. A closed reader is no fault.
pub fn print(text: &str) -> Result<(), Diagnostic> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(failed("standard output", "written", &error)),
    }
}

/// Writes to standard error. A failure is ignored, as nobody is left to tell.
pub fn print_error(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut out = open_beside(path)?;
    out.write_all(bytes)?;
    match out {
        Out::Beside(beside) => beside.finish(),
        Out::Standard(_) | Out::Device(_) => Ok(()),
    }
}

/// A temporary file beside its target. It is removed unless it is finished.
struct Beside {
    file: fs::File,
    path: PathBuf,
    target: PathBuf,
    permissions: Option<fs::Permissions>,
    is_finished: bool,
    _clean_up: interrupt::Unfinished,
}

impl Beside {
    fn finish(mut self) -> io::Result<()> {
        if let Some(permissions) = self.permissions.take() {
            self.file.set_permissions(permissions)?;
        }
        self.file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn open_beside(path: &Path) -> io::Result<Out> {
    // The target of a link is replaced, and the link stays.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|file| !file.is_file()) {
        // A device or a pipe must not be replaced by a file. A folder fails here with its own error.
        let device = fs::OpenOptions::new().write(true).open(&target)?;
        return Ok(Out::Device(device));
    }
    if let Some(file) = &existing {
        // A rename needs only write access to the folder, so the file's own permissions are tested here.
        if file.permissions().readonly() {
            return Err(io::Error::from(ErrorKind::PermissionDenied));
        }
        fs::OpenOptions::new().write(true).open(&target)?;
    }
    if target.file_name().is_none() {
        return Err(io::Error::from(ErrorKind::InvalidInput));
    }
    let (file, path, clean_up) = create_beside(&target, existing.as_ref())?;
    Ok(Out::Beside(Box::new(Beside {
        file,
        path,
        target,
        permissions: existing.map(|file| file.permissions()),
        is_finished: false,
        _clean_up: clean_up,
    })))
}

/// Creates a temporary file in the folder of a target, with the mode of the target from the start.
fn create_beside(
    target: &Path,
    existing: Option<&fs::Metadata>,
) -> io::Result<(fs::File, PathBuf, interrupt::Unfinished)> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(existing) = existing {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        options.mode(existing.mode() & 0o777);
    }
    #[cfg(not(unix))]
    let _ = existing;
    // In a container every run may have the same process id, and one that was killed leaves its file behind. The name does
    // not have the target's in it, which may be as long as a name can be.
    let mut number = 0;
    loop {
        let name = format!(".atgpu-{}-{number}.part", std::process::id());
        let path = target.with_file_name(name);
        let clean_up = interrupt::remove_on_interrupt(&path);
        match options.open(&path) {
            Ok(file) => return Ok((file, path, clean_up)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MOST_LEFT => {
                // Another's file: it is not ours to remove.
                drop(clean_up);
                number += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

fn holds_programs(folder: &str) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| is_program(&path))
}

pub fn failed(path: &str, action: &'static str, error: &io::Error) -> Diagnostic {
    if error.kind() == io::ErrorKind::IsADirectory && action == "read" && holds_programs(path) {
        let pattern = format!("{}/*.atgpu", path.trim_end_matches('/'));
        let path = path.to_owned();
        return Diagnostic::of(&FileError::Folder { path, pattern });
    }
    // "No such file or directory (os error 2)" without the number.
    let reason = error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    Diagnostic::of(&FileError::System {
        path: path.to_owned(),
        action,
        reason: reason.to_lowercase(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(folder: &tempfile::TempDir, name: &str) -> String {
        folder.path().join(name).display().to_string()
    }

    #[test]
    fn writing_replaces_whole_files_and_leaves_nothing_beside() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path(&folder, "x.csv");
        for text in ["one", "two"] {
            write(&file, text.as_bytes()).expect("writable");
            assert_eq!(read_bytes(&file).as_deref(), Ok(text.as_bytes()));
        }
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 1);
        assert!(write(&path(&folder, "none/x.csv"), b"").is_err());
        assert!(write(&folder.path().display().to_string(), b"").is_err());
        assert!(write_new(&file, b"").is_err());
        assert_eq!(refuse_unwritable(&path(&folder, "y.csv")), Ok(()));
        assert!(!is_there(&path(&folder, "y.csv")));
        assert_eq!(refuse_unwritable("/dev/null"), Ok(()));
        assert!(refuse_unwritable(&path(&folder, "none/y.csv")).is_err());
        assert!(refuse_unwritable(&folder.path().display().to_string()).is_err());
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path(&folder, "x.atgpu");
        write(&file, b"one").expect("writable");
        assert_eq!(replace(&file, "one", b"two"), Ok(()));
        let fault = replace(&file, "one", b"three").expect_err("changed");
        assert!(fault.message.contains("changed meanwhile"), "{fault}");
        assert_eq!(read_bytes(&file).as_deref(), Ok(&b"two"[..]));
        assert!(replace(&path(&folder, "gone"), "one", b"two").is_err());
        // What a killed run left behind keeps its name, and a long name leaves room for no other.
        let left = format!(".atgpu-{}-0.part", std::process::id());
        write_new(&path(&folder, &left), b"left").expect("writable");
        let long = path(&folder, &format!("{}.atgpu", "x".repeat(245)));
        write(&long, b"long").expect("writable");
        assert_eq!(
            read_bytes(&path(&folder, &left)).as_deref(),
            Ok(&b"left"[..])
        );
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 3);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_of_a_folder_are_no_programs() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = path(&folder, "pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo is there").success());
        std::os::unix::fs::symlink(&pipe, path(&folder, "l.atgpu")).expect("a link");
        write(&path(&folder, "a.atgpu"), b"").expect("writable");
        let found = programs_under(&folder.path().display().to_string()).expect("readable");
        assert_eq!(found, [path(&folder, "a.atgpu")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (path(&folder, "x"), path(&folder, "link"));
        write(&file, b"one").expect("writable");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("ours");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write(&link, b"two").expect("writable");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(read_bytes(&file).as_deref(), Ok(&b"two"[..]));
        let mode = fs::metadata(&file).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        write("/dev/null", b"gone").expect("a device takes it");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }

    #[test]
    fn broken_text_is_told_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = path(&folder, "x.atgpu");
        write(&file, b"algorithm T\n\xff\n").expect("writable");
        let fault = read_source(&file).expect_err("no text");
        assert_eq!(fault.code.short_name(), "file::unreadable");
        assert!(fault.message.contains("line 2"), "{fault}");
        assert!(read_source(&path(&folder, "none")).is_err());
    }

    #[test]
    fn programs_are_found_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("b/.hidden")).expect("a folder");
        for name in [
            "z.atgpu",
            "a.atgpu",
            "a.txt",
            "b/c.atgpu",
            "b/.hidden/d.atgpu",
        ] {
            write(&path(&folder, name), b"").expect("writable");
        }
        let found = programs_under(&folder.path().display().to_string()).expect("readable");
        let expected = ["a.atgpu", "b/c.atgpu", "z.atgpu"].map(|name| path(&folder, name));
        assert_eq!(found, expected);
    }
}
