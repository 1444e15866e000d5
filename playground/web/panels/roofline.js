// Each kernel under the two roofs of the model.

import { roofed, roofline } from "../charts.js";
import { el, fill } from "../dom.js";
import { precise } from "../numbers.js";
import { failed, head } from "./pieces.js";

export async function roof(app, root) {
  const { numbers } = app;
  const figure = root.querySelector(".roofline") ?? el("div", { class: "figure roofline" });
  const caption = el("p", { class: "quiet caption" });
  fill(root, head("Roofline"), figure, caption);
  const found = numbers?.kernels?.length ? roofed(numbers.kernels, numbers.figures) : null;
  if (!found) {
    fill(figure);
    caption.textContent = "There is no kernel with blocks and operations at this size, or the card lacks a figure.";
    return;
  }
  const { dots, ridge } = found;
  const slowest = dots.reduce((one, other) => (other.ms * other.kernel.times > one.ms * one.kernel.times ? other : one));
  const bound = slowest.intensity < ridge ? "memory" : "operations";
  caption.textContent = `In the terms of the model: a dot is a kernel, its height what Expression (2) lets it reach. ${dots.length > 1 ? "The costliest kernel" : "The kernel"} lies on the side of ${bound}: ${precise(slowest.intensity)} operations a block, where ${precise(ridge)} would keep both busy. Since the model adds the two, no dot reaches the roof.`;
  try {
    const picture = await app.live.ask({ do: "roofline", kernels: dots.map((dot) => [dot.intensity, dot.rate]), roof: found.roof, bandwidth: found.bandwidth });
    if (app.numbers === numbers) roofline(figure, picture, found);
  } catch (error) {
    fill(figure, failed(error));
  }
}
