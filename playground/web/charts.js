// Pictures on the page, drawn as SVG by ourselves in the page's own colours. (The picture that is saved is
// the one that `atgpu plot` draws.)

import { precise, raised, size, time } from "./numbers.js";

const NS = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null) node.setAttribute(key, value);
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

const log = (value) => Math.log2(value);

function ticks(low, high, most) {
  const out = [];
  const [from, to] = [Math.ceil(log(low) - 1e-9), Math.floor(log(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((to - from) / most));
  for (let at = from; at <= to; at += step) out.push(2 ** at);
  return out;
}

function decades(low, high, most) {
  const out = [];
  const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((to - from + 1) / most));
  for (let at = from; at <= to; at += step) out.push(10 ** at);
  if (out.length < 2) return [low, Math.sqrt(low * high), high];
  return out;
}

/**
 * Curves over one parameter on logarithmic axes.
 * series: [{name, points: [[x, y]], kind}], `at` where the slider stands, `onpick` when another x is chosen.
 */
export function curves(element, { series, along, at, width = 460, height = 300, onpick, shade, marks = [], unit = time, label }) {
  element.textContent = "";
  // Axes by factors have no 0.
  const drawn = series.map((each) => ({ ...each, points: each.points.filter(([x, y]) => x > 0 && y > 0) }));
  const shown = drawn.filter((each) => each.points.length > 0);
  if (!shown.length) return null;
  const plane = planeOf(shown.flatMap((each) => each.points), width, height);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label ?? `curves over ${along}` });
  root.append(...axes(plane, along, unit));
  if (shade && shown.length > 1) root.append(between(plane, shown[0].points, shown[1].points));
  root.append(...marks.flatMap((mark) => crossing(plane, mark)));
  root.append(...shown.map((each, index) => svg("path", { d: path(plane, each.points), class: `line line-${index}` })));
  root.append(...names(plane, shown));
  const marker = svg("g", { class: "marker" });
  root.append(marker);
  const move = (value) => {
    marker.textContent = "";
    marker.append(...marked(plane, shown, value));
  };
  move(at);
  if (onpick) picks(root, plane, onpick);
  element.append(root);
  return { move };
}

/** The plane of the curves: the ends of both axes, and the place of a value in the picture. */
function planeOf(points, width, height) {
  const margin = { top: 16, right: 14, bottom: 38, left: 58 };
  let [left, right] = [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))];
  let [low, high] = [Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y))];
  if (left === right) [left, right] = [left / 2, right * 2];
  [low, high] = low === high ? [low / 2, high * 2] : [low / 1.25, high * 1.25];
  const x = (value) => margin.left + ((log(value) - log(left)) / (log(right) - log(left))) * (width - margin.left - margin.right);
  const y = (value) => height - margin.bottom - ((log(value) - log(low)) / (log(high) - log(low))) * (height - margin.top - margin.bottom);
  return { margin, width, height, left, right, low, high, x, y };
}

function axes({ margin, width, height, left, right, low, high, x, y }, along, unit) {
  const floor = height - margin.bottom;
  return [
    ...decades(low, high, 6).flatMap((tick) => [
      svg("line", { x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick), class: "grid" }),
      svg("text", { x: margin.left - 8, y: y(tick) + 4, class: "tick", "text-anchor": "end" }, unit(tick)),
    ]),
    ...ticks(left, right, 8).flatMap((tick) => [
      svg("text", { x: x(tick), y: floor + 17, class: "tick", "text-anchor": "middle" }, size(tick)),
      svg("line", { x1: x(tick), x2: x(tick), y1: floor, y2: floor + 4, class: "axis" }),
    ]),
    svg("line", { x1: margin.left, x2: width - margin.right, y1: floor, y2: floor, class: "axis" }),
    svg("text", { x: (margin.left + width - margin.right) / 2, y: height - 5, class: "axis-name", "text-anchor": "middle" }, along),
  ];
}

