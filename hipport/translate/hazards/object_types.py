"""HP237: texture objects used as surface objects, the reverse, and both as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import split_arguments
from hipport.translate.syntax.calls import call_of, last_name
from hipport.translate.syntax.shadow import LaunchBrackets
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

TEXTURE, SURFACE = "texture", "surface"
_KINDS = {
    "cudaTextureObject_t": TEXTURE,
    "CUtexObject": TEXTURE,
    "cudaSurfaceObject_t": SURFACE,
    "CUsurfObject": SURFACE,
}
_HOST = frozenset(
    {
        *(f"cuda{verb}{kind}Object" for verb in ("Create", "Destroy") for kind in ("Texture", "Surface")),
        *(f"cu{kind}Object{verb}" for verb in ("Create", "Destroy") for kind in ("Tex", "Surf")),
    }
)
_SHAPES = ("1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered")
SAMPLES = frozenset({"tex1Dfetch", *(f"tex{shape}" for shape in _SHAPES)})
"""Functions for one value of a texture, at its finest level."""
LEVELS = frozenset({"tex2Dgather", *(f"tex{shape}{end}" for shape in _SHAPES for end in ("Lod", "Grad"))})
"""Functions with levels of detail or gradients, and gathers."""
ACCESSES = frozenset(f"surf{shape}{end}" for shape in _SHAPES for end in ("read", "write"))
"""Functions that read and write surfaces."""
_FETCHES = SAMPLES | LEVELS
_CALLS = _HOST | _FETCHES | ACCESSES
WORDS = frozenset(_KINDS) | _CALLS
_DECLARED = re.compile(rf"\b({'|'.join(_KINDS)})\s*(?:const\b)?\s*[*&]?\s*([A-Za-z_]\w*)\s*(?=[;,=)\[{{])")
_DECLARED_NAME = re.compile(rf"\b(?:{'|'.join(_KINDS)})\s*(?:const\b)?\s*[*&]?\s*([A-Za-z_]\w*)")
_PATH = r"(?:[\w\[\]]+(?:\.|->))*([A-Za-z_]\w*)"
_ASSIGNED_TO = re.compile(rf"(?<![\w.>\]]){_PATH}\s*=\s*(?:[\w\[\]]+(?:\.|->))*\Z")
"""Matches what stands in front of a name that is assigned."""
_STATEMENT_END = re.compile(r"\s*;")
_FARTHEST = 200
"""Characters in front of an assigned name in which is looked for what it is assigned to."""
_KERNEL = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;]*>\s*)?\Z")
_PARAMETERS = re.compile(r"\s*\(([^()]*)\)\s*[;{]")
_LONGEST = 400
"""Characters in front of a launch among which its kernel's name is."""
_NUMBER = re.compile(r"\b(?:unsigned\s+long\s+long|u?int64_t|size_t|long\s+long)\s+\w+\s*=\s*\Z")
_HELD = re.compile(
    r"(?<![\w:])(?:const\s+)?(?:unsigned\s+long\s+long(?:\s+int)?|(?:std\s*::\s*)?uint64_t|uint64|u64|size_t)"
    r"\s+([A-Za-z_]\w*)\s*(?=[;,=)\[{])"
)
"""Matches declarations of numbers of 64 bits, in which CUDA's objects fit."""
_ADVICE = "Declare it with the type of what it holds; a number needs reinterpret_cast<uintptr_t>(...)."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report objects that functions for the other kind take, and that are assigned to the other kind or to a number."""
    if is_hip(work):
        return
    kinds = {**_told(work), **_declared(work)}
    found = (*_taken(work, kinds), *_assigned(work, kinds)) if kinds else ()
    yield from {(each.line, each.column): each for each in (*found, *_numbers(work, kinds))}.values()


def _numbers(work: Work, kinds: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Report numbers that device functions take for objects."""
    taken = [each for each in _of_calls(work.unit, _FETCHES | ACCESSES) if each[0] not in kinds]
    declared = {*_DECLARED_NAME.findall(work.unit.code)} if taken else set()
    held = {*_HELD.findall(work.unit.code)} - declared if taken else set()
    for name, kind, span in taken:
        if name in held:
            yield _report(work, span, f"'{name}' is a number and is used as a {kind} object")


