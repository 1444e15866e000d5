// The page: what is open, what is known of it, and who shows which part.

import { el, $, fill, lineButton } from "./dom.js";
import { Ended, Engine, latest } from "./engine.js";
import { editor as makeEditor } from "./editor.js";
import { curves } from "./charts.js";
import { gallery as makeGallery } from "./gallery.js";
import { inline, typeset } from "./maths.js";
import { brief, grouped, precise, time } from "./numbers.js";
import { panels } from "./panels.js";
import { fragment, packed, save, unpacked } from "./share.js";
import { makeSliders, parsed } from "./sliders.js";
import vectorAddition from "../../programs/paper1/vector_addition.atgpu";

/** What a term is paid for, in the order of the legend. */
export const PAID = {
  starts: { short: "starting", name: "starting transfers", letter: "α", kind: "starts" },
  words: { short: "words", name: "words transferred", letter: "β", kind: "words" },
  operations: { short: "operations", name: "operations", letter: "t/γ", kind: "operations" },
  blocks: { short: "blocks", name: "blocks of memory", letter: "λq/γ", kind: "blocks" },
  rounds: { short: "rounds", name: "rounds", letter: "σ", kind: "rounds" },
};

const QUIET = 120;

export async function start({ library, programs }) {
  const query = new URLSearchParams(location.search);
  const embedded = query.has("embed");
  document.documentElement.classList.toggle("embed", embedded);

  const app = {
    text: "",
    machine: "gtx650",
    figures: {},
    values: {},
    view: null,
    numbers: null,
    judged: null,
    mode: "formulas",
    tab: "cost",
    other: null,
    machines: [],
    example: null,
    curve: null,
  };
  const live = new Engine(library, "atgpu");
  const slow = new Engine(library, "atgpu-slow");
  app.live = live;
  app.slow = slow;
  window.atgpuPage = { app, live, slow, typeset };

  // --- settings -------------------------------------------------------------------------------------

  const theme = () => document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const wanted = query.get("theme") ?? remembered("theme");
  if (wanted === "dark" || wanted === "light") document.documentElement.dataset.theme = wanted;
  $("#theme").onclick = () => {
    const other = theme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = other;
    remember("theme", other);
  };

  // --- what is busy ---------------------------------------------------------------------------------

  const SLOW = 900;
  const NAMES = {
    derive: "deriving", judge: "judging safety", run: "running", values: "evaluating", curve: "drawing the curve",
    duel: "comparing", models: "asking the models", stops: "looking for sizes", change: "checking",
  };
  const busy = $("#busy");
  const watch = () => {
    const found = [live, slow].map((engine) => engine.oldest).filter(Boolean).sort((one, other) => one.since - other.since)[0];
    const age = found ? performance.now() - found.since : 0;
    busy.hidden = !found || age < SLOW;
    if (!busy.hidden) $("#busy-what").textContent = `still ${NAMES[found.what] ?? "working"} · ${Math.round(age / 1000)} s`;
    if (found) setTimeout(watch, busy.hidden ? Math.max(60, SLOW - age) : 300);
  };
  live.onbusy = slow.onbusy = watch;
  $("#stop").onclick = () => {
    for (const engine of [live, slow]) if (engine.oldest) engine.end("you stopped it");
    say("stopped; change the program or a size to go on");
  };

  let toastTimer = 0;
  const toast = (text) => {
    const node = $("#toast");
    node.textContent = text;
    node.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { node.hidden = true; }, 3500);
  };
  const say = (told, kind = "") => {
    const node = $("#state");
    fill(node, ...[told].flat());
    node.className = kind;
    node.title = node.textContent;
  };

  // --- the editor -----------------------------------------------------------------------------------

  const editor = makeEditor({
    parent: $("#editor"),
    text: "",
    ask: (request) => live.ask(request),
    onchange: (text) => changed(text, app.untidy ? 0 : QUIET),
    online: (line) => pointed(line),
    oncursor: (line) => told(line),
    tell: (text) => toast(text),
  });
  app.editor = editor;
  // The heads of the columns stand above them, also beside a scroll bar.
  const { scrollDOM, contentDOM } = editor.view;
  const bar = new ResizeObserver(() => { $(".columns").style.paddingRight = `${scrollDOM.offsetWidth - scrollDOM.clientWidth}px`; });
  bar.observe(scrollDOM);
  bar.observe(contentDOM);
  app.go = (line) => editor.go(line);
  app.toast = toast;

  let timer = 0;
  let revision = 0;

  function changed(text, at = QUIET) {
    app.text = text;
    revision += 1;
    const mine = revision;
    clearTimeout(timer);
    // What is still being found of an older text is of no use; what takes long is ended.
    const old = live.oldest;
    if (old && ["derive", "values", "curve", "stops"].includes(old.what) && performance.now() - old.since > 400) live.end("the text changed");
    const stale = slow.oldest;
    if (stale && performance.now() - stale.since > 50) slow.end("the text changed");
    live.ask({ do: "change", text }, true).then(async (found) => {
      if (mine !== revision) return;
      app.sound = found.sound;
      editor.folds(found.folds);
      if (app.untidy) {
        app.untidy = false;
        editor.tidy(embedded);
      }
      await diagnose(live, found.diagnostics, mine);
      const errors = found.diagnostics.filter((each) => each.severity === "error");
      if (errors.length) say(first(errors), "bad");
    }).catch(quietly);
    timer = setTimeout(() => derive(mine), at);
  }

  /** The first finding with its line, and how many more there are. */
  const first = (found) => {
    const [one, ...more] = [...found].sort((a, b) => a.from[0] - b.from[0] || a.from[1] - b.from[1]);
    return [lineButton(one.from[0] + 1, app.go), ` ${one.message}`, more.length ? `, and ${more.length} more` : ""];
  };

  async function diagnose(engine, found, mine) {
    let actions = [];
    if (found.length) {
      const end = [1e6, 0];
      actions = await engine.ask({ do: "actions", from: [0, 0], to: end }).catch(() => []);
    }
    if (mine === revision) editor.diagnose(found, actions);
  }

  async function derive(mine) {
    if (mine !== revision) return;
    const began = performance.now();
    try {
      const view = await live.ask({ do: "derive" });
      if (mine !== revision) return;
      if (!view) {
        if (!app.view) empty();
        document.body.classList.add("stale");
        told(cursor);
        return;
      }
      document.body.classList.remove("stale");
      app.isOther = app.view?.program.name !== view.program.name;
      app.view = view;
      app.deriveMs = performance.now() - began;
      say(`derived in ${precise(app.deriveMs)} ms`);
      await shown(mine);
      if (!app.first) app.first = performance.now();
    } catch (error) {
      quietly(error);
    }
    judge(mine);
  }

  async function judge(mine) {
    if (mine !== revision) return;
    app.judged = null;
    panel.refresh("safety");
    try {
      const found = await slow.alone(async () => {
        if (mine !== revision) return null;
        await slow.ask({ do: "machine", machine: app.machine, figures: app.figures }, true);
        await slow.ask({ do: "change", text: app.text }, true);
        await slow.ask({ do: "derive" });
        const behind = await slow.ask({ do: "sources" });
        if (mine === revision) explain(behind);
        return slow.ask({ do: "judge" });
      });
      if (mine !== revision) return;
      app.judged = found;
      await diagnose(slow, found.diagnostics, mine);
      const warnings = found.diagnostics.filter((each) => each.severity !== "info");
      const worst = warnings.filter((each) => each.severity === "error");
      if (warnings.length) say(first(worst.length ? worst : warnings), worst.length ? "bad" : "warn");
      panel.refresh("safety");
      if (["models", "compare"].includes(app.tab)) panel.refresh(app.tab);
    } catch (error) {
      quietly(error);
    }
  }

  const quietly = (error) => {
    if (error instanceof Ended) say(error.message === "the text changed" ? "" : error.message, "warn");
    else {
      say(error.message, "bad");
    }
  };
  app.quietly = quietly;

  // --- formulas -------------------------------------------------------------------------------------

  function empty() {
    fill($("#formula"), el("span", { class: "quiet" }, "Write a program, or choose one."));
    $("#total").textContent = "";
  }

  async function shown(mine) {
    const { view } = app;
    $("#program-name").textContent = spaced(view.program.name);
    document.title = `${spaced(view.program.name)} · ATGPU playground`;
    app.terms = showFormula($("#formula"), "GPU-cost", view.formulas.gpu_cost);
    const where = view.names.map(({ name, latex }) => `${latexName(name)} = ${latex}`);
    const node = $("#where");
    fill(node);
    if (where.length) {
      const math = el("span", { class: "math" });
      typeset(math, `\\text{with } ${where.join(",\\; ")}`);
      node.append(math);
    }
    if (view.formulas.gpu_cost && !view.formulas.gpu_cost.exact) {
      node.append(" An upper bound: ", el("button", { type: "button", class: "line-link", onclick: () => panel.open("claims") }, "why"));
    }
    told(cursor);
    tabMarks();
    // Figures of another program say nothing of this one.
    if (app.isOther) {
      app.numbers = null;
      $("#total").textContent = "…";
      $("#total-of").textContent = "";
      fill($("#bar"));
      fill($("#legend"));
      showCosts();
    }
    await sliders.prepare(mine);
    app.isOther = app.given = false;
    app.curve = null;
    refreshNumbers();
    panel.refresh();
  }

  function showFormula(element, name, formula) {
    if (!formula) {
      fill(element, el("span", { class: "quiet" }, `${name} has no formula here: `), el("button", { type: "button", class: "line-link", onclick: () => panel.open("claims") }, "see why"));
      return [];
    }
    const relation = formula.exact ? "=" : "\\le";
    typeset(element, `\\text{${name}} ${relation} ${formula.latex}`, true);
    fitted(element);
    element.querySelectorAll("[data-term]").forEach((node) => {
      const term = formula.terms[Number(node.dataset.term)];
      if (!term) return;
      const kind = PAID[term.for] ? term.for : "operations";
      node.classList.add("term", `k-${kind}`);
      node.tabIndex = 0;
      node.setAttribute("role", "button");
      describe(node, kind, term);
      const on = (scroll) => () => light(kind, scroll, node);
      node.addEventListener("mouseenter", on(false));
      node.addEventListener("focus", on(true));
      node.addEventListener("click", on(true));
      node.addEventListener("mouseleave", () => light(null));
      node.addEventListener("blur", () => light(null));
    });
    return formula.terms;
  }

  /** A formula that is too wide gets smaller, down to what can still be read; then it scrolls. */
  function fitted(element) {
    element.style.fontSize = "";
    const size = parseFloat(getComputedStyle(element).fontSize);
    const share = element.clientWidth / element.scrollWidth;
    if (share < 1) element.style.fontSize = `${Math.max(13, size * share * 0.99).toFixed(2)}px`;
    element.classList.toggle("wider", element.scrollWidth > element.clientWidth + 1);
  }
  let room = 0;
  new ResizeObserver(() => {
    const { clientWidth } = $("#formula");
    if (clientWidth !== room) fitted($("#formula"));
    room = clientWidth;
  }).observe($("#formula"));
  document.fonts.addEventListener("loadingdone", () => fitted($("#formula")));

  /** The lines behind each term, once they are known. */
  function explain(behind) {
    behind?.forEach((source, at) => Object.assign(app.terms[at] ?? {}, source));
    document.querySelectorAll("#formula [data-term]").forEach((node) => {
      const term = termOf(node);
      if (term) describe(node, PAID[term.for] ? term.for : "operations", term);
    });
  }

  /** What a term is paid for and where it comes from, in words. */
  function describe(node, kind, term) {
    const listed = (lines) => [...new Set(lines)].sort((one, other) => one - other).join(", ");
    const alone = term.parts?.filter((part) => part.lines.length === 1).flatMap((part) => part.lines) ?? [];
    const told = [
      alone.length ? `${alone.length > 1 ? "lines" : "line"} ${listed(alone)}` : "",
      ...(term.parts ?? []).filter((part) => part.lines.length > 1).map((part) => `lines ${listed(part.lines)} together: how much each of them adds is not known`),
      term.whole === false ? "a bound that is more than its lines" : "",
    ].filter(Boolean);
    const where = term.parts ? told.join("; ") : `lines ${listed([...linesOf(kind, term).keys()]) || "none"}`;
    node.setAttribute("aria-label", `term paid for ${PAID[kind].name}, ${where}`);
    if (term.parts) node.title = where;
  }

  /** The lines that something is paid for, and how much of it each is; of a term, those it comes from where that is known. */
  function linesOf(kind, term) {
    const found = new Map();
    const { view, numbers } = app;
    if (!view) return found;
    if (term?.parts?.length) {
      const size = (part) => Math.abs(part.share ?? 1) / part.lines.length;
      const most = Math.max(...term.parts.map(size));
      for (const part of term.parts) {
        for (const line of part.lines) found.set(line, { kind, strength: Math.max(size(part) / most, found.get(line)?.strength ?? 0) });
      }
      return found;
    }
    if (kind === "starts" || kind === "words") {
      for (const { line } of view.places.transfers) found.set(line, { kind, strength: 1 });
    } else if (kind === "rounds") {
      for (const { line } of view.places.kernels) found.set(line, { kind, strength: 1 });
    } else {
      const rows = numbers?.lines ?? [];
      const share = new Map();
      for (const row of rows) {
        const each = (kind === "operations" ? row.operations : row.blocks)?.value ?? 0;
        share.set(row.line, (share.get(row.line) ?? 0) + each);
      }
      const most = Math.max(...share.values(), 0);
      for (const [line, value] of share) if (value > 0) found.set(line, { kind, strength: value / most });
    }
    return found;
  }

  const termOf = (node) => app.terms?.[Number(node?.dataset.term)];

  /** Lights what is paid for, or with `node` a single term of it. */
  function light(kind, scroll = false, node = null) {
    document.querySelectorAll(".hot").forEach((other) => other.classList.remove("hot"));
    if (!kind) {
      editor.light(new Map());
      return;
    }
    const alone = termOf(node)?.parts?.length;
    document.querySelectorAll(alone ? `.key.k-${kind}, .part.k-${kind}` : `.k-${kind}`).forEach((other) => other.classList.add("hot"));
    if (alone) node.classList.add("hot");
    editor.light(linesOf(kind, termOf(node)), scroll);
  }
  app.light = light;

  let cursor = 1;

  /** What the line of the cursor costs in words, also for those who cannot see the columns. */
  function told(line) {
    cursor = line;
    const [, cost] = app.view?.hints.find(([at]) => at === line) ?? [];
    const isKnown = cost && !document.body.classList.contains("stale");
    $("#at-line").textContent = isKnown ? `line ${line}: ${cost}` : "";
  }

  let last = null;
  function pointed(line) {
    if (line === last) return;
    last = line;
    document.querySelectorAll(".hot").forEach((node) => node.classList.remove("hot"));
    if (!line || !app.view) return;
    for (const kind of Object.keys(PAID)) {
      if (!linesOf(kind).has(line)) continue;
      document.querySelectorAll(`.k-${kind}`).forEach((node) => {
        if (linesOf(kind, termOf(node)).has(line)) node.classList.add("hot");
      });
    }
  }

  // --- numbers --------------------------------------------------------------------------------------

  app.asked = () => ({ machine: app.machine, figures: app.figures, values: app.values });

  let rests = 0;

  /** Sums without a closed form that are too long for a slider are added up once it rests. */
  async function addUp(question) {
    const { view } = app;
    const isOpen = () => view === app.view && JSON.stringify(question) === JSON.stringify(app.asked());
    try {
      const found = await slow.alone(async () => {
        if (!isOpen()) return null;
        await slow.ask({ do: "change", text: app.text }, true);
        await slow.ask({ do: "derive" });
        return slow.ask({ do: "values", ...question, patient: true });
      });
      if (!found || !isOpen()) return;
      app.numbers = { ...found, patient: true };
      showNumbers();
    } catch (error) {
      quietly(error);
    }
  }

  const askNumbers = latest(async () => {
    if (!app.view) return;
    try {
      const question = app.asked();
      app.numbers = await live.ask({ do: "values", ...question });
      showNumbers();
      clearTimeout(rests);
      if (app.numbers.long) rests = setTimeout(() => addUp(question), 300);
    } catch (error) {
      refused(error);
    }
  });

  /** While the text has errors there are no other numbers. */
  const refused = (error) => (app.sound === false ? sliders.fault("the text has errors: figures follow once they are mended") : quietly(error));

  const askCurve = latest(async (question) => {
    if (!app.view || !question) return;
    try {
      app.curve = { curves: await inPortions(live, question), along: question.along };
    } catch (error) {
      if (app.sound === false) return refused(error);
      app.curve = { curves: [], why: error.message };
    }
    panel.refresh("cost");
  });

  function refreshNumbers(what = "all") {
    askNumbers();
    if (what === "all" || what !== app.along) askCurve(curveQuestion());
    app.moved?.(what);
  }
  app.refreshNumbers = refreshNumbers;

  function curveQuestion() {
    const along = app.along ?? app.view?.program.formals[0];
    app.along = along;
    if (!along) return null;
    const stops = thinned(app.stops?.[along] ?? [], 44);
    if (stops.length < 2) return null;
    return { ...app.asked(), along, at: stops.join(",") };
  }
  app.curveQuestion = curveQuestion;

  function showNumbers() {
    const { numbers } = app;
    const total = $("#total");
    if (numbers.fault) {
      total.textContent = "—";
      $("#total-of").textContent = numbers.fault;
      fill($("#bar"));
      fill($("#legend"));
      showCosts();
      sliders.fault(numbers.fault);
      return;
    }
    sliders.fault(numbers.beyond?.length ? numbers.beyond.map(({ memory, need, has }) => `needs ${grouped(need)} words of ${memory}, the card has ${grouped(has)}`).join("; ") : "");
    const cost = numbers.cost;
    const sizes = Object.entries(app.values).map(([name, value]) => `${name} = ${grouped(value)}`).join(", ");
    if (cost?.all !== undefined && cost.all !== null) {
      total.textContent = `${numbers.exact ? "" : "≤ "}${time(cost.all)}`;
      $("#total-of").textContent = `on ${app.machine}${sizes ? ` at ${sizes}` : ""}`;
      showBar(cost);
    } else {
      total.textContent = numbers.long && !numbers.patient ? "…" : "?";
      $("#total-of").textContent = cost?.missing ?? (!numbers.long ? "no closed form at this size" : numbers.patient ? "sums without a closed form, too long to add up here" : "adding up sums without a closed form …");
      fill($("#bar"));
      fill($("#legend"));
    }
    showCosts();
    app.moved?.("numbers");
    if (app.tab === "roofline") panel.refresh("roofline");
  }

  function showBar(cost) {
    const parts = Object.keys(PAID).map((kind) => ({ kind, ms: Math.max(0, cost[kind]), share: Math.max(0, cost[kind]) / cost.all }));
    const bar = $("#bar");
    if (bar.children.length !== parts.length) {
      fill(bar, parts.map(({ kind }) => el("span", { class: `part k-${kind}`, onmouseenter: () => light(kind), onmouseleave: () => light(null) })));
      fill($("#legend"), parts.map(({ kind }) => el("li", {}, el("button", {
        type: "button", class: `key k-${kind}`, "data-short": PAID[kind].short, "aria-label": PAID[kind].name, onmouseenter: () => light(kind), onmouseleave: () => light(null),
        onfocus: () => light(kind, true), onblur: () => light(null), onclick: () => light(kind, true),
      }, el("span", { class: "swatch" }), el("span", { class: "name" }, PAID[kind].name), el("output", {})))));
    }
    parts.forEach(({ share, ms }, at) => {
      bar.children[at].style.flexGrow = String(share);
      bar.children[at].style.display = share > 0 ? "" : "none";
      const key = $("#legend").children[at];
      key.classList.toggle("none", ms === 0);
      key.querySelector("output").textContent = `${time(ms)}${share >= 0.0005 ? ` · ${precise(share * 100, 2)} %` : ""}`;
    });
    bar.setAttribute("aria-label", parts.map(({ kind, share }) => `${PAID[kind].name} ${(share * 100).toFixed(0)} %`).join(", "));
  }

  /** The columns behind the lines, as formulas or as numbers. */
  function showCosts() {
    const { view, numbers, mode } = app;
    if (!view) return;
    const rows = new Map();
    const byLine = new Map();
    // The lines of the derivation stand in the order of its rounds, as those of the numbers do.
    view.derivation.lines.forEach((line, at) => {
      const number = numbers?.lines?.[at];
      const list = byLine.get(line.line) ?? [];
      list.push({ line, number });
      byLine.set(line.line, list);
    });
    const weight = (each, what) => each.number?.[what]?.value ?? 0;
    const sums = { operations: 0, blocks: 0 };
    const most = { operations: 0, blocks: 0 };
    for (const list of byLine.values()) {
      for (const what of ["operations", "blocks"]) {
        const sum = list.reduce((all, each) => all + weight(each, what), 0);
        sums[what] += sum;
        most[what] = Math.max(most[what], sum);
      }
    }
    for (const [number, list] of byLine) {
      const cell = (what, kind) => {
        const texts = [...new Set(list.map(({ line, number: value }) => (mode === "numbers" ? brief(value?.[what]) : said(line[what]))))];
        const empty = texts.every((text) => text === "0" || (what === "executions" && text === "1"));
        const title = list.map(({ line, number: value }) => {
          const formula = line[what];
          const key = what === "executions" ? "times" : what;
          const exact = value?.[key]?.digits ? ` = ${grouped(value[key].digits)}` : "";
          return `${kind === "times" ? "executed" : kind} ${said(formula)}${exact}${what === "blocks" && line.rule ? `, ${line.rule}` : ""}${line.conflicts && line.conflicts.text !== "0" && what === "operations" ? `; bank conflicts ${line.conflicts.text}` : ""}`;
        });
        const node = document.createElement("span");
        const shownTexts = empty ? [] : texts.slice(0, 2);
        shownTexts.forEach((text, at) => {
          if (at) node.append(" | ");
          node.append(mode === "numbers" ? text : inline(text));
        });
        if (texts.length > 2) node.append(" …");
        const bar = what === "executions" || !most[what] ? 0 : list.reduce((all, each) => all + weight(each, what), 0) / most[what];
        return { node, title: [...new Set(title)].join("\n"), bar, kind };
      };
      const executions = mode === "numbers" ? "times" : "executions";
      const times = list.length ? (mode === "numbers" ? numbersCell(list, "times") : cell("executions", "times")) : null;
      void executions;
      const cells = [times, cell("operations", "t"), cell("blocks", "q")];
      const key = cells.map((each) => `${each.node.textContent}~${each.bar.toFixed(2)}`).join("#") + mode;
      rows.set(number, { cells, key });
    }
    for (const transfer of view.places.transfers) {
      const node = document.createElement("span");
      node.append(transfer.inward ? "to the device" : "to the host");
      rows.set(transfer.line, { cells: [{ kind: "times" }, { kind: "moves", node }], key: `transfer${transfer.inward}` });
    }
    for (const [line, list] of kernels()) {
      const whole = (what) => {
        const texts = [...new Set(list.map(({ round, number }) => (mode === "numbers" ? brief(number?.[what]) : said(round[what]))))];
        const node = document.createElement("span");
        texts.slice(0, 2).forEach((text, at) => {
          if (at) node.append(" | ");
          node.append(mode === "numbers" ? text : inline(text));
        });
        if (texts.length > 2) node.append(" …");
        const title = list.map(({ round }) => `${what} = ${said(round[what])}`);
        return { node, title: [...new Set(title)].join("\n") };
      };
      const mps = whole("k");
      mps.node.append(" MPs");
      const cells = [{ ...mps, kind: "times" }, { ...whole("t"), kind: "t sum" }, { ...whole("q"), kind: "q sum" }];
      rows.set(line, { cells, key: `kernel${cells.map((each) => each.node.textContent).join("#")}${mode}` });
    }
    editor.costs(rows);

    /** The rounds of each wrapper loop, by its line. */
    function kernels() {
      const found = new Map();
      const opening = view.places.kernels.filter((each) => each.mps).map((each) => each.line).sort((one, other) => one - other);
      view.derivation.rounds.forEach((round, index) => {
        const number = numbers?.rounds?.[index];
        const first = numbers?.lines?.findIndex((line) => line.round === index) ?? -1;
        const line = view.derivation.lines[first]?.line;
        const of = line && opening.filter((each) => each < line).pop();
        if (!of) return;
        const list = found.get(of) ?? [];
        list.push({ round, number });
        found.set(of, list);
      });
      return found;
    }

    function numbersCell(list) {
      const texts = [...new Set(list.map(({ number: value }) => brief(value?.times)))];
      const node = document.createElement("span");
      if (!texts.every((text) => text === "1")) node.append(texts.slice(0, 2).join(" | ") + (texts.length > 2 ? " …" : ""));
      return { node, title: list.map(({ line }) => `executed ${said(line.executions)}`).join("\n"), bar: 0, kind: "times" };
    }
  }
  const said = (formula) => (formula ? `${formula.exact ? "" : "≤ "}${formula.text}` : "?");
  $("#mode").onclick = () => {
    app.mode = app.mode === "formulas" ? "numbers" : "formulas";
    $("#mode").textContent = app.mode;
    $("#mode").setAttribute("aria-pressed", String(app.mode === "numbers"));
    showCosts();
  };

  // --- claims in a word -----------------------------------------------------------------------------

  function tabMarks() {
    const claims = app.view?.derivation.claims ?? [];
    const wrong = claims.filter((claim) => claim.verdict === "refuted").length;
    const proved = claims.filter((claim) => claim.verdict === "proved").length;
    mark("claims", wrong ? `${wrong} wrong` : claims.length ? `${proved}/${claims.length}` : "", wrong ? "bad" : proved === claims.length ? "good" : "");
  }
  const mark = (tab, text, kind) => {
    const button = $(`#tab-${tab}`);
    button.querySelector("small")?.remove();
    if (text) button.append(el("small", { class: kind }, text));
  };
  app.mark = mark;

  // --- parts of the page ----------------------------------------------------------------------------

  const sliders = makeSliders(app, $("#sliders"));
  app.showSlider = (name) => sliders.show(name);
  const panel = panels(app, $("#panel"));
  app.panel = panel;
  app.curves = curves;
  app.lineButton = (line) => lineButton(line, app.go);

  const choose = (example) => open({ text: example.text, example: example.name });
  const cards = makeGallery({ dialog: $("#gallery"), programs, choose });
  app.gallery = cards;
  $("#programs").onclick = () => cards.open();

  $("#help").onclick = () => $("#help-text").showModal();
  $("[data-close]").onclick = () => $("#help-text").close();
  $("#help-text").addEventListener("click", (event) => event.target === $("#help-text") && $("#help-text").close());

  async function state() {
    return {
      text: app.text, machine: app.machine, figures: app.figures, values: app.values, tab: app.tab, mode: app.mode,
      ...(app.other ? { other: app.other } : {}),
    };
  }
  $("#share").onclick = async () => {
    const address = `${location.href.split(/[?#]/)[0]}${fragment(await packed(await state()))}`;
    history.replaceState(null, "", address);
    try {
      await navigator.clipboard.writeText(address);
      toast(`link copied: ${grouped(address.length)} characters, the whole program is in it`);
    } catch {
      toast("the link stands in the address bar: the whole program is in it");
    }
  };

  document.querySelectorAll("[data-save]").forEach((button) => {
    button.onclick = async () => {
      $("#save").open = false;
      const name = app.view?.program.name ?? "program";
      try {
        if (button.dataset.save === "atgpu") save(`${name}.atgpu`, "text/plain;charset=utf-8", app.text);
        if (button.dataset.save === "tex") save(`${name}.tex`, "text/x-tex", (await live.ask({ do: "latex" })).text);
        if (button.dataset.save === "svg") {
          const question = curveQuestion();
          if (!question) throw new Error("there is no curve to draw: the program has no parameter");
          // As many points as were drawn.
          const drawn = app.curve?.curves[0]?.points.map(([x]) => x) ?? [];
          const { svg } = await live.ask({ do: "curve", ...question, ...(drawn.length > 1 ? { at: drawn.join(",") } : {}), svg: true, others: app.other ? [app.other] : [] });
          save(`${name}.svg`, "image/svg+xml", svg);
        }
      } catch (error) {
        toast(error.message);
      }
    };
  });
  document.addEventListener("click", (event) => {
    if (!$("#save").contains(event.target)) $("#save").open = false;
  });

  const machines = $("#machine");
  app.machines = await live.ask({ do: "machines" });
  fill(machines, app.machines.map(({ name }) => el("option", { value: name }, name)));
  machines.onchange = () => {
    app.machine = machines.value;
    app.figures = {};
    machineChanged();
  };
  async function machineChanged() {
    machines.value = app.machine;
    machines.title = app.machines.find(({ name }) => name === app.machine)?.about ?? "";
    if (!app.view) return;
    await sliders.prepare(revision);
    refreshNumbers();
    clearTimeout(timer);
    timer = setTimeout(() => judge(revision), 300);
  }
  app.machineChanged = machineChanged;

  // --- opening --------------------------------------------------------------------------------------

  function open({ text, example = null, machine, figures, values, tab, mode, other }) {
    app.example = example;
    app.figures = figures ?? {};
    app.values = values ?? {};
    app.given = Object.keys(app.values).length > 0;
    app.other = other ?? null;
    app.otherName = null;
    app.along = null;
    app.numbers = null;
    app.run = null;
    if (machine && app.machines.some(({ name }) => name === machine)) app.machine = machine;
    machines.value = app.machine;
    if (mode === "numbers" && app.mode !== "numbers") $("#mode").click();
    app.untidy = true;
    app.view = null;
    editor.text = text;
    if (tab) panel.open(tab);
  }
  app.open = open;

  panel.open(query.get("tab") ?? "cost");
  const linked = location.hash.startsWith("#p=") ? await unpacked(location.hash.slice(3)) : null;
  if (location.hash.startsWith("#p=") && !linked) toast("the link is damaged; here is another program");
  const values = {};
  const figures = {};
  for (const [name, value] of query) {
    if (["example", "machine", "embed", "theme", "tab", "mode"].includes(name)) continue;
    const number = parsed(value);
    if (number !== null) (["p", "b", "M", "G", "alpha", "beta", "gamma", "lambda", "sigma", "H", "k'"].includes(name) ? figures : values)[name] = number;
  }
  const named = query.has("example") ? (await programs()).find(({ name }) => name === query.get("example")) : null;
  if (query.has("example") && !named) toast(`no program is called ${query.get("example")}`);
  const begin = named ?? { text: vectorAddition, name: "vector_addition" };
  open(linked
    ? { ...linked, values: plain(linked.values), figures: plain(linked.figures) }
    : { text: begin.text, example: begin.name, machine: query.get("machine"), values, figures, mode: query.get("mode") });
  window.addEventListener("hashchange", async () => {
    const again = location.hash.startsWith("#p=") ? await unpacked(location.hash.slice(3)) : null;
    if (again) open({ ...again, values: plain(again.values), figures: plain(again.figures) });
  });

  if (embedded) {
    const out = el("a", { class: "open-out", target: "_blank", rel: "noopener" }, "open in the playground ↗");
    out.addEventListener("pointerenter", refreshOut);
    out.addEventListener("focus", refreshOut);
    async function refreshOut() {
      out.href = `${location.href.split(/[?#]/)[0]}${fragment(await packed(await state()))}`;
    }
    await refreshOut();
    $(".foot").append(out);
  }
}

