// Names of programs and sizes as they are shown.

/** `VectorAddition` as words. */
export const spaced = (name) => name.replace(/_/g, " ").replace(/([a-z\d])([A-Z])/g, "$1 $2");

export const latexName = (name) => (name.length === 1 ? name : `\\mathit{${name.replace(/_/g, "\\_")}}`);

/** A formula in a line of text; one that is only a bound with its sign. */
export const said = (formula) => (formula ? `${formula.exact ? "" : "≤ "}${formula.text}` : "?");
