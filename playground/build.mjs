// Builds the playground into playground/dist: the page with its files, and playground.html, which is the
// same in one file. `node playground/build.mjs --help` says how.

import { createHash } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
const out = join(here, "dist");
const arguments_ = new Set(process.argv.slice(2));

const HELP = `node playground/build.mjs [--toolchain] [--page] [--check]

Builds playground/dist. Needs Rust, Node 20 or later, and a Rust that knows wasm32-unknown-unknown, which
--toolchain gets where it is missing: "rustup target add wasm32-unknown-unknown" and "rustup component add
rust-src", or without rustup Debian's rustc-web, unpacked into playground/toolchain (nothing is installed).

  --toolchain   first get a Rust for WebAssembly
  --page        only the page: the library as it was last built
  --check       only say whether the library can be built here: exit status 0, or 3 where it cannot
`;

if (arguments_.has("--help")) {
  process.stdout.write(HELP);
  process.exit(0);
}

const quiet = (command, list, options = {}) => spawnSync(command, list, { encoding: "utf8", ...options });
const loud = (command, list, options = {}) => execFileSync(command, list, { stdio: "inherit", ...options });

// --- the library ---------------------------------------------------------------------------------------

const TARGET = "wasm32-unknown-unknown";
const PACKAGES = ["rustc-web", "libstd-rust-web-1.96", "libstd-rust-web-dev", "rust-web-src", "libllvm22"];
const unpacked = process.env.ATGPU_WASM_TOOLCHAIN ?? join(here, "toolchain");

/** How to build for WebAssembly here: what to add to cargo's arguments and environment; null where nothing can. */
function toolchain() {
  const sysroot = quiet("rustc", ["--print", "sysroot"], { cwd: here }).stdout?.trim() ?? "";
  const usr = join(unpacked, "usr");
  const isKnown = sysroot !== "" && existsSync(join(sysroot, "lib/rustlib", TARGET));
  if (!isKnown && !existsSync(join(usr, "bin/rustc"))) return null;
  const own = isKnown ? {} : { RUSTC: join(usr, "bin/rustc"), LD_LIBRARY_PATH: join(usr, "lib/x86_64-linux-gnu") };
  const told = quiet(own.RUSTC ?? "rustc", ["-vV"], { cwd: here, env: { ...process.env, ...own } }).stdout ?? "";
  const minor = Number(told.match(/release: 1\.(\d+)/)?.[1] ?? 0);
  const sources = join(isKnown ? sysroot : usr, "lib/rustlib/src/rust/library");
  // Where its sources are at hand the standard library is made small with the rest, as Debian's has to be:
  // it has no build of it for this target.
  const isWhole = existsSync(sources) && minor >= 92;
  // Where a panic stands in the source, and what it says, is of no use in a page, and a tenth of the library;
  // to leave it out still needs leave. A program as deep as the parser allows needs more stack than is given
  // unasked. The fields that `{:?}` writes are read in tests alone; names of variants stay.
  const flags = ["-C link-arg=-zstack-size=4194304", "-Zlocation-detail=none", "-Zfmt-debug=shallow", ...(isWhole ? ["-Zunstable-options", "-Cpanic=immediate-abort"] : [])];
  const host = quiet("rustc", ["-vV"], { cwd: here }).stdout?.match(/host: (.*)/)?.[1] ?? "x86_64-unknown-linux-gnu";
  const linker = isKnown ? null : [join(sysroot, "lib/rustlib", host, "bin/rust-lld"), "/usr/bin/rust-lld", "/usr/bin/wasm-ld"].find(existsSync);
  return {
    arguments: isWhole ? ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"] : [],
    environment: {
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags.join(" "),
      ...own,
      ...(linker ? { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker } : {}),
    },
  };
}

/**
 * Gets a Rust for WebAssembly. rustup adds the target to the Rust in use, and the standard library's sources;
 * where it cannot, Debian's packages are unpacked.
 */
function get() {
  const add = (kind, what) => quiet("rustup", [kind, "add", what], { cwd: here, stdio: "inherit" }).status === 0;
  if (toolchain() || add("target", TARGET)) {
    if (!toolchain()?.arguments.length) add("component", "rust-src");
    return;
  }
  try {
    download();
  } catch (error) {
    process.stderr.write(`Debian's packages cannot be had: ${error.message}\n`);
  }
}

