"""Several lockfiles and no rule that chooses: they agree, and that is a note; or they differ, and no version is given."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .joining import same_version
from .resolution import CONFLICTED, OtherVersion, Proof

if TYPE_CHECKING:
    from ..packages import Conflict
    from .locked_view import LockedView
    from .resolution import Resolution

    Answers = list[tuple[LockedView, tuple[Resolution, ...]]]


def combined(ecosystem: str, answers: Answers, notes: tuple[str, ...]) -> tuple[Resolution, ...]:
    """The resolutions of a name from all lockfiles that were asked; `notes` say why those and no others."""
    given = [(view, resolved) for view, resolved in answers if resolved]
    if not given:
        return ()
    first = given[0][1]
    pinned = [(view, resolved) for view, resolved in given if any(each.locked_version for each in resolved)]
    if pinned:
        first = pinned[0][1]
    if all(_same(ecosystem, first, resolved) for _, resolved in pinned):
        if len(given) > 1:
            also = ", ".join(view.shown for view, resolved in given if resolved is not first)
            notes = (*notes, f"also in {also}, which says no other version")
        return tuple(each._replace(notes=(*each.notes, *notes)) for each in first)
    return (_conflicted(first[0], pinned),)


def without_conflicted(
    resolved: tuple[Resolution, ...], conflicts: tuple[Conflict, ...], shown: str
) -> tuple[Resolution, ...]:
    """The resolutions of one lockfile; those of a name on which the sides of its merge conflict differ become one without a version."""
    if not conflicts or not resolved:
        return resolved
    by_name = {conflict.name: conflict for conflict in conflicts}
    found: dict[tuple[str, str | None] | str, Resolution] = {}
    for each in resolved:
        conflict = by_name.get(each.name)
        if conflict is None:
            note = f"{shown} has merge conflicts; its sides agree on this name"
            found[each.name, each.version] = each._replace(notes=(*each.notes, note))
        else:
            found.setdefault(each.name, _unmerged(each, conflict, shown))
    return tuple(found.values())


def _unmerged(each: Resolution, conflict: Conflict, shown: str) -> Resolution:
    sides = ((conflict.ours, "ours"), (conflict.theirs, "theirs"))
    return each._replace(
        version=None,
        locked_version=None,
        state=CONFLICTED,
        decided_by=Proof(shown, conflict.line, "the sides of a merge conflict differ"),
        locked_by=None,
        other_versions=tuple(OtherVersion(version, (side,)) for version, side in sides),
        notes=("resolve the merge conflict in the lockfile",),
    )


def _same(ecosystem: str, one: tuple[Resolution, ...], other: tuple[Resolution, ...]) -> bool:
    """Whether two lockfiles give the same versions: each of the one is one of the other."""
    if len(one) != len(other):
        return False
    return all(any(_agree(ecosystem, mine.locked_version, theirs.locked_version) for theirs in other) for mine in one)


def _agree(ecosystem: str, one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and same_version(ecosystem, one, other))


def _conflicted(first: Resolution, given: Answers) -> Resolution:
    """The resolution without a version, each lockfile's named beside it."""
    versions: dict[str | None, list[str]] = {}
    for view, resolved in given:
        for each in resolved:
            versions.setdefault(each.locked_version, []).append(view.shown)
    others = tuple(OtherVersion(version, tuple(dict.fromkeys(where))) for version, where in versions.items())
    proofs = [each.locked_by or each.decided_by for _, found in given for each in found]
    listed = ", ".join(f"{proof.file}:{proof.line}" for proof in proofs)
    rule = f"the lockfiles differ and nothing says which one counts: {listed}"
    proof = first.locked_by or first.decided_by
    return first._replace(
        version=None,
        locked_version=None,
        state=CONFLICTED,
        decided_by=Proof(proof.file, proof.line, rule),
        locked_by=None,
        other_versions=others,
        notes=("name the manager in the manifest (packageManager, [tool.…]) or remove the lockfile that is not used",),
    )
