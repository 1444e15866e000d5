// Lines that are lit, each in the colour of what it is paid for.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const setLit = StateEffect.define();

export const lit = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    value = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setLit)) value = effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const noneLit = setLit.of(Decoration.none);

/** `lines`: line number → {kind, strength 0..1}; with `scroll` the first is brought into view. */
export function lightLines(view, lines, scroll) {
  const { doc } = view.state;
  const sorted = [...lines].filter(([line]) => line >= 1 && line <= doc.lines).sort(([one], [other]) => one - other);
  const decorations = sorted.map(([line, { kind, strength }]) => Decoration.line({
    class: `lit lit-${kind}`,
    attributes: { style: `--strength:${(0.25 + 0.75 * strength).toFixed(2)}` },
  }).range(doc.line(line).from));
  const effects = [setLit.of(Decoration.set(decorations))];
  if (scroll && sorted.length) {
    effects.push(EditorView.scrollIntoView(doc.line(sorted[0][0]).from, { y: "nearest", yMargin: 60 }));
  }
  view.dispatch({ effects });
}
