"""Compare what is located in a Python environment with what that environment's own interpreter says.

    python -m benchmarks.compare_python ENVIRONMENT [--submodules N]

The oracle runs in the environment: `importlib.metadata` for every distribution (name, version, metadata folder, files) and
`importlib.util.find_spec` for every top-level import name and N submodules of each distribution, which imports their parents. Exit 1
on any difference that is not explained by a module that could not be imported there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from briefkit.installed.files import citation_path, package_files
from briefkit.installed.python_environments import find_environment
from briefkit.installed.site_packages import open_site

if TYPE_CHECKING:
    from briefkit.installed.site_packages import SitePackages

ORACLE_SECONDS = 1800
ORACLE = r"""
import importlib.metadata, importlib.util, json, os, re, signal, sys, warnings
warnings.simplefilter("ignore")
sys.path = [folder for folder in sys.path if folder]  # not the folder in which this runs
names = json.load(sys.stdin)
distributions = {}
for one in importlib.metadata.distributions():
    folder = os.path.basename(str(one._path))
    name = one.metadata["Name"]
    if folder[:1] in "~-" or not name:
        continue
    key = re.sub(r"[-_.]+", "-", name).lower()
    files = sorted({os.path.normpath(str(one.locate_file(file))) for file in one.files or () if file.suffix in (".py", ".pyi")})
    distributions.setdefault(key, [one.version, str(one._path), [file for file in files if os.path.isfile(file)]])
def late(*_):
    raise TimeoutError("import takes too long")
def answer(name):
    try:
        spec = importlib.util.find_spec(name)
    except BaseException as error:
        return {"error": type(error).__name__ + ": " + str(error)[:80]}
    if spec and not spec.has_location and spec.submodule_search_locations is None:
        return {"error": "loaded by its parent, which does not say from where"}
    return spec and {
        "origin": spec.origin if spec.has_location else None,
        "locations": list(spec.submodule_search_locations or ()) if not spec.has_location else None,
    }
specs = {}
groups = {}
for name in names:
    groups.setdefault(name.partition(".")[0], []).append(name)
