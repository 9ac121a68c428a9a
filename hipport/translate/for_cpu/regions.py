"""Rewrite kernels so that the threads of a block run from one barrier to the next in a loop.

    float sum = in[threadIdx.x];
    tile[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] = sum + tile[0];

becomes, within its lines,

    PerThread<float> hipport_sum; HIPPORT_EACH auto& sum = hipport_sum.make(hipport_thread, in[threadIdx.x]);
    tile[threadIdx.x] = sum; HIPPORT_END
    hipport_regions.barrier();
    HIPPORT_EACH auto& sum = hipport_sum[hipport_thread]; out[threadIdx.x] = sum + tile[0]; HIPPORT_END

where HIPPORT_EACH begins the body of a loop over the threads, which the compiler can vectorize. HIPPORT_ROWS does so
for ranges of threads for which conditions hold: see `together/rows.py`. The barrier does nothing there. Loops and
branches around barriers are executed once, for all threads: their headers must be the same for
all. Where the headers of the runtime decide against it (`hipport_together`), each thread executes the same code alone.

Kernels that are not understood, and those that call what might wait, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from hipport.source import Edit, Replace
from hipport.translate.for_cpu.kernels import kernels
from hipport.translate.for_cpu.shared_memory import as_pointers
from hipport.translate.for_cpu.together.calls import Calls
from hipport.translate.for_cpu.together.plan import Plan, Region, Variable, is_seen, plan
from hipport.translate.for_cpu.together.rows import Rows
from hipport.translate.for_cpu.together.strides import Strided
from hipport.translate.for_cpu.together.syntax import (
    BARRIER,
    Declaration,
    Local,
    Refused,
    descend,
    identifiers,
    text_of,
)
from hipport.translate.syntax.unit import Node, Unit

_OPENING = " constexpr bool hipport_together = {conditions}; HIPPORT_REGIONS({leaves})"
_SLOT = " ::hipport::cpu::PerThread<{type}, hipport_together> hipport_{name}(hipport_regions);"
_ARGUMENT = " const auto& hipport_argument_{name} = {name};"
_ARGUMENTS = (
    " ::hipport::cpu::PerThread<::std::remove_const_t<decltype({name})>, hipport_together>"
    " hipport_{name}(hipport_regions);"
    " HIPPORT_EACH hipport_{name}.make(hipport_thread, {name}); HIPPORT_END"
)
_AT = " auto& {name} = hipport_{name}[hipport_thread];"
_FOR_THREAD = "[&]([[maybe_unused]] const uint3 threadIdx, [[maybe_unused]] const size_t hipport_thread"
_STRIDED = (
    "hipport_regions.strided<{type}, {inclusive}>({bound}, {step}, {thread}) HIPPORT_INLINE {{{prologue} "
    "return static_cast<{type}>({start}); }}, {thread}, {type} {name}) HIPPORT_INLINE {{{prologue} "
)
_ROWS = " HIPPORT_ROWS{prologue} HIPPORT_ROW({arguments}){again}"
_AFTER = "HIPPORT_AFTER({number})"
_NO_NUMBERS: Mapping[str, int] = MappingProxyType({})
_MAKE = "auto& {name} = hipport_{name}.make(hipport_thread"


def regions_by_kernel(unit: Unit) -> dict[int, list[Edit]]:
    """Return the edits of the kernels whose threads can run together, by the starts of the kernels' bodies."""
    calls = Calls(unit)
    plans = (plan(unit, kernel, calls) for kernel in kernels(unit) if _is_code(unit, kernel.body))
    found = ((made.body.start_byte, _edits_of(made, unit)) for made in plans if made is not None and made.regions)
    return {start: edits for start, edits in found if edits}


def _is_code(unit: Unit, body: Node | None) -> bool:
    """Return whether there is a body that is not part of a macro, whose parameters may stand for anything."""
    return body is not None and unit.directive_at(body.start_byte) is None


def _edits_of(made: Plan, unit: Unit) -> list[Edit]:
    """Return the edits of a kernel; none if what a variable needs to outlive a barrier cannot be written."""
    try:
        return list(_Writer(made, unit).edits())
    except Refused:
        return []


