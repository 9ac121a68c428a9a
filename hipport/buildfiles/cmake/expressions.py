"""Translate generator expressions that query the language or its compiler."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.source import Replace

_QUESTION = re.compile(r"\$<(?P<name>[A-Z_]+):(?P<values>[A-Za-z,; \t]+)>")
_NAME = re.compile(r"\$<(?P<name>[A-Z_]+)[:>]")


def run(work: BuildFile) -> Iterator[Found]:
    """Translate `$<COMPILE_LANGUAGE:CUDA>` and similar expressions, at any nesting depth."""
    for command in work.commands:
        for argument in command.arguments:
            yield from _in_text(work, argument.start, argument.end)


def _in_text(work: BuildFile, start: int, end: int) -> Iterator[Found]:
    tables = work.context.tables
    for match in _QUESTION.finditer(work.text, start, end):
        values = tables.expressions.get(match["name"], {})
        for word in re.finditer(r"\w+", match["values"]):
            if word[0] in values:
                at = match.start("values") + word.start()
                yield Replace(at, at + len(word[0]), values[word[0]])
        if match["name"] == "CUDA_COMPILER_ID" and match["values"] == "NVIDIA":
            yield Replace(match.start("values"), match.end("values"), "Clang")
    for match in _NAME.finditer(work.text, start, end):
        if match["name"] in tables.expression_names:
            yield Replace(match.start("name"), match.end("name"), tables.expression_names[match["name"]])
