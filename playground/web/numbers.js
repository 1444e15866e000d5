// Numbers for people.

const THIN = "\u202f";

/** `1 048 576`, from digits as text or a number. */
export function grouped(digits) {
  const text = String(digits);
  if (!/^-?\d+$/.test(text)) return text;
  return text.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** A count in little room: exact up to seven digits, then with a power of ten. */
export function brief(value) {
  if (value === null || value === undefined) return "?";
  const { digits, value: double } = value;
  const sign = value.most ? "≤" + THIN : "";
  if (digits !== undefined) {
    if (digits.length <= 7) return sign + grouped(digits);
    return sign + power(double);
  }
  return sign + (Number.isInteger(double) ? grouped(double) : precise(double));
}

function power(double) {
  const exponent = Math.floor(Math.log10(Math.abs(double)));
  const front = (double / 10 ** exponent).toFixed(2);
  return `${front}·10${raised(exponent)}`;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (number) =>
  String(number).replace(/\d/g, (digit) => RAISED[digit]).replace("-", "⁻");

/** Three figures that count. */
export function precise(double, figures = 3) {
  if (!Number.isFinite(double)) return "?";
  if (double === 0) return "0";
  const size = Math.abs(double);
  if (size >= 1e6 || size < 1e-4) return power(double);
  return grouped0(double.toPrecision(figures));
}

function grouped0(text) {
  if (text.includes("e")) return String(Number(text));
  const [whole, part] = text.split(".");
  const kept = part?.replace(/0+$/, "");
  return grouped(whole) + (kept ? `.${kept}` : "");
}

/** Milliseconds with the unit that suits them: `1.64 ms`, `12 µs`. */
export function time(ms) {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "?";
  const size = Math.abs(ms);
  if (size === 0) return "0 ms";
  if (size >= 60000) return `${precise(ms / 60000)} min`;
  if (size >= 1000) return `${precise(ms / 1000)} s`;
  if (size >= 1) return `${precise(ms)} ms`;
  if (size >= 1e-3) return `${precise(ms * 1e3)} µs`;
  return `${precise(ms * 1e6)} ns`;
}

/** `2²⁰` where a number is a larger power of two, else its digits in groups. */
export function size(number) {
  const double = Number(number);
  const exponent = Math.log2(double);
  if (double >= 4096 && Number.isInteger(exponent)) return `2${raised(exponent)}`;
  return double >= 1e9 ? precise(double) : grouped(number);
}
