"""Translation of one source file: parse, run passes, apply edits. Pure: bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.files.facts import Kind, facts_of
from hipport.source import Edit, Replace, SourceFile, apply, line_map, settled
from hipport.support import included
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.exchange import asked, told
from hipport.translate.hazards import checks, source_names
from hipport.translate.memory import Kept, Said
from hipport.translate.passes import run, steps
from hipport.translate.passes.feature_tests import translate_tests
from hipport.translate.passes.hip_branches import only_nvcc
from hipport.translate.passes.insertion import include
from hipport.translate.passes.known_headers import followed
from hipport.translate.passes.version_branches import Choices, choose
from hipport.translate.references import References, resolve
from hipport.translate.suppression import unsuppressed
from hipport.translate.syntax.side_words import SIDES, mentions_sides
from hipport.translate.syntax.unit import Unit, parse
from hipport.translate.unknown_names import UnknownNames, declared_names, unknown_names
from hipport.translate.work import Work


def convert_source(data: bytes, name: str, context: Context) -> Conversion:
    """Translate the bytes of one file; `name` is its name in diagnostics.

    Never raises for any input bytes: code that cannot be parsed is left unchanged.
    """
    if (copy := _copied_header(data, name, context)) is not None:
        return copy
    kept = context.memory.take(name, data) if context.memory is not None and context.foreign else None
    look = _look(data, name, context, kept)
    if context.options.fix:
        look.edits.extend(_headers_of_fixes(look.work, look.diagnostics))
    conversion = _conversion(look, data)
    if context.memory is not None and not context.foreign:
        context.memory.keep(name, data, Kept(look.references, look.said, look.work.unit))
    return conversion


def _copied_header(data: bytes, name: str, context: Context) -> Conversion | None:
    """Return what stands for a file that is a copy of one of CUDA's headers, else None."""
    if b"NOTICE TO" not in data[:_LICENSED]:
        return None
    from hipport.translate import toolkit_copies  # few trees have any

    return toolkit_copies.replaced(data, name, context.tables)


_LICENSED = 8000
"""Bytes in which a license stands."""


_WORD = re.compile(r"\b__\w+")


def _headers_of_fixes(work: Work, diagnostics: Iterable[Diagnostic]) -> Iterator[Edit]:
    """Include hipport's headers for CUDA names that quick fixes bring into a file, such as `__syncwarp`."""
    fixes = [edit for found in diagnostics for edit in found.fix if isinstance(edit, Replace)]
    words = {word for edit in fixes for word in _WORD.findall(edit.text)} - work.unit.words
    entries = (work.context.tables.names.get(word) for word in words)
    headers = {entry.support for entry in entries if entry is not None and entry.support}
    if headers:
        yield from include(work, headers, min(edit.start for edit in fixes))


def check_source(data: bytes, name: str, context: Context) -> Conversion:
    """Report the diagnostics of `convert_source` without translating the file; only quick fixes change it."""
    if (copy := _copied_header(data, name, context)) is not None:
        return replace(copy, data=data)
    look = _look(data, name, context)
    return _conversion(replace(look, edits=[]), data)


def definitions(data: bytes, name: str, context: Context) -> Conversion:
    """Return a conversion with `defines`, `includes` and `declares` only: those that converting a file would give."""
    if (copy := _copied_header(data, name, context)) is not None:
        return copy
    unit = parse(SourceFile.decode(data, name), many=context.many)
    work = Work(unit, resolve(unit, context.tables, context.foreign), context)
    return Conversion(
        data,
        defines=told(work),
        includes=followed(work),
        declares=declared_names(unit, context.tables),
    )


_WORDS_OF = {
    Kind.QUERIES: {"is_invocable"},
    Kind.STD_NAME: {"using", "std"},
    Kind.DIRECTIVE: {"using", "std"},
    Kind.NUMBERED: {"cublasOperation_t"},
    Kind.COUNTS: {"warpSize"},
    Kind.LAUNCHES: {"<<<"},
    Kind.WAVE_SIZE: {"warpSize"},
}
"""Words that a file would have if what another one tells stood in it, by which passes and checks are chosen."""


