// What axe-core finds wrong for readers of screens and of keyboards: nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { chromium, inBrowser, opened } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const SCREENS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "390 px": { viewport: { width: 390, height: 844 } },
};

/** Each view, with what has to be there before it is looked at. */
const VIEWS = {
  "": ".cost-panel .chart",
  "?tab=run": ".mp-picture .lanes",
  "?tab=claims": "#panel .totals",
  "?tab=safety": "#panel .verdict-line",
  "?example=scan_blelloch&machine=rtx3060&b=64&tab=safety": "#panel .barriers li",
  "?tab=roofline": "#panel .roofline .dot",
  "?example=transpose_naive&tab=compare": ".advice button",
  "?tab=models": "#panel .models li",
  "?embed": ".open-out",
};

inBrowser("axe", chromium, (here) => {
  for (const [screen, options] of Object.entries(SCREENS)) {
    test(`${screen}: no findings`, { timeout: 240_000 }, async () => {
      const found = [];
      const look = async (page, name) => {
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run());
        for (const { id, nodes } of violations) found.push(`${name || "the page"}: ${id}: ${nodes[0].html.slice(0, 160)}`);
      };
      for (const [address, selector] of Object.entries(VIEWS)) {
        const { page, close } = await opened(here.browser, here.server.url + address, { ...options, reducedMotion: "reduce" });
        await page.locator(selector).first().waitFor({ timeout: 60_000 });
        await page.waitForFunction(() => window.atgpuPage.app.judged, null, { timeout: 60_000 });
        await look(page, address);
        if (address === "") {
          await page.locator("#save summary").click();
          await look(page, "the menu");
          await page.locator("#programs").click();
          await page.locator("#gallery .card").first().waitFor();
          await look(page, "the gallery");
        }
        if (address.includes("compare")) {
          await page.locator(".advice button").click();
          await page.locator(".advice li").first().waitFor({ timeout: 120_000 });
          await look(page, "the advice");
        }
        await close();
      }
      const { page, close } = await opened(here.browser, here.server.url, { ...options, isFirst: true });
      await page.locator(".tour").waitFor();
      await look(page, "the tour");
      await close();
      assert.deepEqual(found, []);
    });
  }
});
