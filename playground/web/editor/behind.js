// The costs in columns behind the lines.

import { RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";

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

export const behind = [costs, costGutter];

export const noCosts = setCosts.of(RangeSet.empty);

/** `rows`: line number → cells. */
export function showBehind(view, rows) {
  const { doc } = view.state;
  const builder = new RangeSetBuilder();
  for (const [line, { cells, key }] of [...rows].sort(([one], [other]) => one - other)) {
    if (line < 1 || line > doc.lines) continue;
    const { from } = doc.line(line);
    builder.add(from, from, new Cells(cells, key));
  }
  view.dispatch({ effects: setCosts.of(builder.finish()) });
}
