"""Let hipcc link relocatable device code where nvcc does so by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.make.compiler import is_for_nvcc, nvcc_places, nvcc_variables
from hipport.buildfiles.readers.make import Line
from hipport.source import Replace

_RELOCATABLE = re.compile(r"(?<!\S)(?:-dc|--?device-c|--?(?:rdc|relocatable-device-code)[= ]true)(?!\S)")
_NOT_LINKING = re.compile(
    r"(?<!\S)(?:-c|-dc|-dw|-E|-S|-M{1,2}[DGP]?|-x|-ptx|-cubin|-fatbin|-dlink|-lib|-V|-h"
    r"|--?(?:compile|device-c|device-link|preprocess|generate-dependencies\w*|cubin|fatbin|lib|version|help|list-gpu-code))(?!\S)"
)
_USED = re.compile(r"\$[({]([\w.-]+)[)}]")
_OUTPUT = re.compile(r"(?<!\S)(?:-o|--?output-file)(?![\w-])")
_OBJECTS = re.compile(r"\.(?:o|obj|a)\b|OBJ", re.IGNORECASE)
_SOURCE = re.compile(r"\.cu\b")
_OPTIONS = " -fgpu-rdc --hip-link"


def is_relocatable(files: Iterable[tuple[str, Sequence[Line]]]) -> bool:
    """Return whether a Makefile compiles relocatable device code with nvcc."""
    return any(_RELOCATABLE.search(text, line.start, line.end) for text, lines in files for line in lines)


def run(work: BuildFile) -> Iterator[Found]:
    """Add the options to command lines of nvcc that link."""
    own = [(work.text, work.lines)]
    if not (work.context.links_device_code or is_relocatable(own)):
        return
    compilers, flags = work.context.nvcc_variables or nvcc_variables(own)
    compiling = {line.variable for line in work.lines if line.variable and _compiles(work.text, line)}
    for line in work.lines:
        if line.variable or not is_for_nvcc(work.text, line, compilers, flags) or _compiles(work.text, line):
            continue
        used = set(_USED.findall(work.text, line.start, line.end))
        if not used & compiling and _links(work.text, line):
            yield from (Replace(end, end, _OPTIONS) for end in _ends(work.text, line, compilers | {"NVCC"}))


def _links(text: str, line: Line) -> bool:
    """Return whether a command line makes something of objects, and not of sources alone."""
    if _OBJECTS.search(text, line.start, line.end):
        return True
    return _OUTPUT.search(text, line.start, line.end) is not None and not _SOURCE.search(text, line.start, line.end)


def _compiles(text: str, line: Line) -> bool:
    return _NOT_LINKING.search(text, line.start, line.end) is not None


def _ends(text: str, line: Line, compilers: frozenset[str]) -> Iterator[int]:
    """Yield where options for nvcc may begin in a command line."""
    for match in _USED.finditer(text, line.start, line.end):
        if match[1] in compilers:
            yield match.end()
    yield from (end for _, end in nvcc_places(text, line.start, line.end))
