"""Arithmetic on `CUdeviceptr`, an integer in CUDA: `hipDeviceptr_t` is a `void*`.

Sums become those of `char*`, other arithmetic that of `unsigned long long`; integers that become device pointers, and
device pointers that become integers, are cast, in initializers, assignments and what functions return. Headers tell
which functions and members are device pointers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.dataflow.function import walk
from hipport.translate.passes.enum_told import CLASSES, classes_around
from hipport.translate.ptx.scope import Declared, declared
from hipport.translate.syntax.named_scopes import scope_name
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

TYPES = frozenset({"CUdeviceptr", "CUdeviceptr_v1", "CUdeviceptr_v2"})
_BYTES, _NUMBER, _POINTER = "(char*)", "(unsigned long long)", "(hipDeviceptr_t)"
_SUMS = frozenset({"+", "-"})
_NUMERIC = frozenset({"%", "&", "|", "^", "<<", ">>", "*", "/"})
_EQUAL, _ORDER = frozenset({"==", "!="}), frozenset({"<", "<=", ">", ">="})
_INTEGERS = re.compile(
    r"(?:(?:std::)?u?int(?:64|ptr|max)_t|(?:std::)?size_t|(?:unsigned )?long(?: long)?(?: int)?|unsigned long long"
    r"|(?:std::)?ptrdiff_t|ssize_t)"
)
_ARRAY_OF = re.compile(r"(?:std::)?(?:vector|array|span)\s*<\s*CUdeviceptr(?:_v[12])?\s*(?:,[^<>]*)?>")
_CAST = re.compile(r"(static_cast|reinterpret_cast)\s*<([^<>()]*)>\s*\Z")
_MEMBER_OF = re.compile(r".*(?:->|\.|::)\s*", re.DOTALL)
_NULL = re.compile(r"(?:0[uUlLxX]*|NULL|nullptr)\Z")
_COMPOUND = frozenset({"binary_expression", "conditional_expression", "assignment_expression"})
_DEEPEST = 40
WORDS = (TYPES,)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rewrite the expressions with device pointers whose declaration the file has."""
    told = work.visible_code[len(work.unit.code) :]
    if TYPES.isdisjoint(_WORD.findall(told)) and not any(
        reference.entry.name in TYPES for reference in work.references.found
    ):
        return
    kinds = _Kinds(work.unit, told)
    rules: dict[str, Callable[[Work, _Kinds, Node], Iterator[Edit | Diagnostic]]] = {
        "binary_expression": _binary,
        "update_expression": _update,
        "assignment_expression": _assignment,
        "init_declarator": _initializer,
        "call_expression": _named_cast,
        "return_statement": _return,
    }
    for node in work.unit.all_of(*rules):
        yield from rules[node.type](work, kinds, node)


def facts(work: Work) -> Iterator[str]:
    """Yield the functions and members of a header that are device pointers."""
    unit = work.unit
    types = _named(unit.code)
    for name, at in unit.occurrences(types):
        match = _FUNCTION.match(unit.code, at + len(name))
        owner = _class_at(unit, unit.node_at(Span(at, at + len(name)))) if match is not None else None
        if match is not None and owner is not None:
            yield _fact(match[2], match[1].removesuffix("::").rpartition("::")[2] or owner, "()")
    for node in unit.all_of("field_declaration"):
        kind = node.child_by_field_name("type")
        if kind is not None and unit.code[kind.start_byte : kind.end_byte].rpartition("::")[2].strip() in types:
            for each in node.children_by_field_name("declarator"):
                if each.type == "field_identifier" and (owner := _class_at(unit, node)):
                    yield _fact(unit.code[each.start_byte : each.end_byte], owner, "")


def _fact(name: str, owner: str, end: str) -> str:
    return str(Fact(Kind.SAYS, name, f"CUdeviceptr {owner}{'::' if owner else ''}{name}{end};"))


def _class_at(unit: Unit, node: Node | None) -> str | None:
    """Return the name of the innermost class around a node, empty outside of classes; None in functions."""
    while node is not None:
        if node.type in ("compound_statement", "parameter_list"):
            return None
        if node.type in CLASSES:
            return scope_name(node) or None
        node = unit.parent(node)
    return ""


