//! A client in a few lines: messages to `atgpu lsp` and what comes back.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::command;

/// Nothing that a test waits for takes as long.
const LONGEST: Duration = Duration::from_secs(120);

struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: u64,
}

/// The next message; nothing where the server says no more.
fn message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().expect("a number"),
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).expect("a whole message");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

impl Client {
    fn start(folder: &std::path::Path, options: &Value) -> Client {
        Client::able(folder, &json!({}), options)
    }

    /// A client that says what it can do.
    fn able(folder: &std::path::Path, capabilities: &Value, options: &Value) -> Client {
        let mut server = command::atgpu(folder)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let mut output = BufReader::new(server.stdout.take().expect("piped"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = message(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut client = Client {
            input: server.stdin.take().expect("piped"),
            messages,
            server,
            requests: 0,
        };
        let answer = client.ask(
            "initialize",
            &json!({"capabilities": capabilities, "initializationOptions": options}),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "atgpu");
        client.tell("initialized", &json!({}));
        client
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        let framed = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.input.write_all(framed.as_bytes()).expect("it listens");
        self.input.flush().expect("it listens");
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn read(&mut self) -> Value {
        self.messages.recv_timeout(LONGEST).expect("it speaks")
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The next diagnostics that a test likes.
    fn diagnostics(&mut self, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        loop {
            let message = self.read();
            if message["method"] == "textDocument/publishDiagnostics" {
                let list = message["params"]["diagnostics"].as_array().expect("a list");
                if wanted(list) {
                    return list.clone();
                }
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "atgpu", "version": 1, "text": text});
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn change(&mut self, uri: &str, version: u64, text: &str) {
        let params = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"text": text}],
        });
        self.tell("textDocument/didChange", &params);
    }

    fn end(mut self) -> Option<i32> {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        self.server.wait().expect("it ends").code()
    }
}

fn codes(list: &[Value]) -> Vec<&str> {
    list.iter()
        .map(|found| found["code"].as_str().unwrap_or_default())
        .collect()
}

const TEXT: &str = "algorithm T(n)\n  require b ∣ n ∧ n ≥ 1\n  input A[n]\n  output C[n]\n  global a[n]\n  \
                    claim transfer = 3n\n  a ⇚ A\n  C ⇚ a\n";

#[test]
fn a_session_from_opening_to_exit() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path(), &json!({"hints": "all"}));
    let uri = format!("file://{}/t.atgpu", folder.path().display());
    client.open(&uri, TEXT);
    let found = client.diagnostics(|list| codes(list).contains(&"claim::refuted"));
    let claim = found
        .iter()
        .find(|it| it["code"] == "claim::refuted")
        .expect("found");
    assert_eq!(claim["range"]["start"]["line"], 5);
    let here = |line: u64, character: u64| {
        json!({
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
        })
    };
    let hover = client.ask("textDocument/hover", &here(6, 2));
    assert!(hover.to_string().contains("global a[n]"), "{hover}");
    // Broken text is answered too, and mended text is well again.
    client.change(&uri, 2, &TEXT.replace("C ⇚ a", "C ⇚ aa["));
    let found = client.diagnostics(|list| codes(list).contains(&"syntax::unexpected"));
    assert!(!found.is_empty());
    let lens = client.ask(
        "textDocument/codeLens",
        &json!({"textDocument": {"uri": uri}}),
    );
    assert!(lens["result"].is_array(), "{lens}");
    client.change(&uri, 3, &TEXT.replace("3n", "2n"));
    client.diagnostics(|list| !codes(list).contains(&"syntax::unexpected"));
    let renamed = client.ask(
        "textDocument/rename",
        &json!({
            "textDocument": {"uri": uri},
            "position": {"line": 4, "character": 9},
            "newName": "_a",
        }),
    );
    assert!(
        renamed["error"]["message"].to_string().contains("global"),
        "{renamed}"
    );
    // What is no request, and what is no document, are errors; the server stays.
    let unknown = client.ask("textDocument/nothing", &here(0, 0));
    assert_eq!(unknown["error"]["code"], -32601);
    let missing = json!({"textDocument": {"uri": "file:///none"}, "position": 3});
    let missing = client.ask("textDocument/hover", &missing);
    assert_eq!(missing["error"]["code"], -32602);
    assert_eq!(client.end(), Some(0));
}

