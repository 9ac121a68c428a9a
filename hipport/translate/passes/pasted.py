"""CUDA names that macros paste together: `cuda##name`, `cublas##T##gemm` in a macro's body, and `CAT(cuda, Malloc)`.

That may be in another macro's body, too: `#define CALL(f) CAT(cuda, f)`. The part in front is replaced if the names
that the file makes with it differ from HIP's in this part only; otherwise each name becomes a macro for HIP's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.lexer import Directive, DirectiveKind, parameters
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_PREFIXES = "cuda|cu|cublas|cufft|curand|cusparse|cusolver|cusolverDn|cudnn"
_PASTED = re.compile(r"(?<![\w#])((?:cu|CU|nccl|nvrtc|nvml)\w*)((?:\s*##\s*\w+)+)")
_LIBRARY = re.compile(rf"(?:{_PREFIXES}|nccl|nvrtc|nvml)(?<!cu)")
_ARGUMENTS = re.compile(
    r"\b([A-Z_a-z]\w*)\s*\(\s*((?:cu|CU|nccl|nvrtc|nvml)\w*)\s*,\s*([A-Za-z_]\w*(?:\s*##\s*\w+)*)\s*\)"
)
_GIVEN = re.compile(r"\(\s*(?:cu|CU|nccl|nvrtc|nvml)\w*\s*,\s*[A-Za-z_]\w*(?:\s*##\s*\w+)*\s*\)")
"""Matches the arguments alone: brackets are fewer than the words that may be in front of them."""
_FRONTS = frozenset(_PREFIXES.split("|"))
"""Words that are hardly given to anything but macros which paste."""
_WORD = re.compile(r"\w+")
_WHOLE_CALL = re.compile(r"\s*(?:[),;}]|[=!]=|\Z)")
"""Matches what follows a parameter that is a whole call, `CHECK(cuda##call)`, and not the beginning of one."""

_USUAL = {
    "cuda": "hip",
    "cublas": "hipblas",
    "cufft": "hipfft",
    "curand": "hiprand",
    "cusparse": "hipsparse",
    "cusolverDn": "hipsolverDn",
}
"""How names of a library begin in HIP, but for few."""


_Written = set[tuple[object, str]]
"""Names that are defined as HIP's, by the branch of the macros."""
_ADVICE = "Pass whole names to the macro."


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Replace the parts in front, and report macros with which that is not possible."""
    pastes = may_paste(work.unit)
    if pastes or work.told(Kind.PASTED):
        yield from _of_macros(work)
    may_give = _GIVEN.search(work.unit.code) is not None
    for match in _ARGUMENTS.finditer(work.unit.code) if may_give else ():
        line = work.unit.directive_at(match.start())
        if line is None or (line.kind is DirectiveKind.DEFINE and not pastes):
            yield from _argument(work, match)


def _argument(work: Work, match: re.Match[str]) -> Iterator[Edit | Diagnostic]:
    """Replace what a macro is given to paste, `CAT(cuda, Malloc)`, unless the parts are translated by themselves."""
    front, rest = match[2], match[3]
    if front not in _FRONTS and not _pastes(work.unit, match[1]) and not _is_part(work, match[1], front, rest):
        return
    from hipport.translate.passes.pasted_fronts import translated  # few files paste names

    hip = _prefix(work, front, rest)
    if hip == "":
        yield from _whole(work, match)
    elif hip not in (front, translated(work, front)):
        yield Replace(match.start(2), match.end(2), hip, whole=True)


def _is_part(work: Work, macro: str, front: str, rest: str) -> bool:
    """Return whether two words make a name of CUDA, of which the first is none, in a macro of another file."""
    known = work.context.tables.known
    return front + rest in known and front not in known and macro not in work.unit.macros


def _of_macros(work: Work) -> Iterator[Edit | Diagnostic]:
    """Replace, or report, what the bodies of macros make, and what is made around the words that they are given."""
    from hipport.translate.passes import pasted_around, pasted_own  # few files paste names

    yield from pasted_around.run_on_macros(work)
    written: _Written = set()
    for line in work.unit.directives if may_paste(work.unit) else ():
        if line.kind is DirectiveKind.DEFINE and platform_at(work.unit, line.span.start) is not Platform.NVIDIA:
            yield from _defined(work, line, written)
            yield from _passed_on(work, line, written)
            yield from _named(work, line)
    yield from pasted_own.run_on_macros(work)


def _whole(work: Work, match: re.Match[str]) -> Iterator[Edit | Diagnostic]:
    """Replace a call that makes a name whose rest differs in HIP, `CAT(cuda, HostAlloc)`, or report it."""
    name = match[2] + match[3]
    entry = work.context.tables.names.get(name)
    if entry is None or entry.ordinary:
        return
    plain = _pastes(work.unit, match[1])
    hip = entry.hip.name if entry.hip is not None else None
    if plain and hip is not None:
        yield Replace(match.start(), match.end(), hip, whole=True)
    elif plain is not False:
        becomes = f"is {hip} in HIP" if hip is not None else "HIP does not have"
        message = f"{match[1]} makes {name} of parts, which {becomes}"
        severity = Severity.ERROR if plain else Severity.WARNING
        yield work.report(Span(*match.span()), "HP112", severity, message, f"Write {hip or name} as one word.")


def _pastes(unit: Unit, macro: str) -> bool | None:
    """Return whether a macro does nothing but paste its two arguments, by itself or by others.

    None: that is not known, because the file does not define it or it does more with them.
    """
    seen: set[str] = set()
    while macro not in seen:
        seen.add(macro)
        line = next((d for d in unit.directives if d.kind is DirectiveKind.DEFINE and d.name == macro), None)
        if line is None:
            return None
        named = parameters(unit.code[line.span.start : line.body.start])
        body = " ".join(unit.code[line.body.start : line.body.end].replace("\\\n", " ").split())
        if len(named) != 2:
            return None
        first, second = named
        if re.fullmatch(rf"{first}\s*##\s*{second}", body):
            return True
        inner = re.fullmatch(rf"(\w+)\s*\(\s*{first}\s*,\s*{second}\s*\)", body)
        if inner is None:
            return None if "##" in body else False
        macro = inner[1]
    return False


def may_paste(unit: Unit) -> bool:
    """Return whether a file may make names out of parts."""
    return "##" in unit.code or _may_pass(unit)


def _may_pass(unit: Unit) -> bool:
    return not unit.words.isdisjoint(_PREFIXES.split("|"))


class _Made(Struct, frozen=True):
    """The names that a macro makes with a part in front: their use in the file, and how HIP's names for them begin.

    The beginning is empty for names whose rest differs in HIP.
    """

    used: bool
    prefixes: frozenset[str]
    rests: tuple[str, ...]

    @property
    def prefix(self) -> str:
        """The beginning of all the names in HIP; empty if they have none in common."""
        return min(self.prefixes) if len(self.prefixes) == 1 else ""


def _made(work: Work, line: Directive, front: str, parts: Sequence[str]) -> _Made:
    """Return what the uses of a macro in the file make of a part in front and others, its parameters among them."""
    from hipport.translate.syntax.macro_uses import uses  # few files paste names

    named = parameters(work.unit.code[line.span.start : line.body.start])
    rests = ["".join(given.get(part, part) for part in parts) for given in uses(work.unit, line, named)]
    known = tuple(rest for rest in rests if front + rest in work.context.tables.names)
    return _Made(bool(rests), frozenset(_prefix(work, front, rest) for rest in known), known)


def _defined(work: Work, line: Directive, written: _Written) -> Iterator[Edit | Diagnostic]:
    """Replace the parts in front of a macro's parameters, by what all its uses in the file need."""
    named = parameters(work.unit.code[line.span.start : line.body.start])
    for match in _PASTED.finditer(work.unit.code, line.body.start, line.body.end):
        front, parts, span = match[1], _WORD.findall(match[2]), Span(*match.span(1))
        behind = work.unit.code[line.body.start : match.start()].rstrip().endswith(("##", ".", "->"))
        if behind or front in named:
            continue
        if not any(part in named for part in parts):
            yield from _constant(work, line, Span(*match.span()), front + "".join(parts))
            continue
        made = _made(work, line, front, parts)
        if made.prefix:
            if made.prefix != front:
                yield Replace(span.start, span.end, made.prefix)
        elif made.prefixes:
            yield from _each(work, line, span, made.rests, Severity.WARNING, written)
        elif not made.used and front in _USUAL and _WHOLE_CALL.match(work.unit.code, match.end(), line.body.end):
            yield from _for_other_files(work, line, span, _USUAL[front])
        elif not made.used and (hip := _common_prefix(work, front)):
            yield from _for_other_files(work, line, span, hip)
        elif not made.used and _LIBRARY.fullmatch(front):
            yield _used_elsewhere(work, line, span, front)


