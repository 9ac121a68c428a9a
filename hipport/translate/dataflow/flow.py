"""Values that flow into an expression: its leaves, followed through the variables of the function."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.constants import Constants, evaluate
from hipport.translate.dataflow.function import Function, Variable, called, make_function, make_macro, text_of
from hipport.translate.dataflow.told import NOTHING_TOLD, Told
from hipport.translate.dataflow.types import Types
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.side_words import device_macros
from hipport.translate.syntax.unit import Node, Unit

ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"})
COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_TRANSPARENT = frozenset({"parenthesized_expression", "cast_expression", "initializer_list", "comma_expression"})
_BRACE_OR_END = re.compile(r"[{;]")
_CLASSES = frozenset({"class", "struct", "union"})
_LONGEST = 100
"""Maximum number of steps to follow a value: longer chains are generated code, which queries each of its values."""
_SELECTING = frozenset({"min", "max", "umin", "umax", "static_cast", "int", "unsigned", "uint32_t", "uint64_t", "uint"})


def _never(node: Node, variable: Variable | None) -> bool:
    return False


class Flow:
    """The functions of a unit and the values in them; each function is read on first use."""

    def __init__(self, unit: Unit, constants: Mapping[str, int] | None = None, told: Told = NOTHING_TOLD) -> None:
        """`constants`, `told`: what files that this one includes define."""
        self.unit = unit
        self.told = told
        self.constants = Constants(unit, constants)
        self.types = Types(unit, told)
        self._functions: dict[int, Function | None] = unit.notes.setdefault("functions", {})
        self._named: dict[str, tuple[Function, ...]] = {}
        self._around: dict[int, Function | None] = {}
        self._constants: dict[tuple[int, int], int | None] = {}
        self.notes: dict[str, dict[Any, Any]] = defaultdict(dict)
        """Results of other modules about values, each under a name of its own, kept for the next time."""

    def function_at(self, offset: int) -> Function | None:
        """Return the function or function-like macro whose definition contains an offset."""
        if offset not in self._around:
            self._around[offset] = self._find_around(offset)
        return self._around[offset]

    def _find_around(self, offset: int) -> Function | None:
        line = self.unit.directive_at(offset)
        if line is not None:
            return self._macro(line)
        node = self.unit.enclosing(Span(offset, offset + 1), "function_definition")
        if node is None:
            return None
        if node.start_byte not in self._functions:
            self._functions[node.start_byte] = make_function(self.unit, node)
        return self._functions[node.start_byte]

    def _macro(self, line: Directive) -> Function | None:
        start = line.body.start
        if line.kind is not DirectiveKind.DEFINE or self.unit.code[start - 1 : start] != ")":
            return None
        if start not in self._functions:
            self._functions[start] = make_macro(self.unit, line)
        return self._functions[start]

    def named(self, name: str) -> tuple[Function, ...]:
        """Return the functions of the file that have a name."""
        if name not in self._named:
            places = (self.function_at(offset) for _, offset in self.unit.occurrences(frozenset({name})))
            found = {each.span.start: each for each in places if each is not None and each.name == name}
            self._named[name] = tuple(found.values())
        return self._named[name]

    def functions(self, words: Collection[str]) -> tuple[Function, ...]:
        """Return the functions in which one of the words occurs, in order."""
        found: dict[int, Function] = {}
        last: Function | None = None
        for _, offset in self.unit.occurrences(frozenset(words)):
            if last is None or not last.span.start <= offset < last.span.end or self._in_local_class(last, offset):
                last = self.function_at(offset)
            if last is not None:
                found[last.span.start] = last
        return tuple(found.values())

    def _in_local_class(self, function: Function, offset: int) -> bool:
        """Return whether a class may begin between the start of a function and an offset in it."""
        return bool(self._classes) and bisect_left(self._classes, function.body.start_byte) < bisect_left(
            self._classes, offset
        )

    @cached_property
    def _classes(self) -> list[int]:
        return [offset for _, offset in self.unit.occurrences(_CLASSES)]

    @cached_property
    def device_functions(self) -> tuple[Function, ...]:
        """The kernels and `__device__` functions of the file."""
        words = [word.start for word in self.unit.shadow.device_words]
        macros = [offset for _, offset in self.unit.occurrences(device_macros(self.unit))]
        found: dict[int, Function] = {}
        for start in sorted((*words, *macros)):
            function = self.function_at(_definition_after(self.unit, start))
            if function is not None and function.device:
                found[function.span.start] = function
        return tuple(found.values())

    @cached_property
    def device_names(self) -> frozenset[str]:
        """The names of the kernels and `__device__` functions of the file."""
        return frozenset(function.name for function in self.device_functions)

    def constant(self, node: Node | None, function: Function | None = None) -> int | None:
        """Return the value of an expression of literals, named constants and constant local variables."""
        if node is None:
            return None
        key = node.id, function.span.start if function is not None else -1
        if key not in self._constants:
            self._constants[key] = self._evaluated(node, function)
        return self._constants[key]

    def _evaluated(self, node: Node, function: Function | None) -> int | None:
        seen: set[str] = set()

        def lookup(name: str) -> int | None:
            variable = function.variable(name, node.start_byte) if function is not None else None
            if variable is None:
                return self.constants.value(name)
            if variable.parameter or len(variable.values) != 1 or name in seen or "const" not in variable.text:
                return None
            seen.add(name)
            return evaluate(text_of(variable.values[0]), lookup)

        return evaluate(self.unit.code[node.start_byte : node.end_byte], lookup)

    def leaves(
        self,
        node: Node | None,
        function: Function,
        operators: Collection[str] = ARITHMETIC,
        ends: Callable[[Node, Variable | None], bool] = _never,
    ) -> Iterator[Node]:
        """Yield the expressions that a value is made of, seen through these operators and through variables.

        Conditions do not count, nor do arguments of calls: the call itself is a leaf. So is an expression, with the
        variable that it names, of which `ends` is true.
        """
        return (part for part, is_leaf in self._trail(node, function, operators, ends) if is_leaf)

    def variables(
        self,
        node: Node | None,
        function: Function,
        operators: Collection[str] = ARITHMETIC,
        ends: Callable[[Node, Variable | None], bool] = _never,
    ) -> Iterator[Variable]:
        """Yield the variables of the function that a value comes from."""
        for part, _ in self._trail(node, function, operators, ends):
            if part.type == "identifier":
                variable = function.variable(text_of(part), part.start_byte)
                if variable is not None:
                    yield variable

    def _trail(
        self,
        node: Node | None,
        function: Function,
        operators: Collection[str],
        ends: Callable[[Node, Variable | None], bool],
    ) -> Iterator[tuple[Node, bool]]:
        """Yield every expression that a value is made of, and whether it is a leaf."""
        followed: set[Span] = set()
        waiting = [node] if node is not None else []
        for _ in range(_LONGEST):
            if not waiting:
                return
            current = waiting.pop()
            variable = None
            if current.type == "identifier":
                variable = function.variable(text_of(current), current.start_byte)
            parts = None if ends(current, variable) else self._parts(current, variable, operators)
            yield current, parts is None
            if parts and (variable is None or variable.place not in followed):
                waiting += parts[:_LONGEST]
            if variable is not None:
                followed.add(variable.place)
        yield from ((rest, True) for rest in waiting)

    def _parts(self, node: Node, variable: Variable | None, operators: Collection[str]) -> list[Node] | None:
        """Return the expressions that a node, or the variable it names, takes its value from; None for a leaf."""
        if node.type in _TRANSPARENT:
            value = node.child_by_field_name("value")
            return [value] if value is not None else node.named_children[-1:]
        if node.type == "binary_expression":
            operator = node.child_by_field_name("operator")
            return node.named_children if operator is not None and operator.type in operators else None
        if node.type == "unary_expression":
            operator = node.child_by_field_name("operator")
            return node.named_children if operator is not None and operator.type != "!" else None
        if node.type == "conditional_expression":
            return [part for key in ("consequence", "alternative") if (part := node.child_by_field_name(key))]
        if node.type == "assignment_expression":
            return [part for part in [node.child_by_field_name("right")] if part]
        if node.type == "call_expression":
            return _selected(node)
        return variable.values if variable is not None and variable.values else None


def _selected(call: Node) -> list[Node] | None:
    """Return the arguments of a call that returns one of them: `min`, `max`, casts."""
    name = called(call)
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if name in _SELECTING and arguments is not None else None


def cast_type(node: Node) -> str:
    """Return the type of a cast: `(T)x`, `static_cast<T>(x)`, `unsigned(x)`; "" for anything else."""
    if node.type == "cast_expression":
        return text_of(node.child_by_field_name("type"))
    if node.type != "call_expression":
        return ""
    function, name = node.child_by_field_name("function"), called(node)
    if name == "static_cast" and function is not None:
        return text_of(function.child_by_field_name("arguments")).strip("<> ")
    return name if name in _SELECTING and not name.endswith(("min", "max")) else ""


def _definition_after(unit: Unit, start: int) -> int:
    """Return the opening brace of the function that a specifier (`__global__`) belongs to, else `start`."""
    following = _BRACE_OR_END.search(unit.code, start)
    return following.start() if following is not None and following[0] == "{" else start
