"""Uses of enumerations as numbers, where the numbers differ in HIP."""

from __future__ import annotations

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.dataflow.function import bare, text_of
from hipport.translate.passes.enum_values import Values
from hipport.translate.syntax.unit import Node, Unit

_INTEGER = re.compile(
    r"(?:(?:const|static|constexpr|unsigned|signed|long|short|int|char|volatile)\b\s*|(?:std\s*::\s*)?(?:u?int\d+_t|size_t|ptrdiff_t)\s*)+"
)
INTEGER_WORDS = frozenset(["int", "unsigned", "signed", "long", "short", "char", "size_t", "ptrdiff_t", "bool"]) | {
    f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
_ARITHMETIC = frozenset(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
_ORDER = frozenset({"<", ">", "<=", ">="})
_EQUAL = frozenset({"==", "!="})
_PRINTS = re.compile(r"\w*printf\w*|to_string|format|print")
CASTS = frozenset({"static_cast", "reinterpret_cast"})
_MAPS = r"\b(?:unordered_)?(?:multi)?map\s*<[^;{{}}]*>\s*&?\s*{}\b"
LITERALS = frozenset({"number_literal", "char_literal", "true", "false"})

KEPT, INDEX, ARITHMETIC, COMPARED, ORDERED, TRUTH = "kept", "index", "arithmetic", "compared", "ordered", "truth"


class Use(Struct, frozen=True):
    """A use as a number; `other` is the literal that a value is compared with, `switch` a switch over it."""

    kind: str
    other: Node | None = None
    switch: Node | None = None


def whole_of(unit: Unit, node: Node) -> Node:
    """Return the whole expression whose last name a node is: `p->op`, `ns::get(c)`, `ops[i]`."""
    while (parent := unit.parent(node)) is not None:
        field = unit.field(node)
        whole = parent.type in ("field_expression", "qualified_identifier") and field in ("field", "name")
        called = parent.type == "call_expression" and field == "function"
        element = parent.type == "subscript_expression" and field == "argument"
        if not (whole or called or element):
            break
        node = parent
    return node


def stored_in(unit: Unit, node: Node) -> Node | None:
    """Return the name of the variable that an expression initializes or is assigned to, maybe behind a cast."""
    while (parent := unit.parent(node)) is not None and parent.type in ("parenthesized_expression", "cast_expression"):
        node = parent
    field = {"init_declarator": "declarator", "assignment_expression": "left"}.get(parent.type if parent else "")
    name = parent.child_by_field_name(field) if parent is not None and field is not None else None
    return name if name is not None and name.type == "identifier" and name != node else None


class Uses(Struct, frozen=True):
    """The uses of a file's values as numbers."""

    values: Values

    def of(self, node: Node) -> Use | None:
        """Return how an expression of one of the types is used as a number; None if it is not."""
        kept: Use | None = None
        while (parent := self.values.unit.parent(node)) is not None:
            field = self.values.unit.field(node)
            if parent.type == "parenthesized_expression" or (
                parent.type == "conditional_expression" and field != "condition"
            ):
                node = parent
                continue
            if parent.type == "assignment_expression" and field == "right" and self._takes_type(parent):
                node = parent
                continue
            if (cast := self._cast(parent, node)) is not None:
                if not _INTEGER.fullmatch(text_of(cast[0]).strip()):
                    return kept
                kept, node = Use(KEPT), cast[1]
                continue
            return self._used(node, parent, field) or kept
        return kept

    def _takes_type(self, assignment: Node) -> bool:
        """Return whether an assignment gives a variable of one of the types, so that it has the type itself."""
        left, operator = (assignment.child_by_field_name(each) for each in ("left", "operator"))
        return left is not None and text_of(operator) == "=" and bool(self.values.type_of(left))

    def _cast(self, parent: Node, node: Node) -> tuple[Node | None, Node] | None:
        """Return the type and the whole of the cast that an expression is the operand of."""
        if parent.type == "cast_expression":
            return parent.child_by_field_name("type"), parent
        call = self.values.unit.parent(parent) if parent.type == "argument_list" else None
        function = call.child_by_field_name("function") if call is not None else None
        if call is None or function is None or call.type != "call_expression":
            return None
        if function.type == "primitive_type":
            return function, call
        if function.type == "template_function" and text_of(function.child_by_field_name("name")) in CASTS:
            arguments = function.child_by_field_name("arguments")
            return (arguments.named_child(0) if arguments is not None else None), call
        return None

    def _used(self, node: Node, parent: Node, field: str | None) -> Use | None:
        kind = parent.type
        if kind in ("subscript_argument_list", "subscript_designator") or (
            kind == "subscript_expression" and field != "argument"
        ):
            whole = self.values.unit.parent(parent) if kind == "subscript_argument_list" else parent
            return Use(INDEX) if whole is None or not self._is_map(whole) else None
        if kind == "array_declarator" and field == "size":
            return Use(INDEX)
        if kind == "binary_expression":
            return self._of_binary(node, parent)
        if kind == "unary_expression":
            return Use(TRUTH if text_of(parent).startswith("!") else ARITHMETIC)
        if kind == "condition_clause" or (
            kind in ("conditional_expression", "do_statement", "while_statement") and field == "condition"
        ):
            return self._of_condition(parent)
        return self._kept(parent, field)

    def _of_binary(self, node: Node, parent: Node) -> Use | None:
        operator = text_of(parent.child_by_field_name("operator"))
        left, right = parent.child_by_field_name("left"), parent.child_by_field_name("right")
        other = right if left == node else left
        if operator in ("&&", "||"):
            return Use(TRUTH)
        if other is None or self.values.type_of(other):
            if right == node:  # one finding is enough
                return None
            return Use(ORDERED) if operator in _ORDER else Use(ARITHMETIC) if operator in _ARITHMETIC else None
        if operator == "<<" and right == node and not self._is_integer(other):
            return Use(KEPT)
        if operator in _ARITHMETIC:
            return Use(ARITHMETIC)
        if operator in _EQUAL and self._is_integer(other):
            return Use(COMPARED, bare(other))
        return Use(ARITHMETIC) if operator in _ORDER and self._is_integer(other) else None

    def _of_condition(self, parent: Node) -> Use | None:
        around = self.values.unit.parent(parent) if parent.type == "condition_clause" else None
        if around is not None and around.type == "switch_statement":
            return Use(COMPARED, switch=around)
        return Use(TRUTH)

    def _is_map(self, whole: Node) -> bool:
        """Return whether what is subscripted is declared as a map."""
        argument = whole.child_by_field_name("argument")
        name = re.fullmatch(r".*?(\w+)\s*", text_of(argument).replace("\n", " "))
        return name is not None and re.build(_MAPS.format(name[1])).search(self.values.unit.code) is not None

    def _kept(self, parent: Node, field: str | None) -> Use | None:
        """Return whether a number is stored in an integer, returned as one, or printed."""
        kind = parent.type
        if kind == "initializer_list":
            around = self.values.unit.parent(parent)
            return self._kept(around, "value") if around is not None else None
        if kind in ("init_declarator", "optional_parameter_declaration", "field_declaration"):
            declaration = self.values.unit.parent(parent) if kind == "init_declarator" else parent
            declared = text_of(declaration.child_by_field_name("type")) if declaration is not None else ""
            return self._of_type(declared)
        if kind == "assignment_expression" and field == "right":
            left = parent.child_by_field_name("left")
            if text_of(parent.child_by_field_name("operator")) not in ("=", ""):
                return Use(ARITHMETIC)
            return Use(KEPT) if left is not None and left.type == "identifier" and self._is_integer(left) else None
        if kind == "argument_list":
            call = self.values.unit.parent(parent)
            callee = text_of(call.child_by_field_name("function")).rpartition("::")[2] if call is not None else ""
            return Use(KEPT) if _PRINTS.fullmatch(callee) else None
        if kind == "return_statement":
            return self._of_type(self._returned(parent))
        return None

    @staticmethod
    def _of_type(declared: str) -> Use | None:
        if declared.strip() == "bool":
            return Use(TRUTH)
        return Use(KEPT) if _INTEGER.fullmatch(declared.strip()) else None

    def _returned(self, node: Node) -> str:
        around: Node | None = node
        while around is not None and around.type not in ("function_definition", "lambda_expression"):
            around = self.values.unit.parent(around)
        return text_of(around.child_by_field_name("type")) if around is not None else ""

    def _is_integer(self, node: Node | None) -> bool:
        """Return whether an expression is a literal or a variable of an integer type."""
        if node is None:
            return False
        node = bare(node)
        if node.type in LITERALS:
            return True
        name = text_of(node)
        return name.isidentifier() and self.values.declared_as(name, node.start_byte) in INTEGER_WORDS
