"""The host compilation of a HIP source and its device compilations: what each sees of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, facts_of
from hipport.source import Span
from hipport.translate.syntax.conditions import DEFINED, UNDEFINED
from hipport.translate.syntax.lexer import Branch
from hipport.translate.syntax.sides import Setting, initial_state, taken_branches
from hipport.translate.syntax.unit import Unit

DEVICE_ONLY = re.compile(
    r"__(?<![\w$]__)(?:HIP_DEVICE_COMPILE__|AMDGCN\w*|HIP_ARCH_\w+|(?:gfx|GFX)\w+__|CUDA_ARCH__)(?![\w$])"
)
"""Matches macros that the device compilation defines and the host compilation lacks, or defines differently."""
_TARGET = re.compile(r"__(?:gfx|GFX)\w+__")
_LANES = re.compile(r"__AMDGCN_WAVEFRONT_SIZE(?:__)?")
_MOST_TARGETS = 16
_CUDA_ARCH = 620
"""The value with which AMD compilers pass the translated tests of `__CUDA_ARCH__`."""
_TOKEN = re.compile(r"[A-Za-z_$][\w$]*|\d[\w.']*|\S")
_VALUE = {"-": UNDEFINED, "?": None, "+": DEFINED}


class Compilation(Struct, frozen=True):
    """One compilation of a file; `macros` are the states of macros at its end."""

    unit: Unit
    taken: Mapping[tuple[int, int], bool | None]
    macros: Mapping[str, int | None]

    def sees(self, branch: Branch) -> bool:
        """Return whether a branch is compiled, or may be."""
        return all(self.taken.get(step) is not False for step in branch)

    def text(self, span: Span) -> str:
        """Return the tokens in a range that are compiled, or may be, separated by blanks."""
        lines = self.unit.directives_in(span)
        starts = (span.start, *(line.span.end for line in lines))
        parts: list[str] = []
        for start, end in zip(starts, (*(line.span.start for line in lines), span.end), strict=True):
            if self.sees(self.unit.branch_at(start)):
                parts += _TOKEN.findall(self.unit.code, start, end)
        return " ".join(parts)


class Compilations(Struct, frozen=True):
    """The host compilation and the device compilations, one for each target that the file names."""

    host: Compilation
    devices: tuple[Compilation, ...]

    def texts(self, spans: Iterable[Span]) -> Iterator[tuple[str, str]]:
        """Yield what the host and a device compile of ranges of the file, wherever that differs."""
        places = tuple(spans)
        host = _joined(self.host, places)
        yield from ((host, text) for text in {_joined(each, places) for each in self.devices} if text != host)

    def differing_macros(self) -> Iterator[str]:
        """Yield the facts about macros that host and device define differently."""
        for name in sorted({name for each in (self.host, *self.devices) for name in each.macros}):
            host = self.host.macros.get(name, UNDEFINED)
            others = {each.macros.get(name, UNDEFINED) for each in self.devices} - {host}
            if others and name in self.host.unit.macros:
                device = others.pop() if len(others) == 1 else None
                yield str(differs(name, f"{_spelled(host)}:{_spelled(device)}"))


def differs(name: str, values: str = "?:?") -> Fact:
    """Return the fact that a name differs between host and device; `values` are those of a macro, `?` for no value."""
    return Fact(Kind.DIFFERS, name, values)


def compilations(unit: Unit, told: Iterable[str] = ()) -> Compilations:
    """Return the compilations of a file; `told` are facts about names of files that it includes."""
    facts = list(facts_of(told, Kind.DIFFERS))
    host = {fact.subject: _value(fact.value.partition(":")[0]) for fact in facts}
    device = {fact.subject: _value(fact.value.partition(":")[2]) for fact in facts}
    targets = sorted({each for each in unit.words if _TARGET.fullmatch(each)})[:_MOST_TARGETS]
    lanes = (64, 32) if any(map(_LANES.fullmatch, unit.words)) else (64,)
    return Compilations(
        _compilation(unit, None, 64, host),
        tuple(_compilation(unit, target, count, device) for target in ("", *targets) for count in lanes),
    )


def _compilation(unit: Unit, target: str | None, lanes: int, told: Mapping[str, int | None]) -> Compilation:
    """Compile for the host if `target` is None, else for the device whose macro it is."""
    macros = dict(told)

    def initial(name: str) -> int | None:
        if _LANES.fullmatch(name):
            return lanes
        if not DEVICE_ONLY.fullmatch(name):
            return initial_state(Setting.TRANSLATED, name)
        if name.startswith("__HIP_ARCH_"):
            return int(target is not None)
        if target is None or (_TARGET.fullmatch(name) and name != target):
            return UNDEFINED
        return _CUDA_ARCH if name == "__CUDA_ARCH__" else 1

    return Compilation(unit, taken_branches(unit, initial, macros), macros)


def _joined(compilation: Compilation, places: Iterable[Span]) -> str:
    branch_at = compilation.unit.branch_at
    return " ; ".join(compilation.text(each) for each in places if compilation.sees(branch_at(each.start)))


def _spelled(value: int | None) -> str:
    return next((text for text, state in _VALUE.items() if state == value), "") or str(value)


def _value(text: str) -> int | None:
    return _VALUE[text] if text in _VALUE else int(text)
