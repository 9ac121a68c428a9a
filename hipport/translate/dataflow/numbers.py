"""Types of numbers: of names, of expressions where the file shows them, and whether a conversion narrows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import first_child, text_of
from hipport.translate.syntax.unit import Node


class Number(Struct, frozen=True):
    """A type of numbers and its bits: `i` signed integers, `u` unsigned ones, `f` floating point, `h` half."""

    kind: str
    bits: int


_INT, _UNSIGNED, _SIZE, _BOOL = Number("i", 32), Number("u", 32), Number("u", 64), Number("u", 1)
_NAMES = {
    "bool": _BOOL,
    "uint": _UNSIGNED,
    "uchar": Number("u", 8),
    "ushort": Number("u", 16),
    "ulong": _SIZE,
    "size_t": _SIZE,
    "ptrdiff_t": Number("i", 64),
    "float": Number("f", 32),
    "double": Number("f", 64),
    **dict.fromkeys(("half", "__half", "__nv_bfloat16", "nv_bfloat16"), Number("h", 16)),
    "dim3": _UNSIGNED,
    **{f"{sign}int{bits}_t": Number(sign or "i", bits) for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
_VECTOR = re.compile(r"(u?)(char|short|int|long|longlong|float|double)[1-4]")
_BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "longlong": 64}
_QUALIFIERS = re.compile(r"\b(?:const|constexpr|static|volatile|register|__restrict__|__shared__|std)\b|[:&]")
_INTEGER_WORDS = frozenset({"unsigned", "signed", "int", "long", "short", "char"})
_CAST = re.compile(r"static_cast\s*<([^<>]*)>\Z")
_FUNCTIONS = (
    r"(?:::|std::)?(?:floor|ceil|round|trunc|rint|nearbyint|sqrt|rsqrt|cbrt|exp|exp2|exp10|log|log2|log10|sin|cos|tan"
    r"|sinh|cosh|tanh|asin|acos|atan|atan2|pow|fabs|fmod|fma|fmin|fmax|hypot|erf|ldexp)"
)
_INTRINSICS = (
    r"__(?:(?:exp|exp10|log|log2|log10|sin|cos|tan|pow|fdivide|saturate)f|(?:u?int|u?ll|double)2float_r[nzud]"
    r"|f(?:add|sub|mul|div|maf|rcp|sqrt|rsqrt)_r[nzud]|u?int_as_float)"
)
_DOUBLE = re.compile(
    r"__(?:longlong_as_double|hiloint2double|(?:u?int|u?ll)2double_r[nzud]|d(?:add|sub|mul|div)_r[nzud]|fma_r[nzud])\Z"
)
_MATHEMATICAL = re.compile(rf"{_FUNCTIONS}\Z")
_SINGLE = re.compile(rf"(?:{_FUNCTIONS}f|{_INTRINSICS})\Z")
_VALUES = {
    **dict.fromkeys(("INFINITY", "NAN", "HUGE_VALF", "FLT_MAX", "CUDART_INF_F", "CUDART_NAN_F"), Number("f", 32)),
    **dict.fromkeys(("HUGE_VAL", "DBL_MAX", "CUDART_INF", "CUDART_NAN"), Number("f", 64)),
}
"""Macros with numbers that fit no integer."""
_OF_BITS = frozenset({"__int_as_float", "__uint_as_float", "__longlong_as_double", "__hiloint2double"})
_COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_TESTS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_FLOATING = re.compile(r"0[xX].*[pP]|(?!0[xX]).*[.eE]")
_DEEPEST = 16
_TYPEDEF = re.compile(r"\btypedef\b(?P<text>[^;{}()]{1,200}?)\b(?P<name>[A-Za-z_]\w*)\s*;")
_USING = re.compile(r"\busing\s+(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<text>[^;{}]{1,200});")
_OTHER_TYPE = re.compile(r"\b(?:typename|class|struct|union|enum)\s+(?:\.\.\.\s*)?([A-Za-z_]\w*)")
"""Matches parameters of templates, and classes: types that the name of an alias may mean elsewhere in the file."""
_DEEPEST_ALIAS = 4


def number(text: str) -> Number | None:
    """Return the type of numbers that a type's name means; None for other types."""
    words = _QUALIFIERS.sub(" ", text).split()
    if len(words) == 1 and words[0] in _NAMES:
        return _NAMES[words[0]]
    if not words or not _INTEGER_WORDS.issuperset(words):
        return None
    bits = next((size for name, size in (("char", 8), ("short", 16), ("long", 64)) if name in words), 32)
    return Number("u" if "unsigned" in words else "i", bits)


