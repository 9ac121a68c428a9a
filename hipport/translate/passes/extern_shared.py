"""`extern __shared__ float tile[256];`, with a size, or a variable that is no array.

nvcc takes it for a definition, unless it links device code (`-rdc=true`): then another unit defines it. Clang takes
arrays without a size only, which are the memory that a launch asks for.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.declarations import at_file_scope
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_NAMES = frozenset({"extern"})
WORDS = (_NAMES, frozenset({"__shared__"}))
_DECLARATION = re.compile(
    r"extern\s+(?P<words>(?:[\w:]+\s+|__align__\s*\([^()]*\)\s*|alignas\s*\([^()]*\)\s*)*?)__shared__\b(?P<rest>[^;{}=]*);"
)
_DECLARATOR = re.compile(r"[\w:<>,*&\s()]*?\b(?P<name>[A-Za-z_]\w*)\s*(?P<bounds>(?:\[[^][]*\]\s*)*)")
_MESSAGE = "without -rdc=true nvcc defines {} here, as AMD compilers now do; with it, another unit does"
_ADVICE = "Device code of several units cannot share such a variable on AMD GPUs. Pass a pointer to it."


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Remove `extern`; report variables at file scope, which another unit may define."""
    unit = work.unit
    if is_hip(work):
        return
    for name, offset in unit.occurrences(_NAMES):
        match = _DECLARATION.match(unit.code, offset)
        declared = _DECLARATOR.fullmatch(match["rest"]) if match is not None else None
        if match is None or declared is None or re.match(r"\[\s*\]", declared["bounds"]):
            continue
        if unit.directive_at(offset) is not None or platform_at(unit, offset) is Platform.NVIDIA:
            continue
        yield Replace(offset, offset + len(name) + 1, "")
        if at_file_scope(unit, offset):
            place = match.start("rest") + declared.start("name")
            span = Span(place, place + len(declared["name"]))
            yield work.report(span, "HP141", Severity.WARNING, _MESSAGE.format(declared["name"]), _ADVICE)
