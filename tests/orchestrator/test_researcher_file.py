"""The researcher's agent file that ships: its head says only what is known, and its tools only read."""

from __future__ import annotations

import re
from pathlib import Path

from briefkit.orchestrator.agents.claude import READING_TOOLS

FILE = Path(__file__).parents[2] / "agents" / "briefkit-researcher.md"
KNOWN = {
    *(
        "name",
        "description",
        "model",
        "tools",
        "disallowedTools",
        "effort",
        "maxTurns",
        "skills",
        "background",
        "omitClaudeMd",
    ),
    *("isolation", "color", "memory", "initialPrompt", "autoCompactWindow"),
}


def head() -> dict[str, str]:
    found = re.match(r"---\n(.*?)\n---\n", FILE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return dict(line.split(": ", 1) for line in found.group(1).splitlines())


def test_every_key_of_its_head_is_one_that_the_agent_knows() -> None:
    assert head().keys() <= KNOWN
    assert head()["name"] == FILE.stem


def test_its_tools_are_the_reading_ones_and_its_turns_are_capped() -> None:
    assert tuple(head()["tools"].split(", ")) == READING_TOOLS
    assert 0 < int(head()["maxTurns"]) <= 40
