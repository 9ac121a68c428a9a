"""Integer constants: evaluation of expressions of literals and named constants."""

from __future__ import annotations

import ast
import functools
import keyword
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, facts_of
from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks_back
from hipport.translate.syntax.conditions import integer
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Unit

Lookup = Callable[[str], "int | None"]

_LONGEST = 240  # characters: longer expressions are neither sizes nor lane counts
_LARGEST = 1 << 64
_DEEPEST = 16  # depth of constants defined by other constants
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)(?:[uU][lL]{0,2}|[lL]{1,2}[uU]?)\b")
_PLAIN = re.compile(r"(?:(?:0[xXbB][0-9a-fA-F]+|[1-9]\d*|0|[A-Za-z_]\w*)(?![\w.])|<<|>>|[-+*/%&|^~()\s])*\Z")
"""Integers, names and operators, and nothing that has another meaning in Python."""
_CAST = re.compile(
    r"\(\s*(?:const\s+)?(?:unsigned|signed|int|long|short|char|size_t|u?int\d+_t|uint|\s)+\)(?=\s*[\w(~-])"
    r"|\bstatic_cast\s*<[\w\s:]+>\s*(?=\()"
)
_BINARY: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b) if abs(a) < 1 << 52 else a // b,
    ast.Mod: lambda a, b: a - b * int(a / b),
    ast.LShift: lambda a, b: a << b if 0 <= b < 64 else _LARGEST + 1,
    ast.RShift: lambda a, b: a >> min(max(b, 0), 64),
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: Mapping[type, Callable[[int], int]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.inv}


def evaluate(text: str, lookup: Lookup) -> int | None:
    """Return the value of a C++ integer expression; None if it is not constant or not supported.

    Casts between integers are ignored; `lookup` returns the values of names.
    """
    if len(text) > _LONGEST:
        return None
    try:
        if text.isidentifier() and not keyword.iskeyword(text):
            return lookup(text)
        tree = _parsed(text)
        return _value(tree, lookup) if tree is not None else None
    except (ValueError, RecursionError, ZeroDivisionError, OverflowError):
        return None


@functools.lru_cache(maxsize=1 << 12)
def _parsed(text: str) -> ast.expr | None:
    """Return the tree of an expression; the same few sizes and indices are asked for many times."""
    plain = _CAST.sub("", _SUFFIX.sub(r"\1", text)).replace("\\", " ").replace("\n", " ").strip()
    if not _PLAIN.match(plain):
        return None
    try:
        return ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, lookup: Lookup) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return lookup(node.id)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        operand = _value(node.operand, lookup)
        return None if operand is None else _UNARY[type(node.op)](operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, lookup), _value(node.right, lookup)
        if left is None or right is None:
            return None
        result = _BINARY[type(node.op)](left, right)
        return result if abs(result) <= _LARGEST else None
    return None


_GIVEN = re.compile(r"\s*(?:=(?!=)\s*(?P<value>[^;,{}]+)[;,}]|\{(?P<braced>[^{}]+)\})")
_CONST = re.compile(r"\b(?:const|constexpr)\b")
_FARTHEST = 400  # characters between `constexpr` and the last name of its declaration


