// Beside its files: the library and the programs are fetched from where the page lies.

import { start } from "./main.js";

async function boot() {
  const bytes = await fetch("atgpu.wasm").then((answer) => answer.arrayBuffer());
  const module = await WebAssembly.compile(bytes);
  let held = null;
  const programs = () => (held ??= fetch("examples.json").then((answer) => answer.json()));
  await start({ library: { module, bytes, url: "worker.js" }, programs });
}

boot().catch((error) => {
  document.querySelector("#state").textContent = `the page could not start: ${error.message}`;
});
