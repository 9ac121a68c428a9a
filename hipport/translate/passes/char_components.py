"""Components of char1 to char4, which are `signed char` in CUDA and `char` in HIP, where they are bound to one.

No other vector type has components of another type in HIP. Values convert; references and pointers do not, and a
template parameter cannot stand for both types.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Span, Wrap
from hipport.translate.passes.constness import declared_type
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

VECTORS = frozenset(f"char{width}" for width in range(1, 5))
_COMPONENTS = frozenset("xyzw")
_NAMES = re.compile(r"\bsigned\s+char\b|\bchar\s+signed\b|\bint8_t\b")
_ALIAS = re.compile(
    r"\b(?:typedef\s+(?:signed\s+char|int8_t|std::int8_t)\s+(\w+)|using\s+(\w+)\s*=\s*(?:signed\s+char|(?:std::)?int8_t))\s*;"
)
_VECTOR = re.compile(r"\bchar[1-4]\b")
_CONST = re.compile(r"\bconst\b")
_MEMBER = re.compile(r"\bsigned\s+char\s+char[1-4]\s*::\s*\*")
_SPECIALIZED = re.compile(r"\btemplate\s*<\s*>\s*(?:[\w:&*]+\s+)*[\w:]+\s*<[^<>;{}()]*\bchar[1-4]\b[^<>;{}()]*>")
_OPENING = re.compile(r"[^{};]*(?={)")
_ADVICE = "Use char, or cast: reinterpret_cast<signed char&>(v.x)."
WORDS = (VECTORS,)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Cast what is bound to a `signed char`, and report specializations that may bind it where it is not seen."""
    unit = work.unit
    signed = _signed(unit)
    if signed.search(unit.code) is None:
        return
    done: set[int] = set()
    for field in unit.all_of("field_expression"):
        kind = _kind(unit, field) if _is_component(field) else None
        if kind is None or not _VECTOR.search(kind):
            continue
        whole, address = _whole(unit, field)
        if whole.start_byte not in done and _is_bound(unit, whole, address, signed):
            done.add(whole.start_byte)
            target = f"{'const ' if _CONST.search(kind) else ''}signed char{'*' if address else '&'}"
            yield Wrap(whole.start_byte, whole.end_byte, f"reinterpret_cast<{target}>(", ")")
    yield from _in_parentheses(unit, signed)
    yield from _unseen(work, signed)


def _in_parentheses(unit: Unit, signed: re.Pattern[str]) -> Iterator[Edit]:
    """Cast initializers as in `signed char& r(v.x);`, which the grammar takes for a function."""
    pattern = rf"(?:{signed.pattern})\s*([&*])\s*\w+\s*\(\s*(&?\s*(\w+)\s*(?:\.|->)\s*[xyzw])\s*\)\s*[;,]"
    for match in re.build(pattern).finditer(unit.code):
        kind = declared_type(unit, match[3], match.start())
        if kind is not None and _VECTOR.search(kind):
            target = f"{'const ' if _CONST.search(kind) else ''}signed char{match[1]}"
            yield Wrap(*match.span(2), f"reinterpret_cast<{target}>(", ")")


def _unseen(work: Work, signed: re.Pattern[str]) -> Iterator[Diagnostic]:
    """Report pointers to members, and specializations for these vectors that name the type of their components."""
    code = work.unit.code
    for match in _MEMBER.finditer(code):
        message = "the components of this vector are char in HIP, not signed char"
        yield work.report(Span(*match.span()), "HP127", Severity.ERROR, message, "Use char.")
    for match in _SPECIALIZED.finditer(code):
        opening = _OPENING.match(code, match.end())
        close = matching_close(code, opening.end()) if opening is not None else None
        if opening is not None and close is not None and signed.search(code, opening.start(), close):
            message = "signed char is not the type of this vector's components in HIP, which are char"
            yield work.report(Span(*match.span()), "HP127", Severity.WARNING, message, _ADVICE)


def _signed(unit: Unit) -> re.Pattern[str]:
    """Return the pattern of the names of `signed char` in a file."""
    aliases = sorted({name for match in _ALIAS.finditer(unit.code) for name in match.groups() if name})
    return re.build(_NAMES.pattern + "".join(rf"|\b{name}\b" for name in aliases))


def _is_component(field: Node) -> bool:
    name = field.child_by_field_name("field")
    return name is not None and name.text is not None and name.text.decode("latin-1") in _COMPONENTS


