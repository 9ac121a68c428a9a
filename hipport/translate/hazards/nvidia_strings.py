"""HP512: programs, environment variables and GPUs of NVIDIA's that a program names in strings."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.literals import Literal, literals
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_RUNS = frozenset(
    [
        "system",
        "popen",
        "_popen",
        "_wpopen",
        "execl",
        "execle",
        "execlp",
        "execv",
        "execve",
        "execvp",
        "execvpe",
        "posix_spawn",
        "posix_spawnp",
    ]
)
_ENVIRONMENT = frozenset(
    [
        "getenv",
        "secure_getenv",
        "setenv",
        "unsetenv",
        "putenv",
        "_putenv",
        "_putenv_s",
        "_dupenv_s",
        "getenv_s",
        "SetEnvironmentVariable",
        "SetEnvironmentVariableA",
        "GetEnvironmentVariable",
        "GetEnvironmentVariableA",
    ]
)
_COMPARES = frozenset(
    [
        "strstr",
        "strcasestr",
        "strcmp",
        "strncmp",
        "strcasecmp",
        "strncasecmp",
        "_stricmp",
        "find",
        "rfind",
        "compare",
        "contains",
        "starts_with",
        "ends_with",
        "regex_search",
        "regex_match",
        "cudaDeviceProp",
        "cudaGetDeviceProperties",
        "cuDeviceGetName",
        "nvmlDeviceGetName",
    ]
)
WORDS = _RUNS | _ENVIRONMENT | _COMPARES
_PROGRAMS = {
    "nvidia-smi": "amd-smi or rocm-smi",
    "nvidia-settings": "amd-smi or rocm-smi",
    "nvcc": "hipcc",
    "nvprof": "rocprofv3",
    "nsys": "rocprofv3 or rocprof-sys-run",
    "ncu": "rocprof-compute",
    "cuobjdump": "llvm-objdump --offloading",
    "nvdisasm": "llvm-objdump -d",
    "ptxas": "hipcc --genco",
    "fatbinary": "clang-offload-bundler",
    "compute-sanitizer": "`hipport run --check`",
    "cuda-memcheck": "`hipport run --check`",
    "cuda-gdb": "rocgdb",
}
_COMMAND = re.compile(rf"(?:\s*|[^\"]*[;&|(`]\s*|[\w./-]*/)(?P<program>{'|'.join(_PROGRAMS)})(?:\.exe)?(?:\s[\s\S]*)?")
_VARIABLES = {
    "CUDA_LAUNCH_BLOCKING": "HIP_LAUNCH_BLOCKING=1, or AMD_SERIALIZE_KERNEL=3",
    "CUDA_DEVICE_ORDER": "",
    "CUDA_DEVICE_MAX_CONNECTIONS": "GPU_MAX_HW_QUEUES",
    "CUDA_DEVICE_MAX_COPY_CONNECTIONS": "",
    "CUDA_MODULE_LOADING": "HIP_ENABLE_DEFERRED_LOADING",
    "CUDA_CACHE_DISABLE": "AMD_COMGR_CACHE=0",
    "CUDA_CACHE_PATH": "AMD_COMGR_CACHE_DIR",
    "CUDA_CACHE_MAXSIZE": "AMD_COMGR_CACHE_POLICY",
    "CUDA_FORCE_PTX_JIT": "",
    "CUDA_DISABLE_PTX_JIT": "",
    "CUDA_FORCE_JIT": "",
    "CUDA_DISABLE_JIT": "",
    "CUDA_MANAGED_FORCE_DEVICE_ALLOC": "HSA_XNACK",
    "CUDA_AUTO_BOOST": "",
    "CUDA_SCALE_LAUNCH_QUEUES": "",
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION": "",
    "CUDA_COREDUMP_FILE": "",
    "CUDA_DEVICE_WAITS_ON_EXCEPTION": "",
    "CUDA_MPS_PIPE_DIRECTORY": "",
    "CUDA_MPS_LOG_DIRECTORY": "",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": "",
    "CUDA_PATH": "ROCM_PATH",
    "CUDA_HOME": "ROCM_PATH",
    "CUDA_ROOT": "ROCM_PATH",
    "CUDA_TOOLKIT_ROOT_DIR": "ROCM_PATH",
    "CUBLAS_WORKSPACE_CONFIG": "ROCBLAS_DEVICE_MEMORY_SIZE",
    "CUBLAS_LOGINFO_DBG": "ROCBLAS_LAYER",
    "CUBLASLT_LOG_LEVEL": "HIPBLASLT_LOG_LEVEL",
    "CUDNN_LOGINFO_DBG": "MIOPEN_ENABLE_LOGGING",
    "CUDNN_LOGLEVEL_DBG": "MIOPEN_LOG_LEVEL",
    "NVIDIA_TF32_OVERRIDE": "",
    "NVIDIA_VISIBLE_DEVICES": "ROCR_VISIBLE_DEVICES",
}
"""Variables that nothing reads on a machine with AMD GPUs, and those there for the same purpose.

