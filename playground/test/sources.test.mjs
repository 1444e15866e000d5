// Where the terms of all programs come from, asked of the library itself.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import { dist } from "./browser.mjs";

const skip = existsSync(join(dist, "atgpu.wasm")) ? false : "the page is not built: node playground/build.mjs";

describe("the lines behind terms", { skip }, () => {
  let ask;
  let programs;

  before(async () => {
    const { instance } = await WebAssembly.instantiate(readFileSync(join(dist, "atgpu.wasm")), {});
    const library = instance.exports;
    ask = (request) => {
      const text = new TextEncoder().encode(JSON.stringify(request));
      const at = library.room(text.length);
      new Uint8Array(library.memory.buffer, at, text.length).set(text);
      const from = library.call();
      return JSON.parse(new TextDecoder().decode(new Uint8Array(library.memory.buffer, from, library.length())));
    };
    programs = JSON.parse(readFileSync(join(dist, "examples.json"), "utf8"));
  });

  /** The terms of a program with the lines behind each: those that are apart, and those that are together. */
  const terms = (text) => {
    ask({ do: "change", text });
    const found = ask({ do: "derive" })?.formulas?.gpu_cost?.terms ?? [];
    const began = performance.now();
    const behind = ask({ do: "sources" }) ?? [];
    const ms = performance.now() - began;
    assert.equal(behind.length, found.length);
    const lines = text.split("\n");
    const all = found.map(({ latex, for: paid }, at) => {
      const { parts, whole } = behind[at] ?? {};
      const known = (parts ?? []).filter((part) => part.lines.length === 1 && part.share !== null);
      return {
        latex: latex.replace(/\s/g, ""), paid, whole, parts: parts ?? [],
        together: (parts ?? []).length > known.length,
        lines: known.map((part) => lines[part.lines[0] - 1].trim().split("▷")[0].trim()),
      };
    });
    return { ms, all };
  };
  const of = (name, paid, latex) => {
    const found = terms(programs.find((program) => program.name === name).text).all.find((term) => term.paid === paid && term.latex === latex);
    assert.ok(found, `${latex} in ${name}`);
    return found;
  };

  test("of every program, and few know them only together", { timeout: 300_000 }, () => {
    const score = { terms: 0, apart: 0, together: 0, beyond: 0 };
    const times = [];
    for (const { name, text } of programs) {
      const { ms, all } = terms(text);
      times.push([ms, name]);
      for (const term of all) {
        score.terms += 1;
        if (!term.parts.length || !term.whole) score.beyond += 1;
        else score[term.together ? "together" : "apart"] += 1;
      }
    }
    times.sort(([one], [other]) => one - other);
    console.log(`${score.terms} terms: ${score.apart} from lines of their own, ${score.together} from lines together, ${score.beyond} from more; median ${times[times.length >> 1][0].toFixed(0)} ms, most ${times.slice(-5).map(([ms, name]) => `${ms.toFixed(0)} (${name})`).join(", ")}`);
    assert.equal(score.beyond, 0);
    assert.ok(score.terms > 1000 && score.apart >= 0.75 * score.terms, JSON.stringify(score));
  });

  test("where rounds close to a form of their own", () => {
    const blocks = of("reduction", "blocks", "n");
    assert.deepEqual(blocks.lines, ["_x[j] ⇐ x[ib + j]", "y[i] ⇐ _x[0]"]);
    assert.deepEqual(blocks.parts.map((part) => part.share), [0.5, 0.5]);
  });

  test("of transfers in a loop of the host", () => {
    assert.deepEqual(of("out_of_core_addition", "starts", "3R\\alpha").parts.map((part) => part.share), [1 / 3, 1 / 3, 1 / 3]);
    assert.equal(of("out_of_core_addition", "words", "3n\\beta").parts.length, 3);
  });

  test("of a round without a kernel", () => {
    const { parts } = of("copies", "rounds", "\\sigma");
    assert.deepEqual(parts.map((part) => part.lines.length), [2]);
  });
});
