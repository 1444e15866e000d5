//! The library as it is called from Rust: one source of truth with the command, no panic on what a
//! user can build, nothing that keeps it from small stacks and from WebAssembly.

use std::process::Command;

use crate::support::command;
use crate::support::programs::{self, path};
use atgpu::derive::derive_charged;
use atgpu::exec::Options;
use atgpu::machine::{Atgpu, CyclesPerMilli, Machine, Millis};
use atgpu::text::Source;
use serde_json::Value;

const PROGRAMS: [&str; 3] = [
    "programs/paper1/vector_addition.atgpu",
    "programs/paper1/reduction.atgpu",
    "tests/suite/report/json_files/upper-bound.atgpu",
];

/// What `atgpu` prints.
fn command(arguments: &[&str]) -> String {
    let output = command::atgpu(&path(""))
        .args(arguments)
        .output()
        .expect("the command starts");
    String::from_utf8(output.stdout).expect("it prints text")
}

/// The result without the command's own key.
fn json(arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    let mut value: Value = serde_json::from_str(&command(&arguments)).expect("it prints JSON");
    let object = value.as_object_mut().expect("an object");
    object.remove("diagnostics").expect("always there");
    value
}

/// As a reader of the JSON sees it: through text, which serde_json reads to the last bit but one.
fn serialised(item: impl serde::Serialize) -> Value {
    let text = serde_json::to_string(&item).expect("JSON");
    serde_json::from_str(&text).expect("JSON")
}

fn load(path: &str) -> atgpu::Program {
    let text = std::fs::read_to_string(path).expect("a program of ours");
    atgpu::program(Source::new(path, &text)).expect("it is sound")
}

fn card() -> Machine {
    Machine::built_in("gtx650").expect("built in")
}

#[test]
fn derivations_and_costs_are_those_of_the_command() {
    for path in PROGRAMS {
        let program = load(path);
        let derivation = program.derive().expect("derived");
        assert_eq!(derivation.to_string(), command(&["derive", path]));
        assert_eq!(serialised(&derivation), json(&["derive", path]), "{path}");
        let costs = program.cost(&card(), [("n", 1024)]).expect("counted");
        let arguments = [
            "cost", path, "-D", "n=1024", "--model", "atgpu", "--model", "swgpu",
        ];
        assert_eq!(costs.to_string(), command(&arguments));
        assert_eq!(serialised(&costs), json(&arguments), "{path}");
    }
}

/// A run has the JSON of the command, but for what only the command knows.
#[test]
fn runs_are_those_of_the_command() {
    for path in PROGRAMS {
        let run = load(path).run(&card(), [("n", 1024)], &Options::default());
        let run = run.expect("it runs");
        let mut ours = serialised(&run);
        let mut printed = json(&["run", path, "-D", "n=1024"]);
        // What is proved of the program is a question of its own: `Program::check`.
        let checks = printed["run"]
            .as_object_mut()
            .expect("a run")
            .remove("checks");
        checks.expect("the command says what is proved");
        for value in [&mut ours, &mut printed] {
            let run = value["run"].as_object_mut().expect("a run");
            for key in [
                "seconds",
                "seconds_min",
                "seconds_max",
                "ensure_seconds",
                "matches_derivation",
            ] {
                run.remove(key).expect("always there");
            }
        }
        assert_eq!(ours, printed, "{path}");
        assert!(
            !run.to_string().contains("ran in"),
            "the library has no clock"
        );
    }
}

#[test]
fn checks_are_those_of_the_command() {
    let path = "tests/suite/lint/diagnostics/costly/stride-of-b.atgpu";
    let found = load(path).check(&card(), ()).expect("only lints");
    let printed = command(&["check", path, "--format", "json"]);
    let printed: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(serialised(&found), printed["diagnostics"]);
    let lints = found.iter();
    let lints = lints.filter(|finding| finding.code().short_name().starts_with("lint::"));
    assert!(lints.count() == 2 && !found.has_errors(), "{found}");
    assert!(found.to_string().contains("lint::uncoalesced"), "{found}");
}

