"""One requirement of a requirements file: what it names, whether it pins, and where it comes from.

The forms that pip writes are read by two expressions; other names and specifiers by `packaging`; what is left (bare links and
paths, legacy forms) by pip-requirements-parser. The last two are imported only when a line needs them.
"""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

from ..names import pypi_name
from ..packages import DIRECTORY, EDITABLE, FILE, GIT, REGISTRY, URL, Source
from ..text import one_line, public_url
from .dependency_strings import plain_url, split_extras

if TYPE_CHECKING:
    from packaging.requirements import Requirement

LONGEST = 32_768  # characters of one logical line; the parsers behind are not made for more


class Entry(NamedTuple):
    """A requirement: `version` is set only where it pins one; `reason` says why it does not, or why it was not read.

    `name` is None where the line names no package (a bare path, a link without a name).
    """

    name: str | None
    version: str | None = None
    specifier: str | None = None
    extras: tuple[str, ...] = ()
    marker: str | None = None
    source: Source = Source(REGISTRY)
    reason: str | None = None


_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_VERSION = (
    r"(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*(?:[._-]?(?:a|b|rc)[0-9]+)?(?:\.post[0-9]+)?(?:\.dev[0-9]+)?"
    r"(?:\+[a-zA-Z0-9]+(?:[._-][a-zA-Z0-9]+)*)?"
)
_PIN = lazy_pattern(
    rf"({_NAME})[ \t]*(?:\[([A-Za-z0-9._, \t-]*)\][ \t]*)?(==)[ \t]*({_VERSION})[ \t]*(?:;[ \t]*(\S.*))?"
)
_COMPARISON = r"""[( \t]*+[a-z_]++[ \t]*+(?:[<>=!~]{1,3}+|(?:not[ \t]++)?in\b)[ \t]*+(?:'[^']*+'|"[^"]*+")[) \t]*+"""
_MARKER = lazy_pattern(rf"{_COMPARISON}(?:(?:and|or)(?=[ \t(]){_COMPARISON})*+")
_NAMED_LINK = lazy_pattern(
    rf"({_NAME})[ \t]*(?:\[([A-Za-z0-9._, \t-]*)\][ \t]*)?@[ \t]*([A-Za-z][A-Za-z0-9+.-]*:\S+)(?:[ \t]+;[ \t]*(\S.*))?"
)
_EGG = lazy_pattern(rf"[#&]egg=({_NAME})(?:\[([A-Za-z0-9._, -]*)\])?(?:==([0-9][^&\s]*))?(?=&|$)")
_VCS = lazy_pattern(r"(git|hg|svn|bzr)\+", re.IGNORECASE)
_LINK = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|\.{0,2}/|\.{1,2}(?:\[|$)")
_WHEEL = lazy_pattern(r"(?:^|[/\\])([^/\\?#\s]+\.whl)(?=[?#;\s\[]|$)", re.IGNORECASE)
_ARCHIVE = lazy_pattern(r"\.(?:whl|zip|tar|tar\.gz|tgz|tar\.bz2|tbz|tar\.xz|txz|egg)(?:[?#].*)?$", re.IGNORECASE)

RANGE = "a range, not a version"
NO_VERSION = "no version is stated"
NAMELESS = "names no package"
INVALID = "not a requirement that pip reads"


def read_requirement(text: str) -> Entry:
    """The requirement that a line without options and comments states."""
    if len(text) > LONGEST:
        return Entry(None, reason=f"a line of more than {LONGEST:,} characters")
    if "${" in text and re.search(r"\$\{[A-Z0-9_]+\}", text) and "://" not in text:
        return Entry(None, reason="holds an environment variable, which is not expanded")
    found = _PIN.fullmatch(text)
    if found and (found.group(5) is None or _MARKER.fullmatch(found.group(5).rstrip())):
        name, extras, operator, version, marker = found.groups()
        return Entry(name, version, operator + version, split_extras(extras), marker.rstrip() if marker else None)
    if named := _NAMED_LINK.fullmatch(text):
        name, extras, url, marker = named.groups()
        return _linked(name, url, split_extras(extras), marker.rstrip() if marker else None, editable=False)
    if _LINK.match(text):
        return _bare_link(text)
    return _by_packaging(text)


def read_editable(text: str) -> Entry:
    """The requirement that the value of `-e` states."""
    if len(text) > LONGEST:
        return Entry(None, reason=f"a line of more than {LONGEST:,} characters")
    if named := _NAMED_LINK.fullmatch(text):
        name, extras, url, marker = named.groups()
        return _linked(name, url, split_extras(extras), marker, editable=True)
    url, _, marker = text.partition(" ;")
    if egg := _EGG.search(url):
        name, extras, version = egg.groups()
        return _linked(name, url.strip(), split_extras(extras), marker.strip() or None, editable=True, version=version)
    return Entry(None, source=source_of(url.strip(), editable=True), reason=NAMELESS)


def source_of(link: str, *, editable: bool = False) -> Source:
    """Where a link or path leads, without credentials."""
    fragment = link.partition("#")[2]
    subdirectory = next((part[13:] for part in fragment.split("&") if part.startswith("subdirectory=")), None)
    integrity = next(
        (part.replace("=", ":") for part in fragment.split("&") if re.match(r"(?:sha\d+|md5)=", part)), None
    )
    bare = link.partition("#")[0].strip()
    if vcs := _VCS.match(bare):
        url, ref = _without_ref(bare)
        kind = GIT if vcs.group(1).lower() == "git" else URL
        return Source(
            EDITABLE if editable and kind != GIT else kind, plain_url(url[vcs.end() :]), integrity, subdirectory, ref
        )
    if re.match(r"(?i)file:", bare):
        path = public_url(re.sub(r"(?i)^file:(?://(?:localhost)?(?=/))?", "", bare))
        return Source(_local_kind(bare, editable), None, integrity, path or ".")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", bare):
        return Source(EDITABLE if editable else URL, plain_url(bare), integrity, subdirectory)
    return Source(
        _local_kind(bare, editable), None, integrity, re.sub(r"\[[^\]]*\]$", "", bare).replace("\\", "/") or "."
    )


def _local_kind(path: str, editable: bool) -> str:
    return EDITABLE if editable else FILE if _ARCHIVE.search(re.sub(r"\[[^\]]*\]$", "", path)) else DIRECTORY


def _without_ref(url: str) -> tuple[str, str | None]:
    """A VCS link split into what stands before the last `@` of its path, and the revision after it."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url, None
    authority, slash, path = rest.partition("/")
    path, at, ref = path.rpartition("@")
    return (f"{scheme}://{authority}{slash}{path}", ref or None) if at else (url, None)


def _linked(
    name: str, url: str, extras: tuple[str, ...], marker: str | None, *, editable: bool, version: str | None = None
) -> Entry:
    source = source_of(url, editable=editable)
    stated = version or _wheel_version(url, name)
    reason = None if stated else f"{NO_VERSION}: {'a commit' if source.kind == GIT else 'a link'}"
    return Entry(name, stated, f"@ {source.url or source.path}", extras, marker, source, reason)


def _wheel(link: str) -> tuple[str, str] | None:
    """The name and version that a wheel's file name states."""
    found = _WHEEL.search(link)
    parts = found.group(1)[:-4].split("-") if found else []
    if len(parts) not in (5, 6):
        return None
    return parts[0], parts[1].replace("%2B", "+").replace("%2b", "+").replace("_", "-" if "+" not in parts[1] else "_")


def _wheel_version(link: str, name: str) -> str | None:
    wheel = _wheel(link)
    return wheel[1] if wheel and pypi_name(wheel[0]) == pypi_name(name) else None


def _bare_link(text: str) -> Entry:
    """A link or path without `name @`: the name is in `#egg=`, in a wheel's file name, or nowhere."""
    link, _, marker = text.partition(" ;")
    marker_text = marker.strip() or None
    if egg := _EGG.search(link):
        name, extras, version = egg.groups()
        return _linked(name, link.strip(), split_extras(extras), marker_text, editable=False, version=version)
    wheel = _wheel(link)
    if wheel:
        extras = re.search(r"\[([^\]]*)\]$", link.strip())
        source = source_of(link.strip())
        return Entry(wheel[0], wheel[1], None, split_extras(extras.group(1) if extras else None), marker_text, source)
    return _by_pip(text)


def _by_packaging(text: str) -> Entry:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return _by_pip(text)
    except RecursionError:
        return Entry(None, reason="nested too deeply")
    return _of_requirement(requirement, text)


def _of_requirement(requirement: Requirement, text: str) -> Entry:
    marker = text.partition(" ;" if requirement.url else ";")[2].strip() or None if requirement.marker else None
    extras = tuple(sorted(pypi_name(extra) for extra in requirement.extras))
    if requirement.url:
        return _linked(requirement.name, requirement.url, extras, marker, editable=False)
    specifier = str(requirement.specifier)
    pinned = pinned_version(specifier)
    reason = None if pinned else f"{RANGE}: {specifier}" if specifier else NO_VERSION
    return Entry(requirement.name, pinned, specifier or None, extras, marker, reason=reason)


def pinned_version(specifier: str) -> str | None:
    """The version of a specifier that allows only one: `==x` without `*`, or `===x`."""
    found = re.fullmatch(r"[ \t]*(===?)[ \t]*([^\s,;*<>=~]+)[ \t]*", specifier)
    return found.group(2) if found else None


def _by_pip(text: str) -> Entry:
    """What pip's own grammar, as pip-requirements-parser has it, makes of a line."""
    if re.search(r"[<>\"|*?{}]", text.partition(";")[0]) and "://" not in text:
        return Entry(None, reason=INVALID)  # no specifier that packaging reads, and no path that one would write
    from pip_requirements_parser import build_install_req

    try:
        found = build_install_req(text)
        name, link, marker = found.name, found.link, found.marker
        specifier = str(found.req.specifier) if found.req is not None else ""
        extras = tuple(sorted(pypi_name(extra) for extra in found.extras))
    except Exception:  # noqa: BLE001 - it raises what its parts raise, of no common kind
        return Entry(None, reason=INVALID)
    shown = str(marker) if marker else None
    if link is not None:
        source = source_of(link.url)
        return Entry(name, None, None, extras, shown, source, NAMELESS if not name else NO_VERSION)
    if not name:
        return Entry(None, reason=INVALID)
    pinned = pinned_version(specifier)
    reason = None if pinned else f"{RANGE}: {specifier}" if specifier else NO_VERSION
    return Entry(name, pinned, specifier or None, extras, shown, reason=reason)


def shown_line(text: str) -> str:
    """A line that was not read, fit to be shown: short, and without what may be a credential."""
    words = [plain_url(word) if "://" in word or "@" in word else word for word in text[:2000].split()]
    return one_line(" ".join(words), 100)
