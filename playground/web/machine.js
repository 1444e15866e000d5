// The machine that the program is looked at on.

import { judgeSoon } from "./changes.js";
import { $, el, fill } from "./dom.js";
import { quietly } from "./tell.js";
import { refreshNumbers } from "./totals.js";

/** Fills the list of machines. */
export async function startMachines(app) {
  const list = $("#machine");
  app.machines = await app.live.ask({ do: "machines" });
  fill(list, app.machines.map(({ name }) => el("option", { value: name }, name)));
  list.onchange = () => {
    app.machine = list.value;
    app.figures = {};
    machineChanged(app);
  };
}

/** Shows everything anew for another machine, or for other figures of it. */
export async function machineChanged(app) {
  const list = $("#machine");
  list.value = app.machine;
  list.title = app.machines.find(({ name }) => name === app.machine)?.about ?? "";
  if (!app.view) return;
  try {
    await app.sliders.prepare();
  } catch (error) {
    quietly(error);
    return;
  }
  refreshNumbers(app);
  judgeSoon(app);
}
