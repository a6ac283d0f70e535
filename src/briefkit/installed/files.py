"""The files of one installed distribution: listed, read, hashed and cited, in a folder or in a zip.

Paths are POSIX and relative to `base_of(installed)`: for npm the package's folder, for Python the folder that module paths start
from, so that `attr/__init__.py` and `attrs/__init__.py` of one distribution are told apart and a path reads as a module. A Python
module that lies elsewhere (an editable's mapped folder) keeps the path of its import name; `citation_path` says where it really lies.
"""

from __future__ import annotations

import os
import re
import stat

from briefkit.errors import Place, UnreadableError
from briefkit.names import PYPI
from briefkit.paths import MANIFEST_LIMIT, is_within, read_bytes
from briefkit.records import TYPE_CHECKING, NamedTuple

from .import_roots import MODULE_SUFFIXES
from .record_files import read_record
from .zips import list_zip, read_in_zip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from briefkit.packages import Installed

FILES_LIMIT = 200_000
DEPTH_LIMIT = 64
HASHED_LIMIT = 64 * MANIFEST_LIMIT

# Patterns as text: each is compiled when it is first used, and most answers use none of them.
_METADATA = r"(?:^|/)[^/]+\.(?:dist|egg)-info(?:/|$)|(?:^|/)EGG-INFO/"
_COMPILED = r"\.(?:py[co]|so(?:\.[0-9.]+)?|pyd|dll|dylib|node)$|(?:^|/)__pycache__/|^[^/]+\.libs/"
_SKIPPED_FOLDERS = ("__pycache__", "node_modules")
_README = r"(?i)readme(?:\.(?:md|markdown|rst|txt))?"
_CHANGELOG = r"(?i)(?:changelog|changes|history|news|release[-_]?notes)(?:\.(?:md|markdown|rst|txt))?"
_STORES = r"/archive-v\d+/|/packages/[^/]+\.cache/"


class PackageFile(NamedTuple):
    """One file of a distribution: its path (see the module), its size, and its sha256 in hex where a RECORD vouches for it."""

    path: str
    size: int
    sha256: str | None


class _Status(NamedTuple):
    """A listed file with what the file system says of it."""

    path: str
    size: int
    modified: int
    sha256: str | None


def base_of(installed: Installed) -> str:
    """The absolute folder (or zip) that the paths of the package's files are relative to."""
    if installed.search_root is not None:
        return installed.search_root
    return installed.root


def package_files(installed: Installed) -> tuple[PackageFile, ...]:
    """The files of that distribution alone, in order of path, at most 200,000; compiled `.pyc` are left out.

    A RECORD's size and hash are taken where the file on disk still has that size. Scripts and whatever else a RECORD names
    outside its folder, links that leave the package, nested `node_modules` and what is gone from the disk are left out.

    Raises:
        UnreadableError: The package lies in a zip that cannot be read.

    """
    return tuple(PackageFile(found.path, found.size, found.sha256) for found in _statuses(installed))


def read_file(installed: Installed, relative: str, limit: int = MANIFEST_LIMIT) -> bytes:
    """The bytes of one file of the package, in a folder or a zip.

    Raises:
        UnreadableError: The path or a link leaves the package, or the file is missing, not regular or over `limit` bytes.

    """
    place = citation_path(installed, relative)
    archive, mark, inner = place.partition("!/")
    if mark and installed.inner is not None:
        return read_in_zip(archive, inner, limit)
    if not _may_read(installed, place, relative):
        raise UnreadableError("leaves the package", place=Place(place))
    return read_bytes(place, limit)


def citation_path(installed: Installed, relative: str) -> str:
    """The absolute path of a file of the package as a citation names it: `/…/api.py`, or `/…/cache.zip!/inner/api.js` in a zip."""
    if installed.inner is not None:
        inner = relative if installed.search_root is not None else f"{installed.inner}/{relative}"
        return f"{installed.root}!/{inner.lstrip('/')}"
    for name, place in installed.modules:
        prefix = name.replace(".", "/")
        if relative.startswith(prefix + "/"):
            return os.path.normpath(os.path.join(place, relative[len(prefix) + 1 :]))
        if relative.startswith(prefix + ".") and relative.endswith(MODULE_SUFFIXES):
            bare = os.path.basename(place).partition(".")[0]
            return os.path.join(os.path.dirname(place), bare + relative[len(prefix) :])
    base = base_of(installed)
    if base == installed.root and os.path.isfile(base):
        base = os.path.dirname(base)
    return os.path.normpath(os.path.join(base, relative))


