"""requirements.txt, constraints and `pip freeze` output: pins, and, in `skipped`, what is none.

The file has no graph of its own. pip-compile and uv write one into comments (`# via flask`, `# via -r requirements.in`): where
they stand, they say what depends on what and what is direct.
"""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import NamedTuple

from ..errors import Place, UnreadableError
from ..names import PYPI, pypi_name
from ..packages import Dependency, Edge, Importer, Instance, LockedPackage, Skipped, Source
from .dependency_strings import plain_url
from .reading import Include, LockfileReading
from .requirement_entry import INVALID, NO_VERSION, Entry, read_editable, read_requirement, shown_line
from .requirement_lines import logical_lines

MAIN = "main"
MOST_LINES = 200_000

# The options pip knows in a requirements file, with a value and without.
_VALUED = (
    "-i", "--index-url", "--pypi-url", "--extra-index-url", "-f", "--find-links", "--no-binary", "--only-binary",
    "--trusted-host", "--use-feature", "--process-dependency-links", "--allow-external", "--allow-unverified",
)  # fmt: skip
_BARE = (
    "--no-index", "--prefer-binary", "--require-hashes", "--pre", "--always-unzip", "-Z", "--use-wheel", "--no-use-wheel",
    "--allow-all-external",
)  # fmt: skip
_OWN_OPTION = lazy_pattern(r"(?:^|\s)--?[A-Za-z]")
_HASH = lazy_pattern(r"--hash(?:=|\s+)[\"']?((?:sha\d+|md5):[0-9a-fA-F]+)")
_UNVERSIONED = lazy_pattern(r"\s*Editable [^()]*\(([A-Za-z0-9][A-Za-z0-9._-]*)===?([^\s()]+)\)")
_DIRECT = lazy_pattern(
    r"(?:-r|--requirement)\b|\((?:pyproject\.toml|setup\.py|setup\.cfg)\)|.*\((?:pyproject\.toml|setup\.py|setup\.cfg)[):]"
)


class _Line(NamedTuple):
    """A requirement with the line it stands on and the names it is there for (`via`)."""

    entry: Entry
    line: int
    via: list[str]


def read_requirements_txt(text: str, path: str) -> LockfileReading:
    """What a requirements file says.

    Raises:
        UnreadableError: No line of it is a requirement or an option, or it is over a bound.

    """
    file = _File(path)
    for number, line, comments in logical_lines(text):
        file.take(number, line, comments)
    if file.invalid and not (file.lines or file.includes or file.options):
        first = file.invalid[0]
        raise UnreadableError(
            f"not a requirements file: no line of it is a requirement, and {first.name!r} is none",
            place=Place(path, first.line),
        )
    return file.reading()


