"""Decide for each kernel whether its threads can run together, and which variables outlive a barrier."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, structs

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.for_cpu.kernels import Kernel
from hipport.translate.for_cpu.together.calls import Calls
from hipport.translate.for_cpu.together.changes import Change, changes
from hipport.translate.for_cpu.together.globals import shared_variables, varying
from hipport.translate.for_cpu.together.loops import Loops, suitable
from hipport.translate.for_cpu.together.parameters import Parameter, parameters_of
from hipport.translate.for_cpu.together.rows import Rows, rows_of
from hipport.translate.for_cpu.together.strides import Strided, Strides, strided
from hipport.translate.for_cpu.together.structure import Kind, Statement, statements
from hipport.translate.for_cpu.together.syntax import (
    BARRIER,
    Declaration,
    Local,
    Refused,
    declaration_of,
    descend,
    identifiers,
    text_of,
)
from hipport.translate.for_cpu.together.uniform import Values, check_header, find_uniform, is_uniform_step
from hipport.translate.syntax.unit import Node, Unit

_STRANGE = frozenset(
    (
        *("lambda_expression", "struct_specifier", "class_specifier", "union_specifier", "goto_statement", "ERROR"),
        *("labeled_statement", "gnu_asm_expression", "try_statement", "new_expression", "delete_expression"),
        *("co_await_expression", "volatile"),
    )
)
_LEVELS = 4
"""Up to which depth loops are split: one level at a time."""
_CALLS = re.compile(r"[A-Za-z_]\w*\s*\(")


class Variable(Struct, frozen=True):
    """A declaration in region number `region`; `pure` if threads can compute its variables again."""

    declaration: Declaration
    scope: tuple[int, ...]
    region: int
    pure: bool


class Region(Struct, frozen=True):
    """Statements that the threads execute between two barriers, one thread after the other or side by side."""

    statements: tuple[Statement, ...]
    scope: tuple[int, ...]
    loop: Strided | None = None  # if this is all
    rows: Rows | None = None

    @property
    def names(self) -> frozenset[str]:
        return frozenset().union(*(identifiers(one.node) for one in self.statements))

    @property
    def returns(self) -> list[Node]:
        nodes = (one.node for one in self.statements)
        return [one for node in nodes for one in (node, *descend(node)) if one.type == "return_statement"]


class Plan(Struct, frozen=True):
    """The regions of a kernel whose threads run together. `constants` are names that must be compile-time constants."""

    body: Node
    regions: tuple[Region, ...]
    barriers: tuple[Node, ...]
    variables: tuple[Variable, ...]
    copied: tuple[Parameter, ...]  # the parameters that threads change
    constants: tuple[str, ...]


def plan(unit: Unit, kernel: Kernel, calls: Calls) -> Plan | None:
    """Return how the threads of a kernel run together; None if that is impossible, or not known to be right."""
    best, loops, more = None, Loops(), Loops()
    for _ in range(_LEVELS):
        try:
            planner = _planner(unit, kernel, calls, loops | more)
            best = planner.plan()
        except Refused:
            return best
        loops, more = loops | more, planner.suitable_loops()
        if (loops | more) == loops:
            return best
    return best


def _planner(unit: Unit, kernel: Kernel, calls: Calls, loops: Loops) -> _Planner:
    body = kernel.body
    if body is None or body.has_error:
        raise Refused
    _check_words(unit, body)
    calls.check(body)
    shared = shared_variables(unit, Span(body.start_byte, body.end_byte))
    listed = statements(body, frozenset(shared), loops.split)
    parameters = parameters_of(body)
    declared = [(one, declaration_of(one.node)) for one in listed if _declares(one)]
    _check_order(listed, {name for _, made in declared for name in made.names})
    names = frozenset(name for one in shared.values() for name in one)
    changed = _changes(body, calls, parameters, [made for _, made in declared], names)
    values = _values(unit, parameters, [made for _, made in declared], names, changed, listed)
    return _Planner(body, listed, parameters, declared, changed, values, loops, calls)


def _check_order(listed: Sequence[Statement], variables: Collection[str]) -> None:
    """Raise `Refused` if a declaration for the block, which comes first, needs a variable: `int tile[width];`."""
    for one in listed:
        if one.kind is Kind.BLOCK and any(text_of(node) in variables for node in descend(one.node)):
            raise Refused


def _declares(statement: Statement) -> bool:
    return statement.kind is Kind.DECLARATION or (
        statement.kind is Kind.HEADER and statement.node.type == "declaration"
    )


def _check_words(unit: Unit, body: Node) -> None:
    """Raise `Refused` for a kernel with code that the analysis does not know, or that may be in macros."""
    lines = unit.directives_in(Span(body.start_byte, body.end_byte))
    if any(line.word != "pragma" for line in lines):
        raise Refused
    barriers = 0
    for node in descend(body):
        barriers += node.type == "identifier" and text_of(node) == BARRIER
        if node.type in _STRANGE or text_of(node) == "volatile":
            raise Refused
        if node.type == "expression_statement" and [one.type for one in node.named_children] == ["identifier"]:
            raise Refused
        if node.type == "identifier" and any(
            _CALLS.search(unit.code, span.start, span.end) for span in unit.macros.get(text_of(node), ())
        ):
            raise Refused
        if node.type == "declaration" and "static" in map(text_of, node.children):
            raise Refused


def _changes(
    body: Node, calls: Calls, parameters: Sequence[Parameter], declared: Sequence[Declaration], shared: frozenset[str]
) -> list[Change]:
    """Return the changes of variables; those of elements only where the variable may have the elements itself."""
    pointers = {one.name for one in parameters if one.is_pointer} | shared
    pointers |= {local.name for made in declared for local in made.locals if local.stars}
    return [one for one in changes(body, calls) if not (one.indexed and one.name in pointers)]


def _values(
    unit: Unit,
    parameters: Sequence[Parameter],
    declared: Sequence[Declaration],
    shared: frozenset[str],
    changed: Sequence[Change],
    listed: Sequence[Statement],
) -> Values:
    names = frozenset(name for made in declared for name in made.names)
    known = {one.name for one in parameters} | shared
    if names & known:
        raise Refused
    values = Values({*names, *known}, set(), names | known, varying(unit))
    find_uniform(values, listed, declared, changed)
    if not shared <= values.uniform:
        raise Refused
    return values


class _Planner:
    """Groups the statements of one kernel."""

    def __init__(
        self,
        body: Node,
        listed: list[Statement],
        parameters: Sequence[Parameter],
        declared: list[tuple[Statement, Declaration]],
        changed: Sequence[Change],
        values: Values,
        loops: Loops,
        calls: Calls,
    ) -> None:
        self._loops, self._calls = loops, calls
        self._body, self._listed, self._parameters = body, listed, parameters
        self._values, self._changed = values, {one.name for one in changed}
        self._made = {statement.node.start_byte: made for statement, made in declared}
        self._of_block = self._needed()
        self._variables: list[Variable] = []

    def plan(self) -> Plan:
        self._values.constants.clear()
        regions = self._with_rows(tuple(self._regions()))
        barriers = tuple(one.node for one in self._listed if one.kind is Kind.BARRIER)
        copied = tuple(one for one in self._parameters if one.name not in self._values.uniform)
        constants = tuple(sorted(self._values.constants))
        return Plan(self._body, regions, barriers, tuple(self._variables), copied, constants)

    def _with_rows(self, regions: tuple[Region, ...]) -> tuple[Region, ...]:
        """Return the regions with what is known of their rows: nothing where it is counted which threads have ended."""
        if len(regions) > 1 and any(region.returns for region in regions):
            return regions
        strides = self._strides()
        return tuple(
            structs.replace(region, rows=self._rows(number, region, strides)) for number, region in enumerate(regions)
        )

    def _rows(self, number: int, region: Region, strides: Strides) -> Rows | None:
        if region.loop is not None:
            return None
        pure = [one for one in self._variables if one.pure and is_seen(one, number, region)]
        own = [one.declaration for one in pure if one.region == number]
        names = region.names.union(*(identifiers(one.node) for one in own))
        for one in reversed(pure):
            if one.declaration.names & names:
                names |= identifiers(one.declaration.node)
        earlier = [one.declaration for one in pure if one.region < number and one.declaration.names & names]
        return rows_of(region.statements, earlier, own, self._values, strides)

    def _needed(self) -> frozenset[str]:
        """Return the uniform variables that the block itself needs, for the headers of loops and branches."""
        found = {name for made in self._made.values() for name in made.names & self._values.uniform & self._changed}
        for one in self._listed:
            if one.kind is Kind.HEADER or is_uniform_step(one, self._values):
                found |= identifiers(one.node)
        before = -1
        while before != len(found):
            before = len(found)
            for made in self._made.values():
                if made.names & found:
                    found |= identifiers(made.node)
        return frozenset(found)

    def _regions(self) -> Iterator[Region]:
        open_: list[Statement] = []
        count = 0
        for one in self._listed:
            of_threads = self._is_of_threads(one, not open_)
            if open_ and (open_[0].scope != one.scope or not of_threads):
                yield Region(tuple(open_), open_[0].scope)
                open_, count = [], count + 1
            if open_ and self._is_strided(one):
                yield Region(tuple(open_), open_[0].scope)
                open_, count = [], count + 1
            if self._is_strided(one):
                yield Region((one,), one.scope, strided(one.node))
                count += 1
            elif of_threads:
                open_.append(one)
                if one.kind is Kind.DECLARATION:
                    self._add_variable(one, count)
            else:
                self._check(one)

    def _is_of_threads(self, statement: Statement, is_first: bool) -> bool:
        if statement.kind is Kind.THREADS:
            return not is_uniform_step(statement, self._values)
        if statement.kind is not Kind.DECLARATION:
            return False
        made = self._made[statement.node.start_byte]
        if not made.names <= self._values.uniform:
            return True
        return not made.names & self._of_block and (not is_first or self._are_pure(made))

    def _check(self, statement: Statement) -> None:
        """Raise `Refused` unless what the block itself executes is the same for all threads; note the constants."""
        if statement.kind is Kind.HEADER:
            check_header(statement.node, self._values)
        if is_uniform_step(statement, self._values):
            check_header(statement.node.named_children[0], self._values)
        if not _declares(statement):
            return
        made = self._made[statement.node.start_byte]
        if not made.names <= self._values.uniform:
            raise Refused
        for local in made.locals:
            if local.value is not None:
                check_header(local.value, self._values)

    def _add_variable(self, statement: Statement, region: int) -> None:
        made = self._made[statement.node.start_byte]
        pure = self._are_pure(made)
        if pure:
            self._values.pure |= made.names
        self._values.uniform -= made.names
        self._variables.append(Variable(made, statement.scope, region, pure))

    def _are_pure(self, made: Declaration) -> bool:
        """Return whether threads can compute the variables of a declaration again; note the constants if so."""
        constants = set(self._values.constants)
        pure = all(self._is_pure(local) for local in made.locals)
        if not pure:
            self._values.constants.clear()
            self._values.constants |= constants
        return pure

    def _is_pure(self, local: Local) -> bool:
        if local.value is None or local.dimensions or local.name in self._changed:
            return False
        return self._values.is_pure(local.value)

    def _is_strided(self, statement: Statement) -> bool:
        return statement.kind is Kind.THREADS and statement.node.start_byte in self._loops.strided

    def suitable_loops(self) -> Loops:
        """Return the loops in the threads' statements that suit threads side by side; call it after `plan`."""
        strides = self._strides()
        loops = [one.node for one in self._listed if one.kind is Kind.THREADS and one.node.type == "for_statement"]
        return suitable(loops, self._values, strides, self._calls)

    def _strides(self) -> Strides:
        pure = (one.declaration for one in self._variables if one.pure)
        definitions = {local.name: local.value for made in pure for local in made.locals if local.value is not None}
        return Strides(self._values, definitions, self._changed)


def is_seen(variable: Variable, number: int, region: Region) -> bool:
    """Return whether a variable is in scope in a region, whose number is `number`."""
    return variable.region <= number and region.scope[: len(variable.scope)] == variable.scope
