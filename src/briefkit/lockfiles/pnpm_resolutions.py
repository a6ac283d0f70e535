"""Where a pnpm lockfile says that a package comes from: an entry's `resolution`, or the address in its key."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..packages import DIRECTORY, FILE, GIT, REGISTRY, URL, Source
from ..text import public_url
from .npm_sources import ARCHIVE, clean_url, is_git, local_path

if TYPE_CHECKING:
    from .pnpm_entries import Entry
    from .pnpm_keys import Key

_GIT_ARCHIVE = lazy_pattern(
    r"https?://(?:codeload\.github\.com/[^/]+/[^/]+/tar\.gz/|(?:[^/]+/)+repository/archive\.tar\.gz\?ref=|"
    r"bitbucket\.org/[^/]+/[^/]+/get/)([0-9a-f]{7,64})(?:\.tar\.gz)?"
)


def resolution_source(odd: Key | None, entry: Entry) -> Source:
    """The source of an entry; `odd` is its key where that is not a registry's name and version."""
    integrity, tarball, kind, repo, commit, directory = entry.resolution
    if kind == "git":
        return Source(GIT, public_url(repo or ""), integrity, None, commit)
    if kind == "directory":
        return Source(DIRECTORY, None, integrity, directory or ".")
    if kind:
        return Source(URL, None, integrity)
    if tarball and tarball.startswith("file:"):
        return Source(FILE, None, integrity, local_path(tarball))
    if tarball and (archive := _GIT_ARCHIVE.match(tarball)):
        return Source(GIT, public_url(tarball), integrity, None, archive.group(1))
    if odd is None:
        return Source(REGISTRY, clean_url(tarball) if tarball else None, integrity)
    return _address_source(odd.ref, tarball, integrity)


def _address_source(ref: str, tarball: str | None, integrity: str | None) -> Source:
    """The source of what is named by its address."""
    if tarball:
        return Source(URL, clean_url(tarball), integrity)
    if ref.startswith("file:"):
        path = local_path(ref)
        return Source(FILE if path.endswith(ARCHIVE) else DIRECTORY, None, integrity, path)
    if is_git(ref):
        repository, _, commit = ref.partition("#")
        return Source(GIT, public_url(repository), integrity, None, commit or None)
    return Source(URL if "/" in ref else REGISTRY, None, integrity)
