// What a reader has to load.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { dist } from "./browser.mjs";

const skip = existsSync(join(dist, "index.html")) ? false : "the page is not built: node playground/build.mjs";
const gzipped = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;

test("the library has at most 1.4 MB gzipped", { skip }, () => {
  const size = gzipped("atgpu.wasm");
  console.log(`atgpu.wasm: ${(size / 2 ** 20).toFixed(3)} MB gzipped`);
  assert.ok(size <= 1.4 * 2 ** 20, `${size} bytes`);
});

test("the page has at most 300 KB gzipped besides, its fonts among it", { skip }, () => {
  const fonts = readdirSync(join(dist, "fonts")).map((name) => join("fonts", name));
  const size = ["index.html", "page.css", "page.js", "worker.js", ...fonts].map(gzipped).reduce((sum, each) => sum + each, 0);
  console.log(`the page: ${(size / 1024).toFixed(0)} KB gzipped; the programs, once the gallery is opened: ${(gzipped("examples.json") / 1024).toFixed(0)} KB`);
  assert.ok(size <= 300 * 1024, `${size} bytes`);
});
