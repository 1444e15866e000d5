// The instruments beside the program, one at a time.

import { curves, roofline } from "./charts.js";
import { $, el, fill, lineButton } from "./dom.js";
import { inline, prose } from "./maths.js";
import { grouped, precise, size, time } from "./numbers.js";
import { stepper } from "./stepper.js";
import { inPortions, spaced } from "./main.js";

const TABS = ["cost", "run", "claims", "safety", "roofline", "compare", "models"];

export function panels(app, root) {
  let handle = null;
  const show = { cost, run, claims, safety, roofline: roof, compare, models };

  function open(tab) {
    if (!TABS.includes(tab)) tab = "cost";
    app.tab = tab;
    for (const each of TABS) {
      const button = $(`#tab-${each}`);
      button.setAttribute("aria-selected", String(each === tab));
      button.tabIndex = each === tab ? 0 : -1;
    }
    root.setAttribute("aria-labelledby", `tab-${tab}`);
    refresh();
  }

  /** The verdict in a word, beside the name of its view. */
  function markSafety() {
    const { judged } = app;
    const verdicts = Object.values(judged?.safety ?? {}).map((property) => property.verdict);
    const word = !judged?.safety ? "" : judged.safety.safe ? "safe" : verdicts.includes("refuted") ? "fails" : "open";
    app.mark("safety", word, { safe: "good", fails: "bad", open: "fair" }[word] ?? "");
  }

  function refresh(only) {
    if (only === "safety") markSafety();
    if (only && only !== app.tab) return;
    if (app.tab === "run" && only === undefined && app.run?.of === app.text && root.querySelector(".run")) return;
    root.dataset.tab = app.tab;
    if (!app.view) {
      fill(root, el("p", { class: "quiet" }, "Nothing is derived yet."));
      return;
    }
    show[app.tab]();
  }

  for (const tab of TABS) $(`#tab-${tab}`).addEventListener("click", () => open(tab));
  document.querySelector(".tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = TABS[(TABS.indexOf(app.tab) + step + TABS.length) % TABS.length];
    open(next);
    $(`#tab-${next}`).focus();
  });

  const line = (number) => lineButton(number, app.go);
  const quiet = (text) => el("p", { class: "quiet" }, text);
  const failed = (error) => (error.constructor.name === "Ended" ? quiet("Stopped.") : el("p", { class: "bad" }, error.message));

  // --- cost -----------------------------------------------------------------------------------------

  function cost() {
    const { curve, along } = app;
    if (!along) {
      fill(root, quiet("The program has no size to draw a curve over."));
      return;
    }
    if (!curve) {
      if (!root.querySelector(".cost-panel")) fill(root, quiet("Drawing …"));
      return;
    }
    let box = root.querySelector(".cost-panel");
    if (!box) {
      box = el("div", { class: "cost-panel" }, el("div", { class: "panel-head" }, el("h2", {}, "GPU-cost"), choices()), el("div", { class: "figure" }), el("p", { class: "quiet caption" }));
      fill(root, box);
    } else {
      box.querySelector(".panel-head").lastElementChild.replaceWith(choices());
    }
    const figure = box.querySelector(".figure");
    if (!curve.curves?.length) {
      fill(figure, quiet(curve.why ?? "There is no admissible size with a cost on this card."));
      return;
    }
    const named = { atgpu: "with transfers", swgpu: "without" };
    const series = curve.curves.map((each) => ({ name: `${named[each.model] ?? each.model}${each.exact ? "" : ", at most"}`, points: each.points }));
    handle = curves(figure, {
      series, along: curve.along, at: app.values[curve.along], shade: true,
      onpick: (x) => pick(x), label: `GPU-cost over ${curve.along}, with and without transfers`,
    });
    caption();
  }

  function caption() {
    const node = root.querySelector(".cost-panel .caption");
    const parts = app.numbers?.cost;
    if (!node) return;
    const share = parts?.all ? (parts.starts + parts.words) / parts.all : 0;
    const drag = `Drag in the figure to change ${app.along}.`;
    node.textContent = share > 0
      ? `The shaded part is transfer: ${precise(share * 100, 2)} % at ${app.along} = ${size(app.values[app.along])}. ${drag}`
      : drag;
  }

  function choices() {
    const formals = app.view.program.formals;
    if (formals.length < 2) return el("span", { class: "quiet" }, "over ", el("i", {}, app.along));
    const list = el("select", { "aria-label": "the size along the axis" }, formals.map((name) => el("option", { value: name, selected: name === app.along }, name)));
    list.value = app.along;
    list.onchange = () => {
      app.along = list.value;
      app.refreshNumbers("all");
    };
    return el("label", { class: "quiet" }, "over ", list);
  }

  function pick(x) {
    const stops = app.stops[app.along] ?? [];
    if (!stops.length) return;
    const value = stops.reduce((best, each) => (Math.abs(Math.log(each || 0.5) - Math.log(x)) < Math.abs(Math.log(best || 0.5) - Math.log(x)) ? each : best), stops[0]);
    if (value === app.values[app.along]) return;
    app.values = { ...app.values, [app.along]: value };
    app.refreshNumbers(app.along);
  }

  app.moved = (what) => {
    if (app.tab === "cost" && handle && what !== "all") handle.move(app.values[app.along]);
    if (app.tab === "cost" && what === "numbers") caption();
    if (app.tab === "compare" && app.duelHandle) app.duelHandle.move(app.values[app.along]);
    if (what === app.along) app.showSlider(app.along);
  };

  // --- claims ---------------------------------------------------------------------------------------

  const SIGNS = { proved: ["✓", "good"], tested: ["≈", "fair"], refuted: ["✗", "bad"], open: ["?", "fair"] };

  function claims() {
    const { derivation } = app.view;
    const list = derivation.claims.map((claim) => {
      const [sign, kind] = SIGNS[claim.verdict] ?? ["?", ""];
      const verdict = {
        proved: "proved", tested: `held at ${claim.points} points, not proved`,
        refuted: `wrong ${claim.counterexample ?? ""}${claim.values ? `: ${claim.values}` : ""}`, open: `open: ${claim.reason ?? ""}`,
      }[claim.verdict];
      return el("li", { class: kind }, el("span", { class: "sign", "aria-hidden": "true" }, sign), el("code", {}, claim.text), claim.verdict === "proved" ? null : el("span", { class: "quiet" }, verdict), line(claim.line));
    });
    // What one line makes a bound of, together.
    const reasons = Map.groupBy(derivation.bounds, (bound) => `${bound.line} ${bound.reason}`);
    const bounds = [...reasons.values()].map((all) => el("li", { class: "fair" }, el("span", { class: "sign", "aria-hidden": "true" }, "≤"),
      el("span", {}, all.map(({ quantity }, at) => [at ? ", " : "", el("code", {}, quantity)])),
      el("span", { class: "quiet" }, prose(`${all[0].reason}; ${all[0].remedy}`)), line(all[0].line)));
    const classes = Object.entries(derivation.classes);
    const proved = derivation.claims.filter((claim) => claim.verdict === "proved").length;
    fill(root, el("div", { class: "panel-head" }, el("h2", {}, "Claims"), list.length ? el("span", { class: "quiet" }, `${proved} of ${list.length} proved`) : null),
      list.length ? el("ul", { class: "verdicts" }, list) : quiet("The program claims nothing. Add a line such as “claim time = 13” and it is proved or refuted."),
      derivation.facts.length ? el("p", { class: "quiet" }, `Using ${derivation.facts.join(", ")}.`) : null,
      bounds.length ? [el("h3", {}, "Known only as bounds"), el("ul", { class: "verdicts" }, bounds)] : null,
      el("h3", {}, "Derived"),
      el("table", { class: "totals" }, Object.entries(derivation.totals).map(([name, total]) => {
        const cell = el("td", { class: "math" });
        if (total) {
          const span = el("span", { title: total.expanded });
          span.append(`${total.exact ? "" : "≤ "}`, inline(total.text));
          cell.append(span);
        } else cell.append("?");
        const known = classes.find(([which]) => which === name);
        return el("tr", {}, el("th", { scope: "row" }, name.replace(/_/g, " ")), cell, el("td", { class: "quiet math" }, known ? inline(known[1]) : ""));
      })));
  }

  // --- safety ---------------------------------------------------------------------------------------

  const PROPERTIES = {
    bounds: "No access leaves its array",
    races: "No two cores, no two MPs disagree about a word",
    initialised: "No word is read before it is written",
    defined: "Everything has a value, whole where it must be",
    fits: "It fits the memories",
  };

  /** The sizes at which a place fails. */
  const witness = (access) => {
    const values = Object.entries(access.witness?.values ?? {});
    return values.length ? `, at ${values.map(([name, value]) => `${name} = ${grouped(value)}`).join(", ")}` : "";
  };

  function safety() {
    const { judged } = app;
    if (!judged) {
      fill(root, el("div", { class: "panel-head" }, el("h2", {}, "Safety")), quiet("Proving it for every size …"));
      return;
    }
    if (!judged.safety) {
      fill(root, el("div", { class: "panel-head" }, el("h2", {}, "Safety")), quiet("The text has to be sound first."));
      return;
    }
    const { safe, ...properties } = judged.safety;
    const fails = Object.values(properties).some((property) => property.verdict === "refuted");
    fill(root, el("div", { class: "panel-head" }, el("h2", {}, "Safety")),
      el("p", { class: `verdict-line ${safe ? "good" : fails ? "bad" : "fair"}` }, safe ? "Safe for every size that the requires admit." : fails ? "It fails at some sizes." : "Not proved for every size yet."),
      el("ul", { class: "verdicts" }, Object.entries(properties).map(([name, property]) => {
        const [sign, kind] = SIGNS[property.verdict] ?? ["?", "fair"];
        const places = (property.accesses ?? []).filter((access) => access.verdict !== "proved");
        const conditions = property.conditions?.length ? `where ${property.conditions.join(" and ")}` : "";
        const largest = Object.entries(property.largest ?? {}).map(([which, value]) => `${which} up to ${grouped(value)}`).join(", ");
        const many = (verdict) => (property.accesses ?? []).filter((access) => access.verdict === verdict).length;
        const counted = ["proved", "refuted", "open"].filter(many).map((verdict, at) => `${many(verdict)} ${at ? "" : many(verdict) === 1 ? "place " : "places "}${verdict}`).join(", ");
        return el("li", { class: kind }, el("span", { class: "sign", "aria-hidden": "true" }, sign),
          el("span", {}, PROPERTIES[name] ?? name.replace(/_/g, " ")),
          el("span", { class: "quiet" }, property.accesses ? counted || property.verdict : [conditions, largest].filter(Boolean).join("; ")),
          places.length ? el("ul", {}, places.slice(0, 12).map((access) => el("li", {}, line(access.line), " ", prose(`${access.what}: ${access.reason ?? access.verdict}${witness(access)}`), access.fix ? el("span", { class: "fix" }, access.fix) : null))) : null);
      })));
  }

  // --- run ------------------------------------------------------------------------------------------

  const CORES = [4, 8, 16, 32];
  const KINDS = { random: "random", iota: "0, 1, 2, …", zeros: "zeros", ones: "ones", own: "my own …" };

  /** Words with blanks or semicolons between them as words with commas. */
  const commas = (text) => text.split("\n").map((row) => row.trim().replace(/\s*[,;]\s*|[ \t]+/g, ",").replace(/,$/, "")).filter(Boolean).join("\n");

  async function run() {
    const { view } = app;
    // Data of one's own stay while the text changes.
    app.run = app.run?.of === app.text ? app.run : { of: app.text, b: 8, values: {}, inputs: app.run?.inputs ?? {}, own: app.run?.own ?? {}, seed: 1, mp: 0 };
    const state = app.run;
    const result = el("div", { class: "run-result" });
    const go = el("button", { type: "button", class: "primary", onclick: () => execute() }, "Run");
    const fields = el("div", { class: "run-fields" });
    const owns = el("div", { class: "owns" });
    fill(root, el("div", { class: "run" }, el("div", { class: "panel-head" }, el("h2", {}, "Run on data"), go), fields, owns, result));

    const suggest = async () => {
      const figures = { ...app.figures, b: state.b };
      const formals = view.program.formals;
      if (!formals.length) return;
      const { first } = await app.slow.ask({ do: "stops", machine: app.machine, figures, values: {}, of: formals[0] });
      for (const name of formals) state.values[name] = first?.[name] ?? 1;
      for (const name of formals) {
        const { stops } = await app.slow.ask({ do: "stops", machine: app.machine, figures, values: state.values, of: name, most: 4096 });
        const wanted = 4 * state.b;
        const found = stops.find((stop) => stop >= wanted) ?? stops[stops.length - 1];
        if (found !== undefined) state.values[name] = found;
      }
    };

    function form() {
      const cores = el("select", { "aria-label": "cores of an MP" }, CORES.map((b) => el("option", { value: String(b) }, String(b))));
      cores.value = String(state.b);
      cores.onchange = async () => {
        state.b = Number(cores.value);
        await prepare();
        form();
      };
      const seed = el("input", { type: "number", min: "0", value: String(state.seed), "aria-label": "seed", oninput: () => { state.seed = Number(seed.value) || 0; } });
      fill(fields,
        el("label", {}, el("i", {}, "b"), cores),
        view.program.formals.map((name) => {
          const field = el("input", { type: "text", value: String(state.values[name] ?? ""), "aria-label": `size ${name}` });
          field.onchange = () => { state.values[name] = Number(field.value.replace(/\D/g, "")); };
          field.onkeydown = (event) => {
            if (event.key === "Enter") { field.onchange(); execute(); }
          };
          return el("label", {}, el("i", {}, name), field);
        }),
        view.program.inputs.map(({ name }) => {
          const list = el("select", { "aria-label": `data of ${name}` }, Object.entries(KINDS).map(([kind, told]) => el("option", { value: kind }, told)));
          list.value = state.inputs[name] ?? "random";
          list.onchange = () => {
            state.inputs[name] = list.value;
            ownFields();
            if (list.value === "own") owns.querySelector(`[data-own="${CSS.escape(name)}"] textarea`)?.focus();
          };
          return el("label", {}, el("code", {}, name), list);
        }),
        el("label", {}, "seed", seed));
      ownFields();
    }

    /** Where words of one's own are typed, pasted, dropped or taken from a file. */
    function ownFields() {
      fill(owns, view.program.inputs.filter(({ name }) => state.inputs[name] === "own").map(ownField));
    }

    function ownField({ name, extents }) {
      const told = el("p", { class: "own-told", role: "status" });
      const box = el("textarea", {
        rows: "3", spellcheck: "false", "aria-label": `words of ${name}`,
        placeholder: extents.length > 1 ? "1, 2, 3\n4, 5, 6" : "3, 1, 4, 1, 5, …",
      });
      const file = el("input", { type: "file", accept: ".csv,.npy,.txt", "aria-label": `a file for ${name}`, class: "own-file" });
      const held = () => state.own[name];
      box.value = held()?.csv ?? "";
      if (held()?.npy) box.placeholder = held().file;

      let late = 0;
      box.oninput = () => {
        state.own[name] = box.value.trim() ? { csv: commas(box.value) } : null;
        clearTimeout(late);
        late = setTimeout(look, 250);
      };
      const read = async (from) => {
        if (!from) return;
        if (from.size > 4 * 2 ** 20) return say(`${from.name} has ${grouped(Math.ceil(from.size / 2 ** 20))} MB, the page takes up to 4; the command \`atgpu run\` takes any`, true);
        const isNpy = /\.npy$/i.test(from.name);
        state.own[name] = isNpy ? { npy: [...new Uint8Array(await from.arrayBuffer())], file: from.name } : { csv: await from.text(), file: from.name };
        box.value = isNpy ? "" : state.own[name].csv.slice(0, 20000);
        if (isNpy) box.placeholder = from.name;
        await look();
      };
      file.onchange = () => read(file.files[0]);
      box.ondragover = (event) => event.preventDefault();
      box.ondrop = (event) => {
        if (!event.dataTransfer.files.length) return;
        event.preventDefault();
        read(event.dataTransfer.files[0]);
      };

      function say(text, bad = false) {
        told.textContent = text;
        told.classList.toggle("bad", bad);
        box.setAttribute("aria-invalid", String(bad));
      }

      /** What the words are, and the sizes that follow from them. */
      async function look() {
        const declared = `${name}[${extents.join(", ")}]`;
        if (!held()) return say(`One row of ${declared} a line, commas or blanks between words.`);
        try {
          const found = await app.slow.ask({ do: "data", text: app.text, input: name, data: held() });
          // One size cannot be two.
          found.shape.forEach((extent, at) => {
            const before = found.shape.length === extents.length ? extents.indexOf(extents[at]) : at;
            if (found.shape[before] !== extent) throw new Error(`they are ${found.shape.join(" × ")}, and ${extents[at]} cannot be both ${found.shape[before]} and ${extent}`);
          });
          const sizes = Object.entries(found.sizes).filter(([size]) => view.program.formals.includes(size));
          for (const [size, extent] of sizes) {
            state.values[size] = extent;
            const field = fields.querySelector(`[aria-label="size ${CSS.escape(size)}"]`);
            if (field) field.value = String(extent);
          }
          const shape = found.shape.length > 1 ? `${found.shape.join(" × ")} ` : `${grouped(found.words)} `;
          const heading = found.header ? ` The first line, “${found.header}”, is taken for a heading.` : "";
          say(`${shape}${found.words === 1 ? found.type : `${found.type}s`} for ${declared}${sizes.length ? `, so ${sizes.map(([size, extent]) => `${size} = ${grouped(extent)}`).join(", ")}` : ""}.${heading}`);
        } catch (error) {
          if (error.constructor.name !== "Ended") say(`This does not fit ${declared}: ${error.message}.`, true);
        }
      }
      look();
      return el("div", { class: "own", "data-own": name },
        el("div", { class: "own-head" }, el("code", {}, name), el("span", { class: "grow" }), el("label", { class: "own-pick" }, file, el("span", { class: "line-link" }, "from a file (.csv, .npy)"))),
        box, told);
    }

    async function prepare() {
      try {
        await app.slow.alone(async () => {
          await known();
          await suggest();
        });
      } catch (error) {
        fill(result, failed(error));
      }
    }

    /** The slow worker has to know the text first. */
    async function known() {
      await app.slow.ask({ do: "change", text: app.text }, true);
      await app.slow.ask({ do: "derive" });
    }

    async function execute() {
      const began = performance.now();
      fill(result, quiet("Running …"));
      try {
        const kernel = view.places.kernels.find((each) => each.mps);
        const mp = Array.from({ length: kernel?.mps ?? 1 }, (_, at) => (at === (kernel?.mps ?? 1) - 1 ? state.mp : 0));
        const inputs = given();
        const found = await app.slow.alone(async () => {
          await known();
          return app.slow.ask({ do: "run", machine: app.machine, figures: { ...app.figures, b: state.b }, values: state.values, inputs, seed: state.seed, mp });
        });
        present(found, performance.now() - began, mp);
      } catch (error) {
        fill(result, failed(error));
      }
    }

    /** The data of each input as they are asked for. */
    function given() {
      return Object.fromEntries(view.program.inputs.map(({ name }) => {
        const kind = state.inputs[name] ?? "random";
        if (kind !== "own") return [name, kind];
        if (!state.own[name]) throw new Error(`there are no words for ${name} yet`);
        const { csv, npy } = state.own[name];
        return [name, npy ? { npy } : { csv }];
      }));
    }

    function present(found, ms, mp) {
      if (found.faults) {
        fill(result, el("ul", { class: "verdicts" }, found.faults.map((fault) => el("li", { class: "bad" }, el("span", { class: "sign" }, "✗"), el("span", {}, el("code", {}, fault.code), " ", prose(fault.message)), fault.line ? line(fault.line) : null, fault.help ? el("span", { class: "quiet" }, prose(fault.help)) : null))));
        return;
      }
      const checks = [
        ...found.ensures.map((ensure) => el("li", { class: ensure.holds ? "good" : "bad" }, el("span", { class: "sign" }, ensure.holds ? "✓" : "✗"), el("code", {}, ensure.text), line(ensure.line))),
        found.agrees === null ? null : el("li", { class: found.agrees ? "good" : "bad" }, el("span", { class: "sign" }, found.agrees ? "✓" : "✗"), el("span", {}, found.agrees ? "what was counted is what was derived" : "what was counted is not what was derived")),
      ];
      const arrays = el("details", { class: "arrays" }, el("summary", {}, "the data"), found.host.map(words));
      const launched = found.counts.rounds.find((round) => round.k > 0)?.k ?? 0;
      const which = el("input", { type: "number", min: "0", max: String(Math.max(0, launched - 1)), value: String(state.mp), "aria-label": "which MP" });
      which.onchange = () => {
        state.mp = Math.max(0, Number(which.value) || 0);
        execute();
      };
      app.stepping?.stop();
      const stepping = found.steps.length ? stepper({ ...found, online: (number) => app.editor.light(new Map([[number, { kind: "step", strength: 1 }]]), true) }) : null;
      app.stepping = stepping;
      fill(result,
        el("ul", { class: "verdicts" }, checks),
        el("p", { class: "quiet" }, `in ${precise(ms)} ms · `, `t = ${grouped(found.counts.totals.time)}, q = ${grouped(found.counts.totals.io)}, `, `${grouped(found.counts.totals.transfer)} words transferred`),
        arrays,
        el("div", { class: "panel-head mp-head" }, el("h2", {}, "One MP, statement by statement"), el("label", { class: "quiet" }, "MP ", mp.length > 1 ? `${mp.slice(0, -1).join(", ")}, ` : "", which)),
        stepping ? stepping.root : quiet("This MP executes nothing."));
    }

    const words = (array) => {
      const shown = array.words.slice(0, 64);
      return el("div", { class: "array" }, el("code", {}, `${array.name}${array.shape.length ? `[${array.shape.join(", ")}]` : ""}`), el("span", { class: "words" }, shown.join("  "), array.length > shown.length ? " …" : ""));
    };

    if (!Object.keys(state.values).length && view.program.formals.length) await prepare();
    if (app.tab !== "run") return;
    form();
    execute();
  }

  // --- roofline -------------------------------------------------------------------------------------

  function roof() {
    const { numbers } = app;
    const figure = el("div", { class: "figure" });
    const caption = el("p", { class: "quiet caption" });
    fill(root, el("div", { class: "panel-head" }, el("h2", {}, "Roofline")), figure, caption);
    const found = numbers?.kernels?.length ? roofline(figure, numbers.kernels, numbers.figures) : false;
    if (!found) {
      caption.textContent = "There is no kernel with blocks and operations at this size, or the card lacks a figure.";
      return;
    }
    const slowest = found.dots.reduce((one, other) => (other.ms * other.kernel.times > one.ms * one.kernel.times ? other : one));
    const bound = slowest.intensity < found.ridge ? "memory" : "operations";
    caption.textContent = `In the terms of the model: a dot is a kernel, its height what Expression (2) lets it reach. ${found.dots.length > 1 ? "The costliest kernel" : "The kernel"} lies on the side of ${bound}: ${precise(slowest.intensity)} operations a block, where ${precise(found.ridge)} would keep both busy. Since the model adds the two, no dot reaches the roof.`;
  }

  // --- compare --------------------------------------------------------------------------------------

  async function compare() {
    const head = el("div", { class: "panel-head" }, el("h2", {}, "Compare"), el("button", { type: "button", class: "tool wide", onclick: () => app.gallery.open("Compare with", (example) => { app.other = example.text; app.otherName = example.title; app.panel.open("compare"); }) }, app.other ? "another" : "choose a program"));
    if (!app.other) {
      const kept = el("button", { type: "button", class: "line-link", onclick: () => { app.other = app.text; app.panel.open("compare"); } }, "keep this version");
      fill(root, head, quiet("Choose a second program to see from which size on it is cheaper; or "), kept, el("span", { class: "quiet" }, " and go on changing the text: what you change is compared with what it was."));
      return;
    }
    const figure = el("div", { class: "figure" });
    const told = el("div", { class: "duel" });
    fill(root, head, figure, told, el("button", { type: "button", class: "line-link", onclick: () => { app.other = null; app.duelHandle = null; app.panel.open("compare"); } }, "compare no more"));
    fill(told, quiet("Comparing …"));
    const question = app.curveQuestion();
    if (!question) {
      fill(told, quiet("The program has no size to compare over."));
      return;
    }
    const mine = (app.duels = (app.duels ?? 0) + 1);
    try {
      const [curve, found] = await app.slow.alone(async () => {
        await app.slow.ask({ do: "change", text: app.text }, true);
        await app.slow.ask({ do: "derive" });
        return [
          await inPortions(app.slow, { ...question, others: [app.other], models: ["atgpu"] }),
          await app.slow.ask({ do: "duel", ...app.asked(), along: question.along, other: app.other }),
        ];
      });
      if (mine !== app.duels || app.tab !== "compare") return;
      const names = found.programs.map(spaced);
      if (names[0] === names[1]) [names[0], names[1]] = [`${names[0]}, now`, `${names[1]}, kept`];
      const series = curve.map((each, index) => ({ name: names[index] ?? each.program, points: each.points }));
      const crossings = (found.ranges ?? []).slice(1).map((range) => ({ from: range.from, text: range.cheaper < 0 ? "" : `from ${size(range.from)}` }));
      app.duelHandle = curves(figure, { series, along: question.along, at: app.values[question.along], onpick: pick, marks: crossings.slice(0, 4), label: "GPU-cost of both programs" });
      fill(told, found.why ? quiet(`No crossover is known: ${found.why}.`) : el("ul", { class: "verdicts" }, found.ranges.map((range) => {
        const to = range.to ? ` to ${grouped(range.to)}` : " on";
        const who = range.cheaper < 0 ? "they cost the same" : `${names[range.cheaper]} is cheaper`;
        return el("li", { class: range.proved ? "good" : "fair" }, el("span", { class: "sign" }, range.proved ? "✓" : "≈"),
          el("span", {}, `from ${question.along} = ${grouped(range.from)}${to} `, el("strong", {}, who)), el("span", { class: "quiet" }, range.proved ? "proved" : `at every size looked at up to ${size(found.upTo)}`));
      })));
    } catch (error) {
      fill(told, failed(error));
    }
  }

  // --- models ---------------------------------------------------------------------------------------

  async function models() {
    const head = el("div", { class: "panel-head" }, el("h2", {}, "What the models say"));
    fill(root, head, quiet("Asking …"));
    try {
      const found = await app.slow.alone(async () => {
        await app.slow.ask({ do: "change", text: app.text }, true);
        await app.slow.ask({ do: "derive" });
        return app.slow.ask({ do: "models", ...app.asked() });
      });
      if (app.tab !== "models") return;
      const most = Math.max(...found.models.map((model) => model.ms ?? 0));
      fill(root, head, el("ul", { class: "models" }, found.models.map((model) => el("li", {},
        el("div", { class: "model-head" }, el("strong", {}, model.name), el("output", {}, model.ms !== undefined && model.ms !== null ? time(model.ms) : "—")),
        model.ms ? el("div", { class: "model-bar" }, el("span", { style: `width:${((model.ms / most) * 100).toFixed(1)}%` })) : null,
        el("span", { class: "quiet" }, model.missing ?? [model.summary, model.note].filter(Boolean).join("; "))))),
      el("p", { class: "quiet" }, `On ${app.machine} at ${Object.entries(app.values).map(([name, value]) => `${name} = ${grouped(value)}`).join(", ") || "no size"}.`));
    } catch (error) {
      fill(root, head, failed(error));
    }
  }

  return { open, refresh };
}
