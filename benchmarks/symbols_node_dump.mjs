// The names that npm packages really have when they run, and near misses that they have not: the truth `compare_symbols_node` holds against.
// usage: node symbols_node_dump.mjs PACKAGE… in a project that has them; prints one JSON line each: {name, exists, absent, signatures, error}
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(process.cwd() + '/');
const ofObject = new Set(Object.getOwnPropertyNames(Object.prototype));
const ofFunction = new Set([...Object.getOwnPropertyNames(Function.prototype), 'prototype', 'super_']);
const plain = (name) => /^[A-Za-z$][\w$]*$/.test(name) && name !== 'default' && name !== '__esModule';
const changes = [(n) => n + 'Many', (n) => n + 'Async', (n) => 'batch' + n[0].toUpperCase() + n.slice(1), (n) => n + 's', (n) => 'fetch' + n[0].toUpperCase() + n.slice(1)];

function own(target) {
  const skipped = typeof target === 'function' ? ofFunction : new Set();
  return Object.getOwnPropertyNames(target).filter((name) => plain(name) && !skipped.has(name)).slice(0, 400);
}

function ofInstances(value) {
  const proto = value.prototype;
  return proto && typeof proto === 'object' ? own(proto).filter((name) => name !== 'constructor' && !ofObject.has(name)) : [];
}

function parameters(value) {
  const text = Function.prototype.toString.call(value);
  return text.includes('[native code]') ? null : text.slice(0, 400);
}

function dump(root, prefix, out) {
  const add = (name, owner, key) => {
    out.exists.push(name);
    const other = changes[out.exists.length % changes.length](key);
    if (!(other in Object(owner))) out.absent.push(name.slice(0, name.length - key.length) + other);
  };
  if (typeof root === 'function') for (const key of ofInstances(root)) add(prefix + 'prototype.' + key, root.prototype, key);
  for (const key of own(root)) {
    add(prefix + key, root, key);
    let value;
    try { value = root[key]; } catch { continue; }
    if (typeof value === 'function') {
      const text = parameters(value);
      if (text) out.signatures[prefix + key] = text;
      for (const inner of own(value)) add(`${prefix}${key}.${inner}`, value, inner);
      for (const inner of ofInstances(value)) add(`${prefix}${key}.prototype.${inner}`, value.prototype, inner);
    } else if (value && typeof value === 'object' && !Array.isArray(value)) {
      for (const inner of own(value)) add(`${prefix}${key}.${inner}`, value, inner);
    }
  }
}

for (const name of process.argv.slice(2)) {
  const out = { name, exists: [], absent: [], signatures: {}, error: null };
  let root;
  try { root = require(name); } catch (first) {
    try { root = await import(pathToFileURL(require.resolve(name)).href); } catch { try { root = await import(name); } catch (error) { out.error = String(error).slice(0, 200); } }
  }
  if (root) {
    dump(root, '', out);
    const alone = Object.keys(root).every((key) => key === 'default');
    if (alone && root.default && typeof root.default !== 'string') dump(root.default, 'default.', out);
  }
  console.log(JSON.stringify(out));
}
process.stdout.write('', () => process.exit(0));
