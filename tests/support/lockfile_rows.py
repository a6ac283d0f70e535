"""A reading as short lines, so that a test compares the whole of it and a reader of the test sees it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from briefkit.lockfiles.files import read_lockfile

SAMPLES = Path(__file__).parent.parent / "lockfiles" / "samples"

if TYPE_CHECKING:
    from briefkit.lockfiles.reading import LockfileReading
    from briefkit.packages import Edge, LockedPackage


def package_rows(reading: LockfileReading) -> list[str]:
    """One line a package: `LINE name version kind where #ref <importers> {groups} direct ; marker -> dependencies`; empty parts left out."""
    return [_package_row(package) for package in reading.packages]


def _package_row(package: LockedPackage) -> str:
    source = package.source
    parts = [f"{package.line}", package.name, package.version or "(none)"]
    if package.aliases:
        parts.append("as " + ",".join(package.aliases))
    if source.kind != "registry":
        parts.append(source.kind)
        parts += [str(one) for one in (source.url, source.path) if one]
        parts += [f"#{source.ref}"] if source.ref else []
    if package.importers:
        parts.append("<" + ",".join(package.importers) + ">")
    if package.groups:
        parts.append("{" + ",".join(package.groups) + "}")
    if package.direct is not None:
        parts.append("direct" if package.direct else "indirect")
    if package.marker is not None:
        parts.append("; " + package.marker)
    if package.dependencies:
        parts.append("-> " + ", ".join(f"{one.name} {one.version or '(none)'}" for one in package.dependencies))
    return " ".join(parts)


def importer_rows(reading: LockfileReading) -> list[str]:
    """One line an importer, then one an edge: `  LINE name[extras] requirement {group} ; marker -> name version`."""
    rows = []
    for importer in reading.importers:
        name = importer.name or "(none)"
        rows.append(
            f"{importer.path} {name} {importer.version or '(none)'} {'' if importer.declared else 'undeclared'}".rstrip()
        )
        rows += [_edge_row(reading, edge) for edge in importer.edges]
    return rows


def _edge_row(reading: LockfileReading, edge: Edge) -> str:
    extras = f"[{','.join(edge.extras)}]" if edge.extras else ""
    parts = [f"  {edge.line}", edge.name + extras]
    if edge.requirement is not None:
        parts.append(edge.requirement)
    parts.append("{" + edge.group + "}")
    if edge.marker is not None:
        parts.append("; " + edge.marker)
    if edge.target is not None:
        package = reading.packages[reading.instances[edge.target].package]
        parts.append(f"-> {package.name} {package.version or '(none)'}")
    if edge.link is not None:
        parts.append(f"link {edge.link}")
    return " ".join(parts)


def skipped_rows(reading: LockfileReading) -> list[str]:
    """One line for what was not used: `LINE name: reason`."""
    return [f"{one.line} {one.name}: {one.reason}" for one in reading.skipped]


def lines(text: str) -> list[str]:
    """The lines of an expected table in a test, without the indentation it stands in."""
    return dedent(text).strip("\n").split("\n") if text.strip() else []


def sample(path: str) -> LockfileReading:
    """The reading of a sample, shown under its path among the samples."""
    return read_lockfile(SAMPLES / path, shown=path)
