"""Name the package that provides a library the linker does not find."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NOT_FOUND = re.compile(r"(?:cannot find|unable to find library) -l([\w+.-]+)")


def explain_link(text: str) -> Iterator[str]:
    """Yield a line for each ROCm library that a link is missing."""
    names = dict.fromkeys(_NOT_FOUND.findall(text))
    if not names:
        return
    from hipport.toolchain.libraries import load_libraries

    known = load_libraries()
    for name in names:
        library = known.get(name.lower().rstrip(":"))
        if library is not None:
            debian = f"Debian: apt-get install {library.debian} ({library.since} and newer). " if library.debian else ""
            yield f"-l{name}: {debian}ROCm's own packages: {library.rocm}"
