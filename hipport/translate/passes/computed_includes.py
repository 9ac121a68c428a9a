"""Headers that macros name: `#define HALF <cuda_fp16.h>`, `#include STRING(cuda_fp16.h)`, `#include HALF_OF(cuda)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.files.inclusion import fact
from hipport.mappings.entry import Header
from hipport.source import Edit, Replace, Span
from hipport.translate.inclusion import RUNTIME
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.work import Work

_OPERAND = re.compile(rb"\s*[<\"]([^<>\"\n]+)[>\"]\s*(?://.*|/\*.*)?\Z", re.DOTALL)
_BARE = re.compile(rb"\s*([\w/-]+\.\w+)\s*(?://.*|/\*.*)?\Z", re.DOTALL)
"""Matches a header that other macros put into quotation marks: `#define HALF cuda_fp16.h`."""
_ARGUMENT = re.compile(rb"[\w./-]*\w")
_NAME = re.compile(rb"\w+")

Computed = Sequence[tuple[Directive, str]]
"""The `#include` lines whose operands are macros, with the headers that they expand to."""


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Map CUDA's headers, and follow renamed files, in macros and in the operands of `#include` lines that use them."""
    computed = _computed(work)
    mapped = [*_mapped_definitions(work, computed), *_mapped_arguments(work, computed)]
    yield from mapped
    yield from _spelled_out(work, computed, [edit.start for edit in mapped if isinstance(edit, Replace)])
    if work.context.renamed:
        yield from _renamed(work, computed)


def _computed(work: Work) -> Computed:
    spelled = {line.directive.span.start for line in includes(work.unit)}
    lines = (line for line in work.unit.directives if line.kind is DirectiveKind.INCLUDE)
    others = [line for line in lines if line.span.start not in spelled]
    if not others:
        return ()
    from hipport.translate.syntax.computed_headers import header_of, macros_of, text_in

    macros = macros_of(work.unit)
    return [(line, header_of(text_in(work.unit, line.body), macros)) for line in others]


def _definitions(work: Work) -> Iterator[Directive]:
    return (line for line in work.unit.directives if line.kind is DirectiveKind.DEFINE)


def _mapped_definitions(work: Work, computed: Computed) -> Iterator[Edit | Diagnostic]:
    """Map the header that is the whole body of a macro.

    One in quotation marks, or in none, may be any text, unless an `#include` uses the macro, by others, too.
    """
    text, used = work.unit.source.text, _names_used(work, [line for line, _ in computed])
    for line in _definitions(work):
        match = _OPERAND.match(text, line.body.start, line.body.end)
        if match is None and line.name in used:
            match = _BARE.match(text, line.body.start, line.body.end)
        if match is not None and (line.name in used or text[match.start(1) - 1 : match.start(1)] == b"<"):
            yield from _mapped(work, Span(*match.span(1)), "")


def _mapped_arguments(work: Work, computed: Computed) -> Iterator[Edit | Diagnostic]:
    """Map a header that is an argument in an `#include` line, with or without its suffix."""
    text, headers = work.unit.source.text, work.context.tables.headers
    for line, whole in computed:
        for match in _ARGUMENT.finditer(text, line.body.start, line.body.end):
            name = match[0].decode()
            if whole in headers and whole.removesuffix(".h") != name.removesuffix(".h"):
                continue  # it is a part of a header's name
            yield from _mapped(work, Span(*match.span()), "" if headers.get(name) is not None else ".h")


def _names_used(work: Work, lines: Sequence[Directive]) -> Sequence[str]:
    """Return the names in these lines, and in the macros that they use."""
    text, macros = work.unit.source.text, work.unit.macros
    spans = [line.body for line in lines]
    found = list[str]()
    for span in spans:
        names = {name.decode() for name in _NAME.findall(text, span.start, span.end)} - {*found}
        found.extend(names)
        spans.extend(body for name in names for body in macros.get(name, ()))
    return found


def _mapped(work: Work, span: Span, suffix: str) -> Iterator[Edit | Diagnostic]:
    """Replace the name of a header, which a macro completes by `suffix`, or report that HIP has none."""
    name = work.unit.source.text[span.start : span.end].decode("utf-8", "surrogateescape")
    header = _of_cuda(work, name + suffix)
    if header is None:
        return
    target = _target(header)
    if not target:
        yield _unsupported(work, span, name + suffix, header)
    elif target.endswith(suffix):
        yield Replace(span.start, span.end, target.removesuffix(suffix) if suffix else target)


def _spelled_out(work: Work, computed: Computed, mapped: Sequence[int]) -> Iterator[Edit | Diagnostic]:
    """Spell out the headers of CUDA that macros of the file join from parts: `#define HEADER(name) <cuda_##name.h>`.

    Lines of which a part is mapped (at these offsets), or reported because it is the whole name, are left out.
    """
    for line, name in computed:
        header = _of_cuda(work, name)
        if header is None:
            continue
        bodies = [body for used in _names_used(work, [line]) for body in work.unit.macros.get(used, ())]
        is_mapped = any(span.start <= at < span.end for span in (line.body, *bodies) for at in mapped)
        if is_mapped or any(name.encode() in work.unit.source.text[span.start : span.end] for span in bodies):
            continue
        if target := _target(header):
            code = work.unit.code[line.body.start : line.body.end]
            yield Replace(line.body.start, line.body.start + len(code.rstrip()), f" <{target}>")
        else:
            yield _unsupported(work, line.body, name, header)


def _of_cuda(work: Work, name: str) -> Header | None:
    """Return the table entry of a header; None for one that the project has itself."""
    header = work.context.tables.headers.get(name)
    return header if header is not None and not work.is_told(fact(Kind.OWN, name)) else None


def _target(header: Header) -> str:
    return header.hip or (RUNTIME if header.drop else "")


def _unsupported(work: Work, span: Span, name: str, header: Header) -> Diagnostic:
    return work.report(span, "HP102", Severity.ERROR, f"<{name}> has no counterpart in HIP", header.alternative)


def _renamed(work: Work, computed: Computed) -> Iterator[Edit]:
    """Follow renamed files in `#define KERNELS "kernels.cu"` and `#include STRING(kernels.cu)`."""
    text, renamed = work.unit.source.text, work.context.renamed
    bodies = [line.body for line in _definitions(work)]
    whole = (match.span(1) for body in bodies if (match := _OPERAND.match(text, body.start, body.end)))
    parts = (match.span() for line, _ in computed for match in _ARGUMENT.finditer(text, line.body.start, line.body.end))
    for start, end in (*whole, *parts):
        folder, slash, name = text[start:end].decode("utf-8", "surrogateescape").rpartition("/")
        if name in renamed:
            yield Replace(start, end, folder + slash + renamed[name])
