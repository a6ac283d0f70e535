// The names that Node's own modules and globals have, as `src/briefkit/symbols/node_builtins.json` keeps them.
// usage: node benchmarks/node_builtins.cjs > src/briefkit/symbols/node_builtins.json
// Keys: f a function, s its statics, p what its instances have, e these are enumerable, b its base, o an object's names, a a list of texts,
// fns and vals the plain functions and values of a module, m the rest.
const { builtinModules } = require('module');

const skipped = new Set(['length', 'name', 'prototype', 'arguments', 'caller', 'constructor', '__proto__']);
const unlisted = { process: new Set(['env', 'versions', 'config', 'features', 'release']) };
const names = (value) => Object.getOwnPropertyNames(value).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && !skipped.has(name)).sort();
const joined = (list) => list.join(' ');

function described(value) {
  if (typeof value === 'function') {
    const found = { f: 1 };
    const statics = names(value).filter((name) => !(name in Function.prototype));
    if (statics.length) found.s = joined(statics);
    const own = value.prototype ? names(value.prototype) : [];
    if (own.length) {
      found.p = joined(own);
      if (own.some((name) => name !== '_events' && Object.prototype.propertyIsEnumerable.call(value.prototype, name))) found.e = 1;
    }
    const base = value.prototype && Object.getPrototypeOf(value.prototype);
    if (base && base !== Object.prototype && base.constructor && base.constructor !== value && base.constructor.name) found.b = base.constructor.name;
    return found;
  }
  if (Array.isArray(value)) return value.length < 100 && value.every((each) => typeof each === 'string' && each.length < 20) ? { a: joined(value) } : {};
  if (value && typeof value === 'object') {
    const listed = names(value);
    return listed.length ? { o: joined(listed) } : {};
  }
  return {};
}

function moduleOf(name, value, keys) {
  const found = typeof value === 'function' ? described(value) : {};
  delete found.s;
  const [fns, vals, rest] = [[], [], {}];
  for (const key of keys) {
    let inner;
    try { inner = value[key]; } catch { continue; }
    const each = unlisted[name]?.has(key) ? {} : described(inner);
    if (JSON.stringify(each) === '{"f":1}') fns.push(key);
    else if (Object.keys(each).length === 0) vals.push(key);
    else rest[key] = each;
  }
  if (fns.length) found.fns = joined(fns);
  if (vals.length) found.vals = joined(vals);
  if (Object.keys(rest).length) found.m = rest;
  return found;
}

const out = { '': moduleOf('', globalThis, names(globalThis)) };
out[''].m.process = { o: '' };
for (const name of builtinModules.filter((each) => !each.startsWith('_') && !['sys', 'constants'].includes(each)).sort()) {
  const value = require(name);
  out[name] = moduleOf(name, value, names(value));
}
const sorted = (value) => (value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value);
console.log(JSON.stringify(sorted(out), null, 0).replace(/(?<=[{,])"(?=[^"]*":)/g, '\n"'));
