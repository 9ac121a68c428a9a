"""Replace shared memory by references to memory that the CPU target manages.

    __shared__ float tile[8][9], sum;

becomes, on one line,

    typedef float hipport_tile[8][9], hipport_sum;
    auto& tile = ::hipport::cpu::shared<hipport_tile>([] {}); auto& sum = ::hipport::cpu::shared<hipport_sum>([] {});

A typedef accepts every declarator that a variable does. Bodies of macros are used several times in a scope, maybe
without their semicolon, so that one variable there becomes one declaration:
`auto& tile = ::hipport::cpu::shared<float[8][9]>([] {})`. Static shared memory outside functions is left unchanged: the
headers make it thread-local.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import matching_close, matching_open, skip_blanks
from hipport.translate.syntax.definitions import is_declared_at
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Node, Unit

WORD = "__shared__"
_ALIGNAS_OPEN = re.compile(r"\balignas\s*\(")
_ALIGNAS = re.compile(r"\balignas\s*\Z")
_NO_VALUE = re.compile(r"(?:&|\.|->|::|\b(?:sizeof|alignof|decltype)\s*\(?)\s*\Z|extern\b[^;{}]*\Z")
_NO_TYPE = re.compile(r"#|\balignas\b|__align__|__attribute__|=")
_NAME = re.compile(r"(?!(?:sizeof|alignof)\b)[A-Za-z_:][\w:]*(?:\s+[\w:]+)*(?:\s*<.*>(?:::\w+)*)?[\s*]*")
"""Matches a type, or a constant: what is not a name is a number."""
_LONGEST = 64
_SHARED = " auto& {name} = ::hipport::cpu::shared<hipport_{name}{aligned}>([] {{}});"
_DYNAMIC = " auto& {name} = ::hipport::cpu::dynamic_shared<hipport_{name}>();"
_DYNAMIC_AT_FILE_SCOPE = " static ::hipport::cpu::DynamicShared<hipport_{name}> {name};"


def run(unit: Unit) -> Iterator[Edit]:
    """Rewrite the declarations of shared memory."""
    done: set[int] = set()
    for word in unit.shadow.device_words:
        if unit.code[word.start : word.end] != WORD:
            continue
        declaration = declaration_after(unit, word)
        if declaration is not None and declaration.start_byte not in done:
            done.add(declaration.start_byte)
            yield from _rewritten(unit, word, declaration)
    yield from as_pointers(unit)


def as_pointers(unit: Unit) -> Iterator[Replace]:
    """Make pointers of dynamic shared memory of file scope: casts and templates take no class that converts to one."""
    dynamic = dict(_dynamic_of_file(unit)) if WORD in unit.words else {}
    hidden: dict[str, list[Span]] = {}
    places = unit.occurrences(frozenset(dynamic))
    outside = [(n, at) for n, at in places if not dynamic[n].start_byte <= at < dynamic[n].end_byte]
    for name, at in outside:
        function = unit.enclosing(Span(at, at + 1), "function_definition")
        if function is not None and is_declared_at(unit, name, at):
            hidden.setdefault(name, []).append(Span(function.start_byte, function.end_byte))
    for name, at in outside:
        line = unit.directive_at(at)
        used = line is None or (line.kind is DirectiveKind.DEFINE and at >= line.body.start)
        if any(span.start <= at < span.end for span in hidden.get(name, [])) or not used:
            continue
        behind = skip_blanks(unit.code, at + len(name))
        if unit.code[behind : behind + 1] != "[" and not _NO_VALUE.search(unit.code, max(0, at - _LONGEST), at):
            yield Replace(at, at + len(name), f"(+{name})")


def _dynamic_of_file(unit: Unit) -> Iterator[tuple[str, Node]]:
    for word in unit.shadow.device_words:
        declaration = declaration_after(unit, word) if unit.code[word.start : word.end] == WORD else None
        if declaration is not None and _is_dynamic(unit, declaration) and not _is_local(unit, declaration):
            for name in map(name_of, declaration.children_by_field_name("declarator")):
                if name is not None:
                    yield _text(unit, name), declaration


def _is_dynamic(unit: Unit, declaration: Node) -> bool:
    storage = [child for child in declaration.children if child.type == "storage_class_specifier"]
    return any(_text(unit, child) == "extern" for child in storage)


def declaration_after(unit: Unit, word: Span) -> Node | None:
    """Return the declaration after `__shared__`; the attribute is blank to the grammar, so the node starts after it."""
    start = skip_blanks(unit.shadow.text, word.end)
    node = unit.node_at(Span(start, start + 1))
    while node is not None and node.type != "declaration":
        node = node.parent
    return node


def _rewritten(unit: Unit, word: Span, declaration: Node) -> Iterator[Edit]:
    names = [name_of(declarator) for declarator in declaration.children_by_field_name("declarator")]
    storage = [child for child in declaration.children if child.type == "storage_class_specifier"]
    dynamic = _is_dynamic(unit, declaration)
    local = _is_local(unit, declaration)
    if any(name is None for name in names) or not (local or dynamic):
        return
    for child in storage:
        yield Replace(child.start_byte, child.end_byte, "")
    if (only := _only_of_macro(unit, declaration)) is not None:
        yield from _as_reference(unit, word, only, dynamic=dynamic)
        return
    yield Replace(word.start, word.end, "typedef")
    alignments = list(_alignments(unit, word, declaration))
    yield from (Replace(span.start, span.end, "") for span in alignments)
    aligned = _strictest([_alignment(unit.code[span.start : span.end]) for span in alignments])
    form = (_DYNAMIC if local else _DYNAMIC_AT_FILE_SCOPE) if dynamic else _SHARED
    for name in filter(None, names):
        yield Replace(name.start_byte, name.start_byte, "hipport_")
        yield Replace(declaration.end_byte, declaration.end_byte, form.format(name=_text(unit, name), aligned=aligned))


def _only_of_macro(unit: Unit, declaration: Node) -> Node | None:
    """Return the declarator of a declaration of one variable in a macro's body, if its type can stand alone."""
    declarators = declaration.children_by_field_name("declarator")
    line = unit.directive_at(declaration.start_byte)
    if line is None or len(declarators) != 1:
        return None
    start = max(unit.code.rfind(end, line.body.start, declaration.start_byte) for end in ";{}")
    written = unit.code[max(start, line.body.start) : declarators[0].end_byte]
    return None if _NO_TYPE.search(written) else declarators[0]


