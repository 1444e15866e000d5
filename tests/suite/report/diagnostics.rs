//! `check --format sarif` and `--format github`: what other programs read of our findings.

use std::process::Output;

use crate::support::command;
use serde_json::Value;

/// Two files with faults, one of them with a name that needs escaping, and one that is not there.
const FAULTY: &str = "algorithm T(n)\n  input A[n]\n  global a[n], c[n]\n  a ⇚ A\n  a ⇚ B\n";
const TWICE: &str = "algorithm T(n)\n  input A[n]\n  output A[n]\n  A ⇚ A\n";

fn check(arguments: &[&str]) -> Output {
    let place = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(place.path().join("faulty.atgpu"), FAULTY).expect("writable");
    std::fs::write(place.path().join("a, b.atgpu"), TWICE).expect("writable");
    command::atgpu(place.path())
        .arg("check")
        .args(arguments)
        .output()
        .expect("the command starts")
}

fn sarif(arguments: &[&str]) -> (Value, i32) {
    let output = check(&[arguments, &["--format", "sarif"]].concat());
    let log = serde_json::from_slice(&output.stdout).expect("a log is JSON");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (log, output.status.code().expect("it exits by itself"))
}

/// What SARIF 2.1.0 allows and demands of the objects we write: the object's name, its required
/// properties, its other properties (all that we may use), and its enumerated values.
const SHAPES: &[(&str, &[&str], &[&str])] = &[
    ("log", &["version", "runs"], &["$schema"]),
    ("runs", &["tool"], &["invocations", "columnKind", "results"]),
    ("tool", &["driver"], &[]),
    ("driver", &["name"], &["version", "rules"]),
    (
        "rules",
        &["id"],
        &["shortDescription", "help", "defaultConfiguration"],
    ),
    ("shortDescription", &["text"], &[]),
    ("help", &["text"], &[]),
    ("defaultConfiguration", &[], &["level"]),
    (
        "invocations",
        &["executionSuccessful"],
        &["toolExecutionNotifications"],
    ),
    (
        "toolExecutionNotifications",
        &["message"],
        &["level", "descriptor"],
    ),
    ("descriptor", &[], &["id"]),
    (
        "results",
        &["message"],
        &[
            "ruleId",
            "ruleIndex",
            "level",
            "locations",
            "relatedLocations",
        ],
    ),
    ("message", &["text"], &[]),
    ("locations", &[], &["physicalLocation"]),
    (
        "relatedLocations",
        &[],
        &["id", "message", "physicalLocation"],
    ),
    ("physicalLocation", &["artifactLocation"], &["region"]),
    ("artifactLocation", &[], &["uri"]),
    (
        "region",
        &["startLine"],
        &["startColumn", "endLine", "endColumn"],
    ),
];

/// Walks a value, an object at a time, holding the shapes; lists stand for each of their items.
fn assert_shape(name: &str, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| assert_shape(name, item)),
        Value::Object(object) => {
            let shape = SHAPES.iter().find(|(known, _, _)| *known == name);
            let (_, required, optional) = shape.unwrap_or_else(|| panic!("no object `{name}`"));
            for key in *required {
                assert!(object.contains_key(*key), "{name} needs {key}: {value}");
            }
            for (key, inner) in object {
                let known = required.contains(&key.as_str()) || optional.contains(&key.as_str());
                assert!(known, "{name} has no {key}");
                assert_shape(key, inner);
            }
        }
        Value::String(text) => match name {
            "level" => assert!(["none", "note", "warning", "error"].contains(&text.as_str())),
            "columnKind" => assert_eq!(text, "unicodeCodePoints"),
            "uri" => assert!(text.bytes().all(|c| c.is_ascii_graphic()), "{text}"),
            _ => assert!(!text.is_empty(), "{name} is empty"),
        },
        Value::Number(number) => {
            let least = u64::from(!["id", "ruleIndex"].contains(&name));
            assert!(
                number.as_u64().is_some_and(|number| number >= least),
                "{name}: {number}"
            );
        }
        Value::Bool(_) => assert_eq!(name, "executionSuccessful"),
        Value::Null => panic!("{name} is null"),
    }
}

#[test]
fn sarif_has_the_shape_of_its_standard() {
    let (log, status) = sarif(&["faulty.atgpu", "a, b.atgpu", "none.atgpu"]);
    assert_shape("log", &log);
    assert_eq!((log["version"].as_str(), status), (Some("2.1.0"), 2));
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("a list");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let found = |code: &str| {
        let of = |result: &&Value| result["ruleId"] == code;
        results
            .iter()
            .find(of)
            .unwrap_or_else(|| panic!("no {code}: {log:#}"))
    };
    let place = &found("atgpu::name::unknown")["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "faulty.atgpu");
    let region =
        serde_json::json!({"startLine": 5, "startColumn": 7, "endLine": 5, "endColumn": 8});
    assert_eq!(place["region"], region);
    let twice = found("atgpu::name::duplicate");
    let place = &twice["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "a%2C%20b.atgpu");
    assert_eq!(
        twice["relatedLocations"][0]["physicalLocation"]["region"]["startLine"],
        2
    );
    let told = &run["invocations"][0];
    assert_eq!(told["executionSuccessful"], false);
    assert_eq!(
        told["toolExecutionNotifications"][0]["descriptor"]["id"],
        "atgpu::file::unreadable"
    );
}

#[test]
fn sarif_of_nothing_is_a_log_without_results() {
    let fine = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("programs/paper1/vector_addition.atgpu");
    let (log, status) = sarif(&[&fine.display().to_string()]);
    assert_shape("log", &log);
    assert_eq!(
        (log["runs"][0]["results"].to_string(), status),
        ("[]".to_owned(), 0)
    );
    let (log, status) = sarif(&["faulty.atgpu", "-D", "n"]);
    assert_shape("log", &log);
    assert_eq!(
        (log["runs"][0]["results"].to_string(), status),
        ("[]".to_owned(), 2)
    );
}

#[test]
fn annotations_are_one_line_each() {
    let output = check(&[
        "faulty.atgpu",
        "a, b.atgpu",
        "none.atgpu",
        "--format",
        "github",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8_lossy(&output.stdout);
    let starts = [
        "::error file=faulty.atgpu,line=5,endLine=5,col=7,endColumn=8,title=atgpu%3A%3Aname%3A%3Aunknown::",
        "::error file=a%2C b.atgpu,line=3,endLine=3,",
        "::error title=atgpu%3A%3Afile%3A%3Aunreadable::none.atgpu cannot be read",
    ];
    for start in starts {
        assert!(
            text.lines().any(|line| line.starts_with(start)),
            "{start}:\n{text}"
        );
    }
    assert!(text.lines().all(|line| line.starts_with("::")), "{text}");
}
