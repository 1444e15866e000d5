// The menu that saves the program, its figure, its derivation or its source in another language as a file.

import { $ } from "./dom.js";
import { costPicture } from "./panels/cost.js";
import { askSlow } from "./panels/pieces.js";
import { save } from "./share.js";
import { toast } from "./tell.js";

/** Pixels of a PNG file per pixel of the figure: 288 per inch, as in those of `atgpu plot`. */
const SCALE = 3;

/** Each item of the menu: how the file's name ends, the type of its content, and the content. */
const FILES = {
  atgpu: [".atgpu", "text/plain;charset=utf-8", (app) => app.text],
  svg: [".svg", "image/svg+xml", figure],
  png: [".png", "image/png", async (app) => pixels(await figure(app))],
  tex: [".tex", "text/x-tex", (app) => written(app, { do: "latex" })],
  py: [".py", "text/x-python", (app) => written(app, { do: "python" })],
  c: [".c", "text/x-c", (app) => written(app, { do: "emit", target: "c", ...app.asked() })],
  cu: [".cu", "text/x-c", (app) => written(app, { do: "emit", target: "cuda", ...app.asked() })],
};

export function startSaving(app) {
  document.querySelectorAll("[data-save]").forEach((button) => {
    button.onclick = async () => {
      $("#save").open = false;
      const [end, type, content] = FILES[button.dataset.save];
      try {
        save(`${app.view?.program.name ?? "program"}${end}`, type, await content(app));
      } catch (error) {
        toast(error.message);
      }
    };
  });
  document.addEventListener("click", (event) => {
    if (!$("#save").contains(event.target)) $("#save").open = false;
  });
}

/** What has to be proved safe first takes a while, so the slow worker does it. */
const written = async (app, request) => (await askSlow(app, () => app.slow.ask(request))).text;

/** The picture that is shown, or that of the cost. */
async function figure(app) {
  const question = app.tab === "compare" && app.duel ? app.duel : costPicture(app);
  if (!question) throw new Error("there is no curve to draw");
  return (await app.live.ask(question)).svg;
}

async function pixels(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const sheet = new OffscreenCanvas(image.naturalWidth * SCALE, image.naturalHeight * SCALE);
  sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
  return sheet.convertToBlob({ type: "image/png" });
}
