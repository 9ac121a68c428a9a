"""Find nvcc in Makefiles: its calls, the variables that hold it, and those that hold flags for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.readers.make import Line
from hipport.source import Replace

_NVCC = re.compile(r"nvcc(?![\w.\-=/])(?![ \t]*:(?!=))")
_FOLDER = re.compile(r"(?:\$[({]\w+[)}])?[\w./~-]*/")
_USED = re.compile(r"\$[({]([\w.-]+)[)}]")
_TELLING = re.compile(r"NVCC|GENCODE|CUDA_?FLAGS|CUFLAGS|CUDACC", re.IGNORECASE)
_STANDARD_OR_C = re.compile(r"-std\b|\.c\b")
"""An explicit standard, or C sources, to which C++ standards do not apply."""
_AUTOMAKE = re.compile(r"\.(?:am|in)\Z")
_SUBSTITUTED = re.compile(r"(?:\$[({]NVCC[)}]|@NVCC@)\"?(?!\S)(?! -std=c\+\+14)(?! -I\$\(srcdir\))")
_QUESTION = re.compile(r"(?:which|command -v|type)[ \t]+\Z")


def run(work: BuildFile) -> Iterator[Found]:
    """Replace `nvcc`, and the folder before it, with `hipcc`."""
    options = "".join(f" {option}" for option in _options(work))
    for line in work.lines:
        if options and not line.variable and _AUTOMAKE.search(work.source.name):
            # configure finds the compiler, by its name alone.
            yield from (
                Replace(use.end(), use.end(), options) for use in _SUBSTITUTED.finditer(work.text, line.start, line.end)
            )
        for start, end in nvcc_places(work.text, line.start, line.end):
            asked = _QUESTION.search(work.text, max(line.start, start - 20), start)
            yield Replace(start, end, "hipcc" if asked else "hipcc" + options)


def _options(work: BuildFile) -> Iterator[str]:
    """Yield options that hipcc needs but nvcc does not."""
    if work.context.old_default and not _STANDARD_OR_C.search(work.text):
        yield "-std=c++14"
    if work.context.support is not None:
        base = "$(srcdir)/" if _AUTOMAKE.search(work.source.name) else ""
        yield f"-I{base}{work.context.support}"


def nvcc_places(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of nvcc in a range of the text."""
    for match in _NVCC.finditer(text, start, end):
        begin = match.start()
        before = text[begin - 1 : begin] if begin > start else ""
        if before == "/":
            yield _folder_start(text, begin, start), match.end()
        elif not re.match(r"[\w$.-]", before):
            yield begin, match.end()


def _folder_start(text: str, begin: int, least: int) -> int:
    """Return the start of a program's path, or of the program itself if the path is not plain."""
    position = begin
    while position > least and re.match(r"[\w./~${}()-]", text[position - 1]):
        position -= 1
    return position if _FOLDER.fullmatch(text, position, begin) else begin


def nvcc_variables(files: Iterable[tuple[str, Sequence[Line]]]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the variables that hold nvcc, and those that hold flags for it, by their names and uses.

    The texts are of one Makefile and of those that it includes, or that include it.
    """
    lines = [(text, line, set(_USED.findall(text, line.start, line.end))) for text, each in files for line in each]
    compilers = {
        line.variable for text, line, _ in lines if line.variable and any(nvcc_places(text, line.start, line.end))
    }
    while more := {
        line.variable
        for text, line, _ in lines
        if line.variable and line.variable not in compilers and _first_word(text, line) in compilers
    }:
        compilers |= more
    flags = {line.variable for _, line, _ in lines if _TELLING.search(line.variable)}
    for text, line, used in lines:
        if not line.variable and (used & compilers or any(nvcc_places(text, line.start, line.end))):
            flags |= used
    return frozenset(compilers), _with_used(flags, [(line, used) for _, line, used in lines])


def _first_word(text: str, line: Line) -> str:
    """Return the variable that a value begins with: `LINK = $(NVCC) -m64`."""
    found = _USED.match(text, line.start, line.end)
    return found[1] if found and re.match(r"\s|\Z", text[found.end() : min(found.end() + 1, line.end)]) else ""


def _with_used(flags: set[str], uses: Sequence[tuple[Line, set[str]]]) -> frozenset[str]:
    """Return the variables and those that their values use, directly or indirectly."""
    values: dict[str, set[str]] = {}
    for line, used in uses:
        values.setdefault(line.variable, set()).update(used)
    seen, waiting = set(flags), list(flags)
    while waiting:
        fresh = values.get(waiting.pop(), set()) - seen
        seen |= fresh
        waiting += fresh
    return frozenset(seen)


def is_for_nvcc(text: str, line: Line, compilers: frozenset[str], flags: frozenset[str]) -> bool:
    """Return whether the options in a line are for nvcc."""
    if line.variable:
        return line.variable in flags or line.variable in compilers
    used = set(_USED.findall(text, line.start, line.end))
    return bool(used & (compilers | {"NVCC"})) or any(nvcc_places(text, line.start, line.end))
