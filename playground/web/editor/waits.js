// Lines at which the warps of an MP wait for each other: a dashed edge above the line, or below it where they wait
// between its reading and its writing.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const setWaits = StateEffect.define();

export const waits = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    value = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setWaits)) value = effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const noWaits = setWaits.of(Decoration.none);

/** `lines`: line number → {before, inside, told}. */
export function markLines(view, lines) {
  const { doc } = view.state;
  const sorted = [...lines].filter(([line]) => line >= 1 && line <= doc.lines).sort(([one], [other]) => one - other);
  const decorations = sorted.map(([line, { before, inside, told }]) => Decoration.line({
    class: ["waits", before && "waits-before", inside && "waits-inside"].filter(Boolean).join(" "),
    attributes: { title: told.join("\n") },
  }).range(doc.line(line).from));
  view.dispatch({ effects: [setWaits.of(Decoration.set(decorations))] });
}
