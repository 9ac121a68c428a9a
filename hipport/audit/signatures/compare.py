"""Compare the signatures of CUDA's functions with those of their counterparts, as the tables translate a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hipport.audit.signatures.fit import Fit, fit, result_fit
from hipport.audit.signatures.model import Declarations, Signature
from hipport.audit.signatures.types import CType, expanded, parse_type, renamed
from hipport.mappings.entry import ArgChange, Entry, Kind
from hipport.mappings.tables import Tables

_ABOUT_THE_CALL = frozenset({"rename", "refuse"})


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between CUDA's function and HIP's, for calls with one number of arguments.

    `count` is the number of arguments; `hip` is the function that is called in the translation; `what` says the
    difference; `fit` is how bad it is; `changed` marks calls whose arguments the tables change.
    """

    name: str
    count: int
    hip: str
    fit: Fit
    what: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The functions compared for one pair of releases, and their differences."""

    compared: frozenset[str]
    undeclared: frozenset[str]
    refused: frozenset[tuple[str, int]]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class _Call:
    """A call after the tables' changes: the function and its arguments, None where the tables wrote one."""

    hip: str
    arguments: tuple[CType | None, ...]
    changed: bool


def compare(tables: Tables, cuda: Declarations, hip: Declarations) -> Result:
    """Compare all functions that the tables translate and that both releases declare."""
    compared: set[str] = set()
    undeclared: set[str] = set()
    refused: set[tuple[str, int]] = set()
    differences: dict[tuple[str, int, str], Difference] = {}
    types = _Types(tables, cuda, hip)
    for name, entry in tables.names.items():
        if entry.hip is None or name not in cuda.functions:
            continue
        if entry.hip.name not in hip.functions:
            if entry.hip.name not in hip.macros:
                undeclared.add(name)
            continue
        compared.add(name)
        for overload in cuda.functions[name]:
            for found in _of_overload(entry, overload, types, hip):
                if isinstance(found, int):
                    refused.add((name, found))
                else:
                    differences.setdefault((name, found.count, found.what), found)
    return Result(frozenset(compared), frozenset(undeclared), frozenset(refused), tuple(differences.values()))


@dataclass(frozen=True, slots=True)
class _Types:
    tables: Tables
    cuda: Declarations
    hip: Declarations
    known: dict[str, CType] = field(default_factory=dict)

    def translated(self, text: str) -> CType:
        """Return the canonical type in HIP of a CUDA type."""
        if text not in self.known:
            self.known[text] = self._translated(text)
        return self.known[text]

    def _translated(self, text: str) -> CType:
        type_ = parse_type(text)
        for _ in range(4):
            new = renamed(type_, self._name)
            if new != type_ or new.base not in self.cuda.typedefs:
                return expanded(new, self.hip.typedefs)
            type_ = expanded(type_, self.cuda.typedefs)
        return expanded(type_, self.hip.typedefs)

    def _name(self, word: str) -> str:
        entry = self.tables.names.get(word)
        return entry.hip.name if entry is not None and entry.hip is not None and entry.kind is Kind.TYPE else word


def _of_overload(entry: Entry, overload: Signature, types: _Types, hip: Declarations) -> Iterator[Difference | int]:
    """Yield the differences for each number of arguments; the number itself where the tables refuse the call."""
    arguments = tuple(types.translated(parameter.type) for parameter in overload.parameters)
    if overload.variadic:
        arguments = arguments[:-1]
    for count in range(min(overload.least, len(arguments)), len(arguments) + 1):
        if any(change.header and _applies(change, overload, count) for change in entry.args):
            continue  # hipport's own function
        call = _call(entry, overload, arguments[:count])
        if call is None:
            yield count
            continue
        found, what, best = _best(call, overload.template, hip)
        if found is not Fit.SAME or call.changed:
            yield Difference(entry.name, count, call.hip, found, what or "changed arguments", call.changed)
        if best is not None and found is not Fit.NONE and not (overload.template or best.template):
            converted = any(change.op == "result" for change in entry.args)
            if not converted:
                yield from _returned(entry, call, types.translated(overload.returns), best, hip)


