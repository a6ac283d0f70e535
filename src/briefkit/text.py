"""Text from outside, made safe: for a terminal, for a record, for a prompt.

URLs lose what may be a credential, and control characters are shown, never sent. The rules are those of the
security model in docs/security.md.
"""

from __future__ import annotations

import re

# The expressions are compiled at their first use: most starts of briefkit need none of them.

# C0 and C1 controls but newline and tab, bidirectional and zero-width formatting, line separators, variation selectors,
# tag characters, surrogates, private use: a terminal or a reader may act on each, none of them belongs in a name.
_UNSAFE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\ue000-\uf8ff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_AUTHORITY = r"^((?:[A-Za-z][A-Za-z0-9+.-]*:)?//)(?:[^/?#]*@)?"
_KEPT_QUERY = r"^(?:rev|tag|branch|ref|commit|subdirectory|path|egg|version|hash|workspace)=[A-Za-z0-9._/%+-]*$"
_KEPT_FRAGMENT = r"^[A-Za-z0-9._/%+=&:~^<>|-]*$"
_SECRET_KEY = r"(?i)token|passw|secret|auth|key=|credential|signature"  # noqa: S105 - what to look for, no secret


def safe_text(text: str) -> str:
    r"""The text with every character that a terminal may act on shown as `\\u{XXXX}`; newline and tab stay."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNSAFE, lambda found: f"\\u{{{ord(found.group()):x}}}", text)


def one_line(text: str, limit: int = 400) -> str:
    """The text as one safe line of at most `limit` characters, an ellipsis where it was cut."""
    line = safe_text(re.sub(r"\s+", " ", text).strip())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def public_url(url: str) -> str:
    """The URL without userinfo, and without those parts of query and fragment that are not a known version selector.

    `git+ssh://git@host/o/r.git#sha` keeps the commit; `https://u:p@host/x?token=t` becomes `https://host/x`.
    """
    head, hash_mark, fragment = url.partition("#")
    head, question, query = head.partition("?")
    head = re.sub(_AUTHORITY, r"\1", head)
    kept = (
        [part for part in query.split("&") if re.match(_KEPT_QUERY, part) and not re.search(_SECRET_KEY, part)]
        if question
        else []
    )
    if kept:
        head += "?" + "&".join(kept)
    if hash_mark and fragment and re.match(_KEPT_FRAGMENT, fragment) and not re.search(_SECRET_KEY, fragment):
        head += "#" + fragment
    return head
