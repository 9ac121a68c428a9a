"""Uses of vectors that CUDA's plain structs allow and HIP's classes do not.

`struct float4 v`, forward declarations, and structured bindings are translated. Members in constant expressions,
pointers to members as template arguments, and braces for a type that a template takes are reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.life import release
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.aggregates import VECTOR_WORDS, Aggregates
from hipport.translate.dataflow.function import text_of, walk
from hipport.translate.passes import insertion
from hipport.translate.passes.guarding import guard
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_VECTOR = r"(?:(?:u?(?:char|short|int|long|longlong)|float|double)[1-4])"
_ELABORATED = re.compile(rf"struct(?<!\wstruct)\s+(?={_VECTOR}\b\s*[\w*&>,)])")
_FORWARD = re.compile(rf"struct(?<!\wstruct)\s+{_VECTOR}\s*;")
_BINDING = re.compile(r"auto(?<!\wauto)\s*&{0,2}\s*\[")
_POINTER_PARAMETER = re.compile(rf"template(?<!\wtemplate)\s*<[^<>;{{}}]*?(\b{_VECTOR}\s*::\s*\*)")
_CONSTANT = re.compile(rf"constexpr(?<!\wconstexpr)\b[^;{{}}()=]*\b{_VECTOR}\s+(\w+)\s*(?:\[[^][]*\]\s*)*[={{]")
_DERIVED = re.compile(
    rf"\b(?:struct|class)\s+(?:\w+\s*\([^()]*\)\s*)?(\w+)(?:\s+final)?\s*:(?!:)([^;{{}}()]*\b{_VECTOR}\b[^;{{}}()]*)\{{"
)
_BASE = re.compile(rf"(?:^|,)\s*(?:(?:public|protected|private|virtual)\s+)*({_VECTOR})\s*(?=,|\Z)")
_OPERATOR = re.compile(r"\boperator\s*(?:[-+*/]=?|[=!]=)\s*\(\s*(?:const\s+)?(\w+)")
_READ = re.compile(r"\s*(?:\[[^][]*\]\s*)*\.\s*[xyzw]\b")
_NEEDS_CONSTANT = ("static_assert_declaration", "template_argument_list", "case_statement", "enumerator")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_TRIVIAL = (5, 6)
"""The first ROCm release whose vectors are copied as trivially as structs."""
_HEADER = "hipport/compat/vector_bindings.h"
_TRAIT = re.compile(
    rf"(?P<trait>is_(?<!\wis_)(?:trivial|pod|aggregate|trivially_(?:(?:default_)?constructible|copyable)))(?:_v\s*)?\s*<\s*(?:const\s+)?"
    rf"(?P<type>{_VECTOR})\s*>"
)
"""Matches what is true of CUDA's vectors and false of HIP's, which have constructors."""
WORDS = (VECTOR_WORDS,)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate declarations of vectors, and report what HIP's cannot do."""
    yield from _elaborated(work)
    yield from _bindings(work)
    yield from _derived(work)
    if "union" in work.unit.words and release(work.context.tables.releases.rocm) < _TRIVIAL:
        yield from _unions(work)
    if "constexpr" in work.unit.words:
        yield from _constants(work)
        yield from _written(work)
    for match in _TRAIT.finditer(work.unit.code):
        span = Span(match.start("type"), match.end("type"))
        copied = match["trait"] == "is_trivially_copyable"
        if copied and release(work.context.tables.releases.rocm) >= _TRIVIAL:
            continue
        if platform_at(work.unit, span.start) is not Platform.NVIDIA:
            message = f"{match['trait']} is false for HIP's {match['type']}, which has constructors, and true in CUDA"
            advice = (
                "Use a struct of your own." if copied else "Ask for is_trivially_copyable, or use a struct of your own."
            )
            yield work.report(span, "HP115", Severity.ERROR, message, advice)
    for match in _POINTER_PARAMETER.finditer(work.unit.code):
        span = Span(match.start(1), match.end(1))
        message = "components of HIP's vectors are members of a base class, to which no template argument points"
        yield work.report(span, "HP115", Severity.ERROR, message, "Make the template parameter `auto`.")


def _elaborated(work: Work) -> Iterator[Edit]:
    """Remove `struct` in front of a vector type, and leave out forward declarations."""
    if "struct" not in work.unit.words:
        return
    code = work.unit.code
    forward = [Span(match.start(), match.end()) for match in _FORWARD.finditer(code)]
    forward = [span for span in forward if platform_at(work.unit, span.start) is not Platform.NVIDIA]
    yield from guard(work.unit, forward, "HIP's vector types are no structs")
    skipped = {span.start for span in forward}
    for match in _ELABORATED.finditer(code):
        if match.start() not in skipped and platform_at(work.unit, match.start()) is not Platform.NVIDIA:
            yield Replace(match.start(), match.end(), "")


