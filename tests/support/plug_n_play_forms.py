"""Plug'n'Play manifests as each generator writes them, from one description; and zips of packages as Yarn caches them."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HEAD = '#!/usr/bin/env node\n/* eslint-disable */\n"use strict";\n\n'
TAIL = '\nrequire("node:fs").writeFileSync("ran", "the manifest was run");\n'


def state(packages: Mapping[tuple[str | None, str | None], Mapping[str, Any]], **fields: Any) -> dict[str, Any]:
    """The data of a manifest from its packages by (name, reference)."""
    stores: dict[str | None, list[Any]] = {}
    for (name, reference), about in packages.items():
        stores.setdefault(name, []).append([reference, dict(about)])
    return {
        "enableTopLevelFallback": True,
        "fallbackExclusionList": [],
        "fallbackPool": [],
        **fields,
        "packageRegistryData": [[name, store] for name, store in stores.items()],
    }


def at(location: str, dependencies: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """One package of a manifest."""
    return {
        "packageLocation": location,
        "packageDependencies": [list(each) for each in (dependencies or {}).items()],
        **fields,
    }


def yarn_4(data: Mapping[str, Any]) -> str:
    return f"{HEAD}const RAW_RUNTIME_STATE =\n{_quoted(data)};\n{TAIL}"


def yarn_3(data: Mapping[str, Any]) -> str:
    setup = f"  return hydrateRuntimeState(JSON.parse({_quoted(data)}), {{basePath: basePath || __dirname}});"
    return f"{HEAD}function $$SETUP_STATE(hydrateRuntimeState, basePath) {{\n{setup}\n}}\n{TAIL}"


def yarn_2(data: Mapping[str, Any]) -> str:
    literal = json.dumps(data, indent=2).replace("\n", "\n  ").replace("}", "},}", 1).replace("},}", ",\n  }", 1)
    return f"{HEAD}function $$SETUP_STATE(hydrateRuntimeState, basePath) {{\n  return hydrateRuntimeState({literal}, {{basePath: basePath || __dirname}});\n}}\n{TAIL}"


def apart(path: str = ".pnp.data.json") -> str:
    read = f'  const pnpDataFilepath = path.resolve(__dirname, "{path}");\n  return hydrateRuntimeState(JSON.parse(fs.readFileSync(pnpDataFilepath)));'
    return f"{HEAD}function $$SETUP_STATE(hydrateRuntimeState, basePath) {{\n  const path = require('path');\n{read}\n}}\n{TAIL}"


def yarn_1(data: Mapping[str, Any]) -> str:
    lines = [f"{HEAD}let packageInformationStores = new Map(["]
    for name, store in data["packageRegistryData"]:
        lines.append(f"  [{json.dumps(name)}, new Map([")
        for reference, about in store:
            lines.append(f"    [{json.dumps(reference)}, {{")
            lines.append(f"      packageLocation: path.resolve(__dirname, {json.dumps(about['packageLocation'])}),")
            lines.append("      packageDependencies: new Map([")
            lines += [
                f"        [{json.dumps(key)}, {json.dumps(target)}]," for key, target in about["packageDependencies"]
            ]
            lines += ["      ]),", "    }],"]
        lines.append("  ])],")
    return "\n".join([*lines, "]);", TAIL])


def _quoted(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, indent=2).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\\n")
    return f"'{text}'"


def zip_of(place: Path, name: str, files: Mapping[str, Any]) -> None:
    """A cache zip: one package under `node_modules/NAME`, stored as Yarn 4 stores it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for path, content in files.items():
            archive.writestr(
                f"node_modules/{name}/{path}", content if isinstance(content, str) else json.dumps(content)
            )