function download() {
  const packages = join(unpacked, "packages");
  mkdirSync(packages, { recursive: true });
  loud("apt-get", ["download", ...PACKAGES], { cwd: packages });
  for (const name of readdirSync(packages).filter((each) => each.endsWith(".deb"))) loud("dpkg", ["-x", join(packages, name), unpacked]);
  rmSync(packages, { recursive: true });
}

const built = join(here, "target", TARGET, "release/atgpu_playground.wasm");
const small = join(here, "target/atgpu.wasm");
const drawn = join(here, "target/pictures.json");

/** A function that is copied to where it is called makes the library larger, and no faster: the compiler has done so. */
const FEW_COPIES = ["--always-inline-max-function-size=1", "--flexible-inline-max-function-size=1", "--one-caller-inline-max-function-size=0"];

/** Copies of one generic function stand side by side in the order of names: gzip, which looks back 32 KB, finds them then. */
const IN_ORDER = ["--reorder-functions-by-name", "--strip-debug", "--strip-producers"];

/** Made smaller still, where that is not done yet. */
function shrink() {
  if (existsSync(small) && statSync(small).mtimeMs > statSync(built).mtimeMs) return;
  // What all browsers have by now, and nothing newer.
  const newer = ["gc", "exception-handling", "threads", "tail-call", "memory64", "multimemory", "relaxed-simd", "strings", "stack-switching", "fp16"];
  loud(process.execPath, [join(here, "node_modules/binaryen/bin/wasm-opt"), built, "--all-features", ...newer.map((name) => `--disable-${name}`), ...FEW_COPIES, "-Oz", "--gufa", "-Oz", ...IN_ORDER, "-o", small]);
}

function library() {
  const found = toolchain();
  if (!found) {
    process.stderr.write(`no Rust for ${TARGET} is at hand\n\n${HELP}`);
    process.exit(1);
  }
  loud("cargo", ["build", "--release", "--locked", "--target", TARGET, "--target-dir", join(here, "target"), ...found.arguments], { cwd: here, env: { ...process.env, ...found.environment } });
}

// --- the programs, each with a picture -----------------------------------------------------------------

async function programs(bytes, plain) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const library = instance.exports;
  const ask = (request) => {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const at = library.room(text.length);
    new Uint8Array(library.memory.buffer, at, text.length).set(text);
    const from = library.call();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(library.memory.buffer, from, library.length())));
  };
  const found = [];
  // The pictures of before, where neither library nor program has changed since.
  const known = existsSync(drawn) ? JSON.parse(readFileSync(drawn, "utf8")) : {};
  const kept = {};
  const picture = (text) => {
    const key = createHash("sha256").update(bytes).update(text).digest("base64");
    kept[key] = known[key] ?? pictured(ask, text);
    return kept[key];
  };
  process.stdout.write("a picture of each program …\n");
  for (const folder of readdirSync(join(root, "programs")).sort()) {
    for (const file of readdirSync(join(root, "programs", folder)).sort()) {
      if (!file.endsWith(".atgpu")) continue;
      const text = readFileSync(join(root, "programs", folder, file), "utf8");
      const name = file.replace(/\.atgpu$/, "");
      found.push({ name, folder, text, ...described(text, name), ...(plain ? {} : picture(text)) });
    }
  }
  if (!plain) writeFileSync(drawn, JSON.stringify(kept));
  return found;
}

/** The first sentence of its head comment. */
function described(text, name) {
  const head = text.match(/^(?:[▷].*\n)+/)?.[0] ?? "";
  const prose = head.split("\n").map((line) => line.replace(/^▷\s?/, "")).join(" ").trim();
  const about = prose.match(/^.*?[.:](?=\s|$)/)?.[0].replace(/[.:]$/, "") ?? "";
  return { title: name.replace(/_/g, " ").replace(/^fft\b|^./, (letters) => letters.toUpperCase()), about };
}

