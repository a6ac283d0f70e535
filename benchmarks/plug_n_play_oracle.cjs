// Plug'n'Play's own API, asked in bulk: one JSON object a line in, one JSON text or null a line out. Only comparisons run this.
// in: {"dir", "name"}   out: the real place of the package that code in dir gets, in a zip as `x.zip/inner`.
const api = require(require("node:path").resolve(process.argv[2]));

function place(dir, name) {
  try {
    const found = api.resolveToUnqualified(name, dir + "/", { considerBuiltins: false });
    return found && ((api.resolveVirtual && api.resolveVirtual(found)) || found).replace(/\/$/, "");
  } catch {
    return null;
  }
}
for (const line of require("node:fs").readFileSync(0, "utf8").trim().split("\n")) {
  const { dir, name } = JSON.parse(line);
  console.log(JSON.stringify(place(dir, name)));
}
