"""`typename` in front of dependent types, which C++20 makes optional, but clang before 16 requires."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.mappings.life import release
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import callee_start, template_open
from hipport.translate.syntax.templates import dependent_names, template_parameters
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_MEMBER = re.compile(r"::\s*([A-Za-z_]\w*)\s*(?=[\w;>&*{,)])")
_BEFORE = re.compile(
    r"(?:\busing\s+\w+\s*=|\b(?:class|typename)\s+\w+\s*=|_cast\s*<|->|\b(?:const|volatile|static|constexpr|inline|new|typedef"
    r"|virtual|explicit|mutable|extern)|(?P<begins>[;{}>:(,)]))\s*\Z"
)
"""Matches in front of a name that may be a type; behind `begins`, a declarator has to follow."""
_OPTIONAL = (5, 7, 0)
"""The first ROCm release whose clang is newer than 16."""
_LOOKED_BACK = 80
_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPENAME = re.compile(r"\b(?:typename|struct|class|enum|union|namespace|using|friend)\s+\Z")
_CASTS = frozenset({"static_cast", "const_cast", "dynamic_cast", "reinterpret_cast"})
_DESCRIBED = frozenset({"alias_declaration", "trailing_return_type"})
_TYPED = frozenset(
    {"field_declaration", "function_definition", "declaration", "type_definition", "parameter_declaration"}
)
_OUTSIDE = frozenset({"template_declaration", "field_declaration_list", "declaration_list", "translation_unit"})
_DECLARED_BEHIND = re.compile(
    r"\s*(?!(?:noexcept|throw|requires|__attribute__|alignas|decltype|asm|__asm__)\b)[A-Za-z_]\w*\s*(?:<[^<>;{}]*>\s*)?\("
)
"""Matches the name of a function and its parameters."""
WORDS = (frozenset({"template"}),)


def run(work: Work) -> Iterator[Edit]:
    """Insert `typename` where a qualified name can only be a type and depends on template parameters."""
    unit = work.unit
    if "::" not in unit.code or release(work.context.tables.releases.rocm) >= _OPTIONAL:
        return
    code = unit.shadow.main
    dependent = dependent_names(code)
    done: set[int] = set()
    for start, match in _members(code, dependent) if dependent else ():
        if not _may_be_type(code, start, match.end()):
            continue
        name = _whole(unit, unit.node_at(Span(*match.span(1))))
        if name is not None and name.start_byte not in done and _lacks_typename(unit, name, dependent):
            done.add(name.start_byte)
            yield Replace(name.start_byte, name.start_byte, "typename ")


def _members(code: str, dependent: frozenset[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield each name behind `::` with the place of the template argument list, or of the dependent name, before it."""
    done = 0
    for match in _MEMBER.finditer(code):
        end = match.start()
        while code[end - 1 : end].isspace():
            end -= 1
        start = end - 1 if code[end - 1 : end] == ">" else _word_start(code, end)
        if start is not None and start >= done:
            done = match.end()
            if code[start] == ">" or code[start:end] in dependent:
                yield start, match


def _word_start(code: str, end: int) -> int | None:
    """Return where the name that ends here begins; None if none does."""
    start = end
    while start and (code[start - 1].isalnum() or code[start - 1] == "_"):
        start -= 1
    return start if start < end and not code[start].isdigit() and code[start - 1 : start] != "$" else None


def _may_be_type(code: str, start: int, end: int) -> bool:
    """Return whether the tokens around a qualified name allow a type, which is faster to see than from the tree."""
    opening = template_open(code, start + 1) if code[start] == ">" else None
    first = callee_start(code, opening) if opening is not None else start
    before = _BEFORE.search(code, max(0, first - _LOOKED_BACK), first) if first is not None else None
    return before is not None and (before["begins"] is None or code[end] not in ";>{,)" or before["begins"] == "(")


def _whole(unit: Unit, node: Node | None) -> Node | None:
    """Return the whole qualified name that ends with a name; None if the name is no end of one."""
    end = node.end_byte if node is not None else 0
    found = None
    while node is not None and node.end_byte == end:
        found = node if node.type == "qualified_identifier" else found
        node = unit.parent(node)
    return found


def _lacks_typename(unit: Unit, name: Node, dependent: frozenset[str]) -> bool:
    scope = name.child_by_field_name("scope")
    last = _last(name)
    if name.has_error or scope is None or last is None or last.type == "template_type":
        return False
    words = set(_WORD.findall(unit.code, name.start_byte, last.start_byte))
    if words.isdisjoint(dependent) or _TYPENAME.search(unit.code, max(0, name.start_byte - 40), name.start_byte):
        return False
    qualifier = "".join(unit.code[name.start_byte : last.start_byte].split())
    return _is_type(unit, name) and bool(template_parameters(unit, name)) and not _is_current(unit, name, qualifier)


def _is_current(unit: Unit, name: Node, qualifier: str) -> bool:
    """Return whether a qualifier is the class that a name is in, or whose member is defined: its members are known."""
    node = unit.parent(name)
    while node is not None:
        if node.type in ("class_specifier", "struct_specifier"):
            own = node.child_by_field_name("name")
            if own is not None and own.text is not None and _WORD.findall(qualifier)[:1] == [own.text.decode()]:
                return True
        elif node.type in ("function_definition", "declaration"):
            before = "".join(unit.code[node.start_byte : name.start_byte].split())
            if re.search(re.escape(qualifier) + r"(?:operator\W*|~?\w+)\(", before):
                return True
        node = unit.parent(node)
    return False


def _last(name: Node) -> Node | None:
    inner: Node | None = name
    while inner is not None and inner.type == "qualified_identifier":
        inner = inner.child_by_field_name("name")
    return inner


def _is_given_to_macro(unit: Unit, parameters: Node) -> bool:
    """Return whether what looks like parameters is given to a macro: `void BOUNDS(P::threads) kernel(int* out)`."""
    return parameters.type == "parameter_list" and _DECLARED_BEHIND.match(unit.code, parameters.end_byte) is not None


def _is_type(unit: Unit, name: Node) -> bool:
    """Return whether a name is where C++20 takes a name for a type."""
    parent = unit.parent(name)
    around = unit.parent(parent) if parent is not None else None
    if parent is None or around is None or parent.has_error:
        return False
    if parent.type == "type_descriptor":
        return around.type in _DESCRIBED or _is_cast(unit, around)
    if parent.type == "optional_type_parameter_declaration":
        return unit.field(name) == "default_type"
    if parent.type == "new_expression":
        return unit.field(name) == "type"
    if parent.type not in _TYPED or unit.field(name) != "type" or _is_given_to_macro(unit, around):
        return False
    return _is_parameter(unit, around) if parent.type == "parameter_declaration" else around.type in _OUTSIDE


def _is_cast(unit: Unit, arguments: Node) -> bool:
    called = unit.parent(arguments) if arguments.type == "template_argument_list" else None
    name = called.child_by_field_name("name") if called is not None else None
    return name is not None and name.text is not None and name.text.decode() in _CASTS


def _is_parameter(unit: Unit, parameters: Node) -> bool:
    """Return whether a list has the parameters of a function outside blocks, or of a lambda."""
    node = unit.parent(parameters) if parameters.type == "parameter_list" else None
    while node is not None and node.type.endswith("_declarator"):
        if node.type == "lambda_declarator":
            return True
        node = unit.parent(node)
    outer = unit.parent(node) if node is not None else None
    declares = node is not None and node.type in ("function_definition", "declaration", "field_declaration")
    return declares and outer is not None and outer.type in _OUTSIDE
