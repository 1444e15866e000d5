//! The answers to requests, and the list of supported requests.

use atgpu::editor::{self, Action, Document, Range, TOKEN_MODIFIERS, TOKEN_TYPES};
use atgpu::text::Source;
use serde_json::{Value, json};

use crate::cli::lsp::advising;
use crate::cli::lsp::convert;
use crate::cli::lsp::settings::SettingsFile;

/// The capabilities of the server.
pub(super) fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": true, "change": 1, "save": true},
        "hoverProvider": true,
        "inlayHintProvider": true,
        "codeLensProvider": {"resolveProvider": false},
        "completionProvider": {"triggerCharacters": ["\\", "_", "\""]},
        "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
        "codeActionProvider": {
            "codeActionKinds": ["quickfix", "source.fixAll", "refactor.rewrite"],
        },
        "executeCommandProvider": {"commands": [advising::COMMAND]},
        "renameProvider": {"prepareProvider": true},
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentLinkProvider": {"resolveProvider": false},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS},
            "full": true,
        },
    })
}

/// Converts the actions of the requested kinds.
fn actions(source: &Source, uri: &str, found: &[Action], params: &Value) -> Value {
    let all = found
        .iter()
        .map(|action| convert::action(source, uri, action));
    of_kinds(all.collect(), params)
}

/// The actions of the requested kinds.
fn of_kinds(all: Vec<Value>, params: &Value) -> Value {
    let only = params.pointer("/context/only").and_then(Value::as_array);
    let is_wanted = |action: &Value| {
        let kind = action["kind"].as_str().unwrap_or_default();
        let within = |wanted: &str| {
            kind == wanted
                || kind
                    .strip_prefix(wanted)
                    .is_some_and(|it| it.starts_with('.'))
        };
        only.is_none_or(|only| only.iter().filter_map(Value::as_str).any(within))
    };
    Value::Array(all.into_iter().filter(is_wanted).collect())
}

/// Answers a request about an `atgpu.toml`; `null` for an unsupported one. `formals` are the parameters of
/// the programs beside it.
pub(super) fn of_settings(
    method: &str,
    file: &SettingsFile,
    uri: &str,
    params: &Value,
    formals: &[String],
) -> Value {
    match method {
        "textDocument/completion" => {
            let place = params.get("position").and_then(convert::to_place);
            convert::completions(&file.completions(place.unwrap_or_default(), formals))
        }
        "textDocument/codeAction" => {
            let range = params.get("range").and_then(convert::to_range);
            let found = file.actions(range.unwrap_or_default());
            actions(file.source(), uri, &found, params)
        }
        _ => Value::Null,
    }
}

/// All actions at a place: fixes, changes of the text, and those that were found or may be looked for.
fn actions_at(document: &Document, uri: &str, range: Range) -> Vec<Value> {
    let mut found = editor::actions(document, range);
    found.extend(editor::advice(document));
    let source = document.source();
    let mut all: Vec<Value> = found
        .iter()
        .map(|action| convert::action(source, uri, action))
        .collect();
    if document.advised().is_none() && document.job().is_some() {
        all.push(advising::action(uri));
    }
    all
}

/// The context of a request.
pub(super) struct Asked<'a> {
    pub document: &'a Document,
    pub uri: &'a str,
    pub params: &'a Value,
    /// The address of the pages of the codes.
    pub explain: Option<&'a str>,
}

/// Answers a request about a document, or says why not; `None` for an unknown method.
pub(super) fn answer(method: &str, asked: &Asked<'_>) -> Option<Result<Value, String>> {
    let Asked {
        document,
        uri,
        params,
        ..
    } = asked;
    let place = params.get("position").and_then(convert::to_place);
    let place = place.unwrap_or_default();
    let range = params.get("range").and_then(convert::to_range);
    let range = range.unwrap_or_default();
    let here = |range| json!({"uri": uri, "range": convert::from_range(range)});
    let list = |values: Vec<Value>| Value::Array(values);
    Some(Ok(match method {
        "textDocument/hover" => {
            editor::hover(document, place).map_or(Value::Null, |found| convert::hover(&found))
        }
        "textDocument/inlayHint" => {
            let all = editor::hints(document);
            let inside = all
                .iter()
                .filter(|hint| range.start <= hint.place && hint.place <= range.end);
            list(inside.map(convert::hint).collect())
        }
        "textDocument/codeLens" => {
            list(editor::lenses(document).iter().map(convert::lens).collect())
        }
        "textDocument/completion" => convert::completions(&editor::completions(document, place)),
        "textDocument/signatureHelp" => editor::signature(document, place)
            .map_or(Value::Null, |found| convert::signature(&found)),
        "textDocument/codeAction" => of_kinds(actions_at(document, uri, range), params),
        "textDocument/prepareRename" => {
            editor::renamable(document, place).map_or(Value::Null, convert::from_range)
        }
        "textDocument/rename" => {
            let new = params.get("newName").and_then(Value::as_str);
            match editor::rename(document, place, new.unwrap_or_default()) {
                Ok(edits) => json!({"changes": {*uri: convert::edits(&edits)}}),
                Err(refused) => return Some(Err(refused.to_string())),
            }
        }
        "textDocument/definition" => editor::definition(document, place).map_or(Value::Null, here),
        "textDocument/references" => {
            let declared = params.pointer("/context/includeDeclaration");
            let declared = declared.and_then(Value::as_bool).unwrap_or(true);
            let found = editor::references(document, place, declared);
            list(found.into_iter().map(here).collect())
        }
        "textDocument/documentHighlight" => list(
            editor::highlights(document, place)
                .iter()
                .map(convert::highlight)
                .collect(),
        ),
        "textDocument/documentSymbol" => list(
            editor::outline(document)
                .iter()
                .map(convert::outline)
                .collect(),
        ),
        "textDocument/foldingRange" => {
            list(editor::folds(document).iter().map(convert::fold).collect())
        }
        "textDocument/selectionRange" => {
            let places = params.get("positions").and_then(Value::as_array);
            let places = places.into_iter().flatten().filter_map(convert::to_place);
            let chain = |place| convert::selection(&editor::selections(document, place));
            list(places.map(chain).collect())
        }
        "textDocument/formatting" => list(convert::edits(&editor::format(document))),
        "textDocument/rangeFormatting" => {
            list(convert::edits(&editor::format_range(document, range)))
        }
        "textDocument/documentLink" => {
            let Some(page) = asked.explain else {
                return Some(Ok(list(Vec::new())));
            };
            let links = editor::links(document).into_iter().map(|link| {
                json!({
                    "range": convert::from_range(link.range),
                    "target": format!("{page}{}", convert::page_of(link.code.short_name())),
                    "tooltip": link.code.summary(),
                })
            });
            list(links.collect())
        }
        "textDocument/semanticTokens/full" => {
            json!({"data": convert::tokens(&editor::semantic_tokens(document))})
        }
        _ => return None,
    }))
}
