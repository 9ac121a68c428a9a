"""The shadow: text of the same length as the source that a C++ grammar can parse.

`k<T><<<g, b>>>(x)` becomes `k<T>  (g, b)  (x)`, a call of a call; CUDA's own words are blanked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax import words
from hipport.translate.syntax.brackets import matching_close, matching_open, skip_blanks, skip_blanks_back
from hipport.translate.syntax.lexer import Directive, blank

_CONTINUATION = re.compile(r"\\(?=\r?\n)")
_OPEN = re.compile(r"<<[ \t]?<")
_CLOSE_OR_BRACKET = re.compile(r">>[ \t]?>|<<[ \t]?<|[(\[{}\]);]")


_CLASS_ATTRIBUTES = tuple(
    re.compile(rf"\b{word}\s+([A-Z_][A-Z\d_]*\s*\([^()\n;{{}}]*\))\s*[A-Za-z_]\w*\s*(?:final\s*)?[:{{]")
    for word in ("struct", "class", "union")
)
"""Match a macro such as `ALIGN(16)` between `struct` and the name, which the grammar takes for a function."""
_CONSTRUCTOR_MACROS = re.compile(
    r"\n[ \t]*((?:[A-Z][A-Z\d_]+[ \t]+)+)(?:(?:explicit|inline|constexpr)\s+)*[A-Za-z_]\w*\s*\("
)
"""Matches macros such as `HOST_DEVICE` in front of what may be a constructor, which begin a line behind another one."""
_OUTSIDE_CONSTRUCTORS = re.compile(
    r"\n[ \t]*(?P<macro>(?:[A-Z][A-Z0-9_]+[ \t]+)+)(?:inline\s+)?([A-Za-z_]\w*)(?:\s*<[^;{}()]*>)?\s*::\s*\2\s*\("
)
"""Matches any macro in front of a constructor outside of its class: `APP_HD Box::Box() : n(0) {}`."""
_OWN_MACROS = re.compile(r"^HIPPORT_(?:VECTOR|NUMBER)_[A-Z_]+\([^()\n;]*\)", re.MULTILINE)
"""Matches lines of earlier translations, such as `HIPPORT_NUMBER_OP_VECTOR(float3, *, float)`."""
_LAMBDA_MACROS = re.compile(r"\][ \t]*((?:[A-Za-z_]\w*[ \t]+)*[A-Za-z_]\w*)[ \t]*(?=\()")
"""Matches macros such as `DEV` between the captures and the parameters of what may be a lambda: `[=] DEV(int x) {}`."""
_BEFORE_LAMBDAS = ("return", *"(,={};&|?:")
_STATEMENTS = re.compile(r";\s*\)")
"""Matches the end of an argument that is a statement, as in `ON_DEVICE(( return 1; ))`, or that of `for (;;)`."""
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\Z")
_FARTHEST = 100
"""Characters in front of a bracket in which the name of a macro is looked for."""
_INITIALIZERS = re.compile(r"\s*(?:noexcept\s*)?:(?!:)")
_BEHIND_PARAMETERS = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)")


class LaunchBrackets(Struct, frozen=True):
    """The ranges of the `<<<`, the `>>>` and the argument list's parentheses of one kernel launch."""

    open: Span
    close: Span
    arguments: Span


def launch_brackets(code: str) -> tuple[LaunchBrackets, ...]:
    """Return all kernel launches of lexed code, including `<< <` and `>> >` as split by editors."""
    found = (_complete(code, opening) for opening in openings(code))
    return tuple(launch for launch in found if launch is not None)


def openings(code: str) -> Iterator[Span]:
    """Yield each `<<<` of lexed code."""
    return (Span(*match.span()) for match in _OPEN.finditer(code) if not _is_operator(code, match.start()))


def _is_operator(code: str, position: int) -> bool:
    """Return whether this is the `operator<< <` of a template."""
    end = skip_blanks_back(code, position)
    return code[max(0, end - 8) : end] == "operator"


def _complete(code: str, opening: Span) -> LaunchBrackets | None:
    """Return the launch that opens here: its `>>>` is outside all brackets, before a `(` and any other `<<<`."""
    position = opening.end
    while match := _CLOSE_OR_BRACKET.search(code, position):
        token, position = match[0], match.end()
        if token in "([{":
            close = matching_close(code, match.start())
            if close is None:
                return None
            position = close + 1
        elif token[0] != ">":
            return None
        else:
            parenthesis = skip_blanks(code, match.end())
            if code[parenthesis : parenthesis + 1] != "(":
                continue
            end = matching_close(code, parenthesis)
            if end is None:
                return None
            return LaunchBrackets(opening, Span(match.start(), match.end()), Span(parenthesis, end + 1))
    return None


