// The kinds of cost that a term of the GPU-cost can be.

/** Each kind, in the order of the legend: α, β, t/γ, λq/γ, σ. */
export const PAID = {
  starts: { short: "starting", name: "starting transfers" },
  words: { short: "words", name: "words transferred" },
  operations: { short: "operations", name: "operations" },
  blocks: { short: "blocks", name: "blocks of memory" },
  rounds: { short: "rounds", name: "rounds" },
};

/** The kind of a term; operations where the page does not know it. */
export const kindOf = (term) => (PAID[term.for] ? term.for : "operations");
