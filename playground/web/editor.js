// The editor: CodeMirror with the grammar's colours, the costs in columns behind the lines, and whatever
// `atgpu::editor` says: diagnostics, completions, hovers, fixes, the form of a call, other names.

import { autocompletion, closeBrackets, completionKeymap, snippet, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, foldEffect, foldGutter, foldedRanges, foldKeymap, foldService, indentUnit, syntaxHighlighting, unfoldAll, unfoldEffect } from "@codemirror/language";
import { lintKeymap, setDiagnostics, setDiagnosticsEffect } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Prec, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, GutterMarker, drawSelection, dropCursor, gutter, highlightActiveLine,
  highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers, showDialog, showTooltip,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { el, lineButton } from "./dom.js";
import { arrow, atgpu, host, shared } from "./grammar.js";
import { markdown } from "./maths.js";

const colours = HighlightStyle.define([
  { tag: tags.comment, class: "t-comment" },
  { tag: tags.keyword, class: "t-keyword" },
  { tag: arrow, class: "t-arrow" },
  { tag: tags.operator, class: "t-operator" },
  { tag: tags.number, class: "t-number" },
  { tag: shared, class: "t-shared" },
  { tag: host, class: "t-host" },
  { tag: tags.propertyName, class: "t-quantity" },
  { tag: tags.function(tags.variableName), class: "t-function" },
  { tag: tags.labelName, class: "t-comment" },
]);

// --- what stands behind the lines -------------------------------------------------------------------

const setCosts = StateEffect.define();

class Cells extends GutterMarker {
  constructor(cells, key) {
    super();
    this.cells = cells;
    this.key = key;
  }
  eq(other) {
    return other.key === this.key;
  }
  toDOM() {
    const row = document.createElement("div");
    row.className = "cells";
    for (const cell of this.cells) row.append(cellOf(cell));
    return row;
  }
}

function cellOf({ node, title, bar, kind, dim }) {
  const cell = document.createElement("span");
  cell.className = `cell ${kind}${dim ? " dim" : ""}`;
  if (bar) {
    const back = document.createElement("span");
    back.className = "bar";
    back.style.width = `${Math.max(2, bar * 100).toFixed(1)}%`;
    cell.append(back);
  }
  const text = document.createElement("span");
  text.className = "of";
  // A line may be drawn anew before it is drawn no more.
  if (node) text.append(node.cloneNode(true));
  cell.append(text);
  if (title) cell.title = title;
  return cell;
}

const costs = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    value = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setCosts)) value = effect.value;
    return value;
  },
});

const spacer = new Cells([{ kind: "times" }, { kind: "t" }, { kind: "q" }], "spacer");

const costGutter = gutter({
  class: "costs",
  side: "after",
  markers: (view) => view.state.field(costs),
  initialSpacer: () => spacer,
});

// --- lines that are lit -----------------------------------------------------------------------------

const setLit = StateEffect.define();

const lit = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    value = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setLit)) value = effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// --- the form of a call ------------------------------------------------------------------------------

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

// --- the editor -------------------------------------------------------------------------------------

/** Claims that follow each other, as lines from 0. */
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

const place = (doc, at) => {
  const line = doc.lineAt(at);
  return [line.number - 1, at - line.from];
};

const offset = (doc, [line, character]) => {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.to, found.from + character);
};

/**
 * @param {{parent: HTMLElement, text: string, narrow?: boolean, readOnly?: boolean,
 *   ask: (request: object) => Promise<any>,
 *   onchange: (text: string) => void, online: (line: number|null) => void, oncursor: (line: number) => void,
 *   tell: (text: string) => void}} options
 */
