"""Where npm's world says that a package comes from: the specifiers and `resolved` fields its lockfiles share."""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern

from ..packages import BUNDLED, DIRECTORY, FILE, GIT, REGISTRY, URL, Source
from ..text import public_url

_PLAIN_URL = lazy_pattern(r"https?://[A-Za-z0-9.:-]+/[^?#\s]*", re.ASCII)
_GIT = lazy_pattern(r"git(?:\+[a-z]+)?:|git@|(?:github|gitlab|bitbucket|gist):|[^:@]+@[^:/]+:.*\.git", re.IGNORECASE)
_URL = lazy_pattern(r"https?:", re.IGNORECASE)
MAX_PARTS = 100
"""Of an entry's path of names; nobody nests more than a few dozen."""
ARCHIVE = (".tgz", ".tar.gz", ".tar")
"""How the name of a package that is one file ends."""
NPM_NAME = lazy_pattern(
    r"(?!node_modules$)(?:@[A-Za-z0-9~_!'()*-][A-Za-z0-9._~!'()*-]{0,213}/)?[A-Za-z0-9~_!'()*-][A-Za-z0-9._~!'()*-]{0,213}"
)


def valid_name(name: object) -> bool:
    """Whether a value of a lockfile can be a package's name, so that a folder may be looked up by it."""
    return isinstance(name, str) and NPM_NAME.fullmatch(name) is not None


def clean_url(url: str) -> str:
    """`public_url`, at a fraction of its cost for the plain download address that nearly all entries have."""
    return url if _PLAIN_URL.fullmatch(url) else public_url(url)


class RegistryAddresses:
    """Which download addresses are a registry's, and plain: `host/name/-/name-1.0.0.tgz`, without credentials or query.

    Hosts that were once found to be plain are remembered, so that the next address of one costs little.
    """

    __slots__ = ("_hosts",)

    def __init__(self) -> None:
        self._hosts: set[str] = set()

    def __contains__(self, address: str) -> bool:
        if "/-/" not in address or "?" in address or "#" in address:
            return False
        host = address[: address.find("/", 8)]
        if host not in self._hosts:
            if not _PLAIN_URL.fullmatch(host + "/"):
                return False
            self._hosts.add(host)
        return True


def is_git(specifier: str) -> bool:
    """Whether a specifier or address names a git repository."""
    return _GIT.match(specifier) is not None


def is_url(specifier: str) -> bool:
    """Whether a specifier is a download address."""
    return _URL.match(specifier) is not None


def git_source(address: str, integrity: str | None = None) -> Source:
    """The source of a git address with its commit behind `#`."""
    repository, _, fragment = address.partition("#")
    commit = fragment.rpartition("commit=")[2].partition("&")[0] or None
    return Source(GIT, public_url(repository), integrity, None, commit)


def local_path(specifier: str) -> str:
    """The path in `file:../x`, `link:../x`, `portal:../x`, POSIX, without a leading `./`."""
    path = specifier.partition(":")[2].replace("\\", "/")
    return path.removeprefix("./") or "."


def resolved_source(resolved: str | None, integrity: str | None, *, bundled: bool, by_url: bool) -> Source:
    """The source that an entry's `resolved` names; `by_url` where somebody asked for just this address."""
    if not resolved:
        return Source(BUNDLED if bundled else REGISTRY, None, integrity)
    if resolved.startswith("http"):
        return Source(URL if by_url else REGISTRY, clean_url(resolved), integrity)
    if resolved.startswith("file:"):
        path = local_path(resolved.partition("#")[0])
        return Source(FILE if path.endswith(ARCHIVE) else DIRECTORY, None, integrity, path)
    if is_git(resolved):
        return git_source(resolved, integrity)
    return Source(REGISTRY, clean_url(resolved), integrity)


def split_alias(specifier: str) -> tuple[str, str] | None:
    """The real name and range of `npm:name@range`; None where the specifier is no alias (`npm:^1.0` is a mere range)."""
    if not specifier.startswith("npm:"):
        return None
    target = specifier[4:]
    at = target.rfind("@")
    name, version = (target[:at], target[at + 1 :]) if at > 0 else (target, "")
    if not valid_name(name) or (at <= 0 and not name[:1].isalpha() and not name.startswith("@")):
        return None
    return name, version
