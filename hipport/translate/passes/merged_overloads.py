"""Overloads for two CUDA types that are one type in HIP: `name(cudaError_t)` and `name(CUresult)`.

The first definition is kept and the others are excluded for HIP, where they would be redefinitions. Those for two
handles of libraries that are both `void*` in HIP do different things: they are reported.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import Kind
from hipport.source import Edit, Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.guarding import FOR_HIP, guard
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.declarations import function_declaration
from hipport.translate.syntax.lexer import Branch
from hipport.translate.syntax.parameter_types import parameter_types
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_SCOPES = ("namespace_definition", "class_specifier", "struct_specifier", "compound_statement", "translation_unit")
_SPECIALIZATION = re.compile(r"template(?<!\wtemplate)\s*<\s*>\s*[^;{}()=]*<[^;{}()=]*>[^;{}()=]*[{=]")
"""Matches the head of a specialization of a class or variable."""
_POINTERS = re.compile(
    r"\bhip(?:blas(?:Lt)?Handle|sparse(?:Handle|MatDescr|HybMat|ColorInfo|(?:Sp|Dn)(?:Vec|Mat)Descr)"
    r"|solver(?:Dn|Sp|Rf)?Handle|solver(?:DnParams|(?:Gesvdj|Syevj)Info))_t\b"
)
"""Matches the types that the headers of hipBLAS, hipBLASLt, hipSPARSE and hipSOLVER declare as `void*`."""


class _Definition(Struct, frozen=True):
    """A function with a parameter or template argument of a CUDA type: its signature in CUDA and in HIP."""

    node: Node
    scope: tuple[str, int]
    branch: Branch
    cuda: str
    hip: str


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard each definition whose HIP signature is the same as that of an earlier one in the file."""
    merged: list[Span] = []
    kept: dict[tuple[tuple[str, int], str], list[_Definition]] = {}
    for definition in _definitions(work):
        earlier = kept.setdefault((definition.scope, definition.hip), [])
        other = next((each for each in earlier if _meet(each, definition)), None)
        if other is None:
            yield from _same_pointers(work, definition, kept)
            earlier.append(definition)
        elif other.cuda != definition.cuda:
            declared = function_declaration(work.unit, definition.node)
            merged += [declared] if declared is not None else []
            yield _report(work, definition, other, clear=declared is not None)
    yield from guard(work.unit, merged, "the same as an overload above, in HIP", FOR_HIP)
    yield from _specializations(work)


def _same_pointers(
    work: Work, definition: _Definition, kept: Mapping[tuple[tuple[str, int], str], list[_Definition]]
) -> Iterator[Diagnostic]:
    """Report a definition that differs from an earlier one only in handles that are `void*`."""
    as_pointers = _POINTERS.sub("void*", definition.hip)
    if as_pointers == definition.hip:
        return
    for (scope, signature), others in kept.items():
        is_same = scope == definition.scope and _POINTERS.sub("void*", signature) == as_pointers
        other = next((each for each in others if _meet(each, definition)), None) if is_same else None
        if other is not None:
            yield _different(work, definition, other)
            return


def _different(work: Work, definition: _Definition, kept: _Definition) -> Diagnostic:
    names = " ".join(text_of(definition.node).split("{")[0].split())
    line, _ = work.unit.source.position(kept.node.start_byte)
    message = f"{names} is the same function as in line {line} in HIP, where both handles are void*"
    advice = "Give the functions different names, or wrap one of the handles in a class of your own."
    span = Span(definition.node.start_byte, definition.node.end_byte)
    return work.report(span, "HP110", Severity.ERROR, message, advice)


