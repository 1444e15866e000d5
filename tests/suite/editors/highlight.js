(function () {
  // A name begins with an underscore (shared), a capital letter (host) or a small one (global). Without an index it
  // is a variable only as a side of a transfer or a swap, or where it is declared: anywhere else a number.
  const TOKEN = new RegExp(
    [
      "(?<comment>(?:▷|//).*)",
      "(?<transfer>⇚|<==)",
      "(?<shared>←|<-(?!>))",
      "(?<swap>↔|<->)",
      "(?<access>⇐|<=)",
      "(?<number>\\d+(?:_\\d+)*(?:\\.\\d+)?)",
      "(?<name>[\\p{L}_][\\p{L}\\p{N}_'′]*)",
      "(?<other>[^\\n])",
    ].join("|"),
    "gu",
  );
  const WHOLE = /^\s*(swap|input|output|host|global|shared)\b/;
  const memory = (name) => (name[0] === "_" ? "atgpu-shared" : /^\p{Lu}/u.test(name) ? "atgpu-host" : "atgpu-global");

  /** Returns the class of a name, or null: `before` and `after` are the rest of its line. */
  function ofName(name, before, after) {
    if (name[0] === "_") return memory(name);
    if (name === "MP") return null;
    const indexed = after.startsWith("[");
    const side = /^\s*(⇚|<==)/.test(after) && before.trim() === "" || /(⇚|<==)\s*$/.test(before);
    if (indexed || side) return memory(name);
    if (KEYWORDS.has(name)) return "hljs-keyword";
    if (TYPES.has(name)) return "hljs-type";
    if (FUNCTIONS.has(name)) return "hljs-built_in";
    if (/\bglobal\s+$/.test(before)) return memory(name);
    // The sizes and the ranges of a declaration are numbers.
    const isOutside = before.split("[").length === before.split("]").length && !/(:|∈|\bin\b)[^,]*$/.test(before);
    return WHOLE.test(before) && isOutside ? memory(name) : null;
  }

  const part = (text, name) => {
    if (!name) return document.createTextNode(text);
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    return span;
  };

  // An access stands right behind the left side of a statement; anywhere else `<=` compares.
  const isAccess = (sign, before) => sign === "⇐" || !/^\s*(if|while|require|ensure|claim|for|let)\b|[=←]|<-/.test(before);

  function line(text, into) {
    for (const found of text.matchAll(TOKEN)) {
      const [word] = found;
      const { comment, transfer, access, shared, swap, number, name } = found.groups;
      const before = text.slice(0, found.index);
      const after = text.slice(found.index + word.length);
      let kind = null;
      if (comment) kind = "hljs-comment";
      else if (transfer) kind = "atgpu-arrow atgpu-host";
      else if (access && isAccess(word, before)) kind = "atgpu-arrow atgpu-global";
      else if (shared) kind = "atgpu-arrow atgpu-shared";
      else if (swap) kind = "atgpu-arrow atgpu-global";
      else if (number) kind = "hljs-number";
      else if (name) kind = ofName(name, before, after);
      into.append(part(word, kind));
    }
  }

  document.querySelectorAll("code.language-atgpu").forEach(function (block) {
    const lines = block.textContent.split("\n");
    block.replaceChildren();
    lines.forEach((text, at) => {
      if (at > 0) block.append("\n");
      line(text, block);
    });
  });

  // The arrows of prose, tables and outputs are told apart likewise.
  const ARROWS = { "⇚": "atgpu-host", "⇐": "atgpu-global", "←": "atgpu-shared" };
  document.querySelectorAll("code:not(.language-atgpu)").forEach(function (block) {
    if (!/[⇚⇐←]/.test(block.textContent)) return;
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) if (/[⇚⇐←]/.test(texts.currentNode.data)) found.push(texts.currentNode);
    for (const text of found) {
      text.replaceWith(...text.data.split(/([⇚⇐←])/).map((each) => part(each, ARROWS[each] && `atgpu-arrow ${ARROWS[each]}`)));
    }
  });
})();
