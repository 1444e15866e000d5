// A run on data: the form that asks for it, and the request. `form` is one such form on the page: the program
// that it was made for, its choices (`state`, which `app.run` keeps) and its places on the page.

import { el, fill } from "../dom.js";
import { ownFields } from "./own.js";
import { askSlow, failed, head, quiet } from "./pieces.js";
import { present } from "./result.js";

const CORES = [4, 8, 16, 32];
const KINDS = { random: "random", iota: "0, 1, 2, …", zeros: "zeros", ones: "ones", own: "my own …" };

export async function run(app, root) {
  const { view } = app;
  // Data of one's own stay while the text changes.
  app.run = app.run?.of === app.text ? app.run : { of: app.text, b: 8, values: {}, inputs: app.run?.inputs ?? {}, own: app.run?.own ?? {}, seed: 1, mp: 0 };
  const form = {
    app, view, state: app.run,
    fields: el("div", { class: "run-fields" }),
    owns: el("div", { class: "owns" }),
    result: el("div", { class: "run-result" }),
  };
  const go = el("button", { type: "button", class: "primary", onclick: () => execute(form) }, "Run");
  fill(root, el("div", { class: "run" }, head("Run on data", go), form.fields, form.owns, form.result));
  if (!Object.keys(form.state.values).length && view.program.formals.length) await prepare(form);
  if (app.tab !== "run") return;
  showFields(form);
  execute(form);
}

// --- the form ---------------------------------------------------------------------------------------

function showFields(form) {
  const { state, view } = form;
  const seed = el("input", { type: "number", min: "0", value: String(state.seed), "aria-label": "seed", oninput: () => { state.seed = Number(seed.value) || 0; } });
  fill(form.fields,
    coresField(form),
    view.program.formals.map((name) => sizeField(form, name)),
    view.program.inputs.map(({ name }) => inputField(form, name)),
    el("label", {}, "seed", seed));
  ownFields(form);
}

function coresField(form) {
  const { state } = form;
  const cores = el("select", { "aria-label": "cores of an MP" }, CORES.map((b) => el("option", { value: String(b) }, String(b))));
  cores.value = String(state.b);
  cores.onchange = async () => {
    state.b = Number(cores.value);
    await prepare(form);
    showFields(form);
  };
  return el("label", {}, el("i", {}, "b"), cores);
}

function sizeField(form, name) {
  const { state } = form;
  const field = el("input", { type: "text", value: String(state.values[name] ?? ""), "aria-label": `size ${name}` });
  field.onchange = () => { state.values[name] = Number(field.value.replace(/\D/g, "")); };
  field.onkeydown = (event) => {
    if (event.key === "Enter") { field.onchange(); execute(form); }
  };
  return el("label", {}, el("i", {}, name), field);
}

function inputField(form, name) {
  const { state } = form;
  const list = el("select", { "aria-label": `data of ${name}` }, Object.entries(KINDS).map(([kind, told]) => el("option", { value: kind }, told)));
  list.value = state.inputs[name] ?? "random";
  list.onchange = () => {
    state.inputs[name] = list.value;
    ownFields(form);
    if (list.value === "own") form.owns.querySelector(`[data-own="${CSS.escape(name)}"] textarea`)?.focus();
  };
  return el("label", {}, el("code", {}, name), list);
}

/** Finds sizes to begin with. */
async function prepare(form) {
  try {
    await askSlow(form.app, () => suggest(form));
  } catch (error) {
    fill(form.result, failed(error));
  }
}

/** The smallest sizes that are admitted, each then grown to some four blocks of words. */
async function suggest({ app, state, view }) {
  const figures = { ...app.figures, b: state.b };
  const { formals } = view.program;
  if (!formals.length) return;
  const { first } = await app.slow.ask({ do: "stops", machine: app.machine, figures, values: {}, of: formals[0] });
  for (const name of formals) state.values[name] = first?.[name] ?? 1;
  for (const name of formals) {
    const { stops } = await app.slow.ask({ do: "stops", machine: app.machine, figures, values: state.values, of: name, most: 4096 });
    const wanted = 4 * state.b;
    const found = stops.find((stop) => stop >= wanted) ?? stops[stops.length - 1];
    if (found !== undefined) state.values[name] = found;
  }
}

// --- the run ----------------------------------------------------------------------------------------

async function execute(form) {
  const { app, state, view } = form;
  const began = performance.now();
  fill(form.result, quiet("Running …"));
  try {
    const kernel = view.places.kernels.find((each) => each.mps);
    // `mp_{x,y}` has two indices: the last is the MP chosen, the others are 0.
    const mp = Array.from({ length: kernel?.mps ?? 1 }, (_, at) => (at === (kernel?.mps ?? 1) - 1 ? state.mp : 0));
    const inputs = given(form);
    const found = await askSlow(app, () => app.slow.ask({
      do: "run", machine: app.machine, figures: { ...app.figures, b: state.b }, values: state.values, inputs, seed: state.seed, mp,
    }));
    present(form, { found, ms: performance.now() - began, mp }, () => execute(form));
  } catch (error) {
    fill(form.result, failed(error));
  }
}

/** Returns the data of each input, as the library takes them. */
function given({ state, view }) {
  return Object.fromEntries(view.program.inputs.map(({ name }) => {
    const kind = state.inputs[name] ?? "random";
    if (kind !== "own") return [name, kind];
    if (!state.own[name]) throw new Error(`there are no words for ${name} yet`);
    const { csv, npy } = state.own[name];
    return [name, npy ? { npy } : { csv }];
  }));
}
