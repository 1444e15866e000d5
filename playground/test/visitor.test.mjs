// Five things that somebody wants who comes by the bare link and has read nothing: each with the ways to do it
// that the page shows, the steps it takes (a click, a key, a word typed) and the time.

import assert from "node:assert/strict";
import { test } from "node:test";

import { chromium, firefox, inBrowser, opened, settled } from "./browser.mjs";

for (const kind of [chromium, firefox]) inBrowser("a first visitor, from the bare link", kind, (here) => {
  /** A task, in at most so many steps; the page is opened for it, and that counts. */
  const task = (name, most, use) => test(name, { timeout: 120_000 }, async () => {
    const began = Date.now();
    const { page, complaints, close } = await opened(here.browser, here.server.url);
    let steps = 0;
    const step = async (done) => {
      steps += 1;
      return done;
    };
    try {
      await use(page, step);
      console.log(`${name}: ${steps} ${steps === 1 ? "step" : "steps"}, ${((Date.now() - began) / 1000).toFixed(1)} s`);
      assert.ok(steps <= most, `${steps} steps`);
      assert.deepEqual(complaints, []);
    } finally {
      await close();
    }
  });

  const text = (page, selector) => page.locator(selector).first().innerText();

  task("what does this cost, and what most of it goes to", 1, async (page, step) => {
    assert.match(await text(page, "#total"), /\d.* ms$/);
    const shares = await page.locator("#legend output").allInnerTexts();
    const most = shares.map((share) => Number(share.match(/([\d.]+) %/)?.[1] ?? 0));
    const largest = most.indexOf(Math.max(...most));
    assert.ok(most[largest] > 30, shares.join("; "));
    // Its lines.
    await step(page.locator("#legend .key").nth(largest).hover());
    assert.ok(await page.locator(".cm-line.lit").count());
  });

  task("the same with sixteen million words on another card", 3, async (page, step) => {
    const total = await text(page, "#total");
    await step(page.locator("#machine").selectOption("h100"));
    await step(page.locator(".slider .value").first().fill("2^24"));
    await step(page.keyboard.press("Enter"));
    await page.waitForFunction((old) => document.querySelector("#total-of").innerText.includes("h100") && document.querySelector("#total-of").innerText.replace(/\D/g, "").endsWith("16777216") && document.querySelector("#total").innerText !== old, total);
  });

  task("sort numbers of one's own, and see that they are sorted", 8, async (page, step) => {
    await step(page.locator("#programs").click());
    await step(page.locator("#gallery input").fill("sort"));
    await step(page.locator("#gallery .card", { hasText: "Bitonic" }).click());
    await page.waitForFunction(() => document.title.startsWith("Bitonic"));
    await settled(page);
    await step(page.locator("#tab-run").click());
    await page.locator(".mp-picture .lanes").waitFor({ timeout: 60_000 });
    await step(page.locator(".run-fields select[aria-label^='data of']").selectOption("own"));
    await step(page.locator(".own textarea").fill("9 8 7 6 5 4 3 2 1 0 15 14 13 12 11 10"));
    await page.waitForFunction(() => document.querySelector(".own-told").innerText.includes("16 ints"));
    await step(page.locator(".panel-head .primary").click());
    await page.locator(".run-result .verdicts li.good").first().waitFor();
    assert.equal(await page.locator(".run-result .verdicts li.bad").count(), 0);
    await step(page.locator(".arrays summary").click());
    const words = await page.locator(".array .words").allInnerTexts();
    assert.ok(words.some((each) => each.replace(/\s+/g, " ").trim() === "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"), words.join(" | "));
  });

  task("break the program, understand why, and have it mended", 4, async (page, step) => {
    await step(page.locator(".cm-line", { hasText: "let k = n/b" }).click());
    await step(page.keyboard.press("End"));
    await step(page.keyboard.type("b"));
    const fault = page.locator(".cm-lintRange-error").first();
    await fault.waitFor();
    await step(fault.hover());
    await page.locator(".cm-diagnostic-error").first().waitFor();
    assert.match(await text(page, ".cm-diagnostic-error"), /`bb`/);
    assert.ok(await page.locator(".cm-diagnosticAction").count(), "a fix is offered");
  });

  task("give it to somebody else", 2, async (page, step) => {
    await step(page.locator(".slider .value").first().fill("2^16"));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#total-of").innerText.includes("65"));
    const total = await text(page, "#total");
    await step(page.locator("#share").click());
    await page.waitForFunction(() => location.hash.startsWith("#p="));
    const other = await here.browser.newContext();
    const again = await other.newPage();
    await again.goto(page.url());
    await settled(again);
    assert.equal(await again.locator("#total").innerText(), total);
    await other.close();
  });
});
