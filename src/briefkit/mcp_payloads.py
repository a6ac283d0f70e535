"""The structured answers of the MCP tools: the fields of the command line's JSON, with a schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Payload(BaseModel):
    """An answer; fields that are added later do not break a reader."""

    model_config = ConfigDict(extra="allow")


class Proof(Payload):
    """The file, line and rule that decided an answer."""

    file: str
    line: int
    rule: str


class ResolutionPayload(Payload):
    """Which version one importer uses, and what proves it."""

    query: str
    ecosystem: Literal["npm", "pypi"]
    name: str
    alias: str | None
    version: str | None
    locked_version: str | None
    installed_version: str | None
    state: Literal["agree", "disagree", "not-installed", "not-locked", "not-for-this-platform", "conflicted"]
    importer: str
    requirement: str | None
    direct: bool | None
    groups: list[str]
    marker: str | None
    decided_by: Proof
    lockfile: dict[str, Any] | None
    source: dict[str, Any] | None
    installed: dict[str, Any] | None
    other_versions: list[dict[str, Any]]
    notes: list[str]


class Resolved(Payload):
    """The answer of `resolve_library`; no resolution means neither locked nor installed."""

    schema_version: int = 1
    repo: str
    importer: str
    resolutions: list[ResolutionPayload]
    skipped: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]


class LocatedPayload(Payload):
    """The answer of `locate_source`; no root means not installed."""

    schema_version: int = 1
    query: str
    ecosystem: str | None
    importer: str
    name: str | None
    alias: str | None
    version: str | None
    version_from: str | None
    root: str | None
    inner: str | None
    link: str | None
    kind: str | None
    files: int
    entry: dict[str, Any]
    types: list[Any]
    readme: str | None
    changelog: str | None
    environment: dict[str, Any] | None
    evidence: list[str]
    lock: dict[str, Any] | None
    other_copies: list[Any]
    warnings: list[str]


class SymbolPayload(Payload):
    """One real symbol, with the place of its definition."""

    name: str
    kind: str
    signature: str
    summary: str | None
    file: str
    line: int
    end_line: int
    exported_from: str | None
    deprecated: str | None


class ReachPayload(Payload):
    """How far was searched."""

    files: int
    lines: int
    dynamic: list[str]
    unread: list[str]


class AnswerPayload(Payload):
    """Whether a symbol exists."""

    query: str
    answer: Literal["exists", "absent", "unknown"]
    matches: list[SymbolPayload]
    nearest: list[SymbolPayload]
    reach: ReachPayload
    reason: str


class Api(Payload):
    """The answer of `find_api`: answers to symbols asked for, or the symbols most relevant to words."""

    schema_version: int = 1
    package: dict[str, Any]
    answers: list[AnswerPayload] = Field(default_factory=list)
    symbols: list[SymbolPayload] = Field(default_factory=list)
    reach: ReachPayload | None = None


class AskedPayload(Payload):
    """The answer of `ask`: the brief as data and as Markdown, and what the index had to do with it."""

    schema_version: int = 1
    brief: dict[str, Any]
    markdown: str
    index: dict[str, Any]
    cost: dict[str, Any]
    notices: list[str]


class BriefLine(Payload):
    """One brief in the state folder."""

    task: str
    path: str
    valid: bool
    confidence: float | None
    questions: list[str]
    verified_at: float | None


class Briefs(Payload):
    """The answer of `list_briefs`."""

    schema_version: int = 1
    briefs: list[BriefLine]
