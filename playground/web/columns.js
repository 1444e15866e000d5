// The columns behind the lines of the program: how often a line is executed, its operations and its blocks, as
// formulas or as numbers.

import { $ } from "./dom.js";
import { inline } from "./maths.js";
import { said } from "./names.js";
import { brief, grouped } from "./numbers.js";

export function startMode(app) {
  $("#mode").onclick = () => {
    app.mode = app.mode === "formulas" ? "numbers" : "formulas";
    $("#mode").textContent = app.mode;
    $("#mode").setAttribute("aria-pressed", String(app.mode === "numbers"));
    showCosts(app);
  };
}

/** More room for the columns, at the cost of the program's. */
export function startWidening() {
  $("#widen").onclick = () => {
    const isWide = document.querySelector(".program").classList.toggle("widened");
    $("#widen").setAttribute("aria-pressed", String(isWide));
  };
}

export function showCosts(app) {
  const { view, mode } = app;
  if (!view) return;
  const rows = new Map();
  const lines = byLine(app);
  const most = { operations: largest(lines, "operations"), blocks: largest(lines, "blocks") };
  for (const [line, all] of lines) rows.set(line, lineRow(all, most, mode));
  for (const transfer of view.places.transfers) rows.set(transfer.line, transferRow(transfer));
  for (const [line, rounds] of kernels(app)) rows.set(line, kernelRow(rounds, mode));
  app.editor.costs(rows);
}

/** The formulas and numbers of each line, once for each round. A number may still be missing. */
function byLine({ view, numbers }) {
  const found = new Map();
  // The lines of the derivation stand in the order of its rounds, as those of the numbers do.
  view.derivation.lines.forEach((line, at) => {
    const all = found.get(line.line) ?? [];
    all.push({ line, number: numbers?.lines?.[at] });
    found.set(line.line, all);
  });
  return found;
}

/** The rounds of each wrapper loop, by its line. */
function kernels({ view, numbers }) {
  const found = new Map();
  const opening = view.places.kernels.filter((each) => each.mps).map((each) => each.line).sort((one, other) => one - other);
  view.derivation.rounds.forEach((round, index) => {
    const number = numbers?.rounds?.[index];
    const first = numbers?.lines?.findIndex((line) => line.round === index) ?? -1;
    const line = view.derivation.lines[first]?.line;
    const of = line && opening.filter((each) => each < line).pop();
    if (!of) return;
    const all = found.get(of) ?? [];
    all.push({ round, number });
    found.set(of, all);
  });
  return found;
}

const sum = (all, what) => all.reduce((before, { number }) => before + (number?.[what]?.value ?? 0), 0);

const largest = (lines, what) => Math.max(0, ...[...lines.values()].map((all) => sum(all, what)));

function lineRow(all, most, mode) {
  const times = mode === "numbers" ? timesInNumbers(all) : cell(all, { what: "executions", kind: "times", mode });
  const cells = [times, cell(all, { what: "operations", kind: "t", most, mode }), cell(all, { what: "blocks", kind: "q", most, mode })];
  const key = cells.map((each) => `${each.node.textContent}~${each.bar.toFixed(2)}`).join("#") + mode;
  return { cells, key };
}

/** The texts of several rounds, of which two have room: `13 | 2n + 4 …`. */
function several(texts, mode) {
  const node = document.createElement("span");
  texts.slice(0, 2).forEach((text, at) => {
    if (at) node.append(" | ");
    node.append(mode === "numbers" ? text : inline(text));
  });
  if (texts.length > 2) node.append(" …");
  return node;
}

/** `most` scales the bar behind the text; executions have none. */
function cell(all, { what, kind, most, mode }) {
  const texts = [...new Set(all.map(({ line, number }) => (mode === "numbers" ? brief(number?.[what]) : said(line[what]))))];
  // A line that costs nothing, or is executed once, has an empty cell.
  const isEmpty = texts.every((text) => text === "0" || (what === "executions" && text === "1"));
  const title = [...new Set(all.map((each) => tip(each, what, kind)))].join("\n");
  return { node: several(isEmpty ? [] : texts, mode), title, bar: most?.[what] ? sum(all, what) / most[what] : 0, kind };
}

/** `q 2n/b = 1 024, coalesced`: a figure in full, with the rule that gave it or the conflicts in it. */
function tip({ line, number }, what, kind) {
  const digits = number?.[what === "executions" ? "times" : what]?.digits;
  return [
    `${kind === "times" ? "executed" : kind} ${said(line[what])}`,
    digits ? ` = ${grouped(digits)}` : "",
    what === "blocks" && line.rule ? `, ${line.rule}` : "",
    what === "operations" && line.conflicts && line.conflicts.text !== "0" ? `; bank conflicts ${line.conflicts.text}` : "",
  ].join("");
}

function timesInNumbers(all) {
  const texts = [...new Set(all.map(({ number }) => brief(number?.times)))];
  const node = several(texts.every((text) => text === "1") ? [] : texts, "numbers");
  return { node, title: all.map(({ line }) => `executed ${said(line.executions)}`).join("\n"), bar: 0, kind: "times" };
}

function transferRow({ inward }) {
  const node = document.createElement("span");
  node.append(inward ? "to the device" : "to the host");
  return { cells: [{ kind: "times" }, { kind: "moves", node }], key: `transfer${inward}` };
}

/** The line that opens a kernel has the MPs, t and q of the whole kernel. */
function kernelRow(rounds, mode) {
  const whole = (what) => {
    const texts = [...new Set(rounds.map(({ round, number }) => (mode === "numbers" ? brief(number?.[what]) : said(round[what]))))];
    const title = rounds.map(({ round }) => `${what} = ${said(round[what])}`);
    return { node: several(texts, mode), title: [...new Set(title)].join("\n") };
  };
  const mps = whole("k");
  mps.node.append(" MPs");
  const cells = [{ ...mps, kind: "times" }, { ...whole("t"), kind: "t sum" }, { ...whole("q"), kind: "q sum" }];
  return { cells, key: `kernel${cells.map((each) => each.node.textContent).join("#")}${mode}` };
}
