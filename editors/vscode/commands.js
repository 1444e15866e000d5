// The commands of the palette: derive, check, plot, and the program in the playground. Each takes the text of the editor,
// saved or not, and shows what `atgpu` says of it beside the program.
//
// `vscode` is a parameter, so that test/commands.test.mjs runs these without an editor.
const { spawn } = require("node:child_process");
const { mkdtemp, readFile, rm } = require("node:fs/promises");
const { tmpdir } = require("node:os");
const { dirname, join } = require("node:path");
const { deflateRawSync } = require("node:zlib");

const SCHEME = "atgpu-report";

/** Runs `atgpu` on a text; its output, or what it complains of. */
function run(settings, list, text, folder) {
  return new Promise((done) => {
    const child = spawn(settings.get("path"), list, { cwd: folder });
    const said = { out: "", error: "" };
    child.stdout.setEncoding("utf8").on("data", (part) => (said.out += part));
    child.stderr.setEncoding("utf8").on("data", (part) => (said.error += part));
    child.on("error", (fault) => done({ status: null, out: "", error: `${fault.message}: install atgpu, or set \`atgpu.path\`` }));
    child.on("close", (status) => done({ status, ...said }));
    // A program that ends before it has read everything is no fault.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}

/** The names between the brackets of the program's head. */
function formals(text) {
  const list = text.match(/^\s*algorithm\s+[^\s(]+\s*\(([^)]*)\)/m)?.[1] ?? "";
  return list.split(",").map((name) => name.trim()).filter(Boolean);
}

const machine = (settings) => (settings.get("machine") ? ["--machine", settings.get("machine")] : []);

/** The figures of a machine that have names of their own, in letters and in words. */
const FIGURES = ["p", "b", "M", "G", "H", "k'", "α", "β", "γ", "λ", "σ", "alpha", "beta", "gamma", "lambda", "sigma"];

/** The values of the settings that this program has, but for the one that varies, as options of the command. */
function values(settings, names, varied) {
  const known = Object.entries(settings.get("values") ?? {}).filter(([name]) => name !== varied && (names.includes(name) || FIGURES.includes(name)));
  return known.flatMap(([name, value]) => ["-D", `${name}=${value}`]);
}

/** Both hold for every size, so they are asked without the settings' values. */
const REPORTS = { derive: [], check: ["--explain"] };

/** The link that opens a text in the playground: deflated, in the fragment, so that nobody is sent it. */
function link(playground, text) {
  const code = deflateRawSync(Buffer.from(JSON.stringify({ text }))).toString("base64url");
  return `${playground}#p=${code}`;
}

/** The page that shows a figure. */
function page(title, figure) {
  const plain = title.replace(/[<&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${plain}</title><style>body{background:#fff}svg{width:100%;height:auto;max-width:60em}</style>${figure}`;
}

exports.register = function (vscode, context) {
  const { commands, window, workspace, env, Uri, EventEmitter, ViewColumn } = vscode;
  const reports = new Map();
  const changed = new EventEmitter();
  const provider = {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => reports.get(uri.toString()) ?? "",
  };

  /** The program in front, its settings and its folder; nothing where another file is in front. */
  function front() {
    const document = window.activeTextEditor?.document;
    if (document?.languageId !== "atgpu") {
      window.showWarningMessage("ATGPU: no program is in front.");
      return null;
    }
    const settings = workspace.getConfiguration("atgpu", document.uri);
    const folder = document.uri.scheme === "file" ? dirname(document.uri.fsPath) : undefined;
    const name = document.fileName.split(/[\\/]/).pop();
    return { document, settings, folder, name };
  }

  async function report(command) {
    const found = front();
    if (!found) return;
    const { document, settings, folder, name } = found;
    const said = await run(settings, [command, ...REPORTS[command], ...machine(settings), "-"], document.getText(), folder);
    const uri = Uri.from({ scheme: SCHEME, path: `/${command} ${name}` });
    reports.set(uri.toString(), said.out + said.error);
    changed.fire(uri);
    const shown = await workspace.openTextDocument(uri);
    await window.showTextDocument(shown, { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true });
  }

  async function plot() {
    const found = front();
    if (!found) return;
    const { document, settings, folder, name } = found;
    const names = formals(document.getText());
    const range = await window.showInputBox({
      title: "Draw the cost over a range of sizes",
      prompt: "A parameter and its values: n=2^10..2^20, n=1..1e6:x10, n=0..64:+8",
      value: `${names[0] ?? "n"}=2^10..2^20`,
    });
    if (!range) return;
    const varied = range.split("=")[0].trim();
    const options = [...machine(settings), ...values(settings, names, varied)];
    const place = await mkdtemp(join(tmpdir(), "atgpu-"));
    try {
      const file = join(place, "figure.svg");
      const said = await run(settings, ["plot", "--vary", range, ...options, "-o", file, "-"], document.getText(), folder);
      if (said.status !== 0) {
        window.showErrorMessage(`ATGPU: ${said.error.trim()}`);
        return;
      }
      const panel = window.createWebviewPanel("atgpu.plot", `plot ${name}`, ViewColumn.Beside, {});
      panel.webview.html = page(name, await readFile(file, "utf8"));
    } finally {
      await rm(place, { recursive: true });
    }
  }

  async function playground() {
    const found = front();
    if (!found) return;
    const address = found.settings.get("playground");
    if (!address) {
      window.showWarningMessage("ATGPU: set `atgpu.playground` to the address of a playground, on a server or a disk.");
      return;
    }
    await env.openExternal(Uri.parse(link(address, found.document.getText()), true));
  }

  context.subscriptions.push(
    workspace.registerTextDocumentContentProvider(SCHEME, provider),
    commands.registerCommand("atgpu.derive", () => report("derive")),
    commands.registerCommand("atgpu.check", () => report("check")),
    commands.registerCommand("atgpu.plot", plot),
    commands.registerCommand("atgpu.openInPlayground", playground),
  );
};
