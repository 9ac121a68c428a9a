"""The `::` in front of CUDA's types and enumerators, as in `::cudaError_t`, is blanked: nothing else has the name.

Functions keep theirs: a file may have overloads of its own in namespaces, which the call does not mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import ends_template_head, skip_blanks_back
from hipport.translate.syntax.lexer import Directive

_QUALIFIED = re.compile(r"::\s*(?P<name>(?:cu|CU|nccl|nvrtc)[A-Za-z]\w*)\b(?!\s*(?:[(<]|::))")
_WORD = re.compile(r"[A-Za-z_$][\w$]*\Z")
_NO_SCOPE = frozenset(
    {
        *("return", "else", "do", "case", "throw", "using", "typename", "new", "delete", "sizeof", "goto", "friend"),
        *("const", "volatile", "mutable", "static", "extern", "inline", "virtual", "explicit", "constexpr", "typedef"),
        *("thread_local", "register", "co_return", "co_yield", "struct", "class", "enum", "union", "and", "or", "not"),
        *("__restrict__", "__host__", "__device__", "__shared__", "__constant__", "__managed__"),
    }
)
"""Words behind which `::` begins a name."""
_LONGEST = 64


def without_global_scope(code: str, lines: Sequence[Directive]) -> str:
    """Blank the `::` in front of CUDA's types and enumerators, unless the file has others of the name."""
    if "::" not in code or _QUALIFIED.search(code) is None:
        return code
    pieces: list[str] = []
    done = 0
    for start in _places(code, lines):
        pieces += (code[done:start], "  ")
        done = start + 2
    return "".join([*pieces, code[done:]])


def _places(code: str, lines: Sequence[Directive]) -> Iterator[int]:
    """Yield where the signs are."""
    ends = {skip_blanks_back(code, end) for line in lines for end in (line.body.start, line.span.end)}
    places: dict[int, str] = {}
    own: set[str] = set()
    for match in _QUALIFIED.finditer(code):
        if _begins_name(code, match.start(), ends):
            places[match.start()] = match["name"]
        else:
            own.add(match["name"])
    own |= {name for name in {*places.values()} - own if _is_own(code, name)}
    yield from (place for place, name in places.items() if name not in own)


def _begins_name(code: str, start: int, ends: set[int]) -> bool:
    """Return whether no scope is in front of `::`; `ends` are those of preprocessor lines and macros' names."""
    before = skip_blanks_back(code, start)
    if before in ends:
        return True
    if code[before - 1 : before] == ">" and code[before - 2 : before] != "->":
        return ends_template_head(code, before)
    word = _WORD.search(code, max(0, before - _LONGEST), before)
    return word is None or word[0] in _NO_SCOPE


def _is_own(code: str, name: str) -> bool:
    """Return whether a file declares a name, or calls it: it may be a function."""
    declared = rf"\b(?:struct|class|union|enum|using|namespace|define)\s+(?:class\s+)?{name}\b|\b{name}\s*\("
    return re.build(rf"{declared}|\btypedef\b[^;]*\b{name}\s*;|\}}\s*{name}\s*;").search(code) is not None
