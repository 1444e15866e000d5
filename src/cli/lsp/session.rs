//! The open documents of a client, and the work in progress for each.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use atgpu::diag::Diagnostic;
use atgpu::editor::{Document, Settings, SymbolKind};
use atgpu::text::Source;
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::cli::alone;
use crate::cli::config::{self, Config, Levels};
use crate::cli::lsp::advising::{self, Offer};
use crate::cli::lsp::answers::{Asked, answer, of_settings};
use crate::cli::lsp::configuration::Wishes;
use crate::cli::lsp::convert;
use crate::cli::lsp::places::{folder_of, uri_of_settings};
use crate::cli::lsp::settings::SettingsFile;
use crate::cli::lsp::worker::{Found, Stop, Wanted, Work};
use crate::cli::lsp::working::Works;

/// Pause in typing after which derivation starts.
const QUIET: Duration = Duration::from_millis(100);

/// A document that the client has open.
struct Open {
    document: Document,
    version: Value,
    /// The time at which derivation starts.
    due: Option<Instant>,
    /// Stops the work on this text once it has changed.
    is_stale: Stop,
    /// What lints are worth here.
    lints: Levels,
}

/// The state of the server.
pub(super) struct Session {
    open: HashMap<String, Open>,
    /// The open `atgpu.toml`s.
    settings: HashMap<String, SettingsFile>,
    /// The `atgpu.toml`s with published faults.
    blamed: HashSet<String>,
    working: Works,
    /// Requests about costs that wait for the work in progress.
    waiting: Vec<Request>,
    /// The changes that the client was asked to choose from.
    offered: Option<Offer>,
    shows_progress: bool,
    watches_files: bool,
    wishes: Wishes,
    out: Box<dyn Fn(Message)>,
    work: Work,
    /// The refresh requests that the client supports.
    refreshes: Vec<&'static str>,
    requests: i32,
}

impl Session {
    /// Creates a session from the client's `initialize` parameters.
    pub(super) fn new(params: &Value, out: impl Fn(Message) + 'static, work: Work) -> Session {
        let can = |path: &str| {
            let path = format!("/capabilities/{path}");
            params.pointer(&path).and_then(Value::as_bool) == Some(true)
        };
        let all = [
            ("inlayHint", "workspace/inlayHint/refresh"),
            ("codeLens", "workspace/codeLens/refresh"),
        ];
        let options = params.get("initializationOptions");
        Session {
            open: HashMap::new(),
            settings: HashMap::new(),
            blamed: HashSet::new(),
            working: Works::default(),
            waiting: Vec::new(),
            offered: None,
            shows_progress: can("window/workDoneProgress"),
            watches_files: can("workspace/didChangeWatchedFiles/dynamicRegistration"),
            wishes: Wishes::of(options.unwrap_or(&Value::Null)),
            out: Box::new(out),
            work,
            refreshes: all
                .into_iter()
                .filter(|(what, _)| can(&format!("workspace/{what}/refreshSupport")))
                .map(|(_, method)| method)
                .collect(),
            requests: 0,
        }
    }

    /// Sends a message. If the client is gone, it is dropped.
    pub(super) fn send(&self, message: Message) {
        (self.out)(message);
    }