export function editor(options) {
  const { ask } = options;

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

  const hover = hoverTooltip(async (view, at) => {
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

  let folds = [];
  const setFolds = StateEffect.define();
  const folding = foldService.of((state, from) => {
    const line = state.doc.lineAt(from).number - 1;
    const fold = folds.find(([first]) => first === line);
    if (!fold || fold[1] >= state.doc.lines) return null;
    return { from: state.doc.line(line + 1).to, to: state.doc.line(fold[1] + 1).to };
  });

  const edit = (edits) => {
    const doc = view.state.doc;
    const changes = edits.map((each) => ({ from: offset(doc, each.from), to: offset(doc, each.to), insert: each.text }));
    view.dispatch({ changes, userEvent: "input.fix" });
  };

  const format = () => {
    ask({ do: "format" }).then((edits) => edits.length && edit(edits)).catch(() => {});
    return true;
  };

  const definition = (view) => {
    const doc = view.state.doc;
    ask({ do: "definition", place: place(doc, view.state.selection.main.head) }).then((found) => {
      if (!found) return;
      const at = offset(doc, found.from);
      view.dispatch({ selection: { anchor: at, head: offset(doc, found.to) }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    }).catch(() => {});
    return true;
  };

  /** The form of the call that the cursor stands in, while one writes it. */
  let asked = 0;
  const showCall = async (view) => {
    const mine = ++asked;
    const { head } = view.state.selection.main;
    const line = view.state.doc.lineAt(head);
    const isInside = line.text.slice(0, head - line.from).includes("(");
    const found = isInside ? await ask({ do: "signature", place: place(view.state.doc, head) }).catch(() => null) : null;
    if (mine !== asked || (!found && !view.state.field(call))) return;
    view.dispatch({ effects: setCall.of(found && { pos: head, above: true, create: () => formOf(found) }) });
  };
  const hideCall = (view) => {
    asked += 1;
    if (view.state.field(call)) view.dispatch({ effects: setCall.of(null) });
    return false;
  };

  /** Another name for what stands at the cursor, everywhere. */
  const rename = (view) => {
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
      await ask({ do: "rename", place: at, name }).then(edit).catch((error) => options.tell(error.message));
    });
    return true;
  };

  /** All that can be done here, as a list: fixes of the line, and what changes the whole text. */
  const offer = (view) => {
    const { doc, selection } = view.state;
    const line = doc.lineAt(selection.main.head);
    ask({ do: "actions", from: place(doc, line.from), to: place(doc, line.to) }).then((found) => {
      if (!found.length) return options.tell("nothing to change here");
      const content = (view, close) => {
        const doing = (action) => el("button", { type: "button", class: "cm-button", onclick: () => {
          close();
          view.focus();
          edit(action.edits);
        } }, action.title);
        return el("div", { class: "cm-offered", onkeydown: (event) => event.key === "Escape" && (close(), view.focus()) }, found.map(doing));
      };
      showDialog(view, { content, focus: "button" });
    }).catch(() => {});
    return true;
  };

  const over = EditorView.domEventHandlers({
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

  const followed = EditorView.updateListener.of((update) => {
    const line = update.state.doc.lineAt(update.state.selection.main.head).number;
    if (update.docChanged) options.onchange(update.state.doc.toString());
    else if (update.selectionSet && update.view.hasFocus) options.online(line);
    if (update.selectionSet && update.view.hasFocus) options.oncursor(line);
    const isTyped = update.transactions.some((each) => each.isUserEvent("input") || each.isUserEvent("delete"));
    if (isTyped || (update.selectionSet && update.state.field(call))) showCall(update.view);
  });

  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        // Before the list of completions takes the key.
        Prec.highest(keymap.of([{ key: "Escape", run: hideCall }])),
        lineNumbers(),
        foldGutter({ openText: "⌄", closedText: "›", foldingChanged: (update) => update.transactions.some((each) => each.effects.some((effect) => effect.is(setFolds))) }),
        folding,
        costs,
        costGutter,
        lit,
        history(),
        drawSelection(),
        dropCursor(),
        EditorState.allowMultipleSelections.of(true),
        indentUnit.of("  "),
        atgpu,
        syntaxHighlighting(colours),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [complete], icons: false, activateOnTypingDelay: 60 }),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        hover,
        call,
        over,
        followed,
        EditorView.contentAttributes.of({ "aria-label": "The program", spellcheck: "false" }),
        EditorState.readOnly.of(options.readOnly === true),
        keymap.of([
          { key: "Shift-Alt-f", run: format },
          { key: "F12", run: definition },
          { key: "F2", run: rename },
          { key: "Mod-.", run: offer },
          { key: "Mod-Space", run: startCompletion },
          // Tab leaves the editor after Escape, as CodeMirror's keymap has it.
          ...completionKeymap, ...lintKeymap, ...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap,
          indentWithTab,
        ]),
      ],
    }),
  });

  /** The cursor to the beginning of a line, unfolded and in sight. */
  const go = (line) => {
    const found = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
    const effects = [EditorView.scrollIntoView(found.from, { y: "center" })];
    foldedRanges(view.state).between(found.from, found.to, (from, to) => { effects.push(unfoldEffect.of({ from, to })); });
    view.dispatch({ selection: { anchor: found.from }, effects });
    view.focus();
  };

  return {
    view,
    edit,
    format,
    go,
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, effects: [EditorView.scrollIntoView(0), setCosts.of(RangeSet.empty), setLit.of(Decoration.none)] });
    },

    /** `rows`: line number → cells. */
    costs(rows) {
      const doc = view.state.doc;
      const builder = new RangeSetBuilder();
      for (const [line, { cells, key }] of [...rows].sort(([one], [other]) => one - other)) {
        if (line < 1 || line > doc.lines) continue;
        const { from } = doc.line(line);
        builder.add(from, from, new Cells(cells, key));
      }
      view.dispatch({ effects: setCosts.of(builder.finish()) });
    },

    /** `lines`: line number → {kind, strength 0..1}; `scroll`: whether the first is brought into view. */
    light(lines, scroll = false) {
      const doc = view.state.doc;
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
    },

    folds(list) {
      folds = [...list, ...claims(view.state.doc)];
      view.dispatch({ effects: setFolds.of(null) });
    },

    /**
     * Folds what stands before the algorithm and its claims, so that what costs is seen at once; where there is
     * `little` room and the rest does not fit, all that is declared.
     */
    tidy(little = false) {
      const doc = view.state.doc;
      unfoldAll(view);
      const code = Array.from({ length: doc.lines }, (_, at) => doc.line(at + 1).text);
      const first = code.findIndex((text) => /^\s*algorithm\b/.test(text));
      const wanted = folds.filter(([from, to]) => to > from && (to < first ? to - from > 1 : /^\s*claim\b/.test(code[from])));
      const hidden = wanted.reduce((sum, [from, to]) => sum + to - from, 0);
      if (little && (doc.lines - hidden) * view.defaultLineHeight > view.scrollDOM.clientHeight) {
        const declared = /^\s*(require|input|output|host|global|shared|let|ensure|claim)\b/;
        let last = first;
        while (last + 1 < code.length && (declared.test(code[last + 1]) || /^\s*(▷.*)?$/.test(code[last + 1]))) last += 1;
        while (last > first && !code[last].trim()) last -= 1;
        wanted.splice(0, wanted.length, ...wanted.filter(([from]) => from < first), ...(first >= 0 && last > first ? [[first, last]] : []));
      }
      const effects = wanted.map(([from, to]) => foldEffect.of({ from: doc.line(from + 1).to, to: doc.line(to + 1).to }));
      if (effects.length) view.dispatch({ effects });
    },

    /** Diagnostics, each with the fixes that mend it. */
    diagnose(found, actions) {
      const doc = view.state.doc;
      const list = found.map((each) => {
        const from = offset(doc, each.from);
        const to = Math.max(from, offset(doc, each.to));
        const fixes = actions.filter((action) => action.mends === each.code && action.kind === "fix" &&
          action.edits.every((edit) => edit.from[0] >= each.from[0] - 60 && edit.from[0] <= each.to[0] + 60));
        return {
          from,
          to,
          severity: each.severity,
          source: each.code,
          message: each.message,
          renderMessage: () => {
            const told = el("span", { class: "fault" }, el("code", {}, each.code), ` ${each.message}`);
            if (each.label && each.label !== each.message) told.append(` — ${each.label}`);
            // The other places that the story is about.
            for (const other of each.others) {
              told.append(el("span", { class: "help" }, lineButton(other.from[0] + 1, go), ` ${other.text || "see there"}`));
            }
            if (each.help) told.append(el("span", { class: "help" }, each.help));
            return told;
          },
          actions: fixes.slice(0, 4).map((action) => ({ name: action.title, apply: () => edit(action.edits) })),
        };
      });
      list.sort((one, other) => one.from - other.from);
      view.dispatch(setDiagnostics(view.state, list));
    },
  };
}

export { setDiagnosticsEffect };
