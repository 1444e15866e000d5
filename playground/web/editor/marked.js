// Lines with a look of their own, which they keep while the text around them changes.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

/**
 * Marks of one kind: `field` for the editor, `none` the effect that takes all away, and `of` the effect that marks lines.
 * `look` gives the decoration of what stands with a line.
 */
export function markedLines(look) {
  const set = StateEffect.define();
  const field = StateField.define({
    create: () => Decoration.none,
    update(value, transaction) {
      value = value.map(transaction.changes);
      for (const effect of transaction.effects) if (effect.is(set)) value = effect.value;
      return value;
    },
    provide: (field) => EditorView.decorations.from(field),
  });
  const of = (doc, sorted) => set.of(Decoration.set(sorted.map(([line, told]) => Decoration.line(look(told)).range(doc.line(line).from))));
  return { field, none: set.of(Decoration.none), of };
}

/** The lines that a text has, of a map by line number, in order. */
export function linesIn(doc, lines) {
  return [...lines].filter(([line]) => line >= 1 && line <= doc.lines).sort(([one], [other]) => one - other);
}
