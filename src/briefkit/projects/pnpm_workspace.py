"""pnpm-workspace.yaml: the folders it lists. The rest of the file is settings, which change no answer here."""

from __future__ import annotations

import os
import re

from briefkit.patterns import lazy_pattern

from ..paths import MEBIBYTE, read_text

_KEY = lazy_pattern(r"""^(?:packages|"packages"|'packages')[ \t]*:[ \t]*(.*)$""", re.MULTILINE)
_ITEM = lazy_pattern(r"""^[ \t]*-[ \t]+(?:"([^"]*)"|'([^']*)'|([^\s#"'][^#\n]*?))[ \t]*(?:#.*)?$""")
_FLOW_ITEM = lazy_pattern(r"""\s*(?:"([^"]*)"|'([^']*)'|([^,\[\]"'\s]+))\s*(?:,|$)""")


def packages_listed(folder: str) -> list[str]:
    """The patterns under `packages`, in order; empty where the file lists none.

    Raises:
        UnreadableError: The file is there and cannot be read.

    """
    text = read_text(os.path.join(folder, "pnpm-workspace.yaml"), MEBIBYTE)
    found = _KEY.search(text.replace("\r\n", "\n"))
    if found is None:
        return []
    rest = text.replace("\r\n", "\n")[found.start(1) :]
    if rest.startswith("["):
        return [_first(item) for item in _FLOW_ITEM.finditer(rest[1 : rest.find("]")])]
    return _block_items(rest)


def _block_items(text: str) -> list[str]:
    items = []
    for line in text.split("\n")[1:]:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _ITEM.match(line)
        if item is None:
            break
        items.append(_first(item))
    return items


def _first(item: re.Match[str]) -> str:
    return next(group for group in item.groups() if group is not None).strip()
