"""Find calls in a kernel that neither wait for other threads nor depend on which thread runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from hipport import lazy_re as re
from hipport.translate.for_cpu.together.globals import declared_names
from hipport.translate.for_cpu.together.syntax import BARRIER, Refused, descend, text_of
from hipport.translate.syntax.unit import Node, Unit

_VALUES = re.compile(
    r"""(?:std::|::)?(?:min|max|abs|(?:f?abs|fmin|fmax|fma|fmod|sqrt|rsqrt|cbrt|pow|exp|exp2|exp10|expm1|log|log2|
    log10|log1p|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|floor|ceil|round|rint|trunc|hypot|erf|erfc|isnan|
    isinf|isfinite|copysign|ldexp)f?)
    |(?:static|const|reinterpret)_cast|make_\w+|bool|char|short|int|long|unsigned|float|double|size_t|u?int\d+_t
    |__(?:fdividef|(?:exp|exp10|log|log2|log10|sin|cos|tan|pow)f|saturatef|u?mul24|u?mul(?:64)?hi)
    |__(?:popc|clz|ffs|brev)(?:ll)?|__[fd][a-z]+_r[nzud]|__\w+_as_\w+|__(?!shfl)[a-z]+\d*2[a-z]+\d*(?:_r[nzud])?
    """,
    re.VERBOSE,
)
"""Functions of their arguments alone, which pass by value or by constant reference."""
_EFFECTS = re.compile(
    r"__ld\w\w|__st\w\w|printf|sincosf?|__sincosf|modff?|frexpf?|__threadfence(?:_block|_system)?|__h\w+|tex[123]D\w*"
)
_ATOMIC = re.compile(r"atomic(?:Add|Sub|Min|Max|And|Or|Xor|Inc|Dec)(?:_block|_system)?")
"""Atomics that threads do not wait with, unless they repeat them: others may be part of a lock."""
_BUILT_IN = re.compile(r"(?:threadIdx|blockIdx|blockDim|gridDim|hip(?:Thread|Block|Grid)(?:Idx|Dim)_[xyz])")
_LOOPS = ("while_statement", "do_statement", "for_statement")


def is_of_values(call: Node) -> bool:
    """Return whether a call computes a value from its arguments and has no other effect."""
    return _VALUES.fullmatch(_callee(call)) is not None


class Calls:
    """Judges the calls in the functions of a unit."""

    def __init__(self, unit: Unit) -> None:
        self._functions: dict[str, list[Node]] = {}
        for function in unit.all_of("function_definition"):
            name = _defined(function)
            if name is not None:
                self._functions.setdefault(name, []).append(function)
        self._known: dict[str, bool] = {}
        self._unit = unit

    def check(self, body: Node) -> None:
        """Raise `Refused` if a call of a kernel may wait for other threads, or may ask which thread runs."""
        for call in _calls(body):
            name = _callee(call)
            if _is_repeated(call) and "atomic" in name:
                raise Refused
            if name != BARRIER and not self._is_harmless(name):
                raise Refused

    def by_reference(self, call: Node) -> bool:
        """Return whether a call may change variables that are named as its arguments."""
        functions = self._functions.get(_callee(call), [])
        return any("&" in text_of(_parameters(function)) for function in functions)

    def _is_harmless(self, name: str) -> bool:
        if name in self._functions:
            if name not in self._known:
                self._known[name] = False  # of a function that calls itself
                self._known[name] = all(map(self._is_harmless_function, self._functions[name]))
            return self._known[name]
        return any(known.fullmatch(name) is not None for known in (_VALUES, _EFFECTS, _ATOMIC))

    def _is_harmless_function(self, function: Node) -> bool:
        body = function.child_by_field_name("body")
        if body is None or any(_is_strange(node) for node in descend(body)):
            return False
        if not self._values_in(body) <= self._declared:  # other names may be macros that ask which thread runs
            return False
        names = map(_callee, _calls(body))
        return all("atomic" not in name and self._is_harmless(name) for name in names)

    @cached_property
    def _declared(self) -> frozenset[str]:
        return declared_names(self._unit)

    @staticmethod
    def _values_in(body: Node) -> frozenset[str]:
        """Return the names in a function, those of functions that it calls excluded."""
        called = {call.child_by_field_name("function") for call in _calls(body)}
        return frozenset(text_of(one) for one in descend(body) if one.type == "identifier" and one not in called)


def _is_strange(node: Node) -> bool:
    if node.type in ("lambda_expression", "gnu_asm_expression", "ERROR", "struct_specifier", "class_specifier"):
        return True
    if node.type == "expression_statement":
        return node.named_child_count == 1 and node.named_children[0].type == "identifier"
    return node.type == "identifier" and _BUILT_IN.fullmatch(text_of(node)) is not None


def _calls(body: Node) -> Iterator[Node]:
    return (node for node in descend(body) if node.type == "call_expression")


def _callee(call: Node) -> str:
    """Return the name of the function that is called, without template arguments."""
    function = call.child_by_field_name("function")
    if function is not None and function.type == "template_function":
        function = function.child_by_field_name("name")
    return text_of(function)


def _defined(function: Node) -> str | None:
    node: Node | None = function.child_by_field_name("declarator")
    while node is not None and node.type not in ("identifier", "field_identifier"):
        node = node.child_by_field_name("declarator")
    return text_of(node) or None


def _parameters(function: Node) -> Node | None:
    node: Node | None = function.child_by_field_name("declarator")
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator") or next(iter(node.named_children), None)
    return node.child_by_field_name("parameters") if node is not None else None


def _is_repeated(call: Node) -> bool:
    """Return whether a call is in a loop in which threads may wait for each other: all but counting loops."""
    node: Node | None = call
    while node is not None and node.type != "function_definition":
        parent = node.parent
        if parent is not None and parent.type in _LOOPS:
            if parent.type != "for_statement" or parent.child_by_field_name("body") != node:
                return True
            if any(parent.child_by_field_name(part) is None for part in ("condition", "update")):
                return True
        node = parent
    return False
