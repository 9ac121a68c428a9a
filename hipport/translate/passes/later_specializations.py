"""Specializations without sides (host, device) of function templates that another file defines with them.

A header declares a template, or nothing of it, and specializes it: `template <> Wide read<Wide>(int*)`. To HIP's
compilers a specialization for other sides is one of another template, which they do not find. It gets the sides of
the template's definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hipport import lazy_re as re
from hipport.files.facts import Kind, question
from hipport.source import Edit, Replace
from hipport.translate.passes.function_families import subject_of
from hipport.translate.passes.later_sides import sides_told
from hipport.translate.passes.runtime_include import named_sides
from hipport.translate.passes.specialized_functions import (
    DeclaredTemplate,
    is_unclear,
    must_become_inline,
    templates,
)
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_SPECIALIZED = re.compile(r"\btemplate\s*<\s*>[\w\s:<>,*&]{0,200}?[\s*&>]([A-Za-z_]\w*)\s*(?:<[^;{}()]{0,200}>\s*)?\(")
_OPEN, _CLOSE = "<([", ">)]"


def asked(work: Work) -> Iterator[str]:
    """Yield questions about the templates that the file specializes."""
    subjects = _specialized(work.unit)
    if subjects:
        yield question(Kind.STANDS_FOR, "")
    yield from (question(Kind.LATER, subject) for subject in subjects)


def _specialized(unit: Unit) -> set[str]:
    return {subject_of(name) for name in _SPECIALIZED.findall(unit.code)} if "template" in unit.words else set()


def edits(work: Work) -> Iterator[Edit]:
    """Insert the sides of definitions that other files tell."""
    unit = work.unit
    subjects = {fact.subject for fact in work.facts(Kind.LATER)}
    if subjects.isdisjoint(_specialized(unit)):
        return
    declared = list(templates(unit))
    own = {each.key for each in declared if each.kind == "template" and not _lacks_sides(unit, each)}
    for each in declared:
        if each.kind == "template" or each.key in own or not _lacks_sides(unit, each):
            continue
        meanings = {*sides_told(work, partial(_is_of, each))}
        if len(meanings) == 1:
            words = [*named_sides(work, meanings.pop()), *(["inline"] if must_become_inline(unit, each) else [])]
            yield Replace(each.front.start, each.front.start, "".join(f"{word} " for word in words))


def _lacks_sides(unit: Unit, declared: DeclaredTemplate) -> bool:
    return not declared.written(unit) and not is_unclear(unit, [declared])


def _is_of(declared: DeclaredTemplate, signature: str) -> bool:
    """Return whether the definition of a template with a signature, `app::read,,int*`, may be of a specialization."""
    path, *rest = _split(signature)
    return path.rpartition("::")[2] == declared.name and len(rest) == declared.key[1] + 1


def _split(signature: str) -> list[str]:
    """Return the parts of a signature: the commas between the arguments of a template separate none."""
    parts, depth = [""], 0
    for character in signature:
        depth += (character in _OPEN) - (character in _CLOSE)
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
