// Pictures on the page. The library draws them, as `atgpu plot` does. The page gives them its own colours, and adds the
// parts that move: where a slider stands, and the numbers under the pointer.

import { precise, size, time } from "./numbers.js";

const NS = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null) node.setAttribute(key, value);
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

const log = (value) => Math.log2(value);

/** An axis of a picture: `at` turns a number into a pixel, and `back` a pixel into a number. */
function axisOf({ pixels: [from, to], ends, linear }) {
  const of = linear ? (value) => value : log;
  const [low, high] = ends.map(of);
  return {
    from, to, low: ends[0], high: ends[1],
    at: (value) => from + ((of(value) - low) / (high - low)) * (to - from),
    back(pixel) {
      const value = low + Math.max(0, Math.min(1, (pixel - from) / (to - from))) * (high - low);
      return linear ? value : 2 ** value;
    },
  };
}

/** Puts a picture of the library into an element. */
function framed(element, { svg: text, plane }, label) {
  const root = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  for (const name of ["width", "height", "font-family"]) root.removeAttribute(name);
  root.setAttribute("class", "chart");
  root.setAttribute("role", "img");
  root.setAttribute("aria-label", label);
  element.replaceChildren(root);
  return { root, width: root.viewBox.baseVal.width, x: axisOf(plane.x), y: axisOf(plane.y) };
}

/**
 * Shows curves over one parameter. `series` has their points, `at` is where the slider stands, and `onpick` is called
 * with the number that is pointed at. `shade` fills the ground between the first two.
 */
export function curves(element, picture, { series: given, along, at, onpick, shade, label }) {
  if (!picture.plane) return null;
  // Axes by factors have no 0.
  const series = given.map((each) => ({ ...each, points: each.points.filter(([x, y]) => x > 0 && y > 0) })).filter((each) => each.points.length > 0);
  const drawn = framed(element, picture, label);
  const { root } = drawn;
  // In front of the sheet, behind everything else.
  if (shade && series.length > 1) root.children[0].after(between(drawn, series[0].points, series[1].points));
  const marker = svg("g", { class: "marker" });
  const hover = svg("g", { class: "hover" });
  root.append(marker, hover);
  const move = (value) => marker.replaceChildren(...marked(drawn, series, value));
  move(at);
  points(drawn, { onpick, onhover: (x) => hover.replaceChildren(...(x === null ? [] : told(drawn, series, along, x))) });
  return { move };
}

const path = ({ x, y }, list) => list.map(([px, py], index) => `${index ? "L" : "M"}${x.at(px).toFixed(1)} ${Math.min(y.at(py), y.from).toFixed(1)}`).join("");

/** The ground between two curves. */
const between = (drawn, top, bottom) => svg("path", { d: `${path(drawn, top)}${path(drawn, bottom.slice().reverse()).replace("M", "L")}Z`, class: "between" });

/** A line at a value, and a dot on each curve. */
function marked({ x, y }, series, value, kind = "now") {
  if (!(value >= x.low && value <= x.high)) return [];
  const dots = series.map((each, index) => {
    const near = interpolated(each.points, value);
    return near > 0 ? svg("circle", { cx: x.at(value), cy: y.at(near), r: 4, class: `dot dot-${index}` }) : null;
  });
  return [svg("line", { x1: x.at(value), x2: x.at(value), y1: y.to, y2: y.from, class: kind }), ...dots.filter(Boolean)];
}

/** The numbers under the pointer: `n = 2¹⁶: 1.64 ms, 12 µs`. */
function told(drawn, series, along, value) {
  const { x, y } = drawn;
  const all = series.flatMap((each) => each.points.map(([px]) => px));
  const near = all.reduce((best, each) => (Math.abs(x.at(each) - x.at(value)) < Math.abs(x.at(best) - x.at(value)) ? each : best));
  const here = series.map((each) => interpolated(each.points, near)).filter((each) => each > 0);
  const text = `${along} = ${size(near)}: ${here.map(time).join(", ")}`;
  return [...marked(drawn, series, near, "under"), svg("text", { x: x.from + 8, y: y.to + 12, class: "under-told" }, text)];
}

/** Calls `onpick` with the number under the pointer while a button is held, and `onhover` while none is. */
function points({ root, width, x }, { onpick, onhover }) {
  const back = (event) => {
    const box = root.getBoundingClientRect();
    return x.back(((event.clientX - box.left) / box.width) * width);
  };
  root.addEventListener("pointerdown", (event) => {
    root.setPointerCapture(event.pointerId);
    onhover(null);
    onpick(back(event));
  });
  root.addEventListener("pointermove", (event) => (event.buttons ? onpick(back(event)) : onhover(back(event))));
  root.addEventListener("pointerleave", () => onhover(null));
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
 * The kernels of a program in the model's own terms: warp operations a millisecond over warp operations a block, and the
 * two roofs above them. Null where a figure is missing.
 */
export function roofed(kernels, figures) {
  const clock = figures["γ"], latency = figures["λ"], cards = figures["k'"];
  if (!clock || !latency || !cards) return null;
  const dots = kernels.filter((kernel) => kernel.q > 0 && kernel.t > 0 && kernel.waves > 0).map((kernel) => {
    const work = kernel.k * kernel.t;
    const ms = (kernel.waves * kernel.t + latency * kernel.q) / clock;
    return { intensity: work / kernel.q, rate: work / ms, roof: cards * kernel.occupancy * clock, kernel, ms };
  });
  if (!dots.length) return null;
  const roof = Math.max(...dots.map((dot) => dot.roof));
  const bandwidth = clock / latency;
  return { dots, roof, bandwidth, ridge: roof / bandwidth };
}

/** Shows the roofline that the library drew of them. Each kernel tells how near it comes to its roof. */
export function roofline(element, picture, { dots, roof, bandwidth }) {
  const { root, x, y } = framed(element, picture, "roofline");
  dots.forEach((dot, index) => {
    const ceiling = Math.min(roof, bandwidth * dot.intensity);
    const [cx, cy] = [x.at(dot.intensity), y.at(dot.rate)];
    const circle = svg("circle", { cx, cy, r: 9, class: "dot hit" });
    circle.append(svg("title", {}, `round${dot.kernel.times > 1 ? "s" : ""} ${index + 1}: ${precise((dot.rate / ceiling) * 100)} % of the roof`));
    root.append(svg("line", { x1: cx, x2: cx, y1: y.at(ceiling), y2: cy, class: "gap" }), circle);
  });
}
