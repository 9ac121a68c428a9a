"""Bodies of operators for vector types: whether one computes what HIP's operator does, component by component."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.translate.dataflow.aggregates import COMPLEX_TYPES

ELEMENTS = {
    "char": "signed char",
    "short": "short",
    "int": "int",
    "long": "long",
    "longlong": "long long",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "ulonglong": "unsigned long long",
    "float": "float",
    "double": "double",
}
"""The types of components by the first part of a vector type's name."""
VECTORS = frozenset(f"{name}{width}" for name in ELEMENTS for width in range(1, 5))
COMPLEX = COMPLEX_TYPES
COMPONENTS = "xyzw"
_BLANKS = re.compile(r"(?<=\W)\s+|\s+(?=\W)")


def _squeezed(text: str) -> str:
    """Return a text with one blank between words, and none elsewhere."""
    return _BLANKS.sub("", " ".join(text.split()))


class Operands(Struct, frozen=True):
    """The operator `type symbol type` with the names of its operands; an operand that is a number has no components.

    `returns_vector`: the vector type is among the words in front of `operator`.
    """

    symbol: str
    type: str
    left: str
    right: str
    left_number: bool = False
    right_number: bool = False
    returns_vector: bool = True

    @property
    def components(self) -> str:
        return COMPONENTS[: int(self.type[-1])]

    @property
    def plain(self) -> str:
        """The symbol of the operation on components: `+` for `+=`."""
        return self.symbol if self.symbol in ("==", "!=") else self.symbol.rstrip("=")

    @property
    def assigns(self) -> bool:
        return self.plain != self.symbol


def is_componentwise(operands: Operands, body: str) -> bool:
    """Return whether a body, with its braces, does just `a.x + b.x` or `a.x += b.x` for each component."""
    if not (operands.left and operands.right):
        return False
    text = _squeezed(body)
    called = _CALLED.fullmatch(text)
    if called is not None and (operands.left, operands.right) == (called[2], called[3]):
        return operands.symbol == ("+" if called[1] == "add" else "-")
    text = _of_vectors(text)
    whole = _assigned(operands, text) if operands.assigns else None
    if whole is not None and is_componentwise(replace(operands, symbol=operands.plain), whole):
        return True
    for index, component in enumerate(operands.components):
        text = re.sub(_term(operands, component), f"@{index}", text)
    text = _BLANKS.sub("", _without_casts(operands, text))
    return any(re.fullmatch(pattern, text) for pattern in _patterns(operands))


def is_combined(operands: Operands, body: str) -> bool:
    """Return whether a body is `{ T r = a; r += b; return r; }`, which does what the operator `+=` does."""
    if operands.assigns or operands.symbol in ("==", "!=") or not (operands.left and operands.right):
        return False
    a, b, combined = (re.escape(each) for each in (operands.left, operands.right, operands.plain + "="))
    kind = rf"(?:(?:::)?{operands.type}|auto)"
    pattern = rf"{{{kind} (\w+)(?:={a}|\({a}\)|{{{a}}});\1{combined}{b};return \1;}}"
    return re.fullmatch(pattern, _of_vectors(_squeezed(body))) is not None


def _assigned(operands: Operands, text: str) -> str | None:
    """Return `{return b;}` for a body that only assigns `b` to the left operand, and returns that."""
    a = re.escape(operands.left)
    match = re.fullmatch(rf"{{(?:return )?{a}=([^;]+);(?:return ?\(?{a}\)?;)?}}", text)
    return f"{{return {match[1]};}}" if match is not None else None


_PART = re.compile(r"\bcuC(real|imag)f?\((\w+)\)")
_SUM = re.compile(r"\bcuC(add|sub)f?\((\w+),(\w+)\)")
_CALLED = re.compile(r"{return ?\(?cuC(add|sub)f?\((\w+),(\w+)\)\)?;}")
_COMPLEX = re.compile(r"\b(make_)?(" + "|".join(COMPLEX) + r")\b")


