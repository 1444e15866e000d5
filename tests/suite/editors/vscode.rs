//! The extension for VS Code: its commands are there, its snippets are programs. What the commands do is tested by
//! `editors/vscode/test/`, which needs node.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::read;

fn json(name: &str) -> Value {
    let text = read(&format!("editors/vscode/{name}"));
    serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

#[test]
fn its_commands_are_those_of_its_code() {
    let about = json("package.json");
    let named = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list");
        let names = list
            .iter()
            .map(|each| each["command"].as_str().expect("a name"));
        names.map(str::to_owned).collect()
    };
    let declared = named(&about["contributes"]["commands"]);
    assert!(declared.len() >= 4, "{declared:?}");
    let code = read("editors/vscode/commands.js");
    let registered: Vec<&str> = code
        .split("registerCommand(\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(declared, registered);
    assert_eq!(
        declared,
        named(&about["contributes"]["menus"]["commandPalette"])
    );
}

/// A snippet's text with the words that it proposes, and this one where the writer goes on.
fn typed(snippet: &Value, rest: &str) -> String {
    let lines = snippet["body"].as_array().expect("lines");
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.as_str().expect("text"))
        .collect();
    let body = lines.join("\n").replace("$0", rest);
    let (mut typed, mut from) = (String::new(), body.as_str());
    while let Some((before, place)) = from.split_once("${") {
        let (place, after) = place.split_once('}').expect("a place ends");
        let words = place.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let words = words.trim_matches(['|', ':']);
        typed += before;
        typed += words.split(',').next().unwrap_or_default();
        from = after;
    }
    typed + from
}

#[test]
fn its_snippets_are_programs() {
    let snippets = json("snippets.json");
    let snippet = |name: &str| &snippets[name];
    let program = typed(snippet("Program"), "");
    let work = "_x[j] ← 2·_x[j]";
    let with = |text: &str, at: &str| program.replace(at, text);
    let line = format!("        {work}");
    let within = |name: &str| with(&typed(snippet(name), work), &line);
    let kernel = typed(snippet("Kernel"), "_x[j] ← 0");
    for (name, program) in [
        ("Program", program.clone()),
        ("Kernel", with(&format!("  a ⇚ A\n{kernel}"), "  a ⇚ A")),
        (
            "Loop",
            within("Loop").replace("n ≥ 1", "n ≥ 1 ∧ b is a power of 2"),
        ),
        ("Condition", within("Condition")),
        ("While", within("While")),
        (
            "Claim of I/O",
            with(
                &format!("c[n]\n  {}", typed(snippet("Claim of I/O"), "")),
                "c[n]",
            ),
        ),
    ] {
        assert!(program.contains(&typed(snippet(name), work)) || name == "Kernel");
        let parsed = atgpu::program(&program);
        assert!(parsed.is_ok(), "{name}: {:?}\n{program}", parsed.err());
    }
    assert_eq!(snippets.as_object().expect("a table").len(), 6);
}

/// The extension packs; skipped with a word where its packages are not installed (`npm ci` in `editors/vscode`).
#[test]
fn it_packs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode");
    if !folder.join("node_modules/@vscode/vsce").exists() {
        println!("skipped: no packages in editors/vscode");
        return;
    }
    let mut command = Command::new("npm");
    let output = command
        .args(["run", "package"])
        .current_dir(&folder)
        .output();
    let output = output.expect("npm runs where it has installed them");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let name = format!("atgpu-{}.vsix", env!("CARGO_PKG_VERSION"));
    let packed = fs::read(folder.join(name)).expect("it was written");
    assert!(packed.starts_with(b"PK"), "an archive");
    for file in [
        "extension.vsixmanifest",
        "extension/dist/extension.js",
        "extension/dist/atgpu.tmLanguage.json",
        "extension/icon.png",
        "extension/snippets.json",
        "extension/LICENSE.txt",
    ] {
        let has = packed
            .windows(file.len())
            .any(|part| part == file.as_bytes());
        assert!(has, "{file}");
    }
}
