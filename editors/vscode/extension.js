// Starts `hipport lsp` for CUDA, C++ and C sources. See docs/lsp.md.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const LANGUAGES = ["cuda-cpp", "cuda", "cpp", "c"];

/** @type {LanguageClient | undefined} */
let client;

function makeClient() {
  const settings = vscode.workspace.getConfiguration("hipport");
  const server = {
    command: settings.get("path", "hipport"),
    args: ["lsp", ...settings.get("arguments", [])],
    transport: TransportKind.stdio,
  };
  const schemes = ["file", "untitled"];
  return new LanguageClient("hipport", "hipport", server, {
    documentSelector: LANGUAGES.flatMap((language) => schemes.map((scheme) => ({ scheme, language }))),
    synchronize: {
      fileEvents: vscode.workspace.createFileSystemWatcher("**/{hipport.toml,pyproject.toml}"),
    },
  });
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    const advice = "Install it with: pip install 'hipport[lsp]', or set hipport.path.";
    vscode.window.showErrorMessage(`hipport could not be started: ${error.message ?? error}. ${advice}`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old !== undefined) {
    await old.dispose();
  }
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("hipport.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("hipport")) {
        restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
