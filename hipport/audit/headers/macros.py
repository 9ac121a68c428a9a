"""Classification of header macros: decorations of declarations, aliases of other names, values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.lexer import Directive, DirectiveKind, blank

_ATTRIBUTE = re.compile(
    r"""__(?:attribute|declspec)(?:__)?\s*\( (?:[^()]|\((?:[^()]|\([^()]*\))*\))* \) | __declspec\s*\([^()]*\)
      | \[\[ .*? \]\] | _Pragma\s*\([^()]*\) | \balignas\s*\([^()]*\)
      | \b(?:__\w+__|extern(?:\s*"[^"]*")?|static|inline|__inline|__forceinline|__stdcall|__cdecl|constexpr|noexcept)\b
      | \\(?=\s)""",
    re.VERBOSE | re.DOTALL,
)
_DEFAULT = re.compile(r"=\s*\w+\Z")
_NAME = re.compile(r"[A-Za-z_]\w*")
_END = re.compile(r"\s*(?:;|\{\s*\})\s*\Z")
_OPENING = re.compile(r"\s*(?:(?:inline\s+)?namespace\b[\w:\s]*\{\s*)+\Z")
_CLOSING = re.compile(r"\s*(?:(?:[};]|using\s+namespace\s+[\w:]+\s*;)\s*)+\Z")
_OF_COMPILERS = {"__cdecl": False, "__stdcall": False, "__THROW": False, "__declspec": True, "__attribute__": True}
"""Decorations that headers use but do not define; the value is whether they take arguments."""
_LONGEST = 400
_FARTHEST = 2000
"""Maximum number of characters between the parentheses of an attribute."""
_NESTING = 3
_ONE_NAME = re.compile(r"\(*\s*(?:struct\s+|enum\s+)?([A-Za-z_]\w*)\s*\)*\Z")
_CALLED = re.compile(r"[A-Za-z_]\w*\s*\(\s*([A-Za-z_]\w*)\s*\)\Z")


@dataclass(frozen=True, slots=True)
class Macro:
    """A `#define`: `body` is without comments, `guard` marks the include guard."""

    name: str
    body: str
    with_parameters: bool
    guard: bool


def macros(code: str, lines: Iterable[Directive]) -> Iterator[Macro]:
    """Yield the macros that lexed code defines."""
    guard = None
    for line in lines:
        text = code[line.body.start : line.body.end]
        if line.kind is DirectiveKind.DEFINE and line.name:
            body = " ".join(text.replace("\\", " ").split())
            head = code[line.span.start : line.body.start].rstrip()
            yield Macro(line.name, body, head.endswith(")"), guard == line.name and not body)
        elif guard is None and line.kind is DirectiveKind.CONDITION:
            guard = text.strip(" !()").removeprefix("defined").strip(" ()")


def decorations(found: Iterable[Macro]) -> Mapping[str, bool]:
    """Return the macros that, in at least one configuration, expand to attributes only: they declare no names.

    The value is whether the macro takes arguments.
    """
    candidates = {macro for macro in found if not macro.guard}
    known = dict(_OF_COMPILERS)
    while True:
        more = _OF_COMPILERS | {
            macro.name: macro.with_parameters for macro in candidates if _is_decoration(macro.body, known)
        }
        if len(more) == len(known):
            return known
        known = more


def _is_decoration(body: str, known: Mapping[str, bool]) -> bool:
    if len(body) > _LONGEST:
        return False
    rest = _ATTRIBUTE.sub(" ", body).strip()
    if not rest or _DEFAULT.match(rest):
        return True
    return all(word in known for word in _NAME.findall(rest)) and _NAME.sub("", rest).strip() in ("", "()")


def without(code: str, names: Mapping[str, bool]) -> str:
    """Blank these macros in the code, with the arguments of those that take some."""
    here = set(_NAME.findall(code)) & names.keys()
    if not here:
        return code
    pieces: list[str] = []
    done = 0
    for match in re.finditer(rf"\b(?:{'|'.join(sorted(here))})\b", code):
        if match.start() >= done:
            end = _end_of_call(code, match.end()) if names[match[0]] else match.end()
            pieces += (code[done : match.start()], blank(code[match.start() : end]))
            done = end
    pieces.append(code[done:])
    return "".join(pieces)


def _end_of_call(code: str, end: int) -> int:
    parenthesis = skip_blanks(code, end)
    limit = min(len(code), parenthesis + _FARTHEST)
    close = matching_close(code, parenthesis, limit) if code[parenthesis : parenthesis + 1] == "(" else None
    return end if close is None else close + 1


def scopes(found: Iterable[Macro], noise: Mapping[str, bool]) -> Mapping[str, str]:
    """Return expansions of macros that open or close a namespace or end a declaration: `namespace cub {`, `}`, `;`."""
    bodies = {macro.name: macro.body for macro in found if not macro.with_parameters and macro.name not in noise}
    pieces = {name: body for name, body in bodies.items() if len(body) < _LONGEST and set("{};") & set(body)}
    for _ in range(_NESTING):
        pieces = {name: _expanded(body, pieces) for name, body in pieces.items()}
    plain = {name: without(body, noise) for name, body in pieces.items()}
    return {name: ";" if _END.match(body) else body for name, body in plain.items() if _is_scope(body)}


def _is_scope(body: str) -> bool:
    return any(pattern.match(body) for pattern in (_END, _OPENING, _CLOSING))


def _expanded(code: str, pieces: Mapping[str, str]) -> str:
    return _NAME.sub(lambda word: pieces.get(word[0], word[0]), code)


def expand(code: str, pieces: Mapping[str, str]) -> str:
    """Expand these macros in the code."""
    here = set(_NAME.findall(code)) & pieces.keys()
    return re.sub(rf"\b(?:{'|'.join(sorted(here))})\b", lambda word: pieces[word[0]], code) if here else code


def stands_for(macro: Macro) -> str | None:
    """Return the name that a macro without parameters is an alias of; `f_ptds` for `PER_THREAD(f_ptds)`."""
    if macro.with_parameters:
        return None
    match = _ONE_NAME.match(macro.body) or _CALLED.match(macro.body)
    return match[1] if match else None
