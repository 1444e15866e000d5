"""pytest-lsp, which poses as VS Code: sample.atgpu through each feature, and how long other programs
take. `python -m pytest -s -q pytest_server.py` with ATGPU, ROOT and PROGRAMS in the environment; a
line a fact on standard output."""

import asyncio
import os
import pathlib
import time

import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

HERE = pathlib.Path(__file__).parent
SAMPLE = HERE / "sample.atgpu"


def say(key, value):
    print(key, str(value).replace("\n", "\\n"), sep="\t", flush=True)


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["ATGPU"], "lsp"]))
async def client(lsp_client: LanguageClient):
    parameters = lsp.InitializeParams(
        capabilities=client_capabilities("visual-studio-code"),
        root_uri=HERE.as_uri(),
    )
    await lsp_client.initialize_session(parameters)
    yield
    await lsp_client.shutdown_session()


async def heard(client, uri, is_wanted, since=0):
    """When diagnostics came that are wanted."""
    for _ in range(120_000):
        told = client.told.get(uri, [])
        for at, found in told[since:]:
            if is_wanted(found):
                return at, found
        await asyncio.sleep(0.001)
    raise AssertionError(f"no diagnostics of {uri}")


def listen(client):
    client.told = {}

    def published(params: lsp.PublishDiagnosticsParams):
        told = client.told.setdefault(params.uri, [])
        told.append((time.perf_counter(), params.diagnostics))

    features = client.protocol.fm.features
    features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = published
    for request in (lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_INLAY_HINT_REFRESH):
        features.setdefault(request, lambda *_: None)


def opened(client, uri, text):
    document = lsp.TextDocumentItem(uri=uri, language_id="atgpu", version=1, text=text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=document))


def changed(client, uri, version, text):
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            text_document=lsp.VersionedTextDocumentIdentifier(uri=uri, version=version),
            content_changes=[lsp.TextDocumentContentChangeWholeDocument(text=text)],
        )
    )


async def test_features(client):
    listen(client)
    uri, text = SAMPLE.as_uri(), SAMPLE.read_text()
    document = lsp.TextDocumentIdentifier(uri=uri)
    opened(client, uri, text)
    _, found = await heard(
        client, uri, lambda found: any(it.code == "claim::refuted" for it in found)
    )
    for it in found:
        say("diagnostic", f"{it.range.start.line} {it.code} {it.message}")
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(text.splitlines()), 0))

    def at(line, character):
        return dict(text_document=document, position=lsp.Position(line, character))

    hints = await client.text_document_inlay_hint_async(
        lsp.InlayHintParams(text_document=document, range=whole)
    )
    for it in hints:
        say("hint", f"{it.position.line} {it.label}")
    for it in await client.text_document_code_lens_async(lsp.CodeLensParams(text_document=document)):
        say("lens", f"{it.range.start.line} {it.command.title}")
    hover = await client.text_document_hover_async(lsp.HoverParams(**at(11, 7)))
    say("hover", hover.contents.value)
    tokens = await client.text_document_semantic_tokens_full_async(
        lsp.SemanticTokensParams(text_document=document)
    )
    say("tokens", len(tokens.data) // 5)
    answers = {
        "definition": client.text_document_definition_async(lsp.DefinitionParams(**at(11, 7))),
        "references": client.text_document_references_async(
            lsp.ReferenceParams(**at(11, 7), context=lsp.ReferenceContext(True))
        ),
        "highlights": client.text_document_document_highlight_async(
            lsp.DocumentHighlightParams(**at(11, 7))
        ),
        "symbols": client.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(text_document=document)
        ),
        "folds": client.text_document_folding_range_async(
            lsp.FoldingRangeParams(text_document=document)
        ),
    }
    for name, answer in zip(answers, await asyncio.gather(*answers.values())):
        is_place = isinstance(answer, lsp.Location)
        say(name, answer.range.start.line if is_place else len(answer))
    grown = await client.text_document_selection_range_async(
        lsp.SelectionRangeParams(text_document=document, positions=[lsp.Position(11, 15)])
    )
    depth, link = 0, grown[0]
    while link:
        depth, link = depth + 1, link.parent
    say("selections", depth)
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(
            text_document=document,
            range=lsp.Range(lsp.Position(7, 4), lsp.Position(7, 4)),
            context=lsp.CodeActionContext(diagnostics=[]),
        )
    )
    for it in actions:
        say("action", it.title)
    renamed = await client.text_document_rename_async(lsp.RenameParams(**at(5, 9), new_name="_row"))
    say("renamed", len(renamed.changes[uri]))
    try:
        await client.text_document_rename_async(lsp.RenameParams(**at(5, 9), new_name="row"))
    except Exception as refused:
        say("refused", refused)
    changed(client, uri, 2, text.replace("← 2·_x[j]", "← se"))
    offered = await client.text_document_completion_async(lsp.CompletionParams(**at(12, 16)))
    say("completed", "select" in [it.label for it in offered.items])
    changed(client, uri, 3, text.replace("← 2·_x[j]", "← select(j < 1, 2, 3)"))
    shown = await client.text_document_signature_help_async(lsp.SignatureHelpParams(**at(12, 27)))
    say("signature", f"{shown.signatures[0].label} {shown.active_parameter}")
    changed(client, uri, 4, text.replace("  input A", "input    A"))
    edits = await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(
            text_document=document, options=lsp.FormattingOptions(tab_size=2, insert_spaces=True)
        )
    )
    say("formatted", len(edits))


async def test_latency(client):
    listen(client)
    for program in os.environ["PROGRAMS"].split(os.pathsep):
        path = pathlib.Path(program)
        uri, text = path.as_uri(), path.read_text()
        start = time.perf_counter()
        opened(client, uri, text)
        first, _ = await heard(client, uri, lambda _: True)
        say("opened", 1000 * (first - start))
        last, _ = await heard(client, uri, lambda _: len(client.told[uri]) >= 3, 2)
        say("derived", 1000 * (last - start))
        before = len(client.told[uri])
        start = time.perf_counter()
        changed(client, uri, 2, "▷\n" + text)
        typed, _ = await heard(client, uri, lambda _: True, before)
        say("typed", 1000 * (typed - start))
        gone = lsp.TextDocumentIdentifier(uri=uri)
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(text_document=gone))
    say("end", "")
