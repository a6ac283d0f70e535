// TypeScript's own API on declaration files: parse each and take name, kind, signature text and lines of every declaration and member.
// usage: node symbols_node_declarations.cjs TYPESCRIPT REPEATS FILE…; prints the median seconds of CPU time and the number of symbols
const fs = require('fs');
const ts = require(process.argv[2]);
const repeats = Number(process.argv[3]);
const texts = process.argv.slice(4).map((path) => [path, fs.readFileSync(path, 'utf8')]);

function read([path, text]) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (node.name && (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isFunctionDeclaration(node) || ts.isEnumDeclaration(node)
      || ts.isTypeAliasDeclaration(node) || ts.isModuleDeclaration(node) || ts.isVariableDeclaration(node) || ts.isMethodSignature(node)
      || ts.isPropertySignature(node) || ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isEnumMember(node))) {
      const start = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
      const end = file.getLineAndCharacterOfPosition(node.end).line;
      const documented = ts.getJSDocCommentsAndTags(node).map((each) => each.comment);
      found.push([node.name.getText(file), node.kind, text.slice(node.getStart(file), (node.members || node).pos > node.pos ? node.members.pos : node.end).slice(0, 600), start, end, documented]);
    }
    if (!ts.isTypeNode(node) && !ts.isExpression(node)) ts.forEachChild(node, visit);
  };
  visit(file);
  return found.length;
}

const times = [];
let symbols = 0;
for (let i = 0; i <= repeats; i++) {
  const before = process.cpuUsage();
  symbols = texts.map(read).reduce((a, b) => a + b, 0);
  const spent = process.cpuUsage(before);
  if (i > 0) times.push((spent.user + spent.system) / 1e6);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ seconds: times[times.length >> 1], symbols }));
