"""Member functions that HIP lacks: `tile.meta_group_rank()` becomes `hipport::compat::meta_group_rank(tile)`.

Those with arguments have names that other classes have too, `any` and `all`: they are rewritten for objects that the
file declares as groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.mappings.tables import FreeFunction
from hipport.passes import insertion
from hipport.passes.work import Work
from hipport.source import Edit, Replace

_OBJECT = re.compile(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[[^][]*\])*\s*\Z")
_NO_ARGUMENTS = re.compile(r"\s*\(\s*\)")
_OPENED = re.compile(r"\s*\((?!\s*\))")
_LAST_NAME = re.compile(r"([A-Za-z_]\w*)(?:\s*\[[^][]*\])*\s*\Z")
_LONGEST = 200  # characters of an object: longer ones are no variables
_GROUPS = frozenset({"coalesced_group", "thread_block_tile"})
_MAKERS = frozenset({"coalesced_threads", "tiled_partition", "binary_partition", "labeled_partition"})


def run(work: Work) -> Iterator[Edit]:
    """Rewrite the calls whose object is a variable, an element or a member."""
    groups = not work.unit.words.isdisjoint(_GROUPS | _MAKERS)
    functions = {name: each for name, each in work.context.tables.functions.items() if groups or not each.has_arguments}
    headers: set[str] = set()
    first = None
    for name, offset in work.unit.occurrences(frozenset(functions)):
        edit = _rewritten(work.unit.code, functions[name], offset, offset + len(name))
        if edit is not None:
            yield edit
            headers.add(functions[name].header)
            first = edit.start if first is None else first
    if first is not None:
        yield from insertion.include(work, headers, first)


def _rewritten(code: str, free: FreeFunction, offset: int, end: int) -> Replace | None:
    before = code[max(0, offset - _LONGEST) : offset].rstrip()
    call = (_OPENED if free.has_arguments else _NO_ARGUMENTS).match(code, end)
    pointer = before.endswith("->")
    if call is None or not (pointer or before.endswith(".")):
        return None
    stem = before[: -2 if pointer else -1]
    match = _OBJECT.search(stem)
    if match is None or (free.has_arguments and not _is_group(code[:offset], match[0])):
        return None
    text = match[0].strip()
    start = offset - len(code[max(0, offset - _LONGEST) : offset]) + match.start()
    closing = ", " if free.has_arguments else ")"
    return Replace(start, call.end(), f"{free.function}({'*' if pointer else ''}{text}{closing}", whole=True)


def _is_group(before: str, text: str) -> bool:
    """Whether the variable, or the member at its end, is declared as a group of lanes above."""
    last = _LAST_NAME.search(text)
    if last is None:
        return False
    typed = rf"\b(?:coalesced_group|thread_block_tile\s*<[^;{{}}]*>)(?:\s*const\b)?[\s&*]*\b{last[1]}\b"
    made = rf"\bauto\b[\s&*]*(?:const\b[\s&*]*)?\b{last[1]}\s*[=({{][^;]*\b(?:{'|'.join(sorted(_MAKERS))})\b"
    return re.search(rf"{typed}|{made}", before) is not None