const path = ({ x, y }, points) => points.map(([px, py], index) => `${index ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");

/** The ground between two curves. */
function between(plane, top, bottom) {
  const { x, y, low } = plane;
  const back = bottom.slice().reverse().map(([px, py]) => `L${x(px).toFixed(1)} ${y(Math.max(py, low)).toFixed(1)}`).join("");
  return svg("path", { d: `${path(plane, top)}${back}Z`, class: "between" });
}

/** Marks a crossover: a line with its text, such as `from 2¹⁶`. */
function crossing({ margin, width, height, left, right, x }, { from, text }) {
  const edge = Number(from);
  if (edge < left || edge > right) return [];
  return [
    svg("line", { x1: x(edge), x2: x(edge), y1: margin.top, y2: height - margin.bottom, class: "crossing" }),
    svg("text", { x: Math.min(x(edge) + 6, width - margin.right - 80), y: height - margin.bottom - 8, class: "crossing-name" }, text),
  ];
}

/** Costs grow to the right, so that the names have room on the left. */
function names({ margin }, shown) {
  return shown.flatMap((each, index) => {
    const at = margin.top + 4 + index * 17;
    return [
      svg("line", { x1: margin.left + 10, x2: margin.left + 34, y1: at, y2: at, class: `line line-${index}` }),
      svg("text", { x: margin.left + 42, y: at + 4, class: `name name-${index}` }, each.name),
    ];
  });
}

/** Marks the slider's value: a line, and a dot on each curve. */
function marked({ margin, height, left, right, x, y }, shown, value) {
  if (!(value >= left && value <= right)) return [];
  const dots = shown.map((each, index) => {
    const near = interpolated(each.points, value);
    return near > 0 ? svg("circle", { cx: x(value), cy: y(near), r: 4, class: `dot dot-${index}` }) : null;
  });
  return [svg("line", { x1: x(value), x2: x(value), y1: margin.top, y2: height - margin.bottom, class: "now" }), ...dots.filter(Boolean)];
}

/** Calls `onpick` with the value under the pointer, as long as a button is held. */
function picks(root, { margin, width, left, right }, onpick) {
  const back = (event) => {
    const box = root.getBoundingClientRect();
    const px = ((event.clientX - box.left) / box.width) * width;
    const share = (px - margin.left) / (width - margin.left - margin.right);
    return 2 ** (log(left) + Math.max(0, Math.min(1, share)) * (log(right) - log(left)));
  };
  root.addEventListener("pointerdown", (event) => {
    root.setPointerCapture(event.pointerId);
    onpick(back(event));
  });
  root.addEventListener("pointermove", (event) => {
    if (event.buttons) onpick(back(event));
  });
  root.classList.add("picks");
}

function interpolated(points, at) {
  let before = null;
  for (const point of points) {
    if (point[0] === at) return point[1];
    if (point[0] > at) {
      if (!before) return NaN;
      const share = (log(at) - log(before[0])) / (log(point[0]) - log(before[0]));
      return 2 ** (log(before[1]) + share * (log(point[1]) - log(before[1])));
    }
    before = point;
  }
  return NaN;
}

/** A picture in little: two curves of equal ends. */
export function spark(points, width = 220, height = 92) {
  const all = points.flat().filter(([, value]) => value > 0);
  if (all.length < 2) return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "spark" });
  const xs = all.map(([value]) => log(value));
  const ys = all.map(([, value]) => log(value));
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const x = (value) => 6 + ((log(value) - left) / (right - left || 1)) * (width - 12);
  const y = (value) => height - 8 - ((log(value) - low) / (high - low || 1)) * (height - 16);
  const trace = (line) => line.filter(([, value]) => value > 0).map(([px, py], at) => `${at ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "spark", "aria-hidden": "true" });
  if (points[1]?.length) {
    const back = points[1].slice().reverse().filter(([, value]) => value > 0).map(([px, py]) => `L${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
    root.append(svg("path", { d: `${trace(points[0])}${back}Z`, class: "between" }));
  }
  points.forEach((line, index) => root.append(svg("path", { d: trace(line), class: `line line-${index}` })));
  return root;
}

/**
 * The roofline of a program in the model's own terms: warp operations a millisecond over warp operations a
 * block. Two roofs: all resident MPs at the clock, and the blocks that memory moves.
 */
export function roofline(element, kernels, figures, { width = 460, height = 300 } = {}) {
  element.textContent = "";
  const clock = figures["γ"], latency = figures["λ"], cards = figures["k'"];
  if (!clock || !latency || !cards) return false;
  const dots = kernels.filter((kernel) => kernel.q > 0 && kernel.t > 0 && kernel.waves > 0).map((kernel) => {
    const work = kernel.k * kernel.t;
    const ms = (kernel.waves * kernel.t + latency * kernel.q) / clock;
    return { intensity: work / kernel.q, rate: work / ms, roof: cards * kernel.occupancy * clock, kernel, ms };
  });
  if (!dots.length) return false;
  const roof = Math.max(...dots.map((dot) => dot.roof));
  const bandwidth = clock / latency;
  const ridge = roof / bandwidth;
  const intensities = [...dots.map((dot) => dot.intensity), ridge];
  const [left, right] = [Math.min(...intensities) / 6, Math.max(...intensities) * 6];
  const low = Math.min(...dots.map((dot) => dot.rate), bandwidth * left) / 2;
  const high = roof * 1.7;
  const margin = { top: 18, right: 16, bottom: 40, left: 62 };
  const x = (value) => margin.left + ((log(value) - log(left)) / (log(right) - log(left))) * (width - margin.left - margin.right);
  const y = (value) => height - margin.bottom - ((log(value) - log(low)) / (log(high) - log(low))) * (height - margin.top - margin.bottom);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": "roofline" });
  for (const tick of decades(low, high, 5)) {
    root.append(svg("line", { x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick), class: "grid" }));
    root.append(svg("text", { x: margin.left - 8, y: y(tick) + 4, class: "tick", "text-anchor": "end" }, `10${raised(Math.round(Math.log10(tick)))}`));
  }
  for (const tick of decades(left, right, 6)) {
    root.append(svg("text", { x: x(tick), y: height - margin.bottom + 17, class: "tick", "text-anchor": "middle" }, precise(tick)));
  }
  root.append(svg("line", { x1: margin.left, x2: width - margin.right, y1: height - margin.bottom, y2: height - margin.bottom, class: "axis" }));
  root.append(svg("text", { x: (margin.left + width) / 2, y: height - 5, class: "axis-name", "text-anchor": "middle" }, "operations of an MP for each block"));
  root.append(svg("text", { x: 12, y: margin.top - 4, class: "axis-name" }, "operations of MPs a ms"));
  const edge = `M${x(left)} ${y(bandwidth * left)}L${x(ridge)} ${y(roof)}L${x(right)} ${y(roof)}`;
  root.append(svg("path", { d: `${edge}L${x(right)} ${height - margin.bottom}L${x(left)} ${height - margin.bottom}Z`, class: "under-roof" }));
  root.append(svg("path", { d: edge, class: "roof" }));
  root.append(svg("text", { x: x(right) - 4, y: y(roof) - 7, class: "roof-name", "text-anchor": "end" }, "k′ℓγ: all resident MPs at the clock"));
  const slope = Math.atan2(y(bandwidth * left) - y(roof), x(ridge) - x(left));
  const along = left ** 0.55 * ridge ** 0.45;
  root.append(svg("text", {
    x: x(along), y: y(bandwidth * along) - 8, class: "roof-name", "text-anchor": "middle",
    transform: `rotate(${(-slope * 180) / Math.PI} ${x(along)} ${y(bandwidth * along) - 8})`,
  }, "γ/λ: blocks from memory"));
  dots.forEach((dot, index) => {
    const ceiling = Math.min(roof, bandwidth * dot.intensity);
    root.append(svg("line", { x1: x(dot.intensity), x2: x(dot.intensity), y1: y(ceiling), y2: y(dot.rate), class: "gap" }));
    const circle = svg("circle", { cx: x(dot.intensity), cy: y(dot.rate), r: 5.5, class: "dot dot-0" });
    circle.append(svg("title", {}, `round${dot.kernel.times > 1 ? "s" : ""} ${index + 1}: ${precise((dot.rate / ceiling) * 100)} % of the roof`));
    root.append(circle);
  });
  element.append(root);
  return { dots, roof, bandwidth, ridge };
}
