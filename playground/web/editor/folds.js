// Folding: the blocks that the library tells, and runs of claims.

import { foldEffect, foldGutter, foldService, unfoldAll } from "@codemirror/language";
import { StateEffect, StateField } from "@codemirror/state";

const setFolds = StateEffect.define();

/** [first, last] lines from 0. They stay while the text changes, until the library has seen it. */
const folds = StateField.define({
  create: () => [],
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setFolds)) value = effect.value;
    return value;
  },
});

const service = foldService.of((state, from) => {
  const line = state.doc.lineAt(from).number - 1;
  const fold = state.field(folds).find(([first]) => first === line);
  if (!fold || fold[1] >= state.doc.lines) return null;
  return { from: state.doc.line(line + 1).to, to: state.doc.line(fold[1] + 1).to };
});

const foldsGutter = foldGutter({
  openText: "⌄", closedText: "›",
  foldingChanged: (update) => update.transactions.some((each) => each.effects.some((effect) => effect.is(setFolds))),
});

export const folding = [folds, foldsGutter, service];

/** Returns runs of three claims and more, as [first, last] lines from 0. */
function claims(doc) {
  const found = [];
  let from = -1;
  for (let at = 1; at <= doc.lines + 1; at++) {
    const is = at <= doc.lines && /^\s*claim\b/.test(doc.line(at).text);
    if (is && from < 0) from = at;
    if (!is && from > 0) {
      if (at - from > 2) found.push([from - 1, at - 2]);
      from = -1;
    }
  }
  return found;
}

export function foldable(view, list) {
  view.dispatch({ effects: setFolds.of([...list, ...claims(view.state.doc)]) });
}

/**
 * Folds the comment before the algorithm and the claims, so that the lines with costs are seen at once. If there is
 * `little` room and they still do not fit, the declarations are folded too.
 */
export function tidy(view, little = false) {
  const { doc } = view.state;
  unfoldAll(view);
  const code = Array.from({ length: doc.lines }, (_, at) => doc.line(at + 1).text);
  const first = code.findIndex((text) => /^\s*algorithm\b/.test(text));
  let wanted = view.state.field(folds).filter(([from, to]) => to > from && (to < first ? to - from > 1 : /^\s*claim\b/.test(code[from])));
  const hidden = wanted.reduce((sum, [from, to]) => sum + to - from, 0);
  if (little && (doc.lines - hidden) * view.defaultLineHeight > view.scrollDOM.clientHeight) {
    const last = lastDeclared(code, first);
    wanted = [...wanted.filter(([from]) => from < first), ...(first >= 0 && last > first ? [[first, last]] : [])];
  }
  const effects = wanted.map(([from, to]) => foldEffect.of({ from: doc.line(from + 1).to, to: doc.line(to + 1).to }));
  if (effects.length) view.dispatch({ effects });
}

/** The last line of the declarations below the line of the algorithm. */
function lastDeclared(code, first) {
  const declared = /^\s*(require|input|output|host|global|shared|let|ensure|claim)\b/;
  let last = first;
  while (last + 1 < code.length && (declared.test(code[last + 1]) || /^\s*(▷.*)?$/.test(code[last + 1]))) last += 1;
  while (last > first && !code[last].trim()) last -= 1;
  return last;
}
