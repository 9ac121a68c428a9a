"""Definitions of CUDA names in a file itself: in their scope the name does not mean the CUDA entity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.named_scopes import scope_name
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.syntax.usage import only_uses


class Definition(Struct, frozen=True):
    """A name and the range in which it has the project's meaning.

    `exported`: it also has that meaning in files that include this one. `owner` is the namespace or class that the
    definition is in; empty for other scopes. `at` is the place of the name, if it is known. `is_variable`: it defines a
    variable, also if that points to a function.
    """

    name: str
    scope: Span
    exported: bool
    owner: str = ""
    at: int = -1
    is_variable: bool = False


_DEEPEST = 64
"""Limit on nested declarators: pointers to functions that return arrays of pointers..."""
_DECLARATORS = frozenset(
    {
        "function_declarator",
        "pointer_declarator",
        "reference_declarator",
        "parenthesized_declarator",
        "array_declarator",
        "init_declarator",
        "attributed_declarator",
    }
)
_SPECIFIERS = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})
_NAMING = frozenset(
    {
        "enumerator",
        "namespace_definition",
        "namespace_alias_definition",
        "type_parameter_declaration",
        "alias_declaration",
        "labeled_statement",
        "using_declaration",
        "lambda_capture_initializer",
    }
)
"""Nodes that declare the name in them."""
_DECLARING = frozenset(
    {
        "function_definition",
        "declaration",
        "field_declaration",
        "parameter_declaration",
        "optional_parameter_declaration",
        "variadic_parameter_declaration",
        "type_definition",
        "for_range_loop",
        "condition_clause",
        "catch_clause",
    }
)
"""Nodes that declare the names in their declarators."""
_TYPED = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration", "type_definition"})
_SCOPES = frozenset(
    {
        "compound_statement",
        "for_statement",
        "for_range_loop",
        "catch_clause",
        "lambda_expression",
        "function_definition",
        "template_declaration",
        "namespace_definition",
        "field_declaration_list",
        "enum_specifier",
    }
)


def macro_definitions(unit: Unit, names: Set[str], counterpart: Callable[[str], str]) -> Iterable[Definition]:
    """Yield the definitions of `names` that a `#define` of this file makes.

    `counterpart` returns the HIP name. A macro that only expands to that name, as in `#define cudaStream_t
    hipStream_t`, is not a definition for the whole file: only its own line, and the conditions that test it, keep the
    CUDA name.

    Compiler macros (`__CUDACC__`) do not count: a file that defines one emulates the CUDA compiler for an editor.
    `__CUDA_API_VERSION`, the version of the driver API, does count: a file that declares driver functions itself
    defines it.
    """
    for line in unit.directives:
        of_compiler = line.name.startswith(("__CUDA", "__NV")) and line.name != "__CUDA_API_VERSION"
        if line.kind is DirectiveKind.DEFINE and line.name in names and not of_compiler:
            if _stands_for(unit, line, counterpart(line.name)):
                yield from (Definition(line.name, span, exported=False) for span in _asking(unit, line))
            else:
                at = unit.code.find(line.name, line.span.start)
                yield Definition(line.name, Span(0, len(unit.code)), exported=True, at=at)


def _asking(unit: Unit, definition: Directive) -> Iterator[Span]:
    """Yield the line of a definition and the other preprocessor lines that name the macro."""
    yield definition.span
    for line in unit.directives:
        if line.kind is not DirectiveKind.DEFINE and definition.name in unit.code[line.span.start : line.span.end]:
            yield line.span


_FORWARDED = re.compile(r"\(void\*\*?\)|\bHIP_SYMBOL\b|\bHIP_KERNEL_NAME\b|[()]")
"""Matches what is put around an argument that is passed on."""


def _stands_for(unit: Unit, line: Directive, name: str) -> bool:
    """Return whether a macro expands only to another name, or to a call with its own parameters in order.

    HIP's `HIP_SYMBOL` around a parameter, parentheses and casts to pointers to void change nothing.
    """
    head = unit.code.find(line.name, line.span.start) + len(line.name)
    parameters, body = (
        "".join(text.replace("\\", " ").split())
        for text in (unit.code[head : line.body.start], unit.code[line.body.start : line.body.end])
    )
    forwarded = _FORWARDED.sub("", body[len(name) :]) if body.startswith(name + "(") else ""
    return bool(name) and (
        body == name or forwarded == _FORWARDED.sub("", parameters).replace("...", "__VA_ARGS__") != ""
    )


def definition_at(unit: Unit, name: str, offset: int, is_cuda: Callable[[str], bool]) -> Definition | None:
    """Return the definition made by the name at this offset, or None if it is not a definition.

    A declaration without a body, or a `typedef` of a CUDA type to its own name, redeclares the CUDA entity and is no
    definition. `is_cuda` returns whether a name is a CUDA name for which HIP has one: what a project declares under a
    name that HIP lacks is its own.
    """
    if unit.directive_at(offset) is not None or only_uses(unit.code, offset, offset + len(name)):
        return None
    node = unit.node_at(Span(offset, offset + len(name)))
    if node is None or unit.parent(node) is None or node.end_byte != offset + len(name):
        return None
    owner = _defining_node(unit, node, is_cuda)
    if owner is None:
        return None
    scope, is_variable = _scope(unit, owner), owner.type in ("declaration", "field_declaration")
    if scope is None:
        return Definition(name, Span(0, len(unit.code)), exported=True, is_variable=is_variable)
    # `cudaError cudaError = f();`: the type is CUDA's, since the variable is visible from its declarator on.
    kind = owner.child_by_field_name("type") if owner.type in _TYPED else None
    start = node.start_byte if kind is not None and kind.text == name.encode() else scope.start_byte
    return Definition(name, Span(start, scope.end_byte), exported=False, owner=scope_name(scope))


def is_forward_declared_at(unit: Unit, name: str, offset: int) -> bool:
    """Return whether this is the name in `struct Name;` or `typedef struct Name* Name_t;`."""
    first = max(0, offset - _LOOKED_BACK)
    if not unit.code[first:offset].rstrip().endswith(("struct", "class", "union")):
        return False
    before = _TAG.search(unit.code, first, offset)
    after = skip_blanks(unit.code, offset + len(name))
    return before is not None and unit.code[after : after + 1] == ("*" if before["typedef"] else ";")


def is_declared_at(unit: Unit, name: str, offset: int) -> bool:
    """Return whether the name at this offset is declared there in any way: prototypes and forward declarations, too.

    What cannot be parsed counts as a declaration.
    """
    line = unit.directive_at(offset)
    if line is not None:
        return line.kind is DirectiveKind.DEFINE and (offset < line.body.start or _is_variable_of(unit, line, offset))
    before = max(0, offset - _LOOKED_BACK)
    after = skip_blanks(unit.code, offset + len(name))
    forms = (_BINDING, _NAMED_LAST) if unit.code[after : after + 1] in _AFTER_DECLARED else (_BINDING,)
    if any(form.search(unit.code, before, offset) for form in forms) or _is_label(unit.code, offset, after):
        return True
    if _ELABORATED.search(unit.code, before, offset):
        return True
    if only_uses(unit.code, offset, offset + len(name)):
        return False
    if _BEHIND_WORD.search(unit.code, before, offset) or _BEHIND_TYPE.search(unit.code, before, offset):
        return True
    node = unit.node_at(Span(offset, offset + len(name)))
    parent = unit.parent(node) if node is not None else None
    if node is None or parent is None or parent.type == "ERROR":
        return True
    if parent.type in _SPECIFIERS or parent.type in _NAMING:
        return parent.child_by_field_name("name") in (node, None)
    depth = 0
    while parent is not None and parent.type in _DECLARATORS and depth < _DEEPEST:
        depth += 1
        if parent.child_by_field_name("declarator") != node and parent.named_child(0) != node:
            return False
        node, parent = parent, unit.parent(parent)
    return parent is None or parent.type == "ERROR" or (parent.type in _DECLARING and unit.field(node) == "declarator")


def _is_variable_of(unit: Unit, macro: Directive, offset: int) -> bool:
    """Return whether the body of a macro declares and initializes a variable at an offset: `Status_t status = (x);`."""
    named = _INITIALIZED.match(unit.code, offset, macro.body.end)
    return bool(
        named
        and not only_uses(unit.code, offset, named.end(1))
        and _BEHIND_WORD.search(unit.code, max(macro.body.start, offset - _LOOKED_BACK), offset)
    )


_LOOKED_BACK = 400
_INITIALIZED = re.compile(r"([A-Za-z_]\w*)\s*(?:=(?!=)|;)")
_TAG = re.compile(r"(?P<typedef>\btypedef\s+)?\b(?:struct|class|union)\s+\Z")
_ELABORATED = re.compile(r"\b(?:struct|class|union|enum)\s+\Z")
"""Matches in front of a name that the keyword declares, if nothing else does: `typedef struct Name* Name_t;`."""
_BEHIND_WORD = re.compile(
    r"(?<![\w$#])(?!(?:new|typename|not|and|or|co_await|co_yield)\s)"
    r"(?:decltype\s*\([^()]*\)|[A-Za-z_$][\w$]*)\s+\Z"
)
"""Matches a word in front of a name, which only declarations have: the grammar loses those behind unknown macros."""
_BEHIND_TYPE = re.compile(
    r"(?:\A|[;{}]|\n[ \t]*#[^\n]*\n)\s*(?:template\s*<[^;{}]*>\s*)?[A-Za-z_$][\w$:<>,\s*&]*[>*&]\s*\Z"
)
"""Matches the beginning of a declaration up to a type that ends in a sign: `INLINE Pair<int>& `."""
_NAMED_LAST = re.compile(r"\b(?:typedef\b[^;{}]*|using\s[\w\s]*::\s*)\Z")
"""Matches in front of the name of a typedef that the grammar may not understand, and of a using-declaration."""
_AFTER_DECLARED = frozenset(";)[,")
_BINDING = re.compile(r"\bauto\s*&{0,2}\s*\[[\w\s,$]*\Z")


def _is_label(code: str, start: int, after: int) -> bool:
    """Return whether a name stands where a label does: `name:` after the end of a statement."""
    before = skip_blanks_back(code, start)
    return code[after : after + 1] == ":" != code[after + 1 : after + 2] and code[before - 1 : before] in (
        ";",
        "{",
        "}",
    )


def _defining_node(unit: Unit, node: Node, is_cuda: Callable[[str], bool]) -> Node | None:
    """Return the node that makes `node` a definition: a specifier or function with a body, or a declaration."""
    parent = unit.parent(node)
    assert parent is not None
    if parent.type in _SPECIFIERS:
        named = parent.child_by_field_name("name") == node
        return parent if named and parent.child_by_field_name("body") is not None else None
    if parent.type in ("enumerator", "namespace_definition", "type_parameter_declaration"):
        return parent if parent.child_by_field_name("name") in (node, None) else None
    if parent.type == "alias_declaration":
        named = parent.child_by_field_name("name") == node
        return parent if named and not _redeclares(unit, parent, is_cuda) else None
    return _declared(unit, node, is_cuda) or _behind_macros(unit, node)


_WORDS_OF_TYPE = re.compile(r"(?![\w\s:,*&]*\boperator\b)[\w\s:<>,*&]+")
"""Matches what stands in front of a function's name; behind `operator` is the type that it converts to."""
_FARTHEST = 6
"""Steps from a function's name to its definition, through declarators and what the grammar takes its type for."""
_BEFORE_BODY = re.compile(r"\s*\([^;{}]*\)[\w\s]*")


