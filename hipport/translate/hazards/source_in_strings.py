"""HP505: CUDA source in string literals, which the translation leaves unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import SourceFile
from hipport.translate.references import resolve
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.literals import Literal, literals
from hipport.translate.syntax.unit import parse
from hipport.translate.work import Work

_KERNEL = re.compile(r"\b__global__\s[^;{}\"]*\)\s*\{")
_PART = re.compile(
    r"\b__(?:global|device|shared|constant)__\b|\bthreadIdx\s*\.\s*[xyz]\b|^\s*#\s*include\s*<", re.MULTILINE
)
"""Matches what only device code has: kernels are put together from several literals."""
_CALL = re.compile(r"\b(?:__\w+|atomic\w+)\s*\(")
_COMPILES = frozenset({"nvrtcCreateProgram", "nvrtcCompileProgram"})
_SHOWN = 3
WORDS = frozenset({"char", "auto", "string", "string_view", "R", *_COMPILES})
"""Words that occur in code that stores long strings; words inside the literals are not matched."""


def run(work: Work) -> Iterator[Diagnostic]:
    """Report kernels, and parts of kernels, in literals that need translation, with the names that need it."""
    text = work.unit.source.text
    compiles = not _COMPILES.isdisjoint(work.unit.words)
    if not compiles and text.count(b"__global__") <= work.unit.code.count("__global__"):
        return
    for literal in literals(work.unit):
        if _KERNEL.search(literal.text) or (compiles and (_PART.search(literal.text) or _CALL.search(literal.text))):
            names = _to_translate(work, literal)
            if names:
                more = " and more" if len(names) > _SHOWN else ""
                message = f"CUDA code in a string is not translated: {', '.join(names[:_SHOWN])}{more}"
                advice = (
                    "Move it to its own file, which is translated, and read or embed that file; or edit it by hand."
                )
                yield work.report(literal.span, "HP505", Severity.WARNING, message, advice)


def _to_translate(work: Work, literal: Literal) -> list[str]:
    """Return the headers and names in a literal that HIP lacks or has under another name."""
    unit = parse(SourceFile.decode(literal.text.encode("latin-1"), "literal"))
    inner = Work(unit, resolve(unit, work.context.tables, frozenset()), work.context)
    headers = [each.operand for each in includes(unit) if each.operand in work.context.tables.headers]
    names = [
        found.entry.name
        for found in inner.references.found
        if found.entry.hip is None or found.entry.hip.name != found.entry.name
    ]
    return list(dict.fromkeys(headers + names))
