"""Exchanges through shared memory: an element that one thread writes and another reads, without a barrier between."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hipport.source import Span
from hipport.translate.dataflow.flow import called
from hipport.translate.dataflow.function import Function, Variable, text_of, walk
from hipport.translate.dataflow.index_forms import Distance, Form, Indices, subscripts
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_BARRIER = re.compile(r"sync|wait|barrier|fence|arrive", re.IGNORECASE)
_HARMLESS = re.compile(
    r"__|atomic|make_|hipport|tex\dD|(?:f?(?:min|max|abs|sqrt|exp|log|pow|sin|cos|tan|floor|ceil|round|fma|mod|hypot)"
    r"\w{0,3}|rsqrt\w?|u?(?:min|max)|swap|static_cast|reinterpret_cast|const_cast|sizeof|printf|assert|clamp|dot|length"
    r"|get_\w+_id|thread_rank|size|num_threads|(?:unsigned|int|float|double|bool|char|uint\w*))\Z"
)
"""Matches functions that are no barriers; others of other files may be."""
_DEEPEST = 60
_UNROLLED = 6
"""Loops at this depth or above it are followed twice, so that a read sees the writes of the iteration before."""
_MOST = 24
"""The number of writes that are remembered: straight code with more was generated."""
_STRONGEST_FIRST = (Distance.UNKNOWN, Distance.ACROSS, Distance.OTHER, Distance.SAME)
_WORD = re.compile(r"\w+")
_MAKES_SHARED = re.compile(r"(?:\w+::)*\w*[sS]hared\w*\s*(?:<|\()")
"""Matches what makes a pointer to shared memory: `SharedMemory<T>()`."""
_EQUALS = re.compile(r"(?<![<>=!])==(?!=)")


@dataclass(frozen=True, slots=True)
class Access:
    """An access to an element of an array; `statement` is where it takes place."""

    node: Node
    array: Variable
    forms: tuple[Form, ...]
    indices: tuple[Node, ...]
    statement: Node

    def depends(self, names: set[str]) -> bool:
        """Return whether an index has one of these variables in it."""
        return any(not names.isdisjoint(_WORD.findall(term)) for form in self.forms for term, _ in form.terms)


@dataclass(frozen=True, slots=True)
class Exchange:
    """An element that is written at the thread's index and read at another's.

    `within`: both threads are in one warp, as far as the indices tell.
    """

    written: Access
    read: Access
    within: bool


@dataclass(slots=True)
class Pending:
    """The writes since the last barrier."""

    writes: list[Access] = field(default_factory=list)

    def copy(self) -> Pending:
        return Pending([*self.writes])


class Exchanges:
    """Finds the exchanges of one function."""

    def __init__(self, work: Work, function: Function, waiting: frozenset[str], shared: Mapping[str, set[int]]) -> None:
        """`waiting`: functions of the file that contain barriers; `shared`: parameters that get shared memory."""
        self._work = work
        self._function = function
        self._waiting = waiting
        self._indices = Indices(work.flow, function)
        self._found: dict[int, Exchange] = {}
        parameters = sorted((v for v in function.variables.all() if v.parameter), key=lambda v: v.place.start)
        places = shared.get(function.name, set())
        self._given = {v.place for at, v in enumerate(parameters) if at in places and v.pointer}

    def all(self) -> list[Exchange]:
        """Return the exchanges without a barrier, by the place of the read."""
        self._visit(self._function.body, Pending(), 0)
        return [self._found[at] for at in sorted(self._found)]

    @cached_property
    def _own(self) -> Mapping[Variable, set[tuple[Form, ...]]]:
        """The indices at which the function writes each array: those elements are the thread's own."""
        found: dict[int, set[tuple[Form, ...]]] = {}
        arrays: dict[int, Variable] = {}
        for node in walk(self._function.body):
            if node.type == "assignment_expression":
                for access in self._accesses(node.child_by_field_name("left"), node):
                    arrays[id(access.array)] = access.array
                    found.setdefault(id(access.array), set()).add(access.forms)
        return _ByIdentity({at: (arrays[at], forms) for at, forms in found.items()})

    def _visit(self, node: Node, pending: Pending, depth: int) -> None:
        """Follow a statement; `pending` is changed to what is pending behind it."""
        if depth > _DEEPEST:
            pending.writes = []
        elif node.type == "if_statement":
            self._branch(node, pending, depth)
        elif node.type in ("for_statement", "while_statement", "do_statement", "for_range_loop"):
            for part in ("initializer", "condition"):
                self._expression(node.child_by_field_name(part), pending, node)
            body = node.child_by_field_name("body")
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
        targets = [
            target
            for part in walk(node)
            if part.type == "assignment_expression" and (target := part.child_by_field_name("left")) is not None
        ]
        written = [access for target in targets for access in self._accesses(target, statement)]
        places = {access.node.start_byte for access in written}
        for read in self._accesses(node, statement):
            if read.node.start_byte not in places:
                self._check(read, pending)
        changed = {text_of(target) for target in targets if target.type == "identifier"}
        pending.writes = [access for access in pending.writes if not access.depends(changed)]
        pending.writes += [access for access in written if access not in pending.writes]
        del pending.writes[:-_MOST]

    def _check(self, read: Access, pending: Pending) -> None:
        if read.forms in self._own[read.array] or read.node.start_byte in self._found:
            return
        for written in pending.writes:
            distance = self._distance(written, read) if written.array is read.array else Distance.UNKNOWN
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
        return variable is not None and variable.parameter

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
            if part.type == "subscript_expression":
                array, indices = subscripts(part)
                waiting += indices
                variable = self._array(array, part) if array is not None else None
                if variable is not None:
                    forms = tuple(self._indices.form(index) for index in indices)
                    yield Access(part, variable, forms, tuple(indices), statement)
                    continue
                waiting += [array] if array is not None and array.type != "identifier" else []
            elif part.type != "lambda_expression":
                waiting += part.named_children

    def _array(self, node: Node, at: Node) -> Variable | None:
        """Return the shared array, or the pointer to shared memory, that a name means."""
        variable = self._function.variable(text_of(node), at.start_byte) if node.type == "identifier" else None
        if variable is None:
            return None
        if variable.shared or (variable.volatile and variable.pointer) or variable.place in self._given:
            return variable
        value = variable.values[0] if variable.pointer and len(variable.values) == 1 else None
        if value is None or value.type != "identifier":
            is_made = value is not None and _MAKES_SHARED.match(text_of(value)) is not None
            return variable if is_made else None
        return self._array(value, value)

    def _has_barrier(self, node: Node) -> bool:
        at = bisect.bisect_left(self._barriers, node.start_byte)
        return at < len(self._barriers) and self._barriers[at] < node.end_byte

    @cached_property
    def _barriers(self) -> list[int]:
        """Where the function has barriers, in order."""
        return [part.start_byte for part in walk(self._function.body) if self._is_barrier(part)]

    def _is_barrier(self, part: Node) -> bool:
        if part.type == "gnu_asm_expression":
            return _BARRIER.search(self._work.unit.original(Span(part.start_byte, part.end_byte))) is not None
        if part.type == "expression_statement" and [child.type for child in part.named_children] == ["identifier"]:
            return True  # a macro: `SYNC;`
        if part.type != "call_expression":
            return False
        name = called(part)
        if _BARRIER.search(name) or name in self._waiting:
            return True
        return not _HARMLESS.match(name) and name not in self._defined

    @cached_property
    def _defined(self) -> frozenset[str]:
        return frozenset(function.name for function in self._work.flow.device_functions)


