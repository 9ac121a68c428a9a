"""Translation of one source file: parse, run passes, apply edits. Pure: bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.files.facts import Fact, Kind, facts_of, question
from hipport.source import Edit, Replace, SourceFile, apply, line_map
from hipport.support import included
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.dataflow.called_names import called_names
from hipport.translate.dataflow.constants import lane_constants
from hipport.translate.hazards import hazards, kernel_names, object_types, source_names
from hipport.translate.hazards.words import WORDS
from hipport.translate.inclusion import facts
from hipport.translate.memory import Kept
from hipport.translate.passes import host_calls, own_warp_size, redeclared_sides, steps
from hipport.translate.passes.feature_tests import translate_tests
from hipport.translate.passes.hip_branches import only_nvcc
from hipport.translate.passes.includes import HIP_RUNTIME, RUNTIME, brings_runtime, followed
from hipport.translate.passes.insertion import include
from hipport.translate.passes.version_branches import Choices, choose
from hipport.translate.passes.version_tests import asked_macros
from hipport.translate.passes.words_of import WORDS as PASSES
from hipport.translate.references import References, resolve
from hipport.translate.suppression import unsuppressed
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import DirectiveKind
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
    if kept is not None and _is_repetition(kept, context):
        return kept.conversion
    look = _look(data, name, context, kept.unit if kept is not None else None)
    if context.options.fix:
        look.edits.extend(_headers_of_fixes(look.work, look.diagnostics))
    conversion = _conversion(look, data)
    if context.memory is not None and not context.foreign:
        context.memory.keep(name, data, Kept(look.work.unit, look.references, conversion))
    return conversion


def _copied_header(data: bytes, name: str, context: Context) -> Conversion | None:
    """Return what stands for a file that is a copy of one of CUDA's headers, else None."""
    if b"NOTICE TO" not in data[:_LICENSED]:
        return None
    from hipport.translate import toolkit_copies  # few trees have any

    return toolkit_copies.replaced(data, name, context.tables)


_LICENSED = 8000
"""Bytes in which a license stands."""


def _is_repetition(kept: Kept, context: Context) -> bool:
    """Return whether a second translation would be equal to the first one."""
    from hipport.translate.repetition import told_nothing_new  # imports more than most files need

    return told_nothing_new(kept.unit, kept.references, context)


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
    unit = parse(SourceFile.decode(data, name))
    work = Work(unit, resolve(unit, context.tables, context.foreign), context)
    return Conversion(
        data,
        defines=work.references.exported
        | _lane_facts(work)
        | _handed_facts(work)
        | _runtime_fact(work)
        | {*kernel_names.facts(work)}
        | {*object_types.facts(work)}
        | {*_detecting(work)}
        | {*_initializing(work)}
        | {*_named_types(work)}
        | {*_opened(work)}
        | {*_querying(work)}
        | {*_like_std(work)}
        | {*redeclared_sides.facts(work)}
        | {*_declared_templates(work)}
        | {*own_warp_size.facts(work)}
        | {*host_calls.facts(work)}
        | {*facts(unit, context.tables)},
        includes=followed(work),
        declares=declared_names(unit, context.tables),
    )


def _lane_facts(work: Work) -> frozenset[str]:
    """Return what files that include this one need to know about its lanes."""
    return frozenset((*lane_constants(work.unit), *work.conventions.facts()))


def _handed_facts(work: Work) -> frozenset[str]:
    """Return the CUDA names that the file defines by `#define` in front of an include."""
    files = [(include.directive.span.start, include.operand) for include in includes(work.unit)]
    macros = [line for line in work.unit.directives if line.kind is DirectiveKind.DEFINE]
    own = [line for line in macros if line.name in work.references.exported]
    handed = (Fact(Kind.HANDED, line.name, operand) for line in own for at, operand in files if line.span.start < at)
    return frozenset(map(str, handed))


def _asks_for_runtime(work: Work) -> Iterator[str]:
    """Yield the runtime's header if another file of the project may include it for this one."""
    if any(include.quoted for include in includes(work.unit)):
        yield RUNTIME


def _runtime_fact(work: Work) -> frozenset[str]:
    """Return what files that include this one need to know if it includes HIP's runtime in its own place."""
    return frozenset((HIP_RUNTIME,) if work.sides.switched and brings_runtime(work) else ())


def _detecting(work: Work) -> Iterator[str]:
    """Yield the templates that ask what their arguments can do."""
    if not work.unit.words.isdisjoint({"declval", "requires", "decltype"}):
        from hipport.translate.hazards import vector_detection  # few files need it

        yield from vector_detection.facts(work)


