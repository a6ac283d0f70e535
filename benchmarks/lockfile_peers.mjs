// What the readers of npm's world say of lockfiles, and the processor seconds that one reading takes once they are warm.
// node lockfile_peers.mjs TOOL ROUNDS < jobs.json, in the folder where the tools are installed
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const [tool, rounds] = [process.argv[2], Number(process.argv[3])];

const ofPattern = (pattern, version) => {
  const descriptor = pattern.split(', ')[0];
  const at = descriptor.indexOf('@', 1);
  const alias = /^npm:(@?[^@]+)@/.exec(descriptor.slice(at + 1));
  return [alias ? alias[1] : descriptor.slice(0, at), version];
};

const entries = (read) => {
  const found = [];
  for (const [pattern, entry] of Object.entries(read)) {
    if (pattern === '__metadata') continue;
    const at = entry.resolution ? entry.resolution.indexOf('@', 1) : 0;
    found.push(at ? [entry.resolution.slice(0, at), String(entry.version)] : ofPattern(pattern, entry.version));
  }
  return found;
};

async function snyk() {
  const parser = require('snyk-nodejs-lockfile-parser');
  const options = {
    includeDevDeps: true, includeOptionalDeps: true, includePeerDeps: true, strictOutOfSync: false, pruneCycles: true,
    pruneLevel: 'withinTopLevelDeps', pruneWithinTopLevelDeps: true, honorAliases: true,
  };
  const member = (job, path) => {
    const { resolutions } = JSON.parse(readFileSync(join(job.directory, 'package.json'), 'utf8'));
    const isRoot = path === 'package.json';
    return { isWorkspacePkg: !isRoot, isRoot, rootResolutions: resolutions ?? {} };
  };
  const graphs = async (job, text) => {
    if (job.family === 'pnpm') {
      const found = await parser.parsePnpmWorkspace(job.directory, job.directory, options);
      return found.map((each) => each.depGraph);
    }
    const { parseNpmLockV2Project: npm, parseYarnLockV1Project: classic, parseYarnLockV2Project: berry } = parser;
    const parse = { npm, 'yarn-classic': classic, 'yarn-berry': berry }[job.family];
    if (!parse) throw new Error('not a format of this tool');
    const found = [];
    for (const path of job.manifests) {
      const manifest = readFileSync(join(job.directory, path), 'utf8');
      found.push(await parse(manifest, text, options, member(job, path)));
    }
    return found;
  };
  const walk = (tree, found) => {
    for (const each of Object.values(tree.dependencies ?? {})) { found.push([each.name, each.version]); walk(each, found); }
    return found;
  };
  return async (job) => {
    const text = readFileSync(join(job.directory, job.lockfile), 'utf8');
    if (job.family === 'npm' && !JSON.parse(text).packages) {
      const manifest = readFileSync(join(job.directory, 'package.json'), 'utf8');
      return walk(await parser.buildDepTree(manifest, text, true, 'npm', false), []);
    }
    return (await graphs(job, text)).flatMap((graph) => graph.getPkgs().map((each) => [each.name, each.version ?? '']));
  };
}

async function pnpm() {
  const { readWantedLockfile } = await import('@pnpm/lockfile.fs');
  const { nameVerFromPkgSnapshot } = await import('@pnpm/lockfile.utils');
  return async (job) => {
    const { packages } = await readWantedLockfile(job.directory, { ignoreIncompatible: false });
    return Object.entries(packages).map(([path, entry]) => {
      const { name, version } = nameVerFromPkgSnapshot(path, entry);
      return [name, version ?? ''];
    });
  };
}

const text = (job) => readFileSync(join(job.directory, job.lockfile), 'utf8');
const tools = {
  snyk,
  pnpm,
  parsers: async () => (job) => entries(require('@yarnpkg/parsers').parseSyml(text(job))),
  classic: async () => (job) => entries(require('@yarnpkg/lockfile').parse(text(job)).object),
};

const read = await tools[tool]();
const answers = [];
for (const job of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const answer = { pairs: await read(job), seconds: 0 };
    const times = [];
    const start = process.cpuUsage();
    // what takes seconds is not read as often
    const spent = () => process.cpuUsage(start).user / 1e6 > 4;
    for (let round = -2; rounds && round < rounds && !(spent() && times.length); round = spent() ? Math.max(round + 1, 0) : round + 1) {
      const before = process.cpuUsage();
      await read(job);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times.push((user + system) / 1e6);
    }
    answer.seconds = times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
    answers.push(answer);
  } catch (error) {
    answers.push({ pairs: [], seconds: 0, error: String(error?.message ?? error).split('\n')[0] });
  }
}
process.stdout.write(JSON.stringify(answers));
