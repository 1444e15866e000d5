// Safety: the properties that are proved for every size, and the places where they are not.

import { el, fill, lineButton } from "../dom.js";
import { prose } from "../maths.js";
import { grouped } from "../numbers.js";
import { SIGNS, head, quiet, sign } from "./pieces.js";

const PROPERTIES = {
  bounds: "No access leaves its array",
  races: "No two cores, no two MPs disagree about a word",
  initialised: "No word is read before it is written",
  defined: "Everything has a value, whole where it must be",
  fits: "It fits the memories",
};

export function safety(app, root) {
  const { judged } = app;
  if (!judged) {
    fill(root, head("Safety"), quiet("Proving it for every size …"));
    return;
  }
  if (!judged.safety) {
    fill(root, head("Safety"), quiet("The text has to be sound first."));
    return;
  }
  const { safe, ...properties } = judged.safety;
  const fails = Object.values(properties).some((property) => property.verdict === "refuted");
  fill(root, head("Safety"),
    el("p", { class: `verdict-line ${safe ? "good" : fails ? "bad" : "fair"}` }, safe ? "Safe for every size that the requires admit." : fails ? "It fails at some sizes." : "Not proved for every size yet."),
    el("ul", { class: "verdicts" }, Object.entries(properties).map(([name, property]) => propertyItem(app, name, property))),
    judged.barriers ? waits(app, judged.barriers) : null);
}

/** Where the warps of an MP wait for each other, and where they need not: nothing where an MP is one warp. */
function waits(app, { why, warps, needed, superfluous, free: freeLines, loops }) {
  if (why) return [el("h3", {}, "Barriers between the warps of an MP"), quiet(why)];
  const free = freeLines.flatMap((line, at) => [at ? ", " : "", lineButton(line, app.go)]);
  return [
    el("h3", {}, `Barriers between the ${warps} warps of an MP`),
    quiet(`${needed.length} needed; ${superfluous} more, of two around every write, are proved superfluous.`),
    el("ul", { class: "verdicts barriers" },
      needed.map((barrier) => el("li", { class: "fair" }, sign("┅"),
        el("span", {}, barrier.inside ? "in " : "before ", lineButton(barrier.line, app.go), ": ", prose(barrier.reason)))),
      loops ? el("li", { class: "fair" }, sign("┅"), el("span", {}, `at every turn of ${loops === 1 ? "a loop" : `${loops} loops`}, to ask whether a core is left`)) : null,
      free.length ? el("li", { class: "good" }, sign("✓"), el("span", {}, "written without a wait: ", free)) : null),
  ];
}

function propertyItem(app, name, property) {
  const [mark, kind] = SIGNS[property.verdict] ?? ["?", "fair"];
  const places = (property.accesses ?? []).filter((access) => access.verdict !== "proved");
  const conditions = property.conditions?.length ? `where ${property.conditions.join(" and ")}` : "";
  const largest = Object.entries(property.largest ?? {}).map(([which, value]) => `${which} up to ${grouped(value)}`).join(", ");
  return el("li", { class: kind }, sign(mark),
    el("span", {}, PROPERTIES[name] ?? name.replace(/_/g, " ")),
    el("span", { class: "quiet" }, property.accesses ? counted(property.accesses) || property.verdict : [conditions, largest].filter(Boolean).join("; ")),
    places.length ? el("ul", {}, places.slice(0, 12).map((access) => placeItem(app, access))) : null);
}

/** `7 places proved, 1 refuted, 1 open`. */
function counted(accesses) {
  const many = (verdict) => accesses.filter((access) => access.verdict === verdict).length;
  return ["proved", "refuted", "open"].filter(many)
    .map((verdict, at) => `${many(verdict)} ${at ? "" : many(verdict) === 1 ? "place " : "places "}${verdict}`).join(", ");
}

const placeItem = (app, access) => el("li", {}, lineButton(access.line, app.go), " ",
  prose(`${access.what}: ${access.reason ?? access.verdict}${witness(access)}`), access.fix ? el("span", { class: "fix" }, access.fix) : null);

/** The sizes at which a place fails. */
function witness(access) {
  const values = Object.entries(access.witness?.values ?? {});
  return values.length ? `, at ${values.map(([name, value]) => `${name} = ${grouped(value)}`).join(", ")}` : "";
}