def _declared_templates(work: Work) -> Iterator[str]:
    """Yield the function templates that the file declares without `static`."""
    if "template" in work.unit.words:
        from hipport.translate.passes import redeclared_static  # few files need it

        yield from redeclared_static.facts(work)


def _asked_about_templates(work: Work) -> Iterator[str]:
    """Yield the function templates that the file defines and that a header may declare."""
    if "template" in work.unit.words:
        from hipport.translate.passes import late_templates, redeclared_static

        yield from redeclared_static.asked(work)
        yield from late_templates.asked(work)


_DEFAULT_CONSTRUCTOR = re.compile(r"\(\s*\)\s*(?:noexcept\s*)?:(?!:)")
_DEFAULTS = re.compile(r"=[^=;{}]*\)\s*(?:noexcept\s*)?:(?!:)")
_DEVICE_CONSTRUCTOR = re.compile(r"\b__device__\s+(?:constexpr\s+)?\w+\s*\((?:\s*|[^;{}]*=[^;{}]*)\)\s*[{;]")


def _has_default_constructor(code: str) -> bool:
    """Return whether a file may have a default constructor that initializes; most have none."""
    if _DEVICE_CONSTRUCTOR.search(code) is not None or _DEFAULTS.search(code) is not None:
        return True
    return any(
        code[: match.start()].rstrip()[-1:].replace("_", "a").isalnum() for match in _DEFAULT_CONSTRUCTOR.finditer(code)
    )


def _initializing(work: Work) -> Iterator[str]:
    """Yield the classes whose default constructor initializes, in files with device code."""
    if "__device__" in work.unit.words and _has_default_constructor(work.unit.code):
        from hipport.translate.hazards import shared_constructors  # few files need it

        yield from shared_constructors.facts(work)


_ALIASES = {
    "using": re.compile(r"\busing\s+\w+\s*="),
    "typedef": re.compile(r"\btypedef\b"),
    "define": re.compile(r"#[ \t]*define[ \t]+\w+[ \t]+[\w:]+<"),
}
_UNITS = (".cu", ".c", ".cc", ".cpp", ".cxx", ".hip")


def _named_types(work: Work) -> Iterator[str]:
    """Yield the aliases of types that a header defines."""
    code, words = work.unit.code, work.unit.words
    if work.unit.source.name.endswith(_UNITS):
        return
    if any((word in words or word == "define") and pattern.search(code) for word, pattern in _ALIASES.items()):
        from hipport.translate.hazards import shared_constructors

        yield from shared_constructors.alias_facts(work)


_OPENINGS = {
    "using": re.compile(r"\busing\s+(?:namespace\s+(?!(?:::\s*)?std\s*;)|[\w:]+::\s*\w+\s*;)"),
    "inline": re.compile(r"\binline\s+namespace\b"),
    "namespace": re.compile(r"\bnamespace\s+\w+\s*="),
    "class": re.compile(r"\bclass\s+\w+\s*(?:final\s*)?:(?!:)"),
    "struct": re.compile(r"\bstruct\s+\w+\s*(?:final\s*)?:(?!:)"),
}
"""Patterns by their first word: those that begin with an alternative take many times as long."""


def _opened(work: Work) -> Iterator[str]:
    """Yield in which scopes the names of others are visible."""
    unit = work.unit
    if unit.source.name.endswith(_UNITS[1:5]):
        return
    if any(word in unit.words and pattern.search(unit.code) for word, pattern in _OPENINGS.items()):
        from hipport.translate.syntax.openings import opening_facts

        yield from opening_facts(unit, work.context.tables.active)


def _querying(work: Work) -> Iterator[str]:
    """Yield the templates that ask whether their arguments can be called."""
    if not work.unit.words.isdisjoint(PASSES["queried_lambdas"][0]):
        from hipport.translate.passes import queried_lambdas  # few files need it

        yield from queried_lambdas.facts(work)


def _asked_about_queries(work: Work) -> Iterator[str]:
    """Yield what a file with device lambdas uses."""
    if _DEVICE_LAMBDA.search(work.unit.code):
        from hipport.translate.passes import queried_lambdas

        yield from queried_lambdas.asked(work)


_DEVICE_LAMBDA = re.compile(r"\]\s*__device__\b")


def _like_std(work: Work) -> Iterator[str]:
    """Yield what a header defines that is called like something in namespace std, and whether it has a directive."""
    words = work.unit.words
    if work.unit.source.name.endswith(_UNITS):
        return
    if ("using" in words and "std" in words) or not words.isdisjoint(PASSES["std_names"][2]):
        from hipport.translate.passes import std_names  # few files need it

        yield from std_names.facts(work)