def source_digest(installed: Installed) -> str:
    """A hash, in hex, over (path, sha256) of the package's source files, the same on every machine.

    Compiled files, metadata folders and scripts do not count, so that pip's and uv's install of one version agree.

    Raises:
        UnreadableError: A file cannot be read.

    """
    import hashlib

    whole = hashlib.sha256()
    for found in _source_statuses(installed):
        digest = found.sha256
        if digest is None:
            digest = hashlib.sha256(read_file(installed, found.path, HASHED_LIMIT)).hexdigest()
        whole.update(f"{found.path}\0{digest}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def stat_signature(installed: Installed) -> str:
    """A cheap mark, in hex, of the source files' paths, sizes and times: while it stays, `source_digest` stays.

    Raises:
        UnreadableError: The package lies in a zip that cannot be read.

    """
    import hashlib

    text = "\n".join(f"{found.path}\0{found.size}\0{found.modified}" for found in _source_statuses(installed))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def find_readme(installed: Installed) -> str | None:
    """The path (for `read_file`) of the README, or of the metadata that carries it as its body; None where there is none."""
    if installed.project is not None or installed.ecosystem != PYPI:
        return _find_document(installed, _README) or _metadata_with_body(installed)
    return _metadata_with_body(installed) or _find_document(installed, _README)


def find_changelog(installed: Installed, files: Sequence[PackageFile] | None = None) -> str | None:
    """The path (for `read_file`) of a changelog shipped with the package, or lying in an editable's project; else None.

    `files` spares the listing where the package's files are at hand.
    """
    return _find_document(installed, _CHANGELOG, files)


def is_source(path: str) -> bool:
    """Whether a listed path counts as source: not compiled, not metadata."""
    return not (re.search(_COMPILED, path) or re.search(_METADATA, path))


def _source_statuses(installed: Installed) -> Iterator[_Status]:
    return (found for found in _statuses(installed) if is_source(found.path))


def _statuses(installed: Installed) -> list[_Status]:
    if installed.inner is not None:
        return _in_zip(installed)
    record = _record_of(installed)
    found = _recorded(installed, record) if record else list(_walked(installed))
    found.sort()
    return found


def _in_zip(installed: Installed) -> list[_Status]:
    modified = os.stat(installed.root).st_mtime_ns
    inner = "" if installed.search_root is not None else installed.inner or ""
    return [_Status(entry.path, entry.size, modified, None) for entry in list_zip(installed.root, inner)]


def _record_of(installed: Installed) -> str | None:
    """The RECORD that lists the files; None where there is none or where it lists only an editable's loader."""
    if installed.ecosystem != PYPI or installed.project is not None or not installed.evidence:
        return None
    folder = os.path.dirname(installed.evidence[0])
    if not folder.endswith(".dist-info") or os.path.dirname(folder) != base_of(installed):
        return None
    record = os.path.join(folder, "RECORD")
    return record if os.path.isfile(record) else None


def _recorded(installed: Installed, record: str) -> list[_Status]:
    base = base_of(installed)
    listed: list[_Status] = []
    for row in read_record(record):
        path = row.path
        if path.endswith(".pyc") or path.startswith(("/", "../")) or "/../" in path or path[1:2] == ":":
            continue
        place = f"{base}/{path}"
        try:
            status = os.lstat(place)
        except (OSError, ValueError):
            continue
        if not stat.S_ISREG(status.st_mode):
            listed.extend(_linked(installed, path, place))
            continue
        digest = row.sha256 if row.size in (status.st_size, None) else None
        listed.append(_Status(path, status.st_size, status.st_mtime_ns, digest))
    return listed


def _linked(installed: Installed, path: str, place: str) -> Iterator[_Status]:
    """The file or folder behind a link that a RECORD lists, where the link may be followed."""
    if not _may_read(installed, place, path):
        return
    if os.path.isdir(place):
        yield from _walk(installed, place, path + "/", 0)
        return
    try:
        status = os.stat(place)
    except OSError:
        return
    if stat.S_ISREG(status.st_mode):
        yield _Status(path, status.st_size, status.st_mtime_ns, None)


def _walked(installed: Installed) -> Iterator[_Status]:
    if installed.ecosystem != PYPI:
        if not _escapes(installed):
            yield from _walk(installed, installed.root, "", 0)
        return
    inner = [name for name, _ in installed.modules if name not in installed.top_levels]
    for name in (*installed.top_levels, *inner):
        prefix = name.replace(".", "/")
        place = dict(installed.modules).get(name) or os.path.join(base_of(installed), *name.split("."))
        if os.path.isdir(place):
            yield from _walk(installed, place, prefix + "/", 0)
        else:
            yield from _module_files(installed, place, prefix)


def _module_files(installed: Installed, place: str, prefix: str) -> Iterator[_Status]:
    """The file of a single module, its stub and its compiled forms."""
    folder, name = os.path.split(place)
    bare = name.partition(".")[0]
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        stem, dot, suffix = name.partition(".")
        if stem == bare and dot and name.endswith(MODULE_SUFFIXES):
            yield from _linked(installed, f"{prefix}.{suffix}", os.path.join(folder, name))


def _walk(
    installed: Installed, folder: str, prefix: str, depth: int, seen: list[int] | None = None
) -> Iterator[_Status]:
    count = [0] if seen is None else seen
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if count[0] >= FILES_LIMIT:
            return
        path = prefix + entry.name
        if entry.is_symlink():
            if not os.path.isdir(entry.path):
                yield from _linked(installed, path, entry.path)
        elif entry.is_dir(follow_symlinks=False):
            if depth < DEPTH_LIMIT and entry.name not in _SKIPPED_FOLDERS and not entry.name.startswith(".git"):
                yield from _walk(installed, entry.path, path + "/", depth + 1, count)
        elif entry.is_file(follow_symlinks=False) and not entry.name.endswith(".pyc"):
            count[0] += 1
            status = entry.stat(follow_symlinks=False)
            yield _Status(path, status.st_size, status.st_mtime_ns, None)


def _may_read(installed: Installed, place: str, relative: str) -> bool:
    """Whether a path stays in the package's own folders, or is a link into a store that keeps the file under the same path."""
    if _escapes(installed):
        return False
    real = os.path.realpath(place)
    if any(is_within(real, os.path.realpath(root)) for root in _roots(installed)):
        return True
    shown = real.replace(os.sep, "/")
    return shown.endswith("/" + relative) and re.search(_STORES, shown) is not None


def _escapes(installed: Installed) -> bool:
    """Whether an npm package is a link that leaves everything it may lead to: its root is then the link itself, not a real folder."""
    return installed.ecosystem != PYPI and installed.inner is None and os.path.islink(installed.root)


def _roots(installed: Installed) -> Iterator[str]:
    yield base_of(installed)
    yield installed.root
    if installed.project is not None:
        yield installed.project
    for _, place in installed.modules:
        yield place
    if installed.evidence:
        folder = os.path.dirname(installed.evidence[0])
        if folder.endswith((".dist-info", ".egg-info", "EGG-INFO")):
            yield folder


def _find_document(installed: Installed, pattern: str, files: Sequence[PackageFile] | None = None) -> str | None:
    """The shortest path of a document by that name: in the project of an editable, else among the package's files."""
    if installed.project is not None:
        for name in _names(installed.project):
            if re.fullmatch(pattern, name):
                return _relative(installed, os.path.join(installed.project, name))
    if installed.ecosystem != PYPI and installed.inner is None:
        return next(
            (name for name in _names(installed.root) if re.fullmatch(pattern, name) and _is_own(installed, name)), None
        )
    listed = package_files(installed) if files is None else files
    found = [file.path for file in listed if re.fullmatch(pattern, file.path.rpartition("/")[2])]
    found = [path for path in found if path.count("/") <= (installed.ecosystem == PYPI)]
    return min(found, key=lambda path: (path.count("/"), path), default=None)


def _is_own(installed: Installed, name: str) -> bool:
    place = os.path.join(installed.root, name)
    return os.path.isfile(place) and _may_read(installed, place, name)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _metadata_with_body(installed: Installed) -> str | None:
    """The METADATA of a Python distribution, where a description follows its headers."""
    if installed.ecosystem != PYPI or not installed.evidence:
        return None
    metadata = installed.evidence[0]
    if os.path.basename(metadata) not in ("METADATA", "PKG-INFO"):
        return None
    try:
        _, blank, body = read_bytes(metadata).replace(b"\r\n", b"\n").partition(b"\n\n")
    except UnreadableError:
        return None
    return _relative(installed, metadata) if blank and body.strip() else None


def _relative(installed: Installed, place: str) -> str:
    return os.path.relpath(place, base_of(installed)).replace(os.sep, "/")
