"""CUDA names that macros paste together: `cuda##name`, `cublas##T##gemm` in a macro's body, and `CAT(cuda, Malloc)`.

The part in front is replaced if the names that the file makes with it differ from HIP's in this part only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_PREFIXES = "cuda|cu|cublas|cufft|curand|cusparse|cusolver|cusolverDn|cudnn"
_PASTED = re.compile(r"(?<![\w#])((?:cu|CU|nccl|nvrtc|nvml)\w*)((?:\s*##\s*\w+)+)")
_LIBRARY = re.compile(rf"(?:{_PREFIXES}|nccl|nvrtc|nvml)(?<!cu)")
_ARGUMENTS = re.compile(rf"\b[A-Z_a-z]\w*\s*\(\s*({_PREFIXES})\s*,\s*([A-Za-z]\w*)\s*\)")
_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w*\Z")
_LEADING = re.compile(r"\w+(?=\s*\()")
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

_IN_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(((?:[^(),;]*,)*)\s*\Z")
"""Matches what stands in front of an argument: the name of a macro, and the arguments in front."""
_DEEPEST = 8
"""Limit on macros that pass a word on to each other."""

_ADVICE = "Pass whole names to the macro."


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Replace the parts in front, and report macros with which that is not possible."""
    if "##" in work.unit.code:
        for line in work.unit.directives:
            if line.kind is DirectiveKind.DEFINE and platform_at(work.unit, line.span.start) is not Platform.NVIDIA:
                yield from _defined(work, line)
    if not _may_pass(work.unit):
        return
    for match in _ARGUMENTS.finditer(work.unit.code):
        hip = _prefix(work, match[1], match[2])
        if hip not in ("", match[1]) and work.unit.directive_at(match.start()) is None:
            yield Replace(match.start(1), match.end(1), hip)


def may_paste(unit: Unit) -> bool:
    """Return whether a file may make names out of parts."""
    return "##" in unit.code or _may_pass(unit)


def _may_pass(unit: Unit) -> bool:
    return not unit.words.isdisjoint(_PREFIXES.split("|"))


def _defined(work: Work, line: Directive) -> Iterator[Edit | Diagnostic]:
    """Replace the parts in front of a macro's parameters, by what all its uses in the file need."""
    head = work.unit.code[line.span.start : line.body.start]
    parameters = _parameters(head)
    for match in _PASTED.finditer(work.unit.code, line.body.start, line.body.end):
        parts = _WORD.findall(match[2])
        behind = work.unit.code[line.body.start : match.start()].rstrip().endswith("##")
        if behind or match[1] in parameters or not any(part in parameters for part in parts):
            continue
        made = ["".join(given.get(part, part) for part in parts) for given in _uses(work, line, parameters)]
        rests = [rest for rest in made if match[1] + rest in work.context.tables.names]
        prefixes = {_prefix(work, match[1], rest) for rest in rests}
        span = Span(match.start(1), match.end(1))
        if len(prefixes) == 1 and "" not in prefixes:
            if prefixes != {match[1]}:
                yield Replace(span.start, span.end, prefixes.pop())
        elif rests:
            message = f"{line.name} makes names of {match[1]} and others, whose names in HIP begin differently"
            yield work.report(span, "HP112", Severity.WARNING, message, _ADVICE)
        elif not made and match[1] in _USUAL and _WHOLE_CALL.match(work.unit.code, match.end(), line.body.end):
            hip = _USUAL[match[1]]
            yield Replace(span.start, span.end, hip)
            message = f"{line.name} makes names of {hip} now; other files use it, whose names in HIP may differ in more"
            yield work.report(span, "HP112", Severity.WARNING, message, _ADVICE)
        elif not made and (hip := _common_prefix(work, match[1])):
            yield Replace(span.start, span.end, hip)
            message = f"{line.name} makes names of {hip} now; other files use it, whose names in HIP may differ in more"
            yield work.report(span, "HP112", Severity.WARNING, message, _ADVICE)
        elif not made and _LIBRARY.fullmatch(match[1]):
            message = f"{line.name} makes names of {match[1]} where other files use it, which are not translated"
            yield work.report(span, "HP112", Severity.WARNING, message, _ADVICE)


