"""HP124: launch attributes that `hipport/compat/launch.h` refuses."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.work import Work

_CLUSTER = "unless its cluster is one block: AMD GPUs have no thread block clusters"
_UPDATED = "HIP has no kernel nodes that device code updates"
REFUSED = {
    "cudaLaunchAttributeClusterDimension": _CLUSTER,
    "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION": _CLUSTER,
    "cudaLaunchAttributeDeviceUpdatableKernelNode": _UPDATED,
    "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE": _UPDATED,
}
_ADVICE = {
    _CLUSTER: "Launch without the attribute, and let blocks exchange data through global memory.",
    _UPDATED: "Update the node from the host: hipGraphExecKernelNodeSetParams.",
}
WORDS = frozenset(REFUSED)
_READ = re.compile(r"(?:\bcase|[=!]=)\s*\Z")
_LONGEST = 40


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each place where such an attribute is given, not those that compare one with it."""
    for reference in work.references.found:
        name, start = reference.entry.name, reference.span.start
        if name not in REFUSED or not reference.entry.support:
            continue
        line = work.unit.directive_at(start)
        end = reference.span.end
        before, after = work.unit.code[max(0, start - _LONGEST) : start], work.unit.code[end : end + _LONGEST]
        if line is not None and line.kind is not DirectiveKind.DEFINE:
            continue
        if not _READ.search(before) and not re.match(r"\s*[=!]=", after):
            why = REFUSED[name]
            comma = " " if why.startswith("unless") else ": "
            message = f"a launch with this attribute fails with hipErrorNotSupported{comma}{why}"
            yield work.report(Span(start, end), "HP124", Severity.WARNING, message, _ADVICE[why])
