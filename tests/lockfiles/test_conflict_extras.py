"""uv's pseudo-extras for conflicting extras and groups are taken out of markers."""

from __future__ import annotations

import pytest

from briefkit.lockfiles.conflict_extras import NEVER, pseudo_extra, without_pseudo_extras

CONFLICTS = ((("app", "old"), ("app", "new")),)
OLD = "extra == 'extra-3-app-old'"
NEW = "extra == 'extra-3-app-new'"
PYTHON = "python_full_version < '3.10'"


@pytest.mark.parametrize(
    ("marker", "active", "shown"),
    [
        (f"{PYTHON} and {OLD}", "old", PYTHON),
        (f"{PYTHON} and {OLD}", "new", NEVER),
        (f"({PYTHON} and {NEW}) or ({NEW} and {OLD})", "new", PYTHON),
        (f"{OLD} and {NEW}", None, NEVER),
        (f"{OLD} or {NEW}", None, None),
        (f"{OLD} or {NEW}", "old", None),
        (f"extra != 'extra-3-app-old' and {PYTHON}", "old", NEVER),
        (f"extra != 'extra-3-app-old' and {PYTHON}", None, PYTHON),
        (
            f"({OLD} and os_name == 'nt') or ({NEW} and os_name == 'posix')",
            None,
            "(os_name == 'posix') or (os_name == 'nt')",
        ),
        (f"({PYTHON} or os_name == 'nt') and ({OLD} or {NEW})", "old", f"{PYTHON} or os_name == 'nt'"),
        (f"{PYTHON} and (", None, None),
        ("(" * 500 + OLD + ")" * 500, None, None),
    ],
)
def test_a_marker_reads_as_for_the_choices_that_are_allowed(marker: str, active: str | None, shown: str | None) -> None:
    chosen = pseudo_extra("app", active, "extra") if active else None
    assert without_pseudo_extras(marker, CONFLICTS, chosen) == shown


def test_too_many_choices_are_two() -> None:
    marker = " and ".join(f"extra == 'extra-3-app-x{n}'" for n in range(40)) + f" and {PYTHON}"
    assert without_pseudo_extras(marker, ()) == PYTHON
