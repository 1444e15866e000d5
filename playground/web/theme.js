// Dark or light: as the address says, as it was last chosen here, or as the system has it.

import { $ } from "./dom.js";

const theme = () => document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

/** @param {URLSearchParams} query */
export function startTheme(query) {
  const wanted = query.get("theme") ?? remembered("theme");
  if (wanted === "dark" || wanted === "light") document.documentElement.dataset.theme = wanted;
  $("#theme").onclick = () => {
    const other = theme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = other;
    remember("theme", other);
  };
}

export function remember(key, value) {
  try {
    localStorage.setItem(`atgpu.${key}`, value);
  } catch { /* a page in a file may have no storage */ }
}

export function remembered(key) {
  try {
    return localStorage.getItem(`atgpu.${key}`);
  } catch {
    return null;
  }
}
