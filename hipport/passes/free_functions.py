"""Member functions that HIP lacks: `tile.meta_group_rank()` becomes `hipport::compat::meta_group_rank(tile)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.passes import insertion
from hipport.passes.work import Work
from hipport.source import Edit, Replace

_OBJECT = re.compile(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[[^][]*\])*\s*\Z")
_CALL = re.compile(r"\s*\(\s*\)")
_LONGEST = 200  # characters of an object: longer ones are no variables


def run(work: Work) -> Iterator[Edit]:
    """Rewrite the calls whose object is a variable, an element or a member."""
    functions = work.context.tables.functions
    headers: set[str] = set()
    first = None
    for name, offset in work.unit.occurrences(frozenset(functions)):
        edit = _rewritten(work.unit.code, functions[name].function, offset, offset + len(name))
        if edit is not None:
            yield edit
            headers.add(functions[name].header)
            first = edit.start if first is None else first
    if first is not None:
        yield from insertion.include(work, headers, first)


def _rewritten(code: str, function: str, offset: int, end: int) -> Replace | None:
    before = code[max(0, offset - _LONGEST) : offset].rstrip()
    call = _CALL.match(code, end)
    pointer = before.endswith("->")
    if call is None or not (pointer or before.endswith(".")):
        return None
    stem = before[: -2 if pointer else -1]
    match = _OBJECT.search(stem)
    if match is None:
        return None
    text = match[0].strip()
    start = offset - len(code[max(0, offset - _LONGEST) : offset]) + match.start()
    return Replace(start, call.end(), f"{function}({'*' if pointer else ''}{text})", whole=True)
