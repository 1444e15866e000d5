// Starts `atgpu lsp` for programs and for the `atgpu.toml` beside them, and adds the commands of commands.js.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const commands = require("./commands.js");

let client;

exports.activate = async function (context) {
  commands.register(vscode, context);
  const settings = vscode.workspace.getConfiguration("atgpu");
  const command = settings.get("path");
  client = new LanguageClient("atgpu", "ATGPU", { command, args: ["lsp"] }, {
    documentSelector: [{ language: "atgpu" }, { scheme: "file", pattern: "**/atgpu.toml" }],
    initializationOptions: { atgpu: settings },
    synchronize: { configurationSection: "atgpu" },
  });
  try {
    await client.start();
  } catch (fault) {
    vscode.window.showErrorMessage(
      `ATGPU: \`${command}\` does not start (${fault.message}). Install it, or set \`atgpu.path\`.`,
    );
  }
};

exports.deactivate = () => client?.stop();
