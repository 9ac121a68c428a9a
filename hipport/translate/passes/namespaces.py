"""Namespaces of CUDA's C++ libraries: `cub::` becomes `hipcub::`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.mappings.tables import Tables
from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.work import Work

_QUALIFIED = re.compile(r"\w+(?:\s*::\s*[A-Za-z_]\w*){0,8}")
_FOREIGN = re.compile(r"(?:\.|->|[\w>]\s*::)\s*\Z")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rename namespaces whose counterpart has another name, unless the file itself opens one of that name.

    Of a qualified name whose counterpart is in another namespace, all is replaced.

    Uses of a namespace without a counterpart are reported where its header is included.
    """
    namespaces = work.context.tables.namespaces
    code = work.unit.code
    roots = frozenset(name.split("::")[0] for name in namespaces)
    places = work.unit.occurrences(roots)
    own = {root for root, offset in places if opens(code, root, offset)}
    for root, offset in places:
        if root not in own and not is_foreign(code, offset):
            edit = _renamed(work.context.tables, code, root, offset)
            if edit is not None:
                yield edit


def opens(code: str, root: str, offset: int) -> bool:
    """Return whether this is `namespace cub {`."""
    after = skip_blanks(code, offset + len(root))
    return code[after : after + 1] == "{" and code.endswith("namespace", 0, skip_blanks_back(code, offset))


def is_foreign(code: str, offset: int) -> bool:
    """Return whether a word is a member, or in another namespace."""
    return _FOREIGN.search(code, max(0, offset - 64), offset) is not None


def _names_namespace(code: str, offset: int, end: int) -> bool:
    """Return whether a word names a namespace: before `::`, in `using namespace x;` or `namespace y = x;`."""
    after = skip_blanks(code, end)
    if code[after : after + 2] == "::":
        return True
    before = skip_blanks_back(code, offset)
    return code[after : after + 1] == ";" and code[max(0, before - 9) : before].endswith(("namespace", "="))


def _renamed(tables: Tables, code: str, root: str, offset: int) -> Replace | None:
    """Return the edit for the longest mapped name or namespace that the qualified name at this offset begins with."""
    match = _QUALIFIED.match(code, offset)
    if match is None or not _names_namespace(code, offset, offset + len(root)):
        return None
    end = match.end()
    while end > offset:
        written = re.sub(r"\s", "", code[offset:end])
        name = tables.names.get(written)
        if name is not None and name.hip is not None and _is_elsewhere(tables, written, name.hip.name):
            return Replace(offset, end, name.hip.name)
        entry = tables.namespaces.get(written)
        if entry is not None:
            hip = entry.hip.name if entry.hip is not None else entry.name
            return Replace(offset, end, hip) if hip != entry.name else None
        end = skip_blanks_back(code, max(code.rfind("::", offset, end), 0))
    return None


def _is_elsewhere(tables: Tables, name: str, hip: str) -> bool:
    """Return whether a counterpart is not in that of the name's namespace; names that only differ are edited alone."""
    around = name.rpartition("::")[0]
    scope = around
    while scope:
        entry = tables.namespaces.get(scope)
        if entry is not None and entry.hip is not None:
            return hip.rpartition("::")[0] != entry.hip.name + around.removeprefix(scope)
        scope = scope.rpartition("::")[0]
    return False
