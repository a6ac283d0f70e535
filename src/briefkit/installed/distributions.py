"""One Python distribution from its metadata folder: identity, files, import names, kind, and which of two is the true one."""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.names import PYPI, pypi_name
from briefkit.packages import Installed
from briefkit.paths import is_within, read_bytes
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from .import_roots import STUBS, Outline, main_root, outline_of
from .module_layout import ModuleLayout, project_of
from .python_metadata import Headers, MetadataEntry, metadata_file, read_direct_url, read_headers
from .python_modules import is_zip
from .record_files import parse_record, record_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .python_modules import FoundModule
    from .record_files import RecordRow

HASHED_FILES = 3
SIZED_FILES = 40
HASH_LIMIT = 1 << 20

# The first part of a path, taken once for the lines in a row that share it.
_TOPS = lazy_pattern(r"^([^/\",\r\n]+)[/,][^\n]*\n(?:\1/[^\n]*\n)*", re.MULTILINE)


class Distribution:
    """A distribution as its metadata folder describes it; its headers, its RECORD and its layout are each read when first asked for."""

    def __init__(self, entry: MetadataEntry, *, in_site: bool = True) -> None:
        self.entry = entry
        self.base = os.path.dirname(entry.path)
        self.in_site = in_site
        self.warnings: list[str] = []
        self._headers: Headers | None = None
        self._record: str | None = None
        self._record_read = False
        self._installed: Installed | None = None

    @property
    def headers(self) -> Headers | None:
        """Name and version, None where the metadata has none."""
        if self._headers is None:
            if self.entry.kind == "egg" and is_zip(self.entry.path):
                from .eggs import zipped_egg_headers

                self._headers = zipped_egg_headers(self.entry.path)
            else:
                self._headers = read_headers(metadata_file(self.entry))
        return self._headers

    @property
    def record(self) -> str:
        """The text of RECORD, empty where there is none."""
        if not self._record_read:
            self._record_read = True
            self._record = self._read_record()
        return self._record or ""

    @property
    def installed(self) -> Installed:
        """The distribution as the other floors know it."""
        if self._installed is None:
            self._installed = _installed(self, _layout(self))
        return self._installed

    def tops(self) -> frozenset[str]:
        """The first part of each import name that the distribution may own, read without keeping its RECORD."""
        if self._installed is None and self.entry.kind == "dist-info" and not self._record_read:
            names = set(_TOPS.findall(self._read_record() or ""))
            if names and not any(name.endswith(".pth") for name in names):
                return frozenset(name.partition(".")[0] for name in names)
        if self.headers is None:
            return frozenset()
        return frozenset(name.partition(".")[0] for name in self.installed.top_levels)

    def owns(self, module: FoundModule) -> bool:
        """Whether one of the distribution's files is the module, or lies in its folders where it is a namespace."""
        if self.installed.project is not None or not self.record:
            return self._names_it(module.name, is_namespace=module.origin is None)
        if module.origin is not None:
            return self._lists(self.relative(module.origin))
        folder = "/".join(module.name.split("."))
        return f"\n{folder}/" in "\n" + self.record or self._names_it(module.name, is_namespace=True)

    def matches(self, module: FoundModule) -> bool:
        """Whether the module's file is the one that the RECORD describes, by its size and hash."""
        if module.origin is None or not self.record:
            return True
        wanted = self.relative(module.origin)
        return all(_is_on_disk(self.base, row) for row in self.rows() if row.path == wanted)

    def rows(self) -> Iterator[RecordRow]:
        """The rows of the RECORD."""
        return parse_record(self.record)

    def relative(self, path: str) -> str:
        """The path as the RECORD spells it."""
        return path[len(self.base) + 1 :].replace(os.sep, "/") if is_within(path, self.base) else path

    def _lists(self, path: str) -> bool:
        """Whether the RECORD has a row for the path, however it is written."""
        if f"\n{path}," in "\n" + self.record:
            return True
        return _is_odd(self.record) and any(row.path == path for row in self.rows())

    def _names_it(self, name: str, *, is_namespace: bool) -> bool:
        tops = self.installed.top_levels
        if is_namespace:
            return any(top == name or top.startswith(name + ".") for top in tops)
        return any(name == top or name.startswith(top + ".") for top in tops)

    def _read_record(self) -> str | None:
        if self.entry.kind != "dist-info":
            return None
        try:
            return record_text(os.path.join(self.entry.path, "RECORD"))
        except UnreadableError:
            return None


