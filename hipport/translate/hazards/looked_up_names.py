"""HP140: libraries of NVIDIA that a program opens by name, and CUDA's functions that it looks up in one."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import Kind
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.literals import Literal, literals
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_OPENERS = frozenset(
    {"dlopen", "dlmopen", "LoadLibrary", "LoadLibraryA", "LoadLibraryW", "LoadLibraryEx", "LoadLibraryExA"}
)
_SEARCHES = frozenset({"dlsym", "dlvsym", "GetProcAddress"})
_CALLS = _OPENERS | _SEARCHES
WORDS = _CALLS | {"libcu", "libnv", "libnccl", "nvcuda.dll", "cudart64"}
_LIBRARY = re.compile(
    r"(?:[\w./-]*/)?(?:lib)?(?:nv)?(?:cuda|cudart|cublas|cublasLt|cufft|curand|cusparse|cusolver|cudnn\w*|nvrtc|nccl|nvidia-ml)"
    r"(?:64)?(?:_\d+)*\.(?:so(?:\.\d+)*|dll)"
)
_CALL = re.compile(rf"\b(?P<name>{'|'.join(sorted(_CALLS))})\s*\((?P<before>[^;{{}}]*)\Z")
_BEFORE = 200
_ADVICE = "Open HIP's library, such as libamdhip64.so, and look up the names that the functions have in HIP."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report names of libraries that are opened, and of functions of CUDA that are looked up."""
    if is_hip(work):
        return
    for literal in literals(work.unit):
        message = _judged(work, literal) if _may_matter(literal.text) else ""
        if message and platform_at(work.unit, literal.span.start) is not Platform.NVIDIA:
            yield work.report(Span(literal.span.start, literal.span.end), "HP140", Severity.WARNING, message, _ADVICE)


def _may_matter(text: str) -> bool:
    return text.startswith(("cu", "nccl", "nvrtc")) or text.endswith(".dll") or ".so" in text


def _judged(work: Work, literal: Literal) -> str:
    """Return what is wrong with a literal; empty for others."""
    if _LIBRARY.fullmatch(literal.text):
        return f"'{literal.text}' is a library of NVIDIA, which machines with AMD GPUs lack"
    code = work.unit.code
    call = _CALL.search(code, max(0, literal.span.start - _BEFORE), literal.span.start)
    entry = work.context.tables.names.get(literal.text) if call is not None and call["name"] in _SEARCHES else None
    if entry is None or entry.kind is not Kind.FUNCTION:
        return ""
    becomes = f"it is {entry.hip.name} in HIP" if entry.hip is not None else "HIP does not have it"
    return f"'{literal.text}' is looked up at run time, and {becomes}"