class _ByIdentity(Mapping[Variable, set[tuple[Form, ...]]]):
    """A mapping by the identity of variables, which are not hashable."""

    def __init__(self, found: Mapping[int, tuple[Variable, set[tuple[Form, ...]]]]) -> None:
        self._found = found

    def __getitem__(self, key: Variable) -> set[tuple[Form, ...]]:
        return self._found[id(key)][1] if id(key) in self._found else set()

    def __iter__(self) -> Iterator[Variable]:
        return (variable for variable, _ in self._found.values())

    def __len__(self) -> int:
        return len(self._found)


def waiting_functions(work: Work, functions: Sequence[Function]) -> frozenset[str]:
    """Return the functions that contain a barrier, themselves or through others of the file."""
    direct = {f.name for f in functions if any(_BARRIER.search(called(call)) for call in f.calls)} - {""}
    grown = True
    while grown:
        callers = {f.name for f in functions if any(called(call) in direct for call in f.calls)} - {""}
        grown = not callers <= direct
        direct |= callers
    return frozenset(direct)


def shared_parameters(functions: Sequence[Function]) -> dict[str, set[int]]:
    """Return for each function the parameters that calls in the file give a shared array to."""
    found: dict[str, set[int]] = {}
    for function in functions:
        for call in function.calls:
            arguments = call.child_by_field_name("arguments")
            for at, argument in enumerate(arguments.named_children if arguments is not None else []):
                name = text_of(argument)
                variable = function.variable(name, call.start_byte) if name.isidentifier() else None
                if variable is not None and variable.shared:
                    found.setdefault(called(call), set()).add(at)
    return found
