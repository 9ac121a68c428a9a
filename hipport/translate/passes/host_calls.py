"""HP132: device functions that call a host function of the same file.

nvcc checks such calls where device code is generated, so a device function that nothing calls may have them. Clang
checks each function that is not a template.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind
from hipport.source import Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import functions, name_of, owner_of
from hipport.translate.syntax.declarations import declaration
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_BODY = re.compile(r"\s*(?:(?:static|inline|__inline__|__forceinline__|__noinline__)\s+)*__device__(?:\s+\w+)*\s*\Z")
_IN_FRONT = re.compile(r"\n[ \t]*([A-Z][A-Z\d_]+)\s+(?:static|inline|[a-z_]\w*)\b")
_CAPITALS = re.compile(r"\b[A-Z][A-Z\d_]+\b")
_DEVICE_TEST = re.compile(r"__CUDA_ARCH__|__HIP_DEVICE_COMPILE__")
_SKIPPED = frozenset({"template_declaration", "lambda_expression", "class_specifier", "struct_specifier", "ERROR"})


def facts(work: Work) -> Iterator[str]:
    """Yield the macros of the file that stand for `__device__` alone."""
    if "__device__" in work.unit.words:
        yield from (str(Fact(Kind.DEVICE_ONLY, name)) for name in own_macros(work.unit))


def asked(work: Work) -> Iterator[str]:
    """Yield what may be such macros in front of functions."""
    yield from {*_IN_FRONT.findall(f"\n{work.unit.code}")}


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first call of each host function in each device function."""
    unit = work.unit
    macros = {*own_macros(unit), *(fact.subject for fact in work.facts(Kind.DEVICE_ONLY))}
    if is_hip(work) or not (unit.shadow.device_words or macros & unit.words):
        return
    hosts = {name for name in functions(unit) if _is_host(unit, name)} if len(functions(unit)) > 1 else set()
    if hosts and not unit.words.isdisjoint({"__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__"}):
        from hipport.translate.passes.host_stand_ins import stand_ins  # few sources need it

        hosts -= {name for name, _ in stand_ins(work)}
    for group in functions(unit).values() if hosts else ():
        for found in group:
            owner = owner_of(unit, found.node) if found.is_definition else None
            if (
                owner is not None
                and owner.type == "function_definition"
                and _is_device(unit, found.node, owner, macros)
            ):
                yield from _calls(work, owner, hosts)


def own_macros(unit: Unit) -> Iterator[str]:
    """Yield the macros of the file that stand for `__device__` alone, with `inline` and the like."""
    for line in unit.directives:
        if line.kind is DirectiveKind.DEFINE and line.name.isupper():
            body = unit.code[line.body.start : line.body.end]
            if "__host__" not in body and _BODY.match(body):
                yield line.name


def _front(unit: Unit, declarator: Node, owner: Node) -> str | None:
    """Return the specifiers in front of a function's name; None if they cannot be told."""
    name = name_of(unit, declarator)
    if name is None:
        return None
    span = declaration(unit, name.start, owner.end_byte)
    start = min(owner.start_byte, span.start) if span is not None else owner.start_byte
    return None if unit.has_directive(Span(start, name.start)) else unit.code[start : name.start]


def _is_device(unit: Unit, declarator: Node, owner: Node, macros: Collection[str]) -> bool:
    front = _front(unit, declarator, owner)
    if front is None or "__host__" in front or "__global__" in front or _has_around(unit, owner):
        return False
    return "__device__" in front or any(word in macros for word in _CAPITALS.findall(front))


def _is_host(unit: Unit, name: str) -> bool:
    """Return whether all declarations of a name are of host functions, at file scope or in a namespace."""
    for found in functions(unit)[name]:
        owner = owner_of(unit, found.node)
        front = _front(unit, found.node, owner) if owner is not None else None
        if owner is None or front is None or _has_around(unit, owner):
            return False
        if _CAPITALS.search(front) or re.search(r"__(?:device|global|host)__|constexpr", front):
            return False
    return name not in unit.macros


def _has_around(unit: Unit, node: Node) -> bool:
    around = unit.parent(node)
    while around is not None:
        if around.type in _SKIPPED:
            return True
        around = unit.parent(around)
    return False


def _calls(work: Work, owner: Node, hosts: Collection[str]) -> Iterator[Diagnostic]:
    reported = set()
    for node in _called(owner):
        name = text_of(node)
        if name not in hosts or name in reported or _is_for_host(work, node.start_byte):
            continue
        reported.add(name)
        message = (
            f"a device function calls {name}, a host function, which Clang rejects even if nothing calls the former"
        )
        advice = "Make the caller __host__ __device__, or leave the call out of device code."
        yield work.report(Span(node.start_byte, node.end_byte), "HP132", Severity.WARNING, message, advice)


def _called(node: Node) -> Iterator[Node]:
    """Yield the names of functions that are called below a node, without those in lambdas and local classes."""
    for child in node.named_children:
        if child.type in _SKIPPED:
            continue
        function = child.child_by_field_name("function") if child.type == "call_expression" else None
        if function is not None and function.type == "identifier":
            yield function
        yield from _called(child)


def _is_for_host(work: Work, offset: int) -> bool:
    """Return whether code is compiled in host compilations only, or not for AMD GPUs."""
    unit = work.unit
    if platform_at(unit, offset) is Platform.NVIDIA:
        return True
    around = {number for number, _ in unit.branch_at(offset)}
    return any(
        line.after and line.after[-1][0] in around and _DEVICE_TEST.search(unit.code, line.span.start, line.span.end)
        for line in unit.directives
        if around and line.kind is DirectiveKind.CONDITION
    )
