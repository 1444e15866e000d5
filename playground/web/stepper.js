// One MP, statement by statement: which cores take part, which words they meet, in which blocks of global
// memory and which banks of shared memory those lie.

import { svg } from "./charts.js";
import { el, fill } from "./dom.js";

const ROWS = 9;
const LABEL = 150;
const WIDTH = 460;

/** @param {{steps: object[], stepsInAll: number, b: number, shapes: Map<string, number>, online: (line: number) => void}} traced */
export function stepper(traced) {
  const { steps, b } = traced;
  let at = 0;
  let playing = null;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const picture = el("div", { class: "mp-picture" });
  const told = el("p", { class: "mp-told", "aria-live": "polite" });
  const range = el("input", {
    type: "range", min: "0", max: String(Math.max(0, steps.length - 1)), value: "0", "aria-label": "statement",
    oninput: () => go(Number(range.value)),
  });
  const count = el("output", { class: "mp-count" });
  const play = el("button", { type: "button", class: "tool", "aria-label": "play", onclick: () => toggle() }, "▶");
  const bar = el("div", { class: "mp-bar" },
    el("button", { type: "button", class: "tool", "aria-label": "one statement back", onclick: () => go(at - 1) }, "◀"),
    play,
    el("button", { type: "button", class: "tool", "aria-label": "one statement on", onclick: () => go(at + 1) }, "▸"),
    range, count);
  const root = el("div", { class: "mp", tabindex: "0", role: "group", "aria-label": "one MP, statement by statement" }, bar, told, picture);
  root.addEventListener("keydown", (event) => {
    if (event.target === range) return;
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };
    if (event.key in moves) {
      event.preventDefault();
      go(at + moves[event.key]);
      // What the statement meets lies below.
      root.scrollIntoView({ block: "nearest" });
    }
    if (event.key === " " && event.target === root) {
      event.preventDefault();
      toggle();
    }
  });

  function toggle() {
    if (playing) {
      clearInterval(playing);
      playing = null;
    } else {
      if (at >= steps.length - 1) go(0);
      playing = setInterval(() => {
        if (!root.isConnected || at >= steps.length - 1) toggle();
        else go(at + 1);
      }, still ? 1200 : 550);
    }
    play.textContent = playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", playing ? "pause" : "play");
  }

  function go(to) {
    at = Math.max(0, Math.min(steps.length - 1, to));
    range.value = String(at);
    draw();
  }

  function draw() {
    const step = steps[at];
    if (!step) return;
    count.textContent = `${at + 1} of ${traced.stepsInAll}`;
    const costs = [`${step.active} of ${b} cores`, `${step.operations} ${step.operations === 1 ? "operation" : "operations"}`];
    if (step.blocks) costs.push(`${step.blocks} ${step.blocks === 1 ? "block" : "blocks"}`);
    if (step.conflicts) costs.push(`${step.conflicts} bank ${step.conflicts === 1 ? "conflict" : "conflicts"}`);
    fill(told, el("code", {}, step.text), el("span", {}, ` ${costs.join(" · ")}`));
    fill(picture, lanes(step), ...memories(step));
    traced.online(step.line);
  }

  const kindOf = (step) => (step.met.some((met) => met.global) ? "global" : step.met.length ? "shared" : "control");

  /** Cores × statements: the last few, this one, and the next. */
  function lanes() {
    const first = Math.max(0, Math.min(at - 5, steps.length - ROWS));
    const rows = steps.slice(first, first + ROWS);
    const cell = Math.min(30, (WIDTH - LABEL - 4) / b);
    const label = LABEL;
    const height = rows.length * 19 + 24;
    const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "lanes", role: "img", "aria-label": "cores and statements" });
    const every = Math.max(1, Math.ceil(18 / cell));
    for (let core = 0; core < b; core += every) {
      root.append(svg("text", { x: label + core * cell + cell / 2, y: 11, class: "core", "text-anchor": "middle" }, String(core)));
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
          x: label + core * cell + 1, y, width: cell - 2, height: 15, rx: 2,
          class: active.has(core) ? `lane ${kindOf(row)}${first + index > at ? " later" : ""}` : "lane idle",
        }));
      }
    });
    return root;
  }

  function memories(step) {
    return step.met.filter((met) => met.at.length).map((met) => (met.global ? blocks(step, met) : banks(step, met)));
  }

  /** The words of a global array in rows of b: each row is a block. */
  function blocks(step, met) {
    const touched = [...new Set(met.at.map((offset) => Math.floor(offset / b)))].sort((one, other) => one - other);
    const shown = touched.slice(0, 8);
    const cell = Math.min(30, (WIDTH - LABEL - 4) / b);
    const label = LABEL;
    const line = 22;
    const height = shown.length * line + 8 + (touched.length > shown.length ? 16 : 0);
    const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "memory", role: "img", "aria-label": `blocks of ${met.variable}` });
    const byWord = wordsOf(step, met);
    shown.forEach((block, row) => {
      const y = 4 + row * line;
      root.append(svg("text", { x: label - 8, y: y + 12, class: "block-name", "text-anchor": "end" }, `block ${block}`));
      root.append(svg("rect", { x: label - 1, y: y - 1, width: b * cell + 2, height: 19, class: "block", rx: 3 }));
      for (let word = 0; word < b; word++) {
        const offset = block * b + word;
        const cores = byWord.get(offset);
        const rect = svg("rect", { x: label + word * cell + 1, y: y + 1, width: cell - 2, height: 15, rx: 2, class: cores ? "word global hit" : "word" });
        if (cores) {
          rect.append(svg("title", {}, `${met.variable}[${offset}]${cores.value !== undefined ? ` = ${cores.value}` : ""}: core ${cores.cores.join(", ")}`));
        }
        root.append(rect);
        if (cores && cell >= 14) root.append(svg("text", { x: label + word * cell + cell / 2, y: y + 12, class: "by", "text-anchor": "middle" }, short(cores)));
      }
    });
    if (touched.length > shown.length) {
      root.append(svg("text", { x: label, y: height - 4, class: "block-name" }, `and ${touched.length - shown.length} more blocks`));
    }
    return memory(`${met.written ? "writes" : "reads"} ${met.variable}`, "global memory", `${touched.length} ${touched.length === 1 ? "block" : "blocks"} of ${b} words`, root);
  }

  /** A shared array over the banks: a column each. */
  function banks(step, met) {
    const cell = Math.min(30, (WIDTH - LABEL - 4) / b);
    const label = LABEL;
    const rows = [...new Set(met.at.map((offset) => Math.floor(offset / b)))].sort((one, other) => one - other);
    const shown = rows.slice(0, 8);
    const byWord = wordsOf(step, met);
    const perBank = new Map();
    for (const offset of byWord.keys()) perBank.set(offset % b, (perBank.get(offset % b) ?? 0) + 1);
    const degree = Math.max(...perBank.values());
    const height = shown.length * 19 + 22 + (rows.length > shown.length ? 16 : 0);
    const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "memory", role: "img", "aria-label": `banks of ${met.variable}` });
    const every = Math.max(1, Math.ceil(18 / cell));
    for (let bank = 0; bank < b; bank++) {
      const words = perBank.get(bank) ?? 0;
      if (words > 1) root.append(svg("rect", { x: label + bank * cell, y: 14, width: cell, height: shown.length * 19 + 4, class: "clash", rx: 3 }));
      if (bank % every === 0) root.append(svg("text", { x: label + bank * cell + cell / 2, y: 10, class: "core", "text-anchor": "middle" }, String(bank)));
    }
    shown.forEach((row, index) => {
      const y = 17 + index * 19;
      root.append(svg("text", { x: label - 8, y: y + 12, class: "block-name", "text-anchor": "end" }, `words ${row * b}–${row * b + b - 1}`));
      for (let bank = 0; bank < b; bank++) {
        const offset = row * b + bank;
        const cores = byWord.get(offset);
        const clash = (perBank.get(bank) ?? 0) > 1;
        const rect = svg("rect", { x: label + bank * cell + 1, y, width: cell - 2, height: 15, rx: 2, class: cores ? `word shared hit${clash ? " clashing" : ""}` : "word" });
        if (cores) rect.append(svg("title", {}, `${met.variable}[${offset}]${cores.value !== undefined ? ` = ${cores.value}` : ""}: core ${cores.cores.join(", ")}`));
        root.append(rect);
        if (cores && cell >= 14) root.append(svg("text", { x: label + bank * cell + cell / 2, y: y + 12, class: "by", "text-anchor": "middle" }, short(cores)));
      }
    });
    const said = degree > 1 ? `${degree} words in one bank` : "a bank each: no conflict";
    return memory(`${met.written ? "writes" : "reads"} ${met.variable}`, "shared memory, by banks", said, root);
  }

  /** Which cores met a word, and what it holds where they wrote it. */
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

  const short = ({ cores, value }) => {
    const text = value !== undefined ? String(value) : cores.length > 1 ? `${cores.length}×` : String(cores[0]);
    return text.length > 3 ? "•" : text;
  };

  const memory = (what, where, said, drawing) =>
    el("figure", { class: "memory-figure" }, el("figcaption", {}, el("strong", {}, what), el("span", {}, ` ${where} · ${said}`)), drawing);

  draw();
  return { root, go, stop: () => playing && toggle() };
}
