// A link is inflated no further than its limit, whoever wrote it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";

import { packed, unpacked } from "../web/share.js";

const url = (bytes) => bytes.toString("base64url");

/** Counts the bytes that come out of every `DecompressionStream` during `work`. */
async function inflated(work) {
  const usual = globalThis.DecompressionStream;
  let bytes = 0;
  globalThis.DecompressionStream = class {
    constructor(format) {
      const inner = new usual(format);
      const counting = new TransformStream({
        transform(chunk, out) {
          bytes += chunk.length;
          out.enqueue(chunk);
        },
      });
      this.writable = inner.writable;
      this.readable = inner.readable.pipeThrough(counting);
    }
  };
  try {
    return [await work(), bytes];
  } finally {
    globalThis.DecompressionStream = usual;
  }
}

test("a state comes back from its link", async () => {
  const state = { text: "algorithm T(n)\n".repeat(10_000), n: 5 };
  const code = await packed(state);
  const [found, bytes] = await inflated(() => unpacked(code));
  assert.deepEqual(found, state);
  assert.ok(bytes >= 150_000, `${bytes} bytes are counted`);
});

test("a link that inflates to 64 MB is not read on behind 4 MB", async () => {
  const bomb = url(deflateRawSync(Buffer.alloc(64 << 20, " ")));
  assert.ok(bomb.length < 100_000, "it is a short link");
  const [found, bytes] = await inflated(() => unpacked(bomb));
  assert.equal(found, null);
  assert.ok(bytes < 8e6, `${bytes} bytes were inflated`);
});

test("a damaged link is none", async () => {
  assert.equal(await unpacked("AAAA!"), null);
  assert.equal(await unpacked(url(deflateRawSync(Buffer.from("{}")))), null);
  assert.equal(await unpacked((await packed({ text: "x" })).slice(0, 5)), null);
});
