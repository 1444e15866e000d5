// Draws docs/pictures: the page with vector addition, light and dark, as README and book show it. It needs the built
// page and a Chromium: `node playground/pictures.mjs`. A test holds each picture to 150 kB.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium, opened, serve } from "./test/browser.mjs";

const into = join(dirname(fileURLToPath(import.meta.url)), "../docs/pictures");

if (chromium.missing) throw new Error(chromium.missing);
mkdirSync(into, { recursive: true });
const browser = await chromium.start("--font-render-hinting=none");
const server = await serve();
for (const colorScheme of ["light", "dark"]) {
  const options = { viewport: { width: 1300, height: 820 }, colorScheme, reducedMotion: "reduce" };
  const { page, close } = await opened(browser, `${server.url}?example=vector_addition`, options);
  await page.mouse.move(1, 1);
  await page.waitForFunction(() => window.atgpuPage.app.judged, null, { timeout: 60_000 });
  await page.locator(".cost-panel .chart path[stroke-width='1.4'][stroke-linejoin]").first().waitFor({ state: "attached" });
  await page.evaluate(() => document.fonts.ready);
  // The curve grows while its points come in.
  await page.waitForFunction(() => {
    const before = window.curve;
    window.curve = document.querySelector(".cost-panel .chart path[stroke-width='1.4'][stroke-linejoin]").getAttribute("d");
    return window.curve === before;
  }, null, { polling: 3000 });
  // How long it took is another each time.
  await page.evaluate(() => { document.querySelector("#state").textContent = "derived"; });
  await page.screenshot({ path: join(into, `playground-${colorScheme}.png`), animations: "disabled", caret: "hide" });
  await close();
}
await browser.close();
server.close();
