// From a change of the text to its findings, its derivation and its safety. Each step looks whether the text
// is still the one that it began with: a newer one has begun steps of its own.

import { el, lineButton } from "./dom.js";
import { empty, explain, shown } from "./formula.js";
import { tellLine } from "./light.js";
import { precise } from "./numbers.js";
import { quietly, say } from "./tell.js";

/** The pause in typing before the text is derived, in ms. */
const QUIET = 120;

export function changed(app, text) {
  app.text = text;
  app.revision += 1;
  const mine = app.revision;
  clearTimeout(app.deriving);
  endStale(app);
  check(app, text, mine).catch(quietly);
  app.deriving = setTimeout(() => derive(app, mine), app.untidy ? 0 : QUIET);
}

/** Ends long work on an older text, which is of no use any more. */
function endStale({ live, slow }) {
  const old = live.oldest;
  if (old && ["derive", "values", "curve", "stops"].includes(old.what) && performance.now() - old.since > 400) live.supersede("the text changed");
  const stale = slow.oldest;
  if (stale && performance.now() - stale.since > 50) slow.supersede("the text changed");
}

async function check(app, text, mine) {
  const found = await app.live.ask({ do: "change", text }, true);
  if (mine !== app.revision) return;
  app.sound = found.sound;
  app.editor.folds(found.folds);
  if (app.untidy) {
    app.untidy = false;
    app.editor.tidy(app.embedded);
  }
  await diagnose(app, app.live, found.diagnostics, mine);
  const errors = found.diagnostics.filter((each) => each.severity === "error");
  if (errors.length) say(first(app, errors), "bad");
}

/** The first finding with its line and its help, and how many more there are. */
function first(app, found) {
  const [one, ...more] = [...found].sort((a, b) => a.from[0] - b.from[0] || a.from[1] - b.from[1]);
  const help = one.help ? el("span", { class: "quiet" }, `: ${one.help}`) : "";
  return [lineButton(one.from[0] + 1, app.go), ` ${one.message}`, help, more.length ? `, and ${more.length} more` : ""];
}

async function diagnose(app, engine, found, mine) {
  let actions = [];
  if (found.length) {
    const end = [1e6, 0];
    actions = await engine.ask({ do: "actions", from: [0, 0], to: end }).catch(() => []);
  }
  if (mine === app.revision) app.editor.diagnose(found, actions);
}

async function derive(app, mine) {
  if (mine !== app.revision) return;
  const began = performance.now();
  try {
    const view = await app.live.ask({ do: "derive" });
    if (mine !== app.revision) return;
    if (!view) {
      if (!app.view) empty();
      document.body.classList.add("stale");
      tellLine(app, app.cursor);
      return;
    }
    app.live.keep({ do: "derive" });
    document.body.classList.remove("stale");
    app.isOther = app.view?.program.name !== view.program.name;
    app.view = view;
    say(`derived in ${precise(performance.now() - began)} ms`);
    await shown(app);
    if (!app.first) app.first = performance.now();
  } catch (error) {
    quietly(error);
  }
  judge(app, mine);
}

/** Judges safety once more, on another machine, when that has rested. */
export function judgeSoon(app) {
  clearTimeout(app.deriving);
  app.deriving = setTimeout(() => judge(app, app.revision), 300);
}

async function judge(app, mine) {
  if (mine !== app.revision) return;
  app.judged = null;
  app.panel.refresh("safety");
  try {
    const found = await app.slow.alone(() => judged(app, mine));
    if (mine !== app.revision) return;
    app.judged = found;
    await diagnose(app, app.slow, found.diagnostics, mine);
    const warnings = found.diagnostics.filter((each) => each.severity !== "info");
    const worst = warnings.filter((each) => each.severity === "error");
    if (warnings.length) say(first(app, worst.length ? worst : warnings), worst.length ? "bad" : "warn");
    app.panel.refresh("safety");
    if (["models", "compare"].includes(app.tab)) app.panel.refresh(app.tab);
  } catch (error) {
    quietly(error);
  }
}

/** The lines behind each term, which are shown as soon as they are known, and then safety. */
async function judged(app, mine) {
  const { slow } = app;
  if (mine !== app.revision) return null;
  await slow.ask({ do: "machine", machine: app.machine, figures: app.figures }, true);
  await slow.ask({ do: "change", text: app.text }, true);
  await slow.ask({ do: "derive" });
  const behind = await slow.ask({ do: "sources" });
  if (mine === app.revision) explain(app, behind);
  return slow.ask({ do: "judge" });
}
