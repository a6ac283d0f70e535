"""An entry of the index: one answer under its key, with its identity and checksum inside.

    key = IndexKey("default", "npm", "sequelize", "6.37.3", digest, "Does Model.bulkCreate exist?", profile="source")
    key.id          # sha256 of the canonical identity: what a store is asked for
    str(key)        # npm:sequelize@6.37.3:1f3a9c2e, what a person reads

Key equality is not trust: what comes back is used only where its checksum holds and the identity inside is the one asked for.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .brief import CLOCK_TOLERANCE, SCHEMA_VERSION, WEEK, Answer
from .hashing import sha256_of
from .stores.port import BODY_LIMIT, EntryRefusedError, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_VERSION = 1
EXPORT_VERSION = 1
# Entries of one hour would otherwise all end in the same hour a week later.
_JITTER = 0.1
_MAGIC = b"briefkit-entry-1 "
_SPACE = re.compile(r"\s+")

# Why an entry is not used. Each is counted.
ABSENT = "absent"
EXPIRED = "expired"
FUTURE = "future"
CORRUPT = "corrupt"
OTHER_IDENTITY = "other-identity"
OTHER_SCHEMA = "other-schema"
LOW_CONFIDENCE = "low-confidence"
NOT_VERIFIED = "not-verified"
UNAVAILABLE = "unavailable"
MISS_REASONS = (
    ABSENT,
    EXPIRED,
    FUTURE,
    CORRUPT,
    OTHER_IDENTITY,
    OTHER_SCHEMA,
    LOW_CONFIDENCE,
    NOT_VERIFIED,
    UNAVAILABLE,
)


class IndexKey(NamedTuple):
    """What an answer is kept under; every part is compared at read.

    `name` is normalised, `digest` the source digest of the installed copy, `question` as asked, `profile` the kind of researcher.
    """

    namespace: str
    ecosystem: str
    name: str
    version: str
    digest: str
    question: str
    profile: str = "source"

    @property
    def identity(self) -> list[Any]:
        """The parts of the key, with the versions of key and schema, the question folded."""
        return [KEY_VERSION, *self[:5], folded(self.question), SCHEMA_VERSION, self.profile]

    @property
    def id(self) -> str:
        """The sha256 of the identity; no name ever becomes a path."""
        return sha256_of(_canonical(self.identity))

    def __str__(self) -> str:
        """`pypi:requests@2.32.3:1f3a9c2e`."""
        return printed(self.ecosystem, self.name, self.version, self.id)


class Entry(NamedTuple):
    """An answer under its key: when it was verified, when it ends."""

    key: IndexKey
    answer: Answer
    verified_at: float
    expires_at: float
    created_at: float
    writer: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit index show`."""
        return {
            "key": str(self.key),
            "id": self.key.id,
            "namespace": self.key.namespace,
            "ecosystem": self.key.ecosystem,
            "name": self.key.name,
            "version": self.key.version,
            "digest": self.key.digest,
            "question": self.key.question,
            "profile": self.key.profile,
            "verified_at": self.verified_at,
            "expires_at": self.expires_at,
            "created_at": self.created_at,
            "writer": self.writer,
            "answer": self.answer.to_dict(),
        }


def printed(ecosystem: str, name: str, version: str, key_id: str) -> str:
    """A key as a person reads and types it: `pypi:requests@2.32.3:1f3a9c2e`."""
    return f"{ecosystem}:{name}@{version}:{key_id[:8]}"


def folded(question: str) -> str:
    """The question as it is compared: Unicode compatibility forms and white space folded, letter case kept.

    `Model.upsert` and `model.upsert` are two names, so their questions are two.
    """
    if not question.isascii():
        from unicodedata import normalize

        question = normalize("NFKC", question)
    return _SPACE.sub(" ", question).strip().rstrip("?.! ")


def new_entry(key: IndexKey, answer: Answer, *, now: float, ttl: float = WEEK, writer: str = "") -> Entry:
    """The entry of an answer that was verified now; it ends after `ttl`, up to a tenth earlier, the same for the same key."""
    share = int(key.id[:8], 16) / 0xFFFFFFFF
    return Entry(key, answer, now, now + ttl * (1 - _JITTER * share), now, writer)


