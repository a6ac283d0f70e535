"""The objects that evaluating made, turned into owners and members."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING
from briefkit.text import one_line

from .javascript_graph import CLOSED, Graph, Member, Owner
from .javascript_parsing import is_minified
from .javascript_realm import CutShortError, Realm, ThrownError, deep_calls
from .javascript_texts import documentation, header, lines_of
from .javascript_values import Obj, Prop, Site, Sym, Union, Unknown, Value

if TYPE_CHECKING:
    from .javascript_parsing import Source
    from .javascript_realm import Scope

OWNERS_LIMIT = 30_000
_DEPTH_LIMIT = 7
_OF_FUNCTIONS = ("name", "length", "arguments", "caller")
_THIS_FIELD = re.compile(rb"\b(?:this|self|that|_this)\.([A-Za-z_$][\w$]*)\s*(?:=(?![=>])|\|\|=|\?\?=)")
_THIS_DEFINED = re.compile(rb"\bdefineProperty\(\s*this\s*,\s*['\"]([\w$]+)['\"]")
_THIS_KEYED = re.compile(rb"\bthis\[(?!\s*['\"\d])([^\]\n]{1,80})\]\s*=(?!=)")
_PACKED = re.compile(r"\.min\.|[.-]prod(?:uction)?\.")
_NEW = re.compile(r"=\s*new\s+([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){0,3})\s*\(")
_THIS_DOORS = (
    (re.compile(rb"\bObject\.assign\(\s*this\s*,"), "instances take in the properties of another object"),
    (re.compile(rb"\bnew Proxy\(\s*this\b"), "instances are wrapped in a Proxy"),
    (re.compile(rb"\bdefineProperty\(\s*this\s*,(?!\s*['\"])"), "names are defined on instances by computation"),
)


def _is_packed(value: Value) -> bool:
    """Whether a module's exports come from a file that is made for machines."""
    if type(value) is not Obj:
        return False
    places = (prop.site.source for prop in value.props.values() if prop.site is not None)
    source = next(places, None)
    return source is not None and (_PACKED.search(source.path) is not None or is_minified(source.data))