def named(flow: Flow, text: str) -> Number | None:
    """Return the type of numbers that a type's name means, also one that the file makes."""
    return _agreed(map(number, _meanings(flow, text)))


def made_names(flow: Flow) -> Mapping[str, Number]:
    """Return the types of numbers that `typedef` and `using` make in the file, by name."""
    if "made names" not in flow.notes["numbers"]:
        found = ((name, named(flow, name)) for name in _aliases(flow))
        flow.notes["numbers"]["made names"] = {name: kind for name, kind in found if kind is not None}
    made: Mapping[str, Number] = flow.notes["numbers"]["made names"]
    return made


def _meanings(flow: Flow, text: str, depth: int = 0) -> Iterator[str]:
    """Yield what the name of a type stands for, where the file shows it: one text for each definition of an alias."""
    name = _QUALIFIERS.sub(" ", text).strip()
    texts = _aliases(flow).get(name, ()) if depth < _DEEPEST_ALIAS else ()
    for each in texts:
        yield from _meanings(flow, each, depth + 1)
    if not texts:
        yield _macro(flow, name) if name in flow.unit.macros else text


def _macro(flow: Flow, name: str) -> str:
    """Return `double` for a macro that is always a floating-point type; other types may be given on a command line."""
    bodies = {flow.unit.code[span.start : span.end].strip() for span in flow.unit.macros[name]}
    return "double" if bodies <= {"float", "double"} else name


def _aliases(flow: Flow) -> Mapping[str, frozenset[str]]:
    """Return all that the file's aliases stand for, by name; without names that mean other types, too."""
    if "aliases" not in flow.notes["numbers"]:
        code, found = flow.unit.code, dict[str, frozenset[str]]()
        for match in (match for pattern in (_TYPEDEF, _USING) for match in pattern.finditer(code)):
            found[match["name"]] = found.get(match["name"], frozenset()) | {match["text"].strip()}
        others = {match[1] for match in _OTHER_TYPE.finditer(code)} if found else set()
        flow.notes["numbers"]["aliases"] = {name: texts for name, texts in found.items() if name not in others}
    aliases: Mapping[str, frozenset[str]] = flow.notes["numbers"]["aliases"]
    return aliases


def _agreed(found: Iterable[Number | None]) -> Number | None:
    """Return the type if all are the same, or the widest of floating-point types."""
    known = {*found}
    if len(known) == 1:
        return known.pop()
    floating = [each for each in known if each is not None and each.kind == "f"]
    return max(floating, key=lambda each: each.bits) if len(floating) == len(known) and floating else None


def narrows(given: Number, wanted: Number) -> bool:
    """Return whether not every value of a type is one of another."""
    if "h" in (given.kind, wanted.kind):
        return False
    if "f" in (given.kind, wanted.kind):
        return given.kind != wanted.kind or given.bits > wanted.bits
    if given.kind == "u":
        return given.bits > wanted.bits - (wanted.kind == "i")
    return wanted.kind == "u" or given.bits > wanted.bits


def of_expression(flow: Flow, node: Node | None, depth: int = 0) -> Number | None:
    """Return the type of an expression with numbers; None where the file does not show it."""
    if node is None or depth > _DEEPEST:
        return None
    read = _READ.get(node.type)
    if read is not None:
        return read(flow, node)
    if node.type == "parenthesized_expression":
        return of_expression(flow, first_child(node), depth + 1)
    if node.type == "unary_expression":
        found = of_expression(flow, node.child_by_field_name("argument"), depth + 1)
        return _promoted(found) if found is not None else None
    return _of_two(flow, node, depth)


def is_constant(node: Node) -> bool:
    """Return whether an expression consists of literals: such values are checked, not their types."""
    return node.type in ("number_literal", "char_literal", "true", "false", "string_literal") or (
        node.type in ("unary_expression", "binary_expression", "parenthesized_expression")
        and all(is_constant(child) for child in node.named_children)
    )


def is_beyond(node: Node) -> bool:
    """Return whether an expression is a macro for infinity, NaN or a largest number, or gives the bits of a number."""
    if node.type == "unary_expression":
        inner = node.child_by_field_name("argument")
        return inner is not None and is_beyond(inner)
    if node.type != "call_expression":
        return text_of(node) in _VALUES
    arguments = node.child_by_field_name("arguments")
    literal = arguments is not None and all(is_constant(each) for each in arguments.named_children)
    return literal and text_of(node.child_by_field_name("function")) in _OF_BITS


def _of_two(flow: Flow, node: Node, depth: int) -> Number | None:
    if node.type == "binary_expression":
        operator = text_of(node.child_by_field_name("operator"))
        if operator in _TESTS:
            return _BOOL
        names = ("left",) if operator in ("<<", ">>") else ("left", "right")
    elif node.type == "conditional_expression":
        names = ("consequence", "alternative")
    else:
        return None
    return _common([of_expression(flow, node.child_by_field_name(name), depth + 1) for name in names])


