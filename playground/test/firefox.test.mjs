// The page in Firefox, where one is installed: spoken to by WebDriver BiDi, which Firefox itself serves.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { serve, single } from "./browser.mjs";

const firefox = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].filter(Boolean).find(existsSync);
const skip = !existsSync(single) ? "the page is not built: node playground/build.mjs"
  : !firefox ? "no Firefox is installed (FIREFOX names one)"
    : typeof WebSocket === "undefined" ? "Node has no WebSocket: node --experimental-websocket --test, or Node 22" : false;

async function session() {
  const profile = mkdtempSync(join(tmpdir(), "atgpu-firefox-"));
  const browser = spawn(firefox, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let told = "";
    browser.stderr.on("data", (part) => {
      told += part;
      const found = told.match(/WebDriver BiDi listening on (ws:\S+)/);
      if (found) resolve(found[1]);
    });
    browser.on("exit", () => reject(new Error(`Firefox ended: ${told.slice(0, 400)}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("no session"));
  });
  const open = new Map();
  const complaints = [];
  socket.onmessage = ({ data }) => {
    const said = JSON.parse(data);
    if (said.method === "log.entryAdded" && ["error", "warn"].includes(said.params.level)) complaints.push(said.params.text);
    const waiting = open.get(said.id);
    if (!waiting) return;
    open.delete(said.id);
    if (said.type === "error") waiting.reject(new Error(`${said.error}: ${said.message}`));
    else waiting.resolve(said.result);
  };
  let next = 1;
  const ask = (method, params) => new Promise((resolve, reject) => {
    const id = next++;
    open.set(id, { resolve, reject });
    socket.send(JSON.stringify({ id, method, params }));
  });
  await ask("session.new", { capabilities: {} });
  await ask("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await ask("browsingContext.getTree", {});
  const context = contexts[0].context;
  return {
    complaints,
    go: (url) => ask("browsingContext.navigate", { context, url, wait: "complete" }),
    /** The value of an expression in the page, as text. */
    async value(expression) {
      const found = await ask("script.evaluate", { expression: `(async () => String(await (${expression})))()`, target: { context }, awaitPromise: true });
      if (found.type === "exception") throw new Error(found.exceptionDetails.text);
      return found.result.value;
    },
    close() {
      socket.close();
      browser.removeAllListeners("exit");
      browser.kill();
      setTimeout(() => rmSync(profile, { recursive: true, force: true }), 500);
    },
  };
}

test("the page in Firefox, from a server and from a file", { skip, timeout: 180_000 }, async () => {
  const [firefox_, server] = [await session(), await serve()];
  const until = (condition) => `new Promise((resolve, reject) => { const began = Date.now(); (function look() { if (${condition}) resolve(true); else if (Date.now() - began > 60000) reject(new Error("waited for ${condition.replace(/["\\]/g, "'")}")); else setTimeout(look, 50); })(); })`;
  try {
    for (const address of [`${server.url}?example=reduction`, pathToFileURL(single).href]) {
      await firefox_.go(address);
      await firefox_.value(until("window.atgpuPage?.app.numbers?.cost"));
      assert.match(await firefox_.value("document.querySelector('#total').innerText"), /ms$/);
      assert.ok(Number(await firefox_.value("document.querySelectorAll('#formula [data-term]').length")) >= 4);
      assert.ok(Number(await firefox_.value("document.querySelectorAll('.cm-gutters-after .cell.t .of').length")) >= 4);
      await firefox_.value(until("document.querySelectorAll('.cost-panel .chart path.line').length === 2"));
      await firefox_.value("document.querySelector('#tab-run').click()");
      await firefox_.value(until("document.querySelector('.mp-picture .lanes')"));
    }
    assert.deepEqual(firefox_.complaints, []);
  } catch (error) {
    const told = await firefox_.value("document.querySelector('#state')?.innerText").catch(() => "");
    throw new Error(`${error.message}; the page says: ${told}; the console: ${firefox_.complaints.join(" | ")}`);
  } finally {
    firefox_.close();
    server.close();
  }
});
