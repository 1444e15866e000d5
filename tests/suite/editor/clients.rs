//! `atgpu lsp` with real clients, driven by the scripts in `clients/`: pytest-lsp, Neovim with the
//! plugin of `editors/vim`, Emacs with the mode of `editors/emacs`, and the screens of Helix and
//! Neovim in tmux. A client that is not installed is skipped with a word; `ATGPU_PYTHON` names a
//! Python that has pytest-lsp. How long each takes is told on standard error, over three programs,
//! over all where `ATGPU_ALL` is set (`docs/editors.md` has such figures).

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::support::programs::programs;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/editor/clients");
const SERVER: &str = env!("CARGO_BIN_EXE_atgpu");

/// After which a client hangs.
const LONGEST: Duration = Duration::from_secs(400);

/// What a script said: facts, each a key and a text.
struct Said(Vec<(String, String)>);

impl Said {
    fn all(&self, key: &str) -> Vec<&str> {
        let facts = self.0.iter().filter(|(of, _)| of == key);
        facts.map(|(_, text)| text.as_str()).collect()
    }

    #[track_caller]
    fn holds(&self, key: &str, part: &str) {
        let facts = self.all(key);
        assert!(
            facts.iter().any(|text| text.contains(part)),
            "no `{key}` with `{part}`: {:#?}",
            self.0
        );
    }

    /// Tells median, 95th percentile and worst of what was measured, in milliseconds.
    fn tell(&self, client: &str) {
        for key in ["opened", "derived", "typed"] {
            let times = self.all(key).into_iter();
            let mut times: Vec<f64> = times.map(|text| text.parse().expect("ms")).collect();
            times.sort_by(f64::total_cmp);
            let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize];
            eprintln!(
                "{client}, {key}: median {:.1} ms, p95 {:.1} ms, worst {:.1} ms of {}",
                at(0.5),
                at(0.95),
                at(1.0),
                times.len()
            );
        }
    }
}

/// The command with our server before all others of its name.
fn command(name: &str) -> Command {
    let folder = Path::new(SERVER).parent().expect("it lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(name);
    command.env("PATH", format!("{}:{path}", folder.display()));
    command.env("LC_ALL", "C.UTF-8").current_dir(ROOT);
    command
}

/// Runs a script to its end; nothing where the client is not there or says that it cannot.
fn run(client: &str, command: &mut Command) -> Option<Said> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let Ok(mut child) = command.stderr(Stdio::null()).spawn() else {
        eprintln!("skipped: no {client} here");
        return None;
    };
    let mut out = child.stdout.take().expect("it was asked for");
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = out.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() && start.elapsed() < LONGEST {
        sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
    let text = reader.join().expect("it reads");
    let facts = text.lines().filter_map(|line| {
        let (key, text) = line.split_once('\t')?;
        // pytest writes a dot where a test ends.
        let key = key.trim_start_matches('.').to_owned();
        Some((key, text.replace("\\n", "\n")))
    });
    let said = Said(facts.collect());
    if let Some(why) = said.all("skipped").first() {
        eprintln!("skipped: {why}");
        return None;
    }
    assert!(!said.all("end").is_empty(), "{client} ended early: {text}");
    Some(said)
}

/// Programs to measure with.
fn measured() -> Vec<PathBuf> {
    let all = programs("programs");
    match std::env::var_os("ATGPU_ALL") {
        Some(_) => all,
        None => all.into_iter().take(3).collect(),
    }
}

#[test]
fn pytest_lsp_is_served() {
    let python = std::env::var("ATGPU_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = command(&python).args(["-c", "import pytest_lsp"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no pytest-lsp here");
        return;
    }
    let list = std::env::join_paths(measured()).expect("no colons in names");
    let options = [
        "-s",
        "-q",
        "-o",
        "asyncio_mode=auto",
        "-p",
        "no:cacheprovider",
    ];
    let mut command = command(&python);
    command.args(["-B", "-m", "pytest"]).args(options);
    command.arg(format!("{CLIENTS}/pytest_server.py"));
    command.env("ATGPU", SERVER).env("PROGRAMS", list);
    let Some(said) = run("Python", &mut command) else {
        return;
    };
    said.holds("diagnostic", "7 claim::refuted");
    said.holds("hint", "11 q k");
    said.holds("lens", "9 k n/b · t 9 · q 2k · m b of M");
    said.holds("hover", "shared _x[b]");
    said.holds("action", "write `io = 2k`");
    said.holds("refused", "would be global");
    said.holds("completed", "True");
    said.holds("signature", "select(c, x, y) 1");
    for (key, number) in [
        ("definition", "5"),
        ("references", "5"),
        ("highlights", "5"),
        ("folds", "2"),
        ("renamed", "5"),
        ("formatted", "1"),
    ] {
        said.holds(key, number);
    }
    // What is wrong is found, and not said once more above the line.
    assert_eq!(said.all("lens").len(), 2, "{:?}", said.all("lens"));
    said.tell("pytest-lsp");
}

