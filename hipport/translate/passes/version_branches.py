"""The choice between the branches of tests of CUDA's version: that in which HIP lacks, or has already, least.

Without a difference, AMD compilers take what HIP matches: the newer release of CUDA, the older architecture.
"""

from __future__ import annotations

import itertools
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.source import Span
from hipport.translate.passes import hip_branches
from hipport.translate.passes.version_fallbacks import REDEFINES, has_no_alternative, redefinitions
from hipport.translate.passes.version_tests import (
    DEVICE,
    MACROS,
    Derived,
    Test,
    defined_macros,
    derived_tests,
    is_presence,
    plain_test,
    told_decisions,
    told_macros,
)
from hipport.translate.references import Reference
from hipport.translate.syntax.conditions import DEFINED, UNDEFINED, evaluate, value_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.sides import NVIDIA_COMPILERS, OF_HIP_COMPILERS
from hipport.translate.work import Work

_MOST = 64
"""Combinations of newer and older branches of one `#if` that are compared."""
_MOST_TESTS = 40
"""Tests in one `#if` with its `#elif` lines above which the branches are not compared."""
Assignment = tuple[bool, ...]
"""For each test of a chain, True if the branch for the newer release is taken."""


class Choice(Struct, frozen=True):
    """The decision about one test: `new` branch or not; `why` names what the other branch has that HIP lacks.

    `forced`: a function would have no code otherwise. `complete`: nothing is missing in what is chosen.
    """

    test: Test
    line: Directive
    new: bool
    why: str = ""
    forced: bool = False
    complete: bool = False

    @property
    def by_content(self) -> bool:
        """Return whether other tests should follow: nothing is missing here, and something is in the default branch."""
        return bool(self.why) and self.complete and self.new != self.test.by_default


class Choices(Struct, frozen=True):
    """All decisions for a file, the code that no AMD compiler sees because of them, and macros that depend on them."""

    made: tuple[Choice, ...] = ()
    dead: tuple[Span, ...] = ()
    derived: Mapping[str, Derived] = field(default_factory=dict)

    @property
    def facts(self) -> frozenset[str]:
        """Facts for other files: the project's version macros, and the tests that content decides."""
        macros = (macro.fact(name) for name, macro in self.derived.items())
        decided = (choice.test.decided(new=choice.new) for choice in self.made if choice.by_content)
        return frozenset((*macros, *decided))

    @property
    def asked(self) -> frozenset[str]:
        """The tests whose decisions in other files matter here."""
        return frozenset(choice.test.asked for choice in self.made)

    def is_dead(self, offset: int) -> bool:
        """Return whether the code at an offset is in a branch that is not chosen."""
        return any(span.start <= offset < span.end for span in self.dead)


class _Chain(Struct, frozen=True):
    """An `#if` with its `#elif` and `#else` lines, its branches, and the tests of versions in its conditions."""

    lines: tuple[Directive, ...]
    spans: tuple[Span, ...]
    tests: tuple[tuple[Directive, Test], ...]


def choose(work: Work, diagnostics: Sequence[Diagnostic]) -> Choices:
    """Decide all tests of a file by the errors, and the unknown names, that were found in their branches."""
    derived = told_macros(work.told(Kind.VERSION))
    if work.unit.words.isdisjoint((*MACROS, *derived)):
        return Choices()
    found = (each for each in diagnostics if each.severity is Severity.ERROR or each.code == "HP112")
    missing = ((work.unit.source.line_start(each.line), _what(each)) for each in found)
    errors = sorted((*missing, *redefinitions(work)))
    told = told_decisions(work.told(Kind.DECISION))
    alone = _decided(work, derived, errors, told, ())
    first = _decided(work, derived, errors, told, alone.dead) if alone.dead else alone
    preferred = told | {choice.test.key: choice.new for choice in first.made if choice.by_content}
    return _decided(work, derived, errors, preferred, first.dead) if preferred != told else first


def _decided(
    work: Work,
    told: Mapping[str, Derived],
    errors: list[tuple[int, str]],
    preferred: Mapping[tuple[str, int], bool],
    dead_before: Sequence[Span],
) -> Choices:
    """Decide from the first line to the last.

    `preferred` says how equally good branches are decided; `dead_before` are branches that were not chosen, whose
    errors do not count where they are inside another branch.
    """
    derived = {**told, **defined_macros(work.unit)}
    dead_before = sorted(dead_before, key=_start)
    references = [each for each in work.references.found if each.entry.name in MACROS]
    made: list[Choice] = []
    dead: list[Span] = []
    for chain in _chains(work):
        tests = [*_tests(work, chain, derived, references)]
        if not tests:
            continue
        chain = replace(chain, tests=tuple(tests))
        whole = Span(chain.spans[0].start, chain.spans[-1].end)
        gone = [span for span in _between(dead_before, whole, _start) if _is_inside(span, chain.spans)]
        own = (each for each in _between(errors, whole, operator.itemgetter(0)) if not _within(each[0], gone))
        decision = _Decision(work, chain, [*own], preferred)
        made += decision.choices
        dead += decision.dead
        derived |= decision.derived()
    return Choices(tuple(made), tuple(dead), derived)


