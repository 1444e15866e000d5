// Claims with their verdicts, bounds with their reasons, and the totals with their classes.

import { el, fill, lineButton } from "../dom.js";
import { inline, prose } from "../maths.js";
import { SIGNS, head, quiet, sign } from "./pieces.js";

export function claims(app, root) {
  const { derivation } = app.view;
  const list = derivation.claims.map((claim) => claimItem(app, claim));
  const bounds = boundItems(app, derivation.bounds);
  const proved = derivation.claims.filter((claim) => claim.verdict === "proved").length;
  fill(root, head("Claims", list.length ? el("span", { class: "quiet" }, `${proved} of ${list.length} proved`) : null),
    list.length ? el("ul", { class: "verdicts" }, list) : quiet("The program claims nothing. Add a line such as “claim time = 13” and it is proved or refuted."),
    derivation.facts.length ? el("p", { class: "quiet" }, `Using ${derivation.facts.join(", ")}.`) : null,
    bounds.length ? [el("h3", {}, "Known only as bounds"), el("ul", { class: "verdicts" }, bounds)] : null,
    el("h3", {}, "Derived"),
    totals(derivation));
}

function claimItem(app, claim) {
  const [mark, kind] = SIGNS[claim.verdict] ?? ["?", ""];
  const verdict = {
    proved: "proved", tested: `held at ${claim.points} points, not proved`,
    refuted: `wrong ${claim.counterexample ?? ""}${claim.values ? `: ${claim.values}` : ""}`, open: `open: ${claim.reason ?? ""}`,
  }[claim.verdict];
  return el("li", { class: kind }, sign(mark), el("code", {}, claim.text), claim.verdict === "proved" ? null : el("span", { class: "quiet" }, verdict), lineButton(claim.line, app.go));
}

/** One item for each line and reason, with all figures that are bounds because of it. */
function boundItems(app, bounds) {
  const reasons = Map.groupBy(bounds, (bound) => `${bound.line} ${bound.reason}`);
  return [...reasons.values()].map((all) => el("li", { class: "fair" }, sign("≤"),
    el("span", {}, all.map(({ quantity }, at) => [at ? ", " : "", el("code", {}, quantity)])),
    el("span", { class: "quiet" }, prose(`${all[0].reason}; ${all[0].remedy}`)), lineButton(all[0].line, app.go)));
}

function totals(derivation) {
  return el("table", { class: "totals" }, Object.entries(derivation.totals).map(([name, total]) => {
    const cell = el("td", { class: "math" });
    if (total) {
      const span = el("span", { title: total.expanded });
      span.append(`${total.exact ? "" : "≤ "}`, inline(total.text));
      cell.append(span);
    } else cell.append("?");
    const known = Object.entries(derivation.classes).find(([which]) => which === name);
    return el("tr", {}, el("th", { scope: "row" }, name.replace(/_/g, " ")), cell, el("td", { class: "quiet math" }, known ? inline(known[1]) : ""));
  }));
}
