// Opening a program, from the gallery, from a link or from the address of the page, and the link to an open one.

import { $, el } from "./dom.js";
import { grouped } from "./numbers.js";
import { fragment, packed, unpacked } from "./share.js";
import { parsed } from "./sliders.js";
import { toast } from "./tell.js";
import vectorAddition from "../../programs/paper1/vector_addition.atgpu";

/** Opens a program, with the machine, sizes, tab and mode of a link. */
export function open(app, { text, machine, figures, values, tab, mode, other }) {
  app.figures = figures ?? {};
  app.values = values ?? {};
  app.given = Object.keys(app.values).length > 0;
  app.other = other ?? null;
  app.along = null;
  app.numbers = null;
  app.run = null;
  if (machine && app.machines.some(({ name }) => name === machine)) app.machine = machine;
  $("#machine").value = app.machine;
  if (mode === "numbers" && app.mode !== "numbers") $("#mode").click();
  app.untidy = true;
  app.view = null;
  app.editor.text = text;
  if (tab) app.panel.open(tab);
}

/**
 * Opens the program that the address names.
 *
 * @param {URLSearchParams} query
 * @param {() => Promise<object[]>} programs
 */
export async function openAddress(app, query, programs) {
  app.panel.open(query.get("tab") ?? "cost");
  const linked = await fromLink();
  if (location.hash.startsWith("#p=") && !linked) toast("the link is damaged; here is another program");
  const named = query.has("example") ? (await programs()).find(({ name }) => name === query.get("example")) : null;
  if (query.has("example") && !named) toast(`no program is called ${query.get("example")}`);
  open(app, linked ?? { text: named?.text ?? vectorAddition, machine: query.get("machine"), ...given(query), mode: query.get("mode") });
  window.addEventListener("hashchange", async () => {
    const again = await fromLink();
    if (again) open(app, again);
  });
}

/** Returns the state that a link in the address holds, or null. */
async function fromLink() {
  const linked = location.hash.startsWith("#p=") ? await unpacked(location.hash.slice(3)) : null;
  return linked && { ...linked, values: plain(linked.values), figures: plain(linked.figures) };
}

/** Numbers by name, and nothing else, from a link. */
const plain = (values) => Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => ["number", "string"].includes(typeof value)).slice(0, 40));

const OWN = ["example", "machine", "embed", "theme", "tab", "mode"];
const FIGURES = ["p", "b", "M", "G", "alpha", "beta", "gamma", "lambda", "sigma", "H", "k'"];

/** The sizes and the figures of the machine in an address: `n=2^20&sigma=0.01`. */
function given(query) {
  const values = {};
  const figures = {};
  for (const [name, value] of query) {
    const number = OWN.includes(name) ? null : parsed(value);
    if (number !== null) (FIGURES.includes(name) ? figures : values)[name] = number;
  }
  return { values, figures };
}

/** Returns a link that opens the page as it is now. */
async function address(app) {
  const state = {
    text: app.text, machine: app.machine, figures: app.figures, values: app.values, tab: app.tab, mode: app.mode,
    ...(app.other ? { other: app.other } : {}),
  };
  return `${location.href.split(/[?#]/)[0]}${fragment(await packed(state))}`;
}

export function startSharing(app) {
  $("#share").onclick = async () => {
    const link = await address(app);
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      toast(`link copied: ${grouped(link.length)} characters, the whole program is in it`);
    } catch {
      toast("the link stands in the address bar: the whole program is in it");
    }
  };
}

/** Adds a link from a frame to the whole page. Its address is made when it is about to be used. */
export async function linkOut(app) {
  const out = el("a", { class: "open-out", target: "_blank", rel: "noopener" }, "open in the playground ↗");
  const refresh = async () => { out.href = await address(app); };
  out.addEventListener("pointerenter", refresh);
  out.addEventListener("focus", refresh);
  await refresh();
  $(".foot").append(out);
}
