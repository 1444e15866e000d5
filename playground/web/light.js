// Terms light their lines, and lines their terms.

import { $ } from "./dom.js";
import { PAID } from "./paid.js";

/** The term that an element of the formula shows. */
export const termOf = (app, node) => app.terms?.[Number(node?.dataset.term)];

/**
 * Returns the lines that a kind of cost is paid for, each with its strength from 0 to 1. With a term whose origin is
 * known, returns the lines of the term.
 */
export function linesOf(app, kind, term) {
  const { view, numbers } = app;
  if (!view) return new Map();
  if (term?.parts?.length) return linesOfParts(kind, term.parts);
  if (kind === "starts" || kind === "words") return whole(kind, view.places.transfers);
  if (kind === "rounds") return whole(kind, view.places.kernels);
  return shared(kind, numbers?.lines ?? []);
}

/** Two lines that add half of a term together count a quarter each. */
function linesOfParts(kind, parts) {
  const found = new Map();
  const size = (part) => Math.abs(part.share ?? 1) / part.lines.length;
  const most = Math.max(...parts.map(size));
  for (const part of parts) {
    for (const line of part.lines) found.set(line, { kind, strength: Math.max(size(part) / most, found.get(line)?.strength ?? 0) });
  }
  return found;
}

const whole = (kind, places) => new Map(places.map(({ line }) => [line, { kind, strength: 1 }]));

/** Lines by their share of the numbers at the sizes chosen, added up over the rounds. */
function shared(kind, rows) {
  const share = new Map();
  for (const row of rows) {
    const each = (kind === "operations" ? row.operations : row.blocks)?.value ?? 0;
    share.set(row.line, (share.get(row.line) ?? 0) + each);
  }
  const most = Math.max(...share.values(), 0);
  const found = new Map();
  for (const [line, value] of share) if (value > 0) found.set(line, { kind, strength: value / most });
  return found;
}

const darken = () => document.querySelectorAll(".hot").forEach((node) => node.classList.remove("hot"));

/** Lights a kind of cost and its lines, or with `node` a single term of that kind. */
export function light(app, kind, scroll = false, node = null) {
  darken();
  if (!kind) {
    app.editor.light(new Map());
    return;
  }
  const alone = termOf(app, node)?.parts?.length;
  document.querySelectorAll(alone ? `.key.k-${kind}, .part.k-${kind}` : `.k-${kind}`).forEach((other) => other.classList.add("hot"));
  if (alone) node.classList.add("hot");
  app.editor.light(linesOf(app, kind, termOf(app, node)), scroll);
}

/** Lights the terms of the line under the pointer. */
export function pointed(app, line) {
  if (line === app.pointed) return;
  app.pointed = line;
  darken();
  if (!line || !app.view) return;
  for (const kind of Object.keys(PAID)) {
    if (!linesOf(app, kind).has(line)) continue;
    document.querySelectorAll(`.k-${kind}`).forEach((node) => {
      if (linesOf(app, kind, termOf(app, node)).has(line)) node.classList.add("hot");
    });
  }
}

/** Says in words what the line of the cursor costs and waits for, also for those who cannot see the columns. */
export function tellLine(app, line) {
  app.cursor = line;
  const [, cost] = app.view?.hints.find(([at]) => at === line) ?? [];
  const told = [cost, ...(app.waits.get(line)?.told ?? [])].filter(Boolean);
  const isKnown = told.length && !document.body.classList.contains("stale");
  $("#at-line").textContent = isKnown ? `line ${line}: ${told.join("; ")}` : "";
}