    fn tell(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    /// Asks the client, and returns the number of the request.
    fn ask(&mut self, method: &str, params: Value) -> i32 {
        self.requests += 1;
        let id = self.requests;
        self.send(Request::new(id.into(), method.to_owned(), params).into());
        id
    }

    /// An open document.
    fn document(&self, uri: &str) -> Option<&Document> {
        Some(&self.open.get(uri)?.document)
    }

    /// The next time at which work is due or has to be reported.
    pub(super) fn due(&self) -> Option<Instant> {
        let begins = self.open.values().filter_map(|open| open.due);
        let tells = self.working.due().filter(|_| self.shows_progress);
        begins.chain(tells).min()
    }

    /// Reports long-running work to the client.
    pub(super) fn tell_of_long_work(&mut self) {
        while self.shows_progress
            && let Some((uri, title)) = self.working.untold()
        {
            let token = format!("atgpu-{}", self.requests + 1);
            self.ask("window/workDoneProgress/create", json!({ "token": token }));
            self.progress(&token, json!({"kind": "begin", "title": title}));
            self.working.told(&uri, token);
        }
    }

    fn progress(&self, token: &str, value: Value) {
        self.tell("$/progress", json!({"token": token, "value": value}));
    }

    /// Starts the work that is due.
    pub(super) fn begin_work(&mut self) {
        let now = Instant::now();
        let mut due: Vec<String> = Vec::new();
        for (uri, open) in &mut self.open {
            if open.due.is_some_and(|due| due <= now) {
                open.due = None;
                due.push(uri.clone());
            }
        }
        for uri in due {
            self.begin(&uri, Wanted::Costs);
        }
    }

    /// Starts work on a text; returns false if there is none.
    fn begin(&mut self, uri: &str, wanted: Wanted) -> bool {
        let open = self.open.get(uri);
        let Some((open, job)) = open.and_then(|open| Some((open, open.document.job()?))) else {
            return false;
        };
        let revision = open.document.revision();
        if self.working.begin(uri, wanted, revision) {
            let is_stale = open.is_stale.clone();
            self.work.begin(uri.to_owned(), job, is_stale, wanted);
        }
        true
    }

    /// Runs a command: a search for changes, or the offer of those that are known.
    fn execute(&mut self, request: &Request) {
        let asked = advising::asked(request).and_then(|uri| {
            let is_known = self.document(uri).is_some_and(|it| it.advised().is_some());
            let is_begun = is_known || self.begin(uri, Wanted::Advice);
            let known = is_known.then_some(uri);
            is_begun
                .then_some(known)
                .ok_or("this document is not open, or not sound")
        });
        let id = request.id.clone();
        match asked {
            Ok(known) => {
                self.send(Response::new_ok(id, Value::Null).into());
                known.into_iter().for_each(|uri| self.offer(uri));
            }
            Err(why) => {
                let code = ErrorCode::InvalidParams as i32;
                self.send(Response::new_err(id, code, why.to_owned()).into());
            }
        }
    }

    /// Offers the changes found for a text, or says that there are none.
    fn offer(&mut self, uri: &str) {
        let Some(document) = self.document(uri) else {
            return;
        };
        let revision = document.revision();
        let Some((message, titles)) = advising::found(document) else {
            return;
        };
        if titles.is_empty() {
            return self.tell("window/showMessage", json!({"type": 3, "message": message}));
        }
        let question = json!({"type": 3, "message": message, "actions": titles});
        let request = self.ask("window/showMessageRequest", question);
        // An older question is about an older text, or about the same changes.
        self.offered = Some(Offer {
            request,
            uri: uri.to_owned(),
            revision,
        });
    }

    /// Takes the client's answer to a question: makes the change that was chosen.
    pub(super) fn response(&mut self, response: &Response) {
        let is_it = |offer: &mut Offer| response.id == offer.request.into();
        let Some(offer) = self.offered.take_if(is_it) else {
            return;
        };
        match offer.chosen(response, self.document(&offer.uri)) {
            Ok(Some(edit)) => {
                self.ask("workspace/applyEdit", edit);
            }
            Ok(None) => {}
            Err(why) => self.tell("window/showMessage", json!({"type": 2, "message": why})),
        }
    }

    /// Ends a task. With the last task of a text its progress ends.
    fn done(&mut self, uri: &str) {
        let Some(token) = self.working.end(uri) else {
            return;
        };
        if let Some(token) = token {
            self.progress(&token, json!({"kind": "end"}));
        }
        self.answer_waiting(uri);
    }

    /// Takes a result of the worker, unless it is about an outdated text.
    pub(super) fn found(&mut self, found: Found) {
        let (uri, is_news) = match found {
            Found::Derived(uri, derived) => {
                let open = self.open.get_mut(&uri);
                let is_news = open.is_some_and(|open| open.document.take_derived(*derived));
                if is_news {
                    if !self.answer_waiting(&uri) {
                        self.refresh();
                    }
                    if let Some(token) = self.working.token(&uri) {
                        self.progress(token, json!({"kind": "report", "message": "proofs"}));
                    }
                }
                (uri, is_news)
            }
            Found::Judged(uri, judged) => {
                let open = self.open.get_mut(&uri);
                let is_news = open.is_some_and(|open| open.document.take_judged(judged));
                (uri, is_news)
            }
            Found::Advised(uri, advised) => {
                let open = self.open.get_mut(&uri);
                if open.is_some_and(|open| open.document.take_advised(*advised)) {
                    self.offer(&uri);
                }
                return;
            }
            Found::Fault(fault) => return self.tell_of_fault(&fault),
            Found::Done(uri) => return self.done(&uri),
        };
        if is_news {
            self.publish(&uri);
        }
    }

    /// Answers the requests that wait for the costs of a text. Returns true if there were any.
    fn answer_waiting(&mut self, uri: &str) -> bool {
        let (now, later) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|request| uri_of_request(request) == Some(uri));
        self.waiting = later;
        let now: Vec<Request> = now;
        let is_any = !now.is_empty();
        for request in now {
            self.answer(&request);
        }
        is_any
    }

    /// Asks the client to request hints and lenses again.
    fn refresh(&mut self) {
        for method in self.refreshes.clone() {
            self.ask(method, Value::Null);
        }
    }

    fn publish(&self, uri: &str) {
        if let Some(open) = self.open.get(uri) {
            let found = open.lints.judged(open.document.diagnostics());
            self.publish_of(uri, &open.version, open.document.source(), &found);
        }
    }

