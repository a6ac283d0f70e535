"""What a manifest declares, led to the lockfile's instances, for formats that do not say what is direct."""

from __future__ import annotations

import posixpath

from briefkit.records import TYPE_CHECKING

from ..names import NPM, canonical
from ..packages import Edge

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..lockfiles.reading import LockfileReading
    from .package_json import Declared

    MemberFolders = Callable[[], dict[str, str]]
    """The folders of the workspace's members by their names."""

_FOLDER_PROTOCOLS = ("link:", "portal:", "workspace:")


def edges_from_manifest(
    reading: LockfileReading, importer: str, declared: tuple[Declared, ...], members: MemberFolders
) -> tuple[Edge, ...]:
    """An edge for each declaration and each instance it may lead to; one that leads nowhere has no target."""
    found: list[Edge] = []
    for each in declared:
        if reading.ecosystem != NPM:
            found += [_edge(each, target) for target in _python_targets(reading, each) or (None,)]
            continue
        target = _npm_target(reading, importer, each)
        link = _linked_folder(importer, each, members) if target is None else None
        found.append(_edge(each, target, link))
    return tuple(found)


def with_groups_of(edges: tuple[Edge, ...], declared: tuple[Declared, ...]) -> tuple[Edge, ...]:
    """Edges of a lockfile that merges what production and development need, with the manifest's groups."""
    groups = {each.name: each.group for each in reversed(declared)}
    return tuple(
        edge._replace(group=groups[edge.name]) if edge.group == "prod" and edge.name in groups else edge
        for edge in edges
    )


def _edge(each: Declared, target: int | None, link: str | None = None) -> Edge:
    return Edge(each.name, target, each.requirement or None, each.group, each.marker, each.line, link, each.extras)


def _npm_target(reading: LockfileReading, importer: str, each: Declared) -> int | None:
    """The instance under the manifest's own descriptor, else the one the format's folders show, else the only one of the name."""
    for descriptor in (f"{each.name}@{each.requirement}", f"{each.name}@npm:{each.requirement}"):
        if descriptor in reading.patterns:
            return reading.patterns[descriptor]
    if each.requirement.startswith(_FOLDER_PROTOCOLS):
        return None
    seen = reading.visible(importer, each.name)
    if seen is not None:
        return seen
    named = [index for index in _instances(reading, each.name) if not reading.aliases_of(index)]
    return named[0] if len(named) == 1 else None


def _linked_folder(importer: str, each: Declared, members: MemberFolders) -> str | None:
    """The folder that a declaration links to: named by a protocol, else a member of this name."""
    for protocol in ("link:", "portal:"):
        if each.requirement.startswith(protocol):
            return posixpath.normpath(posixpath.join(importer, each.requirement.removeprefix(protocol)))
    return members().get(each.name)


def _python_targets(reading: LockfileReading, each: Declared) -> tuple[int, ...]:
    """The instances of a name; of several versions those that the requirement allows, where it allows any."""
    named = _instances(reading, each.name)
    versions = {reading.held(index).version for index in named}
    if len(versions) < 2 or not each.requirement:
        return named
    from ..lockfiles.dependency_strings import constraint_allows, specifier_allows

    def allowed(index: int) -> bool:
        version = reading.held(index).version or ""
        return specifier_allows(version, each.requirement) or constraint_allows(version, each.requirement)

    return tuple(index for index in named if allowed(index)) or named


def _instances(reading: LockfileReading, name: str) -> tuple[int, ...]:
    return reading.instances_named(canonical(reading.ecosystem, name))