def _what(found: Diagnostic) -> str:
    """Return what a finding says is missing: its subject, or that it is PTX."""
    if found.code.startswith("HP3"):
        return "inline PTX"
    return re.split(r" has no | is | with ", found.message.partition(":")[0])[0]


def _within(offset: int, spans: Sequence[Span]) -> bool:
    return any(span.start <= offset < span.end for span in spans)


_Item = TypeVar("_Item")


def _start(span: Span) -> int:
    return span.start


def _between(items: Sequence[_Item], span: Span, offset: Callable[[_Item], int]) -> Sequence[_Item]:
    """Return those of the items, which are sorted by offset, that are in a span."""
    return items[bisect_left(items, span.start, key=offset) : bisect_left(items, span.end, key=offset)]


def _is_inside(span: Span, branches: Sequence[Span]) -> bool:
    return any(each.start <= span.start and span.end <= each.end and each != span for each in branches)


def _chains(work: Work) -> Iterator[_Chain]:
    """Yield the conditionals of a file, each before those inside it."""
    open_: list[list[Directive]] = []
    found: list[_Chain] = []
    for line in work.unit.directives:
        if line.word.startswith("if"):
            open_.append([line])
        elif line.word.startswith("el") and open_:
            open_[-1].append(line)
        elif line.word == "endif" and open_:
            lines = open_.pop()
            spans = tuple(Span(a.span.end, b.span.start) for a, b in itertools.pairwise([*lines, line]))
            found.append(_Chain(tuple(lines), spans, ()))
    return iter(sorted(found, key=lambda chain: chain.lines[0].span.start))


def _tests(
    work: Work, chain: _Chain, derived: Mapping[str, Derived], references: Sequence[Reference]
) -> Iterator[tuple[Directive, Test]]:
    for line in chain.lines:
        if line.kind is not DirectiveKind.CONDITION or hip_branches.exclusion(work, line) == hip_branches.LEFT:
            continue
        seen: set[Span] = set()
        for reference in _between(references, line.body, lambda each: each.span.start):
            name, span = reference.entry.name, reference.span
            test = None if is_presence(work.unit, line, span) else plain_test(work.unit, line, name, span)
            if test is not None and test.span not in seen:
                seen.add(test.span)
                yield line, test
        yield from ((line, test) for test in derived_tests(work.unit, line, derived))