class Constants:
    """The named integer constants of a file: object-like macros, `const` and `constexpr` variables, enumerators.

    A name with several values (a macro defined differently in two branches) has none.
    """

    def __init__(self, unit: Unit, told: Mapping[str, int] | None = None) -> None:
        """`told`: constants that files included by this one define."""
        self._unit = unit
        self._told = told or {}
        self.asked: set[str] = set()
        """Names that were looked up and that the file does not define."""
        self._values: dict[str, int | None] = {}
        self._open: set[str] = set()

    @cached_property
    def macros(self) -> Mapping[str, tuple[Span, ...]]:
        """Bodies of the object-like macros, by name."""
        found: dict[str, tuple[Span, ...]] = {}
        for line in self._unit.directives:
            if line.kind is DirectiveKind.DEFINE and self._unit.code[line.body.start - 1 : line.body.start] != ")":
                found[line.name] = (*found.get(line.name, ()), line.body)
        return found

    def value(self, name: str) -> int | None:
        """Return the value of a named constant."""
        if name not in self._values:
            if name in self._open or len(self._open) > _DEEPEST:
                return None
            self._open.add(name)
            self._values[name] = self._find(name)
            self._open.discard(name)
        return self._values[name]

    def text(self, span: Span) -> int | None:
        """Return the value of the expression in a range of the file."""
        return evaluate(self._unit.code[span.start : span.end], self.value)

    def _find(self, name: str) -> int | None:
        if name not in self._unit.words:
            return None
        bodies = self.macros.get(name)
        if bodies is not None:
            values = {self.text(body) for body in bodies}
            return values.pop() if len(values) == 1 else None
        values = {evaluate(text, self.value) for _, text in self._given(name)}
        if values:
            return values.pop() if len(values) == 1 else None
        self.asked.add(name)
        return self._told.get(name)

    def _given(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield the offset and value text of each `const` variable or enumerator definition of this name."""
        code = self._unit.code
        for _, offset in self._unit.occurrences(frozenset({name})):
            match = _GIVEN.match(code, offset + len(name))
            if match is None:
                continue
            start = max(code.rfind(end, max(0, offset - _FARTHEST), offset) for end in ";{}(")
            is_constant = _CONST.search(code, max(start, offset - _FARTHEST, 0), offset) is not None
            is_enumerator = match["value"] and code[skip_blanks_back(code, offset) - 1] in "{,"
            if is_constant or is_enumerator:
                yield offset, match["value"] or match["braced"]

    def definition(self, name: str) -> Span | None:
        """Return the range of a constant's name in its definition."""
        bodies = self.macros.get(name)
        if bodies is not None:
            line = self._unit.directive_at(bodies[0].start - 1)
            start = self._unit.code.rfind(name, line.span.start if line else 0, bodies[0].start + 1)
            return Span(start, start + len(name)) if start >= 0 else None
        return next((Span(offset, offset + len(name)) for offset, _ in self._given(name)), None)


_OF_LANES = frozenset({5, 31, 32, 0xFFFFFFFF})
"""Values that imply warps of 32 lanes: the size, its logarithm, the last lane, all lanes."""
_LARGE = 1 << 16
"""Values above this may be sizes that AMD GPUs do not have, such as of shared memory."""
_OF_WARPS = re.compile(r"warp|lane|wave|width", re.IGNORECASE)
_LITERAL = re.compile(r"[(\s]*(0[xX][0-9a-fA-F]+|[1-9][0-9]*)[uUlL]*[)\s]*\Z")
_COMPUTED = re.compile(r"(?=.*\d).*?[~<)+-]")
"""Matches values that must be computed: `1 << 5`, `~0u`, `(int)32`."""
_ALL_BITS = re.compile(r"~|\bunsigned\b|\bu?int32_t\b")
"""Distinguishes a mask of all lanes from a plain -1."""
_NAME = re.compile(r"\b[A-Za-z_]\w*")
_VARIABLES = re.compile(r"const(?<!\wconst)(?:expr)?\b([^;]{1,400});")
_ENUMERATORS = re.compile(r"enum(?<!\wenum)\b(?!\s+(?:class|struct)\b)[^;{}()]{0,200}\{([^{}]*)\}")
_GIVEN_TO = re.compile(r"\b([A-Za-z_]\w*)\s*(?:=(?!=)\s*([^;,{}]+)|\{([^{};,]+)\})")


def lane_constants(unit: Unit) -> Iterator[str]:
    """Return facts about the constants of a file from which its includers learn sizes, or the lanes of a warp.

    Numbers of lanes are written as literals, derive from another such constant of the file, or have a name that says
    so; a size that happens to be 32 because it is a quarter of something else does not count.
    """
    constants = Constants(unit)
    found: dict[str, int] = {}
    known: dict[str, int] = {}
    computed: list[tuple[str, str]] = []
    users: dict[str, list[str]] = {}
    for name, text in _spelled(unit, constants):
        value = _in_digits(text)
        if value is None:
            if "*" in text or _OF_WARPS.search(name):
                computed.append((name, text))
            for used in dict.fromkeys(_NAME.findall(text)):
                users.setdefault(used, []).append(name)
        else:
            known[name] = value
            if (value > _LARGE or _is_of_lanes(value, text)) and constants.value(name) == value:
                found[name] = value
    for name, text in computed:
        value = evaluate(text, known.get)
        if value is not None and _matters(value, name) and constants.value(name) == value:
            found[name] = value
    waiting = [name for name, value in found.items() if value in _OF_LANES or value < 0]
    while waiting:
        values = {name: constants.value(name) for name in users.pop(waiting.pop(), ()) if name not in found}
        fresh = {name: value for name, value in values.items() if value is not None and value in _OF_LANES}
        found |= fresh
        waiting += fresh
    return (str(Fact(Kind.CONSTANT, name, str(value))) for name, value in found.items())


def _spelled(unit: Unit, constants: Constants) -> Iterator[tuple[str, str]]:
    """Yield the name and value text of each constant."""
    code = unit.code
    for name, bodies in constants.macros.items():
        yield from ((name, code[body.start : body.end]) for body in bodies)
    for declared in (_VARIABLES, _ENUMERATORS):
        for group in declared.finditer(code):
            for match in _GIVEN_TO.finditer(group[1]):
                yield match[1], match[2] or match[3]


def _in_digits(text: str) -> int | None:
    """Return the value of an expression without names."""
    literal = _LITERAL.match(text)
    if literal is not None:
        return integer(literal[1])
    return evaluate(text, lambda _: None) if _COMPUTED.match(text) else None


def _matters(value: int, name: str) -> bool:
    """Return whether a product is large, or a number of lanes by its name."""
    return value > _LARGE or (value in _OF_LANES and _OF_WARPS.search(name) is not None)


def _is_of_lanes(value: int, text: str) -> bool:
    return value in _OF_LANES or (value == -1 and _ALL_BITS.search(text) is not None)


def told_constants(told: Iterable[str]) -> Mapping[str, int]:
    """Return the constants among the definitions of included files, without those that have different values."""
    values: dict[str, set[int]] = {}
    for fact in facts_of(told, Kind.CONSTANT):
        values.setdefault(fact.subject, set()).add(int(fact.value))
    return {name: found.pop() for name, found in values.items() if len(found) == 1}
