"""Namespaces of CUDA's C++ libraries: `cub::` becomes `hipcub::`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.mappings.tables import Tables
from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.syntax.definitions import is_declared_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_QUALIFIED = re.compile(r"\w+(?:\s*::\s*[A-Za-z_]\w*){0,8}")
_FOREIGN = re.compile(r"(?:\.|->|[\w>]\s*::)\s*\Z")
USING = re.compile(r"using(?<!\wusing)\s+namespace\s+(?:::\s*)?(\w+(?:\s*::\s*\w+)*)\s*;")


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
    visible = work.visible_code
    for scope in set(map(compact, USING.findall(visible))) - own if "using" in visible else ():
        if scope in namespaces:
            yield from _visible(work, scope)


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
    for end in _ends(code, match):
        written = compact(code[offset:end])
        name = tables.names.get(written)
        if name is not None and name.hip is not None and _is_elsewhere(tables, written, name.hip.name):
            return Replace(offset, end, name.hip.name)
        entry = tables.namespaces.get(written)
        if entry is not None:
            hip = entry.hip.name if entry.hip is not None else entry.name
            return Replace(offset, end, hip) if hip != entry.name else None
    return None


def _visible(work: Work, scope: str) -> Iterator[Edit]:
    """Replace names behind `using namespace` whose counterparts are in another namespace than that one's."""
    unit, tables = work.unit, work.context.tables
    known = frozenset(tables.scopes.get(scope, frozenset()) & unit.words)
    places = [each for each in unit.occurrences(known) if may_be_looked_up(unit, each[1])]
    declared = {name for name, offset in places if is_declared_at(unit, name, offset)}
    for name, offset in places:
        match = _QUALIFIED.match(unit.code, offset) if name not in declared else None
        for end in _ends(unit.code, match) if match is not None else ():
            entry = tables.names.get(written := f"{scope}::{compact(unit.code[offset:end])}")
            if entry is not None and entry.hip is not None:
                if _is_elsewhere(tables, written, entry.hip.name):
                    yield Replace(offset, end, entry.hip.name)
                break


def _ends(code: str, match: re.Match[str]) -> Iterator[int]:
    """Yield where a qualified name ends, and where its parts without the last ones do."""
    end = match.end()
    while end > match.start():
        yield end
        end = skip_blanks_back(code, max(code.rfind("::", match.start(), end), 0))


def compact(name: str) -> str:
    """Return a qualified name without blanks."""
    return re.sub(r"\s", "", name)


def may_be_looked_up(unit: Unit, offset: int) -> bool:
    """Return whether a name is neither another's member nor a word of a `#pragma`: `omp parallel num_threads(4)`."""
    line = unit.directive_at(offset)
    return not is_foreign(unit.code, offset) and (line is None or line.word != "pragma")


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
