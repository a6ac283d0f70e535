"""What declared names mean: followed over scopes, imports, exports and what augments a module."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

from .typescript_scopes import Declaration, Import, TypeScope

if TYPE_CHECKING:
    from .javascript_graph import Owner
    from .typescript_files import TypeFiles

_DEPTH = 40


class Entity(NamedTuple):
    """A declared name with all its declarations."""

    name: str
    declarations: tuple[Declaration, ...]


class Module(NamedTuple):
    """A module as a value: `import * as`."""

    scope: TypeScope


class Names:
    """The declared names of all files read."""

    def __init__(self, files: TypeFiles) -> None:
        self.files = files
        self._globals: dict[str, list[Declaration]] = {}
        self._indexed: set[int] = set()
        self._augmentations: dict[tuple[int, int, int], list[TypeScope]] = {}

    def resolve(self, scope: TypeScope, name: str, depth: int = 0) -> Entity | Module | str:
        """What a name (or a dotted path of names) means in a scope; a text says why that is not known."""
        if depth > _DEPTH:
            return f"{name} leads in a circle"
        first, dot, rest = name.partition(".")
        found = self._resolve_one(scope, first.strip(), depth)
        for part in rest.split(".") if dot else ():
            if isinstance(found, str):
                return found
            found = self.inside(found, part.strip(), depth + 1) or f"{part} is not declared in {first}"
        return found

    def _resolve_one(self, scope: TypeScope, name: str, depth: int) -> Entity | Module | str:
        at: TypeScope | None = scope
        while at is not None:
            if name in at.names:
                return self._entity(at, name)
            if name in at.imports:
                return self._imported(at, at.imports[name], depth + 1)
            if at.ambient is not None:
                found = self._beside(at, at.ambient, name, depth)
                if found is not None:
                    return found
            at = at.parent
        declarations = self._global(name)
        return Entity(name, tuple(declarations)) if declarations else f"{name} is not declared in what was read"

    def _beside(self, scope: TypeScope, ambient: str, name: str, depth: int) -> Entity | Module | str | None:
        """A name in another block that declares the same module, or in the module that the blocks add to."""
        for other in self.files.ambient.get(ambient, ()):
            if name in other.names:
                return self._entity(other, name)
            if name in other.imports:
                return self._imported(other, other.imports[name], depth + 1)
        module = self._augmented(scope)
        if module is None:
            return None
        if name in module.names:
            return self._entity(module, name)
        return self.exported(module, name, depth + 1)

    def _augmented(self, scope: TypeScope) -> TypeScope | None:
        """The module that a `declare module` block in a module adds to; None where the block is the module itself."""
        if scope.ambient is None or scope.parent is None or not scope.parent.explicit:
            return None
        module = self.files.module(scope.ambient, scope.parent)
        return module if not isinstance(module, str) and module is not scope else None

    def _global(self, name: str) -> list[Declaration]:
        """All declarations of a global name, in whatever file."""
        for scope in self.files.globals[len(self._indexed) :]:
            self._indexed.add(id(scope))
            for each, declarations in scope.names.items():
                self._globals.setdefault(each, []).extend(declarations)
        return self._globals.get(name, [])

    def _entity(self, scope: TypeScope, name: str) -> Entity:
        declarations = scope.names[name]
        if len(self._indexed) < len(self.files.globals):
            self._global(name)
        if scope.parent is None and id(scope) in self._indexed:
            declarations = self._global(name)
        elif self.files.ambient:
            module = scope.parent if scope.parent is not None and scope.parent.equals is not None else scope
            target = self._augmented(scope) or module
            blocks = {id(each): each for each in (target, *self.augmentations(target)) if each is not scope}
            added = [each for block in blocks.values() for each in block.names.get(name, ())]
            declarations = [*declarations, *(each for each in added if each not in declarations)]
        return Entity(name, tuple(declarations))

    def _imported(self, scope: TypeScope, imported: Import, depth: int) -> Entity | Module | str:
        if imported.specifier is None:
            return self.resolve(scope, imported.name, depth + 1)
        module = self.files.module(imported.specifier, scope)
        if isinstance(module, str):
            return module
        if imported.name in ("*", "="):
            return self.whole(module, depth + 1)
        found = self.exported(module, imported.name, depth + 1)
        if found is None and imported.name == "default":
            return self.whole(module, depth + 1)
        return found or f"{imported.name} is not exported by {imported.specifier}"

    def whole(self, module: TypeScope, depth: int = 0) -> Entity | Module | str:
        """A module as a value: what it says it `export =`s, else its names."""
        if module.equals is not None:
            if module.equals.type in ("identifier", "member_expression", "nested_identifier"):
                return self.resolve(module, module.text(module.equals), depth + 1)
            return "an expression that is exported"
        return Module(module)

    def inside(self, found: Entity | Module, name: str, depth: int = 0) -> Entity | Module | str | None:
        """A name in a namespace, an enum or a module."""
        if isinstance(found, Module):
            return self.exported(found.scope, name, depth)
        for each in found.declarations:
            if each.inner is not None:
                inner = self.exported(each.inner, name, depth + 1)
                if inner is not None:
                    return inner
                if name in each.inner.names:
                    return self._entity(each.inner, name)
        return None

    def exported(
        self, module: TypeScope, name: str, depth: int = 0, seen: set[int] | None = None
    ) -> Entity | Module | str | None:
        """What a module exports under a name; None where nothing, a text where that is not known."""
        seen = set() if seen is None else seen
        if depth > _DEPTH or id(module) in seen:
            return None
        seen.add(id(module))
        if module.equals is not None:
            whole = self.whole(module, depth + 1)
            return self.inside(whole, name, depth + 1) if not isinstance(whole, str) else None
        local = module.exports.get(name)
        if isinstance(local, Import):
            return self._imported(module, local, depth + 1)
        if local is not None:
            return self._resolve_one(module, local, depth + 1)
        if not module.explicit and name in module.names:
            return self._entity(module, name)
        return self._starred(module, name, depth, seen)

    def _starred(self, module: TypeScope, name: str, depth: int, seen: set[int]) -> Entity | Module | str | None:
        if name == "default":
            return None
        for specifier in module.stars:
            other = self.files.module(specifier, module)
            if not isinstance(other, str):
                found = self.exported(other, name, depth + 1, seen)
                if found is not None:
                    return found
        for scope in self.augmentations(module):
            if scope is not module and (name in scope.names or name in scope.exports):
                return self.exported(scope, name, depth + 1, seen)
        return None

    def augmentations(self, module: TypeScope) -> list[TypeScope]:
        """The `declare module` blocks that add names to a module."""
        key = (id(module), len(self.files.ambient), len(self.files.read))
        if key not in self._augmentations:
            self._augmentations[key] = self._augmenting(module)
        return self._augmentations[key]

    def _augmenting(self, module: TypeScope) -> list[TypeScope]:
        found = []
        for scopes in list(self.files.ambient.values()):
            for scope in list(scopes):
                if scope is module:
                    found.extend(scopes)
                elif self._augmented(scope) is module:
                    found.append(scope)
        return found

    def all_names(self, module: TypeScope, owner: Owner | None = None, seen: set[int] | None = None) -> dict[str, None]:
        """Every name a module exports; stars that lead nowhere open a door on `owner`."""
        seen = set() if seen is None else seen
        if id(module) in seen:
            return {}
        seen.add(id(module))
        names = dict.fromkeys(module.exported())
        for specifier in module.stars:
            other = self.files.module(specifier, module)
            if isinstance(other, str):
                if owner is not None:
                    owner.open(f"it exports all of {specifier}: {other}")
                continue
            inner = self.all_names(other, owner, seen)
            inner.pop("default", None)
            names |= inner
        for scope in self.augmentations(module):
            names |= dict.fromkeys(scope.exported())
        return names