def choose(found: Sequence[Distribution]) -> tuple[Distribution | None, list[str]]:
    """The one of several metadata entries of a name, in order of the search path, that is installed; and a warning on each other.

    Among those of one folder (an upgrade that was interrupted, two installs into one target) it is the one whose RECORD the files on
    disk match.
    """
    warnings = []
    valid = []
    for one in found:
        if one.headers is None:
            warnings.append(f"{one.entry.path}: no metadata in it, ignored")
        else:
            valid.append(one)
    if len(valid) < 2:
        return (valid[0] if valid else None), warnings
    beside = [one for one in valid if one.base == valid[0].base]
    best = _truest(beside)
    warnings.extend(
        f"{one.entry.path}: a second record of {one.entry.name}; the files on disk are those of {best.entry.path}"
        for one in beside
        if one is not best and one.headers != best.headers
    )
    return best, warnings


def _truest(found: Sequence[Distribution]) -> Distribution:
    """The distribution whose RECORD tells the truth; a dist-info without RECORD goes before an egg-info."""
    recorded = [one for one in found if one.record]
    if len(recorded) < 2:
        return recorded[0] if recorded else min(found, key=lambda one: one.entry.kind != "dist-info")
    rows = [{row.path: row for row in one.rows() if ".dist-info/" not in row.path} for one in recorded]
    every = set().union(*rows)
    telling = sorted(path for path in every if len({known[path][1:] if path in known else None for known in rows}) > 1)
    scores = [_truth(one, known, telling) for one, known in zip(recorded, rows, strict=True)]
    return recorded[scores.index(max(scores))]


def _truth(one: Distribution, rows: dict[str, RecordRow], telling: Sequence[str]) -> tuple[int, int]:
    """How many telling files agree with the RECORD: by hash for a few, by size for some more."""
    sources = [path for path in telling if path.endswith((".py", ".pyi"))][:SIZED_FILES]
    hashed = sum(path in rows and _is_on_disk(one.base, rows[path]) for path in sources[:HASHED_FILES])
    sized = sum(
        (rows[path].size == _size(f"{one.base}/{path}")) if path in rows else _size(f"{one.base}/{path}") is None
        for path in sources
    )
    return hashed, sized


def _is_on_disk(base: str, row: RecordRow) -> bool:
    """Whether the file has the row's size and, where it is not too large, its hash."""
    size = _size(f"{base}/{row.path}")
    if size is None or (row.size is not None and size != row.size):
        return False
    if row.sha256 is None or size > HASH_LIMIT:
        return True
    import hashlib

    try:
        return hashlib.sha256(read_bytes(f"{base}/{row.path}", HASH_LIMIT)).hexdigest() == row.sha256
    except UnreadableError:
        return False


def _layout(one: Distribution) -> ModuleLayout:
    entry = one.entry
    if entry.kind in ("egg", "egg-info"):
        return _older_layout(one)
    direct = read_direct_url(entry.path)
    outline = _outline(one)
    linked = _linked(one.base, outline.rows)
    if linked is not None:
        evidence = () if direct is None else (direct.path,)
        return linked._replace(evidence=evidence)
    if direct is not None and direct.editable:
        pth_names = [row.partition(",")[0] for row in outline.rows if ".pth," in row]
        from .editable_installs import editable_layout

        return editable_layout(entry.name, entry.path, direct, pth_names)
    names = outline.names if one.record else _without_record(one)
    kind = "registry"
    if names and all(name.partition(".")[0].endswith(STUBS) for name in names):
        kind = "stub-only"
    elif direct is not None:
        kind = "git" if direct.vcs else "file"
    return ModuleLayout(kind, one.base, names, evidence=() if direct is None else (direct.path,))