def _added(match: re.Match[str]) -> str:
    return f"{match[2]}{'+' if match[1] == 'add' else '-'}{match[3]}"


def _of_vectors(text: str) -> str:
    """Write functions of complex numbers, sums and parts, as those of vectors."""

    text = _PART.sub(lambda match: f"{match[2]}.{'x' if match[1] == 'real' else 'y'}", _SUM.sub(_added, text))
    return _COMPLEX.sub(lambda match: f"{match[1] or ''}{COMPLEX[match[2]]}", text)


def _term(operands: Operands, component: str) -> str:
    a, b = re.escape(operands.left), re.escape(operands.right)
    left = a if operands.left_number else rf"{a}\.{component}"
    right = b if operands.right_number else rf"{b}\.{component}"
    plain, symbol = re.escape(operands.plain), re.escape(operands.symbol)
    term = rf"{left}{plain}{right}"
    if operands.plain in ("+", "*", "==", "!="):
        term = rf"(?:{term}|{right}{plain}{left})"
    if operands.assigns:
        term = rf"(?:{left}{symbol}{right}|{left}={term})"
    return rf"(?<![\w.]){term}(?![\w.(\[])"


def _without_casts(operands: Operands, text: str) -> str:
    """Remove conversions of a term to the type of the component, and parentheses around a term."""
    element = ELEMENTS[operands.type[:-1]]
    names = {element, element.removesuffix(" int"), *({"char"} if element == "signed char" else set())}
    kind = "(?:" + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) + ")"
    before = ""
    while text != before:
        before = text
        text = re.sub(rf"(?:\({kind}\)|static_cast<{kind}>(?=\())(\(@\d\)|@\d)", r"\1", text)
        text = re.sub(rf"(?<![\w])(?:{kind})?\((@\d)\)", r"\1", text)
    return text


def _patterns(operands: Operands) -> list[str]:
    a, b, plain = re.escape(operands.left), re.escape(operands.right), re.escape(operands.plain)
    terms = [f"@{index}" for index in range(len(operands.components))]
    if operands.symbol in ("==", "!="):
        join, other = {"==": ("&&", "!="), "!=": (r"\|\|", "==")}[operands.symbol]
        return [rf"{{return\(?{join.join(terms)}\)?;}}", rf"{{return!\({a}{other}{b}\);}}"]
    if operands.assigns:
        whole = rf"{_made(operands, terms)}|{a}{plain}{b}" + (rf"|{b}{plain}{a}" if operands.plain in "+*" else "")
        back = rf"(?:return ?\(?{a}\)?;)?"
        return [rf"{{{'[;,]'.join(terms)};{back}}}", rf"{{(?:return )?{a}=(?:{whole});{back}}}"]
    return _results(operands, terms)


def _made(operands: Operands, terms: list[str]) -> str:
    """Return a pattern of expressions that make a vector of the terms."""
    listed = ",".join(terms)
    return rf"(?:::)?make_{operands.type}\({listed}\)|(?:::)?{operands.type}(?:\({listed}\)|{{{listed}}})"


def _results(operands: Operands, terms: list[str]) -> list[str]:
    """Return patterns of bodies that return a vector of the terms."""
    kind, listed, made = rf"(?:::)?{operands.type}", ",".join(terms), _made(operands, terms)
    steps = "".join(rf"\1\.{name}={term};" for name, term in zip(operands.components, terms, strict=True))
    return [
        rf"{{return ?\(?(?:{made})\)?;}}",
        rf"{{(?:const )?(?:{kind}|auto) (\w+)=(?:{made});return \1;}}",
        rf"{{(?:const )?{kind} (\w+)(?:=?{{{listed}}}|\({listed}\));return \1;}}",
        rf"{{{kind} (\w+);{steps}return \1;}}",
        *([rf"{{return{{{listed}}};}}"] if operands.returns_vector else []),
    ]
