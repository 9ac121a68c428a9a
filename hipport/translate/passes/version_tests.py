"""Comparisons of CUDA's version macros in conditions, and macros of the project that such a comparison defines.

HIP defines none of CUDA's: a comparison is false or true as if the release were 0, unless the translation adds to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, facts_of, question
from hipport.source import Span
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.conditions import integer, value_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit

DEVICE, PLATFORM = "__HIP_DEVICE_COMPILE__", "__HIP_PLATFORM_AMD__"
_HUGE = 10**9
"""More than any release or architecture."""


class Macro(Struct, frozen=True):
    """A CUDA version macro: `present` is defined where an AMD compiler should pass tests for values up to `newest`."""

    present: str
    newest: int


MACROS = {
    # AMD's GPUs have the features of NVIDIA's up to 6.2: shuffles, half arithmetic, double atomics, dp4a. From 7.0 on,
    # tests are for tensor cores, asynchronous copies and the like.
    "__CUDA_ARCH__": Macro(DEVICE, 620),
    # HIP's functions match CUDA 12: texture objects, no texture references; signatures from before CUDA 13.
    "CUDART_VERSION": Macro(PLATFORM, 12999),
    "CUDA_VERSION": Macro(PLATFORM, 12999),
    "__CUDACC_VER_MAJOR__": Macro(PLATFORM, 12),
    # hipBLAS and hipSPARSE match CUDA 12, the others CUDA 11 without the 64-bit interface.
    "CUBLAS_VERSION": Macro(PLATFORM, 129999),
    "CUSPARSE_VERSION": Macro(PLATFORM, 12999),
    "CUSOLVER_VERSION": Macro(PLATFORM, 10999),
    "CUFFT_VERSION": Macro(PLATFORM, 10999),
    "CURAND_VERSION": Macro(PLATFORM, 10399),
}


class Test(Struct, frozen=True):
    """A test in a condition that is decided for AMD GPUs.

    `span`: the test; `name`: the macro in it; `present`: what an AMD compiler defines; `for_new`: it holds for newer
    releases; `by_default`: whether the newer release is chosen if nothing speaks against it; `number`: the first newer
    release, which orders the tests of a macro. `derived`: the macro is the project's, and the test is of its value or,
    with `presence`, of its being defined.
    """

    span: Span
    name: str
    present: str
    for_new: bool
    by_default: bool
    number: int = 0
    derived: bool = False
    presence: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return _SAME.get(self.name, self.name), self.number

    @property
    def asked(self) -> str:
        """The question about how other files decide the test."""
        return question(Kind.DECISION, *self.key)

    def decided(self, *, new: bool) -> str:
        """Return the fact that the test is decided for the newer branch, or for the older one."""
        name, number = self.key
        return str(Fact(Kind.DECISION, name, f"{number}={new:d}"))


_SAME = {"CUDA_VERSION": "CUDART_VERSION"}
"""Macros that have the same value."""


_COMPARED = re.compile(r"\s*\)*\s*(?:[<>=!]=|[<>+\-*/%])")
_COMPARED_BEFORE = re.compile(r"(?:[<>=!]=|[<>+\-*/%])\s*\(*\s*$")


def is_presence(unit: Unit, line: Directive, span: Span) -> bool:
    """Return whether `#ifdef X`, `defined(X)` or `X` as a truth value tests presence; a comparison tests the value."""
    before = unit.code[max(line.body.start, span.start - _FARTHEST) : span.start]
    if line.word not in ("if", "elif") or _DEFINED.search(before):
        return True
    return not _COMPARED.match(unit.code, span.end, line.span.end) and not _COMPARED_BEFORE.search(before)


_RIGHT = re.compile(r"\s*(?P<op>[<>]=?)\s*(?P<number>\d+)\b(?!\s*[+\-*/%])")
_LEFT = re.compile(r"(?<![\w+\-*/%])(?P<number>\d+)\s*(?P<op>[<>]=?)\s*\Z")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_FARTHEST = 256
"""Limit on the characters before and after a name within which its comparison is searched."""


def comparison(code: str, around: Span, span: Span) -> tuple[Span, bool, int] | None:
    """Return the comparison with a number: its range, whether newer GPUs pass it, and the first newer number."""
    if match := _RIGHT.match(code, span.end, around.end):
        operator, where = match["op"], Span(span.start, match.end())
    elif match := _LEFT.search(code, max(around.start, span.start - _FARTHEST), span.start):
        operator, where = _MIRRORED[match["op"]], Span(match.start(), span.end)
    else:
        return None
    number = integer(match["number"].lstrip("0") or "0")
    return None if number is None else (where, operator[0] == ">", number + (operator in (">", "<=")))


def plain_test(unit: Unit, line: Directive, name: str, span: Span) -> Test | None:
    """Return the test that a version macro is compared in, with a number or by arithmetic with known macros."""
    macro = MACROS[name]
    found = comparison(unit.code, Span(line.body.start, line.span.end), span)
    if found is not None:
        where, for_new, number = found
        return Test(where, name, macro.present, for_new, number <= macro.newest, number)
    return _by_value(unit, line, name, span)


def _by_value(unit: Unit, line: Directive, name: str, span: Span) -> Test | None:
    """Return the clause around a macro as a test, if a newer release gives it another value than none."""
    where = _clause(unit.code, line.body, span)
    macro = MACROS[name]
    none, newest, newer = (_holds(unit, where, name, number) for number in (0, macro.newest, _HUGE))
    if None in (none, newest, newer) or none == newer:
        return None
    return Test(where, name, macro.present, bool(newer), newest == newer, _threshold(unit, where, name))


def _holds(unit: Unit, where: Span, name: str, number: int) -> bool | None:
    """Return whether a clause holds for a value of a version macro."""

    def state(word: str) -> int | None:
        if word == name:
            return number
        if word in MACROS or word == "__CUDACC_VER_MINOR__":
            return None
        bodies = unit.macros.get(word, ())
        text = unit.code[bodies[0].start : bodies[0].end] if len(bodies) == 1 else ""
        return value_of(text, lambda _: None) if text.strip() else None

    value = value_of(unit.code[where.start : where.end], state)
    return None if value is None else value != 0


def _threshold(unit: Unit, where: Span, name: str) -> int:
    """Return the first number from which on a clause is as for any newer release."""
    low, high = 0, _HUGE
    newer = _holds(unit, where, name, _HUGE)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _holds(unit, where, name, middle) == newer else (middle, high)
    return high


def _clause(code: str, around: Span, span: Span) -> Span:
    """Return the operand of `&&`, `||` or `!` that a name is in."""
    whole = _stripped(code, around)
    text = code[whole.start : whole.end]
    for part in _operands(code, whole):
        if part.start <= span.start < part.end and part != whole:
            return _clause(code, part, span)
    inside = Span(whole.start + 1, whole.end - 1)
    if text.startswith("!") and not text.startswith("!=") and not _COMPARES.search(_outside(text)):
        return _clause(code, Span(whole.start + 1, whole.end), span)
    if text.startswith("(") and matching_close(code, whole.start) == inside.end:
        return _clause(code, inside, span)
    return whole


_COMPARES = re.compile(r"[<>=!]=|[<>]")


def _operands(code: str, span: Span) -> Iterator[Span]:
    """Yield the operands of `&&` and `||` outside parentheses."""
    depth, start = 0, span.start
    for at in range(span.start, span.end):
        depth += (code[at] == "(") - (code[at] == ")")
        if not depth and code[at : at + 2] in ("&&", "||"):
            yield Span(start, at)
            start = at + 2
    yield Span(start, span.end)


def _outside(text: str) -> str:
    """Return the text without what is in parentheses."""
    kept, depth = [], 0
    for char in text:
        depth += char == "("
        kept.append("" if depth else char)
        depth -= char == ")"
    return "".join(kept)


def _stripped(code: str, span: Span) -> Span:
    text = code[span.start : span.end].replace("\\", " ")
    return Span(span.start + len(text) - len(text.lstrip()), span.end - (len(text) - len(text.rstrip())))


# Macros of the project


class Derived(Struct, frozen=True):
    """A macro of the project that says whether a CUDA release is new enough, and what it is for AMD compilers.

    `holds`: its value, or with `presence` whether it is defined. `for_new`: it holds for newer releases.
    """

    present: str
    holds: bool
    for_new: bool
    presence: bool

    def fact(self, name: str) -> str:
        """Return what files that include this one are told."""
        kind = "device" if self.present == DEVICE else "platform"
        return str(Fact(Kind.VERSION, name, f"{kind}:{self.holds:d}:{self.for_new:d}:{self.presence:d}"))


def told_macros(facts: frozenset[str]) -> dict[str, Derived]:
    """Return the macros that other files define by CUDA's version, without those with different definitions."""
    found: dict[str, set[Derived]] = {}
    for fact in facts_of(facts, Kind.VERSION):
        kind, holds, for_new, presence = fact.value.split(":")
        each = Derived(DEVICE if kind == "device" else PLATFORM, holds == "1", for_new == "1", presence == "1")
        found.setdefault(fact.subject, set()).add(each)
    return {name: each.pop() for name, each in found.items() if len(each) == 1}