class _Kinds:
    """Classify expressions as device pointers or numbers; `told` are declarations of headers, as text."""

    def __init__(self, unit: Unit, told: str = "") -> None:
        self._unit = unit
        self._types = _named(f"{unit.code}\n{told}")
        self._told = frozenset(_TOLD.findall(told))
        self._known: dict[tuple[int, int, str], bool] = {}
        self._members, others = _declared_members(unit, self._types)
        self._members -= others
        self._functions = _returning(unit, self._types)

    def named(self, text: str) -> bool:
        """Return whether a type is `CUdeviceptr`, or an alias of it in the file."""
        return text.rpartition("::")[2].strip() in self._types

    def text(self, node: Node) -> str:
        return self._unit.code[node.start_byte : node.end_byte]

    def pointer(self, node: Node | None, depth: int = 0) -> bool:
        """Return whether an expression is a device pointer."""
        if node is None or depth > _DEEPEST:
            return False
        key = (node.start_byte, node.end_byte, node.type)
        if key not in self._known:
            self._known[key] = self._is_pointer(node, depth + 1)
        return self._known[key]

    def _is_pointer(self, node: Node, depth: int) -> bool:
        kind = node.type
        if kind in ("identifier", "field_expression", "subscript_expression", "pointer_expression"):
            return self._is_place(node, kind)
        if kind == "parenthesized_expression":
            return self.pointer(_only(node), depth)
        if kind == "conditional_expression":
            return any(self.pointer(node.child_by_field_name(name), depth) for name in ("consequence", "alternative"))
        if kind == "binary_expression":
            first, second = (self.pointer(side, depth) for side in _sides(node))
            return {"+": first != second, "-": first and not second}.get(_operator(node), False)
        return self._is_made(node, kind)

    def _is_place(self, node: Node, kind: str) -> bool:
        """Return whether a variable, a member or an element is a device pointer."""
        if kind == "field_expression":
            field = node.child_by_field_name("field")
            return field is not None and (self.text(field) in self._members or self._is_told(node, ""))
        if kind == "identifier":
            found = self._declared(node)
            plain = found is not None and self.named(found.type) and not found.pointer and not found.array
            return plain or (found is None and (self.text(node) in self._members or self._is_told(node, "")))
        if kind == "pointer_expression" and not self.text(node).startswith("*"):
            return False
        found = self._declared(_base(node.child_by_field_name("argument")))
        if found is None:
            return False
        if self.named(found.type):
            return found.pointer or found.array
        return kind == "subscript_expression" and _ARRAY_OF.fullmatch(found.type) is not None

    def _is_made(self, node: Node, kind: str) -> bool:
        """Return whether a cast or a call gives a device pointer."""
        of = node.child_by_field_name("type" if kind == "cast_expression" else "function")
        if of is None or kind not in ("cast_expression", "call_expression"):
            return False
        text = self.text(of).strip()
        named = _CAST.match(text)
        is_call = kind == "call_expression"
        if is_call and self._is_told(of, "()"):
            return True
        returns = is_call and (_MEMBER_OF.sub("", text) in self._functions or named is not None)
        return self.named(text) or (returns and (named is None or self.named(named[2].strip())))

    def _is_told(self, node: Node, end: str) -> bool:
        """Return whether a header declares a name as a device pointer, or as a function that returns one.

        A member's class has to be that of a variable, or one around the place.
        """
        name = _MEMBER_OF.sub("", self.text(node))
        owners = {owner for owner, told, behind in self._told if (told, behind) == (name, end)}
        if not owners:
            return False
        if node.type != "field_expression":
            return "" in owners or not owners.isdisjoint(classes_around(self._unit, node))
        of = node.child_by_field_name("argument")
        if of is not None and self.text(of) == "this":
            return not owners.isdisjoint(classes_around(self._unit, node))
        found = self._declared(of)
        return found is not None and not owners.isdisjoint(_WORD.findall(found.type))

    def number(self, node: Node | None) -> bool:
        """Return whether an expression is visibly an integer that is not a null pointer constant."""
        if node is None or self.pointer(node):
            return False
        if node.type == "parenthesized_expression":
            return self.number(_only(node))
        if node.type == "number_literal":
            return _NULL.match(self.text(node)) is None
        if node.type == "binary_expression":
            sides, operator = _sides(node), _operator(node)
            from_pointers = operator in _SUMS and any(map(self.pointer, sides))
            return operator in _NUMERIC or from_pointers or any(map(self.number, sides))
        if node.type == "cast_expression":
            of = node.child_by_field_name("type")
            return of is not None and _INTEGERS.fullmatch(" ".join(self.text(of).split())) is not None
        found = self._declared(node)
        return (
            found is not None and not found.pointer and not found.array and _INTEGERS.fullmatch(found.type) is not None
        )

    def returns_pointer(self, function: Node) -> bool:
        """Return whether a function returns a device pointer, with words of macros in front of the type or not."""
        name = _function_name(function)
        return name is not None and _MEMBER_OF.sub("", self.text(name)) in self._functions

    def integer_target(self, node: Node) -> bool:
        """Return whether a variable is declared as an integer."""
        found = self._declared(node)
        return (
            found is not None and not found.pointer and not found.array and _INTEGERS.fullmatch(found.type) is not None
        )

    def _declared(self, node: Node | None) -> Declared | None:
        if node is None or node.type != "identifier":
            return None
        return declared(self._unit, Span(node.start_byte, node.end_byte))