/// A program that the algebra once ran out of stack over is derived like any other, and the texts beside
/// it stay answered.
#[test]
fn rounds_to_a_rounded_log_do_not_end_the_server() {
    let scan = include_str!("../derive/constructs/scan-past-a-power.atgpu");
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path(), &json!({}));
    let uri = |name: &str| format!("file://{}/{name}.atgpu", folder.path().display());
    client.open(&uri("scan"), scan);
    client.open(&uri("t"), TEXT);
    let lenses = |client: &mut Client, name: &str| {
        let text = json!({"textDocument": {"uri": uri(name)}});
        client.ask("textDocument/codeLens", &text).to_string()
    };
    let of_scan = lenses(&mut client, "scan");
    assert!(of_scan.contains("GPU-cost 2α + 2nβ"), "{of_scan}");
    assert!(lenses(&mut client, "t").contains("2n"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_file_beside_the_programs_chooses_for_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("atgpu.toml");
    std::fs::write(&config, "machine = \"nonesuch\"\n").expect("writable");
    let mut client = Client::start(folder.path(), &Value::Null);
    let uri = format!("file://{}/t.atgpu", folder.path().display());
    client.open(&uri, TEXT);
    // What is wrong with the file is told where it stands.
    let told = loop {
        let message = client.read();
        let params = &message["params"];
        if params["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with("/atgpu.toml"))
        {
            break params["diagnostics"].clone();
        }
    };
    assert_eq!(told[0]["code"], "usage::setting");
    assert_eq!(told[0]["range"]["start"]["character"], 10);
    assert_eq!(client.end(), Some(0));
}

/// The file itself as a text being edited: diagnostics, fixes, completion; and what it says counts
/// before it is saved.
#[test]
fn the_file_beside_the_programs_is_edited_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path(), &Value::Null);
    let place = folder.path().display();
    let (program, settings) = (
        format!("file://{place}/t.atgpu"),
        format!("file://{place}/atgpu.toml"),
    );
    client.open(&program, TEXT);
    client.open(&settings, "machine = \"k2\"\nhints = \"al\"\n");
    let found = client.diagnostics(|list| codes(list).contains(&"usage::setting"));
    assert_eq!(codes(&found), ["usage::setting", "usage::setting"]);
    let within = |line: u64| {
        json!({
            "textDocument": {"uri": settings},
            "range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}},
            "context": {"diagnostics": []},
        })
    };
    let actions = client.ask("textDocument/codeAction", &within(0))["result"].clone();
    assert_eq!(actions.as_array().map(Vec::len), Some(1), "{actions}");
    assert!(actions.to_string().contains("\\\"k20\\\""), "{actions}");
    let mut offered = |text: &str, line: u64, character: u64| {
        client.change(&settings, 2, text);
        let at = json!({
            "textDocument": {"uri": settings},
            "position": {"line": line, "character": character},
        });
        let found = client.ask("textDocument/completion", &at)["result"]["items"].clone();
        let items = found.as_array().expect("a list").clone();
        let labels = items
            .iter()
            .map(|item| item["label"].as_str().unwrap_or_default());
        labels.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(offered("machine = \"g\"", 0, 12).contains(&"gtx650".to_owned()));
    assert!(offered("model = ", 0, 8).contains(&"roofline".to_owned()));
    assert_eq!(offered("hints = \"", 0, 9), ["off", "blocks", "all"]);
    assert_eq!(
        offered("", 0, 0),
        ["machine", "model", "hints", "values", "lints"]
    );
    let values = offered("[values]\n", 1, 0);
    assert!(
        values[0] == "n" && values.contains(&"b".to_owned()),
        "{values:?}"
    );
    // Global memory too small for the program, in a text that is not saved.
    client.change(&settings, 3, "[values]\nn = 1000\nb = 4\nG = 64\n");
    let found = client.diagnostics(|list| codes(list).contains(&"limit::global"));
    assert!(!found.is_empty());
    assert_eq!(client.end(), Some(0));
}

/// A client that shows progress is told of work that takes long, from its beginning to its end.
#[test]
fn long_work_is_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let can = json!({"window": {"workDoneProgress": true}});
    let mut client = Client::able(folder.path(), &can, &Value::Null);
    // One file after the other: the last waits for all, on any machine.
    let text = "programs/measured/convolution_2d_tiled.atgpu";
    let text = std::fs::read_to_string(text).expect("a program");
    for at in 0..6 {
        let uri = format!("file://{}/{at}.atgpu", folder.path().display());
        client.open(&uri, &text);
    }
    let mut kinds = Vec::new();
    while kinds.last().map(String::as_str) != Some("end") {
        let message = client.read();
        if message["method"] == "$/progress" {
            let kind = message["params"]["value"]["kind"].as_str();
            kinds.push(kind.unwrap_or_default().to_owned());
        }
    }
    assert_eq!(kinds[0], "begin");
    assert_eq!(client.end(), Some(0));
}