def told_decisions(facts: frozenset[str]) -> dict[tuple[str, int], bool]:
    """Return how tests are decided in other files by what their branches lack, if these agree."""
    found: dict[tuple[str, int], set[bool]] = {}
    for fact in facts_of(facts, Kind.DECISION):
        number, _, new = fact.value.partition("=")
        found.setdefault((fact.subject, int(number)), set()).add(new == "1")
    return {key: values.pop() for key, values in found.items() if len(values) == 1}


def defined_macros(unit: Unit) -> dict[str, Derived]:
    """Return the macros whose text is a comparison of a version, as the translation leaves it."""
    found: dict[str, Derived] = {}
    for line in unit.directives:
        if line.kind is not DirectiveKind.DEFINE or len(unit.macros[line.name]) != 1:
            continue
        for match in _NAME.finditer(unit.code, line.body.start, line.body.end):
            each = comparison(unit.code, line.body, Span(*match.span())) if match[0] in MACROS else None
            if each is not None and _CLOSED.fullmatch(unit.code[line.body.start : each[0].start]):
                macro = MACROS[match[0]]
                new = each[2] <= macro.newest and macro.present == PLATFORM
                found[line.name] = Derived(macro.present, new == each[1], each[1], presence=False)
    return found


_CLOSED = re.compile(r"[\s(]*")


