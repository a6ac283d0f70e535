"""The verdict: what to do, in a sentence or two; the repo's own wrapper first, since it is there to be used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .points import function_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from briefkit.briefs.brief import Answer

    from .wrappers import Wrapper, Wrappers

WEAK = 0.6
_USE = "Use "


def verdict_of(answers: Sequence[Answer], wrappers: Sequence[Wrappers]) -> str:
    """What the answers come to: use the wrapper, use the symbol, do not call what is not there; what is weak is said."""
    best = _best(wrappers)
    leads = list(dict.fromkeys(answer.lead for answer in answers if answer.lead))
    sentences = [sentence for lead in leads for sentence in re.split(r"(?<=[.;]) (?=Use |Do not )", lead)]
    uses = list(dict.fromkeys(sentence[len(_USE) : -1] for sentence in sentences if sentence.startswith(_USE)))
    parts: list[str] = []
    if best is not None:
        callers = f", and {_times(len(best.callers))}" if best.callers else ""
        parts.append(
            f"Use `{function_form(best)}` from {best.function.file}: it already wraps `{best.wraps}`{callers}."
        )
    if uses:
        parts.append(
            ("Only where it does not serve, use " if best is not None else _USE) + ", or ".join(uses[:3]) + "."
        )
    parts += dict.fromkeys(sentence for sentence in sentences if not sentence.startswith(_USE))
    weak = [str(number) for number, answer in enumerate(answers, 1) if answer.confidence < WEAK]
    if weak:
        parts.append(
            f"Not enough evidence for Q{', Q'.join(weak)}: do not build on {'it' if len(weak) == 1 else 'them'}."
        )
    return " ".join(parts) or "Nothing was found to build on."


def _best(wrappers: Sequence[Wrappers]) -> Wrapper | None:
    return next((one.found[0] for one in wrappers if one.found), None)


def _times(count: int) -> str:
    return f"{count} other place{'' if count == 1 else 's'} in the repo call{'s' if count == 1 else ''} it"
