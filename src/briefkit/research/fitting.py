"""A brief cut to its token budget: what helps least goes first, and no point is ever cut in half."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.briefs.markdown import render_brief

if TYPE_CHECKING:
    from briefkit.briefs.brief import BriefRecord

# A rough and steady measure: no tokenizer is small enough to carry for it, and the budget is the reader's, not a price.
CHARACTERS_PER_TOKEN = 4
_SPARE = ("Example:", "Its documents", "Other versions", "Also:")


def fitted(record: BriefRecord, max_tokens: int) -> BriefRecord:
    """The record with points left out, least helpful first, until the brief takes at most `max_tokens`.

    Versions, answers, wrappers and sources stay even where the budget is too small for them: a brief without its proof is none.
    """
    for prefix in _SPARE:
        if tokens_of(record) <= max_tokens:
            break
        record = _without(record, prefix)
    return record


def tokens_of(record: BriefRecord) -> int:
    """About how many tokens the brief takes."""
    return len(render_brief(record.brief)) // CHARACTERS_PER_TOKEN + 1


def _without(record: BriefRecord, prefix: str) -> BriefRecord:
    findings = tuple(
        tuple(finding for finding in own if not finding.text.startswith(prefix)) or own for own in record.brief.findings
    )
    return record._replace(brief=record.brief._replace(findings=findings))
