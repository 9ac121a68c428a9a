"""Tell the `->` before the type that a function returns, `auto f() -> cudaError_t`, from the access to a member."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import matching_open, skip_blanks_back

_QUALIFIED = re.compile(r"(?:\b(?:const|volatile|noexcept|mutable|constexpr|__device__|__host__)|&)\s*\Z")
"""Matches what stands between the parameters of a function and `->`, which no expression ends with."""

_EXCEPTIONS = re.compile(r"\b(?:noexcept|throw|__launch_bounds__)\s*\Z")
_CAPTURES_ALL = re.compile(r"\[\s*[=&]?\s*\]\s*\Z")
_LAMBDA = re.compile(r"\](?:\s*<[^<>{};]*>)?(?:\s*__\w+__)*\s*\Z")
_DECLARES = re.compile(
    r"\bauto\b(?:(?:[^=;{}():?]|::)*|\s*\([^()]*\)\s*|(?:[^=;{}():?]|::)*\boperator\s*[^\w\s;{}]+\s*)\Z"
)
_MACRO = re.compile(r"(?<![\w.>:])[A-Z][A-Z\d_]+\s*\Z")
"""Matches a macro that stands for `noexcept`."""
_STATEMENT = re.compile(r"\b(?:return|co_return|co_yield|case|throw)\s*\Z")
_SHOWN = 1000


def is_trailing_return(code: str, arrow: int) -> bool:
    """Return whether the `->` that begins at `arrow` follows the parameters of a function or lambda."""
    end = skip_blanks_back(code, arrow)
    first = max(0, end - _SHOWN)
    macro = _MACRO.search(code, first, end)
    end = skip_blanks_back(code, macro.start()) if macro is not None else end
    if _QUALIFIED.search(code, first, end) or _CAPTURES_ALL.search(code, first, end):
        return True
    if code[end - 1 : end] != ")":
        return False
    opening = matching_open(code, end - 1)
    if opening is None:
        return False
    if _EXCEPTIONS.search(code, max(0, opening - _SHOWN), opening):
        return True
    return _declares(code, opening)


def _declares(code: str, opening: int) -> bool:
    """Return whether the parentheses that begin here are parameters: of a lambda, or of what `auto` declares."""
    first = max(0, opening - _SHOWN)
    captures = _LAMBDA.search(code, first, opening)
    if captures is None:
        return _DECLARES.search(code, first, opening) is not None
    bracket = matching_open(code, captures.start())
    if bracket is None:
        return False
    before = skip_blanks_back(code, bracket)
    subscript = code[before - 1 : before].isalnum() or code[before - 1 : before] in ("_", "$", ")", "]")
    return not subscript or _STATEMENT.search(code, max(0, before - _SHOWN), before) is not None
