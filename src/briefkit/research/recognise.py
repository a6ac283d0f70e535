"""Which libraries a question is about: names in it that this project locks or installs. No word list holds a library's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from briefkit.errors import UnknownImporterError, UsageError
from briefkit.names import ECOSYSTEMS, NPM, is_npm_name, is_pypi_name, split_npm_subpath

from .questions import is_stop_word, mentions, ticked

if TYPE_CHECKING:
    from briefkit.projects.project import Project
    from briefkit.projects.resolution import Resolution

    from .questions import Question

_MENTIONS_LIMIT = 60
# What may stand before a name for it to be read as a library's although it is also an English word.
_BEFORE = r"(?:with|using|via|in|from|of|on|import|library|package|module|pinned|installed|does|do|has|is|can|our|the)"
_AFTER = r"(?:version|package|library|module|api|client|have|has|support|provide|offer|export)"
_LIKE_CODE = re.compile(r"[@/_.-]|[a-z][A-Z]|\d")


def libraries_in(question: Question, project: Project, importer: str | None = None) -> tuple[str, ...]:
    """The libraries that a question names, as `resolve` takes them, in order; `npm:`/`pypi:` before a name that is in both."""
    found: list[str] = []
    known: set[tuple[str, str]] = set()
    for mention in mentions(question.text)[:_MENTIONS_LIMIT]:
        for name in _names_of(mention):
            resolutions = _resolved(project, name, importer)
            wanted = [one for one in resolutions if _is_meant(mention, name, one, question)]
            if not wanted:
                continue
            ecosystems = dict.fromkeys(one.ecosystem for one in wanted)
            for ecosystem in ecosystems:
                reals = list(dict.fromkeys(one.name for one in wanted if one.ecosystem == ecosystem))
                if ecosystem == NPM:
                    del reals[1:]
                for real in reals:
                    if (ecosystem, real) not in known:
                        known.add((ecosystem, real))
                        asked = real if len(reals) > 1 else name  # a namespace that several share is none of them
                        found.append(f"{ecosystem}:{asked}" if len(ecosystems) > 1 else asked)
            break
    return tuple(found)


def unknown_names(question: Question) -> tuple[str, ...]:
    """Names that the question writes as a package's (scoped, or quoted and not a symbol) and that may be none here."""
    quoted = ticked(question.text)
    return tuple(
        name
        for name in mentions(question.text)
        if (name.startswith("@") and "/" in name)
        or (name in quoted and name not in question.symbols and is_pypi_name(name))
    )


def _names_of(mention: str) -> tuple[str, ...]:
    """What a mention may be called by its package manager: as written, in lower case, without a sub-path, symbol or `.js`."""
    tries = [mention]
    if "/" in mention:
        tries.append(split_npm_subpath(mention)[0])
    if mention.lower().endswith(".js"):
        tries.append(mention[:-3])
    if "." in mention and "/" not in mention:
        tries.append(mention.split(".", maxsplit=1)[0])
    tries += [name.lower() for name in tries]
    return tuple(
        name
        for name in dict.fromkeys(tries)
        if len(name) > 1 and (is_npm_name(name) or is_pypi_name(name) or "/" in name)
    )


def _resolved(project: Project, name: str, importer: str | None) -> tuple[Resolution, ...]:
    """The resolutions of a name; none where it cannot be a name at all."""
    ecosystem, colon, bare = name.partition(":")
    try:
        if colon and ecosystem in ECOSYSTEMS:
            return project.resolve(bare, importer=importer, ecosystem=ecosystem)
        return project.resolve(name, importer=importer)
    except UnknownImporterError:
        raise
    except UsageError:
        return ()


def _is_meant(mention: str, name: str, resolution: Resolution, question: Question) -> bool:
    """Whether the word means the library: written as code, or declared by the project, or standing where a library's name stands.

    A word of plain English that happens to be a package deep in the tree (`once`, `which`, `has`) is not meant.
    """
    if mention in ticked(question.text) or any(symbol.split(".")[0] == name for symbol in question.symbols):
        return True
    if "." in mention and "/" not in mention and name == mention.split(".", maxsplit=1)[0] and not resolution.direct:
        return False
    if is_stop_word(name):
        return False
    if resolution.direct or _LIKE_CODE.search(name):
        return True
    word = re.escape(mention)
    return bool(
        re.search(rf"\b{_BEFORE}\s+{word}(?![\w-])", question.text, re.IGNORECASE)
        or re.search(rf"(?<![\w-]){word}(?:['’]s|\s+{_AFTER})\b", question.text, re.IGNORECASE)
    )
