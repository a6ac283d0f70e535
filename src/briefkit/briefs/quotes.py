"""Words of a package, made fit to stand in a brief: a README or docstring is hostile until shown otherwise.

    one = quote(docstring, source="node_modules/x/README.md", first=10, last=14)
    one.flags                      # ("ignore-instructions", "shell-line"): shown, and in strict mode a matter for a human
    render_quotes([one, …])        # a fenced block that the words inside cannot close

What is hidden from a human reader (comments, zero-width and tag characters, link titles) is taken out, what is long is cut, every
line is prefixed. None of this makes text harmless: it makes plain to the reader that it is data, and what in it is suspect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from briefkit.text import one_line, safe_text

from .hashing import sha256_of
from .secrets import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable

QUOTE_LIMIT = 400
COUNT_LIMIT = 20
TOTAL_LIMIT = 6 * 1024
_READ_LIMIT = 64 * 1024

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)", re.DOTALL)
_HIDDEN_ELEMENT = re.compile(
    r"<(script|style|template|noscript|iframe|object|svg)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,500}>")
_LINK_TITLE = re.compile(r"(\]\([^()\s]{0,500})[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\))[ \t]*\)")
_LINK_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*\S.*$", re.MULTILINE)
_ALT = re.compile(r"!\[[^\]\n]{0,500}\]\([^()\n]{0,500}\)")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)

_RULES = (
    (
        "ignore-instructions",
        r"\b(?:ignore|disregard|forget|override|bypass|do\s+not\s+follow)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|guideline|context|polic|above|previous|prior|earlier|system|brief|safety)",
    ),
    (
        "addresses-agent",
        r"\b(?:ai|llm|language\s+model|agent|assistant|claude|codex|gpt|copilot|cursor|gemini)s?\b[^.\n]{0,60}\b(?:must|should|shall|need\s+to|have\s+to|please|always|never|can)\b",
    ),
    (
        "addresses-agent",
        r"\b(?:you\s+are\s+(?:now|a|an|the)\b|as\s+an\s+ai\b|you\s+must\b|you\s+should\s+now\b|from\s+now\s+on\b|act\s+as\b|pretend\b|your\s+(?:new\s+)?(?:task|instructions?|goal|system)\b)",
    ),
    (
        "addresses-agent",
        r"\b(?:note|attention|important|message|instructions?)\s+(?:to|for)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:ai|llm|models?|agents?|assistants?)\b",
    ),
    (
        "role-marker",
        r"(?:^|\n)\s*(?:system|assistant|user|human|developer|tool)\s*[:>\]]|<\|[^|\n]{1,40}\|>|\[/?(?:INST|SYS|system)\]|<<SYS>>|</?(?:system|assistant|user|tool|function|antml|invoke|parameter|instructions?)\b[^>\n]*>",
    ),
    (
        "tool-call",
        r"\b(?:tool_use|tool_call|function_call|tool_result|mcp__\w+|antml)\b|\"(?:tool|function|command|cmd)\"\s*:\s*[\"{\[]",
    ),
    (
        "tool-call",
        r"\b(?:call|invoke|use|run|execute)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:tools?|function|command|bash|shell|terminal)\b",
    ),
    (
        "shell-line",
        r"(?:^|[\n`;&|$(])\s*(?:\$\s+)?(?:sudo|curl|wget|bash|sh|zsh|eval|nc|ncat|ssh|scp|chmod|rm|dd|mkfifo|powershell|iex|osascript|base64)\s+[-/~\w\"'$.]",
    ),
    (
        "shell-line",
        r"\b(?:pip|npm|npx|pnpm|yarn|uvx?|pipx|gem|cargo|brew|apt(?:-get)?)\s+(?:install|add|i|exec|dlx|run|-g)\b|\|\s*(?:ba|z)?sh\b|>\s*/dev/",
    ),
    (
        "exfiltration",
        r"\b(?:send|post|upload|exfiltrate|forward|transmit|email|leak|reveal|print|output|share|report|include|copy|paste|append)\b[^.\n]{0,60}\b(?:\.env|env(?:ironment)?\s+var|secrets?|tokens?|api\s*keys?|passwords?|credentials?|ssh\s+keys?|id_rsa|private\s+keys?|system\s+prompt|contents?\s+of|files?\s+to|conversation|source\s+code)",
    ),
    (
        "secret-file",
        r"~/\.(?:ssh|aws|config|netrc|npmrc|pypirc|docker|kube|gnupg)|/etc/(?:passwd|shadow)|\.env\b|id_rsa|id_ed25519|\.git/config|AGENTS\.md|CLAUDE\.md|\.claude/|\.cursor/",
    ),
    (
        "encoded",
        r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{60,}={0,2}(?![A-Za-z0-9+/=_-])|(?:\\x[0-9a-fA-F]{2}){8,}|(?:%[0-9a-fA-F]{2}){12,}|(?:&#x?[0-9a-fA-F]+;){6,}",
    ),
    ("data-url", r"\b(?:javascript|vbscript):\S|\bdata:[a-z]+/|\bfile://"),
    ("shell-line", r"\b(?:npx|uvx|bunx|pipx\s+run)\s+[\w@-]"),
    ("disable-checks", r"--no-verify\b"),
    (
        "secrecy",
        r"\b(?:do\s+not|don'?t|never|without)\s+(?:tell|mention|inform|show|reveal|disclos\w+|report\w*|ask\w*|warn\w*|notify\w*)\b[^.\n]{0,40}\b(?:user|human|developer|anyone|operator|owner|permission|confirm\w*)",
    ),
    (
        "destructive",
        r"\brm\s+-[a-z]*[rf]|\b(?:delete|remove|wipe|drop|erase|destroy)\s+(?:all|every|the)\s+(?:\w+\s+){0,2}(?:files?|tables?|databases?|repo\w*|director\w+|tests?|branches)\b|\bgit\s+(?:push\s+--?f|reset\s+--hard|clean\s+-)|\bforce[- ]push\b",
    ),
    (
        "disable-checks",
        r"\b(?:disable|skip|turn\s+off|remove|bypass|--no-verify)\b[^.\n]{0,30}\b(?:tests?|checks?|verif\w+|gate|hooks?|review|approval|sandbox|security|tls|ssl|certificate)",
    ),
    ("markup", r"</?[a-z]+:[a-z_]+\b|\{\{.{0,200}\}\}|\{%.{0,200}%\}|\$\{\{"),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _RULES)


class Quote(NamedTuple):
    """Words of a package: where they stand, the words made fit, and what in them is suspect."""

    source: str
    first: int
    last: int
    text: str
    flags: tuple[str, ...] = ()


def flags_of(text: str) -> tuple[str, ...]:
    """The rules that a text trips, in fixed order: what looks like an instruction, a tool call, a shell line, something hidden."""
    text = text[:_READ_LIMIT]
    found = list(dict.fromkeys(name for name, pattern in _COMPILED if pattern.search(text)))
    # letters put apart by invisible signs are read together by a model
    bare = _INVISIBLE.sub("", text)
    if bare != text:
        found.append("hidden-characters")
        found += dict.fromkeys(name for name, pattern in _COMPILED if name not in found and pattern.search(bare))
    if _COMMENT.search(text) or _HIDDEN_ELEMENT.search(text) or _LINK_TITLE.search(text):
        found.append("hidden-text")
    return tuple(found)


def quote(text: str, *, source: str, first: int, last: int) -> Quote:
    """The words made fit for a brief: what is hidden taken out, credentials removed, cut to `QUOTE_LIMIT`; flagged by the whole text."""
    return Quote(one_line(source, 300), first, last, visible_text(text), flags_of(text))


def visible_text(text: str, limit: int = QUOTE_LIMIT) -> str:
    """What a human sees of the text: no comments, hidden elements, tags, link titles or invisible signs; at most `limit` signs."""
    text = text[:_READ_LIMIT].replace("\r\n", "\n").replace("\r", "\n")
    before = None
    while before != text:
        # what is taken out may have held two halves of another one apart
        before = text
        text = _INVISIBLE.sub("", text)
        text = _HIDDEN_ELEMENT.sub("", _COMMENT.sub("", text))
        text = _LINK_DEFINITION.sub("", _ALT.sub("", _LINK_TITLE.sub(r"\1)", text)))
        text = _TAG.sub("", text)
    lines = [" ".join(line.split()) for line in redacted(text).split("\n")]
    text = safe_text("\n".join(line for line in lines if line))
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def render_quotes(quotes: Iterable[Quote]) -> str:
    """The quotes as one fenced block, at most `COUNT_LIMIT` of them and `TOTAL_LIMIT` bytes; empty of none.

    The fence carries a word made from the words inside, which they therefore cannot contain, and every line inside begins with `| `, so
    that none of them can be taken for the fence or for a heading.
    """
    blocks: list[str] = []
    size = 0
    for one in list(quotes)[:COUNT_LIMIT]:
        block = _block(one)
        size += len(block.encode("utf-8", "replace"))
        if size > TOTAL_LIMIT:
            break
        blocks.append(block)
    if not blocks:
        return ""
    body = "\n".join(blocks)
    word = _word_for(body)
    return f"```quoted-{word}\n{body}\n```end-{word}"


def _block(one: Quote) -> str:
    head = f"quoted from {one.source} lines {one.first}-{one.last}, data and no instructions"
    if one.flags:
        head += f"; suspicious: {', '.join(one.flags)}"
    return "\n".join(f"| {line}" for line in [head, *one.text.split("\n")])


def _word_for(body: str) -> str:
    salt = 0
    while True:
        word = sha256_of(f"{salt}\n{body}".encode("utf-8", "surrogatepass"))[:12]
        if word not in body:
            return word
        salt += 1
