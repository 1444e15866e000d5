//! The documents of a client, and what is under way for each.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use atgpu::editor::Document;
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::cli::lsp::answers::{Asked, answer};
use crate::cli::lsp::configuration::Wishes;
use crate::cli::lsp::convert;
use crate::cli::lsp::worker::{Found, Task};

/// How long the keyboard is quiet before deriving begins.
const QUIET: Duration = Duration::from_millis(100);

/// A document that the client has open.
struct Open {
    document: Document,
    version: Value,
    /// When deriving is to begin.
    due: Option<Instant>,
    /// Tells the work that is under way that the text has changed.
    is_stale: Arc<AtomicBool>,
}

/// The state of the server.
pub(super) struct Session {
    open: HashMap<String, Open>,
    wishes: Wishes,
    out: Box<dyn Fn(Message)>,
    work: Sender<Task>,
    /// The requests that ask the client to ask again.
    refreshes: Vec<&'static str>,
    requests: i32,
}

impl Session {
    /// What the client says of itself.
    pub(super) fn new(
        params: &Value,
        out: impl Fn(Message) + 'static,
        work: Sender<Task>,
    ) -> Session {
        let supports = |what: &str| {
            let path = format!("/capabilities/workspace/{what}/refreshSupport");
            params.pointer(&path).and_then(Value::as_bool) == Some(true)
        };
        let all = [
            ("inlayHint", "workspace/inlayHint/refresh"),
            ("codeLens", "workspace/codeLens/refresh"),
        ];
        let options = params.get("initializationOptions");
        Session {
            open: HashMap::new(),
            wishes: Wishes::of(options.unwrap_or(&Value::Null)),
            out: Box::new(out),
            work,
            refreshes: all
                .into_iter()
                .filter(|(what, _)| supports(what))
                .map(|(_, method)| method)
                .collect(),
            requests: 0,
        }
    }

    /// Sends a message; a client that is gone hears none.
    pub(super) fn send(&self, message: Message) {
        (self.out)(message);
    }

