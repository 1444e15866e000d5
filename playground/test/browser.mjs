// A browser for the tests, and the built page behind an address; both are left out with a word where they
// are not at hand.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
export const single = join(dist, "playground.html");

const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].filter(Boolean);

export const chromium = CHROMIUM.find(existsSync) ?? null;

/** Why nothing can be tested here, or false. */
export const missing = !existsSync(single)
  ? "the page is not built: node playground/build.mjs"
  : chromium ? false : "no Chromium is installed (CHROMIUM names one)";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".woff2": "font/woff2" };

export function serve() {
  const server = createServer((request, answer) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)).replace(/\/$/, "/index.html");
    const file = join(dist, path);
    if (!file.startsWith(dist) || !existsSync(file)) {
      answer.writeHead(404).end();
      return;
    }
    answer.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    answer.end(readFileSync(file));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }));
  });
}

/** A page of the playground that fails the test where the console complains or anything else is asked for. */
export async function opened(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  const origin = new URL(address).origin;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith("data:") && !url.startsWith("blob:") && !(origin !== "null" && url.startsWith(origin)) && url !== address.split("#")[0]) complaints.push(`asked for ${url}`);
  });
  await page.goto(address);
  await settled(page);
  return { page, complaints, close: () => context.close() };
}

/** Until the numbers are there. */
export const settled = (page) => page.waitForFunction(() => {
  const { app } = window.atgpuPage ?? {};
  return app?.numbers && (app.numbers.cost || app.numbers.fault);
}, null, { timeout: 60_000 });
