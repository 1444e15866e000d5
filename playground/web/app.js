// The state of the page, `app`: the open program, the chosen machine and sizes, and the library's answers. Every part
// of the page is a module of plain functions that take `app` first.

import { Engine } from "./engine.js";

/** @param {import("./engine.js").Library} library */
export function makeApp(library) {
  const app = {
    // The text of the program, the text of the second program of Compare, and the open views.
    text: "",
    other: null,
    mode: "formulas",
    tab: "cost",
    // Without the instruments, in a frame of another page.
    embedded: false,
    // The machine, the figures that differ from the machine's own, the sizes, and the axis of the curve.
    machine: "gtx650",
    machines: [],
    figures: {},
    values: {},
    stops: {},
    along: null,
    // The library's answers: is the text without errors, its derivation, the terms of its cost, its numbers, its
    // safety, its curve, and a run.
    sound: null,
    view: null,
    terms: null,
    numbers: null,
    judged: null,
    curve: null,
    run: null,
    // The changes that were found to save something, with the text and the machine they are for.
    advice: null,
    // The lines at which the warps of an MP wait for each other, each with the reasons.
    waits: new Map(),
    // A number for each change of the text, so that an answer to an older text can be dropped.
    revision: 0,
    // Timers: the next derivation, and the next patient sum.
    deriving: 0,
    resting: 0,
    // Flags: the text was just opened and still has to be folded; its sizes came with a link and stay; it is another
    // program than before and may need other sizes.
    untidy: false,
    given: false,
    isOther: false,
    // The time of the first derivation, in ms since the page began.
    first: 0,
    // The line of the cursor, and the line pointed at.
    cursor: 1,
    pointed: null,
    // The parts of the page that others call, once they have begun, and the editor's `go` to a line.
    editor: null,
    sliders: null,
    panel: null,
    gallery: null,
    go: null,
    // Pictures that follow a slider or can be stopped, the request for the picture of Compare, and how many times two
    // programs were compared.
    curveHandle: null,
    duelHandle: null,
    duel: null,
    stepping: null,
    duels: 0,
    // Two workers. Long questions go to `slow`, so that typing and sliders never wait for them.
    live: new Engine(library, "atgpu"),
    slow: new Engine(library, "atgpu-slow"),
    /** The part of a question that says where numbers are wanted. */
    asked: () => ({ machine: app.machine, figures: app.figures, values: app.values }),
  };
  return app;
}
