"""Tell host compilers in Makefiles which HIP the sources are for, as hipcc does by itself."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.make.compiler import nvcc_places, nvcc_variables
from hipport.source import Replace

_DEFINE = "-D__HIP_PLATFORM_AMD__"
_COMPILER = r"(?:mpi)?(?:g\+\+|gcc|c\+\+|cc|clang\+\+|clang|icpc|icpx|cxx|mpic\+\+)(?:-\d+(?:\.\d+)*)?(?!\S)"
_LONGEST = 200
"""Characters of a path to a compiler: at any length, the time would grow with the square of the line's."""
_VALUE = re.compile(rf"[ \t]*(?:[\w./-]*/)?{_COMPILER}")
_CALL = re.compile(rf"(?:^|[;&|@-])[ \t]*(?:[\w./-]{{0,{_LONGEST}}}/)?{_COMPILER}(?=[ \t][^\n]*\S)", re.MULTILINE)
_FOR_COMPILERS = re.compile(r"(?:\w*_)?(?:CC|CXX|CPP|GCC|GXX|GPP|COMPILER|LD|LINK|LINKER|CCBIN)\w*", re.IGNORECASE)
_TOLD = re.compile(r"__HIP_PLATFORM|-I[ \t]*(?:\$[({]\w*CUDA\w*[)}]|/usr/local/cuda)[\w./-]*/include")


def run(work: BuildFile) -> Iterator[Found]:
    """Add the definition behind the names of host compilers, unless an include folder of CUDA brings it.

    Only a Makefile that runs nvcc, or includes one that does, is taken to compile sources for HIP.
    """
    compilers, _ = work.context.nvcc_variables or nvcc_variables([(work.text, work.lines)])
    runs = compilers or any(any(nvcc_places(work.text, line.start, line.end)) for line in work.lines)
    if not runs or _TOLD.search(work.text):
        return
    for line in work.lines:
        if not line.variable:
            for call in _CALL.finditer(work.text, line.start, line.end):
                yield Replace(call.end(), call.end(), f" {_DEFINE}")
        elif _FOR_COMPILERS.fullmatch(line.variable):
            value = _VALUE.match(work.text, line.start, line.end)
            if value is not None:
                yield Replace(value.end(), value.end(), f" {_DEFINE}")
