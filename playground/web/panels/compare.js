// Two programs over one size, and the sizes from which one of them is cheaper.

import { curves } from "../charts.js";
import { curveQuestion, inPortions } from "../curve.js";
import { el, fill } from "../dom.js";
import { spaced } from "../names.js";
import { grouped, size } from "../numbers.js";
import { advice } from "./advice.js";
import { askSlow, failed, head, pick, quiet } from "./pieces.js";

export async function compare(app, root) {
  const heading = head("Compare", el("button", { type: "button", class: "tool wide", onclick: () => choose(app) }, app.other ? "another" : "choose a program"));
  if (!app.other) {
    invite(app, root, heading);
    return;
  }
  const figure = el("div", { class: "figure" });
  const told = el("div", { class: "duel" });
  fill(root, heading, figure, told, el("button", { type: "button", class: "line-link", onclick: () => { app.other = null; app.duel = null; app.duelHandle = null; app.panel.open("compare"); } }, "compare no more"), advice(app));
  fill(told, quiet("Comparing …"));
  const question = curveQuestion(app);
  if (!question) {
    fill(told, quiet("The program has no size to compare over."));
    return;
  }
  app.duels += 1;
  const mine = app.duels;
  try {
    const [curve, found] = await askSlow(app, async () => [
      await inPortions(app.slow, { ...question, others: [app.other], models: ["atgpu"] }),
      await app.slow.ask({ do: "duel", ...app.asked(), along: question.along, other: app.other }),
    ]);
    if (mine !== app.duels || app.tab !== "compare") return;
    await present(app, { figure, told, along: question.along }, curve, found);
  } catch (error) {
    fill(told, failed(error));
  }
}

function choose(app) {
  app.gallery.open("Compare with", (example) => {
    app.other = example.text;
    app.panel.open("compare");
  });
}

/** Shows how to choose a second program. */
function invite(app, root, heading) {
  const kept = el("button", { type: "button", class: "line-link", onclick: () => { app.other = app.text; app.panel.open("compare"); } }, "keep this version");
  fill(root, heading, quiet("Choose a second program to see from which size on it is cheaper; or "), kept, el("span", { class: "quiet" }, " and go on changing the text: what you change is compared with what it was."), advice(app));
}

async function present(app, { figure, told, along }, curve, found) {
  const names = found.programs.map(spaced);
  if (names[0] === names[1]) [names[0], names[1]] = [`${names[0]}, now`, `${names[1]}, kept`];
  const series = curve.map((each, index) => ({ name: names[index] ?? each.program, points: each.points }));
  const crossings = (found.ranges ?? []).slice(1).map((range) => ({ from: Number(range.from), text: range.cheaper < 0 ? "" : `from ${size(range.from)}` }));
  fill(told, found.why
    ? quiet(`No crossover is known: ${found.why}.`)
    : el("ul", { class: "verdicts" }, found.ranges.map((range) => rangeItem(range, names, along, found.upTo))));
  app.duel = { do: "figure", along, curves: series, marks: crossings.slice(0, 4) };
  const picture = await app.live.ask(app.duel);
  app.duelHandle = curves(figure, picture, { series, along, at: app.values[along], onpick: (x) => pick(app, x), label: "GPU-cost of both programs" });
}

function rangeItem(range, names, along, upTo) {
  const to = range.to ? ` to ${grouped(range.to)}` : " on";
  const who = range.cheaper < 0 ? "they cost the same" : `${names[range.cheaper]} is cheaper`;
  return el("li", { class: range.proved ? "good" : "fair" }, el("span", { class: "sign" }, range.proved ? "✓" : "≈"),
    el("span", {}, `from ${along} = ${grouped(range.from)}${to} `, el("strong", {}, who)), el("span", { class: "quiet" }, range.proved ? "proved" : `at every size looked at up to ${size(upTo)}`));
}
