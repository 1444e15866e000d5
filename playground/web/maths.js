// Formulas: KaTeX where they stand alone, a little typesetter of our own where they stand behind a line.

import katex from "katex";

const MACROS = { "\\nmid": "\\not\\mid" };

/** KaTeX into an element; `data-term` and nothing else of HTML may come out of a formula. */
export function typeset(element, latex, display = false) {
  // Names of several letters take the letters of one, whose face is carried anyway.
  katex.render(latex.replaceAll("\\mathit", "\\mathnormal"), element, {
    displayMode: display,
    throwOnError: false,
    strict: false,
    output: "htmlAndMathml",
    macros: MACROS,
    trust: (context) => context.command === "\\htmlData",
  });
}

/** What has been typeset already: columns are drawn anew with each move of a slider. */
const known = new Map();

/** The text of a formula as `log2 b` or `b^2` in a line of HTML: names slanted, indices low, powers high. */
export function inline(text) {
  if (known.size > 2000) known.clear();
  if (!known.has(text)) known.set(text, written(text));
  return known.get(text).cloneNode(true);
}

function written(text) {
  const out = document.createDocumentFragment();
  const pattern = /\^\{([^}]*)\}|\^(\w+'?)|\blog(\d+|_(?:\{[^}]*\}|\w+))?|([\p{L}][\p{L}\p{N}_]*['′]?)|([^^\p{L}]+|\^)/gu;
  for (const found of text.matchAll(pattern)) {
    const [all, braced, power, base, name] = found;
    if (braced !== undefined || power !== undefined) {
      const high = document.createElement("sup");
      high.append(inline(braced ?? power));
      out.append(high);
    } else if (all.startsWith("log")) {
      out.append("log");
      if (base) {
        const low = document.createElement("sub");
        low.append(inline(base.replace(/^_/, "").replace(/[{}]/g, "")));
        out.append(low);
      }
    } else if (name !== undefined) {
      names(name, out);
    } else {
      out.append(all.replace(/-/g, "−"));
    }
  }
  return out;
}

/** A run of one-letter names as it is; words like `min` upright. */
function names(text, out) {
  const upright = ["min", "max", "gcd", "digit_sum", "floor_sum", "sqrt", "mod", "in"].includes(text);
  const letter = document.createElement(upright ? "span" : "i");
  letter.textContent = text;
  out.append(letter);
}

/** The few forms of Markdown that hover texts have. */
export function markdown(text) {
  const out = document.createElement("div");
  out.className = "told";
  const blocks = text.replace(/\r/g, "").split(/\n(?=```)|(?<=\n```)\n|\n\n/);
  for (const block of blocks) {
    if (!block.trim()) continue;
    const code = block.match(/^```\w*\n([\s\S]*?)\n?```\s*([\s\S]*)$/);
    if (code) {
      const pre = document.createElement("pre");
      pre.textContent = code[1];
      out.append(pre);
      if (code[2].trim()) out.append(markdown(code[2]));
      continue;
    }
    const lines = block.split("\n");
    if (lines.every((line) => line.startsWith("|"))) {
      const table = document.createElement("table");
      for (const line of lines) {
        if (/^[|\s:-]+$/.test(line)) continue;
        const row = table.insertRow();
        for (const cell of line.slice(1, -1).split("|")) spans(cell.trim(), row.insertCell());
      }
      out.append(table);
      continue;
    }
    if (/^---+$/.test(block.trim())) {
      out.append(document.createElement("hr"));
      continue;
    }
    const paragraph = document.createElement("p");
    spans(lines.join(" "), paragraph);
    out.append(paragraph);
  }
  return out;
}

/** A sentence with `code` in it. */
export function prose(text) {
  const out = document.createElement("span");
  spans(text, out);
  return out;
}

function spans(text, into) {
  for (const part of text.split(/(`[^`]*`|\*\*[^*]*\*\*)/)) {
    if (part.startsWith("`")) {
      const code = document.createElement("code");
      code.textContent = part.slice(1, -1);
      into.append(code);
    } else if (part.startsWith("**")) {
      const strong = document.createElement("strong");
      strong.textContent = part.slice(2, -2);
      into.append(strong);
    } else {
      into.append(part);
    }
  }
}
