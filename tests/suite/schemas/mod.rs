//! JSON Schemas of all that the command prints and reads: `docs/schemas/`. They are made here, from the tables of the
//! library where it has one, and held against real output: no output has a key that its schema lacks, and no schema a
//! key that no output has. `UPDATE=1 cargo test --test suite schemas::` writes them anew.

mod files;
mod judge;
mod results;
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;

use atgpu::machine::{BUILT_IN, Machine};
use judge::Judge;
use serde_json::Value;

use crate::support::command;
use crate::support::engines::choices;
use crate::support::programs::{FAULTY, load_file, programs};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_schemas_are_those_that_would_be_made_now() {
    let settings = [
        ("atgpu-toml", files::settings()),
        ("machine", files::machine()),
    ];
    let folder = root().join("docs/schemas");
    let mut names = Vec::new();
    for (name, schema) in results::all().into_iter().chain(settings) {
        let path = folder.join(format!("{name}.json"));
        let made = format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(&path, &made).expect("it can be written");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let update = "`UPDATE=1 cargo test --test suite schemas::`";
        assert!(kept == made, "docs/schemas/{name}.json is old: {update}");
        names.push(format!("{name}.json"));
    }
    names.sort();
    let entries = fs::read_dir(&folder).expect("a folder");
    let kept = entries.map(|each| each.expect("readable").file_name());
    let mut kept: Vec<String> = kept
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    kept.sort();
    assert_eq!(kept, names, "a schema that nothing makes");
}

/// Each command with what makes its optional keys appear.
const COMMANDS: &[&str] = &[
    "check faulty.atgpu",
    "check vector_addition.atgpu faulty.atgpu",
    "check reduction.atgpu -D n=64",
    "check unknown.atgpu",
    "check --fix -",
    "check --explain vector_addition.atgpu",
    "advise transpose_naive.atgpu -D b=8",
    "tune transpose_naive.atgpu --over b=8..64 -D n=1024 -D m=1024",
    "tune vector_addition_guarded.atgpu --over b=8..64 -D n=2^10..2^12",
    "cost vector_addition.atgpu -D n=4096 -D b=1024 --machine h100",
    "derive vector_addition.atgpu --model roofline --model combined --model atgpu --machine h100",
    "derive vector_addition.atgpu --model kothapalli-max --model kothapalli-sum --machine gtx280",
    "derive vector_addition.atgpu --model swgpu",
    "derive faulty.atgpu",
    "derive reduction.atgpu --machine gtx280",
    "cost vector_addition.atgpu -D n=1024 --model all --machine gtx280",
    "cost vector_addition.atgpu -D n=1024 --model all --machine h100",
    "cost vector_addition.atgpu -D n=1024 -D m=2",
    "cost vector_addition.atgpu -D n=1024 --contention 8",
    "run vector_addition.atgpu -D n=64 --show C --trace mp=0",
    "run vector_addition.atgpu -D n=64 --show _c --trace mp=0 --machine gtx280",
    "run faulty.atgpu -D n=64",
    "test vector_addition.atgpu faulty.atgpu",
    "test vector_addition.atgpu -D n=0",
    "compare vector_addition.atgpu vector_addition_guarded.atgpu",
    "compare vector_addition.atgpu reduction.atgpu",
    "compare vector_addition.atgpu reduction.atgpu -D n=1024 --model all --machine gtx280",
    "compare vector_addition.atgpu reduction.atgpu -D n=1e9",
    "sweep vector_addition.atgpu --vary n=2^5..2^8",
    "sweep vector_addition.atgpu --vary n=2^5..2^40 --model agpu",
    "sweep vector_addition.atgpu --vary n=1..64 --wide",
    "sweep vector_addition.atgpu --vary n=1..64 -o rows.json",
    "overlap vector_addition.atgpu -D n=4096",
    "overlap vector_addition.atgpu -D n=4096 --machine h100",
    "overlap vector_addition.atgpu -D n=4096 --machine gtx480",
    "overlap dot_product.atgpu -D n=4096 --machine gtx280",
    "calibrate vector_addition.atgpu --observed times.csv",
    "calibrate vector_addition.atgpu reduction.atgpu --observed both.csv",
    "emit c vector_addition.atgpu",
    "emit c vector_addition.atgpu -o out.c",
    "explain bounds::global",
    "explain occupancy",
    "explain",
    "machines",
    "machines gtx650",
    "machines h100",
    "machines gtx650 gtx280",
    "machines nowhere",
];

