//! Advice on request: the command that begins a search for changes, and the choice among the results.
//!
//! The search runs with the worker, behind all derivations. Its result is offered as a question with a button for each
//! change; whoever closes it still has the changes among the actions of the text.

use atgpu::editor::{Action, Document, advice};
use lsp_server::{Request, Response};
use serde_json::{Value, json};

use crate::cli::lsp::convert;

/// The command that begins a search; its argument is the text's URI.
pub(super) const COMMAND: &str = "atgpu.advise";

/// The action that begins a search.
pub(super) fn action(uri: &str) -> Value {
    let title = "look for changes that save something";
    json!({
        "title": title,
        "kind": "refactor.rewrite",
        "command": {"title": title, "command": COMMAND, "arguments": [uri]},
    })
}

/// The text that a command is about.
///
/// # Errors
/// The reason why it is about none.
pub(super) fn asked(request: &Request) -> Result<&str, &'static str> {
    let command = request.params.get("command").and_then(Value::as_str);
    let uri = request.params.pointer("/arguments/0");
    match (command, uri.and_then(Value::as_str)) {
        (Some(COMMAND), Some(uri)) => Ok(uri),
        (Some(COMMAND), None) => Err("the command names no document"),
        _ => Err("there is no such command"),
    }
}

/// The message about the result of a search, and the titles of the changes found.
pub(super) fn found(document: &Document) -> Option<(String, Vec<Value>)> {
    let summary = document.advised()?.summary.clone();
    let actions = advice(document);
    let titles = actions.iter().map(|action| json!({"title": action.title}));
    Some((summary, titles.collect()))
}

/// A question that the client was asked.
pub(super) struct Offer {
    /// The number of the request.
    pub(super) request: i32,
    pub(super) uri: String,
    /// The revision of the text.
    pub(super) revision: u64,
}

impl Offer {
    /// The change that was chosen, as an edit to apply; `None` for none.
    ///
    /// # Errors
    /// The reason why it cannot be made.
    pub(super) fn chosen(
        &self,
        response: &Response,
        document: Option<&Document>,
    ) -> Result<Option<Value>, &'static str> {
        let result = response.response_result.as_ref().ok();
        let title = result.and_then(|it| it.get("title")?.as_str());
        let Some(title) = title else {
            return Ok(None);
        };
        let document = document.filter(|document| document.revision() == self.revision);
        let document = document.ok_or("the text has changed since: look for changes again")?;
        let is_chosen = |action: &Action| action.title == title;
        let action = advice(document).into_iter().find(is_chosen);
        Ok(action.map(|action| {
            let edits = convert::edits(&action.edits);
            json!({"label": action.title, "edit": {"changes": {&*self.uri: edits}}})
        }))
    }
}