def _bindings(work: Work) -> Iterator[Edit]:
    """Include what makes vectors decomposable, if one may be bound."""
    first = _BINDING.search(work.unit.code)
    if first is None:
        return
    types = work.aggregates
    for node in work.unit.all_of("structured_binding_declarator"):
        around = work.unit.parent(node)
        source = around.child_by_field_name("value") or around.child_by_field_name("right") if around else None
        kind = types.of(source)
        if kind.element is not None and not kind.scalar:
            kind = kind.element
        if node.named_child_count <= 4 and (kind.width or not kind.known):
            yield from insertion.include(work, {_HEADER}, first.start())
            return


def _derived(work: Work) -> Iterator[Diagnostic]:
    """Report classes that derive from a vector type, and have operators of their own or from another base class."""
    code = work.unit.code
    for match in _DERIVED.finditer(code):
        bases = _ARGUMENTS.sub(lambda found: " " * len(found[0]), match[2])
        vector = _BASE.search(bases)
        if vector is None or platform_at(work.unit, match.start()) is Platform.NVIDIA:
            continue
        close = matching_close(code, match.end() - 1)
        operands = _OPERATOR.findall(code, match.end(), close if close is not None else len(code))
        if "," in bases:
            whose = "those of its other base classes"
        elif any(operand != match[1] for operand in operands):
            whose = "its own for other operands"
        else:
            continue
        span = Span(match.start(2) + vector.start(1), match.start(2) + vector.end(1))
        message = f"{match[1]} derives from {vector[1]}, whose operators in HIP make calls of {whose} ambiguous"
        advice = "Derive from a struct of your own with the same components, and convert it to the vector type."
        yield work.report(span, "HP115", Severity.WARNING, message, advice)


def _unions(work: Work) -> Iterator[Diagnostic]:
    """Report unions with vectors that releases before 5.6 cannot assign."""
    types = work.aggregates
    for node in work.unit.all_of("union_specifier"):
        body = node.child_by_field_name("body")
        fields = [field for field in body.named_children if field.type == "field_declaration"] if body else []
        if any(kind.width not in (0, 3) for field in fields for _, kind in types.declared(field)):
            message = "a union with one of HIP's vectors has no assignment before ROCm 5.6"
            span = Span(node.start_byte, body.start_byte if body else node.end_byte)
            yield work.report(
                span, "HP115", Severity.WARNING, message, "Give the union an operator= that copies a member."
            )


def _constants(work: Work) -> Iterator[Diagnostic]:
    """Report reads of a component that have to be constant expressions."""
    names = frozenset(match[1] for match in _CONSTANT.finditer(work.unit.code))
    for name, offset in work.unit.occurrences(names):
        match = _READ.match(work.unit.code, offset + len(name))
        if match is not None and _is_constant(work, Span(offset, match.end())):
            message = "components of HIP's vectors are members of a union, which constant expressions cannot read"
            advice = "Give the number a constant of its own."
            yield work.report(Span(offset, match.end()), "HP115", Severity.ERROR, message, advice)


def _written(work: Work) -> Iterator[Diagnostic]:
    """Report functions that are `constexpr` and set components, which Clang refuses."""
    types = work.aggregates
    for name, nodes in types.functions.items():
        for function in nodes:
            words = {text_of(child) for child in function.named_children}
            body = function.child_by_field_name("body")
            if name and body is not None and "constexpr" in words:
                target = next((each for each in walk(body) if _sets_component(types, each)), None)
                if target is not None:
                    message = (
                        "a constexpr function cannot set components of HIP's vectors, which are members of a union"
                    )
                    span = Span(target.start_byte, target.end_byte)
                    advice = "Return a vector made of all components."
                    yield work.report(span, "HP115", Severity.ERROR, message, advice)


def _sets_component(types: Aggregates, node: Node) -> bool:
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    if left is None or left.type != "field_expression" or text_of(left.child_by_field_name("field")) not in "xyzw":
        return False
    return types.of(left.child_by_field_name("argument")).width > 0


def _is_constant(work: Work, span: Span) -> bool:
    """Return whether an expression has to be constant: in an assertion, a bound, or the value of a constant."""
    inner: Node | None = work.unit.node_at(span)
    around = work.unit.parent(inner) if inner is not None else None
    while inner is not None and around is not None and around.type != "compound_statement":
        if around.type in _NEEDS_CONSTANT or (around.type == "array_declarator" and work.unit.field(inner) == "size"):
            return True
        if around.type == "declaration":
            return any(text_of(child) == "constexpr" for child in around.named_children)
        inner, around = around, work.unit.parent(around)
    return False