def _returned(entry: Entry, call: _Call, wanted: CType, best: Signature, hip: Declarations) -> Iterator[Difference]:
    """Yield the difference of the value that the call returns."""
    returned = expanded(parse_type(best.returns), hip.typedefs)
    if returned != wanted and wanted.base != "void":
        found = result_fit(returned, wanted, hip.enums)
        yield Difference(entry.name, -1, call.hip, found, f"returns {returned} instead of {wanted}")


def _call(entry: Entry, overload: Signature, arguments: tuple[CType, ...]) -> _Call | None:
    """Return the call after the changes in the tables; None if they refuse it."""
    assert entry.hip is not None
    hip = entry.hip.name
    changes = [change for change in entry.args if change.op != "result" and _applies(change, overload, len(arguments))]
    about = [change for change in changes if change.op in _ABOUT_THE_CALL]
    changes = [change for change in changes if change not in about]
    changes += sorted(about, key=lambda change: not change.given)[:1]
    slots: list[list[CType | None]] = [[argument] for argument in arguments]
    tail: list[CType | None] = []
    for change in changes:
        if change.op == "refuse":
            return None
        if change.op == "rename":
            hip = change.text
        else:
            _apply(change, slots, tail)
    return _Call(hip, tuple(part for slot in slots for part in slot) + tuple(tail), bool(changes))


def _applies(change: ArgChange, overload: Signature, count: int) -> bool:
    """Return whether the tables change a call of this overload with this number of arguments."""
    if change.arity not in (None, count):
        return False
    if change.given in ("value", "statement"):
        return (overload.returns == "T") is (change.given == "value")
    word = re.compile(rf"\b{re.escape(change.given)}\b")
    return not change.given or any(word.search(parameter.type) for parameter in overload.parameters[:count])


def _apply(change: ArgChange, slots: list[list[CType | None]], tail: list[CType | None]) -> None:
    if change.op == "append" or (change.op == "insert" and change.at >= len(slots)):
        tail += [None] * (change.text.count(",") + 1)
    elif change.at < len(slots):
        slot = slots[change.at]
        if change.op == "insert":
            slot.insert(0, None)
        elif change.op == "remove":
            slot.clear()
        else:
            slot[-1:] = [None]


def _best(call: _Call, template: Sequence[str], hip: Declarations) -> tuple[Fit, str, Signature | None]:
    """Return the worst fit of an argument in the overload that takes the call best, in words, and that overload."""
    overloads = hip.functions.get(call.hip)
    if overloads is None:
        return Fit.NONE, f"{call.hip} is not declared", None
    fitting = [one for one in overloads if one.takes(len(call.arguments))]
    if not fitting:
        counts = sorted({len(one.parameters) for one in overloads})
        return Fit.NONE, f"{len(call.arguments)} arguments where {call.hip} takes {' or '.join(map(str, counts))}", None
    found = [(*_worst(call, one, template, hip), one) for one in fitting]
    return min(found, key=lambda one: one[0])


def _worst(call: _Call, signature: Signature, template: Sequence[str], hip: Declarations) -> tuple[Fit, str]:
    worst, what = Fit.SAME, ""
    parameters = [expanded(type_, hip.typedefs) for type_ in signature.types()]
    for at, (argument, parameter) in enumerate(zip(call.arguments, parameters, strict=False)):
        if argument is not None and argument.base in template:
            known = parameter if signature.template else argument
            found = Fit.SAME if len(known.pointers) <= len(argument.pointers) else Fit.NONE
            found = found if signature.template or parameter.base == "void" else Fit.NONE
        else:
            found = fit(argument, parameter, signature.template, hip.enums)
        if found > worst:
            worst, what = found, f"{at}: {argument} to {parameter}"
    return worst, what
