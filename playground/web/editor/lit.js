// Lines that are lit, each in the colour of what it is paid for.

import { EditorView } from "@codemirror/view";

import { linesIn, markedLines } from "./marked.js";

const marks = markedLines(({ kind, strength }) => ({
  class: `lit lit-${kind}`,
  attributes: { style: `--strength:${(0.25 + 0.75 * strength).toFixed(2)}` },
}));

export const { field: lit, none: noneLit } = marks;

/** `lines`: line number → {kind, strength 0..1}; with `scroll` the first is brought into view. */
export function lightLines(view, lines, scroll) {
  const { doc } = view.state;
  const sorted = linesIn(doc, lines);
  const effects = [marks.of(doc, sorted)];
  if (scroll && sorted.length) {
    effects.push(EditorView.scrollIntoView(doc.line(sorted[0][0]).from, { y: "nearest", yMargin: 60 }));
  }
  view.dispatch({ effects });
}
