"""HP108: structs whose members are in a different order in HIP, where values without names initialize them."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.work import Work

_STRUCTS = {"cudaKernelNodeParams": "hipKernelNodeParams", "CUDA_KERNEL_NODE_PARAMS": "hipKernelNodeParams"}
WORDS = tuple(_STRUCTS)
_INITIALIZED = re.compile(
    rf"\b({'|'.join(_STRUCTS)})\b(?:\s+[A-Za-z_]\w*(?:\s*\[[^][]*\])?)?\s*(?:=\s*)?\{{(?!\s*(?:\}}|\.|(?:0|nullptr|NULL)\s*\}}))"
)
_ADVICE = "Initialize them by name."


def run(work: Work) -> Iterator[Diagnostic]:
    """Note braces with values; `T params = {};` and `T params = {0};` leave no member with another's value."""
    for match in () if is_hip(work) else _INITIALIZED.finditer(work.unit.code):
        hip = _STRUCTS[match[1]]
        message = f"{match[1]}: {hip} has its members in a different order"
        yield work.report(Span(*match.span(1)), "HP108", Severity.NOTE, message, _ADVICE)