CUDA_VISIBLE_DEVICES is not one of them: HIP reads it beside HIP_VISIBLE_DEVICES.
"""
_COMPARED = re.compile(
    r"(?:\b(?:strstr|strcasestr|strn?cmp|strn?casecmp|_stricmp|r?find|compare|contains|(?:starts|ends)_with|"
    r"regex_(?:search|match))\s*\([^;{}]*|[=!]=\s*(?:std\s*::\s*string\s*[({]\s*)?)\Z"
)
_NAMED = re.compile(r"[nN]ame|[pP]rop")
_GPU = re.compile(
    r"\b(?:Tesla|GeForce|Quadro|TITAN|Titan|Jetson|Orin|NVIDIA|RTX|GTX|(?:GH|GB)200|[APVTHLB][1-9]\d{0,2}[A-Z]?)\b"
)
_ARCHITECTURE = re.compile(r"(?:sm|compute)_\d{2,3}[af]?")
_BEFORE = 200


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each program and variable once, and the names of GPUs that a program compares with."""
    if is_hip(work):
        return
    seen = set[str]()
    for literal in literals(work.unit):
        said = _judged(work, literal)
        if said is None or said[0] in seen or platform_at(work.unit, literal.span.start) is Platform.NVIDIA:
            continue
        seen.add(said[0])
        yield work.report(literal.span, "HP512", Severity.WARNING, *said)


def _judged(work: Work, literal: Literal) -> tuple[str, str] | None:
    """Return the message and the advice about a literal, None for others."""
    words = work.unit.words
    name = literal.text.partition("=")[0]
    if name in _VARIABLES and not _ENVIRONMENT.isdisjoint(words):
        there = _VARIABLES[name]
        advice = f"What comes nearest is: {there}." if there else "AMD's software has no such variable."
        return f"nothing reads the environment variable {name} on a machine with AMD GPUs", advice
    command = _COMMAND.fullmatch(literal.text) if not _RUNS.isdisjoint(words) else None
    if command is not None:
        program = command["program"]
        return (
            f"{program} is a program of NVIDIA's, which a machine with ROCm lacks",
            f"Run instead: {_PROGRAMS[program]}.",
        )
    return _compared(work, literal)


def _compared(work: Work, literal: Literal) -> tuple[str, str] | None:
    """Return what is wrong with a name of a GPU or an architecture with which the program compares another."""
    is_architecture = _ARCHITECTURE.fullmatch(literal.text) is not None
    if not is_architecture and _GPU.search(literal.text) is None:
        return None
    window = work.unit.code[max(0, literal.span.start - _BEFORE) : literal.span.start]
    before = window[max(window.rfind(";"), window.rfind("{"), window.rfind("}")) + 1 :]
    if _COMPARED.search(before) is None or not (is_architecture or _NAMED.search(before)):
        return None
    kind = "architecture" if is_architecture else "name"
    advice = "Compare gcnArchName of the device's properties (`gfx90a:sramecc+:xnack-`), or ask for the feature itself."
    return f"no AMD GPU has the {kind} '{literal.text}'", advice
