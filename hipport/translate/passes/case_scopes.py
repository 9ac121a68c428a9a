"""`case 1: int a = k; return a; case 2:` in device code: the jump to the second label passes an initialization.

nvcc warns, Clang rejects it. The statements of such a case get braces of their own. If later cases use the variable, it
is reported (HP138).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = (frozenset({"switch"}), frozenset({"__device__", "__global__"}))
_NAME = re.compile(r"[A-Za-z_]\w*")
_ADVICE = "Declare the variable in front of the switch, and assign its value here."
_BUILT_IN = frozenset({"primitive_type", "sized_type_specifier"})


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Put the statements of such cases in device functions into braces, or report the variable."""
    unit = work.unit
    if is_hip(work):
        return
    for node in unit.all_of("switch_statement"):
        body = node.child_by_field_name("body")
        function = work.flow.function_at(node.start_byte)
        if body is None or function is None or not function.device:
            continue
        if platform_at(unit, node.start_byte) is not Platform.NVIDIA:
            cases = [child for child in body.named_children if child.type == "case_statement"]
            for index, case in enumerate(cases[:-1]):
                yield from _in_braces(work, case, cases[index + 1 :])


def _in_braces(work: Work, case: Node, later: Sequence[Node]) -> Iterator[Edit | Diagnostic]:
    """Yield the edits for a case that initializes variables, or the finding if a later case uses one."""
    code = work.unit.code
    colon = next((child for child in case.children if child.type == ":"), None)
    names = {name: place for child in case.named_children for name, place in _initialized(child)}
    if colon is None or not names:
        return
    used = re.build(rf"(?<![\w.>])(?:{'|'.join(sorted(names))})\b")
    uses = (used.search(code, each.start_byte, each.end_byte) for each in later)
    name = next((match[0] for match in uses if match is not None), None)
    start, end = colon.end_byte, case.end_byte
    if work.unit.branch_at(start) != work.unit.branch_at(end):
        end = later[0].start_byte
    if name is None and work.unit.branch_at(start) == work.unit.branch_at(end):
        yield Replace(start, start, " {")
        yield Replace(end, end, " }" if end == case.end_byte else "} ")
    else:
        first = name or min(names)
        message = f"a later case of the switch passes the initialization of {first}, which Clang rejects"
        yield work.report(names[first], "HP138", Severity.ERROR, message, _ADVICE)


def _initialized(node: Node) -> Iterator[tuple[str, Span]]:
    """Yield the variables of a declaration that have an initializer, or a class that may have a constructor."""
    type_ = node.child_by_field_name("type") if node.type == "declaration" else None
    if type_ is None:
        return
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type == "init_declarator" or (type_.type not in _BUILT_IN and declarator.type == "identifier"):
            name = _NAME.search(text_of(declarator))
            if name is not None:
                yield name[0], Span(declarator.start_byte + name.start(), declarator.start_byte + name.end())
