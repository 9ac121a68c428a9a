"""HP243: launches while static objects are initialized, before HIP knows the kernels of the file.

nvcc's constructor that registers a file's kernels comes before the file's static initializers, Clang's behind them: a
launch there fails on AMD GPUs (hipErrorInvalidDeviceFunction), and nothing says so unless the error is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, question
from hipport.source import Span
from hipport.translate.dataflow.function import called, text_of, walk
from hipport.translate.syntax.calls import Launch, launches
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

WORDS = frozenset({"<<<"})
_DECLARATION = (
    r"(?:(?:static|inline|const)\s+)*(?!(?:return|using|typedef|extern)\b)[A-Za-z_][\w:]*[\s*&]+[A-Za-z_]\w*\s*"
    r"(?:=[^;]*?[(\[]|\{[^;]*?\(|\([\d\"&]|(?:\[[^\]\n]*\])?;)"
)
_OBJECTS = (
    re.compile(rf"\n(?:namespace\b[\w :]*\{{\s*)?{_DECLARATION}"),
    re.compile(rf"\bstatic\s+{_DECLARATION}"),
)
"""Match what may be an object outside of functions that a function initializes."""
_INSIDE = frozenset({"function_definition", "optional_parameter_declaration", "template_declaration"})
_ADVICE = "Launch it from a function that main calls, or make the object a static variable of a function."
_CONSTRUCTOR = "constructor of "
_WRITTEN = {"function": "", "constructor": _CONSTRUCTOR}
_NAME = re.compile(r"[A-Za-z_]\w*")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report launches in initializers outside of functions, and objects there whose initialization launches kernels."""
    unit = work.unit
    lines = f"\n{unit.code}"
    if not any(pattern.search(lines) for pattern in _OBJECTS):  # most files have none, and need no tree for this
        return
    from hipport.translate.passes.launch_operands import operator_around

    places = _places(unit)
    for launch in places:
        if _is_initializer(unit, launch.kernel) and not operator_around(unit, launch):
            yield _report(work, launch.kernel, "this launch runs")
    launching = _launching(unit, places) | {_WRITTEN[fact.value] + fact.subject for fact in work.facts(Kind.LAUNCHES)}
    for declaration in _of_namespaces(unit) if launching else ():
        yield from _initialized(work, declaration, launching)


def facts(work: Work) -> Iterator[str]:
    """Yield the functions of a header, and the classes by whose constructors, kernels are launched."""
    for name in sorted(_launching(work.unit, _places(work.unit))):
        kind = "constructor" if name.startswith(_CONSTRUCTOR) else "function"
        yield str(Fact(Kind.LAUNCHES, name.removeprefix(_CONSTRUCTOR), kind))


def asked(unit: Unit) -> Iterator[str]:
    """Yield the questions about the types and functions that objects outside of functions may be initialized by."""
    lines = f"\n{unit.code}"
    for match in (each for pattern in _OBJECTS for each in pattern.finditer(lines)):
        end = lines.find(";", match.end() - 1)
        yield from (question(Kind.LAUNCHES, name) for name in _NAME.findall(lines, match.start(), end))


def _places(unit: Unit) -> list[Launch]:
    """Return the launches of host code."""
    found = [each for each in launches(unit) if isinstance(each, Launch)]
    return [each for each in found if unit.directive_at(each.kernel.start) is None and not each.in_kernel]


def _is_initializer(unit: Unit, place: Span) -> bool:
    """Return whether a place is in a declaration outside of functions; the body of a lambda there counts, too."""
    node = unit.node_at(place)
    declared = False
    while node is not None:
        if node.type in _INSIDE or node.type in ("ERROR", "field_declaration"):
            return False
        declared = declared or node.type == "init_declarator"
        node = unit.parent(node)
    return declared


def _launching(unit: Unit, places: list[Launch]) -> set[str]:
    """Return the functions of a file that launch, and the classes whose constructors do, as `constructor of NAME`."""
    found: set[str] = set()
    for launch in places:
        function = unit.enclosing(launch.kernel, "function_definition")
        if function is not None and unit.enclosing(launch.kernel, "lambda_expression") is None:
            found |= {_name(unit, function)}
    return found - {"", "main"}


def _name(unit: Unit, function: Node) -> str:
    """Return the name of a free function, or `constructor of NAME`; an empty string for members and templates."""
    declarator = function.child_by_field_name("declarator")
    name = text_of(declarator.child_by_field_name("declarator")) if declarator is not None else ""
    outer, _, last = name.rpartition("::")
    parent = unit.parent(function)
    owner = unit.parent(parent) if parent is not None and parent.type == "field_declaration_list" else None
    around = text_of(owner.child_by_field_name("name")) if owner is not None else outer.rpartition("::")[2]
    if parent is not None and parent.type == "template_declaration":
        return ""
    if around:
        return _CONSTRUCTOR + around if around == last else ""
    return last


def _of_namespaces(unit: Unit) -> Iterator[Node]:
    """Yield the declarations of variables outside of functions and classes."""
    for node in unit.all_of("declaration"):
        parent = unit.parent(node)
        inside = unit.parent(parent) if parent is not None and parent.type == "declaration_list" else parent
        is_outside = inside is not None and inside.type in ("translation_unit", "namespace_definition")
        if is_outside and unit.directive_at(node.start_byte) is None:
            yield node


def _initialized(work: Work, declaration: Node, launching: set[str]) -> Iterator[Diagnostic]:
    """Report a variable that one of these functions initializes."""
    kind = text_of(declaration.child_by_field_name("type")).rpartition("::")[2]
    declarators = declaration.children_by_field_name("declarator")
    words = {text_of(each) for each in declaration.children if each.type == "storage_class_specifier"}
    plain = [each for each in declarators if each.type in ("identifier", "init_declarator", "array_declarator")]
    if _CONSTRUCTOR + kind in launching and "extern" not in words and plain:
        yield _report(
            work, Span(plain[0].start_byte, plain[0].end_byte), f"the constructor of {kind} launches a kernel"
        )
        return
    for declarator in (each for each in declarators if each.type == "init_declarator"):
        value = declarator.child_by_field_name("value")
        calls = (each for each in walk(value) if each.type == "call_expression") if value is not None else ()
        for call in calls:
            if called(call).rpartition("::")[2] in launching and _is_initializer(work.unit, _span(call)):
                yield _report(work, _span(call), f"{called(call)} launches a kernel")
                return


def _span(node: Node) -> Span:
    return Span(node.start_byte, node.end_byte)


def _report(work: Work, place: Span, what: str) -> Diagnostic:
    message = f"{what} before HIP registers the kernels of this file, and fails (hipErrorInvalidDeviceFunction)"
    return work.report(place, "HP243", Severity.WARNING, message, _ADVICE)
