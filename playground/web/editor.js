// The editor: CodeMirror with the grammar's colours, the costs in columns behind the lines, and whatever
// `atgpu::editor` says: diagnostics, completions, hovers, fixes, the form of a call, other names.

import { closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, foldKeymap, foldedRanges, indentUnit, syntaxHighlighting, unfoldEffect } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { completion, hover, keys } from "./editor/asks.js";
import { behind, noCosts, showBehind } from "./editor/behind.js";
import { calls } from "./editor/call.js";
import { diagnose } from "./editor/faults.js";
import { foldable, folding, tidy } from "./editor/folds.js";
import { lightLines, lit, noneLit } from "./editor/lit.js";
import { markLines, noWaits, waits } from "./editor/waits.js";
import { arrow, atgpu, global, globalArrow, host, hostArrow, shared, sharedArrow } from "./grammar.js";

const colours = HighlightStyle.define([
  { tag: tags.comment, class: "t-comment" },
  { tag: tags.keyword, class: "t-keyword" },
  { tag: arrow, class: "t-arrow" },
  { tag: hostArrow, class: "t-arrow t-host" },
  { tag: globalArrow, class: "t-arrow t-global" },
  { tag: sharedArrow, class: "t-arrow t-shared" },
  { tag: tags.operator, class: "t-operator" },
  { tag: tags.number, class: "t-number" },
  { tag: shared, class: "t-shared" },
  { tag: host, class: "t-host" },
  { tag: global, class: "t-global" },
  { tag: tags.propertyName, class: "t-quantity" },
  { tag: tags.function(tags.variableName), class: "t-function" },
  { tag: tags.labelName, class: "t-comment" },
]);

/**
 * @param {{parent: HTMLElement, ask: (request: object) => Promise<any>,
 *   onchange: (text: string) => void, online: (line: number|null) => void, oncursor: (line: number) => void,
 *   tell: (text: string) => void}} options
 */
export function editor(options) {
  const view = new EditorView({ parent: options.parent, state: EditorState.create({ extensions: extensions(options) }) });
  return {
    view,
    go: (line) => go(view, line),
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, effects: [EditorView.scrollIntoView(0), noCosts, noneLit, noWaits] });
    },
    costs: (rows) => showBehind(view, rows),
    light: (lines, scroll = false) => lightLines(view, lines, scroll),
    waits: (lines) => markLines(view, lines),
    folds: (list) => foldable(view, list),
    tidy: (little) => tidy(view, little),
    diagnose: (found, actions) => diagnose(view, found, actions, (line) => go(view, line)),
  };
}

function extensions(options) {
  const { ask, tell } = options;
  return [
    lineNumbers(),
    folding,
    behind,
    lit,
    waits,
    history(),
    drawSelection(),
    dropCursor(),
    EditorState.allowMultipleSelections.of(true),
    indentUnit.of("  "),
    atgpu,
    syntaxHighlighting(colours),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    hover(ask),
    pointing(options),
    following(options),
    // After `following`: the library has to know the changed text before it is asked for the call in it.
    calls(ask),
    // After `calls`: a list that is open or on its way takes Escape for itself, and the form of the call would stay.
    completion(ask),
    EditorView.contentAttributes.of({ "aria-label": "The program", spellcheck: "false", tabindex: "0" }),
    keymap.of([
      ...keys(ask, tell),
      // Tab leaves the editor after Escape, as CodeMirror's keymap has it.
      ...completionKeymap, ...lintKeymap, ...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap,
      indentWithTab,
    ]),
  ];
}

/** Tells the line that is pointed at. */
const pointing = (options) => EditorView.domEventHandlers({
  mousemove(event, view) {
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    const block = view.lineBlockAtHeight(event.clientY - view.documentTop);
    const inside = block && event.clientY - view.documentTop <= block.bottom;
    options.online(inside && at !== null ? view.state.doc.lineAt(block.from).number : null);
  },
  mouseleave() {
    options.online(null);
  },
});

/** Tells changes of the text, and the line of the cursor. */
const following = (options) => EditorView.updateListener.of((update) => {
  const line = update.state.doc.lineAt(update.state.selection.main.head).number;
  if (update.docChanged) options.onchange(update.state.doc.toString());
  else if (update.selectionSet && update.view.hasFocus) options.online(line);
  if (update.selectionSet && update.view.hasFocus) options.oncursor(line);
});

/** The cursor to the beginning of a line, unfolded and in sight. */
function go(view, line) {
  const found = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
  const effects = [EditorView.scrollIntoView(found.from, { y: "center" })];
  foldedRanges(view.state).between(found.from, found.to, (from, to) => { effects.push(unfoldEffect.of({ from, to })); });
  // A cursor that moves without the focus is not told.
  view.focus();
  view.dispatch({ selection: { anchor: found.from }, effects });
}