/** Its GPU-cost with and without transfers on the card of paper 1, over its first size. */
function pictured(ask, text) {
  ask({ do: "change", text });
  const view = ask({ do: "derive" });
  if (!view || view.error) return {};
  const short = (derived) => (derived && derived.text.length <= 26 ? `${derived.exact ? "" : "≤ "}${derived.text}` : "");
  const { totals } = view.derivation;
  const formulas = { t: short(totals.time), q: short(totals.io) };
  const [along, ...others] = view.program.formals;
  if (!along) return { ...formulas, why: "it has no size" };
  const short4 = (value) => Number(value.toPrecision(3));
  // The other sizes as large as the card of paper 1 has room for, else a newer card.
  for (const machine of ["gtx650", "h100"]) {
    for (const most of [1024, 64, 8]) {
      const base = { machine, figures: {} };
      const { first } = ask({ do: "stops", ...base, values: {}, of: along });
      if (!first) return { ...formulas, why: "no size of it is admitted" };
      const values = { ...first };
      for (const other of others) {
        const { stops } = ask({ do: "stops", ...base, values, of: other, most });
        if (stops?.length) values[other] = stops[stops.length - 1];
      }
      const { stops } = ask({ do: "stops", ...base, values, of: along, most: others.length ? 1 << 14 : 1 << 24 });
      const at = (stops ?? []).filter((stop) => stop >= 16);
      const few = [...new Set(Array.from({ length: 16 }, (_, place) => at[Math.round((place / 15) * (at.length - 1))]))];
      if (few.length < 2) continue;
      // Where sums have to be added up a point takes long, the larger the longer: what comes in a while.
      const spark = [];
      for (const value of few) {
        const began = performance.now();
        const found = ask({ do: "curve", ...base, values, along, at: String(value) });
        // Without a formula there is no picture.
        if (found.error) return { ...formulas, why: "its cost has no formula" };
        found.curves.forEach((curve, index) => (spark[index] ??= []).push(...curve.points.map(([x, y]) => [x, short4(y)])));
        if (performance.now() - began > 500) break;
      }
      if (spark[0]?.length > 1) return { ...formulas, spark };
    }
  }
  return { ...formulas, why: "its cost takes long to add up" };
}

// --- the page ------------------------------------------------------------------------------------------

const FONTS = ["Main-Regular", "Math-Italic", "Size1-Regular", "Size2-Regular", "Size3-Regular", "Size4-Regular"];

/** KaTeX's styles with the faces that formulas of the library need. */
function katex(place) {
  const css = readFileSync(join(here, "node_modules/katex/dist/katex.min.css"), "utf8");
  const faces = css.match(/@font-face\{[^}]*\}/g) ?? [];
  const kept = faces.filter((face) => FONTS.some((name) => face.includes(`KaTeX_${name}.woff2`)));
  const written = kept.map((face) => {
    const name = face.match(/(KaTeX_[\w-]+)\.woff2/)[1];
    return face.replace(/src:[^;}]*/, `src:url(${place(name)}) format("woff2")`);
  });
  return written.join("") + css.replace(/@font-face\{[^}]*\}/g, "");
}

