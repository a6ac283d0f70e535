"""A lockfile with merge-conflict markers: both sides read, and where they differ.

npm takes ours, yarn theirs, pnpm merges, the others fail; none of that says which version the merge will have. So both sides are
read, all packages of both are listed, and each name on which they differ is a conflict.
"""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnreadableError
from ..packages import Conflict, Edge, Importer, Instance, LockedPackage
from .reading import LockfileReading

if TYPE_CHECKING:
    from collections.abc import Callable

_MARKER = lazy_pattern(r"(<{7}|\|{7}|={7}|>{7})(?:[ \t].*)?\r?\n?$")
_OPENING = lazy_pattern(r"(?m)^<{7}(?:[ \t]|\r?$)")


def has_conflicts(text: str) -> bool:
    """Whether a line of the text opens a merge conflict."""
    return _OPENING.search(text) is not None


def read_conflicted(text: str, path: str, reader: Callable[[str, str], LockfileReading]) -> LockfileReading:
    """Both sides of a conflicted lockfile as one reading, with `conflicts`.

    Raises:
        UnreadableError: The markers do not pair up, or neither side can be read.

    """
    ours_text, theirs_text, lines = sides(text, path)
    readings = [_side(side, path, reader) for side in (ours_text, theirs_text)]
    read = [reading for reading in readings if isinstance(reading, LockfileReading)]
    if not read:
        raise UnreadableError(
            f"merge conflict, and neither side can be read ({_reason(readings[0])})",
            place=Place(path, lines[0]),
            todo="Resolve the conflict",
        )
    notes = tuple(
        f"the {word} side of the merge conflict cannot be read: {_reason(reading)}"
        for word, reading in zip(("first", "second"), readings, strict=True)
        if not isinstance(reading, LockfileReading)
    )
    return _joined(read[0], read[-1], lines, notes)


def sides(text: str, path: str) -> tuple[str, str, tuple[int, ...]]:
    """The first and the second side, and the lines that open a conflict; a side keeps its line numbers, the rest of it is blank.

    Raises:
        UnreadableError: The markers do not pair up.

    """
    ours: list[str] = []
    theirs: list[str] = []
    opened: list[int] = []
    state = ""
    for number, line in enumerate(text.splitlines(keepends=True) if "\x0c" not in text else _lines(text), 1):
        found = _MARKER.match(line)
        marker = found.group(1)[0] if found else ""
        if marker and _step(state, marker):
            state = "" if marker == ">" else marker
            if marker == "<":
                opened.append(number)
            ours.append("\n")
            theirs.append("\n")
            continue
        if marker in ("<", ">"):
            raise UnreadableError("a merge-conflict marker that does not pair up", place=Place(path, number))
        ours.append(line if state in ("", "<") else "\n")
        theirs.append(line if state in ("", "=") else "\n")
    if state:
        raise UnreadableError("a merge conflict that does not end", place=Place(path, opened[-1]))
    return "".join(ours), "".join(theirs), tuple(opened)


def _lines(text: str) -> list[str]:
    """The lines of a text, split at line feeds alone."""
    return [line + "\n" for line in text.split("\n")]


def _step(state: str, marker: str) -> bool:
    """Whether the marker may come in this state (`<` ours, `|` base, `=` theirs, empty outside)."""
    return {"": "<", "<": "|=", "|": "=", "=": ">"}[state].find(marker) >= 0


def _side(text: str, path: str, reader: Callable[[str, str], LockfileReading]) -> LockfileReading | UnreadableError:
    try:
        reading = reader(text, path)
        _ = reading.packages, reading.instances, reading.importers, reading.skipped
    except UnreadableError as error:
        return error
    return reading


def _reason(reading: LockfileReading | UnreadableError) -> str:
    return str(reading) if isinstance(reading, LockfileReading) else f"line {_line(reading)}: {reading.what}"


def _line(error: UnreadableError) -> int:
    return (error.place.line or 0) if error.place else 0


