// The form of the call that the cursor stands in, while one writes it.

import { Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, keymap, showTooltip } from "@codemirror/view";

import { el } from "../dom.js";
import { place } from "./places.js";

const setCall = StateEffect.define();

const call = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setCall)) return effect.value;
    return value && transaction.docChanged ? { ...value, pos: transaction.changes.mapPos(value.pos) } : value;
  },
  provide: (field) => showTooltip.from(field),
});

/** `select(c, x, y)` with the argument that is being written in bold. */
function formOf({ form, arguments: all, active }) {
  const dom = el("div", { class: "told call" });
  const open = form.indexOf("(");
  if (open < 0 || !all.length) {
    dom.append(el("code", {}, form));
    return { dom };
  }
  const code = el("code", {}, form.slice(0, open + 1));
  all.forEach((argument, at) => code.append(at ? ", " : "", at === active ? el("b", {}, argument) : argument));
  code.append(")");
  dom.append(code);
  return { dom };
}

export function calls(ask) {
  // Questions are numbered, so that an answer to an older one is dropped.
  let asked = 0;
  const show = async (view) => {
    const mine = ++asked;
    const { head } = view.state.selection.main;
    const line = view.state.doc.lineAt(head);
    const isInside = line.text.slice(0, head - line.from).includes("(");
    const found = isInside ? await ask({ do: "signature", place: place(view.state.doc, head) }).catch(() => null) : null;
    if (mine !== asked || (!found && !view.state.field(call))) return;
    view.dispatch({ effects: setCall.of(found && { pos: head, above: true, create: () => formOf(found) }) });
  };
  const hide = (view) => {
    asked += 1;
    if (view.state.field(call)) view.dispatch({ effects: setCall.of(null) });
    return false;
  };
  const followed = EditorView.updateListener.of((update) => {
    const isTyped = update.transactions.some((each) => each.isUserEvent("input") || each.isUserEvent("delete"));
    if (isTyped || (update.selectionSet && update.state.field(call))) show(update.view);
  });
  // Before the list of completions takes the key.
  return [Prec.highest(keymap.of([{ key: "Escape", run: hide }])), call, followed];
}
