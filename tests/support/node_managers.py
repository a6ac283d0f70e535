"""The real package managers, installed from the registry that npm is set to, and the projects they lay for the slow suite."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

VERSIONS = {
    "typescript": "5.9.3",
    "pnpm8": "npm:pnpm@8",
    "pnpm10": "npm:pnpm@10.34.9",
    "pnpm12": "npm:pnpm@12.21.0",
    "yarn1": "npm:yarn@1.22.22",
    "yarn2": "npm:@yarnpkg/cli-dist@2.4.2",
    "yarn3": "npm:@yarnpkg/cli-dist@3.8.5",
    "yarn4": "npm:@yarnpkg/cli-dist@4.18.1",
    "bun": "1.4.5",
    "deno": "2.9.6",
}
NPM = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
PNPM_WORKSPACE = "packages:\n  - packages/*\n"


@functools.cache
def real_home() -> str:
    """The home that the suite started with: the managers keep their settings and caches there, tests have homes of their own."""
    import pwd

    return pwd.getpwuid(os.getuid()).pw_dir


@functools.cache
def tools() -> str:
    """The `node_modules` folder with all managers, in a temporary folder that is kept for later runs on this machine."""
    folder = os.path.join(tempfile.gettempdir(), f"briefkit-node-tools-{os.getuid()}")
    manifest = json.dumps({"name": "tools", "private": True, "dependencies": VERSIONS})
    done = os.path.join(folder, "done")
    if not os.path.exists(done):
        write(folder, {"package.json": manifest})
        run([*NPM], folder)
        write(folder, {"done": ""})
    return os.path.join(folder, "node_modules")


def have_npm() -> bool:
    return shutil.which("npm") is not None


@functools.cache
def registry() -> str:
    done = subprocess.run(
        ["npm", "config", "get", "registry"],
        capture_output=True,
        text=True,
        check=True,
        env=environment(plain=True),
        encoding="utf-8",
    )
    return done.stdout.strip()


def environment(*, plain: bool = False) -> dict[str, str]:
    own = os.environ | {"HOME": real_home()}
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        own.pop(name, None)
    if plain:
        return own
    return own | {
        "NPM_CONFIG_REGISTRY": registry(),
        "YARN_NPM_REGISTRY_SERVER": registry(),
        "YARN_ENABLE_SCRIPTS": "false",
        "YARN_ENABLE_TELEMETRY": "0",
        "YARN_ENABLE_IMMUTABLE_INSTALLS": "false",
    }


def run(command: Sequence[str], folder: str, **more: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment() | more, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-800:]}")
    return done.stdout


def write(folder: str, files: Mapping[str, Any]) -> None:
    for path, content in files.items():
        place = os.path.join(folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as handle:
            handle.write(content if isinstance(content, str) else json.dumps(content, indent=1))


def pnpm(version: int = 10) -> list[str]:
    binary = "pnpm.mjs" if version >= 12 else "pnpm.cjs"
    store = os.path.join(tempfile.gettempdir(), f"briefkit-pnpm-store-{os.getuid()}-{version}")
    return [
        "node",
        os.path.join(tools(), f"pnpm{version}", "bin", binary),
        "install",
        "--ignore-scripts",
        "--store-dir",
        store,
    ]


def yarn(version: int = 4) -> list[str]:
    command = ["node", os.path.join(tools(), f"yarn{version}", "bin", "yarn.js"), "install"]
    return [*command, "--registry", registry(), "--ignore-scripts"] if version == 1 else command


def bun() -> list[str]:
    return [os.path.join(tools(), "@oven", "bun-linux-x64", "bin", "bun"), "install", "--ignore-scripts"]


def deno() -> list[str]:
    return [os.path.join(tools(), "@deno", "linux-x64-glibc", "deno"), "install"]


def members(workspace: str = "*", extra: Mapping[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    """The sources of one project with three members, whose dependencies differ."""
    root = {
        "ms": "1.0.0",
        "debug": "4.4.3",
        "lodash": "4.17.20",
        "lodash3": "npm:lodash@3.10.1",
        "react": "18.3.1",
        "react-dom": "18.3.1",
        "@types/react": "18.3.3",
        "esbuild": "0.21.5",
        "local-lib": "file:./libs/local",
        **(extra or {}),
    }
    peers = {"use-sync-external-store": "1.2.0"}
    return {
        "package.json": {
            "name": "root",
            "version": "1.0.0",
            "private": True,
            "workspaces": ["packages/*"],
            "dependencies": root,
            **fields,
        },
        "packages/a/package.json": {
            "name": "@acme/a",
            "version": "1.2.3",
            "dependencies": {"zod": "3.25.76", "ms": "2.0.0"},
        },
        "packages/b/package.json": {
            "name": "@acme/b",
            "version": "2.0.0",
            "dependencies": {"@acme/a": workspace, **peers, "react": "17.0.2"},
        },
        "packages/c/package.json": {
            "name": "@acme/c",
            "version": "3.0.0",
            "dependencies": {**peers, "react": "18.3.1"},
        },
        "libs/local/package.json": {"name": "local-lib", "version": "0.0.1", "main": "index.js"},
        "libs/local/index.js": "module.exports = 1\n",
    }


def lay_members(folder: str, layout: str) -> None:
    """Lays the project of `members` with the manager and linker that a layout's name says."""
    workspace = {"npm": "*", "npm-linked": "*", "yarn-1": "1.2.3"}.get(layout, "workspace:*")
    settings = {
        "pnpm-8": {"pnpm-workspace.yaml": PNPM_WORKSPACE},
        "pnpm-10": {"pnpm-workspace.yaml": PNPM_WORKSPACE},
        "pnpm-12": {"pnpm-workspace.yaml": PNPM_WORKSPACE},
        "pnpm-hoisted": {"pnpm-workspace.yaml": PNPM_WORKSPACE + "nodeLinker: hoisted\n"},
        "pnpm-global": {"pnpm-workspace.yaml": PNPM_WORKSPACE + "enableGlobalVirtualStore: true\n"},
        "yarn-4-node-modules": {"yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n"},
        "yarn-4-pnpm": {"yarn.lock": "", ".yarnrc.yml": "nodeLinker: pnpm\n"},
    }.get(layout, {})
    commands: dict[str, Callable[[], list[str]]] = {
        "npm": lambda: [*NPM],
        "npm-linked": lambda: [*NPM, "--install-strategy=linked"],
        "pnpm-8": lambda: pnpm(8),
        "pnpm-12": lambda: pnpm(12),
        "pnpm-10": pnpm,
        "pnpm-hoisted": pnpm,
        "pnpm-global": pnpm,
        "yarn-1": lambda: yarn(1),
        "yarn-4-node-modules": yarn,
        "yarn-4-pnpm": yarn,
        "bun-isolated": bun,
        "bun-hoisted": lambda: [*bun(), "--linker", "hoisted"],
    }
    write(folder, members(workspace) | settings)
    run(commands[layout](), folder)
