// The sizes of the program and the figures of the machine, as sliders. A size stops where the program
// admits it; a figure moves freely, by factors.

import { el, fill } from "./dom.js";
import { latest } from "./engine.js";
import { machineChanged } from "./machine.js";
import { grouped } from "./numbers.js";
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

export function makeSliders(app, root) {
  const sizes = el("div", { class: "slider-list" });
  const more = el("details", { class: "more" }, el("summary", {}, "the machine's figures"), el("div", { class: "slider-list" }));
  const fault = el("p", { class: "slider-fault", role: "status" });
  fill(root, sizes, fault, more);
  const machineList = more.querySelector(".slider-list");
  const rows = new Map();

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

  const nearest = (stops, value) => stops.reduce((best, each, at) => (Math.abs(Math.log((each || 0.5) / (value || 0.5))) < Math.abs(Math.log((stops[best] || 0.5) / (value || 0.5))) ? at : best), 0);

  async function prepare() {
    const formals = app.view.program.formals;
    for (const name of Object.keys(app.values)) if (!formals.includes(name)) delete app.values[name];
    app.stops = {};
    const asked = () => ({ machine: app.machine, figures: app.figures, values: app.values });
    const isShown = async () => {
      const found = await app.live.ask({ do: "values", ...asked() });
      return !found.fault && !found.beyond?.length && Boolean(found.cost?.all);
    };
    // Sizes that another program was looked at with stay as long as they suit this one.
    const isNew = app.isOther && !app.given && formals.every((name) => app.values[name] !== undefined) && !(await isShown());
    const missing = formals.filter((name) => isNew || app.values[name] === undefined);
    if (missing.length) {
      // Beginning with the smallest that the program admits, each grows to something worth looking at.
      const { first } = await app.live.ask({ do: "stops", ...asked(), values: {}, of: formals[0] });
      for (const name of missing) app.values[name] = first?.[name] ?? 1;
      const targets = formals.length === 1 ? [2 ** 20, 2 ** 10, 2 ** 8, 2 ** 6] : [2 ** 10, 2 ** 8, 2 ** 6, 2 ** 4];
      for (const name of missing) {
        const { stops } = await app.live.ask({ do: "stops", ...asked(), of: name });
        if (!stops.length) continue;
        for (const target of targets) {
          const before = app.values[name];
          app.values[name] = stops[nearest(stops, target)];
          if (await isShown()) break;
          app.values[name] = before;
        }
      }
    }
    for (const name of formals) app.stops[name] = (await app.live.ask({ do: "stops", ...asked(), of: name })).stops;
    build();
  }

  function build() {
    const formals = app.view.program.formals;
    rows.clear();
    fill(sizes, formals.map((name) => {
      const stops = app.stops[name];
      const set = (value, text) => {
        app.values = { ...app.values, [name]: value };
        show(name);
        refreshNumbers(app, name);
        if (text || formals.length > 1) restop(name);
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
    }));
    if (!formals.length) fill(sizes, el("p", { class: "quiet" }, "The program has no sizes."));
    const base = app.machines.find(({ name }) => name === app.machine)?.figures ?? {};
    fill(machineList, FIGURES.map(([name, about]) => {
      // A figure that differs by direction has no slider of its own until it is given.
      const standard = base[name] ?? app.numbers?.figures?.[name] ?? STANDARD[name];
      const set = (value) => {
        app.figures = { ...app.figures, [name]: value };
        show(name);
        refreshNumbers(app, "figures");
        clearTimeout(settle);
        settle = setTimeout(() => machineChanged(app), 500);
      };
      const whole = WHOLE.includes(name);
      const steps = whole ? 24 : 120;
      const scale = (at) => {
        const value = standard * 2 ** ((at - steps / 2) / (whole ? 2 : steps / 14));
        return name === "b" ? 2 ** Math.round(at / 3) : whole ? Math.max(1, Math.round(value)) : Number(value.toPrecision(3));
      };
      const back = (value) => (name === "b" ? Math.round(Math.log2(value) * 3) : Math.round(Math.log2((value || 1e-12) / standard) * (whole ? 2 : steps / 14) + steps / 2));
      const each = row(name, about, {
        min: 0,
        max: steps,
        value: back(app.figures[name] ?? standard),
        oninput: (at) => set(scale(at)),
        ontext: (number) => set(whole ? Math.round(number) : number),
      });
      each.standard = base[name];
      each.back = back;
      rows.set(name, each);
      return each.node;
    }), el("button", { type: "button", class: "line-link", onclick: () => { app.figures = {}; build(); machineChanged(app); } }, "the card's own figures"));
    for (const name of rows.keys()) show(name);
  }

  // Where no figure of the card is one number for both ways.
  const STANDARD = { α: 0.0092, β: 7e-7, γ: 1e6, λ: 3, σ: 0.05, "k'": 16, H: 16 };
  let settle = 0;

  // While a slider moves each is asked for once more, not once a step.
  const restop = latest(async (changed) => {
    const formals = app.view.program.formals;
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
  });

  function show(name) {
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

  return {
    prepare,
    show,
    fault(text) {
      fault.textContent = text;
      root.classList.toggle("faulty", Boolean(text));
    },
  };
}
