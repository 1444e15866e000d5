// The commands without an editor: `vscode` is a stand-in that keeps what is shown. ATGPU names the command `atgpu`.
// `node --test` in this folder; what package.json says of them is held by tests/suite/editors/vscode.rs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";

const commands = createRequire(import.meta.url)("../commands.js");
const root = new URL("../../../", import.meta.url);
const path = process.env.ATGPU ?? fileURLToPath(new URL("target/debug/atgpu", root));
const text = readFileSync(new URL("programs/paper1/vector_addition.atgpu", root), "utf8");

/** An editor with this text in front, these settings, and one answer to whatever is asked. */
function editor({ language = "atgpu", settings = {}, answer } = {}) {
  const seen = { documents: [], warnings: [], errors: [], panels: [], opened: [] };
  const handlers = {};
  let provider;
  const all = { path, machine: "", values: {}, playground: "", ...settings };
  const uri = (parts) => ({ ...parts, toString: () => `${parts.scheme}:${parts.path}` });
  const vscode = {
    commands: { registerCommand: (name, handler) => void (handlers[name] = handler) },
    window: {
      activeTextEditor: {
        document: { languageId: language, getText: () => text, fileName: "/x/vector_addition.atgpu", uri: uri({ scheme: "untitled", path: "x" }) },
      },
      showWarningMessage: (said) => void seen.warnings.push(said),
      showErrorMessage: (said) => void seen.errors.push(said),
      showInputBox: async (asked) => ((seen.asked = asked), answer),
      showTextDocument: async (document) => void seen.documents.push(document),
      createWebviewPanel: () => {
        const panel = { webview: {} };
        seen.panels.push(panel);
        return panel;
      },
    },
    workspace: {
      getConfiguration: () => ({ get: (key) => all[key] }),
      registerTextDocumentContentProvider: (_, given) => void (provider = given),
      openTextDocument: async (at) => ({ at, text: provider.provideTextDocumentContent(at) }),
    },
    env: { openExternal: async (at) => void seen.opened.push(at.path) },
    Uri: { from: uri, parse: (address) => uri({ scheme: "", path: address }) },
    EventEmitter: class {
      event = () => {};
      fire() {}
    },
    ViewColumn: { Beside: -2 },
  };
  commands.register(vscode, { subscriptions: [] });
  return { seen, run: (name) => handlers[`atgpu.${name}`]() };
}

test("derive shows formulas, whatever values the settings have", async () => {
  const { seen, run } = editor({ settings: { values: { n: "64", q: 3 }, machine: "k20" } });
  await run("derive");
  const [{ text: shown }] = seen.documents;
  assert.match(shown, /^VectorAddition\n/);
  assert.match(shown, /GPU-cost +3α \+ 3nβ/);
});

test("check shows every proof", async () => {
  const { seen, run } = editor();
  await run("check");
  assert.match(seen.documents[0].text, /is safe for all n ≥ 1, b \| n\n[^]*affine range/);
});

test("plot draws over the range that is asked for, from the first parameter", async () => {
  const { seen, run } = editor({ answer: "n=2^10..2^14", settings: { values: { n: "64", q: 3, lambda: 100 } } });
  await run("plot");
  assert.equal(seen.asked.value, "n=2^10..2^20");
  assert.deepEqual(seen.errors, []);
  assert.match(seen.panels[0].webview.html, /<svg [^]*<\/svg>/);
});

test("plot says what is wrong with a range, and nothing where none is given", async () => {
  const wrong = editor({ answer: "z=1..2" });
  await wrong.run("plot");
  assert.match(wrong.seen.errors[0], /no program has such a parameter/);
  assert.equal(wrong.seen.panels.length, 0);
  const none = editor();
  await none.run("plot");
  assert.deepEqual([none.seen.errors, none.seen.panels], [[], []]);
});

test("a link to the playground holds the program", async () => {
  const { seen, run } = editor({ settings: { playground: "https://example.org/playground/" } });
  await run("openInPlayground");
  const [, code] = seen.opened[0].split("https://example.org/playground/#p=");
  assert.match(code, /^[\w-]+$/);
  assert.deepEqual(JSON.parse(inflateRawSync(Buffer.from(code, "base64url"))), { text });
  const nowhere = editor();
  await nowhere.run("openInPlayground");
  assert.match(nowhere.seen.warnings[0], /atgpu\.playground/);
});

test("other files and a missing command are told", async () => {
  const other = editor({ language: "rust" });
  for (const name of ["derive", "check", "plot", "openInPlayground"]) await other.run(name);
  assert.equal(other.seen.warnings.length, 4);
  const missing = editor({ settings: { path: "/nowhere/atgpu" } });
  await missing.run("derive");
  assert.match(missing.seen.documents[0].text, /install atgpu/);
});
