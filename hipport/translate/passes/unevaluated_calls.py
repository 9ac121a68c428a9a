"""Device functions in operands of host code that are not evaluated: `using T = decltype(weight(kernel, 1.f));`.

nvcc checks no sides there. Clang finds no device function in a function for the host, unless it is for both. Templates
and inline functions of the file become so: nothing of them is compiled for the host, which does not call them. For
others, and those of other files, HP132 is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import functions, name_of, owner_of
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.declarations import declaration, host_function
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import mentions_sides
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

WORDS = (frozenset({"decltype", "noexcept", "sizeof"}),)
_PARENTHESIS = re.compile(r"\s*(\()")
_CALL = re.compile(r"(?<![\w.>])(?:[A-Za-z_]\w*\s*::\s*)*([A-Za-z_]\w*)\s*(?:<[^<>();]*>\s*)?\(")
_OF_LIBRARY = re.compile(r"(?:std|thrust|cuda|cub)\s*::|(?:decltype|noexcept|sizeof|alignof|declval)\b")
_DEVICE = re.compile(r"\b__device__\b")
_OTHER = re.compile(r"\b__(?:host|global)__\b|\bconstexpr\b")
_INLINE = re.compile(r"\b(?:inline|static|__inline__|__forceinline__)\b")
_HEAD = r"(?m)^[ \t]*(?:{})\s*(?:\([^()\n]*\)\s*)?([A-Za-z_]\w*)\s*\("
_ADVICE = (
    "Make the function __host__ __device__ inline: nothing of it is compiled for the host unless the host calls it."
)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Make device functions that host code names in such operands functions for both sides, or report the operands."""
    unit = work.unit
    if is_hip(work):
        return
    told = {fact.subject for fact in work.facts(Kind.OF_DEVICE)}
    done: set[str] = set()
    for name, span in _asked_for(unit):
        own = _declared(unit, name) if "__device__" in unit.words else []
        if (not own and name not in told) or not _is_in_host_code(unit, span.start):
            continue
        edits = [_for_both(unit, *each) for each in own]
        if own and all(edit is not None for edit in edits):
            yield from (edit for edit in edits if edit is not None and name not in done)
            done.add(name)
        else:
            message = f"{name} is a device function, which Clang does not find in a function for the host"
            yield work.report(span, "HP132", Severity.WARNING, message, _ADVICE)


def facts(work: Work) -> Iterator[str]:
    """Yield the functions of a header that are for devices alone."""
    unit = work.unit
    if "__device__" not in unit.words or not mentions_sides(unit):
        return
    named = {name for name, group in functions(unit).items() if any(each.decorated for each in group)}
    names = {name for name in named if _declared(unit, name)} | {*_made_by_macros(unit)}
    yield from (str(Fact(Kind.OF_DEVICE, name)) for name in names)


def asked(work: Work) -> Iterator[str]:
    """Yield the functions that are named in operands that are not evaluated."""
    yield from {question(Kind.OF_DEVICE, name) for name, _ in _asked_for(work.unit)}


def _asked_for(unit: Unit) -> Iterator[tuple[str, Span]]:
    """Yield the functions that seem to be called in such operands, each place once."""
    end = 0
    for word, start in unit.occurrences(WORDS[0]):
        match = _PARENTHESIS.match(unit.code, start + len(word)) if start >= end else None
        close = matching_close(unit.code, match.start(1)) if match is not None else None
        if match is None or close is None or platform_at(unit, start) is Platform.NVIDIA:
            continue
        end = close
        for call in _CALL.finditer(unit.code, match.end(), close):
            if not _OF_LIBRARY.match(call[0]):
                yield call[1], Span(call.start(1), call.end(1))


def _is_in_host_code(unit: Unit, offset: int) -> bool:
    """Return whether a place is in the body of a function for the host alone, and in no lambda for devices."""
    function = host_function(unit, offset)
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None or not body.start_byte <= offset < body.end_byte:
        return False
    start = max(unit.code.rfind(end, 0, function.start_byte) for end in ";{}") + 1
    if _DEVICE.search(unit.code, start, body.start_byte):
        return False
    node: Node | None = unit.node_at(Span(offset, offset + 1))
    while node is not None and node != function:
        if node.type == "lambda_expression" and _DEVICE.search(unit.code, node.start_byte, node.end_byte):
            return False
        node = unit.parent(node)
    return True


def _declared(unit: Unit, name: str) -> list[tuple[Node, Span]]:
    """Return the declarations of a function that is for devices alone, with what is in front of its name."""
    found: list[tuple[Node, Span]] = []
    for each in functions(unit).get(name, ()):
        owner, written = owner_of(unit, each.node), name_of(unit, each.node)
        span = declaration(unit, written.start, owner.end_byte) if owner is not None and written is not None else None
        if owner is None or written is None or span is None:
            continue
        front = Span(span.start, written.start)
        if not _DEVICE.search(unit.code, front.start, front.end) or _OTHER.search(unit.code, front.start, front.end):
            return []
        found.append((owner, front))
    return found


def _for_both(unit: Unit, owner: Node, front: Span) -> Replace | None:
    """Return the edit for a declaration whose body is compiled where it is used only; None for another function."""
    around = unit.parent(owner)
    is_template = around is not None and around.type == "template_declaration"
    is_member = around is not None and around.type == "field_declaration_list"
    device = _DEVICE.search(unit.code, front.start, front.end)
    if device is None or unit.has_directive(front):
        return None
    if not (is_template or is_member or _INLINE.search(unit.code, front.start, front.end)):
        return None
    return Replace(device.start(), device.start(), "__host__ ")


def _made_by_macros(unit: Unit) -> Iterator[str]:
    """Yield the functions whose head is a macro of the file with `__device__` in it."""
    macros = [line for line in unit.directives if line.kind is DirectiveKind.DEFINE and line.name.isupper()]
    bodies = {line.name: unit.code[line.body.start : line.body.end] for line in macros}
    heads = [name for name, body in bodies.items() if _DEVICE.search(body) and not _OTHER.search(body)]
    if heads:
        yield from re.build(_HEAD.format("|".join(heads))).findall(unit.code)