/// Every way to be wrong gives diagnostics, whatever was put together in code.
#[test]
fn nonsense_is_an_error_and_never_a_panic() {
    let program = load(PROGRAMS[0]);
    let mut machines = Vec::new();
    for numbers in [
        [0, 32, 1, 1],
        [1, 0, 1, 1],
        [1, -5, 1, 1],
        [1, 1, -1, 1],
        [1, 1, 1, i64::MIN],
    ] {
        let [cores, cores_per_mp, shared_words, global_words] = numbers;
        let atgpu = Atgpu {
            cores,
            cores_per_mp,
            shared_words,
            global_words,
        };
        machines.push(Machine::new("odd", atgpu));
    }
    let mut stopped = card();
    stopped.device.clock = Some(CyclesPerMilli::new(0));
    let mut backwards = card();
    backwards.transfer.synchronisation = Some(Millis::new(-1));
    machines.extend([stopped, backwards]);
    for machine in &machines {
        assert!(program.check(machine, ()).is_err(), "{machine:?}");
        assert!(program.at(machine, [("n", 64)]).is_err(), "{machine:?}");
        assert!(program.cost(machine, [("n", 64)]).is_err(), "{machine:?}");
        let run = program.run(machine, [("n", 64)], &Options::default());
        assert!(run.is_err(), "{machine:?}");
    }
    for given in [
        vec![],
        vec![("n", -1)],
        vec![("m", 64)],
        vec![("n", 64), ("m", 1)],
        vec![("n", 64), ("k", 1)],
    ] {
        let given: atgpu::count::Parameters = given.into_iter().collect();
        assert!(program.cost(&card(), &given).is_err(), "{given:?}");
    }
    assert!(program.derive_at([("q", 3)]).is_err());
    assert!(program.derive_at([("n", 64), ("b", 32)]).is_ok());
    // A machine of which only p, b, M, G are known counts, and says what it cannot cost.
    let atgpu = card().atgpu;
    let costs = program
        .cost(&Machine::new("bare", atgpu), [("n", 64)])
        .expect("counted");
    let missing = costs.gpu_cost().expect_err("no α");
    assert!(missing.to_string().contains("alpha_ms"), "{missing}");
    assert_eq!(missing.to_string().lines().count(), 1);
    let model = atgpu::cost::find("atgpu").expect("listed");
    let missing = costs.estimate(model).expect_err("no α");
    assert!(missing.to_string().contains("machine::key"), "{missing}");
}

/// The deepest text that parses goes through every phase on the stack of a test's thread, which is
/// less than that of a build script or a web page.
#[test]
fn depth_is_no_danger_to_any_phase() {
    let text = programs::deepest();
    let program = atgpu::program(&text).expect("it parses");
    let derivation = program.derive().expect("derived");
    let operations = 125 + 100 + 1;
    assert_eq!(
        derivation.formula("time").expect("derived").exact(()),
        Ok(operations.into())
    );
    let costs = program.cost(&card(), ()).expect("counted");
    assert_eq!(costs.counts().totals.time, operations.into());
    let run = program
        .run(&card(), (), &Options::default())
        .expect("it runs");
    assert_eq!(run.agrees_with(&derivation), Some(true));
}

/// Deriving takes as little of the caller's stack where sums nest and stay open: here the cores of an
/// MP that run a loop, by which its charges are divided.
#[test]
fn deriving_needs_little_of_the_callers_stack() {
    let text = "algorithm Triangle(m)\n  require m ≥ 1\n  global a[m + 1]\n  shared _y[b]\n  \
         for all mp_i ∈ MP[0..0] in parallel do\n    for all c_{i,j} ∈ C_i in parallel do\n      \
         for u = b - 1 downto j do\n        for v = j → m do\n          _y[j] ⇐ a[m]\n        \
         end for\n      end for\n    end for\n  end for\n";
    let program = atgpu::program(text).expect("it parses");
    let cycle_rules = Machine::built_in("gtx280").expect("built in").cycle_rules();
    let cycle_rules = cycle_rules.expect("known");
    let derive = || derive_charged(&program, &[("b", 16)].into(), Some(&cycle_rules));
    let derivation = std::thread::scope(|threads| {
        let small = std::thread::Builder::new().stack_size(128 << 10);
        let thread = small.spawn_scoped(threads, derive).expect("a thread");
        thread.join().expect("derived")
    });
    let io = derivation.formula("io").expect("derived").to_string();
    assert_eq!(io, "16m + 16");
    let charges = derivation.rounds[0].charges.as_ref().expect("asked for");
    assert!(charges.memory_transactions.is_exact());
}

/// What the core rests on builds for a browser: no crate that needs an operating system's
/// randomness, sockets, signals or terminal. (rayon falls back to one thread there.)
#[test]
fn no_dependency_of_the_core_forbids_webassembly() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "-e", "normal", "--no-default-features"])
        .args([
            "--target",
            "wasm32-unknown-unknown",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let tree = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    let crates: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(
        crates.contains(&"pest") && crates.contains(&"serde_json"),
        "{told}"
    );
    for unwanted in [
        "clap",
        "ctrlc",
        "getrandom",
        "mio",
        "nix",
        "rustix",
        "signal-hook",
        "tempfile",
        "terminal_size",
        "windows-sys",
        "wasm-bindgen",
    ] {
        assert!(!crates.contains(&unwanted), "the core needs {unwanted}");
    }
}