def _specializations(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard specializations of classes and variables whose arguments are those of an earlier one in HIP."""
    types = [found for found in work.references.found if _is_type(found)]
    if "template" not in work.unit.words or not _fall_together(types):
        return
    merged: list[Span] = []
    kept: dict[tuple[int, str], list[tuple[Span, Branch, str]]] = {}
    for head, whole in _specialized(work.unit):
        cuda, hip = (_text(work, head, types, hip=each) for each in (False, True))
        around, branch = work.unit.braces.around(Span(head.start, head.start + 1)), work.unit.branch_at(head.start)
        earlier = kept.setdefault((around.start if around is not None else -1, hip), [])
        other = next((each for each in earlier if _together(each[1], branch)), None)
        if other is None:
            earlier.append((head, branch, cuda))
        elif other[2] != cuda:
            merged.append(whole)
            line, _ = work.unit.source.position(other[0].start)
            message = f"this specialization is the same as in line {line} in HIP, and is excluded for AMD"
            advice = "Both are for one type in HIP: the first one serves both."
            yield work.report(head, "HP110", Severity.NOTE, message, advice)
    yield from guard(work.unit, merged, "the same as a specialization above, in HIP", FOR_HIP)


def _specialized(unit: Unit) -> Iterator[tuple[Span, Span]]:
    """Yield specializations of classes and variables: the range up to the body or value, and the whole range."""
    for match in _SPECIALIZATION.finditer(unit.code):
        opening = match.end() - 1
        close = matching_close(unit.code, opening) if unit.code[opening] == "{" else opening
        end = unit.code.find(";", close) if close is not None else -1
        if (
            unit.directive_at(match.start()) is None
            and platform_at(unit, match.start()) is not Platform.NVIDIA
            and end > 0
        ):
            yield Span(match.start(), opening), Span(match.start(), end + 1)


def _definitions(work: Work) -> Iterator[_Definition]:
    """Yield the functions with a body whose signature names CUDA types, in file order."""
    types = [found for found in work.references.found if _is_type(found)]
    if not _fall_together(types):
        return
    done: set[int] = set()
    for reference in types:
        node = work.unit.enclosing(reference.span, "function_definition")
        if node is None or node.start_byte in done or node.child_by_field_name("body") is None:
            continue
        done.add(node.start_byte)
        if platform_at(work.unit, node.start_byte) is not Platform.NVIDIA:
            definition = _signature(work, node, types)
            if definition is not None:
                yield definition


def _fall_together(types: list[Reference]) -> bool:
    """Return whether two of the types have the same name in HIP; otherwise no signatures can collide."""
    names = {found.entry.name: found.entry.hip.name for found in types if found.entry.hip is not None}
    return len({_POINTERS.sub("void*", name) for name in names.values()}) < len(names)


def _is_type(reference: Reference) -> bool:
    return reference.entry.kind is Kind.TYPE and reference.entry.hip is not None


def _signature(work: Work, node: Node, types: list[Reference]) -> _Definition | None:
    declarator: Node | None = node
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    scope = work.unit.parent(node)
    while scope is not None and scope.type not in _SCOPES:
        scope = work.unit.parent(scope)
    if declarator is None or name is None or parameters is None or scope is None:
        return None
    parts = [Span(name.start_byte, name.end_byte), *parameter_types(parameters)]
    cuda, hip = (" ".join(_text(work, part, types, hip=hip) for part in parts) for hip in (False, True))
    return _Definition(node, (scope.type, scope.start_byte), work.unit.branch_at(node.start_byte), cuda, hip)


def _start(reference: Reference) -> int:
    return reference.span.start


def _text(work: Work, span: Span, types: list[Reference], *, hip: bool) -> str:
    """Return the code of a range with CUDA's names or HIP's, without insignificant blanks."""
    code, text, done = work.unit.code, "", span.start
    for reference in types[bisect_left(types, span.start, key=_start) : bisect_left(types, span.end, key=_start)]:
        if reference.entry.hip is not None:
            text += code[done : reference.span.start] + (reference.entry.hip.name if hip else reference.entry.name)
            done = reference.span.end
    text = re.sub(r"\b(?:enum|struct)\b", "", text + code[done : span.end])
    if not re.search(r"[*&]", text):  # the parameter's own `const` is not part of a signature
        text = re.sub(r"\bconst\b", "", text)
    return re.sub(r"\s+", " ", re.sub(r"\s*(\W)\s*", r"\1", text)).strip()


def _meet(first: _Definition, second: _Definition) -> bool:
    """Return whether two definitions can be compiled together: they are not in two branches of one condition."""
    return _together(first.branch, second.branch)


def _together(first: Branch, second: Branch) -> bool:
    numbers = dict(first)
    return all(numbers.get(condition, branch) == branch for condition, branch in second)


def _report(work: Work, definition: _Definition, kept: _Definition, *, clear: bool) -> Diagnostic:
    name = text_of(definition.node).split("{")[0]
    line, _ = work.unit.source.position(kept.node.start_byte)
    same = f"{' '.join(name.split())} is the same function as in line {line} in HIP"
    span = Span(definition.node.start_byte, definition.node.end_byte)
    if not clear:
        message = f"{same}, but its extent is unclear"
        return work.report(span, "HP110", Severity.ERROR, message, "Remove one of the two for HIP.")
    message = f"{same}, and is excluded for AMD"
    advice = "Both are one type in HIP: the first function serves both."
    return work.report(span, "HP110", Severity.NOTE, message, advice)
