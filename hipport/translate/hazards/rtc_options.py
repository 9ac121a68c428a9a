"""HP504: options of the run-time compiler in string literals."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.syntax.literals import literals
from hipport.translate.work import Work

WORDS = frozenset({"nvrtcCompileProgram"})

_ARCH = "nothing, because hipRTC compiles for the current device, or --offload-arch=gfx..."
_IMPRECISE = "-fno-hip-fp32-correctly-rounded-divide-sqrt"
_PRECISION = f"{_IMPRECISE} if false, else nothing"
_OPTIONS = {
    r"--gpu-architecture|-?-gpu-arch|-arch": _ARCH,
    r"-?-use_fast_math": "-fcuda-approx-transcendentals, -fgpu-flush-denormals-to-zero and " + _IMPRECISE,
    r"-?-fmad": "-ffp-contract=off if false, else nothing",
    r"-?-ftz": "-fgpu-flush-denormals-to-zero if true, else nothing",
    r"-?-prec-(?:div|sqrt)": _PRECISION,
    r"-?-maxrregcount": "__launch_bounds__ on the kernels",
    r"--generate-line-info|-lineinfo": "-gline-tables-only",
    r"--device-debug|-G": "-g -O0",
    r"--relocatable-device-code|-?-rdc|-dc|--device-c": "-fgpu-rdc",
    r"--include-path": "-I",
    r"--pre-include": "-include",
    r"-?-default-device|--device-as-default-execution-space": "#pragma clang force_cuda_host_device",
    r"--extra-device-vectorization|-?-restrict|--device-w|-dw": "nothing",
}
_OPTION = re.compile(
    r"\s*(?:" + "|".join(f"(?P<o{at}>{names})" for at, names in enumerate(_OPTIONS)) + r")(?:\s*[=\s].*)?\s*\Z"
)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the options that hipRTC, which is Clang, does not accept."""
    for literal in literals(work.unit):
        match = _OPTION.match(literal.text)
        if match is not None and match.lastgroup is not None:
            option = re.split(r"[=\s]", literal.text.strip())[0]
            advice = f"Use instead: {list(_OPTIONS.values())[int(match.lastgroup[1:])]}."
            message = f"hipRTC does not support NVRTC's option {option}"
            yield work.report(literal.span, "HP504", Severity.WARNING, message, advice)
