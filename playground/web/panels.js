// The instruments beside the program, one at a time.

import { $, el, fill } from "./dom.js";
import { markSafety, markWaits } from "./marks.js";
import { claims } from "./panels/claims.js";
import { compare } from "./panels/compare.js";
import { caption, cost } from "./panels/cost.js";
import { models } from "./panels/models.js";
import { roof } from "./panels/roofline.js";
import { run } from "./panels/run.js";
import { safety } from "./panels/safety.js";

/** Each view, as a function that shows it in an element. */
const SHOW = { cost, run, claims, safety, roofline: roof, compare, models };
const TABS = Object.keys(SHOW);

export function panels(app, root) {
  for (const tab of TABS) $(`#tab-${tab}`).addEventListener("click", () => open(app, root, tab));
  document.querySelector(".tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = TABS[(TABS.indexOf(app.tab) + step + TABS.length) % TABS.length];
    open(app, root, next);
    $(`#tab-${next}`).focus();
  });
  return {
    open: (tab) => open(app, root, tab),
    refresh: (only) => refresh(app, root, only),
    moved: (what) => moved(app, root, what),
  };
}

function open(app, root, wanted) {
  const tab = TABS.includes(wanted) ? wanted : "cost";
  app.tab = tab;
  for (const each of TABS) {
    const button = $(`#tab-${each}`);
    button.setAttribute("aria-selected", String(each === tab));
    button.tabIndex = each === tab ? 0 : -1;
  }
  root.setAttribute("aria-labelledby", `tab-${tab}`);
  refresh(app, root);
}

/** Shows the open view anew, where it is the one that is named; without a name, whichever is open. */
function refresh(app, root, only) {
  if (only === "safety") {
    markSafety(app);
    markWaits(app);
  }
  if (only && only !== app.tab) return;
  // A run stays until the text changes.
  if (app.tab === "run" && only === undefined && app.run?.of === app.text && root.querySelector(".run")) return;
  root.dataset.tab = app.tab;
  if (!app.view) {
    fill(root, el("p", { class: "quiet" }, "Nothing is derived yet."));
    return;
  }
  SHOW[app.tab](app, root);
}

/** Follows numbers that moved, without drawing anew: a size by its name, `figures`, `numbers`, or `all`. */
function moved(app, root, what) {
  if (app.tab === "cost" && app.curveHandle && what !== "all") app.curveHandle.move(app.values[app.along]);
  if (app.tab === "cost" && what === "numbers") caption(app, root);
  if (app.tab === "compare" && app.duelHandle) app.duelHandle.move(app.values[app.along]);
  if (what === app.along) app.sliders.show(app.along);
}
