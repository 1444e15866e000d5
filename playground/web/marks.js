// A verdict in one word beside the name of its view, such as `3/3` beside Claims.

import { $, el } from "./dom.js";

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
