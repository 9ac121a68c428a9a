"""Zero for enumerations that have another zero in HIP, `T t{}`, and integers that functions read as enumerators."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.translate.passes.enum_uses import INTEGER_WORDS
from hipport.translate.passes.enum_values import Values
from hipport.translate.passes.enumerators import TYPES
from hipport.translate.syntax.brackets import matching_close, split_arguments, word_before

ATTRIBUTES = {
    "CUBLASLT_MATMUL_DESC_TRANSA": "cublasOperation_t",
    "CUBLASLT_MATMUL_DESC_TRANSB": "cublasOperation_t",
    "CUBLASLT_MATMUL_DESC_TRANSC": "cublasOperation_t",
    "CUBLASLT_MATMUL_DESC_FILL_MODE": "cublasFillMode_t",
    "CUBLASLT_MATMUL_DESC_COMPUTE_TYPE": "cublasComputeType_t",
    "CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA": "cublasOperation_t",
    "CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB": "cublasOperation_t",
}
"""Attributes whose value is read through a pointer to anything, and the types that the value has."""
_EMPTY = re.compile(r"(?:\s+[A-Za-z_]\w*\s*(?:=\s*)?)?(\{)\s*\}(?!\s*else\b)|(\()\s*\)(?!\s*(?:\{|const\b|>|->))")
_TYPES_FOLLOW = frozenset({"enum", "struct", "class", "union"})
_GIVEN = re.compile(
    r"(?:\(\s*(?:const\s+)?(?:void|char)\s*(?:const\s*)?\*\s*\)\s*)?&\s*(?:\w+\s*(?:\.|->)\s*)?([A-Za-z_]\w*)"
)
_NEXT = re.compile(r"(?:=[^;,{}()]*)?\s*,\s*[A-Za-z_]\w*\s*(?:=\s*)?(\{)\s*\}")


def zero_of(type_: str) -> str:
    """Return CUDA's enumerator that is 0 if it has another number in HIP; empty if it has not."""
    zeros = [(name, hip) for name, (cuda, _, hip) in TYPES[type_].items() if cuda == 0]
    return zeros[0][0] if zeros and all(hip != 0 for _, hip in zeros) else ""


def empty_initializers(code: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets in the empty brackets of `T t{}, u = {};`, `T{}` and `return T()`, whose type is at a range."""
    match = _EMPTY.match(code, end)
    if match is None or word_before(code, start) in _TYPES_FOLLOW or code[:start].rstrip().endswith("->"):
        return
    if match[2] and not code[max(0, start - 8) : start].rstrip().endswith(("=", "return")):  # `T()` is a type, too
        return
    while match is not None:
        yield match.end(match.lastindex or 1)
        match = _NEXT.match(code, match.end())


def integer_behind(values: Values, offset: int) -> tuple[int, str] | None:
    """Return the place and the name of the integer whose address is given next to an attribute."""
    code = values.unit.code
    open_ = code.rfind("(", 0, offset)
    close = matching_close(code, open_) if open_ >= 0 else None
    if close is None or close < offset:
        return None
    arguments = split_arguments(code, open_ + 1, close)
    given = next((each for each in arguments if each.start > offset), None)
    match = _GIVEN.fullmatch(code, given.start, given.end) if given is not None else None
    if match is None or values.declared_as(match[1], match.start(1)) not in INTEGER_WORDS:
        return None
    return match.start(1), match[1]
