"""Credentials that stand in text from outside are taken out before anything is kept or shown.

What is looked for has a fixed shape: userinfo in URLs, tokens of well-known issuers, private keys, settings that assign a
secret. The rest of the text stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

GONE = "[removed]"

_TOKENS = re.compile(
    r"AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}"  # cloud access keys
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{16,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-AgE[A-Za-z0-9_-]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{20,}|AIza[0-9A-Za-z_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_USERINFO = re.compile(r"(?<=://)[^\s/?#@\"'<>`]+@")
_QUERY = re.compile(
    r"(?i)([?&;](?:[\w.-]*(?:token|passw(?:or)?d|secret|api_?key|auth|credential|signature|sig))=)[^\s&#\"'<>`)]+"
)
_SETTING = re.compile(
    r"(?i)((?:^|[\s:/\"'_-])(?:_auth(?:Token)?|_password|[\w-]*(?:api[_-]?key|secret|password|passwd|token))\s*=\s*[\"']?)"
    r"(?=[^\s\"']*[0-9])([A-Za-z0-9+/=_.:~-]{8,})"
)
_AUTHORIZATION = re.compile(r"(?i)(authorization[\"']?\s*[:=]\s*[\"']?(?:basic|bearer|token)\s+)[A-Za-z0-9+/=_.~-]{6,}")
_HINT = re.compile(
    r"(?i)://[^\s/]*@|AKIA|ASIA|gh[pousr]_|github_pat|glpat-|npm_|pypi-Ag|xox|sk-|AIza|eyJ|PRIVATE KEY|=|authorization"
)


def redacted(text: str) -> str:
    """The text with every credential of a known shape replaced by `[removed]`."""
    if not _HINT.search(text):
        return text
    text = _PRIVATE_KEY.sub(GONE, text)
    text = _USERINFO.sub("", text)
    text = _QUERY.sub(rf"\1{GONE}", text)
    text = _AUTHORIZATION.sub(rf"\1{GONE}", text)
    text = _SETTING.sub(rf"\1{GONE}", text)
    return _TOKENS.sub(GONE, text)


def without_secrets(value: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """JSON with every text in it `redacted`."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, list):
        return [without_secrets(one) for one in value]
    if isinstance(value, dict):
        return {key: without_secrets(one) for key, one in value.items()}
    return value
