"""Report what configure.ac and m4 files look for of CUDA: a check that fails turns the GPU code off without a word."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.tables import Library
from hipport.diagnostics import Severity

_CHECK = re.compile(
    r"\b(?P<macro>AC_(?:CHECK_(?:LIB|HEADERS?|FUNCS?|TYPES?|SIZEOF|DECLS?)|SEARCH_LIBS)|PKG_CHECK_MODULES)\s*\(\s*"
    r"\[?\s*(?P<first>[^,\])\n]*)\]?(?:\s*,\s*\[?\s*(?P<second>[^,\])\n]*))?"
)
_HEADER = re.compile(r"\b(?:cuda\w*|cu(?:blas|fft|rand|sparse|solver|dnn|Complex)\w*|nvml|nvToolsExt|nccl)\.h\b")
_NAME = re.compile(
    r"\b(?:cuda|cublas|cufft|curand|cusparse|cusolver|cudnn|nvml|nvrtc|nccl)[A-Z]\w*|\bcu[A-Z]\w+|\bcuda-[\d.]+"
)
_CALL = re.compile(r"\b(?:cuda|cublas|cufft|curand|cusparse|cusolver|cudnn)[A-Z]\w*\s*\(")
_COMMENT = re.compile(r"(?:^|[ \t])dnl\b[^\n]*|^[ \t]*#(?!include)[^\n]*", re.MULTILINE)


def run(work: BuildFile) -> Iterator[Found]:
    """Report checks for CUDA's libraries, headers and functions, and test programs that call them."""
    code = _COMMENT.sub(_blank, work.text)
    for check in _CHECK.finditer(code):
        yield from _check(work, check)
    others = _CHECK.sub(_blank, code)
    for pattern in (_HEADER, _CALL):
        for match in pattern.finditer(others):
            name = match[0].rstrip("( \t\n")
            yield _report(work, match.start(), f"a test program has {name}", "Write it for HIP.")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _check(work: BuildFile, check: re.Match[str]) -> Iterator[Found]:
    first, second = check["first"].strip(), (check["second"] or "").strip()
    if check["macro"] == "AC_CHECK_LIB" and (library := work.library(first)) is not None:
        yield _report(work, check.start(), f"configure looks for the library {first}", _instead(library))
    elif check["macro"] in ("AC_SEARCH_LIBS", "PKG_CHECK_MODULES"):
        for name in second.split():
            if (library := work.library(name)) is not None or _NAME.match(name):
                advice = _instead(library) if library is not None else "Look for ROCm's."
                yield _report(work, check.start(), f"configure looks for the library {name}", advice)
                return
    elif found := _HEADER.search(first) or _NAME.search(first):
        yield _report(
            work, check.start(), f"configure looks for {found[0]}", "Look for HIP's: hip/hip_runtime.h, hipMalloc."
        )


def _instead(library: Library) -> str:
    """Return what to look for in place of a library of CUDA."""
    if not library.link:
        return library.advice or library.drop
    return f"Look for {library.link}, and for a function by its HIP name."


def _report(work: BuildFile, offset: int, message: str, advice: str) -> Found:
    return work.report(offset, "HP412", Severity.ERROR, message, advice)
