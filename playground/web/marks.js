// A verdict in one word beside the name of its view, such as `3/3` beside Claims, and the lines at which warps wait.

import { $, el } from "./dom.js";
import { tellLine } from "./light.js";

function mark(tab, text, kind) {
  const button = $(`#tab-${tab}`);
  button.querySelector("small")?.remove();
  if (text) button.append(el("small", { class: kind }, text));
}

export function markClaims(app) {
  const claims = app.view?.derivation.claims ?? [];
  const wrong = claims.filter((claim) => claim.verdict === "refuted").length;
  const proved = claims.filter((claim) => claim.verdict === "proved").length;
  mark("claims", wrong ? `${wrong} wrong` : claims.length ? `${proved}/${claims.length}` : "", wrong ? "bad" : proved === claims.length ? "good" : "");
}

export function markSafety(app) {
  const { judged } = app;
  const verdicts = Object.values(judged?.safety ?? {}).map((property) => property.verdict);
  const word = !judged?.safety ? "" : judged.safety.safe ? "safe" : verdicts.includes("refuted") ? "fails" : "open";
  mark("safety", word, { safe: "good", fails: "bad", open: "fair" }[word] ?? "");
}

/** Lines before which, or in which, the warps of an MP wait, with the reasons. They stay until others are known. */
export function markWaits(app) {
  if (!app.judged) return;
  const waits = new Map();
  for (const { line, inside, reason } of app.judged.barriers?.needed ?? []) {
    const told = `the warps wait ${inside ? "in" : "before"} it: ${reason.replaceAll("`", "")}`;
    const all = waits.get(line) ?? { inside: false, before: false, told: [] };
    all[inside ? "inside" : "before"] = true;
    if (!all.told.includes(told)) all.told.push(told);
    waits.set(line, all);
  }
  app.waits = waits;
  app.editor.waits(waits);
  tellLine(app, app.cursor);
}
