"""Declarations that give names of CUDA other names, `namespace cg = cooperative_groups;`, and those of headers.

Headers tell them as text. So what reads the aliases of a file from its code reads those of headers in the same way.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Set

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, facts_of
from hipport.translate.syntax.unit import Unit

_PATH = r"(?:::\s*)?(\w+(?:\s*::\s*\w+)*)"
_SPACE = re.compile(rf"\b(?:namespace\s+(?P<alias>\w+)\s*=|using\s+(?P<all>namespace)\b|using\b)\s*{_PATH}\s*;")
_TYPE = re.compile(
    r"(?:\btemplate\s*<[^;{}()]{1,200}>\s*)?\busing\s+(?P<new>\w+)\s*=[^;{}()]{1,300};"
    r"|\btypedef\b[^;{}()]{1,300}?\b(?P<old>\w+)\s*;"
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_DIRECTIVE = "using namespace "
_KEYWORDS = frozenset({"namespace", "using", "typedef", "template", "typename", "class", "const", "int", "unsigned"})


def name_facts(unit: Unit, spaces: Collection[str], renamed: Set[str]) -> Iterator[str]:
    """Yield the declarations of a file outside of functions that give another name to one of CUDA.

    `spaces` are CUDA's namespaces, and aliases count of types that are `renamed`. The subject is the new name, or the
    namespace in which a directive makes names visible; that of a directive at file scope is the first part of its own.
    """
    from hipport.translate.syntax.openings import scope_at  # few files have such declarations

    if not unit.words.isdisjoint({"using", "namespace"}):
        for match in _SPACE.finditer(unit.code):
            path = "".join(match[3].split())
            of_cuda = any(path == space or path.startswith(f"{space}::") for space in spaces)
            around = scope_at(unit, match.start()) if of_cuda else None
            if around is not None:
                of_directive = around or path.partition("::")[0]
                yield _fact(match["alias"] or (of_directive if match["all"] else path.rpartition("::")[2]), match[0])
    if not unit.words.isdisjoint(renamed):
        for match in _TYPE.finditer(unit.code):
            if not renamed.isdisjoint(_NAME.findall(match[0])) and scope_at(unit, match.start()) is not None:
                yield _fact(match["new"] or match["old"], match[0])


def _fact(name: str, text: str) -> str:
    return str(Fact(Kind.SAYS, name, " ".join(text.split())))


@functools.lru_cache(maxsize=4)
def visible_names(told: frozenset[str], words: frozenset[str]) -> str:
    """Return those of the declarations told that matter to a file with these words, as text."""
    known = facts_of(told, Kind.SAYS)
    return "\n".join(sorted(fact.value for fact in known if fact.subject in words or _is_of_file(fact)))


def _is_of_file(fact: Fact) -> bool:
    """Return whether a fact is about a directive at file scope."""
    first = _NAME.match(fact.value.removeprefix(_DIRECTIVE).lstrip(": "))
    return fact.value.startswith(_DIRECTIVE) and first is not None and first[0] == fact.subject


def words_of(text: str) -> frozenset[str]:
    """Return the words of declarations that are no keywords."""
    return frozenset(_NAME.findall(text)) - _KEYWORDS if text else frozenset()
