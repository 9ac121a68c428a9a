"""Types of aggregates in a file: vectors, arrays and structs, and what is known of an expression's type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.dataflow.function import first_child, text_of
from hipport.translate.syntax.conditions import integer
from hipport.translate.syntax.unit import Node, Unit

_SCALARS = ("char", "short", "int", "long", "longlong", "uchar", "ushort", "uint", "ulong", "ulonglong")
_WIDTHS = {f"{name}{width}": width for name in (*_SCALARS, "float", "double") for width in range(1, 5)}
VECTOR_TYPES = frozenset(_WIDTHS)
COMPLEX_TYPES = {
    **dict.fromkeys(("cuComplex", "cuFloatComplex", "cufftComplex"), "float2"),
    **dict.fromkeys(("cuDoubleComplex", "cufftDoubleComplex"), "double2"),
}
"""CUDA's complex numbers, with the vector types that they are."""
VECTOR_WORDS = (
    VECTOR_TYPES
    | {f"make_{name}" for name in (*VECTOR_TYPES, *COMPLEX_TYPES)}
    | frozenset(COMPLEX_TYPES)
    | {"__half22float2", "__bfloat1622float2"}
)
"""Names of vectors, and of functions that return them: a source that has none of them seldom handles vectors."""
_NUMBERS = re.compile(
    r"(?:(?:unsigned|signed|long|short|int|char|float|double|bool)\b\s*)+|u?int(?:8|16|32|64)_t|size_t|ptrdiff_t|uint"
    r"|uchar|ushort|ulong|half|__half|(?:__)?nv_bfloat16"
)
_QUALIFIERS = re.compile(r"\b(?:const|constexpr|struct|volatile|static|typename)\b|^\s*::")
_FUNCTIONS = re.compile(
    r"__\w+|(?:std::)?(?:f?abs|sqrt|rsqrt|cbrt|exp|exp2|log|log2|log10|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh"
    r"|pow|fmod|floor|ceil|round|trunc|rint|fmin|fmax|fma|min|max|hypot|erf|clamp|saturate|__saturatef|rand)f?"
)
_MACRO_NUMBER = re.compile(r"[\s(+-]*(?:\d|\.\d)[\w.+-]*[\s)]*")
_CONTAINER = re.compile(r"(?:(?:std|thrust|cuda::std)::)?(array|vector|initializer_list)<(\w+)(?:,(\w+))?>")
_NAMES = ("identifier", "field_identifier", "qualified_identifier", "template_function", "template_type")
_TYPEDEF = re.compile(r"typedef(?<!\wtypedef)\s+([\w: ]+?)\s+(\w+)\s*;")
_USING = re.compile(r"using(?<!\wusing)\s+(\w+)\s*=\s*([\w: ]+?)\s*;")
_DEEPEST = 16


class Kind(Struct, frozen=True):
    """A type: its name, empty if it is not known; the members of a struct; whether it is a number or pointer."""

    name: str = ""
    members: tuple[tuple[str, Kind], ...] = ()
    element: Kind | None = None
    length: int | None = None
    """The length of an array of `element`; None for `[]` and where it is not a literal."""
    scalar: bool = False

    @property
    def width(self) -> int:
        """The number of components of a vector type, otherwise 0."""
        return _WIDTHS.get(self.name, 0)

    @property
    def known(self) -> bool:
        return bool(self.name or self.element or self.scalar)


UNKNOWN = Kind()
SCALAR = Kind(scalar=True)


