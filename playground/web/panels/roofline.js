// Each kernel under the two roofs of the model.

import { roofline } from "../charts.js";
import { el, fill } from "../dom.js";
import { precise } from "../numbers.js";
import { head } from "./pieces.js";

export function roof({ numbers }, root) {
  const figure = el("div", { class: "figure" });
  const caption = el("p", { class: "quiet caption" });
  fill(root, head("Roofline"), figure, caption);
  const found = numbers?.kernels?.length ? roofline(figure, numbers.kernels, numbers.figures) : false;
  if (!found) {
    caption.textContent = "There is no kernel with blocks and operations at this size, or the card lacks a figure.";
    return;
  }
  const slowest = found.dots.reduce((one, other) => (other.ms * other.kernel.times > one.ms * one.kernel.times ? other : one));
  const bound = slowest.intensity < found.ridge ? "memory" : "operations";
  caption.textContent = `In the terms of the model: a dot is a kernel, its height what Expression (2) lets it reach. ${found.dots.length > 1 ? "The costliest kernel" : "The kernel"} lies on the side of ${bound}: ${precise(slowest.intensity)} operations a block, where ${precise(found.ridge)} would keep both busy. Since the model adds the two, no dot reaches the roof.`;
}
