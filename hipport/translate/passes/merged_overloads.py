"""Overloads for two CUDA types that are one type in HIP: `name(cudaError_t)` and `name(CUresult)`.

The first definition is kept, which may be in a header, and the others are excluded for HIP, where they would be
redefinitions. Those for two handles of libraries that are both `void*` in HIP do different things: they are reported.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, question
from hipport.files.facts import Kind as FactKind
from hipport.mappings.entry import Kind
from hipport.source import Edit, Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.guarding import FOR_HIP, guard
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.declarations import function_declaration
from hipport.translate.syntax.lexer import Branch
from hipport.translate.syntax.named_scopes import namespace_path
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


_SAME, _AS_POINTERS = "same", "pointers"
_REMOVE = "Remove one of the two for HIP."
_NAME = re.compile(r"[A-Za-z_]\w*")
_SUBJECTS = {"CUresult": ("cudaError_t", "cudaError"), "cudaError_t": ("CUresult",), "cudaError": ("CUresult",)}
"""Types of CUDA, each with those that are the same in HIP."""
_HANDLES = "handles"
TYPES = frozenset(
    {
        *_SUBJECTS,
        *("cublasHandle_t", "cublasLtHandle_t", "cusparseHandle_t", "cusolverDnHandle_t", "cusolverSpHandle_t"),
        *("cusolverRfHandle_t", "cusolverDnParams_t", "gesvdjInfo_t", "syevjInfo_t", "cusparseMatDescr_t"),
        *(f"cusparse{kind}Descr_t" for kind in ("SpVec", "DnVec", "SpMat", "DnMat")),
        *("cusparseConstSpVecDescr_t", "cusparseConstDnVecDescr_t", "cusparseColorInfo_t", "cusparseHybMat_t"),
    }
)
"""Types that fall together with others in HIP."""


class _Definition(Struct, frozen=True):
    """A function with a parameter or template argument of a CUDA type: its signature in CUDA and in HIP."""

    node: Node
    scope: str
    branch: Branch
    cuda: str
    hip: str


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard each definition whose HIP signature is the same as that of an earlier one in the file."""
    merged: list[Span] = []
    kept: dict[tuple[str, str], list[_Definition]] = {}
    told = _told(work)
    for definition in _definitions(work, told):
        earlier = kept.setdefault((definition.scope, definition.hip), [])
        other = next((each for each in earlier if _meet(each, definition)), None)
        if other is None and (place := _told_of(work, definition, told)):
            declared = function_declaration(work.unit, definition.node)
            merged += [declared] if declared is not None and place != _AS_POINTERS else []
            yield _told_elsewhere(work, definition, place, clear=declared is not None)
        elif other is None:
            yield from _same_pointers(work, definition, kept)
            earlier.append(definition)
        elif other.cuda != definition.cuda:
            declared = function_declaration(work.unit, definition.node)
            merged += [declared] if declared is not None else []
            yield _report(work, definition, other, clear=declared is not None)
    yield from guard(work.unit, merged, "the same as an overload above, in HIP", FOR_HIP)
    yield from _specializations(work, told)