#[test]
fn every_output_is_as_its_schema_says() {
    let folder = tempfile::tempdir().expect("a folder");
    for program in [
        "paper1/vector_addition",
        "paper1/vector_addition_guarded",
        "paper1/reduction",
        "cookbook/dot_product",
        "cookbook/transpose_naive",
    ] {
        let from = root().join(format!("programs/{program}.atgpu"));
        let to = folder.path().join(from.file_name().expect("a file"));
        fs::copy(from, to).expect("readable");
    }
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("writable");
    };
    write("faulty.atgpu", FAULTY);
    write(
        "unknown.atgpu",
        &FAULTY.replace("shared _x[b]", "shared _y[b]"),
    );
    let times = "1024,0.2,0.1\n4096,0.5,0.3\n65536,5,3\n262144,20,12\n";
    write("times.csv", &format!("n,total_ms,kernel_ms\n{times}"));
    let of = |name: &str| {
        times
            .lines()
            .map(|row| format!("{name},{row}\n"))
            .collect::<String>()
    };
    let both = [of("VectorAddition"), of("Reduction")].concat();
    write("both.csv", &format!("program,n,total_ms,kernel_ms\n{both}"));

    let schemas = results::all();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    let mut held: Vec<(&str, Judge<'_>)> = schemas
        .iter()
        .map(|(name, schema)| (*name, Judge::new(schema)))
        .collect();
    let mut hold = |line: &str, printed: &str| {
        let name = line.split(' ').next().expect("a command");
        let (_, judge) = held
            .iter_mut()
            .find(|(each, _)| *each == name)
            .expect("a schema");
        for object in serde_json::Deserializer::from_str(printed).into_iter() {
            let object: Value = object.unwrap_or_else(|error| panic!("{line}: {error}\n{printed}"));
            let fault = judge.fault(&object);
            assert_eq!(
                fault, None,
                "{line} is not as docs/schemas/{name}.json says"
            );
            asked.insert(name.to_owned());
        }
    };
    for line in COMMANDS {
        hold(line, &printed(folder.path(), line, "json"));
    }
    // All programs: what is proved and derived of them, and a run of each at a small point, which has all keys of a
    // cost.
    let all = programs("programs");
    let files: Vec<String> = all.iter().map(|file| file.display().to_string()).collect();
    for (command, format) in [("check", "json"), ("derive", "ndjson")] {
        let line = format!("{command} {}", files.join(" "));
        hold(&line, &printed(root(), &line, format));
    }
    for (file, path) in all.iter().zip(&files) {
        let (program, _) = load_file(file);
        if let Some(choice) = choices(&program, 1, 7).pop() {
            let values = choice
                .values
                .iter()
                .map(|(name, value)| format!(" -D {name}={value}"));
            let values: String = values.collect();
            let line = format!("run {path} -D b={}{values}", choice.machine[1]);
            hold(&line, &printed(root(), &line, "json"));
        }
    }
    let mut met: BTreeMap<String, bool> = BTreeMap::new();
    for (name, judge) in &held {
        // `measure` needs a compiler, and prints what `calibrate` does.
        assert!(
            asked.contains(*name) || *name == "measure",
            "{name} was not asked"
        );
        // A key with the one above it: `totals` stands in many places, and one that has it is enough.
        for (path, is_met) in judge.keys() {
            // What begins with `$` is shared by all.
            let path = match path.starts_with('$') {
                true => path,
                false => format!("{name}{path}"),
            };
            let mut parts = path.rsplitn(3, '/');
            let (key, above) = (parts.next(), parts.next());
            let pair = format!("{}/{}", above.unwrap_or(""), key.unwrap_or(""));
            *met.entry(pair).or_default() |= is_met;
        }
    }
    let seldom = |path: &String| SELDOM.iter().any(|seldom| path.starts_with(seldom));
    let unmet = met
        .into_iter()
        .filter(|(path, is_met)| !is_met && !seldom(path));
    let unmet: Vec<String> = unmet.map(|(path, _)| path).collect();
    assert!(unmet.is_empty(), "no output has {unmet:#?}");
}

/// Keys, each with the one above it, that no output here has, since each needs a program, a machine or measurements of
/// its own.
const SELDOM: &[&str] = &[
    "accesses/only_one_b",
    "accesses/only_one_mp",
    "accesses/require",
    "agpu/bounds",
    "atgpu/bounds",
    "calibrate/programs_left_out",
    "changes/crossover",
    "changes/from",
    "changes/to",
    "combined/bounds",
    "claims/reason",
    "cost/rounds_omitted",
    "crossover/reason",
    "crossovers/reason",
    "figures/reason",
    "joined/alone",
    "kothapalli-max/bounds",
    "kothapalli-max/over_mps",
    "kothapalli-sum/bounds",
    "kothapalli-sum/over_mps",
    "left_out/",
    "measure/",
    "measurements/event",
    "programs/b",
    "programs/left_out",
    "programs_left_out/",
    "roofline/bounds",
    "rounds/until",
    "run/rounds_omitted",
    "swgpu/bounds",
    "table/bounds",
    "until/line",
    "witness/inputs",
];

