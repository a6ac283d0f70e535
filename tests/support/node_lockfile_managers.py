"""The projects of our own whose lockfiles the samples are, and how each package manager writes them.

Each manager is installed by npm into a folder of its own, in the folder that BRIEFKIT_TEST_TOOLS names. Addresses of registries and
folders of this machine are rewritten, so that a sample names neither.

    python tests/support/node_lockfile_managers.py [NAME…]        writes the samples (whose folder holds NAME) again
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "lockfiles", "samples")
REGISTRY = "https://registry.npm.example/"
PNPM_12 = "12.21.0"
GIT = "git+ssh://git@git.example/thing.git"


def _manifest(**fields: object) -> str:
    return json.dumps(fields, indent=2) + "\n"


_LOCAL = _manifest(name="local", version="9.9.9", dependencies={"debug": "3.1.0", "is-number": "7.0.0"})
_API = {
    "name": "@shop/api",
    "version": "1.0.0",
    "dependencies": {
        "debug": "^3.1.0",
        "leftpad": "{registry}left-pad/-/left-pad-1.3.0.tgz",
        "react": "18.3.1",
        "string-width": "^5.1.2",
        "string-width-cjs": "npm:string-width@^4.2.0",
    },
    "optionalDependencies": {"fsevents": "^2.3.0"},
    "peerDependencies": {"semver": ">=7"},
}
_WEB = {
    "name": "@shop/web",
    "version": "0.0.1",
    "dependencies": {"is-odd": "3.0.1", "ms": "^2.1.0", "react": "17.0.2", "use-sync-external-store": "1.2.0"},
    "devDependencies": {"frame": "npm:@babel/code-frame@7.24.7"},
}


def _shop(**more: object) -> dict[str, str]:
    """A workspace: two members that depend on another, aliases, two versions of react, and one of each kind of source."""
    inner = str(more.pop("inner", "*"))
    local = str(more.pop("local", "file:../../local"))
    thing = more.pop("thing", "git+file://{git}")
    web = {**_WEB, **more.pop("web", {})}  # type: ignore[dict-item]
    api = {**_API, "dependencies": {**_API["dependencies"], "@shop/web": inner, "local": local}}  # type: ignore[dict-item]
    api["dependencies"].update(more.pop("api", {}))  # type: ignore[attr-defined]
    api["dependencies"].update({"thing": thing} if thing else {})  # type: ignore[attr-defined]
    root = {"name": "shop", "version": "1.0.0", "private": True, "workspaces": ["packages/*"]}
    return {
        "package.json": _manifest(**root, devDependencies={"semver": "7.6.3"}, **more),
        "packages/a/package.json": _manifest(**api),
        "packages/b/package.json": _manifest(**web),
        "local/package.json": _LOCAL,
    }


def _solo(**dependencies: str) -> dict[str, str]:
    """A single package, for managers without workspaces."""
    return {
        "package.json": _manifest(
            name="solo",
            version="1.0.0",
            dependencies={"debug": "^3.1.0", "is-odd": "3.0.1", "local": "file:local", **dependencies},
            devDependencies={"chalk": "2.4.2"},
            optionalDependencies={"fsevents": "^2.3.0"},
        ),
        "local/package.json": _LOCAL,
    }


_PNPM_WORKSPACE = "packages:\n  - packages/*\n"
_CATALOGS = """\
packages:
  - packages/*
catalog:
  ms: ^2.1.0
catalogs:
  old:
    react: 17.0.2
patchedDependencies:
  is-number@6.0.0: patches/is-number.patch
"""


class Sample(NamedTuple):
    """One sample: its folder under `samples`, the project, the manager and its arguments, and the file it writes."""

    folder: str
    project: Callable[[], dict[str, str]]
    manager: str
    arguments: tuple[str, ...]
    written: str
    environment: tuple[tuple[str, str], ...] = ()
    node: str = ""


def _pnpm(workspace: str = _PNPM_WORKSPACE, /, **more: object) -> dict[str, str]:
    return {**_shop(inner="workspace:*", **more), "pnpm-workspace.yaml": workspace}


def _catalogs() -> dict[str, str]:
    web = {"dependencies": {**_WEB["dependencies"], "ms": "catalog:", "react": "catalog:old"}}  # type: ignore[dict-item]
    return {**_pnpm(_CATALOGS, web=web), "patches/is-number.patch": _IS_NUMBER_PATCH}


_IS_NUMBER_PATCH = """\
diff --git a/index.js b/index.js
--- a/index.js
+++ b/index.js
@@ -1,3 +1,4 @@
+// patched
 /*!
  * is-number <https://github.com/jonschlinkert/is-number>
  *
"""

_NPM = ("install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund")
_PNPM = ("install", "--lockfile-only", "--ignore-scripts", "--no-frozen-lockfile")
_BERRY = (("YARN_ENABLE_IMMUTABLE_INSTALLS", "false"), ("YARN_ENABLE_TELEMETRY", "0"), ("YARN_ENABLE_SCRIPTS", "false"))


def _berry(**more: object) -> dict[str, str]:
    api = {
        "lnk": "link:../../local",
        "port": "portal:../../portal",
        "is-number": "patch:is-number@npm%3A7.0.0#../../patches/is-number.patch",
    }
    return {
        **_shop(inner="workspace:*", thing=None, api=api, resolutions={"debug": "4.3.4"}, **more),
        "portal/package.json": _manifest(name="port", version="2.0.0", dependencies={"ms": "2.0.0"}),
        "patches/is-number.patch": _IS_NUMBER_PATCH,
    }


def _bun() -> dict[str, str]:
    files = _shop(inner="workspace:*")
    root = json.loads(files["package.json"])
    root["workspaces"] = {
        "packages": ["packages/*"],
        "catalog": {"ms": "^2.1.0"},
        "catalogs": {"old": {"react": "17.0.2"}},
    }
    web = json.loads(files["packages/b/package.json"])
    web["dependencies"] |= {"ms": "catalog:", "react": "catalog:old"}
    return {**files, "package.json": _manifest(**root), "packages/b/package.json": _manifest(**web)}


ALL = (
    Sample("npm/v3-workspaces", _shop, "npm@11", _NPM, "package-lock.json"),
    Sample("npm/v2-workspaces", _shop, "npm@8", _NPM, "package-lock.json"),
    Sample(
        "npm/v1-solo",
        lambda: _solo(
            **{
                "string-width-cjs": "npm:string-width@^4.2.0",
                "leftpad": "{registry}left-pad/-/left-pad-1.3.0.tgz",
                "thing": "git+file://{git}",
            }
        ),
        "npm@6",
        _NPM,
        "package-lock.json",
    ),
    Sample("npm/v0-shrinkwrap", _solo, "npm@3", ("install", "--ignore-scripts"), "npm-shrinkwrap.json", node="node@8"),
    Sample(
        "npm/hidden",
        _shop,
        "npm@11",
        ("install", "--ignore-scripts", "--no-audit", "--no-fund"),
        "node_modules/.package-lock.json",
    ),
    Sample("pnpm/v5.3-pnpm6", lambda: _pnpm(thing=None), "pnpm@6", _PNPM, "pnpm-lock.yaml", node="node@14"),
    Sample("pnpm/v5.4-pnpm7", _pnpm, "pnpm@7", _PNPM, "pnpm-lock.yaml"),
    Sample("pnpm/v6-pnpm8", lambda: _pnpm(thing=None), "pnpm@8", _PNPM, "pnpm-lock.yaml"),
    Sample("pnpm/v9-pnpm9", _pnpm, "pnpm@9", _PNPM, "pnpm-lock.yaml"),
    Sample("pnpm/v9-pnpm10-catalogs", _catalogs, "pnpm@10", _PNPM, "pnpm-lock.yaml"),
    Sample("pnpm/v9-pnpm11-catalogs", _catalogs, "pnpm@11", _PNPM, "pnpm-lock.yaml", node="node@22"),
    Sample(
        "pnpm/v9-pnpm12-two-documents",
        lambda: _pnpm(
            _PNPM_WORKSPACE + "configDependencies:\n  ms: 2.1.3\n",
            devEngines={"packageManager": {"name": "pnpm", "version": PNPM_12, "onFail": "download"}},
        ),
        f"pnpm@{PNPM_12}",
        _PNPM,
        "pnpm-lock.yaml",
    ),
    Sample("pnpm/v9-pnpm12-catalogs", _catalogs, f"pnpm@{PNPM_12}", _PNPM, "pnpm-lock.yaml"),
    Sample(
        "yarn-classic/v1-workspaces",
        lambda: _shop(inner="0.0.1"),
        "yarn@1",
        ("install", "--ignore-scripts", "--non-interactive", "--ignore-engines"),
        "yarn.lock",
    ),
    Sample("yarn-berry/v4-yarn2", _berry, "yarn@2", ("install",), "yarn.lock", _BERRY),
    Sample("yarn-berry/v6-yarn3", _berry, "yarn@3", ("install",), "yarn.lock", _BERRY),
    Sample("yarn-berry/v10-yarn4", _berry, "yarn@4", ("install", "--mode", "update-lockfile"), "yarn.lock", _BERRY),
    Sample(
        "bun/v0-bun1.1",
        lambda: _shop(inner="workspace:*", thing=None),
        "bun@1.1.45",
        ("install", "--save-text-lockfile", "--ignore-scripts"),
        "bun.lock",
    ),
    Sample(
        "bun/v1-bun1.2",
        lambda: _shop(inner="workspace:*", thing=None),
        "bun@1.2",
        ("install", "--lockfile-only", "--ignore-scripts"),
        "bun.lock",
    ),
    Sample("bun/v2-catalogs", _bun, "bun@1.4", ("install", "--lockfile-only", "--ignore-scripts"), "bun.lock"),
)


def lay(sample: Sample, directory: str, registry: str, repository: str) -> None:
    """Write the sample's project into a folder."""
    for name, text in sample.project().items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("{registry}", registry).replace("{git}", repository))


def lay_repository(directory: str) -> str:
    """A git repository with one package, always of the same commit; its path."""
    path = os.path.join(directory, "thing.git")
    os.makedirs(path)
    with open(os.path.join(path, "package.json"), "w", encoding="utf-8") as file:
        file.write(_manifest(name="thing", version="3.2.1", dependencies={"ms": "2.0.0"}))
    stamp = "2024-01-01T00:00:00Z"
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "a"), ("EMAIL", "a@example.org"), ("DATE", stamp))
    }
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "thing")):
        subprocess.run(("git", *arguments), cwd=path, env=environment, check=True)
    return path


def tools_folder() -> str:
    """Where the managers are kept."""
    return os.environ.get("BRIEFKIT_TEST_TOOLS") or os.path.join(tempfile.gettempdir(), "briefkit-test-tools")


def program_of(requirement: str) -> str:
    """The path of a manager's program; it is installed on first use."""
    folder = os.path.join(tools_folder(), "node", requirement)
    name = requirement.partition("@")[0]
    path = os.path.join(folder, "node_modules", ".bin", name)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        package = (
            requirement.replace("yarn@", "@yarnpkg/cli-dist@")
            if name == "yarn" and not requirement.endswith("@1")
            else requirement
        )
        subprocess.run(("npm", "install", "--silent", "--no-audit", "--no-fund", package), cwd=folder, check=True)
    return path


def registry_address() -> str:
    """The registry that npm uses here, with a slash at its end."""
    done = subprocess.run(
        ("npm", "config", "get", "registry"), capture_output=True, text=True, check=True, encoding="utf-8"
    )
    return done.stdout.strip().rstrip("/") + "/"


class Laid(NamedTuple):
    """A sample's project on this disk, and how its manager is run there."""

    sample: Sample
    directory: str
    repository: str
    registry: str

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the manager in the project."""
        home = os.path.dirname(self.repository)
        registry = self.registry
        environment = {
            **os.environ, **dict(self.sample.environment), "HOME": home, "CI": "1", "GIT_ALLOW_PROTOCOL": "file:git:https:ssh",
            "npm_config_cache": os.path.join(home, "cache"), "npm_config_registry": registry, "npm_config_store_dir": os.path.join(home, "store"),
            "YARN_NPM_REGISTRY_SERVER": registry.rstrip("/"),
            "YARN_GLOBAL_FOLDER": os.path.join(home, "yarn"),
        }  # fmt: skip
        command = [program_of(self.sample.manager), *arguments]
        if self.sample.node:
            command.insert(0, program_of(self.sample.node))
        return subprocess.run(
            command, cwd=self.directory, env=environment, capture_output=True, text=True, check=False, encoding="utf-8"
        )

    def written(self) -> str:
        """The text of the lockfile that the manager writes, without an address or folder of this machine."""
        done = self.run(*self.sample.arguments)
        if self.sample.written == "npm-shrinkwrap.json":
            done = self.run("shrinkwrap", "--dev")
        path = os.path.join(self.directory, self.sample.written)
        if not os.path.exists(path):
            raise RuntimeError(f"{self.sample.folder}: {done.returncode}: {done.stdout[-1600:]} {done.stderr[-1500:]}")
        with open(path, encoding="utf-8") as file:
            return self.without_addresses(file.read())

    def without_addresses(self, text: str) -> str:
        """The text with `.example` hosts for the registry and the git repository."""
        text = text.replace(self.registry, REGISTRY)
        text = re.sub(r"https?://registry\.[a-z]+\.[a-z]{2,4}/", REGISTRY, text)
        repository = self.repository
        for address, public in (
            (f"git+file://{repository}", GIT), (f"file://{repository}", GIT[4:]), (repository, "git.example/thing.git"),
            (repository.removesuffix(".git"), "git.example/thing"),
        ):  # fmt: skip
            text = text.replace(address, public)
        return text


def lay_sample(sample: Sample, directory: str, registry: str) -> Laid:
    """The sample's project, laid in a new folder under `directory`."""
    home = os.path.join(directory, "home")
    os.makedirs(home)
    repository = lay_repository(home)
    project = os.path.join(directory, "project")
    lay(sample, project, registry, repository)
    return Laid(sample, project, repository, registry)


def main() -> None:
    """Write the samples that the arguments name (all, without a name)."""
    registry = registry_address()
    for sample in ALL:
        if sys.argv[1:] and not any(name in sample.folder for name in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as directory:
            try:
                text = lay_sample(sample, directory, registry).written()
            except RuntimeError as error:
                print(error)  # noqa: T201 - a command's output
                continue
            left = directory in text
        target = os.path.join(SAMPLES, sample.folder, os.path.basename(sample.written))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        print(sample.folder, len(text), "STILL NAMES A FOLDER OF THIS MACHINE" if left else "")  # noqa: T201 - a command's output


if __name__ == "__main__":
    main()
