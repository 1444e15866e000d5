// In one file: the library, the programs and the worker stand in the page itself, gzipped.

import { start } from "./main.js";

async function held(id) {
  const text = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).arrayBuffer();
}

async function boot() {
  const [bytes, worker] = await Promise.all([held("held-library"), held("held-worker")]);
  const url = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
  const module = await WebAssembly.compile(bytes);
  let found = null;
  const programs = () => (found ??= held("held-examples").then((text) => JSON.parse(new TextDecoder().decode(text))));
  await start({ library: { module, bytes, url }, programs });
}

boot().catch((error) => {
  document.querySelector("#state").textContent = `the page could not start: ${error.message}`;
});