class Shadow(Struct, frozen=True, dict=True):
    """The text the parser sees instead of the source, built on first use.

    `device_words` are the ranges of `__global__` and the like, `patches` the replacements made in the code.
    """

    code: str
    lines: tuple[Directive, ...]
    launches: tuple[LaunchBrackets, ...]
    device_words: tuple[Span, ...]
    patches: tuple[tuple[Span, str], ...]

    @cached_property
    def text(self) -> str:
        """The whole shadow, preprocessor lines included."""
        return _patch(self.code, [*self.patches, *_joined(self.code, self.lines)])

    @cached_property
    def main(self) -> str:
        """The shadow with the preprocessor lines blanked."""
        text = self.text
        return _patch(text, [(line.span, blank(text[line.span.start : line.span.end])) for line in self.lines])


def make_shadow(code: str, lines: tuple[Directive, ...]) -> Shadow:
    """Build the shadow of lexed code; `lines` are its preprocessor lines."""
    launches = launch_brackets(code) if "<<" in code else ()
    patches = list(_launch_patches(launches))
    device_words = []
    for match in words.PATTERN.finditer(code) if "__" in code else ():
        span = Span(match.start(), match.end())
        if match[0] in words.DEVICE_WORDS:
            device_words.append(span)
        elif match[1]:
            close = matching_close(code, match.end())
            span = Span(span.start, span.end if close is None else close + 1)
        patches.append((span, blank(code[span.start : span.end])))
    patches += ((span, blank(code[span.start : span.end])) for span in _macros(code))
    patches += _statement_patches(code)
    return Shadow(code, lines, launches, tuple(device_words), tuple(patches))


def _macros(code: str) -> Iterator[Span]:
    """Yield macros that the grammar takes for something else: those of classes, and in front of constructors.

    It reads `HD Box(int n) : n(n) {}` as a bit-field of the type `HD`, and loses the class around it.
    """
    for match in (each for pattern in _CLASS_ATTRIBUTES for each in pattern.finditer(code)):
        yield Span(match.start(1), match.end(1))
    for match in _CONSTRUCTOR_MACROS.finditer(code) if _BEHIND_PARAMETERS.search(code) else ():
        close = matching_close(code, match.end() - 1)
        if close is not None and _INITIALIZERS.match(code, close + 1):
            yield Span(match.start(1), match.end(1))
    yield from (Span(*match.span(1)) for match in _LAMBDA_MACROS.finditer(code) if _is_lambda(code, match.start()))
    if "\nHIPPORT_" in code:
        yield from (Span(*match.span()) for match in _OWN_MACROS.finditer(code))
    if "::" in code:
        yield from (Span(each.start("macro"), each.end("macro")) for each in _OUTSIDE_CONSTRUCTORS.finditer(code))


def _statement_patches(code: str) -> Iterator[tuple[Span, str]]:
    """Write macros whose argument is statements in double brackets as blocks: the grammar loses the function around."""
    for match in _STATEMENTS.finditer(code):
        close = match.end() - 1
        after = skip_blanks(code, close + 1)
        opening = matching_open(code, close) if code[after : after + 1] == ")" else None
        outer = skip_blanks_back(code, opening) - 1 if opening is not None else -1
        called = _CALLED.search(code, max(0, outer - _FARTHEST), outer) if code[outer : outer + 1] == "(" else None
        if opening is not None and called is not None:
            yield Span(called.start(), opening + 1), blank(code[called.start() : opening]) + "{"
            yield Span(close, after + 1), "}" + blank(code[close + 1 : after + 1])


def _is_lambda(code: str, close: int) -> bool:
    """Return whether a closing bracket ends the captures of a lambda, and no attribute: `[[nodiscard]] int get();`."""
    opening = matching_open(code, close)
    if opening is None or code.startswith("[[", opening):
        return False
    return code.endswith(_BEFORE_LAMBDAS, 0, skip_blanks_back(code, opening))


def _joined(code: str, lines: tuple[Directive, ...]) -> Iterator[tuple[Span, str]]:
    for line in lines:
        for match in _CONTINUATION.finditer(code, line.span.start, line.span.end):
            yield Span(match.start(), match.end()), " "


def _launch_patches(launches: tuple[LaunchBrackets, ...]) -> Iterator[tuple[Span, str]]:
    for launch in launches:
        yield launch.open, "(".rjust(launch.open.end - launch.open.start)
        yield launch.close, ")".ljust(launch.close.end - launch.close.start)


def _patch(text: str, patches: list[tuple[Span, str]]) -> str:
    """Apply the replacements; of two that overlap, the first is applied."""
    pieces: list[str] = []
    done = 0
    for span, replacement in sorted(patches, key=lambda patch: patch[0].start):
        if span.start >= done:
            pieces += (text[done : span.start], replacement)
            done = span.end
    pieces.append(text[done:])
    return "".join(pieces)
