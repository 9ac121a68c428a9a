"""HP511: PTX and code for NVIDIA GPUs that a program loads: in string literals, and in files that these name."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.literals import literals
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

WORDS = frozenset(
    {
        "cuLibraryLoadData",
        "cuLibraryLoadFromFile",
        "cuLinkAddData",
        "cuLinkAddFile",
        "cuModuleLoad",
        "cuModuleLoadData",
        "cuModuleLoadDataEx",
        "cuModuleLoadFatBinary",
        "cudaLibraryLoadData",
        "cudaLibraryLoadFromFile",
        ".target sm_",
    }
)
_PTX = re.compile(r"(?:\A|[\n;])\s*\.version\s+\d|\.target\s+sm_\d|\.visible\s+\.(?:entry|func)\b")
_FILE = re.compile(r"[^\n\"<>|]*\.(?:ptx|cubin)")
_ADVICE = "Load a code object instead: compile the kernels' source with `hipport build --genco`, or by hipRTC."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the literals of files that load modules, and PTX in others."""
    if is_hip(work):
        return
    loads = not work.unit.words.isdisjoint(WORDS)
    for literal in literals(work.unit):
        if _PTX.search(literal.text):
            message = "the string is PTX, which HIP cannot load"
        elif loads and _FILE.fullmatch(literal.text):
            message = f"'{literal.text}' names a file of PTX or of code for NVIDIA GPUs, which HIP cannot load"
        else:
            continue
        if platform_at(work.unit, literal.span.start) is not Platform.NVIDIA:
            yield work.report(literal.span, "HP511", Severity.WARNING, message, _ADVICE)
