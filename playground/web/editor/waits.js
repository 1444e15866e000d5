// Lines at which the warps of an MP wait for each other: a dashed edge above the line, or below it where they wait
// between its reading and its writing.

import { linesIn, markedLines } from "./marked.js";

const marks = markedLines(({ before, inside, told }) => ({
  class: ["waits", before && "waits-before", inside && "waits-inside"].filter(Boolean).join(" "),
  attributes: { title: told.join("\n") },
}));

export const { field: waits, none: noWaits } = marks;

/** `lines`: line number → {before, inside, told}. */
export function markLines(view, lines) {
  const { doc } = view.state;
  view.dispatch({ effects: [marks.of(doc, linesIn(doc, lines))] });
}