def _same_pointers(
    work: Work, definition: _Definition, kept: Mapping[tuple[str, str], list[_Definition]]
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


def facts(work: Work) -> Iterator[str]:
    """Yield the functions and specializations that a header defines for a type which is the same as another in HIP."""
    types = [found for found in work.references.found if _is_type(found)]
    for definition in _definitions(work, _SUBJECTS):
        yield from _facts(work, definition.node.start_byte, definition.cuda, definition.hip)
    for head, _ in _specialized(work.unit) if "template" in work.unit.words else ():
        yield from _facts(work, head.start, *(_text(work, head, types, hip=each) for each in (False, True)))


def _facts(work: Work, at: int, cuda: str, hip: str) -> Iterator[str]:
    path = namespace_path(work.unit, at)
    subjects = {*_SUBJECTS.keys() & {*_NAME.findall(cuda)}, *([_HANDLES] if _POINTERS.search(hip) else [])}
    if path is not None:
        yield from (str(Fact(FactKind.OVERLOADS, subject, f"{path};{cuda};{hip}")) for subject in subjects)


def asked(work: Work) -> Iterator[str]:
    """Yield the types that are the same as one of the file's in HIP."""
    words = work.unit.words
    for name in words.intersection(TYPES):
        for subject in _SUBJECTS.get(name, (_HANDLES,)):
            yield question(FactKind.OVERLOADS, subject)


_Told = frozenset[tuple[str, str, str]]
"""Definitions of headers: namespace, signature in CUDA and in HIP."""


def _told(work: Work) -> _Told:
    if work.unit.words.isdisjoint(TYPES):
        return frozenset()
    rows = (fact.value.split(";", 2) for fact in work.facts(FactKind.OVERLOADS))
    return frozenset((path, cuda, hip) for path, cuda, hip in rows)


def _told_of(work: Work, definition: _Definition, told: _Told) -> str:
    """Return how a header's function is the same in HIP, `_AS_POINTERS` if only handles are; empty if none is."""
    path = namespace_path(work.unit, definition.node.start_byte) if told else None
    as_pointers = _POINTERS.sub("void*", definition.hip)
    for where, cuda, hip in sorted(told):
        if where == path and cuda != definition.cuda:
            if hip == definition.hip:
                return _SAME
            if _POINTERS.sub("void*", hip) == as_pointers:
                return _AS_POINTERS
    return ""


def _told_elsewhere(work: Work, definition: _Definition, place: str, *, clear: bool) -> Diagnostic:
    name = " ".join(text_of(definition.node).split("{")[0].split())
    same = f"{name} is the same function as one in another file in HIP"
    span = Span(definition.node.start_byte, definition.node.end_byte)
    if place == _AS_POINTERS:
        advice = "Give the functions different names, or wrap one of the handles in a class of your own."
        return work.report(span, "HP110", Severity.ERROR, f"{same}, where both handles are void*", advice)
    if not clear:
        return work.report(span, "HP110", Severity.ERROR, f"{same}, but its extent is unclear", _REMOVE)
    advice = "Both are one type in HIP: the first function serves both."
    return work.report(span, "HP110", Severity.NOTE, f"{same}, and is excluded for AMD", advice)


def _specializations(work: Work, told: _Told) -> Iterator[Edit | Diagnostic]:
    """Guard specializations of classes and variables whose arguments are those of an earlier one in HIP."""
    types = [found for found in work.references.found if _is_type(found)]
    if "template" not in work.unit.words or not (told or _fall_together(types)):
        return
    merged: list[Span] = []
    kept: dict[tuple[str, str], list[tuple[Span, Branch, str]]] = {}
    for head, whole in _specialized(work.unit):
        cuda, hip = (_text(work, head, types, hip=each) for each in (False, True))
        around, branch = work.unit.braces.around(Span(head.start, head.start + 1)), work.unit.branch_at(head.start)
        path = namespace_path(work.unit, head.start)
        scope = path if path is not None or around is None else str(around.start)
        earlier = kept.setdefault((scope or "", hip), [])
        other = next((each for each in earlier if _together(each[1], branch)), None)
        if other is None and (path, hip) in {(path, same) for path, named, same in told if named != cuda}:
            merged.append(whole)
            message = "this specialization is the same as one in another file in HIP, and is excluded for AMD"
            advice = "Both are for one type in HIP: the first one serves both."
            yield work.report(head, "HP110", Severity.NOTE, message, advice)
        elif other is None:
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


def _definitions(work: Work, told: Collection[object] = ()) -> Iterator[_Definition]:
    """Yield the functions with a body whose signature names CUDA types, in file order."""
    types = [found for found in work.references.found if _is_type(found)]
    if not told and not _fall_together(types):
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
    return _Definition(node, _scope(work.unit, scope, node.start_byte), work.unit.branch_at(node.start_byte), cuda, hip)


def _scope(unit: Unit, around: Node, at: int) -> str:
    """Return what is the same for two places in one scope: the path of a namespace, or the node of another scope."""
    path = namespace_path(unit, at)
    return f"{around.type} {around.start_byte}" if path is None else path


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
        return work.report(span, "HP110", Severity.ERROR, message, _REMOVE)
    message = f"{same}, and is excluded for AMD"
    advice = "Both are one type in HIP: the first function serves both."
    return work.report(span, "HP110", Severity.NOTE, message, advice)
