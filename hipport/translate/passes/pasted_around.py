"""Names that macros paste around a parameter, `__shfl_##kind##_sync`: none of HIP's can be made this way."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes import cross_lane
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.macro_uses import parameters, uses
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_CHAIN = re.compile(r"(?<!#)\b\w+(?:\s*##\s*\w+)+(?!\s*##)")
_BEGINNING = re.compile(r"(?:cu|CU|nccl|nvrtc|nvml)(?!\w*_t\b)")
"""Matches how names begin that are translated by their beginning."""
_ARGUMENTS = frozenset(["cuda", "cu", "cublas", "cufft", "curand", "cusparse", "cusolver", "cusolverDn", "cudnn"])
"""Beginnings that are translated where they are arguments: `CAT(cuda, Malloc)`."""
_PARTS = re.compile(r"\w+")
_FEWEST = 5
"""Characters that a macro must give by itself, if no use of it is in the file."""
_ADVICE = "Pass whole names to the macro."


def report(work: Work) -> Iterator[Diagnostic]:
    """Report macros that make names of CUDA which the translation would change."""
    if cross_lane.is_hip(work):
        return
    for line in work.unit.directives:
        if line.kind is DirectiveKind.DEFINE and platform_at(work.unit, line.span.start) is not Platform.NVIDIA:
            yield from _defined(work, line)


def _defined(work: Work, line: Directive) -> Iterator[Diagnostic]:
    named = parameters(work.unit.code[line.span.start : line.body.start])
    for match in _CHAIN.finditer(work.unit.code, line.body.start, line.body.end):
        parts = _PARTS.findall(match[0])
        if _BEGINNING.match(parts[0]) or not any(part in named for part in parts):
            continue
        given = [*uses(work.unit, line, named)]
        pasted = [[words.get(part, part) for part in parts] for words in given]
        made = {"".join(words) for words in pasted if words[0] not in _ARGUMENTS}
        lost = sorted(name for name in made if _is_changed(work, name))
        if not given:
            lost = _fitting(work, [part if part not in named else "" for part in parts])
        if lost:
            message = f"{line.name} makes {', '.join(lost[:3])} of parts, which are not translated"
            yield work.report(Span(*match.span()), "HP112", Severity.ERROR, message, _ADVICE)


def _is_changed(work: Work, name: str) -> bool:
    """Return whether a name of CUDA has another one in HIP, or none."""
    entry = work.context.tables.names.get(name)
    if entry is None or entry.ordinary or name in work.references.exported | work.context.foreign:
        return False
    return entry.hip is None or entry.hip.name != name or name in cross_lane.JUDGED


def _fitting(work: Work, fixed: list[str]) -> list[str]:
    """Return names that a macro can make, if all that it can make change; used by other files."""
    if len("".join(fixed)) < _FEWEST:
        return []
    groups = ["".join(run) or r"\w+" for _, run in itertools.groupby(fixed, bool)]
    pattern = re.build("".join(groups))
    fits = [name for name in work.context.tables.known if name.startswith(fixed[0]) and pattern.fullmatch(name)]
    return sorted(fits) if fits and all(_is_changed(work, name) for name in fits) else []
