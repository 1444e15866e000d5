// One MP, statement by statement: the controls. What is drawn of a statement is in mp.js.

import { el, fill } from "./dom.js";
import { lanes, memories } from "./mp.js";

/** @param {{steps: object[], stepsInAll: number, b: number, shapes: Map<string, number>, online: (line: number) => void}} traced */
export function stepper(traced) {
  const { steps } = traced;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let at = 0;
  let playing = null;

  const { root, range, play, count, told, picture } = parts(steps.length, { go: (to) => go(to), move: (by) => go(at + by), toggle: () => toggle() });

  function toggle() {
    if (playing) {
      clearInterval(playing);
      playing = null;
    } else {
      if (at >= steps.length - 1) go(0);
      playing = setInterval(() => {
        if (!root.isConnected || at >= steps.length - 1) toggle();
        else go(at + 1);
      }, still ? 1200 : 550);
    }
    play.textContent = playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", playing ? "pause" : "play");
  }

  function go(to) {
    at = Math.max(0, Math.min(steps.length - 1, to));
    range.value = String(at);
    draw();
  }

  function draw() {
    const step = steps[at];
    if (!step) return;
    count.textContent = `${at + 1} of ${traced.stepsInAll}`;
    fill(told, el("code", {}, step.text), el("span", {}, ` ${costs(step, traced.b).join(" · ")}`));
    fill(picture, lanes(traced, at), ...memories(traced, step));
    traced.online(step.line);
  }

  draw();
  return { root, go, stop: () => playing && toggle() };
}

/** The elements, which call `go` to a statement, `move` by some, and `toggle` playing. */
function parts(many, { go, move, toggle }) {
  const picture = el("div", { class: "mp-picture" });
  const told = el("p", { class: "mp-told", "aria-live": "polite" });
  const range = el("input", {
    type: "range", min: "0", max: String(Math.max(0, many - 1)), value: "0", "aria-label": "statement",
    oninput: () => go(Number(range.value)),
  });
  const count = el("output", { class: "mp-count" });
  const play = el("button", { type: "button", class: "tool", "aria-label": "play", onclick: toggle }, "▶");
  const bar = el("div", { class: "mp-bar" },
    el("button", { type: "button", class: "tool", "aria-label": "one statement back", onclick: () => move(-1) }, "◀"),
    play,
    el("button", { type: "button", class: "tool", "aria-label": "one statement on", onclick: () => move(1) }, "▸"),
    range, count);
  const root = el("div", { class: "mp", tabindex: "0", role: "group", "aria-label": "one MP, statement by statement" }, bar, told, picture);
  root.addEventListener("keydown", (event) => {
    if (event.target === range) return;
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };
    if (event.key in moves) {
      event.preventDefault();
      move(moves[event.key]);
      // What the statement meets lies below.
      root.scrollIntoView({ block: "nearest" });
    }
    if (event.key === " " && event.target === root) {
      event.preventDefault();
      toggle();
    }
  });
  return { root, range, play, count, told, picture };
}

/** `3 of 8 cores · 2 operations · 1 block`. */
function costs(step, b) {
  const of = (many, one) => `${many} ${one}${many === 1 ? "" : "s"}`;
  return [
    `${step.active} of ${b} cores`,
    of(step.operations, "operation"),
    ...(step.blocks ? [of(step.blocks, "block")] : []),
    ...(step.conflicts ? [of(step.conflicts, "bank conflict")] : []),
  ];
}