class Files:
    """The paths of files, numbered in the order in which they are first named."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._places: dict[str, int] = {}

    def number(self, path: str) -> int:
        """The number of a path."""
        place = self._places.get(path)
        if place is None:
            place = self._places[path] = len(self.paths)
            self.paths.append(path)
        return place


class Owners:
    """Makes owners of objects, each object once."""

    def __init__(self, graph: Graph, realm: Realm, files: Files) -> None:
        self.graph = graph
        self.realm = realm
        self.files = files
        self._made: dict[int, int] = {}
        self._kept: list[Value] = []
        self._scopes: dict[int, Scope] = {}

    def root(self, value: Value) -> int | str:
        """The owner of what a module exports, with all that is reached from it."""
        return self._value(value, 0)

    def _value(self, value: Value, depth: int) -> int | str:
        """The owner of a value's members, `CLOSED`, or why they are not known."""
        if type(value) is Unknown:
            return value.reason
        if type(value) is Union:
            return self._union(value, depth)
        if type(value) is not Obj:
            proto = self._proto_of(value)
            return CLOSED if proto is None else self._object(proto, depth)
        return self._object(value, depth)

    def _proto_of(self, value: Value) -> Obj | None:
        """Where a text or a number has its names from; None for what has none that matter."""
        if type(value) is str:
            return self.realm.string_proto
        return self.realm.number_proto if type(value) in (int, float) else None

    def _union(self, value: Union, depth: int) -> int | str:
        number, owner = self.graph.new()
        self._kept.append(value)
        # Of a build for production and one to read, the one to read is cited.
        for option in sorted(value.options, key=_is_packed):
            inner = self._value(option, depth)
            if isinstance(inner, str):
                owner.open(inner)
            elif inner >= 0:
                owner.options.append(inner)
        return number

    def _object(self, value: Obj, depth: int) -> int | str:
        known = self._made.get(id(value))
        if known is not None:
            return known
        if depth > _DEPTH_LIMIT or len(self._made) > OWNERS_LIMIT:
            return "members nested deeper than the table goes"
        number, _ = self.graph.new(value.name, lambda owner: self._filled(value, owner, depth))
        self._made[id(value)] = number
        self._kept.append(value)
        return number

    def _filled(self, value: Obj, owner: Owner, depth: int) -> None:
        with deep_calls():
            self._fill(value, owner, depth)

    def _fill(self, value: Obj, owner: Owner, depth: int) -> None:
        for door in value.doors:
            owner.open(door)
        if value.proto is not None:
            parent = self._object(value.proto, depth)
            if isinstance(parent, int):
                owner.parents.append(parent)
        is_class = value.kind == "class" or (value.callable() and self._has_members(value))
        for name, prop in list(value.props.items()):
            if name == "prototype" and value.callable():
                continue
            owner.members[name] = self._member(name, prop, value, depth, of_class=is_class)
        if value is self.realm.function_proto:
            for name in _OF_FUNCTIONS:
                owner.members.setdefault(name, Member("property", name, None, -1, 0, 0, None, CLOSED))
        if value.callable():
            self._instances(value, owner, depth)

    @staticmethod
    def _has_members(value: Obj) -> bool:
        prop = value.props.get("prototype")
        return prop is not None and type(prop.value) is Obj and len(prop.value.props) > 1

    def _instances(self, value: Obj, owner: Owner, depth: int) -> None:
        proto = self.realm.get(value, "prototype")
        if type(proto) is not Obj:
            if type(proto) is Unknown:
                number, inner = self.graph.new()
                inner.open(proto.reason)
                owner.instance = number
            return
        inner_number = self._object(proto, depth)
        if not isinstance(inner_number, int):
            return
        owner.instance = inner_number
        self._own_fields(value, proto, self.graph.owner(inner_number))

    # instances -------------------------------------------------------------------------------------------------------

    def _own_fields(self, value: Obj, proto: Obj, owner: Owner) -> None:
        """Names that the class's own code sets on `this`, and the doors that it opens there."""
        if value.code is None:
            return
        self._scopes[id(owner)] = value.code.scope
        for place in self._codes(value, proto):
            self._scan(place, owner)
        for key, _, site in value.code.fields:
            name = key(value.code.scope)
            if type(name) is str and name not in owner.members:
                text = site.source.text(site.node)
                value_of = self._new_value(text, value.code.scope) if "=" in text else "the value of a field"
                owner.members[name] = self._described(name, site, "property", value_of)

    def _codes(self, value: Obj, proto: Obj) -> list[Site]:
        if value.kind == "class":
            return [value.site] if value.site is not None else []
        methods = [prop.value for prop in proto.props.values() if type(prop.value) is Obj and prop.value is not value]
        return [each.site for each in (value, *methods) if each.code is not None and each.site is not None]

    def _scan(self, place: Site, owner: Owner) -> None:
        source, node = place.source, place.node
        data = source.data[node.start_byte : node.end_byte]
        for pattern in (_THIS_FIELD, _THIS_DEFINED):
            for found in pattern.finditer(data):
                name = found[1].decode("ascii", "replace")
                if name not in owner.members:
                    owner.members[name] = self._field(
                        source, node.start_byte + found.start(), name, self._scopes.get(id(owner))
                    )
        for found in _THIS_KEYED.finditer(data):
            self._keyed(place, owner, found)
        for pattern, door in _THIS_DOORS:
            match = pattern.search(data)
            if match is not None:
                owner.set_ajar(f"{door} at {source.path}:{source.line_of(node.start_byte + match.start())}")

    def _keyed(self, place: Site, owner: Owner, found: re.Match[bytes]) -> None:
        """`this[key] = …`: no door where the key is a symbol, a field where it is a known text."""
        offset = place.node.start_byte + found.start()
        key = found[1].decode("utf-8", "replace").strip()
        value = self._scopes[id(owner)].lookup(key) if id(owner) in self._scopes else None
        if type(value) is Sym or key.startswith("Symbol"):
            return
        if type(value) is str:
            owner.members.setdefault(value, self._field(place.source, offset, value, None))
            return
        owner.set_ajar(
            f"names are set on instances by computation at {place.source.path}:{place.source.line_of(offset)}"
        )

    def _field(self, source: Source, offset: int, name: str, scope: Scope | None) -> Member:
        line = source.line_of(offset)
        end = source.data.find(b"\n", offset)
        shown = source.data[offset : end if end >= 0 else offset + 120][:160].decode("utf-8", "replace")
        signature = one_line(shown.rstrip(" ;{"), 160) or name
        value = self._new_value(shown, scope)
        return Member("property", signature, None, self.files.number(source.path), line, line, None, value)

    def _new_value(self, text: str, scope: Scope | None) -> int | str:
        """The owner of what `this.x = new Name(…)` sets: instances of a class that the class's scope names."""
        found = _NEW.search(text)
        if found is None or scope is None:
            return "the value of a field"
        name = found[1]
        return self.graph.new("", lambda owner: self._fill_new(owner, name, scope))[0]

    def _fill_new(self, owner: Owner, name: str, scope: Scope) -> None:
        first, *rest = name.split(".")
        with deep_calls():
            value = scope.lookup(first)
            for part in rest:
                value = self.realm.get(value, part)
        inner = self._value(value, 0) if type(value) is Obj else -1
        instance = self.graph.instance_of(inner) if isinstance(inner, int) and inner >= 0 else None
        if instance is None:
            owner.open(f"{name} is no class that is understood")
        else:
            owner.parents.append(instance)

    # members ---------------------------------------------------------------------------------------------------------

    def _member(self, name: str, prop: Prop, holder: Obj, depth: int, *, of_class: bool) -> Member:
        value = self._read(prop, holder)
        of_class = of_class or (holder.site is not None and "constructor" in holder.props)
        kind = self._kind(value, prop, of_class=of_class)
        owner = self._value(value, depth + 1)
        site = prop.site
        if type(value) is Obj and value.site is not None and (value.callable() or prop.getter is not None):
            # What a getter gives is defined where it is made, not where a compiler exports it.
            site = value.site if prop.getter is not None else self._better(prop.site, value.site)
        return self._described(name, site or (value.site if type(value) is Obj else None), kind, owner)

    @staticmethod
    def _better(where: Site | None, value: Site) -> Site:
        """The definition of the function itself, unless the assignment holds its text."""
        if where is None or where.source is not value.source:
            return value
        inside = where.node.start_byte <= value.node.start_byte and value.node.end_byte <= where.node.end_byte
        return where if inside and where.node.end_byte - value.node.end_byte < 4 else value

    def _read(self, prop: Prop, holder: Obj) -> Value:
        self.realm.begin_statement()
        try:
            return self.realm.read(prop, holder)
        except ThrownError:
            return Unknown("a getter that throws")
        except (CutShortError, RecursionError):
            return Unknown("a value that takes too much work")

    def _kind(self, value: Value, prop: Prop, *, of_class: bool) -> str:
        if type(value) is Union:
            value = next((option for option in value.options if type(option) is Obj), value)
        if type(value) is Obj:
            if value.kind == "class" or (value.callable() and self._has_members(value)):
                return "class"
            if value.callable():
                return "method" if of_class else "function"
            if value.kind == "object" and value.props and not of_class:
                return "namespace"
        if of_class or prop.getter is not None:
            return "property"
        return "constant"

    @staticmethod
    def _signature(name: str, site: Site) -> str:
        """The definition's header; with the name before it where it is given by computation."""
        text = header(site.source, site.node)
        return text if name in text else f"{name}: {text}" if text else name

    def _described(self, name: str, site: Site | None, kind: str, value: int | str) -> Member:
        if site is None:
            return Member(kind, name, None, -1, 0, 0, None, value)
        text = documentation(site.source, site.node)
        line, end_line = lines_of(site.node)
        return Member(
            kind,
            self._signature(name, site),
            text.summary,
            self.files.number(site.source.path),
            line,
            end_line,
            text.deprecated,
            value,
        )