_MAY_DEFINE = re.compile(
    r"\b(?:typedef\s[^;{}()]*?|using\s+|(?:struct|class|union|enum)\s+"
    rf"|(?:__device__|__constant__|__managed__|static)\s[^;{{}}()=]*?)\b(?:{'|'.join(PASSES['std_names'][2])})\s*[;=:{{,[]"
)


def _asked_about_std(work: Work) -> Iterator[str]:
    """Yield names of namespace std that a header may define, and whether it has a directive for those of the file."""
    names = work.unit.words.intersection(PASSES["std_names"][2])
    yield from (question(Kind.STD_NAME, name) for name in names)
    if names and _MAY_DEFINE.search(work.unit.code):
        from hipport.translate.passes import std_names

        yield from std_names.asked(work)


_WORDS_OF = {Kind.QUERIES: {"is_invocable"}, Kind.STD_NAME: {"using", "std"}, Kind.DIRECTIVE: {"using", "std"}}
"""Words that a file would have if what another one tells stood in it, by which passes are chosen."""


def _words(unit: Unit, context: Context) -> frozenset[str]:
    """Return the words by which passes are chosen, with those that stand for what other files tell."""
    told = {fact.kind for fact in facts_of(context.foreign, *_WORDS_OF)}
    return unit.words.union(*(_WORDS_OF[kind] for kind in told)) if told else unit.words


def _asked_about_shared(work: Work) -> Iterator[str]:
    """Yield the types of shared variables."""
    if "__shared__" in work.unit.words:
        from hipport.translate.hazards import shared_constructors

        yield from shared_constructors.asked(work)


def _asked_about_vectors(work: Work) -> Iterator[str]:
    """Yield the templates that get a vector type."""
    if not work.unit.words.isdisjoint(WORDS["vector_detection"]):
        from hipport.translate.hazards import vector_detection

        yield from vector_detection.asked(work)


class _Look(Struct, frozen=True):
    """The edits and diagnostics of all passes and hazards for one file."""

    work: Work
    edits: list[Edit]
    diagnostics: list[Diagnostic]
    choices: Choices
    unknown: UnknownNames
    references: References


def _look(data: bytes, name: str, context: Context, known: Unit | None = None) -> _Look:
    """Run all passes and hazards; `known` is the file if it has been parsed."""
    unit = known or parse(SourceFile.decode(data, name))
    references = resolve(unit, context.tables, context.foreign, context.meanings)
    work = _without_nvcc(Work(unit, references, context))
    edits: list[Edit] = []
    diagnostics: list[Diagnostic] = []
    for step in steps(_words(unit, context)):
        for result in step(work):
            if isinstance(result, Diagnostic):
                diagnostics.append(result)
            else:
                edits.append(result)
    unknown = unknown_names(work)
    choices = choose(work, list(unsuppressed(unit, (*diagnostics, *(found for _, found in unknown.found)))))
    for result in translate_tests(work, choices):
        if isinstance(result, Diagnostic):
            diagnostics.append(result)
        else:
            edits.append(result)
    diagnostics += hazards(work)
    diagnostics += context.meanings.diagnostics if work.references.used else ()
    living = _living(unit, choices, unsuppressed(unit, diagnostics))
    return _Look(work, edits, living, choices, unknown, references)


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
    work, edits = look.work, look.edits
    return _Seen(
        defines=work.references.exported
        | _lane_facts(work)
        | _handed_facts(work)
        | _runtime_fact(work)
        | look.choices.facts
        | {*kernel_names.facts(work)}
        | {*object_types.facts(work)}
        | {*_detecting(work)}
        | {*_initializing(work)}
        | {*_named_types(work)}
        | {*_opened(work)}
        | {*_querying(work)}
        | {*_like_std(work)}
        | {*redeclared_sides.facts(work)}
        | {*_declared_templates(work)}
        | {*own_warp_size.facts(work)}
        | {*host_calls.facts(work)}
        | {*facts(work.unit, work.context.tables, edits)},
        uses=work.references.used
        | work.asked
        | look.choices.asked
        | frozenset((*_asks_for_runtime(work), *asked_macros(work.unit), *called_names(work.unit)))
        | {*kernel_names.asked(work)}
        | {*object_types.asked(work)}
        | {*_asked_about_shared(work)}
        | {*_asked_about_queries(work)}
        | {*_asked_about_std(work)}
        | {*_asked_about_vectors(work)}
        | {*redeclared_sides.asked(work)}
        | {*_asked_about_templates(work)}
        | {*host_calls.asked(work)},
    )
