"""`#define volatile` and macros for other words of the language, in front of includes that CUDA does not have there.

HIP's headers for half and bfloat16 numbers have overloads that differ in `volatile` only. Headers of HIP and of hipport
may come behind the macro in a translation, so they are included in front of it, where they do nothing later.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.inclusion import IN_CODE
from hipport.source import Edit, Replace
from hipport.translate.inclusion import is_c_source
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_WORDS = frozenset({"volatile", "const", "inline", "static", "float", "double", "unsigned", "long", "int"})
WORDS = (_WORDS, frozenset({"define"}))
_HEADERS = ("hipport/compat/bf16.h", "hipport/compat/half.h")


def run(work: Work) -> Iterator[Edit]:
    """Include the headers in front of the first such macro of a file that uses CUDA."""
    unit = work.unit
    if is_hip(work) or work.is_told(IN_CODE) or is_c_source(unit):
        return
    line = next((line for line in unit.directives if _hides_a_word(unit, line)), None)
    if line is None or not (work.references.found or unit.shadow.device_words):
        return
    present = {each.operand for each in includes(unit) if each.directive.span.start < line.span.start}
    newline = unit.source.newline
    lines = "".join(f"#include <{header}>{newline}" for header in _HEADERS if header not in present)
    start = unit.code.rfind("\n", 0, line.span.start) + 1
    yield Replace(start, start, lines)


def _hides_a_word(unit: Unit, line: Directive) -> bool:
    """Return whether a line makes a word of C++ something else than itself, for AMD GPUs too."""
    if line.kind is not DirectiveKind.DEFINE or line.name not in _WORDS:
        return False
    is_other = unit.code[line.body.start : line.body.end].strip() != line.name
    return is_other and platform_at(unit, line.span.start) is not Platform.NVIDIA