def _kind(unit: Unit, field: Node) -> str | None:
    """Return the declared type of the variable whose component a node is, or that of a member of some class."""
    root = _root(field)
    name = root.text.decode("latin-1") if root is not None and root.text is not None else None
    if root is None or name is None or root.type == "identifier":
        return declared_type(unit, name, field.start_byte) if name is not None else None
    member = re.build(rf"(?:\bconst\s+)?\bchar[1-4]\b[\w\s,*&\[\]]*\b{name}\b").search(unit.code)
    return member[0] if member is not None else None


def _root(node: Node) -> Node | None:
    """Return the name that an expression without calls is about: `v` of `v.x`, `(*v).x`, `v[i].x` and `p->v.x`."""
    at: Node | None = node
    while at is not None and at.type != "identifier":
        if at.type == "parenthesized_expression":
            at = at.named_child(0)
        elif at.type in ("field_expression", "subscript_expression", "pointer_expression"):
            inner = at.child_by_field_name("argument")
            at = at.child_by_field_name("field") if at is not node and at.type == "field_expression" else inner
        elif at.type == "field_identifier":
            break
        else:
            return None
    return at


def _whole(unit: Unit, node: Node) -> tuple[Node, bool]:
    """Return the expression that has a component as its value, and whether it has its address."""
    address = False
    parent = unit.parent(node)
    while parent is not None:
        chosen = parent.type == "conditional_expression" and unit.field(node) in ("consequence", "alternative")
        taken = not address and parent.type == "pointer_expression" and parent.children[0].type == "&"
        if not (chosen or taken or parent.type == "parenthesized_expression"):
            break
        address = address or taken
        node, parent = parent, unit.parent(parent)
    return node, address


def _is_bound(unit: Unit, node: Node, address: bool, signed: re.Pattern[str]) -> bool:
    """Return whether an expression initializes a reference or pointer to a `signed char`."""
    parent = unit.parent(node)
    if parent is not None and parent.type == "initializer_list":
        parent = unit.parent(parent)
    if parent is None:
        return False
    if parent.type == "init_declarator":
        return _declares(unit.parent(parent), parent.child_by_field_name("declarator"), address, signed)
    if parent.type == "return_statement":
        function = _function(unit, parent)
        return function is not None and _declares(function, function.child_by_field_name("declarator"), address, signed)
    if parent.type == "assignment_expression" and address and unit.field(node) == "right":
        left = parent.child_by_field_name("left")
        kind = declared_type(unit, _text(left), node.start_byte) if left is not None else None
        return kind is not None and "*" in kind and signed.search(kind) is not None
    return parent.type == "argument_list" and _is_taken(unit, node, parent, address, signed)


def _function(unit: Unit, node: Node) -> Node | None:
    at: Node | None = node
    while at is not None and at.type not in ("function_definition", "lambda_expression"):
        at = unit.parent(at)
    return at if at is not None and at.type == "function_definition" else None


def _declares(declaration: Node | None, declarator: Node | None, address: bool, signed: re.Pattern[str]) -> bool:
    """Return whether a declarator makes a reference or pointer to `signed char`, behind macros, too."""
    wanted = "pointer_declarator" if address else "reference_declarator"
    if declaration is None or declarator is None or declarator.type != wanted:
        return False
    front = _text(declaration)[: declarator.start_byte - declaration.start_byte]
    return signed.search(front) is not None


def _is_taken(unit: Unit, node: Node, arguments: Node, address: bool, signed: re.Pattern[str]) -> bool:
    """Return whether a function takes the argument as `signed char`, or another argument has to have the same type."""
    call = unit.parent(arguments)
    called = call.child_by_field_name("function") if call is not None else None
    if called is None:
        return False
    index = [child.start_byte for child in arguments.named_children].index(node.start_byte)
    name = re.findall(r"\w+", _text(called).partition("<")[0])[-1:]
    lists = [each for each in _parameters(unit, name[0]) if index < len(each.named_children)] if name else []
    taken = [each.named_children[index] for each in lists]
    if any(_declares(each, each.child_by_field_name("declarator"), address, signed) for each in taken):
        return True
    others = [_text(child) for child in arguments.named_children if child.type == "identifier"]
    kinds = [declared_type(unit, each, node.start_byte) or "" for each in others]
    return not address and any(signed.search(kind) and "*" not in kind for kind in kinds)


def _parameters(unit: Unit, name: str) -> Iterator[Node]:
    """Yield the parameter lists of the functions of that name that a file declares."""
    for declarator in unit.all_of("function_declarator"):
        inner = declarator.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters")
        if inner is not None and parameters is not None and re.findall(r"\w+", _text(inner))[-1:] == [name]:
            yield parameters


def _text(node: Node) -> str:
    return node.text.decode("latin-1") if node.text is not None else ""
