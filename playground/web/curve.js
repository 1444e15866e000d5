// The cost over one size, as points of a curve.

import { Ended, latest } from "./engine.js";
import { refused } from "./tell.js";

/** Returns the question for the curve: the size along the axis, at some of its stops. Null if there is no curve. */
export function curveQuestion(app) {
  const along = app.along ?? app.view?.program.formals[0];
  app.along = along;
  if (!along) return null;
  const stops = thinned(app.stops?.[along] ?? [], 44);
  if (stops.length < 2) return null;
  return { ...app.asked(), along, at: stops.join(",") };
}

export const refreshCurve = latest(async ({ app, question }) => {
  if (!app.view || !question) return;
  try {
    app.curve = { curves: await inPortions(app.live, question), along: question.along };
  } catch (error) {
    // The curve of the text when it was sound stays, and so does the one before work that was ended.
    if (app.sound === false || error instanceof Ended) return refused(app, error);
    app.curve = { curves: [], why: error.message };
  }
  app.panel.refresh("cost");
});

/**
 * Asks for a curve portion by portion, and stops after some 2.5 s with the points that have come. Where sums have to
 * be added up a large size takes longer, so the small sizes come first.
 */
export async function inPortions(engine, { at, ...question }) {
  const points = at.split(",");
  const began = performance.now();
  const all = new Map();
  for (let from = 0, many = 4; from < points.length;) {
    const asked = performance.now();
    const { curves: found } = await engine.ask({ do: "curve", ...question, at: points.slice(from, from + many).join(",") });
    for (const each of found) {
      const name = `${each.program} ${each.model}`;
      const known = all.get(name);
      all.set(name, known ? { ...known, exact: known.exact && each.exact, points: [...known.points, ...each.points] } : each);
    }
    from += many;
    const took = performance.now() - asked;
    if (took > 800 || performance.now() - began > 2500) break;
    many = took < 150 ? many * 2 : Math.max(1, Math.floor(many / 2));
  }
  return [...all.values()];
}

/** Returns at most `most` of the sizes, evenly by their logarithms. */
function thinned(list, most) {
  if (list.length <= most) return list;
  const [first, last] = [Math.max(1, list[0]), list[list.length - 1]];
  const out = new Set();
  for (let at = 0; at < most; at++) {
    const wanted = first * (last / first) ** (at / (most - 1));
    out.add(list.reduce((best, each) => (Math.abs(Math.log(each || 0.5) - Math.log(wanted)) < Math.abs(Math.log(best || 0.5) - Math.log(wanted)) ? each : best), list[0]));
  }
  return [...out].sort((one, other) => one - other);
}