def _behind_macros(unit: Unit, node: Node) -> Node | None:
    """Return the function that a name defines behind macros, as in `HD inline double f(double x) {`.

    The grammar takes the first macro for the type, and the type or the name for an error.
    """
    function = unit.parent(node)
    for _ in range(_FARTHEST):
        if function is not None and function.type != "function_definition":
            function = unit.parent(function)
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None or function.type != "function_definition":
        return None
    code = unit.code
    front = _WORDS_OF_TYPE.fullmatch(code, function.start_byte, node.start_byte)
    is_named = front is not None and front[0].strip() != "" and not front[0].rstrip().endswith("::")
    return function if is_named and _BEFORE_BODY.fullmatch(code, node.end_byte, body.start_byte) else None


def _declared(unit: Unit, node: Node, is_cuda: Callable[[str], bool]) -> Node | None:
    """Return the definition, declaration or parameter whose declarator leads to `node`."""
    is_function = called = False
    child, parent = node, unit.parent(node)
    depth = 0
    while parent is not None and parent.type in _DECLARATORS and depth < _DEEPEST:
        depth += 1
        if parent.child_by_field_name("declarator") != child and parent.named_child(0) != child:
            return None
        is_function |= parent.type == "function_declarator"
        value = parent.child_by_field_name("value")
        called |= value is not None and value.type == "argument_list"
        child, parent = parent, unit.parent(parent)
    if parent is None or parent.type == "ERROR" or unit.field(child) != "declarator":
        return None
    if parent.child_by_field_name("type") is None or child.has_error or unit.below(parent).guessed:
        return None
    if parent.type == "function_definition":
        return parent if is_function else None
    if parent.type in ("declaration", "field_declaration"):
        # `MACRO cudaFree(p);` looks like a variable with an initializer; `T cudaFree(T);` is a prototype, of the
        # CUDA function unless it is in a class or a namespace.
        if is_function:
            return parent if _is_member(unit, parent) else None
        external = _is_extern(unit, parent) and not _is_own_pointer(parent, child, is_cuda)
        return None if called or (external and not _is_member(unit, parent)) else parent
    if parent.type in ("parameter_declaration", "optional_parameter_declaration"):
        return parent
    if parent.type == "type_definition":
        return None if _redeclares(unit, parent, is_cuda) else parent
    return None


