// Browsers for the tests, and the built page behind an address; what is not at hand is left out with a word.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";

export const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
export const single = join(dist, "playground.html");

const unbuilt = existsSync(single) ? null : "the page is not built: node playground/build.mjs";
const installed = (...places) => places.filter(Boolean).find(existsSync) ?? null;

/** The browsers that the page is used in: how each is started, and why it cannot be, or false. */
export const chromium = {
  name: "Chromium",
  at: installed(process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"),
  get missing() {
    return unbuilt ?? (this.at ? false : "no Chromium is installed (CHROMIUM names one)");
  },
  async start(...more) {
    const { chromium: driver } = await import("playwright-core");
    return driver.launch({ executablePath: this.at, args: ["--no-sandbox", ...more] });
  },
};

export const firefox = {
  name: "Firefox",
  at: installed(process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"),
  get missing() {
    return unbuilt ?? (this.at ? false : "no Firefox is installed (FIREFOX names one)");
  },
  /** The system's own, by WebDriver BiDi. */
  async start() {
    const { firefox: driver } = await import("playwright-core");
    const browser = await driver.launch({ channel: "moz-firefox", executablePath: this.at });
    // Playwright always sets which colours and how much motion a reader prefers, which not every Firefox can be told.
    const session = Object.getPrototypeOf(browser._connection.toImpl(browser)._browserSession);
    const { send } = session;
    session.send = async function sent(method, asked) {
      try {
        return await send.call(this, method, asked);
      } catch (error) {
        if (method === "emulation.setMediaFeaturesOverride" && error.message.includes("unknown command")) return {};
        throw error;
      }
    };
    return browser;
  },
};

/** Tests in a browser with the page behind an address: `body` gets what is there once they run. */
export function inBrowser(title, kind, body) {
  describe(`${title}, in ${kind.name}`, { skip: kind.missing, concurrency: 1 }, () => {
    const here = { kind };
    before(async () => Object.assign(here, { browser: await kind.start(), server: await serve() }));
    after(async () => {
      await here.browser?.close();
      here.server?.close();
    });
    body(here);
  });
}

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

/**
 * A page of the playground that fails the test where the console complains or anything else is asked for. Its reader has
 * had the tour before, unless `isFirst`.
 */
export async function opened(browser, address, { isFirst = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, ...options });
  if (!isFirst) await context.addInitScript(() => { try { localStorage.setItem("atgpu.tour", "seen"); } catch { /* a blank page has no storage */ } });
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
