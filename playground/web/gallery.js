// The programs that come with the page, as cards with a picture each.

import { spark } from "./charts.js";
import { el, fill } from "./dom.js";
import { inline } from "./maths.js";

const FOLDERS = [
  ["paper1", "Paper 1: an improved abstract GPU model with data transfer"],
  ["cookbook", "The cookbook"],
  ["paper2", "Paper 2: performance prediction"],
  ["paper3", "Paper 3: overlap of transfers"],
  ["paper4", "Paper 4: memory in microbenchmarks"],
  ["paper5", "Paper 5: streams"],
  ["measured", "Kernels that were measured"],
  ["machine", "Programs that determine a machine"],
];

/** @param {{dialog: HTMLDialogElement, programs: () => Promise<object[]>, choose: (example: object) => void}} options */
export function gallery({ dialog, programs, choose }) {
  let examples = [];
  const list = el("div", { class: "cards-list" });
  const search = el("input", {
    type: "search", placeholder: "Search by name or idea", "aria-label": "search the programs",
    oninput: () => show(search.value),
  });
  const heading = el("h2", {}, "Programs");
  dialog.setAttribute("aria-label", "Programs");
  fill(dialog, el("div", { class: "gallery-head" }, heading, search,
    el("button", { type: "button", class: "tool", "aria-label": "close", onclick: () => dialog.close() }, "✕")), list);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  let picked = choose;

  function show(wanted) {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (example) => words.every((word) => `${example.title} ${example.name} ${example.about}`.toLowerCase().includes(word));
    fill(list, FOLDERS.map(([folder, title]) => {
      const found = examples.filter((example) => example.folder === folder && fits(example));
      if (!found.length) return null;
      return el("section", {}, el("h3", {}, title), el("div", { class: "cards" }, found.map(card)));
    }));
    if (!list.children.length) fill(list, el("p", { class: "quiet" }, "No program has these words."));
  }

  function card(example) {
    return el("button", { type: "button", class: "card", onclick: () => { dialog.close(); picked(example); } },
      example.spark ? spark(example.spark) : el("span", { class: "no-spark" }, `no picture: ${example.why ?? "nothing is derived of it"}`),
      el("strong", {}, example.title),
      el("span", { class: "about" }, example.about),
      el("span", { class: "formulas" }, ["t", "q"].map((letter) => (example[letter] ? el("span", {}, el("b", {}, letter), " ", inline(example[letter])) : null))));
  }

  return {
    async open(what = "Programs", then = choose) {
      examples = await programs();
      heading.textContent = what;
      picked = then;
      search.value = "";
      show("");
      dialog.showModal();
      search.focus();
    },
  };
}
