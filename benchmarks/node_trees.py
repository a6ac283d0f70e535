"""Large trees of npm packages, laid by the real managers and kept under `.work/` for the next run.

What is asked for is a mixed bag of widely used packages: frameworks, compilers, ORMs, CLIs, type packages, old and new `exports`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess

WORK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), ".work", "node")
TOOLS = {"typescript": "5.9.3", "pnpm": "10.34.9", "@yarnpkg/cli-dist": "4.18.1"}
SMALL = {"express": "4", "sequelize": "6", "rxjs": "7", "preact": "10", "lodash3": "npm:lodash@3.10.1", "eslint": "8"}
LARGE = SMALL | {
    name: version
    for version, names in {
        "0.3": "typeorm",
        "0.160": "three",
        "1": "axios yup vitest",
        "2": "@reduxjs/toolkit moment chart.js fp-ts io-ts aws-sdk @sveltejs/kit punycode",
        "3": "date-fns effect zod @aws-sdk/client-s3 tailwindcss events winston vue knex",
        "4": "fastify socket.io svelte rollup openai type-fest @types/lodash @types/express",
        "5": "@mui/material is-plain-object commander ioredis bullmq gatsby-cli react-scripts @tanstack/react-query vite chalk",
        "6": "@mui/x-data-grid buffer",
        "7": "d3 @babel/core @babel/code-frame @types/babel__code-frame @typescript-eslint/parser",
        "8": "pg mongoose storybook @storybook/react @storybook/react-webpack5 cliui pino",
        "9": "react-redux uuid",
        "10": "immer @nestjs/core @nestjs/common firebase npm",
        "11": "@emotion/react @emotion/styled",
        "14": "next got",
        "16": "graphql",
        "17": "@angular/core",
        "18": "react react-dom @types/react @types/react-dom",
        "20": "@types/node",
        "22": "puppeteer-core",
        "29": "jest",
        "5.9.3": "typescript",
    }.items()
    for name in names.split()
}


def tools() -> str:
    """The folder whose `node_modules` holds TypeScript, pnpm and Yarn.

    Raises:
        RuntimeError: There is no npm, or it fails.

    """
    return _laid("tools", TOOLS, ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"])


def typescript() -> str:
    """The TypeScript compiler to ask."""
    return os.path.join(tools(), "node_modules", "typescript", "lib", "typescript.js")


def npm_tree(*, large: bool) -> str:
    """A project laid by npm: with `large` over 2,500 copies of packages, else some hundred."""
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"]
    return _laid("npm-large" if large else "npm-small", LARGE if large else SMALL, command)


def pnpm_tree() -> str:
    """The large project laid by pnpm."""
    pnpm = os.path.join(tools(), "node_modules", "pnpm", "bin", "pnpm.cjs")
    store = os.path.join(WORK, "pnpm-store")
    command = [
        "node",
        pnpm,
        "install",
        "--ignore-scripts",
        "--store-dir",
        store,
        "--config.strict-peer-dependencies=false",
    ]
    return _laid("pnpm-large", LARGE, command)


def plug_n_play_project() -> str:
    """The large project laid by Yarn as Plug'n'Play."""
    yarn = os.path.join(tools(), "node_modules", "@yarnpkg", "cli-dist", "bin", "yarn.js")
    return _laid("yarn-large", LARGE, ["node", yarn, "install"])


def _laid(name: str, dependencies: dict[str, str], command: list[str]) -> str:
    folder = os.path.join(WORK, name)
    done = os.path.join(folder, ".laid")
    wanted = json.dumps({"name": name, "version": "1.0.0", "private": True, "dependencies": dependencies}, indent=1)
    if os.path.exists(done) and open(done, encoding="utf-8").read() == wanted:  # noqa: SIM115
        return folder
    if shutil.which("npm") is None:
        raise RuntimeError("npm is needed to lay the trees")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for file, text in (("package.json", wanted), ("yarn.lock", "")):
        if file != "yarn.lock" or "yarn" in name:
            with open(os.path.join(folder, file), "w", encoding="utf-8") as handle:
                handle.write(text)
    ran = subprocess.run(
        command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False, encoding="utf-8"
    )
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {(ran.stdout + ran.stderr)[-600:]}")
    with open(done, "w", encoding="utf-8") as handle:
        handle.write(wanted)
    return folder


def _environment() -> dict[str, str]:
    """The environment of the managers: Yarn asks the registry that npm is set to, and runs no scripts."""
    registry = subprocess.run(
        ["npm", "config", "get", "registry"], capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout.strip()
    return os.environ | {
        "YARN_NPM_REGISTRY_SERVER": registry,
        "YARN_ENABLE_SCRIPTS": "false",
        "YARN_ENABLE_TELEMETRY": "0",
        "YARN_ENABLE_IMMUTABLE_INSTALLS": "false",
    }