    fn tell(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    /// When there is something to begin.
    pub(super) fn due(&self) -> Option<Instant> {
        self.open.values().filter_map(|open| open.due).min()
    }

    /// Begins what is due.
    pub(super) fn begin_work(&mut self) {
        let now = Instant::now();
        for (uri, open) in &mut self.open {
            if open.due.is_none_or(|due| due > now) {
                continue;
            }
            open.due = None;
            if let Some(job) = open.document.job() {
                let _ = self.work.send(Task {
                    uri: uri.clone(),
                    job,
                    is_stale: Arc::clone(&open.is_stale),
                });
            }
        }
    }

    /// Takes what the worker found, unless the text is another by now.
    pub(super) fn found(&mut self, found: Found) {
        let (uri, is_news) = match found {
            Found::Derived(uri, derived) => {
                let open = self.open.get_mut(&uri);
                let is_news = open.is_some_and(|open| open.document.take_derived(*derived));
                if is_news {
                    for method in self.refreshes.clone() {
                        self.requests += 1;
                        let id = self.requests.into();
                        self.send(Request::new(id, method.to_owned(), ()).into());
                    }
                }
                (uri, is_news)
            }
            Found::Judged(uri, judged) => {
                let open = self.open.get_mut(&uri);
                let is_news = open.is_some_and(|open| open.document.take_judged(judged));
                (uri, is_news)
            }
        };
        if is_news {
            self.publish(&uri);
        }
    }

    fn publish(&self, uri: &str) {
        let Some(open) = self.open.get(uri) else {
            return;
        };
        let found = open.document.diagnostics();
        let explain = self.wishes.explain.as_deref();
        let list = found
            .iter()
            .map(|found| convert::diagnostic(&open.document, uri, found, explain));
        self.tell(
            "textDocument/publishDiagnostics",
            json!({
                "uri": uri,
                "version": open.version,
                "diagnostics": list.collect::<Vec<_>>(),
            }),
        );
    }

    /// Answers a request. A fault of ours is an answer too.
    pub(super) fn request(&mut self, request: Request) {
        let uri = request.params.pointer("/textDocument/uri");
        let open = uri
            .and_then(Value::as_str)
            .and_then(|uri| self.open.get(uri));
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let open = open?;
            let asked = Asked {
                document: &open.document,
                uri: uri.and_then(Value::as_str).unwrap_or_default(),
                params: &request.params,
                explain: self.wishes.explain.as_deref(),
            };
            answer(&request.method, &asked)
        }));
        let error = |code: ErrorCode, told: String| {
            Response::new_err(request.id.clone(), code as i32, told)
        };
        let response = match answered {
            Ok(Some(Ok(value))) => Response::new_ok(request.id.clone(), value),
            Ok(Some(Err(refused))) => error(ErrorCode::RequestFailed, refused),
            Ok(None) if uri.is_some() && open.is_none() => error(
                ErrorCode::InvalidParams,
                "this document is not open".to_owned(),
            ),
            Ok(None) => error(
                ErrorCode::MethodNotFound,
                format!("no request is called {}", request.method),
            ),
            Err(_) => error(
                ErrorCode::InternalError,
                "a fault of atgpu itself; please report it with the program".to_owned(),
            ),
        };
        self.send(response.into());
    }

    /// Hears what the client tells.
    pub(super) fn notification(&mut self, told: &Notification) {
        let params = &told.params;
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let version = params.pointer("/textDocument/version");
        let version = version.cloned().unwrap_or(Value::Null);
        match (told.method.as_str(), uri) {
            ("textDocument/didOpen", Some(uri)) => {
                let text = params.pointer("/textDocument/text").and_then(Value::as_str);
                self.opened(uri, text.unwrap_or_default(), version);
            }
            ("textDocument/didChange", Some(uri)) => {
                let changes = params.get("contentChanges").and_then(Value::as_array);
                let last = changes.and_then(|all| all.last());
                let text = last.and_then(|change| change.get("text"));
                if let Some(text) = text.and_then(Value::as_str) {
                    self.changed(uri, text, version);
                }
            }
            // `atgpu.toml` may have been what was saved, here or elsewhere.
            ("textDocument/didSave", _) | ("workspace/didChangeWatchedFiles", _) => {
                self.configure();
            }
            ("textDocument/didClose", Some(uri)) => {
                if let Some(open) = self.open.remove(uri) {
                    open.is_stale.store(true, Ordering::Relaxed);
                }
                self.tell(
                    "textDocument/publishDiagnostics",
                    json!({"uri": uri, "diagnostics": []}),
                );
            }
            ("workspace/didChangeConfiguration", _) => {
                if let Some(settings) = params.get("settings").filter(|it| it.is_object()) {
                    self.wishes = Wishes::of(settings);
                }
                self.configure();
            }
            _ => {}
        }
    }

    fn opened(&mut self, uri: &str, text: &str, version: Value) {
        let (settings, faults) = self.wishes.settings(folder_of(uri).as_deref());
        self.complain(&faults);
        let open = Open {
            document: Document::open(text, settings),
            version,
            // Nobody is typing yet.
            due: Some(Instant::now()),
            is_stale: Arc::default(),
        };
        self.open.insert(uri.to_owned(), open);
        self.publish(uri);
        self.begin_work();
    }

    fn changed(&mut self, uri: &str, text: &str, version: Value) {
        let Some(open) = self.open.get_mut(uri) else {
            return self.opened(uri, text, version);
        };
        open.is_stale.store(true, Ordering::Relaxed);
        open.is_stale = Arc::default();
        open.version = version;
        open.document.change(text);
        open.due = Some(Instant::now() + QUIET);
        self.publish(uri);
    }

    /// Settings again, of every document; those that changed begin anew.
    fn configure(&mut self) {
        let mut told = Vec::new();
        for (uri, open) in &mut self.open {
            let (settings, faults) = self.wishes.settings(folder_of(uri).as_deref());
            told.extend(faults);
            let before = open.document.revision();
            open.document.set(settings);
            if open.document.revision() != before {
                open.is_stale.store(true, Ordering::Relaxed);
                open.is_stale = Arc::default();
                open.due = Some(Instant::now());
            }
        }
        told.dedup();
        self.complain(&told);
        self.begin_work();
    }

    fn complain(&self, faults: &[String]) {
        for fault in faults {
            self.tell(
                "window/showMessage",
                json!({"type": 2, "message": format!("atgpu: {fault}")}),
            );
        }
    }
}

/// The folder of a `file:` URI.
fn folder_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let folder = &path[..path.rfind('/')?];
    let mut bytes = Vec::new();
    let mut rest = folder.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let hex = (*first == b'%').then(|| others.get(..2)).flatten();
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &others[2..] } else { others };
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/x` is `C:/x`.
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(if drive { path[1..].to_owned() } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_from_uris() {
        let folder = |uri| folder_of(uri);
        assert_eq!(folder("file:///a/b.atgpu").as_deref(), Some("/a"));
        assert_eq!(
            folder("file:///a%20%C3%A9/b.atgpu").as_deref(),
            Some("/a é")
        );
        assert_eq!(folder("file:///C%3A/x/y.atgpu").as_deref(), Some("C:/x"));
        assert_eq!(folder("untitled:Untitled-1"), None);
        assert_eq!(folder("file:///a%/b%zz/c").as_deref(), Some("/a%/b%zz"));
    }
}
