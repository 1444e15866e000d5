// The cost in numbers: the figure beside the formula, its bar and legend. Every change of a size, of a figure of the
// machine or of the axis calls `refreshNumbers`.

import { showCosts } from "./columns.js";
import { curveQuestion, refreshCurve } from "./curve.js";
import { $, el, fill } from "./dom.js";
import { latest } from "./engine.js";
import { light } from "./light.js";
import { grouped, precise, time } from "./numbers.js";
import { PAID } from "./paid.js";
import { quietly, refused } from "./tell.js";

/** Asks for numbers anew. `what` names the size that moved, else `figures`, or `all`. */
export function refreshNumbers(app, what = "all") {
  askNumbers(app);
  if (what === "all" || what !== app.along) refreshCurve({ app, question: curveQuestion(app) });
  app.panel.moved(what);
}

const askNumbers = latest(async (app) => {
  if (!app.view) return;
  try {
    const question = app.asked();
    app.numbers = await app.live.ask({ do: "values", ...question });
    showNumbers(app);
    clearTimeout(app.resting);
    if (app.numbers.long) app.resting = setTimeout(() => addUp(app, question), 300);
  } catch (error) {
    refused(app, error);
  }
});

/** Sums without a closed form that are too long for a slider are added up once it rests. */
async function addUp(app, question) {
  const { view, slow } = app;
  const isOpen = () => view === app.view && JSON.stringify(question) === JSON.stringify(app.asked());
  try {
    const found = await slow.alone(async () => {
      if (!isOpen()) return null;
      await slow.ask({ do: "change", text: app.text }, true);
      await slow.ask({ do: "derive" });
      return slow.ask({ do: "values", ...question, patient: true });
    });
    if (!found || !isOpen()) return;
    app.numbers = { ...found, patient: true };
    showNumbers(app);
  } catch (error) {
    quietly(error);
  }
}

function showNumbers(app) {
  const { numbers } = app;
  if (numbers.fault) {
    $("#total").textContent = "—";
    $("#total-of").textContent = numbers.fault;
    noBar();
    showCosts(app);
    app.sliders.fault(numbers.fault);
    return;
  }
  app.sliders.fault(numbers.beyond?.length ? numbers.beyond.map(({ memory, need, has }) => `needs ${grouped(need)} words of ${memory}, the card has ${grouped(has)}`).join("; ") : "");
  showTotal(app);
  showCosts(app);
  app.panel.moved("numbers");
  if (app.tab === "roofline") app.panel.refresh("roofline");
}

function showTotal(app) {
  const { numbers } = app;
  const { cost } = numbers;
  const sizes = Object.entries(app.values).map(([name, value]) => `${name} = ${grouped(value)}`).join(", ");
  if (cost?.all !== undefined && cost.all !== null) {
    $("#total").textContent = `${numbers.exact ? "" : "≤ "}${time(cost.all)}`;
    $("#total-of").textContent = `on ${app.machine}${sizes ? ` at ${sizes}` : ""}`;
    showBar(app, cost);
  } else {
    $("#total").textContent = numbers.long && !numbers.patient ? "…" : "?";
    $("#total-of").textContent = cost?.missing ?? whyNone(numbers);
    noBar();
  }
}

function whyNone({ long, patient }) {
  if (!long) return "no closed form at this size";
  return patient ? "sums without a closed form, too long to add up here" : "adding up sums without a closed form …";
}

function noBar() {
  fill($("#bar"));
  fill($("#legend"));
}

/** The shares of the kinds of cost. Its elements stay while a slider moves, so that one can keep the focus. */
function showBar(app, cost) {
  const parts = Object.keys(PAID).map((kind) => ({ kind, ms: Math.max(0, cost[kind]), share: Math.max(0, cost[kind]) / cost.all }));
  const bar = $("#bar");
  if (bar.children.length !== parts.length) {
    fill(bar, parts.map(({ kind }) => el("span", { class: `part k-${kind}`, onmouseenter: () => light(app, kind), onmouseleave: () => light(app, null) })));
    fill($("#legend"), parts.map(({ kind }) => el("li", {}, keyOf(app, kind))));
  }
  parts.forEach(({ share, ms }, at) => {
    bar.children[at].style.flexGrow = String(share);
    bar.children[at].style.display = share > 0 ? "" : "none";
    const key = $("#legend").children[at];
    key.classList.toggle("none", ms === 0);
    key.querySelector("output").textContent = `${time(ms)}${share >= 0.0005 ? ` · ${precise(share * 100, 2)} %` : ""}`;
  });
  bar.setAttribute("aria-label", parts.map(({ kind, share }) => `${PAID[kind].name} ${(share * 100).toFixed(0)} %`).join(", "));
}

/** A kind in the legend, as a button that lights its lines. */
const keyOf = (app, kind) => el("button", {
  type: "button", class: `key k-${kind}`, "data-short": PAID[kind].short,
  onmouseenter: () => light(app, kind), onmouseleave: () => light(app, null),
  onfocus: () => light(app, kind, true), onblur: () => light(app, null), onclick: () => light(app, kind, true),
}, el("span", { class: "swatch" }), el("span", { class: "name" }, PAID[kind].name), el("output", {}));
