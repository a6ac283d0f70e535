"""Makes the table of what is compiled into Python, by running Pythons: a tool for whoever adds a version, never part of briefkit.

python -m benchmarks.python_builtins PYTHON3.11 PYTHON3.12 PYTHON3.13 > src/briefkit/symbols/python_builtins.json

Each name is kept with the versions that have it: `since` where the oldest Python asked lacks it, `until` where the newest does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Run in each Python. A class is ["c", bases, signature, members]; a member or value is a letter (method, property, class, value; f is a
# function) with its signature behind; what another compiled module defines is "@module.name".
DUMP = r"""
import sys, importlib, inspect, json, os, types, warnings
warnings.simplefilter("ignore")
LEFT_OUT = ("__doc__", "__loader__", "__spec__", "__package__", "__name__", "__file__")

def signature(thing):
    try:
        text = str(inspect.signature(thing))
    except Exception:
        return None
    return None if " at 0x" in text or len(text) > 200 else text

def kind(thing):
    if inspect.isclass(thing):
        return "c"
    if isinstance(thing, (property, types.GetSetDescriptorType, types.MemberDescriptorType)) or inspect.isdatadescriptor(thing):
        return "p"
    return "m" if callable(thing) or isinstance(thing, (classmethod, staticmethod)) else "v"

def class_entry(owner):
    members = {}
    for name, value in sorted(vars(owner).items()):
        if name not in ("__doc__", "__module__", "__dict__", "__weakref__"):
            letter = kind(value)
            text = signature(getattr(owner, name, value)) if letter == "m" and not name.startswith("__") else None
            members[name] = letter + (text or "")
    return ["c", [base.__module__ + "." + base.__qualname__ for base in owner.__bases__], signature(owner), members]

def value_entry(module, value, names):
    if inspect.isclass(value):
        home = value.__module__
        if home != module and (home == "builtins" or home in names):
            return "@" + home + "." + value.__qualname__
        return class_entry(value)
    return "f" + (signature(value) or "") if callable(value) else "v"

names = set(sys.builtin_module_names) | {"builtins"}
for folder in [path for path in sys.path if path.endswith("lib-dynload")]:
    names.update(file.split(".")[0] for file in os.listdir(folder))
modules = {}
for name in sorted(names):
    if name.startswith(("_test", "_xx", "xx", "_ctypes_test")):
        continue
    try:
        module = importlib.import_module(name)
    except Exception:
        continue
    modules[name] = {
        key: value_entry(name, value, names)
        for key, value in sorted(vars(module).items())
        if key not in LEFT_OUT and not isinstance(value, types.ModuleType)
    }
reached = {"function": types.FunctionType, "module": types.ModuleType, "method": types.MethodType, "generator": types.GeneratorType,
           "coroutine": types.CoroutineType, "NoneType": type(None), "builtin_function_or_method": types.BuiltinFunctionType,
           "mappingproxy": types.MappingProxyType, "SimpleNamespace": types.SimpleNamespace, "GenericAlias": types.GenericAlias}
modules["types-"] = {name: class_entry(owner) for name, owner in reached.items()}
json.dump({"version": "%d.%d" % sys.version_info[:2], "modules": modules}, sys.stdout)
"""


def main(pythons: Sequence[str]) -> int:
    if not pythons:
        print(__doc__, file=sys.stderr)
        return 2
    dumps = [
        json.loads(subprocess.run([python, "-I", "-c", DUMP], capture_output=True, check=True).stdout)
        for python in pythons
    ]
    dumps.sort(key=lambda dump: [int(part) for part in dump["version"].split(".")])
    json.dump(merged(dumps), sys.stdout, separators=(",", ":"), sort_keys=True)
    print()
    return 0


def merged(dumps: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All dumps as one table: a later Python's entry counts, and its members are added to those of earlier ones."""
    modules: dict[str, Any] = {}
    having: dict[str, list[int]] = {}
    for number, dump in enumerate(dumps):
        for module, entries in dump["modules"].items():
            known = modules.setdefault(module, {})
            for name, entry in entries.items():
                old = known.get(name)
                both = isinstance(entry, list) and isinstance(old, list)
                known[name] = [*entry[:3], {**old[3], **entry[3]}] if both else entry
        for path in paths_of(dump["modules"]):
            having.setdefault(path, []).append(number)
    versions = [dump["version"] for dump in dumps]
    last = len(dumps) - 1
    return {
        "modules": modules,
        "since": outermost({path: versions[numbers[0]] for path, numbers in having.items() if numbers[0] > 0}),
        "until": outermost({path: versions[numbers[-1]] for path, numbers in having.items() if numbers[-1] < last}),
    }


def outermost(marks: dict[str, str]) -> dict[str, str]:
    """The marks without those of names inside something that bears the same mark."""
    return {
        path: mark for path, mark in marks.items() if not any(marks.get(owner) == mark for owner in owners_of(path))
    }


def owners_of(path: str) -> Iterator[str]:
    """What a dotted name lies in, the nearest first."""
    while "." in path:
        path = path.rpartition(".")[0]
        yield path


def paths_of(modules: dict[str, Any]) -> Iterator[str]:
    """Every module, name and member of a dump, dotted."""
    for module, entries in modules.items():
        yield module
        for name, entry in entries.items():
            yield f"{module}.{name}"
            if isinstance(entry, list):
                yield from (f"{module}.{name}.{member}" for member in entry[3])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
