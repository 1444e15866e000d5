// The page: its parts, begun one after the other. `app` is what they share.

import { makeApp } from "./app.js";
import { watchEngines } from "./busy.js";
import { changed } from "./changes.js";
import { startMode, startWidening } from "./columns.js";
import { $ } from "./dom.js";
import { editor } from "./editor.js";
import { keepFitted } from "./formula.js";
import { gallery } from "./gallery.js";
import { pointed, tellLine } from "./light.js";
import { startMachines } from "./machine.js";
import { typeset } from "./maths.js";
import { linkOut, open, openAddress, startSharing } from "./opening.js";
import { panels } from "./panels.js";
import { startSaving } from "./saving.js";
import { makeSliders } from "./sliders.js";
import { toast } from "./tell.js";
import { startTheme } from "./theme.js";
import { startTour } from "./tour.js";

/**
 * Begins the page.
 *
 * @param {{library: import("./engine.js").Library, programs: () => Promise<object[]>}} held
 */
export async function start({ library, programs }) {
  const query = new URLSearchParams(location.search);
  const app = makeApp(library);
  app.embedded = query.has("embed");
  document.documentElement.classList.toggle("embed", app.embedded);
  // The tests look at it.
  window.atgpuPage = { app, live: app.live, slow: app.slow, typeset };

  startTheme(query);
  watchEngines([app.live, app.slow]);
  startEditor(app);
  keepFitted();
  startMode(app);
  startWidening();
  app.sliders = makeSliders(app, $("#sliders"));
  app.panel = panels(app, $("#panel"));
  startGallery(app, programs);
  startHelp();
  startSharing(app);
  startSaving(app);
  await startMachines(app);
  await openAddress(app, query, programs);
  if (app.embedded) await linkOut(app);
  else startTour();
}

function startEditor(app) {
  app.editor = editor({
    parent: $("#editor"),
    ask: (request) => app.live.ask(request),
    onchange: (text) => changed(app, text),
    online: (line) => pointed(app, line),
    oncursor: (line) => tellLine(app, line),
    tell: toast,
  });
  app.go = (line) => app.editor.go(line);
  // The heads of the columns stand above them, also beside a scroll bar.
  const { scrollDOM, contentDOM } = app.editor.view;
  const bar = new ResizeObserver(() => { $(".columns").style.paddingRight = `${scrollDOM.offsetWidth - scrollDOM.clientWidth}px`; });
  bar.observe(scrollDOM);
  bar.observe(contentDOM);
}

function startGallery(app, programs) {
  const choose = ({ text }) => open(app, { text });
  app.gallery = gallery({ dialog: $("#gallery"), programs, choose });
  $("#programs").onclick = () => app.gallery.open();
}

function startHelp() {
  const help = $("#help-text");
  $("#help").onclick = () => help.showModal();
  $("[data-close]").onclick = () => help.close();
  help.addEventListener("click", (event) => event.target === help && help.close());
}
