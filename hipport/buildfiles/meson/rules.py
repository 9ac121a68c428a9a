"""Report CUDA in Meson's build files."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.readers.calls import Call, Text, read_calls
from hipport.diagnostics import Severity

_LANGUAGES = {"project", "add_languages"}
_MODULES = {"cuda", "unstable-cuda"}
_TARGETS = {"executable", "library", "static_library", "shared_library", "shared_module", "both_libraries", "files"}
_LANGUAGE = "Meson has no language HIP"
_COMPILE = "Compile the .hip sources with hipcc in a custom_target, and give its objects to the targets."


def run(work: BuildFile) -> Iterator[Found]:
    """Report the language, its module, dependencies and libraries, and sources that were renamed."""
    for call in read_calls(work.text):
        method = call.name.rpartition(".")[2]
        for number, string in enumerate(call.strings):
            if method in _LANGUAGES and string.text == "cuda" and (number > 0 or method != "project"):
                yield _report(work, string, _LANGUAGE, _COMPILE)
            elif method == "import" and string.text in _MODULES:
                advice = "Give --offload-arch=... to hipcc."
                yield _report(work, string, f"Meson's module {string.text} finds architectures of NVIDIA", advice)
            elif method in _TARGETS and string.text.endswith(".cu"):
                yield from _source(work, string)
        if call.strings[:1]:
            yield from _library(work, call, method)


def _source(work: BuildFile, string: Text) -> Iterator[Found]:
    """Report a source that Meson does not compile under its new name."""
    if string.text.rpartition("/")[2] in work.context.renamed:
        name = string.text.removesuffix(".cu") + ".hip"
        yield _report(work, string, f"the source is now {name}, which Meson does not compile", _COMPILE)


def _library(work: BuildFile, call: Call, method: str) -> Iterator[Found]:
    """Report `dependency('cuda')`, and CUDA libraries that are searched by name."""
    string = call.strings[0]
    if method == "dependency" and string.text == "cuda":
        advice = "Use dependency('hip', method: 'cmake', modules: ['hip::host']), and likewise for hipblas and others."
        yield _report(work, string, "the dependency cuda is NVIDIA's toolkit", advice)
    elif method in ("find_library", "dependency") and (library := work.library(string.text)) is not None:
        advice = f"Link with {library.link}." if library.link else library.advice or library.drop
        yield _report(work, string, f"{string.text} is a library of CUDA", advice)


def _report(work: BuildFile, string: Text, message: str, advice: str) -> Found:
    return work.report(string.start, "HP410", Severity.ERROR, message, advice)
