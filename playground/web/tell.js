// Messages: the line of state below the text, and a word that goes away by itself.

import { $, fill } from "./dom.js";
import { Ended } from "./engine.js";

let hiding = 0;

/** Shows a word for a few seconds. */
export function toast(text) {
  const node = $("#toast");
  node.textContent = text;
  node.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { node.hidden = true; }, 3500);
}

/** Writes the line of state; `kind` is `bad`, `warn` or nothing. */
export function say(told, kind = "") {
  const node = $("#state");
  fill(node, ...[told].flat());
  node.className = kind;
  node.title = node.textContent;
}

/** Says an error in the line of state. Work that a newer text has ended is no error. */
export function quietly(error) {
  if (error instanceof Ended) say(error.message === "the text changed" ? "" : error.message, "warn");
  else say(error.message, "bad");
}

/** Says why there are no new numbers. While the text has errors the old ones stay. */
export function refused(app, error) {
  if (app.sound === false) app.sliders.fault("the text has errors: figures follow once they are mended");
  else quietly(error);
}