def _constant(work: Work, line: Directive, span: Span, name: str) -> Iterator[Edit | Diagnostic]:
    """Replace a name that a macro makes of words which are none of its parameters, `cuda##Success`, or report it."""
    entry = work.context.tables.names.get(name)
    if entry is None or entry.ordinary or name in work.own_names:
        return
    if entry.hip is None or entry.args or entry.support:
        message = f"{line.name} makes {name} of parts, which no other name stands for in HIP"
        yield work.report(span, "HP112", Severity.ERROR, message, "Write the name as one word.")
    elif entry.hip.name != name:
        yield Replace(span.start, span.end, entry.hip.name, whole=True)


def _passed_on(work: Work, line: Directive, written: _Written) -> Iterator[Edit | Diagnostic]:
    """Replace what a macro gives another one to paste: `#define CALL(f) CAT(cuda, f)`."""
    named = parameters(work.unit.code[line.span.start : line.body.start])
    for match in _ARGUMENTS.finditer(work.unit.code, line.body.start, line.body.end):
        parts = _WORD.findall(match[3])
        if not any(part in named for part in parts):
            yield from _argument(work, match)
        elif (pastes := _pastes(work.unit, match[1])) or (pastes is None and match[2] in _FRONTS):
            yield from _given(work, line, Span(*match.span(2)), match[2], parts, written)
        elif pastes is None and match[1] not in work.unit.macros:  # its uses show that it pastes
            made = _made(work, line, match[2], parts)
            if made.prefix not in ("", match[2]):
                yield Replace(match.start(2), match.end(2), made.prefix, whole=True)