/// What a command prints in a folder; a `-` is the program of vector addition there.
fn printed(folder: &Path, line: &str, format: &str) -> String {
    let input = fs::File::open(folder.join("vector_addition.atgpu"));
    let output = command::atgpu(folder)
        .args(line.split(' '))
        .args(["--format", format])
        .stdin(input.map_or_else(|_| Stdio::null(), Stdio::from))
        .output()
        .expect("starts");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_slip_is_a_fault() {
    let (_, schema) = &results::all()[3];
    let mut judge = Judge::new(schema);
    let with = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(judge.fault(&with(r#"{"diagnostics": []}"#)), None);
    let fault = judge.fault(&with(r#"{"diagnostics": [], "more": 1}"#));
    assert_eq!(fault.as_deref(), Some("/more: an unknown key"));
    let fault = judge.fault(&with("{}"));
    assert!(fault.is_some_and(|fault| fault.contains("is missing")));
}

fn parsed(text: &str) -> Value {
    toml::from_str(text).expect("TOML")
}

#[test]
fn machine_files_are_as_their_schema_says() {
    let schema = files::machine();
    let mut judge = Judge::new(&schema);
    for (name, text) in BUILT_IN {
        assert_eq!(judge.fault(&parsed(text)), None, "{name}");
    }
    // The reader names the keys that it knows where it meets one that it does not.
    let least = "[atgpu]\np = 1\nb = 1\nM = 1\nG = 1\n";
    let keys = |schema: &Value| -> Vec<String> {
        let keys = schema["properties"].as_object().expect("an object");
        keys.keys().cloned().collect()
    };
    let known = |text: &str| -> Vec<String> {
        let faults = Machine::from_toml(text).expect_err("an unknown key");
        let mut helps = faults.iter().filter_map(|fault| fault.help.as_deref());
        let list = helps.find_map(|help| help.strip_prefix("known keys here: "));
        let list = list.unwrap_or_else(|| panic!("{faults:?}"));
        list.split(", ").map(str::to_owned).collect()
    };
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(
        sorted(known(&format!("name = 'x'\nzzzzzz = 1\n{least}"))),
        sorted(keys(&schema))
    );
    let sections = schema["properties"].as_object().expect("an object");
    for (section, of) in sections {
        if of["type"] != "object" || section == "source" {
            continue;
        }
        let text = match section.as_str() {
            "atgpu" => format!("name = 'x'\n{least}zzzzzz = 1\n"),
            _ => format!("name = 'x'\n{least}[{section}]\nzzzzzz = 1\n"),
        };
        assert!(judge.fault(&parsed(&text)).is_some(), "[{section}]");
        assert_eq!(sorted(known(&text)), sorted(keys(of)), "[{section}]");
    }
}

#[test]
fn settings_are_as_their_schema_says() {
    let schema = files::settings();
    let mut judge = Judge::new(&schema);
    let page = fs::read_to_string(root().join("docs/editors.md")).expect("readable");
    let example = page.split("```toml\n").nth(1).expect("an example");
    let example = parsed(example.split("```").next().expect("it ends"));
    assert_eq!(judge.fault(&example), None);
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read(root().join("programs/paper1/vector_addition.atgpu")).expect("readable");
    fs::write(folder.path().join("a.atgpu"), text).expect("writable");
    // The command and the schema agree on each.
    for (settings, is_right) in [
        ("machine = 'k20'\nmodel = 'all'", true),
        ("model = ['atgpu', 'agpu']", true),
        ("model = 'nowhere'", false),
        ("modle = 'atgpu'", false),
        ("hints = 'blocks'", true),
        ("hints = 'many'", false),
        ("[values]\nn = '2^20'\nb = 32", true),
        ("[values]\nn = true", false),
        ("[lints]\npower = 'deny'", true),
        ("[lints]\npower = 'no'", false),
        ("[lints]\nnowhere = 'deny'", false),
    ] {
        fs::write(folder.path().join("atgpu.toml"), settings).expect("writable");
        let output = command::atgpu(folder.path())
            .args(["derive", "a.atgpu"])
            .output();
        let is_taken = output.expect("starts").status.success();
        let fault = judge.fault(&parsed(settings));
        assert_eq!(is_taken, is_right, "{settings}");
        assert_eq!(fault.is_none(), is_right, "{settings}: {fault:?}");
    }
}
