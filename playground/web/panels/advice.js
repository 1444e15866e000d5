// Changes of the program that are right and save something, as `atgpu advise` finds them; one can be made at once.

import { el, fill, lineButton } from "../dom.js";
import { edit } from "../editor/places.js";
import { prose } from "../maths.js";
import { askSlow, failed, quiet, sign } from "./pieces.js";

/** The edits of a change that are shown. */
const MOST_EDITS = 6;

/** The search, begun on demand since it takes seconds, with what it found for the present text and machine. */
export function advice(app) {
  const root = el("section", { class: "advice", "aria-live": "polite" });
  show(app, root);
  return root;
}

const asked = (app) => JSON.stringify([app.text, app.machine, app.figures]);

function show(app, root) {
  const known = app.advice?.of === asked(app) ? app.advice : null;
  const begin = el("button", { type: "button", class: "tool wide", disabled: Boolean(known), onclick: () => search(app, root) }, "look for changes");
  fill(root, el("div", { class: "panel-head" }, el("h3", {}, "What would save something"), begin), known ? told(app, known) : null);
}

async function search(app, root) {
  const of = asked(app);
  root.querySelector("button").disabled = true;
  root.append(quiet("Trying changes …"));
  try {
    const found = await app.slow.alone(() => app.slow.ask({ do: "machine", machine: app.machine, figures: app.figures }, true))
      .then(() => askSlow(app, () => app.slow.ask({ do: "advise" })));
    app.advice = { of, ...(found ?? { summary: "The text has to be sound first.", changes: [] }) };
  } catch (error) {
    root.append(failed(error));
    return;
  }
  // The view may have been drawn anew in the meantime.
  if (app.tab === "compare") app.panel.refresh("compare");
}

function told(app, { summary, changes }) {
  return [
    el("p", { class: "quiet" }, summary, "."),
    changes.length ? quiet("Each is as safe as the program is, and gave the same outputs on the same data. One against bank conflicts is judged with conflicts charged.") : null,
    el("ul", { class: "verdicts" }, changes.map((change) => item(app, change))),
  ];
}

function item(app, change) {
  const make = () => {
    // What it was stays beside it.
    app.other ??= app.text;
    edit(app.editor.view, change.edits);
  };
  return el("li", { class: "good" }, sign("✓"), el("span", {}, prose(change.title)),
    el("button", { type: "button", class: "line-link", onclick: make, "aria-label": `make it: ${change.title}` }, "make it"),
    el("ul", {}, change.edits.slice(0, MOST_EDITS).map((each) => el("li", {}, lineButton(each.from[0] + 1, app.go), " ", each.text.trim() ? el("code", { class: "edit" }, each.text.trim()) : "is left out")),
      change.edits.length > MOST_EDITS ? el("li", { class: "quiet" }, `and ${change.edits.length - MOST_EDITS} more`) : null));
}
