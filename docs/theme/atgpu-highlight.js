// Made by tests/suite/editors from the language's grammar; do not edit.
(function () {
  if (typeof hljs === "undefined") return;
  hljs.registerLanguage("atgpu", function () {
    return {
      keywords: {
        keyword: "algorithm require ensure input output host global shared as let claim kernel end for if while all in parallel do downto until at most then else execute swap atomic to and divides div exists forall implies is log mod not or sum",
        type: "int float sorted permutation list",
        built_in: "min max abs select sqrt exp ln sin cos bitand bitor bitxor shl shr gcd digit_sum floor_sum ceil floor",
      },
      contains: [
        { className: "comment", begin: /▷|\/\//, end: /$/ },
        { className: "number", begin: /\b\d+(_\d+)*(\.\d+)?(e[-−+]?\d+)?\b/ },
        { className: "symbol", begin: /⇚|⇐|←|↔|<==|<->|<=|<-/ },
        { className: "variable", begin: /\b_[A-Za-z0-9_]+/ },
      ],
    };
  });
  document.querySelectorAll("code.language-atgpu").forEach(function (block) {
    block.textContent = block.textContent;
    hljs.highlightBlock(block);
  });
})();
