"""The number of lanes per warp that code around a cross-lane call assumes: a literal 32, or `warpSize`.

CUDA's functions default to a width of `warpSize`, which is 32 there. A program that uses 32 elsewhere (`lane = tid &
31`, steps from 16 on) means logical warps of 32 lanes, and is correct on a wavefront of 64 if each half is a warp of
its own. One that uses `warpSize` everywhere means the whole wavefront.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from functools import cached_property

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.call_graph import CallGraph
from hipport.translate.dataflow.cross_lane import CROSS_LANE, SHUFFLES, SHUFFLES_SYNC
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, called, first_child, text_of, walk
from hipport.translate.dataflow.origins import is_thread_index, uses_wave_size
from hipport.translate.syntax.unit import Node

_WAVE_SIZE = frozenset({"warpSize"})
_OWN_MEMBER = re.compile(r"(?:\.|->)\s*\Z")


class Lanes(enum.Enum):
    """The size of a warp that the source assumes."""

    LOGICAL_32 = "32 lanes, whatever the hardware"
    WAVEFRONT = "warpSize lanes"


class Warps:
    """The warp sizes that the functions of a unit assume."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._unit = flow.unit
        self._uses: dict[int, bool] = {}
        self._says: dict[int, bool] = {}
        self._steps: dict[int, frozenset[int]] = {}
        self._implied: dict[int, Lanes | None] = {}
        self._over_32: dict[int, bool] = {}

    @cached_property
    def wave_names(self) -> frozenset[str]:
        """`warpSize`, unless the file defines it as a constant of its own, and the macros that expand to it.

        Those of files that it includes count where it does not define them itself.
        """
        if self.flow.constants.value("warpSize") is not None:
            return frozenset()
        code = self._unit.code
        macros = self.flow.constants.macros
        return (
            _WAVE_SIZE
            | (self.flow.told.wave_sizes - macros.keys())
            | {
                name
                for name, bodies in macros.items()
                if any(re.search(r"\bwarpSize\b", code[body.start : body.end]) for body in bodies)
            }
        )

    def at(self, call: Node | None, offset: int) -> Lanes:
        """Return the lanes assumed by a cross-lane call; `call` is its node if the tree has one."""
        if call is not None and is_member(call):
            return Lanes.WAVEFRONT
        function = self.flow.function_at(offset)
        if function is None:
            return self._of_file()
        told = self._from_step(call, function) if call is not None else None
        return told or self.of(function)

    def of(self, function: Function) -> Lanes:
        """Return the lanes that a function as a whole assumes."""
        return self._shown(function) or self._of_graph(function)

    def _shown(self, function: Function) -> Lanes | None:
        """Return what a function shows itself."""
        if self.uses_wave_size(function):
            return Lanes.WAVEFRONT
        return Lanes.LOGICAL_32 if self.says_32(function) else None

    def uses_wave_size(self, function: Function) -> bool:
        """Return whether a function mentions `warpSize`."""
        if function.span.start not in self._uses:
            self._uses[function.span.start] = any(True for _ in self.wave_size_places(function))
        return self._uses[function.span.start]

    def wave_size_places(self, function: Function) -> Iterator[Span]:
        """Yield where a function mentions the built-in variable `warpSize`."""
        code = self._unit.code
        for name in sorted(self.wave_names & self._unit.words):
            for match in re.finditer(rf"\b{re.escape(name)}\b", code[function.span.start : function.span.end]):
                start = function.span.start + match.start()
                member = _OWN_MEMBER.search(code, max(0, start - 16), start)
                between = not function.macro and self._unit.directive_at(start) is not None
                if not member and not between and function.variable(name, start) is None:
                    yield Span(start, start + len(name))

    def says_32(self, function: Function) -> bool:
        """Return whether a function assumes 32 lanes.

        Signs of it are steps from 16 on, thread indices split by 32, and shuffles of width 32.
        """
        if function.span.start not in self._says:
            splits = any(True for _ in self.splits(function))
            self._says[function.span.start] = splits or self._steps_from_16(function) or self._has_width_32(function)
        return self._says[function.span.start]

    def splits(self, function: Function) -> Iterator[Node]:
        """Yield thread indices split into warp and lane by 32: `% 32`, `& 31`, `/ 32`, `>> 5`."""
        for node in function.of_type("binary_expression"):
            if self._is_split(node, function):
                yield node

    def _is_split(self, node: Node, function: Function) -> bool:
        operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
        wanted = _SPLITS.get(operator.type) if operator is not None else None
        if wanted is None or self.flow.constant(right, function) != wanted:
            return False
        return is_thread_index(self.flow, node.child_by_field_name("left"), function)

    def exchanges(self, function: Function) -> Iterator[Node]:
        """Yield the cross-lane calls that depend on the warp size; shuffles with a width only if it is above 16."""
        for call in self.calls(function, CROSS_LANE):
            width = shuffle_width(call)
            if width is None or (self.flow.constant(width, function) or 0) > 16 or self.is_wave_size(width, function):
                yield call

    def is_wave_size(self, node: Node | None, function: Function) -> bool:
        """Return whether a value depends on `warpSize`."""
        return uses_wave_size(self.flow, node, function, self.wave_names)

    def calls(self, function: Function, names: frozenset[str]) -> Iterator[Node]:
        """Yield the calls to these functions inside a function."""
        return (call for name, call in function.named_calls if name in names and not is_member(call))

    def _steps_from_16(self, function: Function) -> bool:
        return any(
            self._from_step(call, function) is Lanes.LOGICAL_32
            for call in self.calls(function, SHUFFLES | SHUFFLES_SYNC)
        )

    def _has_width_32(self, function: Function) -> bool:
        widths = map(shuffle_width, self.calls(function, SHUFFLES | SHUFFLES_SYNC))
        return any(width is not None and self.flow.constant(width, function) == 32 for width in widths)

    def _from_step(self, call: Node, function: Function) -> Lanes | None:
        """Return the lanes implied by a shuffle's lane or delta argument; None for a vote or if it implies nothing."""
        if call.id not in self._implied:
            self._implied[call.id] = self._implied_by(call, function)
        return self._implied[call.id]

    def _implied_by(self, call: Node, function: Function) -> Lanes | None:
        step = shuffle_step(call)
        if step is None:
            return None
        if self.is_wave_size(step, function) or self._bounded_by_wave(step, function):
            return Lanes.WAVEFRONT
        return Lanes.LOGICAL_32 if self.steps_over_32(call, function) else None

    def steps_over_32(self, call: Node, function: Function) -> bool:
        """Return whether the lane or delta of a shuffle takes values up to those of a warp of 32 lanes."""
        if call.id not in self._over_32:
            self._over_32[call.id] = self._takes_over_32(call, function)
        return self._over_32[call.id]

    def _takes_over_32(self, call: Node, function: Function) -> bool:
        step = shuffle_step(call)
        if step is None:
            return False
        starts = self._constants(step, function)
        if starts == {31} and called(call) in ("__shfl", "__shfl_sync"):
            return True
        if self.flow.constant(step, function) is not None:
            starts |= self._unrolled(function)
        return (16 in starts and 32 not in starts) or self._bounded_by_32(step, function)

    def _unrolled(self, function: Function) -> frozenset[int]:
        """Return the constant steps of all shuffles of a function: 16, 8, 4... written out belong together."""
        if function.span.start not in self._steps:
            calls = self.calls(function, SHUFFLES | SHUFFLES_SYNC)
            steps = (self.flow.constant(shuffle_step(call), function) for call in calls)
            self._steps[function.span.start] = frozenset(step for step in steps if step is not None)
        return self._steps[function.span.start]

    def _constants(self, step: Node, function: Function) -> set[int]:
        """Return the constants that a value may start as."""
        whole = self.flow.constant(step, function)
        if whole is not None:
            return {whole}
        shifted = _shift_of_one(step)
        if shifted is not None:
            return {1 << bit for bit in self._constants(shifted, function) if 0 <= bit < 32}
        found = set()
        variable = function.variable(text_of(step), step.start_byte) if step.type == "identifier" else None
        for value in variable.values if variable is not None else ():
            number = self.flow.constant(value, function)
            if number is not None:
                found.add(number)
        return found

    def _bounded_by_wave(self, step: Node, function: Function) -> bool:
        """Return whether the loop around a step has a bound such as `for (d = 1; d < warpSize; d *= 2)`."""
        condition = self.loop_condition(step, function)
        return condition is not None and any(self.is_wave_size(side, function) for side in condition.named_children)

    def _bounded_by_32(self, step: Node, function: Function) -> bool:
        """Return whether the loop around a step is like `for (d = 1; d < 32; d *= 2)`, or has steps up to `1 << 4`."""
        condition = self.loop_condition(step, function)
        sides = condition.named_children if condition is not None else []
        operator = condition.child_by_field_name("operator") if condition is not None else None
        if len(sides) != 2 or operator is None or sides[0].type != "identifier":
            return False
        shifted = _shift_of_one(step)
        counter = shifted if shifted is not None else step
        bound = self.flow.constant(sides[1], function)
        last = {"<": (32, 5), "!=": (32, 5), "<=": (16, 4)}.get(operator.type)
        same = any(node.type == "identifier" and text_of(node) == text_of(sides[0]) for node in walk(counter))
        return same and last is not None and bound == last[shifted is not None]

    def loop_condition(self, step: Node, function: Function) -> Node | None:
        """Return the condition of the loop around a step, if it is a comparison."""
        span = Span(step.start_byte, step.end_byte)
        loops = (self._unit.enclosing(span, kind) for kind in ("for_statement", "while_statement"))
        inside = [loop for loop in loops if loop is not None and loop.start_byte >= function.span.start]
        loop = max(inside, key=lambda each: each.start_byte, default=None)
        condition = loop.child_by_field_name("condition") if loop is not None else None
        while condition is not None and condition.type in ("condition_clause", "parenthesized_expression"):
            condition = first_child(condition)
        return condition if condition is not None and condition.type == "binary_expression" else None

    def _of_graph(self, function: Function) -> Lanes:
        """Return the lanes for a function that shows none: those of its callers if they agree, of what it calls."""
        if not self._is_mixed:
            return self._of_file()
        name = function.name or self._graph.owner(function)
        for neighbours in (self._graph.callers, self._graph.callees):
            found = self._around(name, neighbours)
            if len(found) == 1:
                return found.pop()
        return self._of_file()

    def _around(self, name: str, neighbours: Mapping[str, tuple[Function, ...]]) -> set[Lanes]:
        """Return what the nearest functions show that are reached by `neighbours`."""
        found: set[Lanes] = set()
        seen, waiting = {name}, [name]
        while waiting:
            for function in neighbours.get(waiting.pop(), ()):
                shown = self._shown(function)
                further = function.name or self._graph.owner(function)
                if shown is not None:
                    found.add(shown)
                elif further not in seen:
                    seen.add(further)
                    waiting.append(further)
        return found

    @cached_property
    def _graph(self) -> CallGraph:
        return CallGraph(self.flow)

    def _of_file(self) -> Lanes:
        return Lanes.WAVEFRONT if self._has_wave and not self._is_mixed else Lanes.LOGICAL_32

    @cached_property
    def _has_wave(self) -> bool:
        return any(
            function.device and self.uses_wave_size(function) for function in self.flow.functions(self.wave_names)
        )

    @cached_property
    def _is_mixed(self) -> bool:
        """Return whether functions of the file show both sizes, so that the file as a whole shows CUDA's default."""
        others = self.flow.functions(CROSS_LANE | {"threadIdx"}) if self._has_wave else ()
        return any(self.says_32(function) for function in others)


def is_member(call: Node) -> bool:
    """Return whether a call is that of a member, such as the ballot of a group."""
    callee = call.child_by_field_name("function")
    return callee is not None and callee.type == "field_expression"


def _shift_of_one(node: Node) -> Node | None:
    """Return the bit of `1 << bit`."""
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if operator is None or operator.type != "<<" or left is None:
        return None
    return right if text_of(left).rstrip("uUlL") == "1" else None


_SPLITS = {"%": 32, "/": 32, "&": 31, ">>": 5}


def shuffle_step(call: Node) -> Node | None:
    """Return the argument of a shuffle that is a lane or a delta."""
    name, arguments = called(call), call.child_by_field_name("arguments")
    at = 2 if name in SHUFFLES_SYNC else 1 if name in SHUFFLES else None
    given = arguments.named_children if arguments is not None else []
    return given[at] if at is not None and at < len(given) else None


def shuffle_width(call: Node) -> Node | None:
    """Return the width argument of a shuffle."""
    name, arguments = called(call), call.child_by_field_name("arguments")
    at = 3 if name in SHUFFLES_SYNC else 2 if name in SHUFFLES else None
    given = arguments.named_children if arguments is not None else []
    return given[at] if at is not None and at < len(given) else None