def _common(numbers: list[Number | None]) -> Number | None:
    found = [_promoted(each) for each in numbers if each is not None]
    if len(found) < len(numbers):
        return None
    kind = next((kind for kind in "fh" if any(each.kind == kind for each in found)), "")
    same = [each for each in found if not kind or each.kind == kind]
    bits = max(each.bits for each in same)
    return Number(kind or ("u" if any(each.kind == "u" and each.bits == bits for each in same) else "i"), bits)


def _promoted(given: Number) -> Number:
    return _INT if given.kind in "iu" and given.bits < 32 else given


def _literal(_: Flow, node: Node) -> Number:
    text = text_of(node).lower()
    if _FLOATING.match(text):
        return Number("f", 32 if text.endswith("f") else 64)
    suffix = re.search(r"[ul]*\Z", text)
    letters = suffix[0] if suffix is not None else ""
    return Number("u" if "u" in letters else "i", 64 if "l" in letters else 32)


def _cast(flow: Flow, node: Node) -> Number | None:
    return named(flow, text_of(node.child_by_field_name("type")))


def _called(flow: Flow, node: Node) -> Number | None:
    name = text_of(node.child_by_field_name("function"))
    cast = _CAST.match(name)
    if cast is not None:
        return named(flow, cast[1])
    if _SINGLE.match(name):
        return _NAMES["float"]
    if _DOUBLE.match(name):
        return _NAMES["double"]
    if _MATHEMATICAL.match(name):  # of an integer they are double
        arguments = node.child_by_field_name("arguments")
        given = of_expression(flow, first_child(arguments) if arguments is not None else None)
        return given if given is None or given.kind == "f" else _NAMES["double"]
    return _SIZE if name.endswith((".size", ".length")) else named(flow, name)


def _pointed(flow: Flow, node: Node) -> Number | None:
    """Return the type of `p[i]` and `*p` for a variable `p`."""
    base = node.child_by_field_name("argument")
    if base is None or base.type != "identifier" or text_of(node).startswith("&"):
        return None
    return _variable(flow, base, pointed=True)


def _variable(flow: Flow, node: Node, *, pointed: bool = False) -> Number | None:
    """Return the type of a local variable or parameter, or of what it points to or is an array of."""
    function = flow.function_at(node.start_byte)
    variable = function.variable(text_of(node), node.start_byte) if function is not None else None
    if variable is None:
        return None if pointed else _VALUES.get(text_of(node))
    if variable.text.count("*") + len(variable.sizes) != int(pointed):
        return None
    return named(flow, variable.type)


def _component(flow: Flow, node: Node) -> Number | None:
    """Return the type of `v.x` for a vector or coordinate `v`, of `v[i].x` for an array of vectors, and of `p->x`."""
    base = node.child_by_field_name("argument")
    pointed = base is not None and base.type == "subscript_expression"
    stars = int(pointed) + (text_of(node.child_by_field_name("operator")) == "->")
    base = base.child_by_field_name("argument") if base is not None and pointed else base
    if base is None or base.type != "identifier" or text_of(node.child_by_field_name("field")) not in (*"xyzw",):
        return None
    if text_of(base) in _COORDINATES:
        return _UNSIGNED
    function = flow.function_at(base.start_byte)
    variable = function.variable(text_of(base), base.start_byte) if function is not None else None
    if variable is None or variable.text.count("*") + len(variable.sizes) != stars:
        return None
    return _agreed(_element(_QUALIFIERS.sub(" ", each).strip()) for each in _meanings(flow, variable.type))


def _element(vector: str) -> Number | None:
    match = _VECTOR.fullmatch(vector)
    if match is None:
        return _UNSIGNED if vector == "dim3" else None
    bits = _BITS.get(match[2])
    return Number("u" if match[1] else "i", bits) if bits is not None else _NAMES[match[2]]


_READ: dict[str, Callable[[Flow, Node], Number | None]] = {
    "number_literal": _literal,
    "sizeof_expression": lambda _flow, _node: _SIZE,
    "identifier": _variable,
    "field_expression": _component,
    "subscript_expression": _pointed,
    "pointer_expression": _pointed,
    "cast_expression": _cast,
    "call_expression": _called,
}


def leaves(node: Node) -> Iterator[Node]:
    """Yield the elements of a braced list that are no lists themselves."""
    for child in node.named_children:
        if child.type == "initializer_list":
            yield from leaves(child)
        elif child.type != "comment":
            yield child
