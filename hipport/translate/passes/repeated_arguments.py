"""Template parameters repeated behind the name of a member template that is defined outside of its class.

nvcc takes `template <class A> template <class B> void Box<A>::f<B>() {}`; Clang takes it for a partial specialization,
which functions cannot have.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.brackets import skip_blanks, split_arguments, template_close
from hipport.translate.syntax.declarations import after_parameters
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_TEMPLATE = re.compile(r"\btemplate\s*(?=<)")
_NAME = re.compile(r"[^;{}()=]*?::\s*(?:operator\s*\(\s*\)|[A-Za-z_]\w*)\s*(?=<[^<>;{}()]*>\s*\()")
_IN_TYPE = re.compile(r"\b(?:class|struct|union|using)\s")
"""Matches what declares a type, `struct Result<Box<T>()>` for a type of functions."""
WORDS = (frozenset({"template"}),)


def run(work: Work) -> Iterator[Edit]:
    """Remove the arguments where they are the parameters in their order."""
    code = work.unit.code
    for match in _TEMPLATE.finditer(code):
        close = template_close(code, match.end(), len(code))
        name = _NAME.match(code, close + 1) if close is not None else None
        end = template_close(code, name.end(), len(code)) if name is not None else None
        if close is None or name is None or end is None or not _is_declared(work.unit, end + 1):
            continue
        if _IN_TYPE.search(name[0]) or name[0].count("<") != name[0].count(">"):
            continue
        if _parameters(code, match.end() + 1, close) == _arguments(code, name.end() + 1, end):
            yield Replace(name.end(), end + 1, "")


def _is_declared(unit: Unit, at: int) -> bool:
    """Return whether a definition's or a declaration's parameters are at an offset, not a call's arguments."""
    at = skip_blanks(unit.code, at)
    return unit.code.startswith("(", at) and after_parameters(unit.code, at) is not None


def _parameters(code: str, start: int, end: int) -> list[str]:
    """Return the names of template parameters, `...` behind those of packs."""
    found = []
    for each in split_arguments(code, start, end):
        text = code[each.start : each.end].partition("=")[0].strip()
        name = re.fullmatch(r".*?(\w+)", text, re.DOTALL)
        found.append((name[1] if name is not None else "") + ("..." if "..." in text else ""))
    return found


def _arguments(code: str, start: int, end: int) -> list[str]:
    return ["".join(code[each.start : each.end].split()) for each in split_arguments(code, start, end)]
