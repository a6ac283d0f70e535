"""Answers that travel: paths inside a package's folder written so that another machine, with another folder, can read them.

In the index a file of the package is `pkg:NAME/lib/model.js`; here it is `node_modules/sequelize/lib/model.js`. What lies
elsewhere keeps its path, and where that does not hold on another machine, the answer is not used there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.briefs.brief import Finding
from briefkit.installed.files import base_of
from briefkit.paths import shown_path

if TYPE_CHECKING:
    from briefkit.briefs.brief import Answer

    from .library import Library


def packed(answer: Answer, library: Library) -> Answer:
    """The answer with the package's own paths made portable."""
    return _replaced(answer, _prefix(library), _mark(library))


def unpacked(answer: Answer, library: Library) -> Answer:
    """The answer with the package's paths as they are here."""
    return _replaced(answer, _mark(library), _prefix(library))


def _prefix(library: Library) -> str:
    assert library.installed is not None
    base = shown_path(base_of(library.installed), library.repo)
    if library.installed.inner is not None and library.installed.search_root is None:
        return f"{base}!/{library.installed.inner.strip('/')}/"
    return f"{base}!/" if library.installed.inner is not None else f"{base}/"


def _mark(library: Library) -> str:
    return f"pkg:{library.name}/"


def _replaced(answer: Answer, old: str, new: str) -> Answer:
    return answer._replace(
        findings=tuple(Finding(finding.text.replace(old, new)) for finding in answer.findings),
        citations=tuple(
            one._replace(file=new + one.file[len(old) :]) if one.file.startswith(old) else one
            for one in answer.citations
        ),
    )
