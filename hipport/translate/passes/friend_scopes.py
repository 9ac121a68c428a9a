"""Friends in a namespace whose parameters are named as in there: `friend void details::run(Call<F> call);`.

What stands behind a qualified name is looked up where that name is. Clang does so for definitions and for members of
classes, but not for friends that are functions in a namespace: the names get the namespace.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.named_scopes import namespace_path
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_FRIEND = re.compile(
    r"\bfriend\s[^;{}()]*?(?<![\w:])(?P<scopes>(?:[A-Za-z_]\w*\s*::\s*)+)(?:operator\s*[^\w\s(]+|[A-Za-z_]\w*)\s*"
    r"(?:<[^;{}()]*>\s*)?\("
)
_WORD = re.compile(r"(?<![\w:.])[A-Za-z_]\w*")
_SCOPE = re.compile(r"[A-Za-z_]\w*")
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*\Z")
_TYPE = (
    r"\b(?:class|struct|union|enum)\s+(?:[\w()]+\s+)*?{0}\s*(?:final\s*)?[:;{{]"
    r"|\busing\s+{0}\s*=|\btypedef\b[^;]*\b{0}\s*;"
)
WORDS = (frozenset({"friend"}), frozenset({"namespace"}))


def run(work: Work) -> Iterator[Edit]:
    """Insert the namespace in front of the types that it declares."""
    unit = work.unit
    for match in () if is_hip(work) else _FRIEND.finditer(unit.code):
        close = matching_close(unit.code, match.end() - 1)
        if close is None or platform_at(unit, match.start()) is Platform.NVIDIA:
            continue
        scope = _SCOPE.findall(match["scopes"])[-1]
        own = _own_parameters(unit, match.start())
        for word in _WORD.finditer(unit.code, match.end(), close):
            if word[0] not in own and _declares(unit, scope, word[0]):
                yield Replace(word.start(), word.start(), "".join(match["scopes"].split()))


def _own_parameters(unit: Unit, friend: int) -> frozenset[str]:
    """Return the words of the template parameters in front of a friend."""
    start = max(unit.code.rfind(end, 0, friend) for end in ";{}")
    head = _TEMPLATE.search(unit.code, start + 1, friend)
    return frozenset(_SCOPE.findall(head[0])) if head is not None else frozenset()


def _declares(unit: Unit, scope: str, name: str) -> bool:
    """Return whether the file declares a type in a namespace, given the last part of its name."""
    known: dict[tuple[str, str], bool] = unit.notes.setdefault("types of namespaces", {})
    if (scope, name) not in known:
        found = re.build(_TYPE.format(name)).finditer(unit.code)
        paths = (namespace_path(unit, each.start()) for each in found)
        known[scope, name] = any(path is not None and path.rpartition("::")[2] == scope for path in paths)
    return known[scope, name]