def _joined(
    ours: LockfileReading, theirs: LockfileReading, lines: tuple[int, ...], notes: tuple[str, ...]
) -> LockfileReading:
    packages, of_theirs = _joined_packages(ours, theirs)
    moved = len(ours.instances)
    instances = ours.instances + tuple(
        Instance(of_theirs[one.package], one.key, one.line, _moved(one.edges, moved)) for one in theirs.instances
    )
    if ours is theirs:
        instances = ours.instances
    return LockfileReading(
        ours.path,
        ours.format,
        ours.format_version,
        ours.ecosystem,
        packages=packages,
        instances=instances,
        importers=ours.importers if ours is theirs else _joined_importers(ours, theirs, moved),
        skipped=tuple(dict.fromkeys(ours.skipped + theirs.skipped)),
        patterns={**{key: target + moved for key, target in theirs.patterns.items()}, **ours.patterns},
        conflicts=_conflicts(ours, theirs, lines),
        notes=tuple(dict.fromkeys(ours.notes + theirs.notes)) + notes,
        includes=tuple(dict.fromkeys(ours.includes + theirs.includes)),
        members=tuple(dict.fromkeys(ours.members + theirs.members)),
        requires_python=ours.requires_python,
        resolution_markers=tuple(dict.fromkeys(ours.resolution_markers + theirs.resolution_markers)),
    )


def _joined_packages(ours: LockfileReading, theirs: LockfileReading) -> tuple[tuple[LockedPackage, ...], list[int]]:
    """The packages of both, each once, and where in them those of the second side are."""
    packages = list(ours.packages)
    known = {(package.name, package.version, package.source): index for index, package in enumerate(packages)}
    where = []
    for package in theirs.packages:
        key = (package.name, package.version, package.source)
        if key not in known:
            known[key] = len(packages)
            packages.append(package)
        where.append(known[key])
    return tuple(packages), where


def _moved(edges: tuple[Edge, ...], by: int) -> tuple[Edge, ...]:
    return tuple(edge if edge.target is None else edge._replace(target=edge.target + by) for edge in edges)


def _joined_importers(ours: LockfileReading, theirs: LockfileReading, moved: int) -> tuple[Importer, ...]:
    """Each member once, with what either side declares for it."""
    joined = {importer.path: importer for importer in ours.importers}
    for importer in theirs.importers:
        edges = _moved(importer.edges, moved)
        known = joined.get(importer.path)
        joined[importer.path] = (
            importer._replace(edges=edges)
            if known is None
            else known._replace(edges=_either(known, edges, ours, theirs))
        )
    return tuple(joined.values())


def _either(
    known: Importer, edges: tuple[Edge, ...], ours: LockfileReading, theirs: LockfileReading
) -> tuple[Edge, ...]:
    """The edges of the first side and those of the second that lead to another package or are not in the first."""
    moved = len(ours.instances)

    def leads_to(edge: Edge, reading: LockfileReading, by: int) -> tuple[str, str, str | None, str | None]:
        if edge.target is None:
            return (edge.name, edge.group, None, edge.requirement)
        package = reading.packages[reading.instances[edge.target - by].package]
        return (edge.name, edge.group, package.name, package.version)

    seen = {leads_to(edge, ours, 0) for edge in known.edges}
    return known.edges + tuple(edge for edge in edges if leads_to(edge, theirs, moved) not in seen)


def _conflicts(ours: LockfileReading, theirs: LockfileReading, lines: tuple[int, ...]) -> tuple[Conflict, ...]:
    """The names whose versions differ; where none does (hashes, metadata), one nameless conflict says that there is one."""
    left, right = _versions(ours), _versions(theirs)
    found = []
    for name in sorted(left.keys() | right.keys()):
        mine, other = left.get(name, {}), right.get(name, {})
        if mine.keys() == other.keys():
            continue
        line = min([*mine.values(), *other.values()])
        found.append(Conflict(name, line, _joined_versions(mine), _joined_versions(other)))
    return tuple(found) or (Conflict("", lines[0], None, None),)


def _versions(reading: LockfileReading) -> dict[str, dict[str | None, int]]:
    found: dict[str, dict[str | None, int]] = {}
    for package in reading.packages:
        found.setdefault(package.name, {}).setdefault(package.version, package.line)
    return found


def _joined_versions(versions: dict[str | None, int]) -> str | None:
    return ", ".join(version or "(none)" for version in versions) or None
