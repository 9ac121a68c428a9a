"""Explicit template arguments of functions that are templates in CUDA only: `cudaLaunchKernel<Function>(f, ...)`.

CUDA's runtime has templates around functions that take `void*`. Where the table adds a cast, HIP has no such template.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import skip_blanks, template_close
from hipport.translate.work import Work

_WITHOUT_CAST = frozenset({"cudaLaunchCooperativeKernel", "cudaStreamAttachMemAsync"})
"""HIP's template for the first is by the type of the pointer, CUDA's by that of the function."""


def run(work: Work) -> Iterator[Edit]:
    """Remove the arguments, which can be deduced in CUDA."""
    code = work.unit.code
    for reference in () if is_hip(work) else work.references.found:
        start = skip_blanks(code, reference.span.end)
        if code[start : start + 1] != "<" or code.startswith("<<", start) or not _is_no_template(reference):
            continue
        close = template_close(code, start, len(code))
        if close is not None and code.startswith("(", skip_blanks(code, close + 1)):
            yield Replace(reference.span.end, close + 1, "", whole=True)


def _is_no_template(reference: Reference) -> bool:
    entry = reference.entry
    wraps = [change.before for change in entry.args if change.op == "wrap"]
    casts = any("reinterpret_cast<" in text or "(void**)" in text for text in wraps)
    return entry.hip is not None and (casts or entry.name in _WITHOUT_CAST)