def _declared_members(unit: Unit, types: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return the names of members that are device pointers, and of those that are something else."""
    pointers: set[str] = set()
    others: set[str] = set()
    for node in unit.all_of("field_declaration"):
        kind = node.child_by_field_name("type")
        if kind is None:
            continue
        is_pointer = unit.code[kind.start_byte : kind.end_byte].rpartition("::")[2].strip() in types
        for each in node.children_by_field_name("declarator"):
            plain = each.type == "field_identifier"
            names = [each] if plain else [inner for inner in walk(each) if inner.type == "field_identifier"]
            for name in names[:1]:
                (pointers if is_pointer and plain else others).add(unit.code[name.start_byte : name.end_byte])
    return pointers, others


_ALIAS = re.compile(
    r"\busing\s+([A-Za-z_]\w*)\s*=\s*(?:::)?(CUdeviceptr(?:_v[12])?)\s*;"
    r"|\btypedef\s+(CUdeviceptr(?:_v[12])?)\s+([A-Za-z_]\w*)\s*;"
)
_FUNCTION = re.compile(r"\s+((?:\w+::)*)([A-Za-z_]\w*)\s*\((?=[^;{]*[;{])")
"""Matches the name of a function behind its type."""
_TOLD = re.compile(r"^CUdeviceptr (?:(\w+)::)?(\w+)(\(\))?;$", re.MULTILINE)
_WORD = re.compile(r"\w+")


def _named(code: str) -> frozenset[str]:
    """Return the names of the type, with its aliases."""
    return TYPES | {match[1] or match[4] for match in _ALIAS.finditer(code)}


def _returning(unit: Unit, types: frozenset[str]) -> frozenset[str]:
    """Return the names of the file's functions that return a device pointer."""
    behind = (_FUNCTION.match(unit.code, at + len(name)) for name, at in unit.occurrences(types))
    return frozenset(match[2] for match in behind if match is not None)


def _base(node: Node | None) -> Node | None:
    """Return what `(p++)` and `(p + 1)` are based on."""
    while node is not None and node.type in ("parenthesized_expression", "update_expression", "binary_expression"):
        node = _only(node) or node.child_by_field_name("argument") or node.child_by_field_name("left")
    return node


def _only(node: Node) -> Node | None:
    return node.named_children[0] if node.named_child_count == 1 else None


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _sides(node: Node) -> tuple[Node | None, Node | None]:
    return node.child_by_field_name("left"), node.child_by_field_name("right")


def _cast(node: Node, to: str) -> Edit:
    """Cast an operand; operators of lower precedence are only in parentheses."""
    compound = node.type in _COMPOUND
    return Wrap(node.start_byte, node.end_byte, f"{to}(" if compound else to, ")" if compound else "")


def _binary(work: Work, kinds: _Kinds, node: Node) -> Iterator[Edit]:
    operator, (left, right) = _operator(node), _sides(node)
    if left is None or right is None:
        return
    pointers = [side for side in (left, right) if kinds.pointer(side)]
    if not pointers:
        return
    both = len(pointers) == 2
    pointer_sum = kinds.pointer(node) or (both and operator == "-")
    if operator in _SUMS and pointer_sum:
        yield from (_cast(side, _BYTES) for side in pointers if side.type != "binary_expression")
    elif operator in _SUMS or operator in _NUMERIC:
        yield from (_cast(side, _NUMBER) for side in pointers)
    elif operator in _EQUAL | _ORDER and not both:
        other = right if pointers[0] is left else left
        if operator in _ORDER or kinds.number(other):
            yield _cast(pointers[0], _NUMBER)


def _update(work: Work, kinds: _Kinds, node: Node) -> Iterator[Edit | Diagnostic]:
    """Rewrite `p++` as `p = (char*)p + 1` where the value before is not used."""
    of = node.child_by_field_name("argument")
    if of is None or not kinds.pointer(of):
        return
    parent = work.unit.parent(node)
    unused = parent is not None and parent.type in ("expression_statement", "for_statement", "comma_expression")
    prefix = of.start_byte != node.start_byte
    if not unused and not prefix:
        yield _refused(work, node, "the value before it changes is used")
        return
    pointer, sign = Span(of.start_byte, of.end_byte), _operator(node)[:1]
    text = work.unit.original(pointer)
    before, after = ("", "") if unused else ("(", ")")
    changed = f"{before}{text} = {_BYTES}{text} {sign} 1{after}"
    yield Replace(node.start_byte, node.end_byte, changed, whole=True, kept=(pointer,))


def _assignment(work: Work, kinds: _Kinds, node: Node) -> Iterator[Edit | Diagnostic]:
    operator, (left, right) = _operator(node), _sides(node)
    if left is None or right is None:
        return
    if not kinds.pointer(left):
        if operator == "=" and kinds.integer_target(left) and kinds.pointer(right):
            yield _cast(right, _NUMBER)
        return
    if operator == "=":
        if kinds.number(right):
            yield Wrap(right.start_byte, right.end_byte, f"{_POINTER}(", ")")
        return
    name = work.unit.original(Span(left.start_byte, left.end_byte))
    if re.search(r"[(+]|--", name):
        yield _refused(work, node, "the assigned expression may have effects")
        return
    start = work.unit.code.index(operator, left.end_byte)
    place = Span(start, start + len(operator))
    if operator[:-1] in _SUMS:
        yield Replace(place.start, place.end, f"= {_BYTES}{name} {operator[:-1]}")
        if right.type in _COMPOUND:
            yield Wrap(right.start_byte, right.end_byte, "(", ")")
    else:
        yield Replace(place.start, place.end, f"= {_POINTER}({_NUMBER}{name} {operator[:-1]}")
        yield Wrap(right.start_byte, right.end_byte, "(", "))")


def _initializer(work: Work, kinds: _Kinds, node: Node) -> Iterator[Edit]:
    name, value, parent = (
        node.child_by_field_name("declarator"),
        node.child_by_field_name("value"),
        work.unit.parent(node),
    )
    kind = parent.child_by_field_name("type") if parent is not None else None
    if name is None or value is None or kind is None or name.type != "identifier":
        return
    of = " ".join(kinds.text(kind).split())
    listed = value.type in ("argument_list", "initializer_list")
    inner = _only(value) if listed else value
    if inner is None:
        return
    if kinds.named(of) and kinds.number(inner):
        yield Wrap(inner.start_byte, inner.end_byte, f"{_POINTER}(", ")")
    elif _INTEGERS.fullmatch(of) and kinds.pointer(inner):
        yield _cast(inner, _NUMBER)


def _return(work: Work, kinds: _Kinds, node: Node) -> Iterator[Edit]:
    """Cast what a function returns to its type."""
    value, function = _only(node), work.unit.parent(node)
    while function is not None and function.type not in ("function_definition", "lambda_expression"):
        function = work.unit.parent(function)
    if value is None or function is None or function.type != "function_definition":
        return
    kind = function.child_by_field_name("type")
    if kinds.returns_pointer(function):
        if kinds.number(value):
            yield Wrap(value.start_byte, value.end_byte, f"{_POINTER}(", ")")
    elif _is_plain(function) and kinds.pointer(value) and kind is not None and _is_integer(kinds.text(kind)):
        yield _cast(value, _NUMBER)


def _is_integer(kind: str) -> bool:
    return _INTEGERS.fullmatch(" ".join(kind.split())) is not None


def _function_name(function: Node) -> Node | None:
    """Return the name in the declarator of a function that returns a value; None for others."""
    declarator = function.child_by_field_name("declarator")
    if declarator is None or not _is_plain(function):
        return None
    return declarator.child_by_field_name("declarator")


def _is_plain(function: Node) -> bool:
    declarator = function.child_by_field_name("declarator")
    return declarator is not None and declarator.type == "function_declarator"


def _named_cast(work: Work, kinds: _Kinds, node: Node) -> Iterator[Edit]:
    """Rewrite `static_cast` and `reinterpret_cast` to a device pointer, or of one to an integer, as casts of C."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    named = _CAST.match(kinds.text(function)) if function is not None else None
    if function is None or arguments is None or named is None:
        return
    to = " ".join(named[2].split())
    if not kinds.named(to) and not (_INTEGERS.fullmatch(to) and kinds.pointer(_only(arguments))):
        return
    opening = work.unit.code.index("<", function.start_byte)
    closing = work.unit.code.index(">", opening)
    yield Replace(function.start_byte, opening + 1, "(")
    yield Replace(closing, arguments.start_byte, ")")


def _refused(work: Work, node: Node, why: str) -> Diagnostic:
    message = f"arithmetic on a CUdeviceptr, which is a void* in HIP, cannot be rewritten here: {why}"
    advice = "Write it as an assignment: p = (CUdeviceptr)((char*)p + n)."
    return work.report(Span(node.start_byte, node.end_byte), "HP125", Severity.ERROR, message, advice)
