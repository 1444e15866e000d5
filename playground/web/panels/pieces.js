// Pieces that several views are made of.

import { el } from "../dom.js";
import { Ended } from "../engine.js";
import { refreshNumbers } from "../totals.js";

export const quiet = (text) => el("p", { class: "quiet" }, text);

/** The heading of a view, with other elements beside it. */
export const head = (title, ...beside) => el("div", { class: "panel-head" }, el("h2", {}, title), ...beside);

/** Why a view has nothing to show. */
export const failed = (error) => (error instanceof Ended ? quiet("Stopped.") : el("p", { class: "bad" }, error.message));

export const sign = (text) => el("span", { class: "sign", "aria-hidden": "true" }, text);

/** A sign and a class for each verdict. */
export const SIGNS = { proved: ["✓", "good"], tested: ["≈", "fair"], refuted: ["✗", "bad"], open: ["?", "fair"] };

/** Moves the size along the axis to the stop nearest to `x`, by factors. */
export function pick(app, x) {
  const stops = app.stops[app.along] ?? [];
  if (!stops.length) return;
  const value = stops.reduce((best, each) => (Math.abs(Math.log(each || 0.5) - Math.log(x)) < Math.abs(Math.log(best || 0.5) - Math.log(x)) ? each : best), stops[0]);
  if (value === app.values[app.along]) return;
  app.values = { ...app.values, [app.along]: value };
  refreshNumbers(app, app.along);
}

/** Tells the slow worker the text and then asks it. No other such task comes in between. */
export function askSlow(app, ask) {
  return app.slow.alone(async () => {
    await app.slow.ask({ do: "change", text: app.text }, true);
    await app.slow.ask({ do: "derive" });
    return ask();
  });
}
