// Data of one's own for a run: words that are typed, pasted, dropped or taken from a file. The data of an input are
// `{csv}`, text with commas, or `{npy}`, bytes.

import { el, fill } from "../dom.js";
import { Ended } from "../engine.js";
import { grouped } from "../numbers.js";

/** The largest file that is read, in bytes. */
const LARGEST = 4 * 2 ** 20;

/** Shows a field for each input that has data of one's own. */
export function ownFields(form) {
  fill(form.owns, form.view.program.inputs.filter(({ name }) => form.state.inputs[name] === "own").map((input) => ownField(form, input)));
}

/** Words with blanks or semicolons between them as words with commas. */
const commas = (text) => text.split("\n").map((row) => row.trim().replace(/\s*[,;]\s*|[ \t]+/g, ",").replace(/,$/, "")).filter(Boolean).join("\n");

function ownField(form, input) {
  const { name, extents } = input;
  const { own } = form.state;
  const told = el("p", { class: "own-told", role: "status" });
  const box = el("textarea", {
    rows: "3", spellcheck: "false", "aria-label": `words of ${name}`,
    placeholder: extents.length > 1 ? "1, 2, 3\n4, 5, 6" : "3, 1, 4, 1, 5, …",
  });
  const file = el("input", { type: "file", accept: ".csv,.npy,.txt", "aria-label": `a file for ${name}`, class: "own-file" });
  box.value = own[name]?.csv ?? "";
  if (own[name]?.npy) box.placeholder = own[name].file;
  const field = { ...input, form, box, told };

  let late = 0;
  box.oninput = () => {
    own[name] = box.value.trim() ? { csv: commas(box.value) } : null;
    clearTimeout(late);
    late = setTimeout(() => look(field), 250);
  };
  file.onchange = () => read(field, file.files[0]);
  box.ondragover = (event) => event.preventDefault();
  box.ondrop = (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    read(field, event.dataTransfer.files[0]);
  };
  look(field);
  return el("div", { class: "own", "data-own": name },
    el("div", { class: "own-head" }, el("code", {}, name), el("span", { class: "grow" }), el("label", { class: "own-pick" }, file, el("span", { class: "line-link" }, "from a file (.csv, .npy)"))),
    box, told);
}

function say({ box, told }, text, bad = false) {
  told.textContent = text;
  told.classList.toggle("bad", bad);
  box.setAttribute("aria-invalid", String(bad));
}

async function read(field, from) {
  if (!from) return;
  if (from.size > LARGEST) return say(field, `${from.name} has ${grouped(Math.ceil(from.size / 2 ** 20))} MB, the page takes up to 4; the command \`atgpu run\` takes any`, true);
  const { name, box, form: { state: { own } } } = field;
  const isNpy = /\.npy$/i.test(from.name);
  own[name] = isNpy ? { npy: [...new Uint8Array(await from.arrayBuffer())], file: from.name } : { csv: await from.text(), file: from.name };
  box.value = isNpy ? "" : own[name].csv.slice(0, 20000);
  if (isNpy) box.placeholder = from.name;
  await look(field);
}

/** Reads the words, says their shape, and sets the sizes that follow from it. */
async function look(field) {
  const { name, extents, form: { app, state } } = field;
  const declared = `${name}[${extents.join(", ")}]`;
  if (!state.own[name]) return say(field, `One row of ${declared} a line, commas or blanks between words.`);
  try {
    const found = await app.slow.ask({ do: "data", text: app.text, input: name, data: state.own[name] });
    holdShape(found.shape, extents);
    const sizes = setSizes(field.form, found.sizes);
    const shape = found.shape.length > 1 ? `${found.shape.join(" × ")} ` : `${grouped(found.words)} `;
    const heading = found.header ? ` The first line, “${found.header}”, is taken for a heading.` : "";
    say(field, `${shape}${found.words === 1 ? found.type : `${found.type}s`} for ${declared}${sizes.length ? `, so ${sizes.map(([size, extent]) => `${size} = ${grouped(extent)}`).join(", ")}` : ""}.${heading}`);
  } catch (error) {
    if (!(error instanceof Ended)) say(field, `This does not fit ${declared}: ${error.message}.`, true);
  }
}

/** One size cannot be two: 2 × 3 words are no `A[n, n]`. */
function holdShape(shape, extents) {
  shape.forEach((extent, at) => {
    const before = shape.length === extents.length ? extents.indexOf(extents[at]) : at;
    if (shape[before] !== extent) throw new Error(`they are ${shape.join(" × ")}, and ${extents[at]} cannot be both ${shape[before]} and ${extent}`);
  });
}

/** Returns the sizes of the program that were set. */
function setSizes({ state, fields, view }, found) {
  const sizes = Object.entries(found).filter(([size]) => view.program.formals.includes(size));
  for (const [size, extent] of sizes) {
    state.values[size] = extent;
    const field = fields.querySelector(`[aria-label="size ${CSS.escape(size)}"]`);
    if (field) field.value = String(extent);
  }
  return sizes;
}
