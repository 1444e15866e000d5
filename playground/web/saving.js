// The menu that saves the program, its figure or its derivation as a file.

import { curveQuestion } from "./curve.js";
import { $ } from "./dom.js";
import { save } from "./share.js";
import { toast } from "./tell.js";

export function startSaving(app) {
  document.querySelectorAll("[data-save]").forEach((button) => {
    button.onclick = async () => {
      $("#save").open = false;
      const name = app.view?.program.name ?? "program";
      try {
        if (button.dataset.save === "atgpu") save(`${name}.atgpu`, "text/plain;charset=utf-8", app.text);
        if (button.dataset.save === "tex") save(`${name}.tex`, "text/x-tex", (await app.live.ask({ do: "latex" })).text);
        if (button.dataset.save === "svg") save(`${name}.svg`, "image/svg+xml", await figure(app));
      } catch (error) {
        toast(error.message);
      }
    };
  });
  document.addEventListener("click", (event) => {
    if (!$("#save").contains(event.target)) $("#save").open = false;
  });
}

async function figure(app) {
  const question = curveQuestion(app);
  if (!question) throw new Error("there is no curve to draw: the program has no parameter");
  // As many points as were drawn.
  const drawn = app.curve?.curves[0]?.points.map(([x]) => x) ?? [];
  const { svg } = await app.live.ask({ do: "curve", ...question, ...(drawn.length > 1 ? { at: drawn.join(",") } : {}), svg: true, others: app.other ? [app.other] : [] });
  return svg;
}