def _given(
    work: Work, line: Directive, span: Span, front: str, parts: Sequence[str], written: _Written
) -> Iterator[Edit | Diagnostic]:
    """Replace a part in front that the body of a macro gives to one that pastes."""
    from hipport.translate.passes.pasted_fronts import translated

    made = _made(work, line, front, parts)
    if made.prefix:
        if made.prefix not in (front, translated(work, front)):
            yield Replace(span.start, span.end, made.prefix, whole=True)
    elif made.prefixes:
        yield from _each(work, line, span, made.rests, Severity.ERROR, written)
    elif not made.used and front in _USUAL:
        yield from _for_other_files(work, line, span, _USUAL[front])
    elif not made.used and front in _FRONTS:
        yield _used_elsewhere(work, line, span, front)
    elif not made.used and (hip := _common_prefix(work, front)) not in ("", translated(work, front)):
        yield from _for_other_files(work, line, span, hip)


def _each(
    work: Work, line: Directive, span: Span, rests: Sequence[str], severity: Severity, written: _Written
) -> Iterator[Edit | Diagnostic]:
    """Define each name that a macro makes as HIP's, since what is pasted is expanded again; or report the macro."""
    front = work.unit.code[span.start : span.end]
    names = sorted({front + rest for rest in rests} - work.own_names)
    entries = [work.context.tables.names[name] for name in names]
    lacking = [each.name for each in entries if each.hip is None or each.args or each.support or each.ordinary]
    if lacking:
        message = f"{line.name} makes {lacking[0]} of parts, which no other name stands for in HIP"
        yield work.report(span, "HP112", severity, message, _ADVICE)
        return
    wanted = {each.name: each.hip.name for each in entries if each.hip is not None and each.hip.name != each.name}
    new = [name for name in wanted if (line.branch, name) not in written and name not in work.unit.macros]
    written.update((line.branch, name) for name in new)
    lines = "".join(f"#define {name} {wanted[name]}{work.unit.source.newline}" for name in new)
    if lines:
        yield Replace(line.span.start, line.span.start, lines)


def _used_elsewhere(work: Work, line: Directive, span: Span, front: str) -> Diagnostic:
    message = f"{line.name} makes names of {front} where other files use it, which are not translated"
    return work.report(span, "HP112", Severity.WARNING, message, _ADVICE)


def _for_other_files(work: Work, line: Directive, span: Span, hip: str) -> Iterator[Edit | Diagnostic]:
    """Replace the part in front of names that other files make, and say so."""
    yield Replace(span.start, span.end, hip, whole=True)
    message = f"{line.name} makes names of {hip} now; other files use it, whose names in HIP may differ in more"
    yield work.report(span, "HP112", Severity.WARNING, message, _ADVICE)


def _named(work: Work, line: Directive) -> Iterator[Edit | Diagnostic]:
    """Replace the part in front in a macro that stands for it and is pasted by others: `#define PREFIX cuda`."""
    unit = work.unit
    cuda = unit.code[line.body.start : line.body.end].strip()
    if cuda not in _USUAL or not re.search(rf"[(,]\s*{line.name}\s*,", unit.code):
        if cuda in _USUAL and len(unit.occurrences(frozenset({line.name}))) == 1 and unit.is_header:
            yield _used_elsewhere(work, line, line.body, cuda)
        return
    start = unit.code.index(cuda, line.body.start)
    found = {_prefix(work, cuda, word) for word in unit.words if cuda + word in work.context.tables.names}
    hip = found.pop() if len(found) == 1 else ""
    yield Replace(start, start + len(cuda), hip or _USUAL[cuda])
    if not hip:
        message = f"{line.name} stands for {_USUAL[cuda]} now; names made with it may differ in more in HIP"
        yield work.report(Span(start, start + len(cuda)), "HP112", Severity.WARNING, message, _ADVICE)


def _common_prefix(work: Work, cuda: str) -> str:
    """Return what stands in HIP in front of all names that begin like this, `cudaMemcpy`; empty if they differ."""
    if _LIBRARY.fullmatch(cuda):
        return ""
    rests = (name.removeprefix(cuda) for name in work.context.tables.names if name.startswith(cuda) and name != cuda)
    found = {_prefix(work, cuda, rest) for rest in rests} - {"", cuda}  # of some, HIP has none
    return found.pop() if len(found) == 1 else ""


def _prefix(work: Work, cuda: str, rest: str) -> str:
    """Return what stands in HIP in front of the rest of a name; empty if the rest differs.

    The names that the project defines itself are not changed.
    """
    if cuda + rest in work.own_names:
        return cuda
    entry = work.context.tables.names.get(cuda + rest)
    hip = entry.hip.name if entry is not None and entry.hip is not None else ""
    return hip.removesuffix(rest) if hip.endswith(rest) else ""
