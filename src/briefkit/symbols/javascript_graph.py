"""What a package offers as owners and members, in plain lists that are kept as JSON and looked up without any tree.

An owner is what names are looked up on: a module's exports, a class, its instances, an interface. Two worlds stand side by side: what
the code makes when it runs, and what the types declare; a root has one owner of each where there is one.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

SHARD = 256
_CHAIN_LIMIT = 200

CLOSED = -1
"""In place of an owner: a value that has no names of its own (a number, a text)."""


class Member(NamedTuple):
    """One name of an owner, as it is kept.

    `value` is the owner of its own members, `CLOSED`, or the reason (a text) why they are not known; `file` an index, -1 for what is built in.
    """

    kind: str
    signature: str
    summary: str | None
    file: int
    line: int
    end_line: int
    deprecated: str | None
    value: int | str
    note: str | None = None
    overloads: tuple[tuple[str, int, int], ...] = ()


class Owner:
    """Names, the owners they are inherited from, the owner of instances, and open doors."""

    __slots__ = ("ajar", "doors", "instance", "label", "members", "options", "parents")

    def __init__(self, label: str = "") -> None:
        self.label = label
        self.members: dict[str, Member] = {}
        self.parents: list[int] = []
        self.options: list[int] = []
        self.doors: list[str] = []
        self.ajar: list[str] = []
        self.instance: int | None = None

    def open(self, door: str) -> None:
        """Note a door through which names may come that are not shown."""
        if door not in self.doors and len(self.doors) < 6:
            self.doors.append(door)

    def set_ajar(self, door: str) -> None:
        """Note a door through which instances take names that their makers give: closed to a word that the owner's files do not define."""
        if door not in self.ajar and len(self.ajar) < 6:
            self.ajar.append(door)

    def to_json(self) -> list[Any]:
        """The owner as JSON."""
        return [self.label, self.members, self.parents, self.doors, self.instance, self.options, self.ajar]

    @classmethod
    def from_json(cls, value: list[Any]) -> Owner:
        """The owner that `to_json` wrote."""
        made = cls(value[0])
        made.members = {name: Member(*member) for name, member in value[1].items()}
        made.parents, made.doors, made.instance, made.options, made.ajar = value[2:7]
        return made


class Found(NamedTuple):
    """What looking a path up came to.

    `member` is None where there is none; `door` is the first open door; `ajar` one that is closed to a word which none of `files` defines.
    """

    member: Member | None
    door: str | None = None
    ajar: str | None = None
    files: tuple[int, ...] = ()


class NotKeptError(Exception):
    """An owner that lies deeper than a kept graph goes."""


