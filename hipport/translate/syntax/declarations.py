"""The range of a function's declaration with every specifier, attribute, macro and `template` in front of it.

The shadow blanks CUDA's own words, and the grammar takes a macro such as `HD` for a type, so the tokens are read
instead.
"""

from __future__ import annotations

import enum

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import matching_close, matching_open, template_open
from hipport.translate.syntax.side_words import meant, side_macros
from hipport.translate.syntax.unit import Node, Unit

_OF_WORDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"
_LONGEST_WORD = 200
_MOST_PARTS = 64
"""Limit on tokens and bracket groups in front of a function's name: no declaration has more."""
_ACCESS = frozenset({"public", "private", "protected"})
_NO_PART = frozenset(
    {"return", "else", "do", "case", "default", "goto", "throw", "using", "namespace", "new", "delete"}
)
_WITH_ARGUMENTS = frozenset(
    {"__attribute__", "__attribute", "__declspec", "__pragma", "_Pragma", "alignas", "_Alignas", "decltype", "typeof"}
    | {"__typeof__", "explicit", "requires", "noexcept", "__launch_bounds__", "__align__", "__cluster_dims__"}
    | {"__maxnreg__", "__block_size__", "__local_maxnreg__"}
)
_MACRO = re.compile(r"_*[A-Z][A-Z0-9_]+")
_ENDS_SOMETHING = re.compile(r"(?:\A|_)(?:BEGIN|END|OPEN|CLOSE|PUSH|POP|START|STOP|NAMESPACE|NS|REGISTER|TEST)(?:_|\Z)")
_SPECIFIES = re.compile(
    r"HOST|DEVICE|GLOBAL|KERNEL|INLINE|FORCE|STATIC|CONST|TEMPLATE|EXPORT|IMPORT|API|CALL|DECL|FUNC|FN|ATTR|QUALIFIER"
    r"|NODISCARD|LINKAGE|VISIB|HIDDEN|UNUSED|(?:\A|_)(?:HD|DH|GPU|CUDA)(?:_|\Z)"
)


_AFTER_PARAMETERS = re.compile(r"[{;=}(]|\[\[")


class _Role(enum.Enum):
    """The role of a token in front of a declaration."""

    PART = enum.auto()
    END = enum.auto()
    """The token ends the code before the declaration."""
    UNKNOWN = enum.auto()


def declaration(unit: Unit, name: int, end: int) -> Span | None:
    """Return the range of the declaration of the function whose name begins at `name` and that ends at `end`.

    The range includes conditional lines in front of the name. None where the range cannot be removed as a whole: after
    a macro that may be a statement of its own, across the branches of an `#if`, around a `#define`.
    """
    known = unit.notes.setdefault("declarations", {})
    if (name, end) not in known:
        known[name, end] = _declaration(unit, name, end)
    found: Span | None = known[name, end]
    return found


def _declaration(unit: Unit, name: int, end: int) -> Span | None:
    start, certain = _front(unit, name)
    if not certain or unit.directive_at(name) is not None:
        return None
    base, branch = unit.branch_at(name), unit.branch_at(start)
    if branch[: len(base)] != base:
        return None
    if branch != base:
        opening = unit.directives[branch[len(base)][0]].span.start
        if _end_before(unit, start) > opening:
            return None
        start = opening
    return Span(start, end) if _can_be_left_out(unit, start, end) else None


def function_declaration(unit: Unit, node: Node) -> Span | None:
    """Return the range of a `function_definition` as `declaration` does."""
    declarator: Node | None = node
    while declarator is not None and declarator.type != "function_declarator":
        below = declarator.child_by_field_name("declarator")
        declarator = below or (declarator.named_child(0) if declarator.type == "reference_declarator" else None)
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    return declaration(unit, name.start_byte, node.end_byte) if name is not None else None


def specifiers(unit: Unit, start: int, end: int) -> frozenset[str]:
    """Return the words of a declaration up to `end`, including those in front of `start` that belong to it.

    With a macro for sides are those that it stands for, by its definition in the file or by its name.
    """
    if (start, end) not in unit.specifiers:
        unit.specifiers[start, end] = _specifiers(unit, start, end)
    return unit.specifiers[start, end]


def host_function(unit: Unit, offset: int) -> Node | None:
    """Return the function around a place if it is compiled for the host."""
    node: Node | None = unit.node_at(Span(offset, offset + 1))
    while node is not None and node.type != "function_definition":
        node = unit.parent(node)
    declarator = node.child_by_field_name("declarator") if node is not None else None
    if declarator is None:
        return None
    words = specifiers(unit, declarator.start_byte, declarator.start_byte)
    return node if "__host__" in words or words.isdisjoint({"__device__", "__global__"}) else None


def _specifiers(unit: Unit, start: int, end: int) -> frozenset[str]:
    words: set[str] = set()
    position, _ = _front(unit, start)
    for line in unit.directives_in(Span(position, end)):
        words.update(re.findall(r"\w+", unit.code[position : line.span.start]))
        position = line.span.end
    words.update(re.findall(r"\w+", unit.code[position:end]))
    return frozenset(words) | meant(unit, words & side_macros(unit))


