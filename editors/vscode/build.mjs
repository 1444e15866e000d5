// What `npm run package` packs besides the files that lie here: the client as one file, the grammar of ../textmate, the
// schemas of the TOML files and the licence. vsce runs it first.
import { copyFileSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

const here = new URL(".", import.meta.url);
const file = (path) => new URL(path, here);

mkdirSync(file("dist"), { recursive: true });
await build({
  absWorkingDir: here.pathname,
  entryPoints: ["extension.js"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node18",
  external: ["vscode"],
  legalComments: "eof",
});
copyFileSync(file("../textmate/atgpu.tmLanguage.json"), file("dist/atgpu.tmLanguage.json"));
for (const schema of ["atgpu-toml.json", "machine.json"]) {
  copyFileSync(file(`../../docs/schemas/${schema}`), file(`dist/${schema}`));
}
copyFileSync(file("../../LICENSE-MIT"), file("LICENSE.txt"));
