// What the page looks like: where its parts stand, that nothing covers anything else, that every word stands
// out from what is behind it, and that the picture as a whole is the one in looks.json.
//
// No two systems draw letters alike, so that pictures are compared by the mean light of their parts, and only
// where letters are as wide as those of the file. Where a change is meant, LOOKS=keep writes the file anew; the
// pictures themselves are in playground/target/looks.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { chromium, dist, opened, serve } from "./browser.mjs";

const VIEWS = {
  "wide-light": { address: "?example=reduction", options: { viewport: { width: 1440, height: 900 }, colorScheme: "light" } },
  "wide-dark": { address: "?example=reduction", options: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" } },
  laptop: { address: "?example=matrix_multiplication&tab=claims", options: { viewport: { width: 1100, height: 700 }, colorScheme: "light" } },
  run: { address: "?example=reduction&tab=run", options: { viewport: { width: 1440, height: 900 }, colorScheme: "light" } },
  narrow: { address: "?example=reduction", options: { viewport: { width: 390, height: 844 }, colorScheme: "light" } },
  "narrow-dark": { address: "?example=reduction", options: { viewport: { width: 390, height: 844 }, colorScheme: "dark" } },
  embed: { address: "?example=saxpy&embed", options: { viewport: { width: 760, height: 620 }, colorScheme: "light" } },
};

const file = new URL("looks.json", import.meta.url);
const pictures = join(dist, "../target/looks");
const keeps = process.env.LOOKS === "keep";
const kept = JSON.parse(readFileSync(file, "utf8"));

/** How far the light of a part may be from what it was, of 255, and how many parts may be farther. */
const TOLERANCE = 26;
const ODD = 0.06;

describe("the look of the page", { skip: chromium.missing, concurrency: 1 }, () => {
  let browser;
  let server;
  let blank;

  before(async () => {
    browser = await chromium.start("--font-render-hinting=none");
    server = await serve();
    blank = await browser.newPage();
    mkdirSync(pictures, { recursive: true });
  });

  after(async () => {
    if (keeps) writeFileSync(file, `${JSON.stringify(kept, null, 1).replace(/\n\s{3,}/g, " ").replace(/\n {2}\]/g, " ]")}\n`);
    await browser?.close();
    server?.close();
  });

  for (const [name, { address, options }] of Object.entries(VIEWS)) {
    test(name, { timeout: 120_000 }, async (context) => {
      const { page, complaints, close } = await opened(browser, server.url + address, { ...options, reducedMotion: "reduce" });
      try {
        await still(page, name);
        const found = await page.evaluate(looked);
        assert.deepEqual(found.outside, [], "nothing is cut off or sticks out");
        assert.deepEqual(found.covered, [], "nothing covers anything else");
        assert.deepEqual(found.faint, [], "every word stands out");
        arranged(name, found.boxes, options.viewport);
        const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
        writeFileSync(join(pictures, `${name}.png`), picture);
        const light = await blank.evaluate(parts, { url: `data:image/png;base64,${picture.toString("base64")}`, size: 30 });
        const letters = await page.evaluate(widths);
        if (keeps) Object.assign(kept, { letters, [name]: light.rows });
        else if (String(letters) === String(kept.letters)) compared(name, light.rows);
        else context.diagnostic(`letters are ${letters} wide here, ${kept.letters} in looks.json: the picture is not compared`);
        assert.deepEqual(complaints, []);
      } finally {
        await close();
      }
    });
  }

  test("light and dark stand in the same places", { timeout: 120_000 }, async () => {
    const boxes = [];
    for (const colorScheme of ["light", "dark"]) {
      const { page, close } = await opened(browser, `${server.url}?example=reduction`, { colorScheme, reducedMotion: "reduce" });
      await still(page, "wide");
      boxes.push((await page.evaluate(looked)).boxes);
      await close();
    }
    assert.deepEqual(boxes[0], boxes[1]);
  });

  /** Until nothing changes any more: judged, drawn, the pointer away. */
  async function still(page, name) {
    await page.mouse.move(1, 1);
    await page.waitForFunction(() => window.atgpuPage.app.judged, null, { timeout: 60_000 });
    if (name === "run") await page.locator(".mp-picture .lanes").waitFor({ timeout: 60_000 });
    else if (name !== "embed" && name !== "laptop") await page.locator(".cost-panel .chart path[stroke-width='1.4'][stroke-linejoin]").first().waitFor({ state: "attached" });
    await page.evaluate(() => document.fonts.ready);
    // How long it took is another each time.
    await page.evaluate(() => { document.querySelector("#state").textContent = "derived"; });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }

  function arranged(name, box, { width, height }) {
    const near = (one, other, what) => assert.ok(Math.abs(one - other) <= 2, `${name}: ${what}: ${one} and ${other}`);
    const above = (upper, lower) => assert.ok(box[upper].y + box[upper].h <= box[lower].y + 1, `${name}: ${upper} stands above ${lower}`);
    above("formula", "program");
    assert.ok(box.editor.w >= Math.min(width, 700) * 0.9 || box.editor.w >= width * 0.5, `${name}: the program has room`);
    if (name === "embed") {
      assert.ok(!box.top && !box.instruments, "the rest is not shown");
      near(box.program.y + box.program.h, height, "the program goes down to the edge");
      return;
    }
    above("top", "formula");
    if (width > 900) {
      assert.ok(box.program.x + box.program.w <= box.instruments.x + 1, `${name}: the program stands on the left`);
      near(box.program.y, box.instruments.y, "both begin at the same height");
      near(box.instruments.x + box.instruments.w, width, "the instruments go to the edge");
      near(Math.max(box.program.y + box.program.h, box.instruments.y + box.instruments.h), height, "the page fills the window");
      above("sliders", "tabs");
      above("tabs", "panel");
      assert.ok(box.panel.h >= 180, `${name}: the panel has room: ${box.panel.h}`);
    } else {
      above("program", "instruments");
      near(box.program.w, width, "the program has the whole width");
    }
  }

  function compared(name, rows) {
    const before = kept[name];
    assert.ok(before, `${name} is not in looks.json: LOOKS=keep writes it`);
    assert.equal(rows.length, before.length, "as high as it was");
    let odd = 0;
    let all = 0;
    let where = "";
    rows.forEach((row, y) => row.forEach((light, x) => {
      all += 1;
      // What was drawn at the edge of a part may have moved into the next.
      const near = [[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]].map(([down, right]) => before[y + down]?.[x + right]).filter((each) => each !== undefined);
      if (light < Math.min(...near) - TOLERANCE || light > Math.max(...near) + TOLERANCE) {
        odd += 1;
        where += ` ${x},${y}: ${light} for ${before[y][x]}`;
      }
    }));
    assert.ok(odd <= all * ODD, `${name} looks different at ${odd} of ${all} places:${where.slice(0, 400)} (target/looks/${name}.png)`);
  }
});

/** In the page: where its parts stand, what sticks out, what covers what, and what can hardly be read. */
function looked() {
  const seen = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && node.getBoundingClientRect().width > 0.5;
  const box = (node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return { x: Math.round(x), y: Math.round(y), w: Math.round(width), h: Math.round(height) };
  };
  const boxes = {};
  for (const [name, selector] of Object.entries({ top: ".top", formula: "section.formula", program: ".program", editor: "#editor", instruments: ".instruments", sliders: "#sliders", tabs: ".tabs", panel: "#panel" })) {
    const node = document.querySelector(selector);
    if (node && seen(node)) boxes[name] = box(node);
  }
  const told = (node) => `${node.tagName.toLowerCase()}${node.id ? `#${node.id}` : ""}${[...node.classList].map((each) => `.${each}`).join("")} “${(node.textContent ?? "").trim().slice(0, 24)}”`;

  const outside = [];
  if (document.documentElement.scrollWidth > innerWidth) outside.push(`the page: ${document.documentElement.scrollWidth} of ${innerWidth}`);
  const top = document.querySelector(".top");
  if (top.scrollWidth > top.clientWidth + 24) outside.push(`the top: ${top.scrollWidth} of ${top.clientWidth}`);
  // What has its own scrollbar may be longer.
  const scrolls = (node) => {
    for (let each = node; each; each = each.parentElement) if (["auto", "scroll"].includes(getComputedStyle(each).overflowX)) return true;
    return false;
  };
  for (const node of document.querySelectorAll("button, select, input, label, output, h2, th, summary")) {
    if (!seen(node) || node.closest(".own-file")) continue;
    const at = node.getBoundingClientRect();
    if (!scrolls(node) && (at.right > innerWidth + 1 || at.left < -1)) outside.push(told(node));
    if (node.tagName === "BUTTON" && node.scrollWidth > node.clientWidth + 2 && getComputedStyle(node).overflowX !== "hidden" && node.clientWidth > 0) outside.push(`cut: ${told(node)}`);
  }
  for (const cell of document.querySelectorAll(".cm-gutters-after .cell .of")) {
    if (seen(cell) && cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).textOverflow !== "ellipsis" && getComputedStyle(cell).overflowX !== "visible") outside.push(`cut: ${told(cell)}`);
  }

  const covered = [];
  // What a cell cuts off is not seen.
  const shownOf = (node) => {
    const own = node.getBoundingClientRect();
    const cell = node.closest(".cell")?.getBoundingClientRect() ?? own;
    return { left: Math.max(own.left, cell.left), right: Math.min(own.right, cell.right), top: own.top, bottom: own.bottom };
  };
  const over = (one, other) => {
    const [a, b] = [shownOf(one), shownOf(other)];
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5;
  };
  const apart = (selector) => {
    const all = [...document.querySelectorAll(selector)].filter(seen);
    all.forEach((one, at) => all.slice(at + 1).forEach((other) => {
      if (!one.contains(other) && !other.contains(one) && over(one, other)) covered.push(`${told(one)} and ${told(other)}`);
    }));
  };
  apart(".top > *");
  apart(".top, section.formula, .program, .instruments");
  apart("#sliders .slider");
  apart("#sliders, .tabs, #panel");
  apart(".slider:first-child > *");
  apart(".tabs button");
  apart("#formula, .headline, #bar, #legend, #where");
  apart("#legend li");
  apart(".chart > text");
  apart(".columns .heads > span");
  for (const row of document.querySelectorAll(".cm-gutters-after .cells")) {
    const cells = [...row.querySelectorAll(".cell .of")].filter((cell) => seen(cell) && cell.textContent);
    cells.forEach((one, at) => cells.slice(at + 1).forEach((other) => over(one, other) && covered.push(`${told(one)} and ${told(other)}`)));
  }

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const memory = new Map();
  const rgba = (colour) => {
    if (!memory.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      memory.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return memory.get(colour);
  };
  const mixed = (front, back) => front.slice(0, 3).map((part, at) => (part * front[3] + back[at] * (255 - front[3])) / 255);
  const behind = (node) => {
    const stack = [];
    for (let each = node; each; each = each.parentElement) {
      const colour = rgba(getComputedStyle(each).backgroundColor);
      stack.push(colour);
      if (colour[3] === 255) break;
    }
    return stack.reverse().reduce((back, colour) => mixed(colour, back), [255, 255, 255]);
  };
  const light = (colour) => colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !seen(node) || node.closest("svg, .katex-mathml, script, style, dialog:not([open]), .skip, option")) continue;
    const style = getComputedStyle(node);
    const back = behind(node);
    const front = mixed(rgba(style.color), back);
    const [one, other] = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    let shown = 1;
    for (let each = node; each; each = each.parentElement) shown *= Number(getComputedStyle(each).opacity);
    if (ratio < least - 0.05 || shown < 0.5) faint.add(`${told(node)} ${ratio.toFixed(2)}${shown < 1 ? ` at ${shown}` : ""}`);
  }
  return { boxes, outside, covered, faint: [...faint] };
}

/** In the page: how wide its three kinds of letters are. */
function widths() {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  return ["--sans", "--mono", "--maths"].map((name) => {
    pen.font = `100px ${getComputedStyle(document.documentElement).getPropertyValue(name)}`;
    return Math.round(pen.measureText("Program for all n/b 0123").width);
  });
}

/** In a page: the mean light of the parts of a picture. */
async function parts({ url, size }) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d", { willReadFrequently: true });
  canvas.drawImage(image, 0, 0);
  const rows = [];
  for (let y = 0; y + size <= image.height; y += size) {
    const row = [];
    for (let x = 0; x + size <= image.width; x += size) {
      const { data } = canvas.getImageData(x, y, size, size);
      let sum = 0;
      for (let at = 0; at < data.length; at += 4) sum += 0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2];
      row.push(Math.round(sum / (data.length / 4)));
    }
    rows.push(row);
  }
  return { rows };
}
