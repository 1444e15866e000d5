// The result of a run: its faults, or its checks, its data and one MP statement by statement.

import { el, fill, lineButton } from "../dom.js";
import { prose } from "../maths.js";
import { grouped, precise } from "../numbers.js";
import { stepper } from "../stepper.js";
import { quiet } from "./pieces.js";

/** `again` runs once more, where another MP is asked for. */
export function present({ app, result, state }, { found, ms, mp }, again) {
  if (found.faults) {
    fill(result, el("ul", { class: "verdicts" }, found.faults.map((fault) => faultItem(app, fault))));
    return;
  }
  const { totals } = found.counts;
  const arrays = el("details", { class: "arrays" }, el("summary", {}, "the data"), found.host.map(words));
  app.stepping?.stop();
  app.stepping = found.steps.length ? stepper({ ...found, online: (number) => app.editor.light(new Map([[number, { kind: "step", strength: 1 }]]), true) }) : null;
  fill(result,
    el("ul", { class: "verdicts" }, checks(app, found)),
    el("p", { class: "quiet" }, `in ${precise(ms)} ms · `, `t = ${grouped(totals.time)}, q = ${grouped(totals.io)}, `, `${grouped(totals.transfer)} words transferred`),
    arrays,
    el("div", { class: "panel-head mp-head" }, el("h2", {}, "One MP, statement by statement"), whichMp({ state, found, mp }, again)),
    app.stepping ? app.stepping.root : quiet("This MP executes nothing."));
}

const faultItem = (app, fault) => el("li", { class: "bad" }, el("span", { class: "sign" }, "✗"), el("span", {}, el("code", {}, fault.code), " ", prose(fault.message)), fault.line ? lineButton(fault.line, app.go) : null, fault.help ? el("span", { class: "quiet" }, prose(fault.help)) : null);

/** The `ensure`s, and the counts against the derivation. */
function checks(app, { ensures, agrees }) {
  const check = (holds, ...told) => el("li", { class: holds ? "good" : "bad" }, el("span", { class: "sign" }, holds ? "✓" : "✗"), ...told);
  return [
    ...ensures.map((ensure) => check(ensure.holds, el("code", {}, ensure.text), lineButton(ensure.line, app.go))),
    agrees === null ? null : check(agrees, el("span", {}, agrees ? "what was counted is what was derived" : "what was counted is not what was derived")),
  ];
}

/** A field to choose the MP that is shown. */
function whichMp({ state, found, mp }, again) {
  const launched = found.counts.rounds.find((round) => round.k > 0)?.k ?? 0;
  const which = el("input", { type: "number", min: "0", max: String(Math.max(0, launched - 1)), value: String(state.mp), "aria-label": "which MP" });
  which.onchange = () => {
    state.mp = Math.max(0, Number(which.value) || 0);
    again();
  };
  return el("label", { class: "quiet" }, "MP ", mp.length > 1 ? `${mp.slice(0, -1).join(", ")}, ` : "", which);
}

function words(array) {
  const shown = array.words.slice(0, 64);
  return el("div", { class: "array" }, el("code", {}, `${array.name}${array.shape.length ? `[${array.shape.join(", ")}]` : ""}`), el("span", { class: "words" }, shown.join("  "), array.length > shown.length ? " …" : ""));
}
