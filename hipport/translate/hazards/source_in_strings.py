"""HP505: CUDA source in string literals, which the translation leaves unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.tables import Tables
from hipport.source import SourceFile
from hipport.translate.references import resolve
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.literals import literals
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
_ADVICE = "Move it to its own file, which is translated, and read or embed that file; or edit it by hand."
WORDS = frozenset({"char", "auto", "string", "string_view", "R", *_COMPILES})
"""Words that occur in code that stores long strings; words inside the literals are not matched."""


def run(work: Work) -> Iterator[Diagnostic]:
    """Report kernels, and parts of kernels, in literals that need translation, with the names that need it."""
    text = work.unit.source.text
    compiles = not _COMPILES.isdisjoint(work.unit.words)
    if not compiles and text.count(b"__global__") <= work.unit.code.count("__global__"):
        return
    for literal in literals(work.unit):
        if has_kernel(literal.text) or (compiles and (_PART.search(literal.text) or _CALL.search(literal.text))):
            names = names_to_translate(literal.text, work.context.tables)
            if names:
                yield work.report(literal.span, "HP505", Severity.WARNING, message_about(names), _ADVICE)


def has_kernel(text: str) -> bool:
    """Return whether the value of a string contains a kernel."""
    return _KERNEL.search(text) is not None


def message_about(names: Sequence[str]) -> str:
    """Return the message about a string with these names."""
    more = " and more" if len(names) > _SHOWN else ""
    return f"CUDA code in a string is not translated: {', '.join(names[:_SHOWN])}{more}"


def names_to_translate(text: str, tables: Tables) -> list[str]:
    """Return the headers and names that HIP lacks or has under another name; a character of `text` is a byte."""
    unit = parse(SourceFile.decode(text.encode("latin-1"), "literal"))
    headers = [each.operand for each in includes(unit) if each.operand in tables.headers]
    names = [
        found.entry.name
        for found in resolve(unit, tables, frozenset()).found
        if found.entry.hip is None or found.entry.hip.name != found.entry.name
    ]
    return list(dict.fromkeys(headers + names))
