"""Which device functions and macros of a file call which, by name."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.syntax.lexer import Directive, DirectiveKind

_QUALIFIER = re.compile(r"(\w+)\s*::\s*\Z")
_CALL = "(<{"
_WORD = re.compile(r"[A-Za-z_]\w*")
_LANE_WORDS = CROSS_LANE | {"warpSize", "threadIdx", "tiled_partition", "asm"}


def _offset(place: tuple[str, int]) -> int:
    return place[1]


class CallGraph:
    """The device functions and function-like macros of a file, by the names under which they are called.

    A class stands for its call operator, so that `Sum()(x)` and `Sum sum; apply(sum, x)` are calls of it.
    """

    def __init__(self, flow: Flow) -> None:
        self._unit = flow.unit
        self._flow = flow

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """All device functions of the file, and the function-like macros that may call them or depend on lanes."""
        functions = self._flow.device_functions
        words = _LANE_WORDS | self._flow.device_names
        macros = (self._flow.function_at(line.body.start) for line in self._macros(words))
        return (*functions, *(macro for macro in macros if macro is not None))

    def _macros(self, words: frozenset[str]) -> Iterator[Directive]:
        for line in self._unit.directives:
            if line.kind is DirectiveKind.DEFINE and line.body.start < line.body.end:
                body = self._unit.code[line.body.start : line.body.end]
                if not words.isdisjoint(_WORD.findall(body)):
                    yield line

    @cached_property
    def named(self) -> Mapping[str, tuple[Function, ...]]:
        """The functions by name."""
        found: dict[str, tuple[Function, ...]] = {}
        for function in self.functions:
            name = function.name or self.owner(function)
            if name:
                found[name] = (*found.get(name, ()), function)
        return found

    def owner(self, function: Function) -> str:
        """Return the name of the class around a function."""
        node = self._unit.parent(function.node)
        while node is not None and node.type not in ("struct_specifier", "class_specifier"):
            node = self._unit.parent(node)
        return text_of(node.child_by_field_name("name")) if node is not None else ""

    def calls(self, function: Function, others: Collection[str] = ()) -> tuple[tuple[str, str, Span], ...]:
        """Return name, qualifier and place of the functions of the file, and of `others`, that a function uses."""
        key = (function.body.start_byte, frozenset(others))
        if key not in self._calls:
            self._calls[key] = tuple(self._called(function, self._places(key[1])))
        return self._calls[key]

    def _called(self, function: Function, places: list[tuple[str, int]]) -> Iterator[tuple[str, str, Span]]:
        first = bisect.bisect_left(places, function.body.start_byte, key=_offset)
        for name, offset in places[first : bisect.bisect_left(places, function.body.end_byte, key=_offset)]:
            if self._is_use(function, name, offset):
                before = self._unit.code[max(0, offset - 80) : offset]
                qualifier = _QUALIFIER.search(before)
                yield name, qualifier[1] if qualifier else "", Span(offset, offset + len(name))

    @cached_property
    def callers(self) -> Mapping[str, tuple[Function, ...]]:
        """The functions that call a function, by its name."""
        found: dict[str, tuple[Function, ...]] = {}
        for function in self.functions:
            for name in dict.fromkeys(name for name, _, _ in self.calls(function)):
                found[name] = (*found.get(name, ()), function)
        return found

    @cached_property
    def callees(self) -> Mapping[str, tuple[Function, ...]]:
        """The functions that a function calls, by its name."""
        found: dict[str, tuple[Function, ...]] = {}
        for function in self.functions:
            called = dict.fromkeys(name for name, _, _ in self.calls(function))
            name = function.name or self.owner(function)
            found[name] = (*found.get(name, ()), *(each for callee in called for each in self.named[callee]))
        return found

    def _places(self, others: frozenset[str]) -> list[tuple[str, int]]:
        if others not in self._found:
            self._found[others] = self._unit.occurrences(others | self.named.keys())
        return self._found[others]

    @cached_property
    def _found(self) -> dict[frozenset[str], list[tuple[str, int]]]:
        return {}

    @cached_property
    def _calls(self) -> dict[tuple[int, frozenset[str]], tuple[tuple[str, str, Span], ...]]:
        return {}

    def _is_use(self, function: Function, name: str, offset: int) -> bool:
        """Return whether a name is not a variable of the function, nor a member that is no function."""
        if function.variable(name, offset) is not None:
            return False
        code = self._unit.code
        start, after = skip_blanks_back(code, offset), skip_blanks(code, offset + len(name))
        is_member = code[start - 1 : start] == "." or code[start - 2 : start] == "->"
        return not is_member or code[after : after + 1] in _CALL