#[test]
fn neovim_is_served() {
    let mut command = command("nvim");
    command.args([
        "-n",
        "--headless",
        "--clean",
        "--cmd",
        "set rtp^=editors/vim",
    ]);
    command
        .arg(format!("{CLIENTS}/sample.atgpu"))
        .args(measured());
    command.args(["-c", &format!("luafile {CLIENTS}/neovim.lua")]);
    let Some(said) = run("Neovim", &mut command) else {
        return;
    };
    said.holds("hints", "2");
    said.holds("hover", "shared _x[b]");
    said.holds("lens", "9 k n/b");
    said.holds("completed", "_x[j] ⇐ 2·_x[j]");
    said.holds("mended", "  claim io = 2k");
    said.holds("renamed", "_row[j] ← 2·_row[j]");
    said.holds("formatted", "  input A[n]");
    said.tell("Neovim");
}

#[test]
fn emacs_is_served() {
    let mut command = command("emacs");
    command.args(["--batch", "-q", "-l"]);
    command.arg(format!("{CLIENTS}/eglot.el")).arg(ROOT);
    command
        .arg(format!("{CLIENTS}/sample.atgpu"))
        .args(measured());
    let Some(said) = run("Emacs", &mut command) else {
        return;
    };
    said.holds("mode", "atgpu-mode");
    said.holds("diagnostic", "this claim is wrong");
    said.holds("hover", "shared _x[b]");
    said.holds("mended", "  claim io = 2k");
    said.holds("renamed", "_row[j] ⇐ a[ib + j]");
    said.holds("formatted", "  input A[n]");
    said.tell("Emacs");
}

/// The screen of a client in a terminal, once all these stand on it.
fn screen(client: &str, arguments: &[&str], shows: &[&str]) {
    let is_there = |name: &str| command(name).arg("--version").output().is_ok();
    // tmux has no `--version`, but starts.
    if !is_there(client) || !is_there("tmux") {
        eprintln!("skipped: no {client} in tmux here");
        return;
    }
    let socket = format!("atgpu-{client}-{}", std::process::id());
    let tmux = |arguments: &[&str]| {
        let mut command = command("tmux");
        command.args(["-L", &socket]).args(arguments);
        command.output().expect("tmux starts")
    };
    let new = ["new-session", "-d", "-x", "118", "-y", "30", client];
    tmux(&[&new, arguments].concat());
    let mut seen = String::new();
    for _ in 0..600 {
        sleep(Duration::from_millis(100));
        let pane = tmux(&["capture-pane", "-p"]);
        seen = String::from_utf8_lossy(&pane.stdout).into_owned();
        if shows.iter().all(|text| seen.contains(text)) {
            break;
        }
    }
    tmux(&["kill-server"]);
    for text in shows {
        assert!(seen.contains(text), "{client} shows no `{text}`:\n{seen}");
    }
    eprintln!("{client} shows\n{seen}");
}

const SAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/suite/editor/clients/sample.atgpu"
);

#[test]
fn neovim_shows_findings_and_costs() {
    let plugin = "set rtp^=editors/vim";
    let shown = "lua vim.lsp.inlay_hint.enable() vim.diagnostic.config({ virtual_text = true })";
    let arguments = ["-n", "--clean", "--cmd", plugin, "-c", shown, SAMPLE];
    let version = command("nvim")
        .args(["--headless", "--clean", "-c"])
        .args(["lua io.stdout:write(vim.fn.has('nvim-0.10'))", "-c", "qa!"])
        .output();
    if version.is_ok_and(|output| output.stdout == b"0") {
        eprintln!("skipped: this Neovim is older than 0.10");
        return;
    }
    let shows = ["this claim is wrong at n = 2", "a[ib + j] q k"];
    screen("nvim", &arguments, &shows);
}

#[test]
fn helix_shows_findings_and_costs() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("helix");
    fs::create_dir_all(&folder).expect("a folder");
    let languages = fs::read_to_string(Path::new(ROOT).join("editors/helix/languages.toml"));
    let languages = languages.expect("it is there");
    fs::write(folder.join("languages.toml"), languages).expect("writable");
    let config = "[editor.lsp]\ndisplay-inlay-hints = true\n\
                  [editor.inline-diagnostics]\ncursor-line = \"hint\"\nother-lines = \"hint\"\n";
    fs::write(folder.join("config.toml"), config).expect("writable");
    let config = folder.join("config.toml").display().to_string();
    let home = format!("XDG_CONFIG_HOME={}", place.path().display());
    if command("hx").arg("--version").output().is_err() {
        eprintln!("skipped: no Helix here");
        return;
    }
    let shows = ["this claim is wrong at n = 2", "a[ib + j] q k"];
    screen("env", &[&home, "hx", "-c", &config, SAMPLE], &shows);
}
