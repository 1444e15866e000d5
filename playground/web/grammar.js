// Colours from the project's own TextMate grammar: all its rules match within a line, so a stream parser
// that tries them in order is all that is needed.

import { StreamLanguage } from "@codemirror/language";
import { tags, Tag } from "@lezer/highlight";
import grammar from "../../editors/textmate/atgpu.tmLanguage.json";

export const shared = Tag.define("shared", tags.variableName);
export const host = Tag.define("host", tags.variableName);
export const global = Tag.define("global", tags.variableName);
export const arrow = Tag.define("arrow", tags.operator);
export const hostArrow = Tag.define("hostArrow", arrow);
export const globalArrow = Tag.define("globalArrow", arrow);
export const sharedArrow = Tag.define("sharedArrow", arrow);

const KINDS = [
  ["comment", "comment"],
  ["constant.other.label", "label"],
  ["keyword.operator.arrow.host", "hostArrow"],
  ["keyword.operator.arrow.global", "globalArrow"],
  ["keyword.operator.arrow.shared", "sharedArrow"],
  ["keyword.operator.arrow", "arrow"],
  ["keyword.operator", "operator"],
  ["keyword", "keyword"],
  ["storage", "keyword"],
  ["entity.name.function", "name"],
  ["support.constant", "quantity"],
  ["support.function", "function"],
  ["constant.numeric", "number"],
  ["variable.other.shared", "shared"],
  ["variable.other.host", "host"],
  ["variable.other.global", "global"],
];

const kind = (scope) => (KINDS.find(([prefix]) => scope.startsWith(prefix)) ?? [null, null])[1];

/** All `match` rules of a list of patterns, included ones in their place. */
function rules(patterns) {
  return patterns.flatMap((pattern) => {
    if (pattern.include) return rules([grammar.repository[pattern.include.slice(1)]]);
    if (pattern.patterns) return rules(pattern.patterns);
    return [{
      test: new RegExp(pattern.match, "yud"),
      name: pattern.name ? kind(pattern.name) : null,
      captures: pattern.captures ?? null,
    }];
  });
}

const RULES = rules(grammar.patterns);

export const atgpu = StreamLanguage.define({
  name: "atgpu",
  startState: () => ({ queue: [] }),
  copyState: (state) => ({ queue: state.queue.slice() }),
  token(stream, state) {
    if (state.queue.length) {
      const [length, name] = state.queue.shift();
      stream.pos += length;
      return name;
    }
    if (stream.eatSpace()) return null;
    for (const rule of RULES) {
      rule.test.lastIndex = stream.pos;
      const found = rule.test.exec(stream.string);
      if (!found || found[0].length === 0) continue;
      if (!rule.captures) {
        stream.pos += found[0].length;
        return rule.name;
      }
      let at = found.index;
      for (const [group, { name }] of Object.entries(rule.captures)) {
        const [from, to] = found.indices[group];
        if (from > at) state.queue.push([from - at, null]);
        state.queue.push([to - from, kind(name)]);
        at = to;
      }
      const [length, name] = state.queue.shift();
      stream.pos += length;
      return name;
    }
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "▷" }, indentOnInput: /^\s*end( \w+)?$/ },
  tokenTable: {
    arrow,
    hostArrow,
    globalArrow,
    sharedArrow,
    shared,
    host,
    global,
    label: tags.labelName,
    name: tags.definition(tags.function(tags.variableName)),
    quantity: tags.propertyName,
    function: tags.standard(tags.function(tags.variableName)),
  },
});
