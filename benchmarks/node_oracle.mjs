// The ecosystem's own resolvers, asked in bulk: one JSON object a line in, one a line out. Only comparisons run this; briefkit never does.
// in:  {"dir", "name", "sub"}   out: {"root", "builtin", "version", "require", "import", "types"}; what does not resolve to a file is null.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const ts = createRequire(import.meta.url)(process.argv[2]);
const options = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [] };

function attempt(call) {
  try { return call() ?? null; } catch { return null; }
}
function file(found) {
  return found && path.isAbsolute(found) && fs.statSync(found, { throwIfNoEntry: false })?.isFile() ? fs.realpathSync(found) : null;
}
function root(dir, name) {
  for (const modules of createRequire(path.join(dir, "x.js")).resolve.paths(name + "/") ?? []) {
    const found = path.join(modules, name);
    if (fs.existsSync(path.join(found, "package.json"))) return fs.realpathSync(found);
  }
  return null;
}
function types(dir, wanted) {
  const found = ts.resolveModuleName(wanted, path.join(dir, "x.ts"), options, ts.sys).resolvedModule;
  return found && /\.[cm]?tsx?$/.test(found.resolvedFileName) ? fs.realpathSync(found.resolvedFileName) : null;
}
let rest = fs.readFileSync(0, "utf8").trim().split("\n");
for (const line of rest) {
  const { dir, name, sub } = JSON.parse(line);
  const wanted = sub ? `${name}/${sub}` : name;
  const at = root(dir, name);
  const loader = createRequire(path.join(dir, "x.js"));
  const asked = sub ? wanted : loader.resolve.paths(name) ? wanted : name + "/";
  console.log(JSON.stringify({
    root: at,
    builtin: asked.endsWith("/"),
    version: at && attempt(() => JSON.parse(fs.readFileSync(path.join(at, "package.json"), "utf8")).version),
    require: attempt(() => file(loader.resolve(asked))),
    import: asked.endsWith("/") ? null : attempt(() => file(fileURLToPath(import.meta.resolve(asked, pathToFileURL(path.join(dir, "x.mjs")))))),
    types: attempt(() => types(dir, wanted)),
  }));
}