def after_parameters(code: str, position: int) -> int | None:
    """Return the offset of the `{` of the body or of the `;` after a parameter list; None for anything else."""
    while match := _AFTER_PARAMETERS.search(code, position):
        if match[0] not in ("(", "[["):
            return match.start() if match[0] in "{;" else None
        close = matching_close(code, match.start())
        if close is None:
            return None
        position = close + 1
    return None


_ANONYMOUS = re.compile(r"(?<![\w:])(?:inline\s+)?namespace\s*\Z")


def at_file_scope(unit: Unit, offset: int) -> bool:
    """Return whether an offset is in no braces other than those of `extern "C++"` and `namespace {`.

    Names of an anonymous namespace are found beside those of the file scope.
    """
    around = unit.braces.around(Span(offset, offset + 1))
    while around is not None:
        before = _end_before(unit, around.start)
        if unit.code[before - 1 : before] != '"' and not _ANONYMOUS.search(unit.code, max(0, before - 40), before):
            return False
        around = unit.braces.around(Span(around.start - 1, around.end))
    return True


def _front(unit: Unit, name: int) -> tuple[int, bool]:
    """Return where a declaration begins, and whether whatever precedes it is certainly not part of it."""
    start = name
    for _ in range(_MOST_PARTS):
        end = _end_before(unit, start)
        if not end or unit.code[end - 1] in ";{}":
            return start, True
        role, part = _part(unit, end, start)
        if role is _Role.UNKNOWN and start == name and part < end and unit.code[end - 1] != ")":
            role = _Role.PART  # the return type
        if role is not _Role.PART:
            return start, role is _Role.END
        start = part
    return start, False


def _end_before(unit: Unit, position: int) -> int:
    """Return the end of the token before `position`, skipping preprocessor lines."""
    code = unit.code
    while True:
        while position > 0 and code[position - 1] in " \t\r\n\\":
            position -= 1
        line = unit.directive_at(position - 1) if position else None
        if line is None:
            return position
        position = line.span.start


def _part(unit: Unit, end: int, following: int) -> tuple[_Role, int]:
    """Return the role and start of the token, or of the bracket group with the word before it, that ends at `end`."""
    code, last = unit.code, unit.code[end - 1]
    if last in "*&":
        return _Role.PART, end - 1
    if last == ":" and code[end - 2 : end] == "::":
        return _Role.PART, end - 2
    if last == ":":
        return _Role.END if _word(code, _end_before(unit, end - 1)) in _ACCESS else _Role.UNKNOWN, end
    if last == '"':
        start = max(code.rfind('"', 0, end - 1), 0)
        return _Role.PART if _word(code, _end_before(unit, start)) == "extern" else _Role.UNKNOWN, start
    opening = _opening(code, end - 1)
    if opening is None or last == "]":
        return _Role.UNKNOWN if opening is None else _Role.PART, opening or end
    word_end = _end_before(unit, opening) if last in ")>" else end
    word = _word(code, word_end)
    start = word_end - len(word)
    if not word:
        return _Role.UNKNOWN, end
    if last == ">" or (last == ")" and word in _WITH_ARGUMENTS):
        return _Role.PART, start
    return _role(unit, word, Span(start, end), following), start


def _opening(code: str, last: int) -> int | None:
    """Return the opening bracket of the pair that closes at `last`; `last` itself if no bracket closes there."""
    if code[last] == ">":
        return template_open(code, last)
    return matching_open(code, last) if code[last] in ")]" else last


def _role(unit: Unit, word: str, span: Span, following: int) -> _Role:
    """Return the role of a word; `span` also includes its arguments."""
    code = unit.code
    if word in _NO_PART:
        return _Role.UNKNOWN
    bodies = unit.macros.get(word)
    if bodies is not None:
        ends = any(sign in code[body.start : body.end] for body in bodies for sign in ";{}")
        return _Role.END if ends else _Role.PART
    called = code[span.end - 1] == ")"
    if "\n" not in code[span.end : following] or not (called or _MACRO.fullmatch(word)):
        return _Role.PART
    if _ENDS_SOMETHING.search(word):
        return _Role.END
    return _Role.PART if _SPECIFIES.search(word) else _Role.UNKNOWN


def _word(code: str, end: int) -> str:
    text = code[max(0, end - _LONGEST_WORD) : end]
    return text[len(text.rstrip(_OF_WORDS)) :].lstrip("0123456789")


def _can_be_left_out(unit: Unit, start: int, end: int) -> bool:
    """Return whether all conditions that begin in a range also end in it, and no macro is defined there."""
    lines = unit.directives_in(Span(start, end))
    if not lines:
        return True
    base = lines[0].branch
    closed = all(each[: len(base)] == base for line in lines for each in (line.branch, line.after))
    return closed and lines[-1].after == base and not any(line.word in ("define", "undef") for line in lines)