def _as_reference(unit: Unit, word: Span, declarator: Node, *, dynamic: bool) -> Iterator[Replace]:
    """Yield the edits to one declaration, whose end stays as it is: `auto& name = shared<T[n]>([] {})`."""
    name = name_of(declarator)
    if name is None:
        return
    made = "dynamic_shared" if dynamic else "shared"
    yield Replace(word.start, word.end, f"auto& {_text(unit, name)} = ::hipport::cpu::{made}<")
    yield Replace(name.start_byte, name.end_byte, "")
    yield Replace(declarator.end_byte, declarator.end_byte, ">()" if dynamic else ">([] {})")


def _alignments(unit: Unit, word: Span, declaration: Node) -> Iterator[Span]:
    """Yield `alignas(...)` in front of and behind `__shared__`, which a typedef cannot have."""
    end = len(unit.code[: word.start].rstrip())
    opening = matching_open(unit.code, end - 1) if unit.code[end - 1 : end] == ")" else None
    if opening is not None and (found := _ALIGNAS.search(unit.code, max(0, opening - _LONGEST), opening)):
        yield Span(found.start(), end)
    first = declaration.child_by_field_name("declarator")
    for found in _ALIGNAS_OPEN.finditer(unit.code, word.end, first.start_byte if first is not None else word.end):
        if (close := matching_close(unit.code, found.end() - 1)) is not None:
            yield Span(found.start(), close + 1)


def name_of(declarator: Node) -> Node | None:
    """Return the identifier in a declarator, or None if it does not declare a plain variable."""
    node: Node | None = declarator
    while node is not None and node.type != "identifier":
        inner = node.child_by_field_name("declarator")
        node = inner or next((child for child in node.named_children if child.type.endswith("declarator")), None)
    return node


def _is_local(unit: Unit, declaration: Node) -> bool:
    """Return whether a declaration is in a function; macro bodies are assumed to be used in one."""
    if unit.directive_at(declaration.start_byte) is not None:
        return True
    node = declaration.parent
    while node is not None and node.type != "compound_statement":
        node = node.parent
    return node is not None


def _alignment(alignas: str) -> str:
    """Return `alignas(16)` or `alignas(T)` as a number for a template."""
    of = alignas[alignas.index("(") + 1 : -1].strip()
    return f"::hipport::cpu::alignment<{of}>()" if _NAME.fullmatch(of) else f"({of})"


def _strictest(alignments: Sequence[str]) -> str:
    """Return the argument of the template for these alignments; none if there are none."""
    if len(alignments) < 2:
        return "".join(f", {alignment}" for alignment in alignments)
    return f", std::max<size_t>({{{', '.join(alignments)}}})"


def _text(unit: Unit, node: Node) -> str:
    return unit.code[node.start_byte : node.end_byte]