class Graph:
    """All owners, by number; those of a kept table are unpacked when they are first asked for."""

    def __init__(self, load: Callable[[int], list[Any] | None] | None = None, size: int = 0) -> None:
        self._load = load
        self._owners: dict[int, Owner] = {}
        self._shards: set[int] = set()
        self._fills: dict[int, Callable[[Owner], None]] = {}
        self.size = size

    def new(self, label: str = "", fill: Callable[[Owner], None] | None = None) -> tuple[int, Owner]:
        """A new owner and its number; `fill` gives it its names when it is first looked at."""
        owner = Owner(label)
        number = self.size
        self._owners[number] = owner
        if fill is not None:
            self._fills[number] = fill
        self.size += 1
        return number, owner

    def owner(self, number: int) -> Owner:
        """The owner of this number.

        Raises:
            NotKeptError: The graph is a kept one that does not hold this owner.

        """
        found = self._owners.get(number)
        if found is None:
            self._unpack(number // SHARD)
            found = self._owners.get(number)
            if found is None:
                raise NotKeptError
        fill = self._fills.pop(number, None) if self._fills else None
        if fill is not None:
            fill(found)
        return found

    def _unpack(self, shard: int) -> None:
        if self._load is None or shard in self._shards:
            return
        self._shards.add(shard)
        for offset, value in enumerate(self._load(shard) or ()):
            if value is not None:
                self._owners[shard * SHARD + offset] = Owner.from_json(value)

    def shards(self) -> Iterator[list[Any]]:
        """All owners as JSON, in shards; null in place of one that was never looked at."""
        for start in range(0, self.size, SHARD):
            yield [
                None if number in self._fills else self._owners[number].to_json()
                for number in range(start, min(start + SHARD, self.size))
            ]

    # looking up --------------------------------------------------------------------------------------------------------

    def chain(self, number: int) -> Iterator[Owner]:
        """An owner and all it inherits from, nearest first."""
        seen: set[int] = set()
        pending = [number]
        while pending and len(seen) < _CHAIN_LIMIT:
            at = pending.pop(0)
            if at in seen or at < 0:
                continue
            seen.add(at)
            owner = self.owner(at)
            yield owner
            pending[0:0] = [*owner.parents, *owner.options]

    def look(self, number: int, name: str) -> Found:
        """A name on an owner and on all that it inherits from."""
        door = ajar = None
        for owner in self.chain(number):
            member = owner.members.get(name)
            if member is not None:
                return Found(member)
            if owner.doors and door is None:
                door = owner.doors[0]
            if owner.ajar and ajar is None:
                ajar = owner.ajar[0]
        return Found(None, door, ajar, self._files_of(number) if ajar and not door else ())

    def _files_of(self, number: int) -> tuple[int, ...]:
        """The files that the names of an owner and of all it inherits from are defined in."""
        files = {member.file for owner in self.chain(number) for member in owner.members.values()}
        return tuple(sorted(file for file in files if file >= 0))

    def instance_of(self, number: int) -> int | None:
        """The owner of a class's instances, its own or that of the nearest base."""
        for owner in self.chain(number):
            if owner.instance is not None:
                return owner.instance
        return None

    def find(self, root: int, path: list[tuple[str, bool]]) -> Found:
        """The member at the end of a path of (name, whether it is asked of instances alone)."""
        at: int | str = root
        found = Found(None, None)
        instance_only = False
        if root >= 0 and self.owner(root).options:
            return self._any_of(root, path)
        for index, (name, of_instance) in enumerate(path):
            if not isinstance(at, int):
                return Found(None, at)
            if at < 0:
                return Found(None)
            instance_only = instance_only or of_instance
            if name == "prototype" and not instance_only:
                inner = self.instance_of(at)
                if inner is not None and index + 1 == len(path) and self.look(at, name).member is None:
                    return Found(Member("property", name, None, -1, 0, 0, None, inner))
                if inner is not None and index + 1 < len(path):
                    of_prototype = self._step(inner, path[index + 1][0], instance_only=False)
                    return self._rest(of_prototype, path[index + 2 :])
            found = self._step(at, name, instance_only=instance_only)
            instance_only = False
            if found.member is None:
                return found
            at = found.member.value
            if isinstance(at, int) and at >= 0 and index + 1 < len(path) and self.owner(at).options:
                return self._any_of(at, path[index + 1 :])
        return found

    def _any_of(self, number: int, path: list[tuple[str, bool]]) -> Found:
        """A path on a value that is one of several: found on any, and denied only where all deny it."""
        door = next(iter(self.owner(number).doors), None)
        for option in self.owner(number).options:
            found = self.find(option, path)
            if found.member is not None:
                return found
            door = door or found.door
        return Found(None, door)

    def _rest(self, found: Found, path: list[tuple[str, bool]]) -> Found:
        if found.member is None or not path:
            return found
        value = found.member.value
        if not isinstance(value, int):
            return Found(None, value)
        return self.find(value, path) if value >= 0 else Found(None)

    def _step(self, at: int, name: str, *, instance_only: bool) -> Found:
        """A name on a value: on itself, and on its instances where it is a class."""
        instance = self.instance_of(at)
        if instance_only and instance is not None:
            return self.look(instance, name)
        own = self.look(at, name)
        if own.member is not None or instance is None:
            return own
        of_instances = self.look(instance, name)
        return of_instances._replace(door=own.door or of_instances.door)
