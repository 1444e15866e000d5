// Findings, underlined, each with its story and the fixes that mend it.

import { setDiagnostics } from "@codemirror/lint";

import { el, lineButton } from "../dom.js";
import { edit, offset } from "./places.js";

/** `go` goes to a line. */
export function diagnose(view, found, actions, go) {
  const { doc } = view.state;
  const list = found.map((each) => {
    const from = offset(doc, each.from);
    return {
      from,
      to: Math.max(from, offset(doc, each.to)),
      severity: each.severity,
      source: each.code,
      message: each.message,
      renderMessage: () => story(each, go),
      actions: fixes(each, actions).slice(0, 4).map((action) => ({ name: action.title, apply: () => edit(view, action.edits) })),
    };
  });
  list.sort((one, other) => one.from - other.from);
  view.dispatch(setDiagnostics(view.state, list));
}

/** The fixes with its code that change no line far from it, since the same fault may stand elsewhere too. */
const fixes = (fault, actions) => actions.filter((action) => action.mends === fault.code && action.kind === "fix" &&
  action.edits.every(({ from }) => from[0] >= fault.from[0] - 60 && from[0] <= fault.to[0] + 60));

function story(fault, go) {
  const told = el("span", { class: "fault" }, el("code", {}, fault.code), ` ${fault.message}`);
  if (fault.label && fault.label !== fault.message) told.append(` — ${fault.label}`);
  // The other places that the story is about.
  for (const other of fault.others) {
    told.append(el("span", { class: "help" }, lineButton(other.from[0] + 1, go), ` ${other.text || "see there"}`));
  }
  if (fault.help) told.append(el("span", { class: "help" }, fault.help));
  return told;
}