class Aggregates(Struct, frozen=True, dict=True):
    """The types that a file declares, by name."""

    unit: Unit

    @cached_property
    def _typedefs(self) -> Mapping[str, str]:
        code = self.unit.code
        found = {match[2]: match[1] for match in _TYPEDEF.finditer(code)}
        return found | {match[1]: match[2] for match in _USING.finditer(code)}

    @cached_property
    def _nodes(self) -> Mapping[str, list[Node]]:
        """Nodes of the tree that declare something, by type."""
        wanted = ("struct_specifier", "class_specifier", "function_definition", "declaration", "field_declaration")
        found: dict[str, list[Node]] = {kind: [] for kind in (*wanted, "enumerator")}
        for node in self.unit.all_of(*found):
            found[node.type].append(node)
        return found

    @cached_property
    def _structs(self) -> Mapping[str, Node]:
        found = {}
        for node in self._nodes["struct_specifier"] + self._nodes["class_specifier"]:
            name = node.child_by_field_name("name")
            around = self.unit.parent(node)
            if name is None and around is not None and around.type == "type_definition":
                name = around.child_by_field_name("declarator")
            if name is not None and node.child_by_field_name("body") is not None:
                found[text_of(name)] = node
        return found

    @cached_property
    def _enumerators(self) -> frozenset[str]:
        return frozenset(text_of(node.child_by_field_name("name")) for node in self._nodes["enumerator"])

    @cached_property
    def _globals(self) -> Mapping[str, Kind]:
        """Variables outside functions, and members of structs with a type that all structs agree on."""
        found: dict[str, Kind] = {}
        for node in self._nodes["field_declaration"] + self._nodes["declaration"]:
            for name, kind in self.declared(node):
                found[name] = kind if found.get(name, kind) == kind else UNKNOWN
        return found

    @cached_property
    def functions(self) -> Mapping[str, list[Node]]:
        """The declarators of the file's functions, by name."""
        found: dict[str, list[Node]] = {}
        for node in self._nodes["function_definition"] + self._nodes["declaration"]:
            declarator = _function_declarator(node)
            if declarator is not None:
                found.setdefault(text_of(declarator.child_by_field_name("declarator")), []).append(node)
        return found

    @cached_property
    def _declared(self) -> dict[tuple[int, int], tuple[tuple[str, Kind], ...]]:
        return {}

    @cached_property
    def _named(self) -> dict[tuple[str, int], Kind]:
        return {}

    def named(self, text: str, depth: int = 0) -> Kind:
        """Return the type that a name means in this file."""
        key = text, depth
        if key not in self._named:
            self._named[key] = self._find(text, depth)
        return self._named[key]

    def _find(self, text: str, depth: int) -> Kind:
        name = " ".join(_QUALIFIERS.sub(" ", text).split())
        if name in VECTOR_TYPES and name not in self._structs:
            return Kind(name)
        if name in COMPLEX_TYPES and name not in self._structs:
            return Kind(COMPLEX_TYPES[name])
        if _NUMBERS.fullmatch(name):
            return SCALAR
        container = _CONTAINER.fullmatch(name.replace(" ", ""))
        if container is not None and container[2] in VECTOR_TYPES:
            length = integer(container[3] or "")
            elements = Kind(element=Kind(container[2]), length=length)
            return Kind(name, (("", elements),)) if container[1] == "array" else elements
        if name in self._typedefs and depth < _DEEPEST:
            return self.named(self._typedefs[name], depth + 1)
        node = self._structs.get(name) if depth < _DEEPEST else None
        return UNKNOWN if node is None else self._struct(name, node, depth)

    def _struct(self, name: str, node: Node, depth: int) -> Kind:
        """Return an aggregate; a type that is none, such as one with constructors or a base, has no members."""
        body = node.child_by_field_name("body")
        members: list[tuple[str, Kind]] = []
        if body is None or any(child.type == "base_class_clause" for child in node.named_children):
            return Kind(name)
        for child in body.named_children:
            declarator = _function_declarator(child)
            if declarator is not None and text_of(declarator.child_by_field_name("declarator")) == name:
                return Kind(name)
            if child.type == "field_declaration" and declarator is None and not _is_static(child):
                found = self.declared(child, depth + 1)
                if not found or any(each.type == "bitfield_clause" for each in child.named_children):
                    return Kind(name)
                members += found
        return Kind(name, tuple(members))

    def declared(self, node: Node, depth: int = 0) -> Sequence[tuple[str, Kind]]:
        """Return the names that a declaration declares, with their types."""
        key = node.id, depth
        if key not in self._declared:
            found = (self.declarator(node, each, depth) for each in node.children_by_field_name("declarator"))
            self._declared[key] = tuple((name, kind) for name, kind in found if name)
        return self._declared[key]

    def declarator(self, node: Node, declarator: Node, depth: int = 0) -> tuple[str, Kind]:
        """Return the name and the type that one declarator of a declaration declares."""
        kind = self.named(text_of(node.child_by_field_name("type")), depth)
        sizes: list[int | None] = []
        current: Node | None = declarator
        pointer = False
        while current is not None and current.type not in _NAMES:
            if current.type == "array_declarator":
                sizes.insert(0, _number(current.child_by_field_name("size")))
            elif current.type == "pointer_declarator":
                pointer = True
            elif current.type not in ("init_declarator", "reference_declarator", "parenthesized_declarator"):
                return "", UNKNOWN
            inner = current.child_by_field_name("declarator")
            current = inner or (current.named_child(0) if current.named_child_count else None)
        for size in reversed(sizes):
            kind = Kind(element=kind, length=size)
        return text_of(current), Kind(element=kind, scalar=True) if pointer else kind

    def returned(self, node: Node) -> Kind:
        """Return the type that a function or lambda returns; unknown for pointers and references."""
        declarator = _function_declarator(node) or node.child_by_field_name("declarator")
        if declarator is None:
            return UNKNOWN
        for child in declarator.named_children:
            if child.type == "trailing_return_type":
                return self.named(text_of(child).removeprefix("->"))
        direct = node.child_by_field_name("declarator")
        if node.type == "lambda_expression" or direct is None or direct.type != "function_declarator":
            return UNKNOWN
        return self.named(text_of(node.child_by_field_name("type")))

    def of(self, node: Node | None, depth: int = 0) -> Kind:
        """Return the type of an expression, unknown where the file does not show it."""
        if node is None or depth > _DEEPEST:
            return UNKNOWN
        text = text_of(node)
        if node.type in ("number_literal", "char_literal", "true", "false", "string_literal", "sizeof_expression"):
            return SCALAR
        if node.type in ("parenthesized_expression", "unary_expression", "update_expression"):
            return self.of(node.child_by_field_name("argument") or first_child(node), depth + 1)
        if node.type == "binary_expression":
            return self._of_operands(node, depth)
        if node.type in ("cast_expression", "compound_literal_expression"):
            return self._cast(text_of(node.child_by_field_name("type")))
        if node.type == "conditional_expression":
            kinds = {self.of(node.child_by_field_name(name), depth + 1) for name in ("consequence", "alternative")}
            return kinds.pop() if len(kinds) == 1 else UNKNOWN
        if node.type == "field_expression":
            field = text_of(node.child_by_field_name("field"))
            return SCALAR if field in (*"xyzw",) else self._globals.get(field, UNKNOWN)
        if node.type == "call_expression":
            return self._called(text_of(node.child_by_field_name("function")))
        if node.type in ("subscript_expression", "pointer_expression"):
            base = self.of(node.child_by_field_name("argument"), depth + 1)
            return SCALAR if text.startswith("&") else base.element or UNKNOWN
        return self._identifier(node, text) if node.type == "identifier" else UNKNOWN

    def _of_operands(self, node: Node, depth: int) -> Kind:
        operator = text_of(node.child_by_field_name("operator"))
        kinds = {self.of(node.child_by_field_name(name), depth + 1) for name in ("left", "right")}
        if operator in ("==", "!=", "<", ">", "<=", ">=", "&&", "||") or all(kind.scalar for kind in kinds):
            return SCALAR
        return next((kind for kind in kinds if kind.width), UNKNOWN)

    def _called(self, name: str) -> Kind:
        kind = self.named(name.removeprefix("make_"))
        if kind.known:
            return kind
        if name in self.functions:
            kinds = {self.returned(node) for node in self.functions[name]}
            return kinds.pop() if len(kinds) == 1 else UNKNOWN
        cast = re.match(r"(?:static|reinterpret|const)_cast\s*<(.*)>\Z", name)
        if cast is not None:
            return self._cast(cast[1])
        return SCALAR if _FUNCTIONS.fullmatch(name) else UNKNOWN

    def _cast(self, text: str) -> Kind:
        pointed = text.strip().removesuffix("*")
        return Kind(element=self.named(pointed), scalar=True) if "*" in text else self.named(text)

    def variable(self, node: Node | None, name: str) -> str:
        """Return the type that the innermost declaration of a variable names; empty for pointers and arrays."""
        around = node
        while around is not None and node is not None:
            for child in self._declarations(around):
                for declarator in child.children_by_field_name("declarator"):
                    if child.start_byte < node.start_byte and self.declarator(child, declarator)[0] == name:
                        kind = self.declarator(child, declarator)[1]
                        return "" if kind.element else text_of(child.child_by_field_name("type"))
            around = self.unit.parent(around)
        return ""

    def parameter(self, function: Node, index: int) -> str:
        """Return the type that a parameter of a function names; empty for a pointer."""
        listed = parameters(function)
        if index >= len(listed):
            return ""
        declarator = listed[index].child_by_field_name("declarator")
        pointer = declarator is not None and "*" in text_of(declarator)
        return "" if pointer else text_of(listed[index].child_by_field_name("type"))

    def _identifier(self, node: Node, name: str) -> Kind:
        around: Node | None = node
        while around is not None:
            for child in self._declarations(around):
                kinds = dict(self.declared(child))
                if name in kinds and child.start_byte < node.start_byte:
                    return kinds[name]
            around = self.unit.parent(around)
        if name in self._globals:
            return self._globals[name]
        bodies = self.unit.macros.get(name, [])
        if name in self._enumerators or name in ("warpSize", "NAN", "INFINITY", "M_PI", "FLT_MAX", "INT_MAX"):
            return SCALAR
        numbers = [_MACRO_NUMBER.fullmatch(self.unit.code[body.start : body.end]) for body in bodies]
        return SCALAR if numbers and all(numbers) else UNKNOWN

    @cached_property
    def _blocks(self) -> dict[int, list[Node]]:
        return {}

    def _declarations(self, node: Node) -> list[Node]:
        """Return the declarations directly in a block, loop or parameter list."""
        if node.id not in self._blocks:
            self._blocks[node.id] = self._declarations_in(node)
        return self._blocks[node.id]

    @staticmethod
    def _declarations_in(node: Node) -> list[Node]:
        if node.type == "compound_statement":
            return [child for child in node.named_children if child.type == "declaration"]
        if node.type == "for_statement":
            initializer = node.child_by_field_name("initializer")
            return [initializer] if initializer is not None and initializer.type == "declaration" else []
        if node.type in ("function_definition", "lambda_expression"):
            declarator = _function_declarator(node) or node.child_by_field_name("declarator")
            parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
            kinds = ("parameter_declaration", "optional_parameter_declaration")
            return (
                [child for child in parameters.named_children if child.type in kinds] if parameters is not None else []
            )
        return []


def _function_declarator(node: Node) -> Node | None:
    current: Node | None = node
    while current is not None and current.type != "function_declarator":
        if current.type == "init_declarator" or (current is node and node.type == "lambda_expression"):
            return None
        inner = current.child_by_field_name("declarator")
        wrapped = current.type == "reference_declarator" and current.named_child_count
        current = inner or (current.named_child(0) if wrapped else None)
    return current


def parameters(node: Node) -> list[Node]:
    """Return the parameters of a function's definition or prototype."""
    declarator = _function_declarator(node)
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    return list(listed.named_children) if listed is not None else []


def _is_static(node: Node) -> bool:
    return any(child.type == "storage_class_specifier" and text_of(child) == "static" for child in node.named_children)


def _number(node: Node | None) -> int | None:
    return integer(text_of(node))