def asked_macros(unit: Unit) -> Iterator[str]:
    """Yield what to tell a file about the macros in its conditions."""
    for line in unit.directives:
        if line.kind is DirectiveKind.CONDITION:
            words = _NAME.findall(unit.code, line.body.start, line.body.end)
            yield from (question(Kind.VERSION, word) for word in words if word not in unit.macros)


_NAME = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_DEFINED = re.compile(r"\bdefined\s*\(?\s*\Z")


def derived_tests(unit: Unit, line: Directive, derived: Mapping[str, Derived]) -> Iterator[Test]:
    """Yield the tests of the project's version macros in a condition."""
    for match in _NAME.finditer(unit.code, line.body.start, line.body.end):
        macro = derived.get(match[0])
        if macro is None:
            continue
        before = _DEFINED.search(unit.code, line.body.start, match.start())
        by_presence = before is not None or line.word not in ("if", "elif")
        if by_presence != macro.presence and not (macro.presence and macro.holds):
            continue  # `#ifdef HAS_X` of a macro that is always defined, as 0 or 1
        span = Span(before.start() if before is not None else match.start(), match.end())
        if before is not None and "(" in unit.code[before.start() : match.start()]:
            span = Span(span.start, unit.code.find(")", match.end()) + 1 or match.end())
        new = macro.holds == macro.for_new
        yield Test(span, match[0], macro.present, macro.for_new, new, 0, derived=True, presence=by_presence)