    fn publish_of(&self, uri: &str, version: &Value, source: &Source, found: &[Diagnostic]) {
        let explain = self.wishes.explain.as_deref();
        let list = found
            .iter()
            .map(|found| convert::diagnostic(source, uri, found, explain));
        let mut params = json!({"uri": uri, "diagnostics": list.collect::<Vec<_>>()});
        if !version.is_null() {
            params["version"] = version.clone();
        }
        self.tell("textDocument/publishDiagnostics", params);
    }

    /// Handles a request. A request about costs that are being derived waits for them; all others are
    /// answered at once.
    pub(super) fn request(&mut self, request: Request) {
        if request.method == "workspace/executeCommand" {
            return self.execute(&request);
        }
        let of_costs = ["textDocument/inlayHint", "textDocument/codeLens"];
        let is_of_costs = of_costs.contains(&request.method.as_str());
        let open = uri_of_request(&request).and_then(|uri| Some((uri, self.open.get(uri)?)));
        let is_coming = open.is_some_and(|(uri, open)| {
            let is_under_way = open.due.is_some() || self.working.has(uri);
            is_under_way && !open.document.is_derived() && open.document.job().is_some()
        });
        if is_of_costs && is_coming {
            self.waiting.push(request);
        } else {
            self.answer(&request);
        }
    }

