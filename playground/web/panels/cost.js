// The GPU-cost as a figure over one size.

import { curves } from "../charts.js";
import { el, fill } from "../dom.js";
import { precise, size } from "../numbers.js";
import { quietly } from "../tell.js";
import { refreshNumbers } from "../totals.js";
import { head, pick, quiet } from "./pieces.js";

const NAMES = { atgpu: "with transfers", swgpu: "without" };

export async function cost(app, root) {
  const { curve, along } = app;
  if (!along) {
    fill(root, quiet("The program has no size to draw a curve over."));
    return;
  }
  if (!curve) {
    if (!root.querySelector(".cost-panel")) fill(root, quiet("Drawing …"));
    return;
  }
  const figure = frame(app, root).querySelector(".figure");
  const question = costPicture(app);
  if (!question) {
    fill(figure, quiet(curve.why ?? "There is no admissible size with a cost on this card."));
    return;
  }
  caption(app, root);
  try {
    const picture = await app.live.ask(question);
    if (app.curve !== curve || app.tab !== "cost") return;
    app.curveHandle = curves(figure, picture, {
      series: question.curves, along: curve.along, at: app.values[curve.along], shade: true,
      onpick: (x) => pick(app, x), label: `GPU-cost over ${curve.along}, with and without transfers`,
    });
  } catch (error) {
    quietly(error);
  }
}

/** Returns the request for the picture of the cost, or null where there is no curve. */
export function costPicture({ curve }) {
  if (!curve?.curves?.length) return null;
  return { do: "figure", along: curve.along, curves: curve.curves.map((each) => ({ name: NAMES[each.model] ?? each.model, exact: each.exact, points: each.points })) };
}

/** Returns the frame of the figure, which stays while the figure is drawn anew. */
function frame(app, root) {
  let box = root.querySelector(".cost-panel");
  if (!box) {
    box = el("div", { class: "cost-panel" }, head("GPU-cost", choices(app)), el("div", { class: "figure" }), el("p", { class: "quiet caption" }));
    fill(root, box);
  } else {
    box.querySelector(".panel-head").lastElementChild.replaceWith(choices(app));
  }
  return box;
}

/** Writes the share of transfer at the sizes chosen. */
export function caption(app, root) {
  const node = root.querySelector(".cost-panel .caption");
  const parts = app.numbers?.cost;
  if (!node) return;
  const share = parts?.all ? (parts.starts + parts.words) / parts.all : 0;
  const drag = `Drag in the figure to change ${app.along}.`;
  node.textContent = share > 0
    ? `The shaded part is transfer: ${precise(share * 100, 2)} % at ${app.along} = ${size(app.values[app.along])}. ${drag}`
    : drag;
}

/** A list to choose the size along the axis from, or its name if there is only one. */
function choices(app) {
  const { formals } = app.view.program;
  if (formals.length < 2) return el("span", { class: "quiet" }, "over ", el("i", {}, app.along));
  const list = el("select", { "aria-label": "the size along the axis" }, formals.map((name) => el("option", { value: name, selected: name === app.along }, name)));
  list.value = app.along;
  list.onchange = () => {
    app.along = list.value;
    refreshNumbers(app, "all");
  };
  return el("label", { class: "quiet" }, "over ", list);
}