class _Decision:
    """The decision about one chain: the assignment with the fewest errors, the default one if it is among them."""

    def __init__(
        self,
        work: Work,
        chain: _Chain,
        errors: Sequence[tuple[int, str]],
        preferred: Mapping[tuple[str, int], bool],
    ) -> None:
        self._work, self._chain = work, chain
        self._tests = [test for _, test in chain.tests]
        self._forced = [_is_forced(work, chain, line, test) for line, test in chain.tests]
        self._missing = [[what for offset, what in errors if _within(offset, [span])] for span in chain.spans]
        self._default = tuple(
            preferred.get(test.key, test.by_default) or forced
            for test, forced in zip(self._tests, self._forced, strict=True)
        )
        self._values: dict[Directive, list[tuple[Span, int]]] = {}
        for index, (line, test) in enumerate(chain.tests):
            self._values.setdefault(line, []).append((test.span, index))
        few = len(self._tests) <= _MOST_TESTS
        self._new = min(self._candidates(), key=self._rank) if few else self._default

    @property
    def choices(self) -> Iterator[Choice]:
        """The decision of each test, with the reason if its default, or an older one, is not what it would be."""
        if len(self._tests) > _MOST_TESTS:
            yield from (Choice(test, line, new) for (line, test), new in zip(self._chain.tests, self._new, strict=True))
            return
        for index, (line, test) in enumerate(self._chain.tests):
            other = tuple(not new if at == index else new for at, new in enumerate(self._new))
            lacking = self._cost(other) - self._cost(self._new)
            why = ", ".join(dict.fromkeys(self._lacks(other))) if lacking > 0 else ""
            yield Choice(test, line, self._new[index], why, self._forced[index], not self._cost(self._new))

    @property
    def dead(self) -> Iterator[Span]:
        """The branches that no AMD compiler takes."""
        views = [self._taken(view) for view in self._views(self._new)]
        for index, span in enumerate(self._chain.spans):
            if all(view[index] is False for view in views):
                yield span

    def derived(self) -> dict[str, Derived]:
        """Return the macros that the branches of this chain define, and no other code of the file."""
        new, old = ((state,) * len(self._new) for state in (True, False))
        chosen, newer, older = (_first(self._taken(each)) for each in (self._new, new, old))
        found: dict[str, Derived] = {}
        for name, bodies in self._defined_inside().items():
            by_value = len(bodies) == len(self._chain.spans) > 1 and None not in bodies.values()
            now, for_new, for_old = (_of(bodies, view, by_value=by_value) for view in (chosen, newer, older))
            if for_new != for_old:
                found[name] = Derived(self._tests[0].present, now, for_new, presence=not by_value)
        return found

    def _defined_inside(self) -> dict[str, dict[int, int | None]]:
        """Return the values of macros by the branch that defines them, for those that the chain alone defines."""
        unit, spans = self._work.unit, self._chain.spans
        found: dict[str, dict[int, int | None]] = {}
        whole = Span(spans[0].start, spans[-1].end)
        for line in _between(unit.directives, whole, lambda each: each.span.start):
            if line.kind is DirectiveKind.DEFINE and _within(line.span.start, spans):
                branch = next(at for at, span in enumerate(spans) if _within(line.span.start, [span]))
                found.setdefault(line.name, {})[branch] = value_of(self._text(line), lambda _: None)
        return {name: values for name, values in found.items() if len(values) == len(unit.macros[name])}

    def _candidates(self) -> Iterator[Assignment]:
        """Yield the default assignment, then those of releases: each passes all tests up to some number."""
        yield self._default
        numbers: dict[str, set[int]] = {}
        for test in self._tests:
            numbers.setdefault(test.name, set()).add(test.number)
        passed = [[*sorted(found, reverse=True), min(found) - 1] for found in numbers.values()]
        for release in itertools.islice(itertools.product(*passed), _MOST):
            reached = dict(zip(numbers, release, strict=True))
            new = tuple(test.number <= reached[test.name] for test in self._tests)
            if all(each or not forced for each, forced in zip(new, self._forced, strict=True)):
                yield new

    def _rank(self, new: Assignment) -> tuple[int, int, int]:
        changed = sum(a != b for a, b in zip(new, self._default, strict=True))
        return self._cost(new), changed, -sum(new)

    def _views(self, new: Assignment) -> list[Assignment]:
        """Return what device compilation takes, and host compilation, which defines nothing for architectures.

        They take the same where HIP has a function that is defined here: that is wrong in both.
        """
        if any(what.startswith(REDEFINES) for missing in self._missing for what in missing):
            return [new]
        host = tuple(each and test.present != DEVICE for each, test in zip(new, self._tests, strict=True))
        return [new] if host == new else [new, host]

    def _cost(self, new: Assignment) -> int:
        return max(self._count(self._taken(view)) for view in self._views(new))

    def _count(self, taken: Sequence[bool | None]) -> int:
        sizes = [(state, len(missing)) for state, missing in zip(taken, self._missing, strict=True)]
        unknown = max((size for state, size in sizes if state is None), default=0)
        return unknown + sum(size for state, size in sizes if state)

    def _lacks(self, new: Assignment) -> Iterator[str]:
        taken = self._taken(new)
        for state, missing in zip(taken, self._missing, strict=True):
            yield from missing[:3] if state is not False else ()

    def _taken(self, new: Assignment) -> list[bool | None]:
        """Return which branches are taken, as far as that is known."""
        values = [each == test.for_new for test, each in zip(self._tests, new, strict=True)]
        taken: list[bool | None] = []
        before: bool | None = False
        for line in self._chain.lines:
            own = True if line.word == "else" else self._holds(line, values)
            taken.append(False if before or own is False else None if None in (before, own) else True)
            before = True if True in (before, own) else None if None in (before, own) else False
        return taken

    def _holds(self, line: Directive, values: Sequence[bool]) -> bool | None:
        found = {span: values[index] for span, index in self._values.get(line, ())}
        inside = sorted(found.items(), key=lambda each: each[0].start)
        if line.word not in ("if", "elif"):
            return (
                inside[0][1] != line.word.endswith("ndef") if inside else evaluate(line.word, self._text(line), _state)
            )
        pieces: list[str] = []
        at = line.body.start
        for span, value in inside:
            pieces += (self._work.unit.code[at : span.start], f" {value:d} ")
            at = span.end
        return evaluate(line.word, "".join((*pieces, self._work.unit.code[at : line.body.end])), _state)

    def _text(self, line: Directive) -> str:
        return self._work.unit.code[line.body.start : line.body.end]


def _first(taken: Sequence[bool | None]) -> list[bool]:
    """Return the branches with only the first taken that may be: the other conditions in it are taken to hold."""
    chosen = next((at for at, state in enumerate(taken) if state is not False), -1)
    return [at == chosen for at in range(len(taken))]


def _of(bodies: Mapping[int, int | None], taken: Sequence[bool], *, by_value: bool) -> bool:
    """Return what a macro is in the branch that is taken: its value, or whether it is defined."""
    inside = [value for at, value in bodies.items() if taken[at]]
    return bool(inside and inside[0]) if by_value else bool(inside)


def _state(name: str) -> int | None:
    """Return what is known of a macro in device code that an AMD compiler compiles."""
    if name in OF_HIP_COMPILERS or name in NVIDIA_COMPILERS:
        return DEFINED
    if name in MACROS:
        return DEFINED
    return UNDEFINED if name in ("__HIP_PLATFORM_NVIDIA__", "__HIP_PLATFORM_NVCC__") else None


def _is_forced(work: Work, chain: _Chain, line: Directive, test: Test) -> bool:
    """Return whether a device function would have no code but for the newer branch."""
    return test.present == DEVICE and not test.derived and has_no_alternative(work, line, asks_for_new=test.for_new)
