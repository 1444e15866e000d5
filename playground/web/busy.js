// The bar that names long work and stops it on demand.

import { $ } from "./dom.js";
import { say } from "./tell.js";

/** Work that takes less is not mentioned, in ms. */
const SLOW = 900;

const NAMES = {
  derive: "deriving", judge: "judging safety", run: "running", values: "evaluating", curve: "drawing the curve",
  duel: "comparing", models: "asking the models", stops: "looking for sizes", change: "checking", advise: "trying changes",
};

export function watchEngines(engines) {
  const busy = $("#busy");
  const watch = () => {
    const found = engines.map((engine) => engine.oldest).filter(Boolean).sort((one, other) => one.since - other.since)[0];
    const age = found ? performance.now() - found.since : 0;
    busy.hidden = !found || age < SLOW;
    if (!busy.hidden) $("#busy-what").textContent = `still ${NAMES[found.what] ?? "working"} · ${Math.round(age / 1000)} s`;
    if (found) setTimeout(watch, busy.hidden ? Math.max(60, SLOW - age) : 300);
  };
  for (const engine of engines) engine.onbusy = watch;
  $("#stop").onclick = () => {
    for (const engine of engines) if (engine.oldest) engine.end("you stopped it");
    say("stopped; change the program or a size to go on");
  };
}