class _Writer:
    """Writes the edits of one kernel."""

    def __init__(self, made: Plan, unit: Unit) -> None:
        self._plan, self._unit = made, unit
        self._pointers = tuple(as_pointers(unit))
        self._names = [self._used_in(region) for region in made.regions]
        self._kept = [self._locals_kept(variable) for variable in made.variables]

    def edits(self) -> Iterator[Edit]:
        regions = self._plan.regions
        leaves = len(regions) > 1 and any(region.returns for region in regions)
        opening = _OPENING.format(conditions=" && ".join(self._conditions()), leaves=str(leaves).lower())
        arguments = "".join(
            (_ARGUMENTS if self._is_kept(one.name) else _ARGUMENT).format(name=one.name) for one in self._plan.copied
        )
        start = self._plan.body.start_byte + 1
        yield Replace(start, start, opening + arguments)
        for barrier in self._plan.barriers:
            yield Replace(barrier.start_byte, barrier.start_byte + len(BARRIER), "hipport_regions.barrier")
        for number, region in enumerate(regions):
            yield from self._region(number, region, leaves)

    def _conditions(self) -> Iterator[str]:
        first = self._plan.regions[0]
        suits_all = len(self._plan.regions) > 1 or first.rows is not None or first.loop is not None
        yield f"::hipport::cpu::{'runs_together' if suits_all else 'runs_region_together'}"
        yield from (f"__builtin_constant_p({name})" for name in self._plan.constants)
        types = {
            self._type(variable, local)
            for variable, kept in zip(self._plan.variables, self._kept, strict=True)
            for local in kept
        }
        yield from (f"::hipport::cpu::is_plain<{name}>" for name in sorted(types))

    def _used_in(self, region: Region) -> frozenset[str]:
        """Return the names in a region, and those from which its threads compute the variables that they name."""
        names = region.names
        for variable in reversed(self._plan.variables):
            if variable.pure and variable.declaration.names & names:
                names |= identifiers(variable.declaration.node)
        return names

    def _locals_kept(self, variable: Variable) -> tuple[Local, ...]:
        """Return the variables of a declaration if a later region needs one of them, unless it computes it again."""
        later = range(variable.region + 1, len(self._plan.regions))
        used = any(self._names[number] & variable.declaration.names for number in later if self._sees(number, variable))
        if variable.pure or not used:
            return ()
        if variable.declaration.type is None or not self._is_known_type(variable.declaration.type):
            raise Refused
        return variable.declaration.locals

    def _is_known_type(self, name: str) -> bool:
        """Return whether a type is known where the kernel begins."""
        inner = (node for node in descend(self._plan.body) if node.type in ("type_definition", "alias_declaration"))
        return all(name not in text_of(node) for node in inner)

    def _sees(self, number: int, variable: Variable) -> bool:
        return is_seen(variable, number, self._plan.regions[number])

    def _is_kept(self, parameter: str) -> bool:
        """Return whether the threads' copies of a parameter outlive a region, or one turn of a loop around it."""
        using = [region for region, names in zip(self._plan.regions, self._names, strict=True) if parameter in names]
        return len(using) > 1 or any(len(region.scope) > 1 for region in using)

    def _type(self, variable: Variable, local: Local) -> str:
        return f"{variable.declaration.type}{'*' * local.stars}{local.dimensions}"

    def _region(self, number: int, region: Region, leaves: bool) -> Iterator[Edit]:
        first, last = region.statements[0], region.statements[-1]
        own = [(one, kept) for one, kept in zip(self._plan.variables, self._kept, strict=True) if one.region == number]
        slots = "".join(
            _SLOT.format(type=self._type(one, local), name=local.name) for one, kept in own for local in kept
        )
        if region.loop is not None:
            yield from self._strided(number, region.loop, first.node)
            return
        rows, opening = region.rows, self._rows(number, region)
        if rows is not None and opening is not None:
            yield from self._without_guards(region, rows, _numbers(rows))
        opening = opening or f" HIPPORT_EACH{self._prologue(number)}"
        yield Replace(first.after, first.after, slots + opening + self._gap(first.after))
        for variable, kept in own:
            if kept:
                yield from self._made(variable)
        returns = region.returns
        for node in returns if leaves else ():
            yield Replace(node.start_byte, node.end_byte, "return hipport_regions.leave(hipport_thread);")
        ended = " if (hipport_regions.ended()) return;" if leaves and returns else ""
        end = last.node.end_byte
        yield Replace(end, end, f" HIPPORT_END{ended}{self._gap(end)}")

    def _rows(self, number: int, region: Region) -> str | None:
        """Return what begins a region with known rows; None if there are none, or if it cannot be written."""
        rows = region.rows
        if rows is None:
            return None
        numbers = _numbers(rows)
        try:
            declared = "".join(" " + self._flat(one.node) for one in rows.declarations)
            return _ROWS.format(
                prologue=self._prologue(number) + declared,
                arguments=", ".join(self._row(rows)),
                again=self._prologue(number, numbers),
            )
        except Refused:
            return None

    def _row(self, rows: Rows) -> Iterator[str]:
        yield " && ".join(f"__builtin_constant_p({name})" for name in rows.constants) or "true"
        conditions = (("!" if one.returns else "") + f"({self._flat(one.condition)})" for one in rows.guards)
        yield " && ".join(conditions) or "true"
        yield from (f"::hipport::cpu::linear<{stride}>({local.name})" for local, stride in rows.linear)
        for one in rows.compared:
            yield f"::hipport::cpu::compared<{one.stride}>({self._flat(one.value)}, {self._flat(one.other)})"

    def _without_guards(self, region: Region, rows: Rows, numbers: Mapping[str, int]) -> Iterator[Edit]:
        """Take the conditions that are known to hold out of a region, and give variables the values that are known."""
        for one in rows.guards:
            if one.returns:
                yield self._instead(one.statement.start_byte, one.statement.end_byte, "")
            else:
                yield self._instead(one.condition.start_byte, one.condition.end_byte, "true")
        for local, _ in rows.linear:
            if local.value is not None and self._is_in(local.value, region):
                yield self._instead(
                    local.value.start_byte, local.value.end_byte, _AFTER.format(number=numbers[local.name])
                )

    @staticmethod
    def _is_in(node: Node, region: Region) -> bool:
        return region.statements[0].node.start_byte <= node.start_byte < region.statements[-1].node.end_byte

    def _strided(self, number: int, loop: Strided, node: Node) -> Iterator[Edit]:
        text = _STRIDED.format(
            type=loop.type,
            inclusive=str(loop.relation == "<=").lower(),
            bound=self._flat(loop.bound),
            step=self._flat(loop.step) if loop.step is not None else "1",
            thread=_FOR_THREAD,
            prologue=self._prologue(number),
            start=self._flat(loop.start),
            name=loop.name,
        )
        yield self._instead(node.start_byte, loop.body.start_byte, text)
        yield Replace(node.end_byte, node.end_byte, " });")

    def _prologue(self, number: int, numbers: Mapping[str, int] = _NO_NUMBERS) -> str:
        """Return the declarations of what threads know from earlier regions, where a row's variables have numbers."""
        names = self._names[number]
        found = [self._copy(one.name) for one in self._plan.copied if one.name in names]
        seen: set[str] = set()
        for variable, kept in zip(self._plan.variables, self._kept, strict=True):
            if variable.region >= number or not self._sees(number, variable) or not variable.declaration.names & names:
                continue
            if variable.declaration.names & seen:
                raise Refused
            seen |= variable.declaration.names
            if variable.pure:
                found.append(" " + self._again(variable.declaration, numbers))
            found += [_AT.format(name=local.name) for local in kept if local.name in names]
        return "".join(found)

    def _again(self, declaration: Declaration, numbers: Mapping[str, int]) -> str:
        """Return a declaration of pure variables on one line, in which the numbered ones have a row's values."""
        text = self._flat(declaration.node)
        for local in declaration.locals:
            if local.name in numbers and local.value is not None:
                before, _, after = text.partition(self._flat(local.node))
                named = self._flat(local.node).removesuffix(self._flat(local.value))
                text = f"{before}{named}{_AFTER.format(number=numbers[local.name])}{after}"
        return text

    def _copy(self, name: str) -> str:
        return _AT.format(name=name) if self._is_kept(name) else f" auto {name} = hipport_argument_{name};"

    def _flat(self, node: Node) -> str:
        """Return code on one line, without comments."""
        text = self._unit.code[node.start_byte : node.end_byte]
        for edit in reversed(self._pointers):
            if node.start_byte <= edit.start and edit.end <= node.end_byte:
                start, end = edit.start - node.start_byte, edit.end - node.start_byte
                text = text[:start] + edit.text + text[end:]
        if '"' in text or "'" in text or "\\" in text:
            raise Refused
        return " ".join(text.split())

    def _made(self, variable: Variable) -> Iterator[Edit]:
        """Replace a declaration by one of references to what is kept for each thread."""
        start, before = variable.declaration.node.start_byte, ""
        for local in variable.declaration.locals:
            call = before + _MAKE.format(name=local.name)
            before = "; "
            if local.value is None or local.dimensions:
                end = local.node.end_byte
                yield self._instead(start, end, call + self._zero(local) + ")")
            else:
                if local.value.type == "initializer_list":
                    raise Refused
                yield self._instead(start, local.value.start_byte, f"{call}, ")
                end = local.value.end_byte
                before = "); "
                if local is variable.declaration.locals[-1]:
                    yield Replace(end, end, ")")
            start = end

    def _zero(self, local: Local) -> str:
        if local.value is None:
            return ""
        if local.value.type != "initializer_list" or any(
            text_of(one).rstrip("fF") not in ("0", "0.0", "0.", ".0") for one in local.value.named_children
        ):
            raise Refused
        return ", ::hipport::cpu::Zero()"

    def _gap(self, offset: int) -> str:
        """Return a space if what follows might go on with a word that ends there."""
        return "" if self._unit.code[offset : offset + 1].isspace() else " "

    def _instead(self, start: int, end: int, text: str) -> Replace:
        return Replace(start, end, text + "\n" * self._unit.code.count("\n", start, end))


def _numbers(rows: Rows) -> dict[str, int]:
    """Return the numbers of the linear variables of a row by their names."""
    return {local.name: number for number, (local, _) in enumerate(rows.linear)}
