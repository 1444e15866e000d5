// A short tour on the first visit: a card names the parts of the page, one after the other. Escape or work on the page
// ends it, and it does not come again.

import { $, el, fill } from "./dom.js";
import { remember, remembered } from "./theme.js";

const STEPS = [
  [".formula", "The cost", "This is the exact GPU-cost of the program, derived from its text. Point at a term, and the lines that it comes from light up."],
  [".program", "The program", "Write here, or choose a program above. Behind each line stands its cost: times, operations t and blocks q."],
  ["#sliders", "Sizes and machine", "Move a size or a figure of the machine. Formula, columns and figure follow."],
  [".tabs", "More to see", "Run the program on data, see why it is safe, or compare it with another one."],
];

export function startTour() {
  if (remembered("tour")) return;
  remember("tour", "seen");
  // Where nothing can be remembered, it would come with each visit.
  if (!remembered("tour")) return;
  const card = el("aside", { class: "tour", "aria-label": "a short tour", role: "region" });
  let at = 0;
  const mark = (isHere) => $(STEPS[at][0]).classList.toggle("tour-here", isHere);
  const leave = () => {
    mark(false);
    card.remove();
    document.removeEventListener("keydown", onkey, true);
    document.removeEventListener("pointerdown", onpointer, true);
  };
  const onkey = (event) => event.key === "Escape" && leave();
  const onpointer = (event) => card.contains(event.target) || leave();
  const go = (to) => {
    mark(false);
    at = to;
    mark(true);
    const [, title, text] = STEPS[at];
    const isLast = at === STEPS.length - 1;
    const next = el("button", { type: "button", class: "primary", onclick: () => (isLast ? leave() : go(at + 1)) }, isLast ? "Done" : "Next");
    const hadFocus = card.contains(document.activeElement);
    fill(card, el("h2", {}, title), el("p", { role: "status" }, text),
      el("div", {}, next, el("button", { type: "button", class: "line-link", onclick: leave }, "leave (Esc)"), el("span", { class: "grow" }), el("span", { class: "quiet" }, `${at + 1} of ${STEPS.length}`)));
    if (hadFocus) next.focus();
  };
  document.addEventListener("keydown", onkey, true);
  document.addEventListener("pointerdown", onpointer, true);
  document.body.append(card);
  go(0);
}
