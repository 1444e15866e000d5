// The page as one value, `app`: all that is open and known of it, for whoever shows a part. The parts are
// plain functions that take it first.

import { Engine } from "./engine.js";

/** @param {import("./engine.js").Library} library */
export function makeApp(library) {
  const app = {
    // The program, and what is open beside it.
    text: "",
    example: null,
    other: null,
    otherName: null,
    mode: "formulas",
    tab: "cost",
    // Without the instruments, in a frame of another page.
    embedded: false,
    // Where it is looked at: a machine, with figures that differ from the machine's own, and sizes.
    machine: "gtx650",
    machines: [],
    figures: {},
    values: {},
    stops: {},
    along: null,
    // What the library said of it: is it without errors, its derivation, the terms of its cost, numbers, safety,
    // the curve, a run.
    sound: null,
    view: null,
    terms: null,
    numbers: null,
    judged: null,
    curve: null,
    run: null,
    // The text is numbered with each change, so that an answer to an older text is known as such.
    revision: 0,
    // The next derivation, and the next patient sum, as timers.
    deriving: 0,
    resting: 0,
    // A text that was just opened is folded once. The sizes of a link stay, another program may need others.
    untidy: false,
    given: false,
    isOther: false,
    // When the first derivation was seen, in ms since the page began.
    first: 0,
    // The line of the cursor, and the line pointed at.
    cursor: 1,
    pointed: null,
    // Quick questions go to `live`. What takes long goes to `slow`, so that the first is never kept waiting.
    live: new Engine(library, "atgpu"),
    slow: new Engine(library, "atgpu-slow"),
    // Where numbers are asked.
    asked: () => ({ machine: app.machine, figures: app.figures, values: app.values }),
  };
  return app;
}
