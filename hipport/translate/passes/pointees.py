"""Types in a file that decide about overloads: what an address is cast to, and what inline PTX brings along."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.syntax.unit import Unit
from hipport.translate.syntax.words import ASSEMBLY

_CAST = re.compile(r"(?P<cast>[A-Za-z_](?:[\w ]*\w)?)\s*\*\s*[)>]|\bshared_pointer\s*<(?P<shared>[\w ]+)>")
_QUALIFIERS = frozenset({"const", "volatile"})
_BROUGHT = (
    (re.compile(rb"bf16"), frozenset({"bf16"})),
    (re.compile(rb"f16"), frozenset({"half"})),
    (re.compile(rb"f32"), frozenset({"float"})),
    (re.compile(rb"16|[sub]8x2|e[45]m"), frozenset({"uint16_t"})),
    (re.compile(rb"64"), frozenset({"int64_t"})),
)
"""Words of C++ that a translation writes for the types that PTX names."""


def cast_pointee(address: str) -> str | None:
    """Return the type that an address points to after a cast: `int` for `(int*)p`; None without a cast."""
    match = _CAST.search(address)
    if match is None:
        return None
    return " ".join(word for word in (match["cast"] or match["shared"]).split() if word not in _QUALIFIERS)


def type_words(unit: Unit) -> frozenset[str]:
    """Return the words of the file, and those that the translation of its inline PTX may write.

    What is decided by the words in a file is then decided the same way for its translation.
    """
    if not unit.words & ASSEMBLY:
        return frozenset(unit.words)
    text = unit.source.text
    return frozenset(unit.words).union(*(words for written, words in _BROUGHT if written.search(text)))
