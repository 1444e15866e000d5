// Places as the library has them, [line, character] from 0, and as offsets in the text.

export function place(doc, at) {
  const line = doc.lineAt(at);
  return [line.number - 1, at - line.from];
}

/** A place beyond the text, or beyond its line, is the end of it. */
export function offset(doc, [line, character]) {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.to, found.from + character);
}

/** Makes the edits of a fix, a format or another name. */
export function edit(view, edits) {
  const { doc } = view.state;
  const changes = edits.map((each) => ({ from: offset(doc, each.from), to: offset(doc, each.to), insert: each.text }));
  view.dispatch({ changes, userEvent: "input.fix" });
}
