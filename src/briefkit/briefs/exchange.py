"""Entries that move between indexes: an export is JSON lines, one entry a line behind a header, whatever store they come from.

    for line in export_lines(index): file.write(line)
    imported = import_lines(index, file)          # imported.taken, imported.skipped

An import renews nothing: each entry keeps its stamps, and one whose stamps cannot be (verified in the future, good for longer than this
index allows) is passed over with its reason. It joins the namespace of the index that takes it, which is why a person asks for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from briefkit.errors import Place, UnreadableError
from briefkit.packages import Skipped

from .brief import Answer, BriefRecord, Finding, Pin, SourcesRead
from .entries import EXPORT_VERSION, Entry, IndexKey, Unusable, decoded, encoded, miss_by_time
from .stores.port import BODY_LIMIT, EntryRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .index import BriefIndex

# Escapes make a line longer than the entry in it, at most six-fold.
_LINE_LIMIT = 6 * BODY_LIMIT + 4096


class Imported(NamedTuple):
    """How many entries were taken, and which lines were not, with the reason."""

    taken: int
    skipped: tuple[Skipped, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit index import`."""
        return {"taken": self.taken, "skipped": [one.to_dict() for one in self.skipped]}


def export_lines(index: BriefIndex) -> Iterator[str]:
    """The lines of an export: a header, then every intact entry of the index's namespace.

    Raises:
        IndexUnavailableError: The store cannot be read.

    """
    yield json.dumps({"briefkit_index_export": EXPORT_VERSION, "namespace": index.namespace}) + "\n"
    for entry in index.entries():
        yield json.dumps({"key": str(entry.key), "entry": encoded(entry).body.decode("ascii")}) + "\n"


def import_lines(index: BriefIndex, lines: Iterable[str], path: str = "-") -> Imported:
    """Take the entries of an export, each with its own stamps.

    Raises:
        UnreadableError: The lines are no export.
        IndexUnavailableError: The store cannot be written.

    """
    taken = 0
    skipped: list[Skipped] = []
    numbered = enumerate(lines, 1)
    _check_header(next(numbered, (1, ""))[1], path)
    now = index.engine.now()
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            index.put_entry(_imported(line, index, now))
        except Unusable as reason:
            skipped.append(Skipped("", number, str(reason)))
        except EntryRefusedError as error:
            skipped.append(Skipped("", number, str(error)))
        else:
            taken += 1
    return Imported(taken, tuple(skipped))


def _check_header(line: str, path: str) -> None:
    place = Place(path, 1)
    try:
        version = json.loads(line[:_LINE_LIMIT])["briefkit_index_export"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UnreadableError("not an export of a brief index", place=place) from None
    if version != EXPORT_VERSION:
        raise UnreadableError(f"export version {version!r} is not read ({EXPORT_VERSION} is)", place=place)


def _imported(line: str, index: BriefIndex, now: float) -> Entry:
    if len(line) > _LINE_LIMIT:
        raise Unusable("line is too long")
    try:
        body = json.loads(line)["entry"].encode("ascii")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Unusable("corrupt") from None
    entry = decoded(body)
    if reason := miss_by_time(entry, now):
        raise Unusable(reason)
    if entry.expires_at > entry.verified_at + index.ttl:
        entry = entry._replace(expires_at=entry.verified_at + index.ttl)
    return entry._replace(key=entry.key._replace(namespace=index.namespace))


def answers_of(record: BriefRecord, *, profile: str, namespace: str) -> tuple[tuple[IndexKey, Answer], ...]:
    """The answers that a brief's machine twin holds, with their keys: those of its questions that speak of one package at a known source digest.

    The repo's own facts are not among them: a point stays only where all that it cites lies in that package.
    """
    found = []
    for number, question in enumerate(record.brief.questions, 1):
        cited = [one for one in record.citations if one.question == number]
        packages = {one.package for one in cited if one.package is not None}
        pins = [pin for pin in record.pins if pin.package in packages]
        if len(pins) != 1 or pins[0].digest is None or pins[0].package.version is None:
            continue
        key = _key_for(pins[0], question, profile, namespace)
        found.append((key, _answer_of(record, number, pins[0])))
    return tuple(pair for pair in found if pair[1].findings)


def _key_for(pin: Pin, question: str, profile: str, namespace: str) -> IndexKey:
    package = pin.package
    assert package.version is not None
    assert pin.digest is not None
    return IndexKey(namespace, package.ecosystem, package.name, package.version, pin.digest, question, profile)


def _answer_of(record: BriefRecord, number: int, pin: Pin) -> Answer:
    from .citations import find_citations

    known = {one.key: one for one in record.citations if one.question == number}
    own = {key for key, one in known.items() if one.package == pin.package}
    points: list[Finding] = []
    for point in record.brief.findings[number - 1]:
        cited = find_citations(point.text, number)
        if all(one.key in own for one in cited):
            points.append(point)
    citations = tuple(known[one.key] for point in points for one in find_citations(point.text, number))
    confidence = record.confidences[number - 1] if len(record.confidences) >= number else record.brief.confidence
    return Answer(
        record.brief.questions[number - 1],
        tuple(points),
        confidence,
        tuple(one._replace(question=1) for one in dict.fromkeys(citations)),
        (pin,),
        SourcesRead(len({one.file for one in citations})),
        record.brief.staleness,
    )
