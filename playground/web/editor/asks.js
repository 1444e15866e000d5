// Questions to the library about the cursor or the pointer: names, meanings, fixes. If a change of the text ends a
// question, there is no answer and no fault.

import { autocompletion, snippet, startCompletion } from "@codemirror/autocomplete";
import { EditorView, hoverTooltip, showDialog } from "@codemirror/view";

import { el } from "../dom.js";
import { markdown } from "../maths.js";
import { edit, offset, place } from "./places.js";

export function completion(ask) {
  const complete = async (context) => {
    const word = context.matchBefore(/[\p{L}\p{N}_'′\\]+/u);
    if (!word && !context.explicit) return null;
    const found = await ask({ do: "complete", place: place(context.state.doc, context.pos) }).catch(() => null);
    if (context.aborted || !found?.length) return null;
    const doc = context.state.doc;
    const from = offset(doc, found[0].from);
    return {
      from,
      filter: !found[0].label.startsWith("\\"),
      options: found.map((each, at) => ({
        label: each.label,
        detail: each.detail,
        type: each.kind,
        boost: -at / 100,
        apply: each.snippet
          ? snippet(each.text.replace(/\$(\d+)/g, "${$1}").replace(/\$\{(\d+):/g, "${$1:"))
          : each.text,
      })),
    };
  };
  return autocompletion({ override: [complete], icons: false, activateOnTypingDelay: 60 });
}

/** The meaning of a name under the pointer. */
export const hover = (ask) => hoverTooltip(async (view, at) => {
  const found = await ask({ do: "hover", place: place(view.state.doc, at) }).catch(() => null);
  if (!found) return null;
  const doc = view.state.doc;
  return {
    pos: offset(doc, found.from),
    end: offset(doc, found.to),
    above: true,
    create: () => ({ dom: markdown(found.text) }),
  };
}, { hoverTime: 350 });

/** The keys; `tell` says why nothing was done. */
export const keys = (ask, tell) => [
  { key: "Shift-Alt-f", run: (view) => format(view, ask) },
  { key: "F12", run: (view) => definition(view, ask) },
  { key: "F2", run: (view) => rename(view, ask, tell) },
  { key: "Mod-.", run: (view) => offer(view, ask, tell) },
  { key: "Mod-Space", run: startCompletion },
];

function format(view, ask) {
  ask({ do: "format" }).then((edits) => edits.length && edit(view, edits)).catch(() => {});
  return true;
}

function definition(view, ask) {
  const doc = view.state.doc;
  ask({ do: "definition", place: place(doc, view.state.selection.main.head) }).then((found) => {
    if (!found) return;
    const at = offset(doc, found.from);
    view.dispatch({ selection: { anchor: at, head: offset(doc, found.to) }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  }).catch(() => {});
  return true;
}

/** Gives the name at the cursor another spelling, everywhere. */
function rename(view, ask, tell) {
  const { head } = view.state.selection.main;
  const old = view.state.wordAt(head);
  if (!old) return false;
  const at = place(view.state.doc, head);
  const { result } = showDialog(view, {
    label: "another name, everywhere", input: { name: "name", type: "text", value: view.state.sliceDoc(old.from, old.to) },
    submitLabel: "rename", focus: true, class: "cm-rename",
  });
  result.then(async (form) => {
    view.focus();
    const name = form?.elements.namedItem("name")?.value.trim();
    if (!name) return;
    await ask({ do: "rename", place: at, name }).then((edits) => edit(view, edits)).catch((error) => tell(error.message));
  });
  return true;
}

/** Lists the actions possible here: fixes of the line, and changes of the whole text. */
function offer(view, ask, tell) {
  const { doc, selection } = view.state;
  const line = doc.lineAt(selection.main.head);
  ask({ do: "actions", from: place(doc, line.from), to: place(doc, line.to) }).then((found) => {
    if (!found.length) return tell("nothing to change here");
    showDialog(view, { content: (within, close) => offered(within, close, found), focus: "button" });
  }).catch(() => {});
  return true;
}

function offered(view, close, found) {
  const left = () => {
    close();
    view.focus();
  };
  const doing = (action) => el("button", { type: "button", class: "cm-button", onclick: () => {
    left();
    edit(view, action.edits);
  } }, action.title);
  return el("div", { class: "cm-offered", onkeydown: (event) => event.key === "Escape" && left() }, found.map(doing));
}