def _words(work: Work) -> frozenset[str]:
    """Return the words by which checks are chosen, with those that other files stand for."""
    kinds = {fact.kind for fact in facts_of(work.context.foreign, *_WORDS_OF)}
    return work.visible_words.union(*(_WORDS_OF[kind] for kind in kinds)) if kinds else work.visible_words


class _Look(Struct, frozen=True):
    """The edits and diagnostics of all passes and hazards for one file, and what each of these said."""

    work: Work
    edits: list[Edit]
    diagnostics: list[Diagnostic]
    choices: Choices
    unknown: UnknownNames
    references: References
    said: Mapping[str, Said]


def _look(data: bytes, name: str, context: Context, kept: Kept | None = None) -> _Look:
    """Run all passes and hazards; of a file that is `kept` only those that may say something else now."""
    known = kept.unit if kept is not None else None
    unit = known or parse(SourceFile.decode(data, name), many=context.many)
    references = resolve(unit, context.tables, context.foreign, context.meanings)
    before = kept.said if kept is not None and references.mean_the_same(kept.references) else {}
    work = _without_nvcc(Work(unit, references, context))
    words = _words(work)
    translated = run(steps(words.union(SIDES) if mentions_sides(unit) else words), work, before)
    edits, diagnostics = _sorted(result for said in translated.values() for result in said.results)
    unknown = unknown_names(work)
    choices = choose(work, list(unsuppressed(unit, (*diagnostics, *(found for _, found in unknown.found)))))
    checked = run(checks(unit, words), work, before)
    others = (result for said in checked.values() for result in said.results)
    more, found = _sorted((*translate_tests(work, choices), *others))
    found += context.meanings.diagnostics if work.references.used else ()
    living = _living(unit, choices, unsuppressed(unit, [*diagnostics, *found]))
    return _Look(work, edits + more, living, choices, unknown, references, translated | checked)


def _sorted(results: Iterable[Edit | Diagnostic]) -> tuple[list[Edit], list[Diagnostic]]:
    """Sort what passes and checks yield."""
    edits: list[Edit] = []
    diagnostics: list[Diagnostic] = []
    for result in results:
        if isinstance(result, Diagnostic):
            diagnostics.append(result)
        else:
            edits.append(result)
    return edits, diagnostics


def _living(unit: Unit, choices: Choices, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics about code in branches that AMD compilers may take."""
    return [found for found in diagnostics if not choices.is_dead(unit.source.line_start(found.line))]


def _without_nvcc(work: Work) -> Work:
    """Leave the names alone in code that HIP's compilers never see, because the project has a branch for them."""
    if not work.sides.switched:
        return work
    found = tuple(each for each in work.references.found if not only_nvcc(work, each.span.start))
    return replace(work, references=replace(work.references, found=found))


def _conversion(look: _Look, data: bytes) -> Conversion:
    work, edits, diagnostics = look.work, look.edits, look.diagnostics
    source = work.unit.source
    if work.context.options.fix:
        edits = [*edits, *dict.fromkeys(edit for found in diagnostics for edit in found.fix)]
        diagnostics = [found for found in diagnostics if not found.fix]
    edits = settled(source.text, edits)
    text = apply(source.text, edits)
    unknown = look.unknown
    heard = frozenset(_living(work.unit, look.choices, unsuppressed(work.unit, (found for _, found in unknown.found))))
    seen = _Seen() if work.context.foreign else _seen(look)
    return Conversion(
        data=source.encode(text) if edits else data,
        diagnostics=tuple(sorted(diagnostics, key=lambda found: (found.line, found.column, found.code))),
        defines=seen.defines,
        uses=seen.uses,
        includes=followed(work),
        reads=source_names.named_sources(source.text),
        support=included(text),
        unknown=tuple((name, found) for name, found in unknown.found if found in heard),
        declares=unknown.declared,
        line_map=line_map(source.text, edits),
    )


class _Seen(Struct, frozen=True):
    """Facts that a file tells other files, and its questions to them; none of either in the second translation."""

    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()


def _seen(look: _Look) -> _Seen:
    return _Seen(
        defines=told(look.work, look.edits) | look.choices.facts,
        uses=asked(look.work) | look.choices.asked,
    )