/** The arrows of the book, in which ⇚ and ⇐ differ: the face, and the rule that names it. */
function arrows() {
  const css = readFileSync(join(root, "docs/theme/atgpu.css"), "utf8");
  const face = css.match(/@font-face \{[^}]*\}/)[0];
  const [, content] = face.match(/base64,([^"]*)/);
  return { bytes: Buffer.from(content, "base64"), content, rule: (place) => face.replace(/url\("[^"]*"\)/, `url("${place}")`) };
}

/** Parts of KaTeX that no formula of the library has: they would be a fifth of the page. */
const UNUSED = ["accentunder", "arrow", "cd", "color", "cr", "def", "enclose", "environment", "horizBrace", "hbox", "href",
  "includegraphics", "lap", "mathchoice", "pmb", "raisebox", "reflectbox", "rule", "smash", "tag", "underline", "vcenter", "verb"];

const leaner = {
  name: "leaner-katex",
  setup(build) {
    const folder = join(here, "node_modules/katex");
    build.onResolve({ filter: /^katex$/ }, () => ({ path: join(folder, "katex.ts") }));
    build.onResolve({ filter: /^\.\/(functions|environments)\/\w+$/ }, ({ path }) => (UNUSED.includes(path.split("/").pop()) ? { path, namespace: "nothing" } : null));
    build.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "" }));
    // Measures of the faces that are carried.
    build.onLoad({ filter: /fontMetricsData\.js$/ }, async ({ path }) => {
      const { default: all } = await import(path);
      const kept = Object.entries(all).filter(([name]) => FONTS.includes(name));
      return { contents: `export default ${JSON.stringify(Object.fromEntries(kept))}`, loader: "js" };
    });
  },
};

async function page() {
  const { build } = await import("esbuild");
  const bytes = readFileSync(small);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, "fonts"), { recursive: true });
  const bundle = async (entry, format) => {
    const { outputFiles } = await build({
      entryPoints: [join(here, "web", entry)], bundle: true, minify: true, format, target: "es2022", write: false, legalComments: "none",
      charset: "utf8", logLevel: "warning", plugins: [leaner], loader: { ".atgpu": "text" }, define: { __VERSION__: '"0.19.1"' },
    });
    return outputFiles[0].text;
  };
  const style = async (place) => {
    const { code } = await (await import("esbuild")).transform(arrows().rule(place("arrows")) + katex(place) + readFileSync(join(here, "web/style.css"), "utf8"), { loader: "css", minify: true, charset: "utf8" });
    return code;
  };
  const template = readFileSync(join(here, "web/index.html"), "utf8");
  const filled = (policy, styles, scripts) => template.replace("%CSP%", () => policy).replace("%STYLE%", () => styles).replace("%SCRIPT%", () => scripts);
  const examples = JSON.stringify(await programs(bytes, arguments_.has("--no-pictures")));
  const worker = await bundle("worker.js", "iife");

  // The page with its files.
  const fontFile = (name) => join(here, "node_modules/katex/dist/fonts", `${name}.woff2`);
  for (const name of FONTS) cpSync(fontFile(`KaTeX_${name}`), join(out, "fonts", `KaTeX_${name}.woff2`));
  writeFileSync(join(out, "fonts/arrows.woff2"), arrows().bytes);
  writeFileSync(join(out, "atgpu.wasm"), bytes);
  writeFileSync(join(out, "examples.json"), examples);
  writeFileSync(join(out, "worker.js"), worker);
  writeFileSync(join(out, "page.js"), await bundle("boot.js", "iife"));
  writeFileSync(join(out, "page.css"), await style((name) => `fonts/${name}.woff2`));
  const rest = "img-src data: blob:; base-uri 'none'; form-action 'none'";
  writeFileSync(join(out, "index.html"), filled(
    `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; font-src 'self'; connect-src 'self'; worker-src 'self'; ${rest}`,
    '<link rel="stylesheet" href="page.css">',
    '<script src="page.js"></script>',
  ));

  // All of it in one file.
  const font = (name) => `data:font/woff2;base64,${name === "arrows" ? arrows().content : readFileSync(fontFile(name)).toString("base64")}`;
  const script = await bundle("boot-single.js", "iife");
  const inside = script.replace(/<\/(script)/gi, "<\\/$1");
  const hash = createHash("sha256").update(inside).digest("base64");
  const held = (id, content) => `<script type="text/plain" id="${id}">${gzipSync(content, { level: 9 }).toString("base64")}</script>`;
  writeFileSync(join(out, "playground.html"), filled(
    `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; font-src data:; worker-src blob:; ${rest}`,
    `<style>${await style(font)}</style>`,
    `${held("held-library", bytes)}${held("held-examples", examples)}${held("held-worker", worker)}<script>${inside}</script>`,
  ));

  const size = (path) => {
    const content = readFileSync(path);
    return `${(content.length / 1024).toFixed(0).padStart(6)} KB, ${(gzipSync(content, { level: 9 }).length / 1024).toFixed(0).padStart(5)} KB gzipped`;
  };
  for (const name of ["atgpu.wasm", "page.js", "page.css", "worker.js", "examples.json", "index.html", "playground.html"]) {
    process.stdout.write(`${name.padEnd(16)} ${size(join(out, name))}\n`);
  }
  process.stdout.write(`fonts            ${FONTS.reduce((sum, name) => sum + statSync(join(out, "fonts", `KaTeX_${name}.woff2`)).size, 0) >> 10} KB\n`);
}

if (arguments_.has("--toolchain")) get();
// 1 is the status of a script that fails, which says nothing of the toolchain.
if (arguments_.has("--check")) process.exit(toolchain() ? 0 : 3);
if (!arguments_.has("--page")) library();
if (!existsSync(join(here, "node_modules"))) loud("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: here });
shrink();
await page();
