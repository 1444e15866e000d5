// Makes atgpu-VERSION.vsix: the client as one file, the grammar of ../textmate, and what a package
// needs besides. `npm ci && npm run package`.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { strToU8, zipSync } from "fflate";

const here = new URL(".", import.meta.url);
const read = (path) => readFileSync(new URL(path, here));
const about = JSON.parse(read("package.json"));

const bundle = await build({
  absWorkingDir: here.pathname,
  entryPoints: ["extension.js"],
  bundle: true,
  minify: true,
  platform: "node",
  target: "node18",
  external: ["vscode"],
  legalComments: "eof",
  write: false,
});

const escaped = (text) =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${about.name}" Version="${about.version}" Publisher="${about.publisher}" />
    <DisplayName>${escaped(about.displayName)}</DisplayName>
    <Description>${escaped(about.description)}</Description>
    <Categories>${about.categories.join(",")}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(about.engines.vscode)}" />
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
`;
const types = { json: "application/json", js: "application/javascript", md: "text/markdown", txt: "text/plain", vsixmanifest: "text/xml" };
const defaults = Object.entries(types).map(
  ([extension, type]) => `<Default Extension="${extension}" ContentType="${type}" />`,
);
const content = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${defaults.join("")}</Types>
`;

const installed = { ...about };
delete installed.devDependencies;
delete installed.scripts;
const files = {
  "extension.vsixmanifest": strToU8(manifest),
  "[Content_Types].xml": strToU8(content),
  "extension/package.json": strToU8(`${JSON.stringify(installed, null, 2)}\n`),
  "extension/extension.js": bundle.outputFiles[0].contents,
  "extension/language-configuration.json": read("language-configuration.json"),
  "extension/atgpu.tmLanguage.json": read("../textmate/atgpu.tmLanguage.json"),
  "extension/README.md": read("README.md"),
  "extension/LICENSE.txt": read("../../LICENSE-MIT"),
};
// The same bytes every time.
const at = new Date(1980, 0, 1);
const packed = zipSync(
  Object.fromEntries(Object.entries(files).map(([name, data]) => [name, [new Uint8Array(data), { mtime: at }]])),
  { level: 9 },
);
const name = `${about.name}-${about.version}.vsix`;
writeFileSync(new URL(name, here), packed);
console.log(`${name}: ${packed.length} bytes`);