def _older_layout(one: Distribution) -> ModuleLayout:
    from .eggs import egg_info_layout, egg_layout, zipped_egg_layout

    if one.entry.kind == "egg":
        return zipped_egg_layout(one.entry.path) if is_zip(one.entry.path) else egg_layout(one.entry.path)
    if one.in_site:
        return egg_info_layout(one.entry)
    from .editable_installs import develop_layout

    return develop_layout(one.entry.name, one.entry.path, (metadata_file(one.entry),))


def _outline(one: Distribution) -> Outline:
    """The import names and top rows of the RECORD; one that is written oddly is read row by row."""
    if _is_odd(one.record):
        return outline_of("".join(f"{row.path},,\n" for row in one.rows()))
    return outline_of(one.record)


def _is_odd(record: str) -> bool:
    """Whether a RECORD's text writes paths otherwise than as they are: in quotes, with backslashes, with `./` before them."""
    return '"' in record or "\\" in record or record.startswith("./") or "\n./" in record


def _without_record(one: Distribution) -> tuple[str, ...]:
    from .eggs import stated_names

    return stated_names(one.entry)


def _linked(base: str, rows: Sequence[str]) -> ModuleLayout | None:
    """Flit's `install -s`: RECORD lists a link in site-packages, which leads to the folder or file that is worked on."""
    places = {}
    for name in (row[:-2] for row in rows if row.endswith(",,")):
        path = os.path.join(base, name)
        stem = name.removesuffix(".py")
        project = project_of(os.path.dirname(os.path.realpath(path))) if os.path.islink(path) else None
        if project is not None and stem.isidentifier():
            places[stem] = (path, project)
    if not places:
        return None
    modules = tuple((name, os.path.realpath(path)) for name, (path, _) in places.items())
    link, project = next(iter(places.values()))
    return ModuleLayout("link", base, tuple(sorted(places)), modules, project, link)


def _installed(one: Distribution, layout: ModuleLayout) -> Installed:
    headers = one.headers
    assert headers is not None
    zipped = one.entry.kind == "egg" and is_zip(one.entry.path)
    evidence = [f"{one.entry.path}!/EGG-INFO/PKG-INFO" if zipped else metadata_file(one.entry)]
    if one.record:
        evidence.append(os.path.join(one.entry.path, "RECORD"))
    evidence += [path for path in layout.evidence if path not in evidence]
    if pypi_name(headers.name) != one.entry.name:
        one.warnings.append(f"{evidence[0]}: names itself {headers.name}, its folder says {one.entry.name}")
    main = main_root(layout.top_levels, one.entry.name, _weights(one, layout))
    inner = None
    if zipped:
        root, inner = one.entry.path, (main or "").replace(".", "/")
    else:
        root = (layout.place(main) if main else None) or layout.project or one.entry.path
    return Installed(
        PYPI,
        pypi_name(headers.name),
        headers.version,
        root,
        layout.kind,
        link=layout.link,
        inner=inner,
        evidence=tuple(evidence),
        top_levels=layout.top_levels,
        search_root=layout.search_root,
        warnings=(*one.warnings, *layout.warnings),
        modules=layout.modules,
        project=layout.project,
    )


def _weights(one: Distribution, layout: ModuleLayout) -> dict[str, int]:
    """How many files lie under each import name, where there is more than one to choose from."""
    if len(layout.top_levels) < 2 or not one.record:
        return {}
    return {name: one.record.count("\n" + name.replace(".", "/") + "/") for name in layout.top_levels}


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return None