def _parameters(head: str) -> list[str]:
    """Return the names of a macro's parameters; `...` is `__VA_ARGS__`."""
    listed = head.partition("(")[2]
    return _WORD.findall(listed) + (["__VA_ARGS__"] if re.search(r"(?:\(|,)\s*\.\.\.", f"({listed}") else [])


def _uses(work: Work, line: Directive, parameters: list[str], depth: int = 0) -> Iterator[dict[str, str]]:
    """Yield the words that each use of a macro gives for its parameters; what is not one word is left out.

    A use in the body of another macro gives what that one's uses do: `#define CHECK(op) CALL(op)`. A macro that is an
    argument is used where the other macro's body calls its parameter: `LIST(CASE)` with `#define LIST(X) X(Free)`.
    """
    unit = work.unit
    macros = {each.name: each for each in unit.directives if each.kind is DirectiveKind.DEFINE}
    for name, offset in unit.occurrences(frozenset({line.name})):
        around = unit.directive_at(offset)
        call = call_of(unit, Span(offset, offset + len(name)))
        if around is not None and offset < around.body.start:  # a definition or a test of it
            continue
        if call is not None:
            texts = (unit.code[each.start : each.end].strip() for each in call.arguments)
            yield from _passed_on(work, around, dict(zip(parameters, texts, strict=False)), depth)
        elif around is None:
            lister = _IN_CALL.search(unit.code, max(0, offset - 100), offset)
            if lister is not None and lister[1] in macros:
                yield from _listed(unit, macros[lister[1]], lister[2].count(","), parameters)


def _passed_on(work: Work, around: Directive | None, given: Mapping[str, str], depth: int) -> Iterator[dict[str, str]]:
    """Yield words for parameters, where they are parameters of the macro around the use: those of its own uses."""
    head = work.unit.code[around.span.start : around.body.start] if around is not None else ""
    outer = _parameters(head)
    if around is not None and depth < _DEEPEST and not set(given.values()).isdisjoint(outer):
        for words in _uses(work, around, outer, depth + 1):
            yield _single({name: words.get(text, text) for name, text in given.items()})
    else:
        yield _single(given)


def _single(given: Mapping[str, str]) -> dict[str, str]:
    words = ((name, _LEADING.match(text) or _PIECE.match(text)) for name, text in given.items())
    return {parameter: word[0] for parameter, word in words if word is not None}


def _listed(unit: Unit, lister: Directive, index: int, parameters: list[str]) -> Iterator[dict[str, str]]:
    """Yield the words with which a macro calls that parameter of its own which has this index."""
    names = _WORD.findall(unit.code[lister.span.start : lister.body.start].partition("(")[2])
    if index < len(names):
        for call in re.finditer(rf"\b{names[index]}\s*\(([^()]*)\)", unit.code[lister.body.start : lister.body.end]):
            yield _single(dict(zip(parameters, (word.strip() for word in call[1].split(",")), strict=False)))


def _common_prefix(work: Work, cuda: str) -> str:
    """Return what stands in HIP in front of all names that begin like this, `cudaMemcpy`; empty if they differ."""
    if _LIBRARY.fullmatch(cuda):
        return ""
    rests = (name.removeprefix(cuda) for name in work.context.tables.names if name.startswith(cuda) and name != cuda)
    found = {_prefix(work, cuda, rest) for rest in rests} - {""}
    return found.pop() if len(found) == 1 else ""


def _prefix(work: Work, cuda: str, rest: str) -> str:
    """Return what stands in HIP in front of the rest of a name; empty if the rest differs.

    The names that the project defines itself are not changed.
    """
    if cuda + rest in work.references.exported | work.context.foreign:
        return cuda
    entry = work.context.tables.names.get(cuda + rest)
    hip = entry.hip.name if entry is not None and entry.hip is not None else ""
    return hip.removesuffix(rest) if hip.endswith(rest) else ""