def encoded(entry: Entry) -> Row:
    """The row of an entry: canonical JSON behind its checksum.

    Raises:
        EntryRefusedError: The entry is larger than a store takes.

    """
    body = {
        "identity": entry.key.identity,
        "question": entry.key.question,
        "answer": entry.answer.to_dict(),
        "verified_at": entry.verified_at,
        "expires_at": entry.expires_at,
        "created_at": entry.created_at,
        "writer": entry.writer,
    }
    data = _canonical(body)
    _refuse_over(len(data))
    key = entry.key
    stored = _MAGIC + sha256_of(data).encode() + b"\n" + data
    listed = (listed_as(key.ecosystem), listed_as(key.name), listed_as(key.version))
    return Row(key.id, *listed, entry.verified_at, entry.expires_at, stored)


def refuse_large(answer: Answer) -> None:
    """Refuse an answer whose texts alone are too large, before anything is done with them.

    Raises:
        EntryRefusedError: The answer is larger than a store takes.

    """
    texts = [answer.question, answer.lead, *(finding.text for finding in answer.findings)]
    _refuse_over(sum(map(len, texts)))


def _refuse_over(size: int) -> None:
    if size > BODY_LIMIT:
        raise EntryRefusedError(f"answer has {size:,} bytes, more than the {BODY_LIMIT:,} that the index takes")


def listed_as(text: str) -> str:
    """A name as stores list it: printable ASCII, at most 300 signs, so that every engine takes it; the exact name is inside the entry."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(sign if sign.isascii() and sign.isprintable() else f"\\u{ord(sign):x}" for sign in text[:300])
    return text[:300]


class Unusable(Exception):  # noqa: N818 - a value in exception's clothes, caught at once by those who decode
    """Bytes that are not the entry asked for; the argument is the miss reason."""


def decoded(body: bytes, asked: IndexKey | str | None = None) -> Entry:
    """The entry in these bytes, checked: the checksum holds, and the identity inside is that of the key (or id) asked for.

    Raises:
        Unusable: With the reason of the miss.

    """
    head = len(_MAGIC) + 64
    if not body.startswith(_MAGIC) or body[head : head + 1] != b"\n":
        raise Unusable(CORRUPT)
    data = body[head + 1 :]
    if sha256_of(data).encode() != body[len(_MAGIC) : head]:
        raise Unusable(CORRUPT)
    try:
        entry = _entry(json.loads(data))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise Unusable(CORRUPT) from None
    if asked is not None and not _is_asked(entry.key, asked):
        raise Unusable(OTHER_IDENTITY)
    return entry


def _is_asked(found: IndexKey, asked: IndexKey | str) -> bool:
    return found.id == asked if isinstance(asked, str) else found == asked or found.identity == asked.identity


def _entry(record: Mapping[str, Any]) -> Entry:
    version, namespace, ecosystem, name, package_version, digest, question, schema, profile = record["identity"]
    if version != KEY_VERSION or schema != SCHEMA_VERSION:
        raise Unusable(OTHER_SCHEMA)
    key = IndexKey(namespace, ecosystem, name, package_version, digest, record["question"], profile)
    if not all(isinstance(part, str) for part in key) or folded(key.question) != question:
        raise Unusable(OTHER_IDENTITY)
    verified, expires, created = (float(record[field]) for field in ("verified_at", "expires_at", "created_at"))
    return Entry(key, Answer.from_dict(record["answer"]), verified, expires, created, str(record["writer"]))


def miss_by_time(entry: Entry, now: float) -> str | None:
    """Why the entry is no longer good, or not yet; None where it is. Longer than its own ttl after `verified_at` it never is."""
    if entry.verified_at > now + CLOCK_TOLERANCE:
        return FUTURE
    return EXPIRED if now >= entry.expires_at else None


def _canonical(value: object) -> bytes:
    # ASCII escapes carry every text, lone surrogates too
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
