// The GPU-cost on top of the page, each term of it a button that lights its lines.

import { showCosts } from "./columns.js";
import { $, el, fill } from "./dom.js";
import { light, linesOf, tellLine, termOf } from "./light.js";
import { markClaims } from "./marks.js";
import { typeset } from "./maths.js";
import { latexName, spaced } from "./names.js";
import { PAID, kindOf } from "./paid.js";
import { refreshNumbers } from "./totals.js";

/** Shows that there is no program yet. */
export function empty() {
  fill($("#formula"), el("span", { class: "quiet" }, "Write a program, or choose one."));
  $("#total").textContent = "";
}

/** Shows a new derivation: its formula, and then its numbers. */
export async function shown(app) {
  const { view } = app;
  $("#program-name").textContent = spaced(view.program.name);
  document.title = `${spaced(view.program.name)} · ATGPU playground`;
  $("#title").textContent = document.title;
  app.terms = showFormula(app, $("#formula"), "GPU-cost", view.formulas.gpu_cost);
  showNames(app);
  tellLine(app, app.cursor);
  markClaims(app);
  // Figures of another program say nothing of this one.
  if (app.isOther) {
    if ($("#whole").getAttribute("aria-pressed") === "true") $("#whole").click();
    app.numbers = null;
    $("#total").textContent = "…";
    $("#total-of").textContent = "";
    fill($("#bar"));
    fill($("#legend"));
    showCosts(app);
  }
  await app.sliders.prepare();
  app.isOther = app.given = false;
  app.curve = null;
  refreshNumbers(app);
  app.panel.refresh();
}

const toClaims = (app, text) => el("button", { type: "button", class: "line-link", onclick: () => app.panel.open("claims") }, text);

/** Shows the names that the formula uses, and that it is a bound if it is one. */
function showNames(app) {
  const { view } = app;
  const where = view.names.map(({ name, latex }) => `${latexName(name)} = ${latex}`);
  const node = $("#where");
  fill(node);
  if (where.length) {
    const math = el("span", { class: "math" });
    typeset(math, `\\text{with } ${where.join(",\\; ")}`);
    node.append(math);
  }
  if (view.formulas.gpu_cost && !view.formulas.gpu_cost.exact) node.append(" An upper bound: ", toClaims(app, "why"));
}

/** Returns the terms of the formula, none where there is no formula. */
function showFormula(app, element, name, formula) {
  if (!formula) {
    fill(element, el("span", { class: "quiet" }, `${name} has no formula here: `), toClaims(app, "see why"));
    return [];
  }
  const relation = formula.exact ? "=" : "\\le";
  typeset(element, `\\text{${name}} ${relation} ${formula.latex}`, true);
  fitted(element);
  element.querySelectorAll("[data-term]").forEach((node) => {
    const term = formula.terms[Number(node.dataset.term)];
    if (term) makeButton(app, node, term);
  });
  const picture = element.querySelector(".katex-html");
  if (picture.querySelector("[data-term]")) {
    // Readers of screens have the formula as MathML, and of its picture the terms alone.
    picture.removeAttribute("aria-hidden");
    hideRest(picture);
  }
  return formula.terms;
}

function hideRest(node) {
  for (const child of node.children) {
    if (child.dataset.term !== undefined) continue;
    if (child.querySelector("[data-term]")) hideRest(child);
    else child.setAttribute("aria-hidden", "true");
  }
}

function makeButton(app, node, term) {
  const kind = kindOf(term);
  node.classList.add("term", `k-${kind}`);
  node.tabIndex = 0;
  node.setAttribute("role", "button");
  describe(app, node, kind, term);
  const on = (scroll) => () => light(app, kind, scroll, node);
  node.addEventListener("mouseenter", on(false));
  node.addEventListener("focus", on(true));
  node.addEventListener("click", on(true));
  node.addEventListener("mouseleave", () => light(app, null));
  node.addEventListener("blur", () => light(app, null));
}

/**
 * A formula that is too wide gets smaller, down to what is read with ease; then it scrolls. A button shows the whole of
 * it instead: in several lines, and as small as its longest fraction asks.
 */
function fitted(element) {
  const isWhole = element.parentElement.classList.contains("whole");
  element.style.fontSize = "";
  const size = parseFloat(getComputedStyle(element).fontSize);
  const share = element.clientWidth / element.scrollWidth;
  if (share < 1) element.style.fontSize = `${Math.max(isWhole ? 7 : 13, size * share * 0.99).toFixed(2)}px`;
  element.classList.toggle("wider", !isWhole && element.scrollWidth > element.clientWidth + 1);
  $("#whole").hidden = !isWhole && !element.classList.contains("wider");
}

/** Fits the formula again whenever its room changes, or the faces of its letters have come. */
export function keepFitted() {
  const element = $("#formula");
  let room = 0;
  new ResizeObserver(() => {
    const { clientWidth } = element;
    if (clientWidth !== room) fitted(element);
    room = clientWidth;
  }).observe(element);
  document.fonts.addEventListener("loadingdone", () => fitted(element));
  $("#whole").onclick = () => {
    const isWhole = element.parentElement.classList.toggle("whole");
    $("#whole").setAttribute("aria-pressed", String(isWhole));
    fitted(element);
  };
}

/** Adds the lines behind each term, which the library finds later than the terms. */
export function explain(app, behind) {
  behind?.forEach((source, at) => Object.assign(app.terms[at] ?? {}, source));
  document.querySelectorAll("#formula [data-term]").forEach((node) => {
    const term = termOf(app, node);
    if (term) describe(app, node, kindOf(term), term);
  });
}

const listed = (lines) => [...new Set(lines)].sort((one, other) => one - other).join(", ");

/** Names a term for readers of screens: itself, its kind, and the lines that it comes from. */
function describe(app, node, kind, term) {
  const where = term.parts ? origin(term) : `lines ${listed([...linesOf(app, kind, term).keys()]) || "none"}`;
  node.setAttribute("aria-label", `${node.textContent}, paid for ${PAID[kind].name}, ${where}`);
  if (term.parts) node.title = where;
}

/** Returns `lines 3, 5; lines 7, 8 together: …`: first the lines of its own, then lines known only together. */
function origin({ parts, whole }) {
  const alone = parts.filter((part) => part.lines.length === 1).flatMap((part) => part.lines);
  return [
    alone.length ? `${alone.length > 1 ? "lines" : "line"} ${listed(alone)}` : "",
    ...parts.filter((part) => part.lines.length > 1).map((part) => `lines ${listed(part.lines)} together: how much each of them adds is not known`),
    whole === false ? "a bound that is more than its lines" : "",
  ].filter(Boolean).join("; ");
}