def facts(work: Work) -> Iterator[str]:
    """Yield what kind of object each name is that other files may use."""
    if not work.unit.words.isdisjoint(_KINDS):
        yield from (str(Fact(Kind.OBJECT, name, kind)) for name, kind in _declared(work).items())


def asked(work: Work) -> Iterator[str]:
    """Yield the names in places for objects that the file does not declare."""
    own = _declared(work)
    if work.unit.words.isdisjoint(WORDS):
        return
    yield from {name for name, _, _ in _arguments(work) if name not in own}


def _told(work: Work) -> dict[str, str]:
    return _without_both((fact.subject, fact.value) for fact in work.facts(Kind.OBJECT))


def _declared(work: Work) -> dict[str, str]:
    if work.unit.words.isdisjoint(_KINDS):
        return {}
    return _without_both((name, _KINDS[kind]) for kind, name in _DECLARED.findall(work.unit.code))


def _without_both(found: Iterator[tuple[str, str]]) -> dict[str, str]:
    """Return the kinds of names, but for those that are of both kinds in different places."""
    kinds: dict[str, set[str]] = {}
    for name, kind in found:
        kinds.setdefault(name, set()).add(kind)
    return {name: min(each) for name, each in kinds.items() if len(each) == 1}


def _arguments(work: Work) -> Iterator[tuple[str, str, Span]]:
    """Yield the last names of arguments for objects, the kind that is taken, and their ranges."""
    yield from _of_calls(work.unit, _CALLS)
    for launch in () if work.unit.words.isdisjoint(_KINDS) else work.unit.launches:
        yield from _of_launch(work.unit, launch)


def _of_launch(unit: Unit, launch: LaunchBrackets) -> Iterator[tuple[str, str, Span]]:
    """Yield the arguments for parameters of a kernel that the file declares."""
    kernel = _KERNEL.search(unit.code, max(0, launch.open.start - _LONGEST), launch.open.start)
    places = unit.occurrences({kernel[1]}) if kernel is not None else ()
    heads = (_PARAMETERS.match(unit.code, start + len(name)) for name, start in places)
    declared = next((head for head in heads if head is not None), None)
    if declared is None:
        return
    arguments = split_arguments(unit.code, launch.arguments.start + 1, launch.arguments.end - 1)
    for parameter, argument in zip(declared[1].split(","), arguments, strict=False):
        kind = next((_KINDS[word] for word in parameter.split() if word in _KINDS), None)
        if kind is not None and (named := last_name(unit, argument)):
            yield named[0], kind, named[1]


def _of_calls(unit: Unit, functions: frozenset[str]) -> Iterator[tuple[str, str, Span]]:
    for function, offset in unit.occurrences(functions & unit.words):
        call = call_of(unit, Span(offset, offset + len(function)))
        if call is None:
            continue
        first = 2 if function in ACCESSES else 1  # the value to write or its address may be in front
        for argument in call.arguments[:first]:
            if named := last_name(unit, argument):
                yield named[0], TEXTURE if "tex" in function.lower() else SURFACE, named[1]


def _taken(work: Work, kinds: Mapping[str, str]) -> Iterator[Diagnostic]:
    for name, wanted, span in _arguments(work):
        kind = kinds.get(name)
        if kind is not None and kind != wanted:
            yield _report(work, span, f"'{name}' is a {kind} object and is used as a {wanted} object")


def _assigned(work: Work, kinds: Mapping[str, str]) -> Iterator[Diagnostic]:
    code = work.unit.code
    for name, start in work.unit.occurrences(kinds.keys()):
        span = Span(start, start + len(name))
        if _STATEMENT_END.match(code, span.end) is None:
            continue
        in_front, kind = code[max(0, start - _FARTHEST) : start], kinds[name]
        target = _ASSIGNED_TO.search(in_front)
        to = kinds.get(target[1]) if target is not None else None
        if to is not None and to != kind:
            yield _report(work, span, f"'{name}' is a {kind} object and becomes a {to} object")
        if _NUMBER.search(in_front):
            yield _report(work, span, f"'{name}' is a {kind} object and becomes a number")


def _report(work: Work, span: Span, message: str) -> Diagnostic:
    return work.report(span, "HP237", Severity.ERROR, f"{message}: HIP's are pointers of different types", _ADVICE)
