"""The kinds of store, as parameters of a test."""

from __future__ import annotations

import pytest

ON_DISK = ("sqlite", "diskcache")
SERVED = ("redis", "postgresql")
LASTING = (*ON_DISK, *SERVED)
KINDS = ("memory", *LASTING)


def params(*kinds: str) -> list[object]:
    """The kinds as parameters of the `kind` fixture, those with a server marked."""
    return [pytest.param(kind, marks=[pytest.mark.server] if kind in SERVED else []) for kind in kinds]


def only(*kinds: str) -> pytest.MarkDecorator:
    """Run a test on these kinds of store only."""
    return pytest.mark.parametrize("kind", params(*kinds), indirect=True)
