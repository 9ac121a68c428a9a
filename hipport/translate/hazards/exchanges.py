"""Exchanges through shared memory: an element that one thread writes and another reads, without a barrier between."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.function import Function, Variable, called, text_of, walk
from hipport.translate.dataflow.index_forms import Distance, Form, Indices
from hipport.translate.hazards.helper_accesses import Helper
from hipport.translate.hazards.shared_arrays import Array, Given, SharedArrays, added
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_BARRIER = re.compile(r"sync|wait|barrier|fence|arrive", re.IGNORECASE)
HARMLESS = re.compile(
    r"__|atomic|make_|hipport|tex\dD|(?:f?(?:min|max|abs|sqrt|exp|log|pow|sin|cos|tan|floor|ceil|round|fma|mod|hypot)"
    r"\w{0,3}|rsqrt\w?|u?(?:min|max)|swap|static_cast|reinterpret_cast|const_cast|sizeof|printf|assert|clamp|dot|length"
    r"|(?:get_?)?\w*_id|\w*[lL]ane_?[iI]d\w*|thread_rank|size|num_threads|(?:unsigned|int|float|double|bool|char|uint\w*))\Z"
)
"""Matches functions that are no barriers; others of other files may be."""
RUNS_IN_STEP = "To run it as it is: hipport build --target cpu --lockstep, or hipport run --emulate TARGET."
_MAY_WAIT = ("gnu_asm_expression", "expression_statement", "call_expression")
_WARP = 32
_DEEPEST = 60
_UNROLLED = 6
"""Loops at this depth or above it are followed twice, so that a read sees the writes of the iteration before."""
_MOST = 24
"""The number of writes that are remembered: straight code with more was generated."""
_STRONGEST_FIRST = (Distance.UNKNOWN, Distance.ACROSS, Distance.OTHER, Distance.SAME)
_WORD = re.compile(r"\w+")
_EQUALS = re.compile(r"(?<![<>=!])==(?!=)")


class Access(Struct, frozen=True):
    """An access to an element of an array; `statement` is where it takes place."""

    node: Node
    shared: Array
    forms: tuple[Form, ...]
    indices: tuple[Node, ...]
    statement: Node

    @property
    def array(self) -> Variable:
        return self.shared.variable

    def depends(self, names: frozenset[str]) -> bool:
        """Return whether an index has one of these variables in it."""
        return any(not names.isdisjoint(_WORD.findall(term)) for form in self.forms for term, _ in form.terms)


class Exchange(Struct, frozen=True):
    """An element that is written at the thread's index and read at another's.

    `within`: both threads are in one warp, as far as the indices tell.
    """

    written: Access
    read: Access
    within: bool


class Effect(Struct, frozen=True):
    """The elements that an expression reads and writes, and the names of the variables that it assigns to."""

    reads: tuple[Access, ...]
    written: tuple[Access, ...]
    changed: frozenset[str]


class Pending(Struct):
    """The writes since the last barrier."""

    writes: list[Access] = field(default_factory=list)

    def copy(self) -> Pending:
        return Pending([*self.writes])


class Exchanges:
    """Finds the exchanges of one function."""

    def __init__(
        self, work: Work, function: Function, waiting: frozenset[str], given: Given, helpers: Mapping[str, Helper]
    ) -> None:
        """`waiting`: functions of the file that contain barriers; `given`: what calls give to parameters.

        `helpers`: functions of the file that access arrays that they get.
        """
        self._work = work
        self._function = function
        self._waiting = waiting
        self._helpers = helpers
        self._indices = Indices(work.flow, function)
        self._found: dict[int, Exchange] = {}
        self._effects: dict[tuple[int, int], Effect] = {}
        shared = given.names(function, given.shared)
        self._arrays = SharedArrays(work.flow, function, self._indices, shared)
        self._sequential = frozenset[str]()
        if function.name in given.called:
            parameters = frozenset(one.name for one in function.variables.all() if one.parameter)
            self._sequential = parameters - given.names(function, given.own)

    def all(self) -> list[Exchange]:
        """Return the exchanges without a barrier, by the place of the read."""
        self._visit(self._function.body, Pending(), 0)
        return [self._found[at] for at in sorted(self._found)]

    @cached_property
    def _own(self) -> Mapping[tuple[int, str], set[tuple[Form, ...]]]:
        """The indices at which the function writes each array: those elements are the thread's own."""
        found: dict[tuple[int, str], set[tuple[Form, ...]]] = {}
        for node in self._function.of_type("assignment_expression"):
            for access in self._accesses(node.child_by_field_name("left"), node):
                found.setdefault(access.shared.key, set()).add(access.forms)
        return found

    def _visit(self, node: Node, pending: Pending, depth: int) -> None:
        """Follow a statement; `pending` is changed to what is pending behind it."""
        if depth > _DEEPEST:
            pending.writes = []
        elif node.type == "if_statement":
            self._branch(node, pending, depth)
        elif node.type in ("for_statement", "while_statement", "do_statement", "for_range_loop"):
            body = node.child_by_field_name("body")
            if body is not None and node.type == "while_statement" and not body.named_child_count:
                return  # it waits for another thread
            for part in ("initializer", "condition"):
                self._expression(node.child_by_field_name(part), pending, node)
            for _ in range(0 if body is None else 2 if depth < _UNROLLED else 1):
                assert body is not None
                self._visit(body, pending, depth + 1)
                self._expression(node.child_by_field_name("update"), pending, node)
        elif node.type in ("compound_statement", "switch_statement", "case_statement", "labeled_statement"):
            for child in node.named_children:
                self._visit(child, pending, depth + 1)
        elif node.type != "lambda_expression":
            self._expression(node, pending, node)

    def _branch(self, node: Node, pending: Pending, depth: int) -> None:
        self._expression(node.child_by_field_name("condition"), pending, node)
        before = pending.copy()
        parts = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        behind: list[Access] = []
        for part in parts:
            one = before.copy()
            if part is not None:
                self._visit(part.named_children[0] if part.type == "else_clause" else part, one, depth + 1)
            behind += [access for access in one.writes if access not in behind]
        if any(part is not None and self._has_barrier(part) for part in parts):
            behind = [access for access in behind if access not in before.writes]
        pending.writes = behind

    def _expression(self, node: Node | None, pending: Pending, statement: Node) -> None:
        if node is None:
            return
        if self._has_barrier(node):
            pending.writes = []
        key = node.id, statement.id
        if key not in self._effects:  # bodies of loops are followed several times
            self._effects[key] = self._effect(node, statement)
        effect = self._effects[key]
        for read in effect.reads:
            self._check(read, pending)
        if effect.changed:
            pending.writes = [access for access in pending.writes if not access.depends(effect.changed)]
        pending.writes += [access for access in effect.written if access not in pending.writes]
        del pending.writes[:-_MOST]

    def _effect(self, node: Node, statement: Node) -> Effect:
        """Return what an expression reads and writes."""
        targets = [
            target
            for part in walk(node)
            if part.type == "assignment_expression" and (target := part.child_by_field_name("left")) is not None
        ]
        written = [access for target in targets for access in self._accesses(target, statement)]
        places = {access.node.start_byte for access in written}
        reads = [read for read in self._accesses(node, statement) if read.node.start_byte not in places]
        called_for = [*self._of_helpers(node, statement)] if self._helpers else []
        reads += [access for access, is_written in called_for if not is_written]
        written += [access for access, is_written in called_for if is_written]
        changed = {text_of(target) for target in targets if target.type == "identifier"}
        return Effect(tuple(reads), tuple(written), frozenset(changed))

    def _check(self, read: Access, pending: Pending) -> None:
        if read.forms in self._own.get(read.shared.key, ()) or read.node.start_byte in self._found:
            return
        for written in pending.writes:
            if written.node == read.node and read.node.type == "call_expression":
                continue  # found in the function itself
            same = written.shared.key == read.shared.key
            distance = self._distance(written, read) if same else Distance.UNKNOWN
            if distance in (Distance.OTHER, Distance.ACROSS):
                self._found[read.node.start_byte] = Exchange(written, read, distance is Distance.OTHER)
                return

    def _distance(self, written: Access, read: Access) -> Distance:
        """Return whose element is read: in a dimension another thread's, in the others the same."""
        if len(written.forms) != len(read.forms):
            return Distance.UNKNOWN
        pairs = zip(written.forms, read.forms, read.indices, written.indices, strict=True)
        kinds = [self._of_dimension(*pair, read) for pair in pairs]
        return next(kind for kind in _STRONGEST_FIRST if kind in kinds)

    def _of_dimension(self, written: Form, read: Form, node: Node, target: Node, access: Access) -> Distance:
        difference = read.minus(written)
        if not difference:
            return Distance.SAME
        own = self._indices.own(written)
        if own is None:
            by_parameter = self._is_parameter(written) or (access.array.volatile and self._indices.derived(target))
            return Distance.OTHER if by_parameter and self._is_step(difference, node) else Distance.UNKNOWN
        other, alone = self._indices.own(read), written == Form(((own, 1),))
        if alone and dict(read.terms).get(own) == -1 and not {term for term, _ in read.terms} - {own, ""}:
            return Distance.OTHER if dict(read.terms).get("", 0) < _WARP else Distance.ACROSS  # `s[31 - tid]`
        if self._is_step(difference, node) or (alone and self._indices.is_crossed(node, own)):
            return Distance.OTHER
        if other is not None and other[:11] != own[:11]:
            return Distance.ACROSS  # another coordinate: `tile[y][x]` and `tile[x][y]`
        if not alone or not self._indices.is_shared_by_all(read, node) or self._chooses_one(access):
            return Distance.UNKNOWN
        return Distance.OTHER if self._indices.is_lane(own) else Distance.ACROSS

    def _is_step(self, difference: Mapping[str, int], node: Node) -> bool:
        from collections import Counter

        return self._indices.steps(Counter(difference), node)

    def _is_parameter(self, form: Form) -> bool:
        """Return whether an index is a parameter, such as the `tid` of a helper."""
        name = form.terms[0][0] if len(form.terms) == 1 and form.terms[0][1] == 1 else ""
        variable = self._function.variable(name, self._function.body.start_byte) if name.isidentifier() else None
        return variable is not None and variable.parameter and variable.name not in self._sequential

    def _chooses_one(self, access: Access) -> bool:
        """Return whether a condition around a read chooses one thread: `if (tid == 0)`, which may own the element."""
        parent = self._work.unit.parent(access.node)
        while parent is not None and parent != self._function.body:
            condition = parent.child_by_field_name("condition")
            if condition is not None and (_EQUALS.search(text_of(condition)) or text_of(condition).startswith("(!")):
                return True
            parent = self._work.unit.parent(parent)
        return False

    def _accesses(self, node: Node | None, statement: Node) -> Iterator[Access]:
        """Yield the accesses to shared arrays in a node; for `a[i][j]`, only the whole."""
        waiting = [node] if node is not None else []
        while waiting:
            part = waiting.pop()
            is_element = part.type in ("subscript_expression", "pointer_expression")
            element = self._arrays.element(part) if is_element else None
            if element is not None:
                array, indices, forms = element
                waiting += [index for index in indices if index is not part]
                yield Access(part, array, forms, tuple(indices), statement)
            elif part.type != "lambda_expression":
                waiting += part.named_children

    def _of_helpers(self, node: Node, statement: Node) -> Iterator[tuple[Access, bool]]:
        """Yield the accesses of functions that a node calls, and whether they write."""
        for call in (part for part in walk(node) if part.type == "call_expression"):
            helper, arguments = self._helpers.get(called(call)), call.child_by_field_name("arguments")
            if helper is None or arguments is None:
                continue
            forms = [self._indices.form(argument) for argument in arguments.named_children]
            for touch in helper.touches:
                given = arguments.named_children[touch.place] if touch.place < len(forms) else None
                index, pointed = touch.at(helper.names, forms), self._arrays.pointed(given)
                if index is not None and pointed is not None:
                    array = replace(pointed[0], plain=False)
                    index = added(index, added(array.start, pointed[1]))
                    yield Access(call, array, (index,), (call,), statement), touch.written

    def _has_barrier(self, node: Node) -> bool:
        at = bisect.bisect_left(self._barriers, node.start_byte)
        return at < len(self._barriers) and self._barriers[at] < node.end_byte

    @cached_property
    def _barriers(self) -> list[int]:
        """Where the function has barriers, in order."""
        return [part.start_byte for part in self._function.of_type(*_MAY_WAIT) if self._is_barrier(part)]

    def _is_barrier(self, part: Node) -> bool:
        if part.type == "gnu_asm_expression":
            return _BARRIER.search(self._work.unit.original(Span(part.start_byte, part.end_byte))) is not None
        if part.type == "expression_statement" and [child.type for child in part.named_children] == ["identifier"]:
            return not self._is_empty(text_of(part.named_children[0]))  # a macro: `SYNC;`
        if part.type != "call_expression":
            return False
        name = called(part)
        if self._is_empty(name):
            return False
        if _BARRIER.search(name) or name in self._waiting:
            return True
        if HARMLESS.match(name) or name in self._work.flow.device_names or self._takes_elements(part):
            return False
        return self._function.variable(name, part.start_byte) is None  # an operator that is a parameter or a lambda

    def _is_empty(self, macro: str) -> bool:
        """Return whether a macro is nothing on GPUs, such as the `EMUSYNC` of CUDA's old emulation."""
        bodies = self._work.flow.constants.macros.get(macro, ())
        return "emu" in macro.lower() or any(not self._work.unit.code[one.start : one.end].strip() for one in bodies)

    def _takes_elements(self, call: Node) -> bool:
        """Return whether a call takes elements of shared arrays and its result is used: `s[i] = op(s[i], s[i + 1])`."""
        parent, arguments = self._work.unit.parent(call), call.child_by_field_name("arguments")
        if parent is None or parent.type == "expression_statement" or arguments is None:
            return False
        return any(
            argument.type == "subscript_expression" and self._arrays.element(argument) is not None
            for argument in arguments.named_children
        )


def waiting_functions(work: Work, functions: Sequence[Function]) -> frozenset[str]:
    """Return the functions that contain a barrier, themselves or through others of the file."""
    if not any(map(_BARRIER.search, work.unit.words)):
        return frozenset()
    callees = [(f.name, {called(call) for call in f.calls}) for f in functions if f.name]
    waiting = {name for name, names in callees if any(map(_BARRIER.search, names))}
    grown = bool(waiting)
    while grown:
        callers = {name for name, names in callees if not waiting.isdisjoint(names)}
        grown = not callers <= waiting
        waiting |= callers
    return frozenset(waiting)
