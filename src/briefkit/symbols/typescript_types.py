"""What declared names offer: owners made of entities when they are asked for."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_graph import CLOSED, Graph, Member, Owner
from .javascript_texts import header, lines_of, of_comment
from .typescript_members import Members
from .typescript_names import Entity, Module, Names

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_owners import Files
    from .typescript_files import TypeFiles
    from .typescript_scopes import Declaration, TypeScope

_ORDER = {
    "class_declaration": 0,
    "abstract_class_declaration": 0,
    "function_signature": 1,
    "function_declaration": 1,
    "generator_function_declaration": 1,
    "variable_declarator": 2,
    "enum_declaration": 3,
    "internal_module": 5,
    "module": 5,
    "interface_declaration": 4,
    "type_alias_declaration": 6,
}
_KINDS = {
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "internal_module": "namespace",
    "module": "namespace",
    "variable_declarator": "constant",
    "function_signature": "function",
    "function_declaration": "function",
    "generator_function_declaration": "function",
}


class World:
    """The declared names of all files read, and the owners made of them."""

    def __init__(self, files: TypeFiles, graph: Graph, paths: Files) -> None:
        self.files = files
        self.names = Names(files)
        self.graph = graph
        self.paths = paths
        self.members = Members(self)
        self._owners: dict[object, int] = {}
        self._instances: dict[object, int] = {}

    # owners ------------------------------------------------------------------------------------------------------------

    def root(self, scope: TypeScope) -> int | str:
        """The owner of what a module declares to export; a file that is no module declares global names and modules of others."""
        if not scope.explicit and scope.parent is None:
            return self.graph.new("", self._fill_globals)[0]
        found = self.names.whole(scope)
        return found if isinstance(found, str) else self.value_of(found)

    def read_whole(self, scope: TypeScope) -> int:
        """Read every declaration of a scope with its members; how many names that are."""
        count = 0
        for name, declarations in scope.names.items():
            entity = Entity(name, tuple(declarations))
            self.member(name, entity)
            owner = self.graph.owner(self.value_of(entity))
            count += 1 + len(owner.members)
            if owner.instance is not None:
                count += len(self.graph.owner(owner.instance).members)
            count += sum(
                self.read_whole(inner)
                for inner in {id(each.inner): each.inner for each in declarations}.values()
                if inner
            )
        return count

    def value_of(self, found: Entity | Module) -> int:
        """The owner of an entity as a value: a class's statics, a namespace's names, a variable's members."""
        key = ("module", id(found.scope)) if isinstance(found, Module) else self._key(found)
        number = self._owners.get(key)
        if number is None:
            if isinstance(found, Module):
                scope = found.scope
                number, _ = self.graph.new("", lambda owner: self._fill_module(scope, owner))
            else:
                entity = found
                number, _ = self.graph.new(found.name, lambda owner: self._fill_entity(entity, owner))
            self._owners[key] = number
        return number

    @staticmethod
    def _key(entity: Entity) -> object:
        first = entity.declarations[0]
        return (first.scope.source.path, first.node.start_byte, entity.name)

    def instance_of(self, entity: Entity) -> int:
        """The owner of an entity as a type: a class's instances, an interface, what an alias stands for."""
        key = self._key(entity)
        number = self._instances.get(key)
        if number is None:
            number, _ = self.graph.new(entity.name, lambda owner: self._fill_instance(entity, owner))
            self._instances[key] = number
        return number

    def _fill_module(self, scope: TypeScope, owner: Owner) -> None:
        for name in self.names.all_names(scope, owner):
            found = self.names.exported(scope, name)
            if found is not None:
                owner.members[name] = self.member(name, found)

    def _fill_globals(self, owner: Owner) -> None:
        for scope in list(self.files.globals):
            for name in scope.names:
                if name not in owner.members:
                    found = self.names.resolve(scope, name)
                    owner.members[name] = self.member(name, found)
        for name, scopes in list(self.files.ambient.items()):
            made = self.member(name, Module(scopes[0]))
            owner.members.setdefault(name, made._replace(kind="module"))

    def _fill_entity(self, entity: Entity, owner: Owner) -> None:
        for each in entity.declarations:
            fill = _FILLS.get(each.node.type)
            if fill is not None:
                fill(self, each, owner, entity)

    def _fill_class(self, each: Declaration, owner: Owner, entity: Entity) -> None:
        owner.instance = self.instance_of(entity)
        self.members.of_class(each, owner, static=True)
        for base in self.members.bases(each, values=True):
            owner.parents.append(base)
        owner.parents.append(self.members.shapes.builtin("Function"))

    def _fill_type(self, each: Declaration, owner: Owner, entity: Entity) -> None:
        del each
        owner.instance = self.instance_of(entity)

    def _fill_function(self, each: Declaration, owner: Owner, entity: Entity) -> None:
        del each, entity
        owner.parents.append(self.members.shapes.builtin("Function"))

    def _fill_variable(self, each: Declaration, owner: Owner, entity: Entity) -> None:
        del entity
        self.members.shapes.adopt(owner, self.members.shapes.of_variable(each))

    def _fill_enum(self, each: Declaration, owner: Owner, entity: Entity) -> None:
        del entity
        body = each.node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            name = child.child_by_field_name("name") or child
            if child.type != "comment":
                shown = self.members.name_of(each.scope, name)
                if shown:
                    owner.members[shown] = self.described("constant", each.scope, child, CLOSED)

    def _fill_namespace(self, each: Declaration, owner: Owner, entity: Entity) -> None:
        del entity
        assert each.inner is not None
        for name in self.names.all_names(each.inner, owner):
            found = self.names.exported(each.inner, name)
            if found is not None and name not in owner.members:
                owner.members[name] = self.member(name, found)

    def _fill_instance(self, entity: Entity, owner: Owner) -> None:
        for each in entity.declarations:
            kind = each.node.type
            if kind in ("class_declaration", "abstract_class_declaration"):
                self.members.of_class(each, owner, static=False)
                owner.parents.extend(self.members.bases(each, values=False))
            elif kind == "interface_declaration":
                body = each.node.child_by_field_name("body")
                if body is not None:
                    self.members.of_body(each.scope, body, owner)
                owner.parents.extend(self.members.bases(each, values=False))
            elif kind == "type_alias_declaration":
                self.members.shapes.adopt(
                    owner, self.members.shapes.of_type(each.scope, each.node.child_by_field_name("value"))
                )
        owner.parents.append(self.members.shapes.builtin("Object"))

    # members -----------------------------------------------------------------------------------------------------------

    def member(self, name: str, found: Entity | Module | str) -> Member:
        """An exported name as a member."""
        if isinstance(found, str):
            return Member("constant", name, None, -1, 0, 0, None, found)
        if isinstance(found, Module):
            shown = self.paths.number(found.scope.source.path)
            return Member("namespace", name, None, shown, 1, found.scope.source.lines, None, self.value_of(found))
        ordered = sorted(found.declarations, key=lambda each: _ORDER.get(each.node.type, 9))
        first = ordered[0]
        kind = _KINDS.get(first.node.type, "constant")
        if kind == "constant" and self.members.is_called(first.node):
            kind = "function"
        made = self.described(kind, first.scope, first.node, self.value_of(found), first.comment)
        same = [each for each in ordered[1:] if each.node.type == first.node.type and kind == "function"]
        if same:
            made = made._replace(
                overloads=tuple(
                    (
                        header(each.scope.source, each.node),
                        each.node.start_point[0] + 1,
                        each.node.end_point[0] + 1,
                    )
                    for each in same[:12]
                )
            )
        return made

    def described(
        self, kind: str, scope: TypeScope, node: Node, value: int | str, comment: Node | None = None
    ) -> Member:
        """A member with its signature, what the comment before it says, and its lines."""
        text = of_comment(scope.source, comment, node)
        line, end_line = lines_of(node)
        signature = header(scope.source, node)
        if node.type == "variable_declarator":
            signature = f"const {signature}"
        return Member(
            kind,
            signature,
            text.summary,
            self.paths.number(scope.source.path),
            line,
            end_line,
            text.deprecated,
            value,
        )


_FILLS = {
    "class_declaration": World._fill_class,  # noqa: SLF001 (the class's own table)
    "abstract_class_declaration": World._fill_class,  # noqa: SLF001
    "interface_declaration": World._fill_type,  # noqa: SLF001
    "type_alias_declaration": World._fill_type,  # noqa: SLF001
    "function_signature": World._fill_function,  # noqa: SLF001
    "function_declaration": World._fill_function,  # noqa: SLF001
    "generator_function_declaration": World._fill_function,  # noqa: SLF001
    "variable_declarator": World._fill_variable,  # noqa: SLF001
    "enum_declaration": World._fill_enum,  # noqa: SLF001
    "internal_module": World._fill_namespace,  # noqa: SLF001
    "module": World._fill_namespace,  # noqa: SLF001
}
