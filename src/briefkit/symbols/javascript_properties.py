"""Names of objects copied, listed and spread, as far as they are known."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_values import Obj, Prop, Union, Unknown, Value, is_nullish

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .javascript_realm import Realm


def name_function(value: Value, name: Value) -> None:
    """Give a function without a name that of what it is assigned to."""
    if type(value) is Obj and value.code is not None and not value.name and type(name) is str:
        value.name = name


def spread_into(realm: Realm, made: Obj, value: Value, where: str) -> None:
    """Copy the enumerable own properties of a value into an object, as `…` and `Object.assign` do."""
    if type(value) is Union:
        for option in value.options:
            if not is_nullish(option):
                spread_into(realm, made, option, where)
        return
    if type(value) is Unknown:
        made.open(f"it takes in what is not known at {where} ({value.reason})")
        return
    if type(value) is Obj:
        copy_properties(realm, made, value)


def copy_properties(realm: Realm, made: Obj, value: Obj) -> None:
    """Copy what `Object.assign` copies, getters read, doors and all."""
    for name, prop in list(value.props.items()):
        if prop.enumerable:
            realm.step()
            made.props[name] = Prop(realm.read(prop, value), prop.site)
    for key, prop in value.symbols.items():
        made.symbols[key] = prop
    for door in value.doors:
        made.open(door)


def own_names(value: Value) -> list[str] | None:
    """The own names of a value, of all that it may be; None where they are not known."""
    if type(value) is Union:
        each = [own_names(option) for option in value.options if not is_nullish(option)]
        return None if None in each else list(dict.fromkeys(name for names in each for name in names or ()))
    if type(value) is not Obj or value.doors:
        return None
    if value.kind == "array" and value.items is not None:
        return [str(index) for index in range(len(value.items))]
    return list(value.props)


def elements(value: Value) -> Iterable[Value] | None:
    """What iterating a value gives; None where that is not known."""
    if type(value) is Obj and value.items is not None:
        if value.kind == "array":
            return list(value.items)
        if value.kind == "set":
            return list(value.items.values())
        if value.kind == "map":
            return list(value.items.entries)
    if type(value) is str:
        return list(value)
    return None


def keys_of(value: Value) -> Iterable[Value] | None:
    """The names that `for … in` gives; None where they are not known."""
    if type(value) is Union:
        return own_names(value)
    if type(value) is not Obj:
        return None if type(value) is Unknown else []
    if value.kind == "array" and value.items is not None:
        return [str(index) for index in range(len(value.items))]
    if value.opened() is not None:
        return None
    return [name for each in value.chain() for name, prop in list(each.props.items()) if prop.enumerable]
