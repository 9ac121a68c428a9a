"""Report CUDA in Bazel's build files."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.readers.calls import Call, read_calls
from hipport.diagnostics import Severity

_RULES = {"cuda_library", "cuda_objects", "cuda_binary", "cuda_test", "cuda_toolchain", "cuda_toolkit"}
_OTHERS = re.compile(r"(?:tf|tsl|xla|gpu|jax|cc)?_?(?:cuda|gpu_kernel)_(?:cc_|only_cc_|py_)?(?:library|binary|test)")
_REPOSITORY = re.compile(r"@(?P<name>rules_cuda|local_config_cuda|local_cuda|cuda_\w+)(?://|$)")
_HIP = "Compile the .hip sources by a rule that runs hipcc, or with a toolchain for ROCm such as local_config_rocm."


def run(work: BuildFile) -> Iterator[Found]:
    """Report rules for CUDA, the repositories that they come from, and renamed sources in other rules."""
    for call in read_calls(work.text):
        if call.name in _RULES or _OTHERS.fullmatch(call.name):
            yield _report(work, call.start, f"Bazel's rule {call.name} compiles CUDA with nvcc or clang", _HIP)
        elif call.name == "load":
            yield from _loaded(work, call)
        elif call.name == "bazel_dep":
            for string in call.strings:
                if string.text == "rules_cuda":
                    yield _report(work, string.start, "the module rules_cuda is for NVIDIA's toolkit", _HIP)
        else:
            yield from _sources(work, call)


def _loaded(work: BuildFile, call: Call) -> Iterator[Found]:
    for string in call.strings[:1]:
        repository = _REPOSITORY.match(string.text)
        if repository:
            message = f"the repository {repository['name']} is for NVIDIA's toolkit"
            yield _report(work, string.start, message, _HIP)


def _sources(work: BuildFile, call: Call) -> Iterator[Found]:
    if call.name in ("cc_library", "cc_binary", "cc_test", "filegroup"):
        for string in call.strings:
            if string.text.endswith(".cu") and string.text.rpartition("/")[2] in work.context.renamed:
                message = f"the source is now {string.text.removesuffix('.cu')}.hip"
                yield _report(work, string.start, message, _HIP)


def _report(work: BuildFile, offset: int, message: str, advice: str) -> Found:
    return work.report(offset, "HP411", Severity.ERROR, message, advice)