/// A text that takes long keeps no other from its costs, and the server ends at once whatever it is at.
#[test]
fn a_heavy_text_holds_up_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path(), &Value::Null);
    let uri = |name: &str| format!("file://{}/{name}.atgpu", folder.path().display());
    let heavy = |line: usize| format!("      for s{line} = 0 → s{0}·s{0} do\n", line - 1);
    let loops: String = (1..14).map(heavy).collect();
    let heavy = format!(
        "algorithm T(n)\n  require n ≥ 1\n  shared _s[b]\n  for all mp_i ∈ MP[0..0] in parallel do\n    \
         for all c_{{i,j}} ∈ C_i in parallel do\n      _s[j] ← 0\n      for s0 = 0 → n do\n{loops}      \
         _s[j] ← _s[j] + 1\n{}    end for\n  end for\n",
        "      end for\n".repeat(14)
    );
    client.open(&uri("heavy"), &heavy);
    client.open(
        &uri("light"),
        "algorithm T(n)\n  input A[n]\n  global a[n]\n  a ⇚ A\n",
    );
    let lenses = client.ask(
        "textDocument/codeLens",
        &json!({"textDocument": {"uri": uri("light")}}),
    );
    assert!(
        lenses["result"]
            .as_array()
            .is_some_and(|all| !all.is_empty()),
        "{lenses}"
    );
    assert_eq!(client.end(), Some(0));
}

/// Advice on request: an action begins the search, its results are a question, and the answer changes the text. They are
/// actions from then on, until the text changes.
#[test]
fn a_search_for_changes_is_asked_for_and_chosen_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path(), &Value::Null);
    let uri = format!("file://{}/t.atgpu", folder.path().display());
    let text = std::fs::read_to_string("programs/cookbook/transpose_tiled.atgpu");
    let text = text.expect("a program");
    client.open(&uri, &text);
    let rewrites = |client: &mut Client| {
        let asked = json!({
            "textDocument": {"uri": uri},
            "range": {"start": {"line": 17, "character": 0}, "end": {"line": 17, "character": 0}},
            "context": {"diagnostics": [], "only": ["refactor"]},
        });
        let found = client.ask("textDocument/codeAction", &asked)["result"].clone();
        found.as_array().expect("a list").clone()
    };
    let is_search = |action: &&Value| action["command"]["command"] == "atgpu.advise";
    let is_padding = |action: &&Value| {
        let title = action["title"].as_str().expect("a title");
        title.starts_with("pad-rows in line 18")
            && title.contains("bank_conflicts")
            && title.ends_with("→ 0")
    };
    let offered = rewrites(&mut client);
    let search = offered.iter().find(is_search).expect("it is offered");
    assert!(!offered.iter().any(|action| is_padding(&action)));
    let arguments = &search["command"]["arguments"];
    let command = json!({"command": "atgpu.advise", "arguments": arguments});
    let begun = client.ask("workspace/executeCommand", &command);
    assert!(begun["error"].is_null(), "{begun}");
    // The command is answered at once, and the question comes when the search is over.
    let question = loop {
        let message = client.read();
        if message["method"] == "window/showMessageRequest" {
            break message;
        }
    };
    let titles = question["params"]["actions"].as_array().expect("a list");
    let chosen = titles.iter().find(is_padding).expect("found").clone();
    client.write(&json!({"jsonrpc": "2.0", "id": question["id"], "result": chosen}));
    let applied = loop {
        let message = client.read();
        if message["method"] == "workspace/applyEdit" {
            break message;
        }
    };
    let edits = applied["params"]["edit"]["changes"][&uri].to_string();
    assert!(edits.contains("shared _s[b, b + 1]"), "{edits}");
    // What was found is an action now, with its edit; a changed text is searched anew.
    let offered = rewrites(&mut client);
    let padding = offered.iter().find(is_padding).expect("known");
    assert!(padding["edit"]["changes"][&uri].is_array(), "{padding}");
    assert!(!offered.iter().any(|action| is_search(&action)));
    client.change(&uri, 2, &text.replace("_s[b, b]", "_s[b, b + 1]"));
    assert!(
        rewrites(&mut client)
            .iter()
            .any(|action| is_search(&action))
    );
    let nothing = json!({"command": "atgpu.nothing", "arguments": [uri]});
    assert_eq!(
        client.ask("workspace/executeCommand", &nothing)["error"]["code"],
        -32602
    );
    assert_eq!(client.end(), Some(0));
}
