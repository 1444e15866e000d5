// Pictures of one MP at a statement: which cores take part, which words they meet, in which blocks of global
// memory and which banks of shared memory those lie.

import { svg } from "./charts.js";
import { el } from "./dom.js";

const ROWS = 9;
const LABEL = 150;
const WIDTH = 460;

/** The width of one of b columns: cores, words of a block, or banks. */
const cellOf = (b) => Math.min(30, (WIDTH - LABEL - 4) / b);

/** Returns n if there is room for every n-th number above the columns. */
const everyOf = (cell) => Math.max(1, Math.ceil(18 / cell));

const drawing = (height, kind, label) => svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: kind, role: "img", "aria-label": label });

const nameOf = (text, y) => svg("text", { x: LABEL - 8, y: y + 12, class: "block-name", "text-anchor": "end" }, text);

/** Cores × statements: the last few, this one, and the next. */
export function lanes({ steps, b }, at) {
  const first = Math.max(0, Math.min(at - 5, steps.length - ROWS));
  const rows = steps.slice(first, first + ROWS);
  const cell = cellOf(b);
  const root = drawing(rows.length * 19 + 24, "lanes", "cores and statements");
  for (let core = 0; core < b; core += everyOf(cell)) {
    root.append(svg("text", { x: LABEL + core * cell + cell / 2, y: 11, class: "core", "text-anchor": "middle" }, String(core)));
  }
  rows.forEach((row, index) => {
    const y = 18 + index * 19;
    const now = first + index === at;
    if (now) root.append(svg("rect", { x: 0, y: y - 2, width: WIDTH, height: 19, class: "now-row", rx: 3 }));
    const text = row.text.length > 22 ? `${row.text.slice(0, 21)}…` : row.text;
    root.append(svg("text", { x: 4, y: y + 11, class: now ? "stmt now" : "stmt" }, text));
    const active = new Set(row.cores);
    for (let core = 0; core < b; core++) {
      root.append(svg("rect", {
        x: LABEL + core * cell + 1, y, width: cell - 2, height: 15, rx: 2,
        class: active.has(core) ? `lane ${kindOf(row)}${first + index > at ? " later" : ""}` : "lane idle",
      }));
    }
  });
  return root;
}

const kindOf = (step) => (step.met.some((met) => met.global) ? "global" : step.met.length ? "shared" : "control");

/** A picture of each array that the statement meets. */
export const memories = ({ b }, step) =>
  step.met.filter((met) => met.at.length).map((met) => (met.global ? blocks(b, step, met) : banks(b, step, met)));

/** The rows of b words that are met, in order. */
const rowsOf = (b, met) => [...new Set(met.at.map((offset) => Math.floor(offset / b)))].sort((one, other) => one - other);

/** The words of a global array in rows of b: each row is a block. */
function blocks(b, step, met) {
  const touched = rowsOf(b, met);
  const shown = touched.slice(0, 8);
  const cell = cellOf(b);
  const line = 22;
  const height = shown.length * line + 8 + (touched.length > shown.length ? 16 : 0);
  const root = drawing(height, "memory", `blocks of ${met.variable}`);
  const byWord = wordsOf(step, met);
  shown.forEach((block, row) => {
    const y = 4 + row * line;
    root.append(nameOf(`block ${block}`, y));
    root.append(svg("rect", { x: LABEL - 1, y: y - 1, width: b * cell + 2, height: 19, class: "block", rx: 3 }));
    for (let at = 0; at < b; at++) {
      const offset = block * b + at;
      root.append(...word(met.variable, { offset, hit: byWord.get(offset), kind: "global hit", at, y: y + 1, under: y + 12, cell }));
    }
  });
  if (touched.length > shown.length) {
    root.append(svg("text", { x: LABEL, y: height - 4, class: "block-name" }, `and ${touched.length - shown.length} more blocks`));
  }
  return memory(met, "global memory", `${touched.length} ${touched.length === 1 ? "block" : "blocks"} of ${b} words`, root);
}

/** A shared array over the banks: a column each. */
function banks(b, step, met) {
  const cell = cellOf(b);
  const rows = rowsOf(b, met);
  const shown = rows.slice(0, 8);
  const byWord = wordsOf(step, met);
  const perBank = new Map();
  for (const offset of byWord.keys()) perBank.set(offset % b, (perBank.get(offset % b) ?? 0) + 1);
  const clashes = (bank) => (perBank.get(bank) ?? 0) > 1;
  const root = drawing(shown.length * 19 + 22 + (rows.length > shown.length ? 16 : 0), "memory", `banks of ${met.variable}`);
  for (let bank = 0; bank < b; bank++) {
    if (clashes(bank)) root.append(svg("rect", { x: LABEL + bank * cell, y: 14, width: cell, height: shown.length * 19 + 4, class: "clash", rx: 3 }));
    if (bank % everyOf(cell) === 0) root.append(svg("text", { x: LABEL + bank * cell + cell / 2, y: 10, class: "core", "text-anchor": "middle" }, String(bank)));
  }
  shown.forEach((row, index) => {
    const y = 17 + index * 19;
    root.append(nameOf(`words ${row * b}–${row * b + b - 1}`, y));
    for (let bank = 0; bank < b; bank++) {
      const offset = row * b + bank;
      const kind = `shared hit${clashes(bank) ? " clashing" : ""}`;
      root.append(...word(met.variable, { offset, hit: byWord.get(offset), kind, at: bank, y, under: y + 12, cell }));
    }
  });
  const degree = Math.max(...perBank.values());
  return memory(met, "shared memory, by banks", degree > 1 ? `${degree} words in one bank` : "a bank each: no conflict", root);
}

/** A word at its place in a row, and in it the core that meets it, if any. */
function word(variable, { offset, hit, kind, at, y, under, cell }) {
  const rect = svg("rect", { x: LABEL + at * cell + 1, y, width: cell - 2, height: 15, rx: 2, class: hit ? `word ${kind}` : "word" });
  if (!hit) return [rect];
  rect.append(svg("title", {}, `${variable}[${offset}]${hit.value !== undefined ? ` = ${hit.value}` : ""}: core ${hit.cores.join(", ")}`));
  if (cell < 14) return [rect];
  return [rect, svg("text", { x: LABEL + at * cell + cell / 2, y: under, class: "by", "text-anchor": "middle" }, short(hit))];
}

/** The cores that met each word, and the value that they wrote there. */
function wordsOf(step, met) {
  const found = new Map();
  met.at.forEach((offset, index) => {
    const each = found.get(offset) ?? { cores: [], value: undefined };
    each.cores.push(step.cores[index]);
    if (met.words.length) each.value = met.words[index];
    found.set(offset, each);
  });
  return found;
}

function short({ cores, value }) {
  const text = value !== undefined ? String(value) : cores.length > 1 ? `${cores.length}×` : String(cores[0]);
  return text.length > 3 ? "•" : text;
}

const memory = (met, where, said, picture) =>
  el("figure", { class: "memory-figure" }, el("figcaption", {}, el("strong", {}, `${met.written ? "writes" : "reads"} ${met.variable}`), el("span", {}, ` ${where} · ${said}`)), picture);
