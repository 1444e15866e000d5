// The costs of all models at the sizes chosen.

import { el, fill } from "../dom.js";
import { grouped, time } from "../numbers.js";
import { askSlow, failed, head, quiet } from "./pieces.js";

export async function models(app, root) {
  const heading = head("What the models say");
  fill(root, heading, quiet("Asking …"));
  try {
    const found = await askSlow(app, () => app.slow.ask({ do: "models", ...app.asked() }));
    if (app.tab !== "models") return;
    const most = Math.max(...found.models.map((model) => model.ms ?? 0));
    fill(root, heading, el("ul", { class: "models" }, found.models.map((model) => modelItem(model, most))),
      el("p", { class: "quiet" }, `On ${app.machine} at ${Object.entries(app.values).map(([name, value]) => `${name} = ${grouped(value)}`).join(", ") || "no size"}.`));
  } catch (error) {
    fill(root, heading, failed(error));
  }
}

const modelItem = (model, most) => el("li", {},
  el("div", { class: "model-head" }, el("strong", {}, model.name), el("output", {}, model.ms !== undefined && model.ms !== null ? time(model.ms) : "—")),
  model.ms ? el("div", { class: "model-bar" }, el("span", { style: `width:${((model.ms / most) * 100).toFixed(1)}%` })) : null,
  el("span", { class: "quiet" }, model.missing ?? [model.summary, model.note].filter(Boolean).join("; ")));