class _File:
    """The lines of one file, taken in order."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: list[_Line] = []
        self.includes: list[Include] = []
        self.invalid: list[Skipped] = []
        self.skipped: list[Skipped] = []
        self.options = 0
        self._unversioned: tuple[str, str] | None = None
        self._via: list[str] | None = None

    def take(self, number: int, text: str, comments: tuple[str, ...]) -> None:
        """One logical line."""
        if text:
            self._via = None
            if text.startswith("-"):
                self._option(number, text)
            else:
                requirement, options = _split_options(text)
                entry = read_requirement(requirement)
                if options and entry.name is not None and not _are_known(options):
                    entry = Entry(None, reason=INVALID)
                self._add(number, entry, text, options)
            self._unversioned = None
        for comment in comments:
            self._comment(comment, whole=not text)

    def _comment(self, comment: str, *, whole: bool) -> None:
        if found := _UNVERSIONED.match(comment) if whole else None:
            self._unversioned = (found.group(1), found.group(2))
            return
        words = comment.strip()
        if words == "via" or words.startswith("via "):
            self._via = self.lines[-1].via if self.lines else None
            words = words[4:].strip()
            if self._via is not None and words:
                self._via += [word.strip() for word in words.split(",")]
        elif self._via is not None and whole and comment.startswith("   "):
            self._via.append(words)
        else:
            self._via = None

    def _option(self, number: int, text: str) -> None:
        name, value = _option(text)
        if name in ("-r", "--requirement", "-c", "--constraint"):
            kind = "requirement" if name in ("-r", "--requirement") else "constraint"
            self.includes.append(Include(kind, plain_url(value) if "://" in value else value, number))
            shown = f"{'-r' if kind == 'requirement' else '-c'} {shown_line(value)}"
            self.skipped.append(Skipped(shown, number, "another file, which is not read here"))
        elif name in ("-e", "--editable"):
            target, options = _split_options(value)
            self._add(number, self._named(read_editable(target)), target, options)
        elif name in _VALUED or name in _BARE:
            self.options += 1
        else:
            self.invalid.append(Skipped(shown_line(text), number, "an option that pip does not know here"))

    def _named(self, entry: Entry) -> Entry:
        """The entry with the name and version of pip freeze's comment above it."""
        if entry.name is None and self._unversioned is not None:
            return entry._replace(name=self._unversioned[0], version=self._unversioned[1], reason=None)
        return entry

    def _add(self, number: int, entry: Entry, text: str, options: str) -> None:
        if len(self.lines) >= MOST_LINES:
            raise UnreadableError(f"more than {MOST_LINES:,} requirements", place=Place(self.path, number))
        if entry.name is None:
            listed = self.invalid if entry.reason == INVALID else self.skipped
            listed.append(Skipped(shown_line(text), number, entry.reason or NO_VERSION))
            self.options += entry.reason != INVALID
            return
        if found := _HASH.search(options):
            entry = entry._replace(source=entry.source._replace(integrity=found.group(1).lower()))
        if entry.version is None:
            self.skipped.append(Skipped(pypi_name(entry.name or ""), number, entry.reason or NO_VERSION))
        self.lines.append(_Line(entry, number, []))

    def reading(self) -> LockfileReading:
        """The lines joined: each distinct (name, version, source) once."""
        packages, where = self._packages()
        named: dict[str, list[int]] = {}
        for index, package in enumerate(packages):
            named.setdefault(package.name, []).append(index)
        annotated = any(line.via for line in self.lines)
        instances = self._instances(packages, where, named, annotated)
        edges = tuple(
            Edge(
                pypi_name(str(line.entry.name)),
                index,
                line.entry.specifier,
                MAIN,
                line.entry.marker,
                line.line,
                None,
                line.entry.extras,
            )
            for line, index in zip(self.lines, where, strict=True)
            if not annotated or _is_direct(line.via, named)
        )
        return LockfileReading(
            self.path,
            "requirements",
            "",
            PYPI,
            packages=tuple(self._with_graph(packages, instances, where, annotated)),
            instances=instances,
            importers=(Importer(".", edges=edges, declared=annotated),),
            skipped=tuple(sorted(self.skipped + self.invalid, key=lambda one: one.line)),
            includes=tuple(self.includes),
        )

    def _packages(self) -> tuple[list[LockedPackage], list[int]]:
        packages: list[LockedPackage] = []
        known: dict[tuple[str, str | None, Source], int] = {}
        where = []
        for entry, line, _ in self.lines:
            name = pypi_name(str(entry.name))
            key = (name, entry.version, entry.source._replace(integrity=None))
            if key not in known:
                known[key] = len(packages)
                packages.append(
                    LockedPackage(name, entry.version, (), entry.source, line, marker=entry.marker, declared=entry.name)
                )
            else:
                before = packages[known[key]]
                packages[known[key]] = before._replace(marker=_either(before.marker, entry.marker))
            where.append(known[key])
        return packages, where

    def _instances(
        self,
        packages: list[LockedPackage],
        where: list[int],
        named: dict[str, list[int]],
        annotated: bool,
    ) -> tuple[Instance, ...]:
        edges: list[list[Edge]] = [[] for _ in packages]
        if annotated:
            for line, index in zip(self.lines, where, strict=True):
                for via in line.via:
                    for user in named.get(_package_of(via), ()):
                        edges[user].append(Edge(packages[index].name, index, None, MAIN, line.entry.marker))
        return tuple(
            Instance(index, _key(package), package.line, tuple(dict.fromkeys(found)))
            for index, (package, found) in enumerate(zip(packages, edges, strict=True))
        )

    def _with_graph(
        self,
        packages: list[LockedPackage],
        instances: tuple[Instance, ...],
        where: list[int],
        annotated: bool,
    ) -> list[LockedPackage]:
        if not annotated:
            return packages
        named = {package.name: [index] for index, package in enumerate(packages)}
        direct = {index for line, index in zip(self.lines, where, strict=True) if _is_direct(line.via, named)}
        return [
            package._replace(
                direct=index in direct,
                importers=(".",) if index in direct else (),
                dependencies=tuple(
                    dict.fromkeys(
                        Dependency(edge.name, packages[edge.target].version)
                        for edge in instances[index].edges
                        if edge.target is not None
                    )
                ),
            )
            for index, package in enumerate(packages)
        ]


def _key(package: LockedPackage) -> str:
    return package.name if package.version is None else f"{package.name}=={package.version}"


def _is_direct(via: list[str], named: dict[str, list[int]]) -> bool:
    """Whether one of these is a file of requirements or a manifest, or a project that the file itself does not list."""
    return any(_DIRECT.match(one) or not (one.startswith("-") or _package_of(one) in named) for one in via)


def _package_of(via: str) -> str:
    return pypi_name(re.split(r"[\[:\s]", via, maxsplit=1)[0])


def _either(first: str | None, second: str | None) -> str | None:
    """The marker of a package that two lines state."""
    if first is None or second is None:
        return None
    return first if first == second else f"({first}) or ({second})"


def _split_options(text: str) -> tuple[str, str]:
    """A requirement and the options behind it, cut as pip cuts: at the first word that begins with a dash."""
    if " -" not in text and "\t-" not in text:
        return text, ""
    words = re.split(r"(\s+)", text)
    for place in range(2, len(words), 2):
        if _OWN_OPTION.match(words[place]):
            return "".join(words[:place]).strip(), "".join(words[place:])
    return text, ""


_SETTING = lazy_pattern(r"(?:--config-settings?(?:=|\s+)|-C\s*)(?!\S*=)")
_ANY_OPTION = lazy_pattern(r"(?:^|\s)(--?[A-Za-z][\w-]*)")
_PER_REQUIREMENT = ("--hash", "--global-option", "--install-option", "--config-settings", "--config-setting")


def _are_known(options: str) -> bool:
    """Whether pip takes these options behind a requirement; the values of hashes are not judged."""
    unquoted = re.sub(r"\"[^\"]*\"|'[^']*'", "''", options)
    names = [found.group(1) for found in _ANY_OPTION.finditer(unquoted)]
    return not _SETTING.search(unquoted) and all(name in _PER_REQUIREMENT or name.startswith("-C") for name in names)


def _option(text: str) -> tuple[str, str]:
    """An option line's name and value: `-r x`, `-rx`, `--requirement=x`, `--requirement x`."""
    if not text.startswith("--"):
        return text[:2], text[2:].lstrip(" \t=").strip("\"'")
    name, _, value = text.partition("=") if re.match(r"--[a-z-]+=", text) else _spaced(text)
    return name.strip(), value.strip().strip("\"'")


def _spaced(text: str) -> tuple[str, str, str]:
    words = text.split(None, 1)
    return words[0], " ", words[1] if len(words) > 1 else ""
