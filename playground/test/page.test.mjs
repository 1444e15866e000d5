// Each part of the page is used in a real browser, as a reader would.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { chromium, dist, firefox, inBrowser, opened, settled, single } from "./browser.mjs";

for (const kind of [chromium, firefox]) inBrowser("the page", kind, (here) => {
  /** Uses a page, and holds that nothing went wrong in it. */
  const on = (name, address, use, { skip = false, ...options } = {}) => test(name, { timeout: 180_000, skip }, async () => {
    const place = typeof address === "function" ? await address() : here.server.url + address;
    const { page, complaints, close } = await opened(here.browser, place, options);
    try {
      await use(page, complaints);
      assert.deepEqual(complaints, []);
    } finally {
      await close();
    }
  });

  const write = async (page, text) => {
    await page.evaluate((next) => { window.atgpuPage.app.editor.text = next; }, text);
  };
  const text = (page, selector) => page.locator(selector).first().innerText();

  on("shows costs behind lines, and the formula", "", async (page) => {
    const cells = await page.locator(".cm-gutters-after .cell.t .of").allInnerTexts();
    assert.deepEqual(cells.filter(Boolean), ["13", "3", "3", "4", "3"]);
    const blocks = await page.locator(".cm-gutters-after .cell.q .of").allInnerTexts();
    assert.deepEqual(blocks.filter(Boolean), ["3k", "k", "k", "k"]);
    assert.equal(await page.locator("#formula [data-term]").count(), 5);
    assert.match(await text(page, "#total"), /ms$/);
    // Where a scroll bar takes room, the heads make room for it.
    const edges = await page.evaluate(() => [".columns .q", ".cm-gutters-after .cell.q.sum"].map((each) => document.querySelector(each).getBoundingClientRect().right));
    assert.ok(Math.abs(edges[0] - edges[1]) <= 1, edges.join(" and "));
  });

  on("lights the lines of a term, and the terms of a line", "", async (page) => {
    await page.locator("#formula .k-blocks").first().hover();
    const lit = await page.locator(".cm-line.lit-blocks").allInnerTexts();
    assert.deepEqual(lit.map((line) => line.trim().slice(0, 11)), ["_a[j] ⇐ a[i", "_b[j] ⇐ b[i", "c[ib + j] ⇐"]);
    await page.locator("#formula .k-words").first().hover();
    assert.equal(await page.locator(".cm-line.lit-words").count(), 3);
    await page.locator(".cm-line", { hasText: "_c[j] ← _a[j]" }).hover();
    assert.ok(await page.locator("#formula .k-operations.hot").count());
    assert.equal(await page.locator("#formula .k-words.hot").count(), 0);
    await page.locator("#formula .k-rounds").first().focus();
    assert.equal(await page.locator(".cm-line.lit-rounds").count(), 1, "also from the keyboard");
  });

  on("each term lights the lines it comes from", "?example=matrix_multiplication", async (page) => {
    await page.waitForFunction(() => window.atgpuPage.app.terms.every((term) => term.parts));
    const lit = async (term) => {
      await page.locator(`#formula [data-term="${term}"]`).hover();
      return (await page.locator(".cm-line.lit").allInnerTexts()).map((line) => line.trim().split("▷")[0].trim());
    };
    const terms = await page.evaluate(() => window.atgpuPage.app.terms.map((term) => term.latex.replace(/\s/g, "")));
    const of = (latex) => {
      assert.ok(terms.includes(latex), `${latex} in ${terms.join(", ")}`);
      return terms.indexOf(latex);
    };
    // 15nb of the time comes from the innermost loop alone, and b of the blocks from what is written back.
    const inner = await lit(of("15nb"));
    assert.ok(inner.length === 2 && inner[0].startsWith("for u = 0") && inner[1].startsWith("_c[s, j] ← _c[s, j]"), inner.join(" | "));
    assert.deepEqual(await lit(of("b")), ["c[yb + s, xb + j] ⇐ _c[s, j]"]);
    assert.equal((await lit(of("2n"))).length, 2);
    assert.match(await page.locator(`#formula [data-term="${of("b")}"]`).getAttribute("aria-label"), /^b, paid for blocks of memory, line \d+$/);
    // And back.
    await page.locator(".cm-line", { hasText: "⇐ _c[s, j]" }).hover();
    assert.ok(await page.locator(`#formula [data-term="${of("b")}"].hot`).count());
    assert.equal(await page.locator(`#formula [data-term="${of("2n")}"].hot`).count(), 0);
  });

  on("what lines add only together is said so", "?example=breadth_first_search", async (page) => {
    await page.waitForFunction(() => window.atgpuPage.app.terms.every((term) => term.parts));
    const rounds = page.locator("#formula .k-rounds").first();
    assert.match(await rounds.getAttribute("title"), /^lines \d+, \d+ together: how much each of them adds is not known$/);
    await rounds.hover();
    assert.equal(await page.locator(".cm-line.lit-rounds").count(), 2);
  });

  on("numbers follow a slider", "", async (page) => {
    const total = await text(page, "#total");
    await page.locator("#mode").click();
    const before = await text(page, ".cm-gutters-after .cell.q.sum .of");
    const slider = page.locator(".slider input[type=range]").first();
    await slider.focus();
    for (let step = 0; step < 6; step++) await page.keyboard.press("ArrowRight");
    await page.waitForFunction((old) => document.querySelector("#total").innerText !== old, total);
    assert.notEqual(await text(page, ".cm-gutters-after .cell.q.sum .of"), before);
    // A size that the program does not admit is told, and by which `require`.
    await page.locator(".slider .value").first().fill("1000");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".slider-fault").innerText.includes("b | n"));
    await page.locator(".slider .value").first().fill("2^16");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".slider-fault").innerText === "");
    // A figure of the machine.
    await page.locator(".more summary").click();
    const sigma = page.locator('.slider .value[aria-label^="σ"]');
    await sigma.fill("100");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /^100/.test(document.querySelector("#total").innerText));
  });

  on("sliders keep up with sixty frames a second", "?example=bitonic_sort", async (page) => {
    const times = await page.evaluate(async () => {
      const { app, live } = window.atgpuPage;
      const found = [];
      for (const value of app.stops.n.filter((stop) => stop >= 64).slice(0, 12)) {
        const began = performance.now();
        await live.ask({ do: "values", ...app.asked(), values: { n: value } });
        found.push(performance.now() - began);
      }
      return found.sort((one, other) => one - other);
    });
    const median = times[Math.floor(times.length / 2)];
    console.log(`values of bitonic_sort: median ${median.toFixed(1)} ms, most ${times.at(-1).toFixed(1)} ms`);
    assert.ok(median < 100, `${median} ms`);
  });

  on("numbers follow a slider that moves with every frame, also one of several", "?example=matrix_multiplication_tiled", async (page) => {
    const [frames, updates] = await page.evaluate(async () => {
      const range = document.querySelector(".slider input[type=range]");
      const [low, high] = [Math.floor(range.max * 0.35), Math.floor(range.max * 0.75)];
      let [frames, updates] = [0, 0];
      const seen = new MutationObserver(() => { updates += 1; });
      seen.observe(document.querySelector("#total-of"), { childList: true });
      for (const began = performance.now(); performance.now() - began < 2000; frames += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        range.value = String(low + (frames % (high - low)));
        range.dispatchEvent(new Event("input"));
      }
      return [frames, updates];
    });
    console.log(`a slider that moves with every frame: ${frames} frames and ${updates} numbers in 2 s`);
    assert.ok(updates >= frames / 3, `${updates} numbers in ${frames} frames`);
  });

  on("the figure is drawn and can be drawn with", "", async (page) => {
    await page.locator(".cost-panel .chart").waitFor();
    assert.equal(await page.locator(".cost-panel .chart path[stroke-width='1.4'][stroke-linejoin]").count(), 2);
    const total = await text(page, "#total");
    const box = await page.locator(".cost-panel .chart").boundingBox();
    await page.mouse.click(box.x + box.width * 0.3, box.y + box.height * 0.5);
    await page.waitForFunction((old) => document.querySelector("#total").innerText !== old, total);
    const value = await page.evaluate(() => window.atgpuPage.app.values.n);
    assert.equal((await page.locator(".slider .value").first().inputValue()).replace(/\D/g, ""), String(value), "the slider goes along");
  });

  on("faults are underlined and mended", "", async (page) => {
    const source = await page.evaluate(() => window.atgpuPage.app.text);
    await write(page, source.replace("let k = n/b", "let kk = n/b"));
    await page.locator(".cm-lintRange-error").first().waitFor();
    const found = page.locator(".cm-lintRange-error").first();
    await found.hover();
    await page.locator(".cm-diagnostic-error").first().waitFor();
    assert.match(await text(page, ".cm-diagnostic-error"), /name::unknown/);
    const fix = page.locator(".cm-diagnosticAction").first();
    assert.match(await fix.innerText(), /write/);
    const before = await page.evaluate(() => window.atgpuPage.app.text);
    await fix.click();
    assert.notEqual(await page.evaluate(() => window.atgpuPage.app.text), before);
    // The costs stay while the text is broken.
    assert.ok(await page.locator(".cm-gutters-after .cell.t .of").count());
  });

  on("says the first error with its line, and keeps the figure of what was sound", "", async (page) => {
    await page.locator(".cost-panel .chart path[stroke-width='1.4'][stroke-linejoin]").first().waitFor();
    const source = await page.evaluate(() => window.atgpuPage.app.text);
    await write(page, source.replace("      _a[j] ⇐ a[ib + j]", "      _a[j] = a[ib + j]"));
    await page.waitForFunction(() => /^line 46 expected .*found `=`: .*⇐/.test(document.querySelector("#state").innerText));
    await page.locator("#state .line-link").click();
    assert.match(await text(page, ".cm-activeLine"), /_a\[j\] = /);
    const slider = page.locator(".slider input[type=range]").first();
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".slider-fault").innerText.includes("the text has errors"));
    assert.equal(await page.locator(".cost-panel .chart path[stroke-width='1.4'][stroke-linejoin]").count(), 2);
    await write(page, source);
    await page.waitForFunction(() => document.querySelector(".slider-fault").innerText === "" && !document.body.classList.contains("stale"));
  });

  const LARGE = `algorithm MatVec(n)
  require n ≥ 1
  input A[n, n], X[n]
  output Y[n]
  global a[n, n], x[n], y[n]
  shared _a[b], _x, _y[b]

  a ⇚ A
  x ⇚ X
  for all mp_i ∈ MP[mp_0, …, mp_{⌈n/b⌉-1}] in parallel do
    for all c_{i,j} ∈ C_i in parallel do
      if ib + j ≤ n then
        _y[j] ← 0
        for u = 0 → n - 1 do
          _x ⇐ x[u]
          _a[j] ⇐ a[ib + j, u]
          _y[j] ← _y[j] + _a[j]·_x
        end for
        y[ib + j] ⇐ _y[j]
      end if
    end for
  end for
  Y ⇚ y
end algorithm
`;

  on("another program is looked at with sizes that suit it", "", async (page) => {
    assert.equal(await page.evaluate(() => window.atgpuPage.app.values.n), 2 ** 20);
    await write(page, LARGE);
    // A square of words does not fit the card at that size.
    await page.waitForFunction(() => window.atgpuPage.app.values.n === 256 && /n = 256$/.test(document.querySelector("#total-of").innerText));
    // Its blocks are sums of sums: those that take longer come once the slider rests, and what is too long is said.
    const sized = async (n) => {
      await page.locator(".slider .value").first().fill(n);
      await page.keyboard.press("Enter");
    };
    await sized("1024");
    await page.waitForFunction(() => document.querySelector("#total-of").innerText.includes("adding up"));
    await page.waitForFunction(() => /n = 1.024$/.test(document.querySelector("#total-of").innerText), null, { timeout: 60_000 });
    await page.selectOption("#machine", "h100");
    await sized("16384");
    await page.waitForFunction(() => document.querySelector("#total-of").innerText.includes("too long to add up here"), null, { timeout: 90_000 });
    // Each block folds at its own line.
    const folds = await page.locator(".cm-foldGutter .cm-gutterElement").allInnerTexts();
    assert.equal(folds.filter((each) => each.trim()).length, 4, folds.join("|"));
    // What fails, at which sizes, and how much does not.
    await page.locator("#tab-safety").click();
    await page.locator("#panel .verdict-line").waitFor({ timeout: 60_000 });
    assert.match(await text(page, "#panel .verdicts li.bad"), /7 places proved, 1 refuted, 1 open/);
    assert.match(await text(page, "#panel .verdicts li.bad"), /at n = 1, b = 2/);
    // A finding names the other places that it is about.
    const spot = await page.evaluate(() => {
      const { app } = window.atgpuPage;
      const { left, right, top, bottom } = app.editor.view.coordsAtPos(app.text.indexOf("a[ib + j, u]") + 3);
      return { x: (left + right) / 2, y: (top + bottom) / 2 };
    });
    await page.mouse.move(spot.x + 2, spot.y);
    const outside = page.locator(".cm-diagnostic", { hasText: "bounds::global" });
    await outside.waitFor();
    assert.match(await outside.innerText(), /line 5 declared here/);
  });

  on("completes signs and names, and tells what stands under the pointer", "", async (page) => {
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  \\Leftar");
    // The list opens at the first sign and narrows with every letter.
    await page.waitForFunction(() => document.querySelector(".cm-tooltip-autocomplete li")?.innerText.includes("⇐"));
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    assert.match(await page.evaluate(() => window.atgpuPage.app.text), /⇐\s*$/);
    await page.locator(".cm-line", { hasText: "shared _a[b]" }).locator("span", { hasText: "_a" }).first().hover();
    await page.locator(".told").first().waitFor();
    assert.match(await text(page, ".told"), /shared memory/);
  });

  on("tells the form of a call while one writes it", "", async (page) => {
    await page.locator(".cm-line", { hasText: "_c[j] ← _a[j] + _b[j]" }).click();
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.type("_c[j] ← max(_a[j], ");
    await page.waitForFunction(() => document.querySelector(".call b")?.innerText === "y");
    assert.equal(await text(page, ".call"), "max(x, y)");
    // Escape ends it, also where a list of names is open.
    await page.keyboard.type("_");
    await page.locator(".cm-tooltip-autocomplete").waitFor();
    await page.locator(".call").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector(".call"));
  });

  on("a question waits for a new worker where a newer text ends long work", "", async (page) => {
    const source = await page.evaluate(() => window.atgpuPage.app.text);
    const found = await page.evaluate(async (text) => {
      const { live } = window.atgpuPage;
      const end = (promise) => promise.then((answer) => answer, (error) => error.message);
      const long = end(live.ask({ do: "derive" }));
      const changed = end(live.ask({ do: "change", text: text.replace(/^ {6}_c\[j\] ← .*$/m, "      _c[j] ← max(_a[j], ") }, true));
      const line = text.split("\n").findIndex((each) => each.startsWith("      _c[j] ← _a[j] + _b[j]"));
      const call = end(live.ask({ do: "signature", place: [line, 25] }));
      const { worker } = live;
      live.supersede("the text changed");
      return { isOther: worker !== live.worker, long: await long, isSound: (await changed).sound, call: await call };
    }, source);
    assert.deepEqual(found, { isOther: true, long: "the text changed", isSound: false, call: { form: "max(x, y)", arguments: ["x", "y"], active: 1 } });
    // Who stops the work has no answer at all, and the next question finds the text and its derivation as they were.
    const stopped = await page.evaluate(async (text) => {
      const { app, live } = window.atgpuPage;
      await live.ask({ do: "change", text }, true);
      await live.ask({ do: "derive" });
      live.keep({ do: "derive" });
      const call = live.ask({ do: "format" }).then(() => "answered", (error) => error.message);
      live.end("you stopped it");
      return [await call, (await live.ask({ do: "values", ...app.asked() })).cost.all > 0];
    }, source);
    assert.deepEqual(stopped, ["you stopped it", true]);
  });

  test("a worker that finds no memory at first is started again", { timeout: 60_000 }, async () => {
    const context = await here.browser.newContext();
    const page = await context.newPage();
    const script = readFileSync(join(dist, "worker.js"), "utf8");
    // The first three have none: two of the page's own, and the one that comes after.
    let started = 0;
    await page.route("**/worker.js", (route) => {
      started += 1;
      const fails = started <= 3 ? "WebAssembly.instantiate = () => Promise.reject(new RangeError('no memory'));" : "";
      return route.fulfill({ contentType: "text/javascript", body: fails + script });
    });
    await page.goto(here.server.url);
    await settled(page);
    assert.ok(started > 3, `${started} workers`);
    await context.close();
  });

  on("gives another name everywhere, or says why not", "", async (page) => {
    const source = await page.evaluate(() => window.atgpuPage.app.text);
    const rename = async (name) => {
      await page.keyboard.press("F2");
      await page.locator(".cm-rename input").fill(name);
      await page.keyboard.press("Enter");
    };
    await page.locator(".cm-line", { hasText: "shared _a[b]" }).locator("span", { hasText: "_a" }).first().click();
    await rename("_b");
    await page.waitForFunction(() => !document.querySelector("#toast").hidden);
    assert.equal(await page.evaluate(() => window.atgpuPage.app.text), source);
    await rename("_left");
    await page.waitForFunction(() => window.atgpuPage.app.text.includes("_left[j] ⇐ a[ib + j]"));
    assert.ok(!/_a\b/.test(await page.evaluate(() => window.atgpuPage.app.text.replace(/▷.*/g, ""))));
  });

  on("offers what can be done, from the keyboard", "", async (page) => {
    await write(page, "algorithm T(n)\n  require b | n\n  input A[n]\n  global a[n]\n  a <== A\nend algorithm\n");
    await page.waitForFunction(() => window.atgpuPage.app.view?.program.name === "T");
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+.");
    await page.locator(".cm-offered button", { hasText: "claim what is derived" }).waitFor();
    await page.locator(".cm-offered button", { hasText: "write signs" }).click();
    await page.waitForFunction(() => window.atgpuPage.app.text.includes("a ⇚ A"));
  });

  on("says in words what the line of the cursor costs", "", async (page) => {
    await page.locator(".cm-line", { hasText: "_a[j] ⇐ a[ib + j]" }).click();
    await page.waitForFunction(() => /^line \d+: t 3 +q k$/.test(document.querySelector("#at-line").innerText));
    await page.keyboard.press("Control+Home");
    await page.waitForFunction(() => document.querySelector("#at-line").innerText === "");
  });

  on("formats", "", async (page) => {
    const source = await page.evaluate(() => window.atgpuPage.app.text);
    await write(page, source.replace("      _c[j] ← _a[j] + _b[j]", " _c[j]<-_a[j]+_b[j]"));
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Shift+Alt+F");
    await page.waitForFunction(() => window.atgpuPage.app.text.includes("      _c[j] ← _a[j] + _b[j]"));
  });

  on("claims with their verdicts", "", async (page) => {
    await page.locator("#tab-claims").click();
    assert.equal(await page.locator("#panel .verdicts li.good").count(), 21);
    const source = await page.evaluate(() => window.atgpuPage.app.text);
    await write(page, source.replace("claim time = 13", "claim time = 12"));
    await page.locator("#panel .verdicts li.bad").waitFor();
    assert.match(await text(page, "#panel .verdicts li.bad"), /wrong/);
    assert.match(await text(page, "#tab-claims"), /1 wrong/);
    await page.locator("#panel .verdicts li.bad .line-link").click();
    assert.match(await text(page, ".cm-activeLine"), /claim time = 12/);
  });

  on("safety is proved for every size", "", async (page) => {
    await page.locator("#tab-safety").click();
    await page.locator("#panel .verdict-line").waitFor({ timeout: 60_000 });
    assert.match(await text(page, "#panel .verdict-line"), /Safe for every size/);
    assert.match(await text(page, "#tab-safety"), /safe/);
    const source = await page.evaluate(() => window.atgpuPage.app.text);
    await write(page, source.replace("require b | n", "require n ≥ 2"));
    await page.waitForFunction(() => document.querySelector("#panel .verdict-line")?.innerText.startsWith("It fails"), null, { timeout: 60_000 });
  });

  on("shows where the warps of a wide MP wait, and why", "?example=scan_blelloch&machine=rtx3060&b=64&tab=safety", async (page) => {
    const barriers = page.locator("#panel .barriers li");
    await barriers.first().waitFor({ timeout: 60_000 });
    assert.match(await text(page, "#panel h3"), /^Barriers between the 2 warps of an MP$/);
    const told = await barriers.allInnerTexts();
    const one = (pattern) => assert.equal(told.filter((each) => pattern.test(each.replace(/\s+/g, " "))).length, 1, told.join("\n"));
    one(/in line 50: it writes of _x what another warp read there before$/);
    one(/before line 60: it reads of _x what line 54 of another warp wrote$/);
    one(/written without a wait: line 44, line 45, line 67$/);
    assert.match(await text(page, "#panel h3 + p"), /^9 needed; 7 more, of two around every write, are proved superfluous\.$/);
    // The same lines are marked in the text, for the pointer and for the cursor.
    const marked = (kind) => page.locator(`.cm-line.waits-${kind}`).evaluateAll((lines) => lines.map((line) => window.atgpuPage.app.editor.view.state.doc.lineAt(window.atgpuPage.app.editor.view.posAtDOM(line)).number));
    assert.deepEqual([await marked("before"), await marked("inside")], [[50, 54, 60, 61, 62, 66], [50, 61, 62]]);
    assert.match(await page.locator(".cm-line.waits-before").first().getAttribute("title"), /^the warps wait before it: it reads of _x/);
    await barriers.filter({ hasText: "line 60" }).first().getByRole("button").press("Enter");
    assert.match(await text(page, "#at-line"), /^line 60: .*; the warps wait before it: it reads of _x what line 54 of another warp wrote$/);
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), "the words below the text stick out");
    await page.setViewportSize({ width: 1440, height: 900 });
    // An MP of one warp has none.
    await page.evaluate(() => document.querySelector("#sliders details").setAttribute("open", ""));
    await page.locator('[aria-label="b, as a number"]').fill("32");
    await page.locator('[aria-label="b, as a number"]').press("Enter");
    await page.waitForFunction(() => !document.querySelector(".cm-line.waits"), null, { timeout: 60_000 });
    await page.locator("#panel .verdict-line").waitFor({ timeout: 60_000 });
    assert.equal(await page.locator("#panel .barriers, #panel h3").count(), 0);
    assert.ok(!(await text(page, "#at-line")).includes("wait"));
  });

  on("runs on data, and steps through an MP", "?example=reduction", async (page) => {
    await page.locator("#tab-run").click();
    await page.locator(".mp-picture .lanes").waitFor({ timeout: 60_000 });
    assert.match(await text(page, ".run-result .verdicts li.good"), /Ans = /);
    assert.match(await text(page, ".run-result"), /what was counted is what was derived/);
    assert.match(await text(page, ".mp-told"), /_x\[j\] ⇐ x\[ib \+ j\]/);
    assert.equal(await page.locator(".memory .word.global.hit").count(), 8, "a block of global memory");
    assert.equal(await page.locator(".memory .word.shared.hit").count(), 8, "a word in each bank");
    await page.locator(".mp").focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await text(page, ".mp-count"), /^2 of/);
    assert.ok(await page.locator(".cm-line.lit-step").count(), "the statement is lit in the text");
  });

  on("runs on data of one's own", "", async (page) => {
    await page.locator("#tab-run").click();
    await page.locator(".mp-picture .lanes").waitFor({ timeout: 60_000 });
    for (const name of ["A", "B"]) await page.locator(`[aria-label="data of ${name}"]`).selectOption("own");
    const told = (name) => page.locator(`[data-own="${name}"] .own-told`);
    const says = async (name, what) => {
      await page.waitForFunction(([name, what]) => new RegExp(what).test(document.querySelector(`[data-own="${name}"] .own-told`).innerText), [name, what]);
      return told(name).innerText();
    };
    const run = () => page.locator(".panel-head .primary").click();
    await page.locator('[aria-label="words of A"]').fill("1 2 3 4\n5; 6; 7; 8");
    await says("A", "does not fit A\\[n\\]: these are 2 rows of 4 words");
    await page.locator('[aria-label="words of A"]').fill("1, 2, 3, 4, 5, 6, 7, 8");
    await says("A", "8 ints for A\\[n\\], so n = 8");
    assert.equal(await page.locator('[aria-label="size n"]').inputValue(), "8");
    // Nothing yet, something else, too much.
    await run();
    await page.waitForFunction(() => document.querySelector(".run-result").innerText.includes("there are no words for B yet"));
    await page.locator('[aria-label="words of B"]').fill("1, 2, three");
    assert.match(await says("B", "does not fit"), /three/);
    await page.locator('[aria-label="a file for B"]').setInputFiles({ name: "b.csv", mimeType: "text/csv", buffer: Buffer.from("weight\n10\n20\n30\n") });
    assert.match(await says("B", "3 ints"), /“weight”, is taken for a heading/);
    await page.locator('[aria-label="size n"]').fill("8");
    await page.locator('[aria-label="size n"]').press("Enter");
    await page.locator(".run-result .verdicts li.bad").waitFor();
    assert.match(await text(page, ".run-result .verdicts li.bad"), /the data for B have shape .*3.*it is declared/);
    // A file of NumPy's.
    const head = "{'descr': '<i8', 'fortran_order': False, 'shape': (8,), }".padEnd(117) + "\n";
    const words = Buffer.from(new BigInt64Array([10n, 20n, 30n, 40n, 50n, 60n, 70n, 80n]).buffer);
    const npy = Buffer.concat([Buffer.from([0x93]), Buffer.from("NUMPY"), Buffer.from([1, 0, head.length & 255, head.length >> 8]), Buffer.from(head), words]);
    await page.locator('[aria-label="a file for B"]').setInputFiles({ name: "b.npy", mimeType: "application/octet-stream", buffer: npy });
    await says("B", "8 ints for B\\[n\\], so n = 8");
    await run();
    await page.locator(".run-result .verdicts li.good").first().waitFor();
    await page.locator(".arrays summary").click();
    const arrays = await page.locator(".array").allInnerTexts();
    assert.ok(arrays.some((array) => /^C/.test(array) && array.replace(/\s+/g, " ").includes("11 22 33 44 55 66 77 88")), arrays.join(" | "));
    // No file at all.
    await page.locator('[aria-label="a file for B"]').setInputFiles({ name: "b.npy", mimeType: "application/octet-stream", buffer: Buffer.from("no such thing") });
    await says("B", "does not fit");
    // A size that the program does not take is told by its `require`.
    await page.locator('[aria-label="words of A"]').fill("1 2 3");
    await says("A", "so n = 3");
    await page.locator('[aria-label="data of B"]').selectOption("iota");
    await run();
    await page.waitForFunction(() => document.querySelector(".run-result").innerText.includes("b | n"));
  });

  on("tells where data give one size twice", "?example=matrix_multiplication&tab=run", async (page) => {
    await page.locator(".mp-picture .lanes").waitFor({ timeout: 60_000 });
    await page.locator('[aria-label="data of A"]').selectOption("own");
    await page.locator('[aria-label="words of A"]').fill("1 2 3\n4 5 6");
    await page.waitForFunction(() => document.querySelector(".own-told").innerText.includes("n cannot be both 2 and 3"));
  });

  on("bank conflicts are seen", "?example=reduction_interleaved_conflicts", async (page) => {
    await page.locator("#tab-run").click();
    await page.locator(".mp-picture .lanes").waitFor({ timeout: 60_000 });
    const steps = await page.evaluate(() => Number(document.querySelector(".mp-bar input").max));
    let seen = 0;
    for (let step = 0; step < Math.min(steps, 60); step++) {
      await page.locator('[aria-label="one statement on"]').click();
      seen = Math.max(seen, await page.locator(".memory .clash").count());
    }
    assert.ok(seen > 0, "a bank with several words");
  });

  on("roofline", "", async (page) => {
    await page.locator("#tab-roofline").click();
    await page.locator("#panel .roofline .dot").waitFor();
    assert.equal(await page.locator("#panel .chart .dot").count(), 1);
    assert.match(await page.locator("#panel .chart .dot title").textContent(), /^round 1: [\d.]+ % of the roof$/);
    // No two ticks of an axis have the same label.
    const ticks = await page.locator("#panel .chart > text").evaluateAll((all) => {
      const letters = all.map((node) => ({ text: node.textContent, x: Number(node.getAttribute("x")), y: Number(node.getAttribute("y")) }));
      return letters.filter(({ text }) => text === "10").map((base) => {
        const power = letters.find((other) => Math.abs(other.y - base.y + 4) < 0.1 && other.x > base.x && other.x - base.x < 20);
        return `${Math.round(base.x) < 80 ? "up" : "along"} 10^${power?.text}`;
      });
    });
    assert.ok(ticks.length > 5, ticks.join());
    assert.equal(new Set(ticks).size, ticks.length, ticks.join());
    assert.match(await text(page, "#panel .caption"), /operations a block/);
  });

  on("finds changes that save something, and makes one", "?example=transpose_naive&tab=compare", async (page) => {
    await page.waitForFunction(() => window.atgpuPage.app.judged, null, { timeout: 90_000 });
    const before = await page.evaluate(() => window.atgpuPage.app.text);
    await page.getByRole("button", { name: "look for changes" }).click();
    await page.locator(".advice li").first().waitFor({ timeout: 120_000 });
    assert.match(await text(page, ".advice p"), /costs .* by atgpu on gtx650.*worth it/);
    assert.match(await text(page, ".advice li"), /less/);
    await page.getByRole("button", { name: /^make it/ }).first().click();
    const after = await page.evaluate(() => window.atgpuPage.app.text);
    assert.notEqual(after, before);
    // What it was stays beside it, and is dearer.
    await page.locator(".duel li strong").first().waitFor({ timeout: 120_000 });
    assert.match(await text(page, ".duel"), /, now is cheaper/);
    assert.equal(await page.evaluate(() => window.atgpuPage.app.other), before);
  });

  on("compares two programs, with the crossover", "?example=matrix_multiplication_naive", async (page) => {
    await page.locator("#tab-compare").click();
    await page.getByRole("button", { name: "choose a program" }).click();
    await page.locator("#gallery input").fill("matrix multiplication tiled");
    await page.locator("#gallery .card").first().click();
    await page.locator("#panel .duel .verdicts li").first().waitFor({ timeout: 90_000 });
    assert.match(await text(page, "#panel .duel"), /is cheaper/);
    assert.equal(await page.locator("#panel .chart path[stroke-width='1.4'][stroke-linejoin]").count(), 2);
  });

  on("models", "?example=saxpy", async (page) => {
    await page.locator("#tab-models").click();
    await page.locator("#panel .models li").first().waitFor({ timeout: 90_000 });
    assert.equal(await page.locator("#panel .models li").count(), 7);
    assert.match(await text(page, "#panel .models"), /atgpu/);
  });

  on("a view whose work is stopped says so, and no fault", "?example=saxpy&tab=models", async (page) => {
    // The view is shown anew once safety is judged; after that nothing else is asked.
    await page.waitForFunction(() => window.atgpuPage.app.judged, null, { timeout: 90_000 });
    await page.locator("#panel .models li").first().waitFor({ timeout: 90_000 });
    await page.waitForFunction(() => !window.atgpuPage.slow.oldest);
    await page.evaluate(async () => {
      const { app, slow } = window.atgpuPage;
      app.panel.refresh("models");
      while (!slow.oldest) await new Promise((resolve) => setTimeout(resolve));
      slow.end("you stopped it");
    });
    await page.locator("#panel p.quiet", { hasText: "Stopped." }).waitFor();
    assert.equal(await page.locator("#panel .bad").count(), 0);
  });

  on("the gallery has every program with a picture", "", async (page) => {
    await page.locator("#programs").click();
    await page.locator("#gallery .card").first().waitFor();
    const cards = await page.locator("#gallery .card").count();
    assert.ok(cards >= 77, `${cards} cards`);
    const pictures = await page.locator("#gallery .card .spark .line-0").count();
    const plain = await page.locator("#gallery section", { hasText: "The cookbook" }).locator(".card:not(:has(.line-0)) strong").allInnerTexts();
    assert.deepEqual(plain, [], "every program of the cookbook has one");
    assert.ok(pictures >= cards * 0.8, `${pictures} pictures of ${cards}`);
    assert.equal(pictures + await page.locator("#gallery .card .no-spark").count(), cards, "a word where there is none");
    await page.locator("#gallery input").fill("bitonic");
    await page.locator("#gallery .card").first().click();
    await page.waitForFunction(() => document.title.startsWith("Bitonic"));
  });

  on("a link holds program, machine and sizes", "?example=reduction", async (page) => {
    await page.selectOption("#machine", "rtx3060");
    await page.locator(".slider .value").first().fill("2^15");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#total-of").innerText.includes("32"));
    const total = await text(page, "#total");
    await page.locator("#share").click();
    await page.waitForFunction(() => location.hash.startsWith("#p="));
    const again = await page.context().newPage();
    await again.goto(page.url());
    await settled(again);
    assert.equal(await again.locator("#total").innerText(), total);
    assert.equal(await again.locator("#machine").inputValue(), "rtx3060");
    assert.equal(await again.evaluate(() => window.atgpuPage.app.text), await page.evaluate(() => window.atgpuPage.app.text));
  });

  on("a damaged link says so", "#p=abc", async (page) => {
    assert.match(await text(page, "#toast"), /damaged/);
  });

  on("machine, sizes and figures in the address", "?example=reduction&machine=k20&n=2^10&sigma=1", async (page) => {
    assert.equal(await page.locator("#machine").inputValue(), "k20");
    assert.match(await text(page, "#total-of"), /n = 1.024/);
    assert.equal(await page.evaluate(() => window.atgpuPage.app.numbers.cost.rounds), 2);
  });

  on("embedded, for lecture notes", "?example=saxpy&embed", async (page) => {
    assert.equal(await page.locator(".top").isVisible(), false);
    assert.equal(await page.locator(".instruments").isVisible(), false);
    assert.ok(await page.locator("#formula [data-term]").count());
    const out = page.locator(".open-out");
    await out.hover();
    assert.match(await out.getAttribute("href"), /#p=/);
  });

  on("saves program, figure and derivation", "", async (page) => {
    // No download is told of over BiDi: there what would be saved is looked at in the page.
    if (kind === firefox) {
      await page.evaluate(() => {
        const { createObjectURL } = URL;
        URL.createObjectURL = (blob) => {
          window.kept = { blob };
          return createObjectURL.call(URL, blob);
        };
        HTMLAnchorElement.prototype.click = function click() { window.kept.name = this.download; };
      });
    }
    const saved = async (what) => {
      await page.locator("#save summary").click();
      if (kind === firefox) {
        await page.locator(`[data-save=${what}]`).click();
        await page.waitForFunction(() => window.kept?.name);
        return page.evaluate(async () => {
          const { name, blob } = window.kept;
          window.kept = null;
          return [name, await blob.text()];
        });
      }
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-save=${what}]`).click()]);
      return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
    };
    const [name, program] = await saved("atgpu");
    assert.equal(name, "VectorAddition.atgpu");
    assert.equal(program, await page.evaluate(() => window.atgpuPage.app.text));
    const [, figure] = await saved("svg");
    assert.match(figure, /^<svg[\s\S]*GPU-cost/);
    const [, tex] = await saved("tex");
    assert.match(tex, /\\begin\{algorithmic\}/);
    const [image, pixels] = await saved("png");
    assert.equal(image, "VectorAddition.png");
    assert.ok(pixels.slice(1, 4) === "PNG" && pixels.length > 10_000, pixels.slice(0, 8));
    const [module, python] = await saved("py");
    assert.equal(module, "VectorAddition.py");
    assert.match(python, /from fractions import Fraction[\s\S]*def gpu_cost\(/);
    const [source, cuda] = await saved("cu");
    assert.equal(source, "VectorAddition.cu");
    assert.match(cuda, /__global__/);
    const [, c] = await saved("c");
    assert.match(c, /_c\[j\] = _a\[j\] \+ _b\[j\];/);
    // The sizes chosen are the defaults.
    assert.match(c, /1048576/);
    // What is not proved safe has no such source, and that is said.
    await write(page, program.replace("require b | n", "require n ≥ 2"));
    await page.waitForFunction(() => window.atgpuPage.app.judged?.diagnostics.length && !document.body.classList.contains("stale"), null, { timeout: 60_000 });
    await page.locator("#save summary").click();
    await page.locator("[data-save=c]").click();
    await page.waitForFunction(() => !document.querySelector("#toast").hidden && document.querySelector("#toast").innerText.includes("not proved"));
  });

  on("arrows and names have the colours of their memory", "", async (page) => {
    const looks = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const pen = document.createElement("i");
      document.body.append(pen);
      const colour = (name) => {
        pen.style.color = style.getPropertyValue(name);
        return getComputedStyle(pen).color;
      };
      const kinds = Object.fromEntries(["--words", "--global", "--shared"].map((name) => [colour(name), name.slice(2)]));
      const spans = [...document.querySelectorAll(".cm-line span")];
      const of = (text) => {
        const found = spans.find((span) => span.textContent === text);
        const { color, transform } = getComputedStyle(found);
        return [kinds[color], transform.split("(")[1]?.split(",")[0]];
      };
      return Object.fromEntries(["⇚", "⇐", "←", "A", "a", "_a"].map((text) => [text, of(text)]));
    });
    assert.deepEqual(looks, {
      "⇚": ["words", "1.5"], "⇐": ["global", "1.25"], "←": ["shared", "1.25"],
      A: ["words", undefined], a: ["global", undefined], _a: ["shared", undefined],
    });
  });

  on("a formula too long for its line is shown whole on demand", "?example=bitonic_sort", async (page) => {
    const whole = page.locator("#whole");
    await whole.waitFor();
    const sticksOut = () => page.evaluate(() => {
      const line = document.querySelector("#formula");
      return line.scrollWidth - line.clientWidth;
    });
    assert.ok(await sticksOut() > 1);
    await whole.focus();
    await page.keyboard.press("Enter");
    assert.equal(await whole.getAttribute("aria-pressed"), "true");
    assert.ok(await sticksOut() <= 1, "all of it is in sight");
    await page.keyboard.press("Enter");
    assert.ok(await sticksOut() > 1);
    // And the columns behind the lines.
    const width = () => page.evaluate(() => document.querySelector(".cells").getBoundingClientRect().width);
    const before = await width();
    await page.locator("#widen").focus();
    await page.keyboard.press("Enter");
    assert.ok(await width() > before + 150, `${before} and ${await width()}`);
  }, { viewport: { width: 1000, height: 800 } });

  on("a short tour on the first visit, and never again", "", async (page) => {
    const card = page.locator(".tour");
    await card.waitFor();
    const titles = [];
    for (let step = 0; step < 4; step++) {
      titles.push(await card.locator("h2").innerText());
      assert.equal(await page.locator(".tour-here").count(), 1);
      await card.locator(".primary").click();
    }
    assert.deepEqual(titles, ["The cost", "The program", "Sizes and machine", "More to see"]);
    assert.equal(await card.count(), 0);
    const again = await page.context().newPage();
    await again.goto(page.url());
    await settled(again);
    assert.equal(await again.locator(".tour").count(), 0);
    // Escape leaves it, and an embedded page has none.
    const other = await here.browser.newContext();
    const first = await other.newPage();
    await first.goto(`${page.url()}?embed`);
    await settled(first);
    assert.equal(await first.locator(".tour").count(), 0);
    await first.goto(page.url());
    await first.locator(".tour").waitFor();
    await first.keyboard.press("Escape");
    assert.equal(await first.locator(".tour").count(), 0);
    await other.close();
  }, { isFirst: true });

  test("every program of the book opens in the playground", { timeout: 60_000 }, async () => {
    const script = readFileSync(new URL("../../docs/theme/atgpu-playground.js", import.meta.url), "utf8");
    const program = "algorithm T(n)\n  require b | n\n  input A[n]\n  global a[n]\n  a ⇚ A\nend algorithm\n";
    const context = await here.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${here.server.url}examples.json`);
    await page.setContent(`<pre><code class="language-atgpu"></code></pre><pre><code class="language-atgpu">_x[j] ← 0</code></pre><p><img src="figures/cookbook/saxpy.svg"></p>`);
    await page.evaluate((text) => { document.querySelector("code").textContent = text; }, program);
    await page.addScriptTag({ content: script });
    await page.locator("pre + a.atgpu-playground").waitFor();
    const links = await page.locator("a.atgpu-playground").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.equal(links.length, 2, "a part of a program has none");
    assert.ok(links.includes("playground/index.html?example=saxpy"));
    const opening = links.find((link) => link.includes("#p="));
    await page.goto(here.server.url + opening.replace("playground/", ""));
    await settled(page);
    assert.equal(await page.evaluate(() => window.atgpuPage.app.text), program);
    await context.close();
  });

  on("what would take for ever is stopped", "?example=breadth_first_while", async (page) => {
    await page.evaluate(() => {
      const { slow, app } = window.atgpuPage;
      slow.ask({ do: "change", text: app.text }, true);
      slow.ask({ do: "derive" });
      // One such question is answered in a second or two, which may be before the button is pressed.
      const sizes = Array.from({ length: 100 }, (_, at) => 4096 + at);
      const asked = sizes.map((size) => {
        const values = Object.fromEntries(Object.keys(app.values).map((name) => [name, size]));
        return slow.ask({ do: "models", ...app.asked(), values });
      });
      window.hung = Promise.all(asked).then(() => "answered", (error) => error.message);
    });
    await page.locator("#busy").waitFor({ state: "visible", timeout: 30_000 });
    assert.match(await text(page, "#busy"), /still/);
    await page.locator("#stop").click();
    assert.equal(await page.evaluate(() => window.hung), "you stopped it");
    // And the page goes on.
    const began = Date.now();
    const answer = await page.evaluate(async () => {
      const { slow } = window.atgpuPage;
      return (await slow.ask({ do: "machines" })).length;
    });
    assert.ok(answer > 10 && Date.now() - began < 10_000);
  });

  on("memory after 200 programs", "", async (page) => {
    const found = await page.evaluate(async () => {
      const { live } = window.atgpuPage;
      const programs = await (await fetch("examples.json")).json();
      const texts = Array.from({ length: 200 }, (_, at) => programs[at % programs.length].text);
      const faults = [];
      const memory = [];
      for (const text of texts) {
        await live.ask({ do: "change", text });
        const view = await live.ask({ do: "derive" });
        if (view === undefined) faults.push(text.slice(0, 40));
        memory.push(live.memory);
      }
      return { faults, first: memory[programs.length - 1], last: memory.at(-1) };
    });
    console.log(`memory of the library after all programs once ${(found.first / 2 ** 20).toFixed(1)} MB, after 200 ${(found.last / 2 ** 20).toFixed(1)} MB`);
    assert.deepEqual(found.faults, []);
    assert.ok(found.last <= found.first * 1.5 && found.last < 200 * 2 ** 20);
  });

  on("every formula is typeset", "", async (page) => {
    const wrong = await page.evaluate(async () => {
      const { live, typeset } = window.atgpuPage;
      const programs = await (await fetch("examples.json")).json();
      const wrong = [];
      const node = document.createElement("div");
      for (const { name, text } of programs) {
        await live.ask({ do: "change", text });
        const view = await live.ask({ do: "derive" });
        for (const formula of Object.values(view?.formulas ?? {})) {
          if (!formula) continue;
          // Marking terms changes no sign of it.
          const bare = (latex) => latex.replace(/\\htmlData\{term=\d+\}/g, "").replace(/\\left|\\right|[{}\s]/g, "");
          if (bare(formula.latex) !== bare(formula.plain)) wrong.push(`${name}: ${bare(formula.latex)} is not ${bare(formula.plain)}`);
          typeset(node, formula.latex, true);
          if (node.querySelector(".katex-error")) wrong.push(`${name}: ${formula.latex}`);
        }
      }
      return wrong;
    });
    assert.deepEqual(wrong, []);
  });

  on("names for readers of screens, and keys for all", "", async (page) => {
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, a[href], [role=button]")]
      .filter((node) => node.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true }))
      .filter((node) => !(node.getAttribute("aria-label") || node.innerText?.trim() || node.labels?.length || node.title))
      .map((node) => node.outerHTML.slice(0, 120)));
    assert.deepEqual(nameless, []);
    await page.locator("#tab-cost").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("#tab-run").getAttribute("aria-selected"), "true");
    assert.ok(await page.locator(".formula .katex-mathml math").count(), "MathML beside the picture of a formula");
  });

  for (const scheme of ["light", "dark"]) {
    on(`letters stand out, ${scheme}`, `?theme=${scheme}`, async (page) => {
      const low = await page.evaluate(() => {
        const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        const rgb = (colour) => {
          canvas.clearRect(0, 0, 1, 1);
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const light = (colour) => rgb(colour).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
        const style = getComputedStyle(document.documentElement);
        const of = (name) => light(style.getPropertyValue(name).trim());
        const low = [];
        for (const back of ["--paper", "--sheet", "--wash"]) {
          for (const name of ["--ink", "--soft", "--accent", "--good", "--fair", "--bad", "--starts", "--words", "--operations", "--blocks", "--rounds", ...(back === "--wash" ? [] : ["--faint"])]) {
            const [one, other] = [of(name), of(back)].sort((a, b) => b - a);
            const ratio = (one + 0.05) / (other + 0.05);
            if (ratio < 4.5) low.push(`${name} on ${back}: ${ratio.toFixed(2)}`);
          }
        }
        return low;
      });
      assert.deepEqual(low, []);
    });
  }

  on("narrow screens", "?example=reduction", async (page) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    assert.ok(await page.locator(".cm-gutters-after .cell.t.sum .of").first().isVisible());
  }, { viewport: { width: 390, height: 844 } });

  on("nothing moves where that is asked", "", async (page) => {
    const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((node) => getComputedStyle(node).transitionDuration.split(",").some((time) => parseFloat(time) > 0)).length);
    assert.equal(moving, 0);
  }, { reducedMotion: "reduce", skip: kind === firefox && "Firefox cannot be told here that no motion is wanted" });

  on("the policy holds: no script from elsewhere, no request", "", async (page, complaints) => {
    const found = await page.evaluate(async () => {
      const refused = [];
      document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "window.broken = true";
      document.body.append(script);
      await fetch("https://example.com/").catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { refused, broken: window.broken === true };
    });
    // Each refusal is told on the console, by Firefox that of the script alone.
    const told = complaints.splice(0);
    assert.ok(told.length >= (kind === firefox ? 1 : 2), told.join());
    assert.deepEqual(told.filter((each) => !/Content Security Policy|script-src|example\.com/.test(each)), []);
    assert.equal(found.broken, false);
    assert.ok(found.refused.includes("script-src-elem") && found.refused.includes("connect-src"), found.refused.join());
  });

  on("one file, without a network", async () => pathToFileURL(single).href, async (page) => {
    assert.equal(await page.locator("#formula [data-term]").count(), 5);
    await page.locator("#programs").click();
    await page.locator("#gallery .card").first().waitFor();
    assert.ok(await page.locator("#gallery .card").count() >= 77);
    await page.keyboard.press("Escape");
    await page.locator("#tab-run").click();
    await page.locator(".mp-picture .lanes").waitFor({ timeout: 60_000 });
  }, { offline: true });

  test("time to the first derivation and for a key", { timeout: 180_000 }, async () => {
    const first = [];
    for (let turn = 0; turn < 5; turn++) {
      const { page, close } = await opened(here.browser, `${here.server.url}?example=reduction`);
      first.push(await page.evaluate(() => window.atgpuPage.app.first));
      await close();
    }
    const { page, close } = await opened(here.browser, `${here.server.url}?example=bitonic_sort`);
    const keys = await page.evaluate(async () => {
      const { app, live } = window.atgpuPage;
      const checks = [];
      const derives = [];
      for (let turn = 0; turn < 40; turn++) {
        const text = `${app.text}▷ ${"x".repeat(turn)}\n`;
        let began = performance.now();
        await live.ask({ do: "change", text });
        checks.push(performance.now() - began);
        began = performance.now();
        await live.ask({ do: "derive" });
        derives.push(performance.now() - began);
      }
      return { checks, derives };
    });
    await close();
    const at = (list, share) => [...list].sort((one, other) => one - other)[Math.min(list.length - 1, Math.floor(share * list.length))];
    console.log(`first derivation (reduction): median ${at(first, 0.5).toFixed(0)} ms of 5`);
    console.log(`a key (bitonic_sort): checked in ${at(keys.checks, 0.5).toFixed(1)} ms median, ${at(keys.checks, 0.95).toFixed(1)} ms p95; derived in ${at(keys.derives, 0.5).toFixed(1)} ms median, ${at(keys.derives, 0.95).toFixed(1)} ms p95`);
    assert.ok(at(first, 0.5) < 10_000);
  });
});
