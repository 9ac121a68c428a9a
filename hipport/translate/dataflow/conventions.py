"""How many lanes the functions of a call graph take a warp for: 32, or `warpSize`.

What a file knows of its functions is told to the files that include it, as `Conversion.defines`: a SIGN
`32:exchanges:step:warp.cuh:12` of `sum` says that `sum`, or rather `step`, which it calls, shows at that line that its
warps have 32 lanes; a CALL of `lane` by `sum` says that whoever calls `sum` needs to know about `lane`, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePath

from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.files.facts import Fact, facts_of
from hipport.files.facts import Kind as FactKind
from hipport.source import Span
from hipport.translate.dataflow.call_graph import CallGraph
from hipport.translate.dataflow.called_names import (
    LANE_WORDS,
    calls_in,
    declared_functions,
    has_device_code,
    includes_own,
    may_show,
)
from hipport.translate.dataflow.cross_lane import SHUFFLES, SHUFFLES_SYNC
from hipport.translate.dataflow.function import Function, called, first_child, text_of
from hipport.translate.dataflow.lanes import Lanes, Warps, shuffle_step, shuffle_width
from hipport.translate.dataflow.origins import is_thread_index
from hipport.translate.dataflow.shapes import shapes
from hipport.translate.dataflow.signs import Disagreement, Sense, Sign, Signs, clash, mixes, weight
from hipport.translate.dataflow.sizes import SizeParameter, read_size, size_given, size_parameters
from hipport.translate.syntax.unit import Node

_PTX_EXCHANGE = re.compile(r"\b(?:shfl|vote|match|redux)\.")
_PTX_LANES = re.compile(r"%(?:laneid|lanemask_|warpid)")
_ASM = frozenset({"asm", "__asm__", "__asm"})
_SIGN = re.compile(r"(\w+):(\w+):(\w+):(.*):(\d+)\Z", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")


_DEEPEST = 12
"""Limit on nested calls that are followed."""


class Conventions:
    """The signs of a file's functions, and of functions that other files told it about."""

    def __init__(self, warps: Warps, told: Iterable[str] = ()) -> None:
        self.graph = CallGraph(warps.flow)
        self._warps = warps
        self._unit = warps.flow.unit
        self._told: dict[str, Signs] = {}
        self._edges: dict[str, tuple[str, ...]] = {}
        self._sized: dict[str, tuple[tuple[SizeParameter, str, str], ...]] = {}
        for fact in facts_of(sorted(told), FactKind.SIGN, FactKind.CALL):
            self._hear(fact)
        self._own: dict[int, Signs] = {}
        self._reached: dict[tuple[str, str, int], Signs] = {}

    def _hear(self, fact: Fact) -> None:
        name = fact.subject
        if fact.kind is FactKind.CALL:
            self._edges[name] = (*self._edges.get(name, ()), fact.value)
            return
        match = _SIGN.match(fact.value)
        size = read_size(match[1]) if match is not None else None
        if match is not None and size is not None:
            self._sized[name] = (*self._sized.get(name, ()), (size, match[3], match[4]))
        elif match is not None:
            lanes = Lanes.LOGICAL_32 if match[1] == "32" else Lanes.WAVEFRONT
            sign = Sign(lanes, Sense(match[2]), match[3], match[4], int(match[5]))
            self._told[name] = (*self._told.get(name, ()), sign)

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        return frozenset(self._told) | frozenset(self._edges) | frozenset(self._sized)

    def own(self, function: Function) -> Signs:
        """Return the signs in a function's own code: one for each number of lanes and sense."""
        if function.span.start not in self._own:
            found: dict[tuple[Lanes, Sense], Sign] = {}
            for lanes, sense, node in self._signs(function):
                found.setdefault((lanes, sense), self._sign(function, lanes, sense, node))
            self._own[function.span.start] = tuple(found.values())
        return self._own[function.span.start]

    def _sign(self, function: Function, lanes: Lanes, sense: Sense, span: Span) -> Sign:
        line, _ = self._unit.source.position(span.start)
        name = function.name or self.graph.owner(function)
        return Sign(lanes, sense, name, self._file, line)

    @cached_property
    def _file(self) -> str:
        return PurePath(self._unit.source.name).name

    def _signs(self, function: Function) -> Iterator[tuple[Lanes, Sense, Span]]:
        words = set(_NAME.findall(self._unit.code[function.span.start : function.span.end]))
        if words.isdisjoint(LANE_WORDS | _ASM | {"threadIdx", "thread_rank"} | self._warps.wave_names):
            return
        sized = any(True for _ in size_parameters(self._warps, function))
        for call in self._warps.exchanges(function):
            lanes = self._lanes_of(call, function)
            follows = sized and lanes is Lanes.WAVEFRONT and called(call) in SHUFFLES | SHUFFLES_SYNC
            if not follows and not self._is_neutral(call, function):  # a parameter decides how far steps go
                yield lanes, Sense.EXCHANGES, _span(call)
        if words & (_ASM | {"tiled_partition"}):
            yield from self._in_words(function)
        for split in self._warps.splits(function):
            yield Lanes.LOGICAL_32, self._numbering(split, function), _span(split)
        for place in self._warps.wave_size_places(function):
            split_by = self._split_around(place, function)
            sense = self._numbering(split_by, function) if split_by is not None else Sense.MENTIONS
            yield Lanes.WAVEFRONT, sense, place

    def _in_words(self, function: Function) -> Iterator[tuple[Lanes, Sense, Span]]:
        """Yield inline PTX that depends on lanes, and tiles of 32: both stay 32 lanes wide in a translation."""
        for node in function.of_type("gnu_asm_expression", "template_function"):
            if node.type == "gnu_asm_expression":
                text = self._unit.original(_span(node))
                if _PTX_EXCHANGE.search(text):
                    yield Lanes.LOGICAL_32, Sense.EXCHANGES, _span(node)
                elif _PTX_LANES.search(text):
                    yield Lanes.LOGICAL_32, Sense.RETURNS, _span(node)
            elif self._is_tile_of_32(node, function):
                yield Lanes.LOGICAL_32, Sense.EXCHANGES, _span(node)

    def _lanes_of(self, call: Node, function: Function) -> Lanes:
        """Return the lanes that a call spans once it is translated."""
        if self._warps.steps_over_32(call, function):
            return Lanes.LOGICAL_32
        width = shuffle_width(call)
        if width is not None:
            return Lanes.WAVEFRONT if self._warps.is_wave_size(width, function) else Lanes.LOGICAL_32
        return self._warps.at(call, call.start_byte)

    def _is_neutral(self, call: Node, function: Function) -> bool:
        """Return whether a shuffle computes the same in warps of 32 and of 64 lanes: its steps stay inside of 16."""
        if called(call) not in SHUFFLES | SHUFFLES_SYNC or self._warps.steps_over_32(call, function):
            return False
        step = self._warps.flow.constant(shuffle_step(call), function)
        if step is None or not 0 <= step < 16:
            return False
        return "xor" in called(call) or ("shfl_down" in called(call) and step > 1)

    def _is_tile_of_32(self, node: Node, function: Function) -> bool:
        if text_of(node.child_by_field_name("name")) != "tiled_partition":
            return False
        return self._warps.flow.constant(first_child(node.child_by_field_name("arguments")), function) == 32

    def _numbering(self, split: Node, function: Function) -> Sense:
        """Return whether a function hands a lane's or warp's number on, directly or in a variable."""
        node = self._unit.parent(split)
        while node is not None and node.type in ("parenthesized_expression", "cast_expression", "argument_list"):
            node = self._unit.parent(node)
        return Sense.RETURNS if node is not None and self._hands_on(node, split, function) else Sense.NUMBERS

    def _hands_on(self, node: Node, split: Node, function: Function) -> bool:
        if node.type == "return_statement":
            return True
        if node.type != "assignment_expression":
            return node.start_byte <= function.body.start_byte  # all of a macro
        target = node.child_by_field_name("left")
        variable = function.variable(text_of(target), split.start_byte) if target is not None else None
        return variable is None or variable.parameter

    def _split_around(self, place: Span, function: Function) -> Node | None:
        """Return the `threadIdx.x % warpSize` or the like around a mention of `warpSize`."""
        node = self._unit.node_at(place)
        for _ in range(3):
            node = self._unit.parent(node) if node is not None else None
            if node is None or node.type not in ("binary_expression", "parenthesized_expression"):
                return None
            operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
            if operator is not None and operator.type in ("%", "/", "&"):
                return node if is_thread_index(self._warps.flow, left, function) else None
        return None

    def summary(self, name: str, qualifier: str = "") -> Signs:
        """Return the signs that a function shows its callers, its own and those of functions it calls.

        A function that shows both numbers of lanes shows none: it is reported where it is.
        """
        return self._visible(self._reach(name, qualifier, _DEEPEST))

    def _visible(self, signs: Signs) -> Signs:
        if len({sign.lanes for sign in signs}) != 1:
            return ()
        if any(sign.sense is Sense.EXCHANGES for sign in signs):
            return signs
        return tuple(sign for sign in signs if sign.sense is Sense.RETURNS)

    def _reach(self, name: str, qualifier: str, depth: int) -> Signs:
        """Return the signs of a function and of those that it calls, up to a depth of calls, which ends recursion."""
        if not depth:
            return ()
        key = (name, qualifier, depth)
        if key not in self._reached:
            self._reached[key] = self._collected(name, qualifier, depth)
        return self._reached[key]

    def _collected(self, name: str, qualifier: str, depth: int) -> Signs:
        functions = self.graph.named.get(name, ())
        owned = [function for function in functions if self.graph.owner(function) == qualifier] if qualifier else []
        found: dict[Sign, None] = dict.fromkeys(self._told.get(name, ()) if not functions else ())
        for function in owned or functions:
            found |= dict.fromkeys(self.own(function))
            for callee, inner, place in self.graph.calls(function, self._elsewhere):
                if callee != name:
                    found |= dict.fromkeys(self._visible(self._reach(callee, inner, depth - 1)))
                found |= dict.fromkeys(self._given(function, callee, place))
        for callee in self._edges.get(name, ()) if not functions else ():
            found |= dict.fromkeys(self._visible(self._reach(callee, "", depth - 1)))
        return tuple(found)

    def disagreements(self) -> Iterator[Disagreement]:
        """Yield one disagreement for each function whose callees disagree with it, or with each other."""
        for function in self.graph.functions:
            found = self._disagreement(function)
            if found is not None:
                yield found

    def _disagreement(self, function: Function) -> Disagreement | None:
        before = list(self.own(function))
        if mixes(before) and any(sign.sense is Sense.EXCHANGES for sign in before):
            return None
        name = function.name or self.graph.owner(function)
        for callee, qualifier, place in self.graph.calls(function, self._elsewhere):
            if callee == name:
                continue
            signs = (*self._given(function, callee, place), *self.summary(callee, qualifier))
            for second in sorted(signs, key=weight):
                others = [sign for sign in (*before, *signs) if sign.lanes is not second.lanes and clash(sign, second)]
                if others:
                    return Disagreement(function, place, min(others, key=weight), second)
            before += signs
        return None

    def sizes(self, name: str) -> tuple[tuple[SizeParameter, str, str], ...]:
        """Return the parameters of a function that are numbers of lanes, with its own name and that of its class."""
        if name not in self._sized:
            self._sized[name] = tuple(
                (size, name, self.graph.owner(function))
                for function in self.graph.named.get(name, ())
                for size in size_parameters(self._warps, function)
            )
        return self._sized[name]

    def _given(self, caller: Function, callee: str, place: Span) -> Signs:
        """Return what a call shows by the number of lanes that it hands over."""
        lanes = {size_given(self._warps, caller, place, owner, size) for size, _, owner in self.sizes(callee)} - {None}
        sign = self._sign(caller, Lanes.LOGICAL_32, Sense.EXCHANGES, place)
        return tuple(replace(sign, lanes=each, function=callee) for each in lanes if each is not None)

    def facts(self) -> Iterator[str]:
        """Yield what files that include this one need to know about its functions."""
        yield from shapes(self._warps)
        yield from (str(Fact(FactKind.DECLARED, name)) for name in declared_functions(self._unit))
        if not has_device_code(self._unit):
            return
        if "warpSize" in self._unit.words:
            yield from (str(Fact(FactKind.WAVE_SIZE, name)) for name in sorted(self._warps.wave_names - {"warpSize"}))
        if may_show(self._unit):
            for name in filter(str.isidentifier, self.graph.named):
                yield from (str(Fact(FactKind.SIGN, name, str(sign))) for sign in self.summary(name))
                sizes = (f"{size}:exchanges:{name}:{owner}:1" for size, _, owner in self.sizes(name))
                yield from (str(Fact(FactKind.SIGN, name, size)) for size in sizes)
            yield from self._fixed()
        if includes_own(self._unit):
            if not may_show(self._unit):
                yield from self._fixed()
            for function in self.graph.functions:
                body = function.body
                callees = calls_in(self._unit.code).names(body.start_byte, body.end_byte) - self.graph.named.keys()
                name = function.name or self.graph.owner(function)
                yield from (str(Fact(FactKind.CALL, name, callee)) for callee in callees if name.isidentifier())

    def _fixed(self) -> Iterator[str]:
        """Yield the kernels that do not ask for the size of their grid or block."""
        for function in self.graph.functions:
            if function.kernel and function.name:
                body = self._unit.code[function.body.start_byte : function.body.end_byte]
                sizes = (what for what in _SIZES if not asks_size(body, what))
                yield from (str(Fact(FactKind.FIXED, function.name, what)) for what in sizes)


_SIZES = {"grid": "gridDim", "block": "blockDim"}


def asks_size(body: str, what: str) -> bool:
    """Return whether the code of a kernel asks for the size of its grid or block."""
    return _SIZES[what] in body or "this_grid" in body or "this_thread_block" in body


def _span(node: Node) -> Span:
    return Span(node.start_byte, node.end_byte)