for group in groups.values():  # each in a process of its own: some packages change sys.path when imported
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(2, 1)
        signal.signal(signal.SIGALRM, late)
        found = {}
        for name in group:
            signal.alarm(6)
            found[name] = answer(name)
            signal.alarm(0)
        with os.fdopen(writer, "w") as out:
            json.dump(found, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as back:
        text = back.read()
    os.waitpid(child, 0)
    specs.update(json.loads(text) if text else {name: {"error": "the interpreter died"} for name in group})
json.dump({"distributions": distributions, "specs": specs}, sys.stdout)
"""


def names_to_ask(site: SitePackages, submodules: int) -> list[str]:
    """Every import name of every distribution, the parts above it, and some modules inside it; the standard library's names left out."""
    names: dict[str, None] = {}
    for installed in site.distributions():
        for top in installed.top_levels:
            parts = top.split(".")
            if top.partition("-")[0] != top or parts[0] in sys.stdlib_module_names:
                continue
            for size in range(1, len(parts) + 1):
                names[".".join(parts[:size])] = None
        paths = [file.path for file in package_files(installed) if file.path.endswith(".py") and "-" not in file.path]
        step = max(len(paths) // submodules, 1) if submodules else len(paths) + 1
        for path in paths[::step][:submodules]:
            dotted = path[:-3].removesuffix("/__init__").replace("/", ".")
            top = dotted.partition(".")[0]
            if (
                all(part.isidentifier() for part in dotted.split("."))
                and top not in sys.stdlib_module_names
                and "__main__" not in dotted
            ):
                names[dotted] = None
    return list(names)


def ask(python: str, names: list[str]) -> dict[str, Any]:
    """What the environment's own interpreter answers."""
    done = subprocess.run(
        [python, "-c", ORACLE],
        timeout=ORACLE_SECONDS,
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    if not done.stdout:
        raise RuntimeError(f"the oracle failed: {done.stderr[-2000:]}")
    return dict(json.loads(done.stdout))


def compare_distributions(site: SitePackages, wanted: dict[str, Any]) -> list[str]:
    """The differences in names, versions, metadata folders and source files."""
    wrong = []
    found = {installed.name: installed for installed in site.distributions()}
    wrong += [f"{name}: only importlib.metadata has it" for name in wanted.keys() - found.keys()]
    wrong += [f"{name}: only briefkit has it" for name in found.keys() - wanted.keys()]
    for name in sorted(found.keys() & wanted.keys()):
        installed = found[name]
        version, folder, files = wanted[name]
        if installed.version != version:
            wrong.append(f"{name}: version {installed.version}, importlib.metadata says {version}")
        if os.path.dirname(installed.evidence[0]) != folder and installed.evidence[0] != folder:
            wrong.append(f"{name}: metadata {installed.evidence[0]}, importlib.metadata says {folder}")
        own = {
            citation_path(installed, file.path)
            for file in package_files(installed)
            if file.path.endswith((".py", ".pyi"))
        }
        inside = {file for file in files if file.startswith(str(installed.search_root) + os.sep)}
        if installed.project is None and files and own != inside:
            wrong.append(
                f"{name}: {len(own)} source files, importlib.metadata lists {len(inside)}: {sorted(own ^ inside)[:3]}"
            )
        if installed.top_levels and not os.path.exists(installed.root):
            wrong.append(f"{name}: root {installed.root} does not exist")
    return wrong


def compare_modules(site: SitePackages, specs: dict[str, Any]) -> tuple[list[str], int]:
    """The differences in where modules are found, and how many names could not be asked."""
    wrong = []
    unasked = 0
    for name, spec in specs.items():
        found = site.find_spec(name)
        if spec is not None and "error" in spec:
            unasked += 1
        elif spec is None or found is None:
            if (spec is None) != (found is None):
                wrong.append(f"{name}: briefkit {found and found.origin}, find_spec {spec}")
        elif spec["origin"] is not None:
            if found.origin is None or found.origin.replace("!/", "/") != spec["origin"]:
                wrong.append(f"{name}: briefkit {found.origin}, find_spec {spec['origin']}")
        elif found.origin is not None:
            wrong.append(f"{name}: briefkit {found.origin}, find_spec a namespace")
        elif found.loader is None and sorted(found.locations) != sorted(
            place for place in spec["locations"] if os.path.isdir(place)
        ):
            wrong.append(f"{name}: briefkit {found.locations}, find_spec {spec['locations']}")
    return wrong, unasked


def compare(environment: str, submodules: int) -> dict[str, Any]:
    """Both comparisons of one environment, as figures and lists of differences."""
    found = find_environment(environment, environment, environ={}, explicit=environment)
    assert found is not None
    python = next(
        path
        for path in (f"{environment}/bin/python", f"{environment}/bin/python3", f"{environment}/Scripts/python.exe")
        if os.path.lexists(path)
    )
    start = time.perf_counter()
    site = open_site(found)
    count = len(site.distributions())
    seconds = time.perf_counter() - start
    answer = ask(python, names_to_ask(site, submodules))
    modules, unasked = compare_modules(site, answer["specs"])
    return {
        "distributions": count,
        "seconds": seconds,
        "distribution_differences": compare_distributions(site, answer["distributions"]),
        "modules": len(answer["specs"]),
        "modules_not_importable": unasked,
        "module_differences": modules,
    }


def main() -> int:
    """Print the comparison; 1 on any difference."""
    parser = argparse.ArgumentParser(description="Compare located Python packages with the environment's own answer.")
    parser.add_argument("environment")
    parser.add_argument(
        "--submodules",
        type=int,
        default=3,
        help="modules asked for inside each distribution (their parents are imported)",
    )
    options = parser.parse_args()
    result = compare(os.path.abspath(options.environment), options.submodules)
    for kind in ("distribution_differences", "module_differences"):
        for line in result[kind]:
            print(line)
    asked = result["modules"] - result["modules_not_importable"]
    print(
        f"{result['distributions']} distributions, {len(result['distribution_differences'])} differences; "
        f"{asked} modules, {len(result['module_differences'])} differences; {result['modules_not_importable']} could not be imported there"
    )
    return 1 if result["distribution_differences"] or result["module_differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