def _redeclares(unit: Unit, alias: Node, is_cuda: Callable[[str], bool]) -> bool:
    """Return whether an alias of a CUDA type is at file scope; in a class or a namespace, it is a name of its own."""
    return _names_cuda(alias.child_by_field_name("type"), is_cuda) and not _is_member(unit, alias)


def _is_member(unit: Unit, declaration: Node) -> bool:
    """Return whether a declaration is in a class or a named namespace."""
    scope = _scope(unit, declaration)
    return scope is not None and scope.type in ("field_declaration_list", "namespace_definition")


def _is_extern(unit: Unit, declaration: Node) -> bool:
    return ("storage_class_specifier", b"extern") in unit.below(declaration).types


def _is_own_pointer(declaration: Node, declarator: Node, is_cuda: Callable[[str], bool]) -> bool:
    """Return whether this is like `extern tcuInit *cuInit;`, a pointer set when the program loads the library."""
    is_pointer = declarator.type == "pointer_declarator"
    return is_pointer and not _names_cuda(declaration.child_by_field_name("type"), is_cuda)


def _names_cuda(node: Node | None, is_cuda: Callable[[str], bool]) -> bool:
    """Return whether a type is spelled with a CUDA name: `struct CUstream_st`."""
    if node is None:
        return False
    if node.type in ("type_identifier", "identifier"):
        return node.text is not None and is_cuda(node.text.decode())
    return any(_names_cuda(child, is_cuda) for child in node.named_children)


def _scope(unit: Unit, owner: Node) -> Node | None:
    """Return the block, class or namespace in which a definition is visible; None for the whole file."""
    node = unit.parent(owner)
    # An unscoped enumerator is visible in the scope around its enumeration.
    if owner.type == "enumerator":
        node = _outside_enumeration(unit, owner)
    while node is not None and node.type not in _SCOPES:
        node = unit.parent(node)
    if node is not None and node.type == "template_declaration" and unit.parent(owner) == node:
        return _scope(unit, node)
    if node is not None and node.type == "namespace_definition" and node.child_by_field_name("name") is None:
        return _scope(unit, node)
    return node


def _outside_enumeration(unit: Unit, enumerator: Node) -> Node | None:
    """Return the node around an enumeration; for a scoped one, the enumeration itself."""
    body = unit.parent(enumerator)
    enumeration = unit.parent(body) if body is not None else None
    if enumeration is None or {"class", "struct"} & {child.type for child in enumeration.children[:2]}:
        return enumeration
    return unit.parent(enumeration)
