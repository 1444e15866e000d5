// Starts `atgpu lsp` for programs and for the `atgpu.toml` beside them.
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async function () {
  const settings = workspace.getConfiguration("atgpu");
  const command = settings.get("path");
  client = new LanguageClient("atgpu", "ATGPU", { command, args: ["lsp"] }, {
    documentSelector: [{ language: "atgpu" }, { scheme: "file", pattern: "**/atgpu.toml" }],
    initializationOptions: { atgpu: settings },
    synchronize: { configurationSection: "atgpu" },
  });
  try {
    await client.start();
  } catch (fault) {
    window.showErrorMessage(
      `ATGPU: \`${command}\` does not start (${fault.message}). Install it, or set \`atgpu.path\`.`,
    );
  }
};

exports.deactivate = () => client?.stop();
