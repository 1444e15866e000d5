// The sizes of the program and the figures of the machine, as sliders. A size stops where the program
// admits it; a figure moves freely, by factors.

import { el, fill } from "./dom.js";
import { latest } from "./engine.js";
import { machineChanged } from "./machine.js";
import { grouped } from "./numbers.js";
import { nearest, suited } from "./sizes.js";
import { refreshNumbers } from "./totals.js";

/** `2^20`, `1e6`, `1048576`, `0.5`. */
export function parsed(text) {
  const plain = String(text).trim().replace(/[\s_\u202f]/g, "");
  const power = plain.match(/^(\d+(?:\.\d+)?)\^(\d+)$/);
  const number = power ? Number(power[1]) ** Number(power[2]) : Number(plain);
  return plain !== "" && Number.isFinite(number) && number >= 0 ? number : null;
}

const FIGURES = [
  ["b", "cores of an MP, words of a block"],
  ["k'", "MPs of the card"],
  ["H", "MPs resident on each, at most"],
  ["M", "words of shared memory"],
  ["γ", "cycles a ms"],
  ["λ", "cycles a block"],
  ["α", "ms a transfer"],
  ["β", "ms a word"],
  ["σ", "ms a round"],
];

const WHOLE = ["b", "k'", "H", "M", "G"];

// Standard figures for a card whose own figures differ by direction.
const STANDARD = { α: 0.0092, β: 7e-7, γ: 1e6, λ: 3, σ: 0.05, "k'": 16, H: 16 };

export function makeSliders(app, root) {
  const sizes = el("div", { class: "slider-list" });
  const figures = el("div", { class: "slider-list" });
  const fault = el("p", { class: "slider-fault", role: "status" });
  fill(root, sizes, fault, el("details", { class: "more" }, el("summary", {}, "the machine's figures"), figures));
  // `rows`: each slider by its name. `settle`: a timer that runs once the machine's figures rest.
  const sliders = { app, sizes, figures, rows: new Map(), settle: 0 };
  sliders.restop = latest((changed) => restop(sliders, changed));
  return {
    async prepare() {
      await suited(app);
      build(sliders);
    },
    show: (name) => show(sliders, name),
    fault(text) {
      fault.textContent = text;
      root.classList.toggle("faulty", Boolean(text));
    },
  };
}

function build(sliders) {
  const { app, rows } = sliders;
  const { formals } = app.view.program;
  rows.clear();
  fill(sliders.sizes, formals.map((name) => sizeRow(sliders, name)));
  if (!formals.length) fill(sliders.sizes, el("p", { class: "quiet" }, "The program has no sizes."));
  const base = app.machines.find(({ name }) => name === app.machine)?.figures ?? {};
  const own = () => {
    app.figures = {};
    build(sliders);
    machineChanged(app);
  };
  fill(sliders.figures, FIGURES.map(([name, about]) => figureRow(sliders, name, about, base[name])),
    el("button", { type: "button", class: "line-link", onclick: own }, "the card's own figures"));
  for (const name of rows.keys()) show(sliders, name);
}

function sizeRow(sliders, name) {
  const { app, rows } = sliders;
  const { formals } = app.view.program;
  const stops = app.stops[name];
  const set = (value, text) => {
    app.values = { ...app.values, [name]: value };
    show(sliders, name);
    refreshNumbers(app, name);
    if (text || formals.length > 1) sliders.restop(name);
  };
  const each = row(name, "a size of the program", {
    min: 0,
    max: Math.max(0, stops.length - 1),
    value: stops.length ? nearest(stops, app.values[name]) : 0,
    oninput: (at) => set(app.stops[name][at]),
    ontext: (number) => set(number, true),
  });
  rows.set(name, each);
  return each.node;
}

/** `base` is the figure of the card. One that differs by direction has none until it is given. */
function figureRow(sliders, name, about, base) {
  const { app, rows } = sliders;
  const { steps, scale, back } = scaleOf(name, base ?? app.numbers?.figures?.[name] ?? STANDARD[name]);
  const set = (value) => {
    app.figures = { ...app.figures, [name]: value };
    show(sliders, name);
    refreshNumbers(app, "figures");
    clearTimeout(sliders.settle);
    sliders.settle = setTimeout(() => machineChanged(app), 500);
  };
  const each = row(name, about, {
    min: 0,
    max: steps,
    value: back(app.figures[name]),
    oninput: (at) => set(scale(at)),
    ontext: (number) => set(WHOLE.includes(name) ? Math.round(number) : number),
  });
  each.standard = base;
  rows.set(name, each);
  return each.node;
}

/**
 * The places of a slider, by factors around the standard figure in the middle: a whole figure doubles with every
 * second step, another with every eight or nine. b is a power of two that doubles with every third, from 1 on.
 */
function scaleOf(name, standard) {
  const whole = WHOLE.includes(name);
  const steps = whole ? 24 : 120;
  const doubles = whole ? 2 : steps / 14;
  const scale = (at) => {
    if (name === "b") return 2 ** Math.round(at / 3);
    const value = standard * 2 ** ((at - steps / 2) / doubles);
    return whole ? Math.max(1, Math.round(value)) : Number(value.toPrecision(3));
  };
  const back = (value = standard) =>
    (name === "b" ? Math.round(Math.log2(value) * 3) : Math.round(Math.log2((value || 1e-12) / standard) * doubles + steps / 2));
  return { steps, scale, back };
}

function row(name, about, { oninput, ontext, min, max, value }) {
  const range = el("input", { type: "range", min: String(min), max: String(max), step: "1", value: String(value), "aria-label": `${name}: ${about}` });
  const text = el("input", { type: "text", class: "value", inputmode: "decimal", "aria-label": `${name}, as a number`, spellcheck: "false" });
  range.addEventListener("input", () => oninput(Number(range.value)));
  const commit = () => {
    const number = parsed(text.value);
    text.classList.toggle("bad", number === null);
    if (number !== null) ontext(number);
  };
  text.addEventListener("change", commit);
  text.addEventListener("keydown", (event) => event.key === "Enter" && commit());
  const node = el("div", { class: "slider" }, el("label", { title: about }, el("i", {}, name)), range, text);
  return { node, range, text };
}

/** Asks anew for the stops of the other sizes after one has changed. `latest` keeps this from happening once a step. */
async function restop({ app, rows }, changed) {
  const { formals } = app.view.program;
  for (const name of formals) {
    if (name === changed && formals.length > 1) continue;
    try {
      const { stops } = await app.live.ask({ do: "stops", ...app.asked(), of: name });
      app.stops[name] = stops;
      const each = rows.get(name);
      if (each) {
        each.range.max = String(Math.max(0, stops.length - 1));
        each.range.value = String(nearest(stops, app.values[name]));
      }
    } catch { /* the next change asks again */ }
  }
}

/** Shows the value of a slider, except where one is typing or dragging. */
function show({ app, rows }, name) {
  const each = rows.get(name);
  if (!each) return;
  const formal = app.view.program.formals.includes(name);
  const value = formal ? app.values[name] : app.figures[name] ?? each.standard;
  if (document.activeElement !== each.text) {
    each.text.value = value === undefined ? "by direction" : formal || WHOLE.includes(name) ? grouped(value) : String(Number(value.toPrecision(4)));
  }
  if (formal && app.stops[name]?.length && document.activeElement !== each.range) each.range.value = String(nearest(app.stops[name], value));
  each.range.setAttribute("aria-valuetext", `${name} = ${value}`);
  each.node.classList.toggle("given", !formal && app.figures[name] !== undefined);
}
