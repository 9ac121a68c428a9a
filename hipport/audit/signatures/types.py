"""C++ types of parameters, as far as a comparison needs them: a base, pointers, constness, a reference."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

_TAGS = re.compile(r"\b(?:struct|enum|union|class|volatile|typename|__restrict|restrict)\b")
_WORD = re.compile(r"[A-Za-z_][\w:]*")
_ARRAY = re.compile(r"\s*\[\d*\]\s*\Z")
_BRACKETED = re.compile(r"[(<{]")


@dataclass(frozen=True, slots=True)
class CType:
    """A type: `const float *const *` has the base `float`, which is constant, and the pointers `(True, False)`.

    `pointers` says for each pointer, from the base outwards, whether it is constant; the outermost never is, because a
    parameter's own constness does not matter to its callers. Types with parentheses or template arguments, and types
    that are not understood, are a base of their own.
    """

    base: str
    constant: bool = False
    pointers: tuple[bool, ...] = ()
    reference: str = ""

    def __str__(self) -> str:
        stars = "".join(" *const" if constant else " *" for constant in self.pointers)
        return f"{'const ' if self.constant else ''}{self.base}{stars}{self.reference}"

    @property
    def value(self) -> CType:
        """The type of an argument for a parameter of this type."""
        return CType(self.base, self.constant, self.pointers) if self.reference else self

    @property
    def target(self) -> CType:
        """The type that a pointer points to."""
        return replace(self, pointers=self.pointers[:-1])


@functools.lru_cache(maxsize=4096)
def parse_type(text: str) -> CType:
    """Parse a type as clang spells it."""
    text = _TAGS.sub(" ", text).strip()
    reference = ""
    while text.endswith("&"):
        text, reference = text[:-1].rstrip(), reference + "&"
    if _ARRAY.search(text) and "(" not in text:
        text = _ARRAY.sub(" *", text, count=1)
    if "(" in text:
        return CType(" ".join(text.split()), reference=reference)
    head, *stars = text.split("*")
    words = re.sub(r"\bconst\b", " ", head)
    constant = words != head
    pointers = tuple("const" in star for star in stars)
    if not reference:
        pointers, constant = _without_outermost(pointers, constant)
    return CType(" ".join(words.split()), constant, pointers, reference)


def _without_outermost(pointers: tuple[bool, ...], constant: bool) -> tuple[tuple[bool, ...], bool]:
    return ((*pointers[:-1], False), constant) if pointers else ((), False)


def expanded(type_: CType, typedefs: Mapping[str, str]) -> CType:
    """Return the type with typedef names replaced by what they stand for; `typedefs` holds canonical types."""
    if _BRACKETED.search(type_.base):
        return replace(type_, base=_WORD.sub(lambda word: typedefs.get(word[0], word[0]), type_.base))
    if type_.base not in typedefs or typedefs[type_.base] == type_.base:
        return type_
    inner = _inner(typedefs[type_.base], type_.constant)
    pointers, reference = (*inner.pointers, *type_.pointers), type_.reference or inner.reference
    constant = inner.constant
    if not reference:
        pointers, constant = _without_outermost(pointers, constant)
    return CType(inner.base, constant, pointers, reference)


def _inner(text: str, constant: bool) -> CType:
    """Return the type that a typedef stands for; `constant` makes its outermost part constant."""
    if "(" in text:
        return CType(text, constant)
    if _ARRAY.search(text):  # a parameter of this type is a pointer
        text = _ARRAY.sub(" *", text, count=1)
    head, *stars = _TAGS.sub(" ", text).split("*")
    words = re.sub(r"\bconst\b", " ", head)
    pointers = tuple("const" in star for star in stars)
    if constant and pointers:
        pointers = (*pointers[:-1], True)
    return CType(" ".join(words.split()), words != head or (constant and not pointers), pointers)


def renamed(type_: CType, rename: Callable[[str], str]) -> CType:
    """Return the type with every name replaced."""
    return replace(type_, base=_WORD.sub(lambda word: rename(word[0]), type_.base))
