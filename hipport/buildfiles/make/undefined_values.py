"""Give hipcc in Makefiles the options for what C++ leaves undefined, through the variable that it reads for them."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.make.compiler import nvcc_places
from hipport.buildfiles.undefined_values import hipcc_options
from hipport.source import Replace

_AUTOMAKE = (".am", ".in")


def run(work: BuildFile) -> Iterator[Found]:
    """Export HIPCC_COMPILE_FLAGS_APPEND, so that no use of the compiler's variable gets further words.

    automake rejects `?=`.
    """
    releases = work.context.releases
    options = hipcc_options(releases.rocm) if releases is not None else ""
    if not options or work.source.name.endswith(_AUTOMAKE):
        return
    if any(any(nvcc_places(work.text, line.start, line.end)) for line in work.lines):
        yield Replace(0, 0, f"export HIPCC_COMPILE_FLAGS_APPEND ?= {options}\n")