/** Numbers by name, and nothing else, from a link. */
const plain = (values) => Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => ["number", "string"].includes(typeof value)).slice(0, 40));

/** Where sums have to be added up a point takes long, a large size the longer: as many as come in a while, the small ones first. */
export async function inPortions(engine, { at, ...question }) {
  const points = at.split(",");
  const began = performance.now();
  const all = new Map();
  for (let from = 0, many = 4; from < points.length;) {
    const asked = performance.now();
    const { curves: found } = await engine.ask({ do: "curve", ...question, at: points.slice(from, from + many).join(",") });
    for (const each of found) {
      const name = `${each.program} ${each.model}`;
      const known = all.get(name);
      all.set(name, known ? { ...known, exact: known.exact && each.exact, points: [...known.points, ...each.points] } : each);
    }
    from += many;
    const took = performance.now() - asked;
    if (took > 800 || performance.now() - began > 2500) break;
    many = took < 150 ? many * 2 : Math.max(1, Math.floor(many / 2));
  }
  return [...all.values()];
}

export const thinned = (list, most) => {
  if (list.length <= most) return list;
  // Evenly by their logarithms.
  const [first, last] = [Math.max(1, list[0]), list[list.length - 1]];
  const out = new Set();
  for (let at = 0; at < most; at++) {
    const wanted = first * (last / first) ** (at / (most - 1));
    out.add(list.reduce((best, each) => (Math.abs(Math.log(each || 0.5) - Math.log(wanted)) < Math.abs(Math.log(best || 0.5) - Math.log(wanted)) ? each : best), list[0]));
  }
  return [...out].sort((one, other) => one - other);
};

/** `VectorAddition` as words. */
export const spaced = (name) => name.replace(/_/g, " ").replace(/([a-z\d])([A-Z])/g, "$1 $2");

const latexName = (name) => (name.length === 1 ? name : `\\mathit{${name.replace(/_/g, "\\_")}}`);

function remember(key, value) {
  try {
    localStorage.setItem(`atgpu.${key}`, value);
  } catch { /* a page in a file may have no storage */ }
}

function remembered(key) {
  try {
    return localStorage.getItem(`atgpu.${key}`);
  } catch {
    return null;
  }
}