    /// Answers a request. A panic becomes an error response, so the server goes on.
    fn answer(&self, request: &Request) {
        let uri = uri_of_request(request);
        let open = uri.and_then(|uri| self.open.get(uri));
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let settings = uri.and_then(|uri| Some((uri, self.settings.get(uri)?)));
            if let Some((uri, file)) = settings {
                let formals = self.formals_in(file.folder());
                let params = &request.params;
                return Some(Ok(of_settings(
                    &request.method,
                    file,
                    uri,
                    params,
                    &formals,
                )));
            }
            let open = open?;
            let asked = Asked {
                document: &open.document,
                uri: uri.unwrap_or_default(),
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
            Ok(None) if uri.is_none() && request.method.starts_with("textDocument/") => error(
                ErrorCode::InvalidParams,
                "the request names no document".to_owned(),
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

    /// Handles a message or a result. A panic is told to the client, and the server goes on. The text that
    /// it was about is closed: nothing is known of the state that it was left in.
    pub(super) fn survive(&mut self, uri: Option<&str>, handle: impl FnOnce(&mut Session)) {
        let handled = alone::caught(uri.unwrap_or("a text"), || handle(self));
        if let Err(fault) = handled {
            uri.map(|uri| self.open.remove(uri));
            self.tell_of_fault(&fault);
        }
    }

    fn tell_of_fault(&self, fault: &Diagnostic) {
        let help = fault.help.iter().map(|help| format!("; {help}"));
        let message = format!("atgpu: {}{}", fault.message, help.collect::<String>());
        self.tell("window/showMessage", json!({"type": 1, "message": message}));
    }

    /// Handles a notification.
    pub(super) fn notification(&mut self, told: &Notification) {
        let params = &told.params;
        let uri = uri_of(params);
        let version = params.pointer("/textDocument/version");
        let version = version.cloned().unwrap_or(Value::Null);
        match (told.method.as_str(), uri) {
            ("initialized", _) if self.watches_files => {
                let watchers = json!([{"globPattern": "**/*.toml"}]);
                let method = "workspace/didChangeWatchedFiles";
                self.ask(
                    "client/registerCapability",
                    json!({"registrations": [{
                        "id": "toml",
                        "method": method,
                        "registerOptions": {"watchers": watchers},
                    }]}),
                );
            }
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
            ("$/cancelRequest", _) => {
                let id = params.get("id").cloned().unwrap_or(Value::Null);
                let is_it = |request: &Request| json!(request.id) == id;
                if let Some(at) = self.waiting.iter().position(is_it) {
                    let request = self.waiting.remove(at);
                    let code = ErrorCode::RequestCanceled as i32;
                    let told = "no longer wanted".to_owned();
                    self.send(Response::new_err(request.id, code, told).into());
                }
            }
            // The saved file may be an `atgpu.toml`, saved here or elsewhere.
            ("textDocument/didSave", _) | ("workspace/didChangeWatchedFiles", _) => {
                self.configure();
            }
            ("textDocument/didClose", Some(uri)) => {
                self.answer_waiting(uri);
                if let Some(open) = self.open.remove(uri) {
                    open.is_stale.stop();
                }
                if self.settings.remove(uri).is_some() {
                    self.configure();
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
        if self.take_settings(uri, text, &version) {
            return;
        }
        let (settings, lints, faults) = self.settings_for(uri);
        self.complain(&faults);
        let open = Open {
            document: Document::open(text, settings),
            version,
            // Nobody is typing yet, so derivation starts without a pause.
            due: Some(Instant::now()),
            is_stale: Stop::default(),
            lints,
        };
        self.open.insert(uri.to_owned(), open);
        self.publish(uri);
        self.begin_work();
    }

    fn changed(&mut self, uri: &str, text: &str, version: Value) {
        let Some(open) = self.open.get_mut(uri) else {
            return self.opened(uri, text, version);
        };
        open.is_stale.stop();
        open.is_stale = Stop::default();
        open.version = version;
        open.document.change(text);
        open.due = Some(Instant::now() + QUIET);
        // The waiting requests were about the old text.
        self.answer_waiting(uri);
        self.publish(uri);
    }

    /// Handles the text of an `atgpu.toml`. Returns false if the document is another file.
    fn take_settings(&mut self, uri: &str, text: &str, version: &Value) -> bool {
        let folder = folder_of(uri).filter(|_| uri.ends_with(&format!("/{}", config::NAME)));
        let Some(folder) = folder else {
            return false;
        };
        let file = SettingsFile::new(Path::new(&folder), text);
        let (_, found) = file.read();
        self.publish_of(uri, version, file.source(), &found);
        self.settings.insert(uri.to_owned(), file);
        self.configure();
        true
    }

    /// The settings of a program, what lints are worth, and the faults.
    fn settings_for(&mut self, uri: &str) -> (Settings, Levels, Vec<String>) {
        let config = folder_of(uri).map(|folder| self.config_in(Path::new(&folder)));
        let (config, fault) = config.unwrap_or_default();
        let (settings, mut faults) = self.wishes.settings(&config);
        faults.extend(fault);
        (settings, config.lints, faults)
    }

    /// The nearest `atgpu.toml` from a folder upwards: the open text if there is one, otherwise the file. Faults of
    /// the file are published at their places.
    fn config_in(&mut self, folder: &Path) -> (Config, Option<String>) {
        for folder in folder.ancestors() {
            let mut edited = self.settings.values();
            if let Some(file) = edited.find(|file| file.folder() == folder) {
                return (file.read().0, None);
            }
            let uri = uri_of_settings(folder);
            match config::file_in(folder) {
                Ok(None) => {
                    if self.blamed.remove(&uri) {
                        self.publish_of(&uri, &Value::Null, &Source::new("", ""), &[]);
                    }
                }
                Ok(Some(source)) => return self.config_of(folder, &uri, &source),
                Err(fault) => return (Config::default(), Some(fault.message.to_string())),
            }
        }
        (Config::default(), None)
    }

    fn config_of(&mut self, folder: &Path, uri: &str, source: &Source) -> (Config, Option<String>) {
        let (config, found) = config::read(source, folder);
        let was_blamed = self.blamed.remove(uri);
        if !found.is_empty() {
            self.blamed.insert(uri.to_owned());
        }
        if was_blamed || !found.is_empty() {
            self.publish_of(uri, &Value::Null, source, &found);
        }
        let fault = found.first();
        let fault = fault.map(|fault| format!("{}: {fault}", source.name()));
        (config, fault)
    }

    /// The formal parameters of the open programs in or below a folder.
    fn formals_in(&self, folder: &Path) -> Vec<String> {
        let here = |uri: &str| folder_of(uri).is_some_and(|of| Path::new(&of).starts_with(folder));
        let programs = self.open.iter().filter(|(uri, _)| here(uri));
        let symbols = programs.flat_map(|(_, open)| &open.document.names().symbols);
        let formals = symbols.filter(|symbol| symbol.kind == SymbolKind::Formal);
        let mut names: Vec<String> = formals.map(|symbol| symbol.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Applies the settings to every document again. Documents with changed settings are derived again.
    fn configure(&mut self) {
        let mut told = Vec::new();
        let all: Vec<String> = self.open.keys().cloned().collect();
        for uri in all {
            let (settings, lints, faults) = self.settings_for(&uri);
            told.extend(faults);
            let Some(open) = self.open.get_mut(&uri) else {
                continue;
            };
            let before = open.document.revision();
            open.document.set(settings);
            let is_judged_anew = open.lints != lints;
            open.lints = lints;
            if open.document.revision() != before {
                open.is_stale.stop();
                open.is_stale = Stop::default();
                open.due = Some(Instant::now());
            }
            if is_judged_anew {
                self.publish(&uri);
            }
        }
        told.sort();
        told.dedup();
        self.complain(&told);
        self.refresh();
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

fn uri_of_request(request: &Request) -> Option<&str> {
    uri_of(&request.params)
}

/// The document that a message is about.
pub(super) fn uri_of(params: &Value) -> Option<&str> {
    params.pointer("/textDocument/uri")?.as_str()
}
