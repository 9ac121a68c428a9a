"""A small lexer: finds comments, strings and preprocessor lines so that nothing inside them is mistaken for code.

Text is handled as `str` decoded from Latin-1, in which one character is one byte: offsets are byte offsets.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span

# Every alternative starts with one of a few characters, which lets the regular expression engine skip quickly;
# look-behinds then dispatch on the character that was found. A quote after a digit or letter separates digits.
_OPAQUE = re.compile(
    r"""[/"'\#](?:
      (?<=/)(?: (?P<line>/[^\n\\]*(?:\\(?:\r?\n)?[^\n\\]*)*)
              | (?P<block>\*[^*]*\*+(?:[^/*][^*]*\*+)*/ | \*[\s\S]*) )
    | (?<=")(?: (?:(?<=\bR")|(?<=\b[uUL]R")|(?<=\bu8R"))(?P<delimiter>[^()\\\s]{0,16})\(
                  (?P<raw>[\s\S]*?)(?:\)(?P=delimiter)"|\Z)
              | (?P<string>[^"\\\n]*(?:\\(?:\r\n|[\s\S])[^"\\\n]*)*)(?:"|(?=\n)|\Z) )
    | (?<=')(?:(?<!\w')|(?<=\b[uUL]')|(?<=\bu8')|(?<=\bcase')|(?<=\breturn'))
            (?P<char>[^'\\\n]*(?:\\[^\n][^'\\\n]*)*)(?:'|(?=\n)|\Z)
    | (?<=\#)[ \t]*(?: (?:include(?:_next)?|import)[ \t]*<(?P<include>[^>\n]*)>
                     | (?:error|warning)\b(?P<message>[^\n]*) )
    )""",
    re.VERBOSE,
)
_NOT_NEWLINES = re.compile(r"[^\r\n]+")
_ASCII = dict.fromkeys(range(128, 256), "_")


class Lexed(Struct, frozen=True):
    """Lexed text: `code` is the text with comments, the contents of literals and message lines blanked, same offsets.

    `comments` are the ranges of comments. A quoted `#include` operand is blanked like a string literal. Digraphs
    such as `<:` are replaced.
    """

    code: str
    comments: tuple[Span, ...]


def blank(text: str) -> str:
    """Return spaces of the same length, keeping line ends."""
    if "\n" not in text and "\r" not in text:
        return " " * len(text)
    return _NOT_NEWLINES.sub(lambda run: " " * len(run[0]), text)


def _fill(text: str) -> str:
    """Return underscores of the same length, so that a literal stays one literal; newlines are replaced as well."""
    return "_" * len(text)


def lex(text: str) -> Lexed:
    """Blank everything that is not code. Accepts any text; unclosed constructs end at the end of their line or file."""
    pieces: list[str] = []
    comments: list[Span] = []
    done = 0
    for match in _OPAQUE.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        if kind in ("line", "block"):
            start, end = match.span()
            comments.append(Span(start, end))
            filler = blank(match[0])
        else:
            start, end = match.span(kind)
            filler = blank(match[kind]) if kind == "message" else _fill(match[kind])
        pieces += (text[done:start], filler)
        done = end
    pieces.append(text[done:])
    return Lexed(_without_digraphs("".join(pieces).translate(_ASCII)), tuple(comments))


_DIGRAPH = re.compile(r"<:(?!:[^:>])|:>|<%|%>|%:")
_MEANT = {"<:": "[ ", ":>": " ]", "<%": "{ ", "%>": " }", "%:": "# "}


def _without_digraphs(code: str) -> str:
    """Replace `<:`, `:>`, `<%`, `%>` and `%:` by what they mean and a blank; `<::x` is none."""
    if not any(digraph in code for digraph in _MEANT):
        return code
    return _DIGRAPH.sub(lambda match: _MEANT[match[0]], code)


def with_brackets(text: str) -> str:
    """Replace the digraphs of a text by what they mean, but not those in literals and comments."""
    if not any(digraph in text for digraph in _MEANT):
        return text
    code = lex(text).code
    return _DIGRAPH.sub(
        lambda match: _MEANT[match[0]] if code[match.start() : match.end()] == _MEANT[match[0]] else match[0], text
    )


class DirectiveKind(enum.Enum):
    """The preprocessor directives that matter to a translation."""

    INCLUDE = "include"
    DEFINE = "define"
    CONDITION = "condition"
    OTHER = "other"


Branch = tuple[tuple[int, int], ...]
"""A path of conditional branches: a pair of condition number and branch number for each level."""
_DEEPEST = 100
"""Limit on nested conditions that are told apart."""


class Directive(Struct, frozen=True):
    """A preprocessor line with its continuations.

    `word` is the directive's name, `body` the range of what follows it (for a `#define`: what follows the macro's name
    and parameters, whose name is `name`). `branch` is where the line is, `after` where the code behind it is.
    """

    kind: DirectiveKind
    word: str
    span: Span
    body: Span
    name: str
    branch: Branch
    after: Branch


def encloses(outer: Branch, inner: Branch) -> bool:
    """Return whether code in the inner branch is in the outer one, too."""
    return inner[: len(outer)] == outer


_PARAMETER = re.compile(r"\w+")


def parameters(head: str) -> list[str]:
    """Return the names of a macro's parameters; `...` is `__VA_ARGS__`."""
    listed = head.partition("(")[2]
    return _PARAMETER.findall(listed) + (["__VA_ARGS__"] if re.search(r"(?:\(|,)\s*\.\.\.", f"({listed}") else [])


_DIRECTIVE = re.compile(r"[ \t]*(\#[ \t]*([A-Za-z_]+))[^\n\\]*(?:\\(?:\r?\n)?[^\n\\]*)*")
_MACRO = re.compile(r"\s*(?:\\\r?\n\s*)*([A-Za-z_$][\w$]*)(\([^()]*\))?")
_KINDS = {
    "include": DirectiveKind.INCLUDE,
    "include_next": DirectiveKind.INCLUDE,
    "import": DirectiveKind.INCLUDE,
    "define": DirectiveKind.DEFINE,
    **dict.fromkeys(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"), DirectiveKind.CONDITION),
}


def _directive_lines(code: str) -> Iterator[re.Match[str]]:
    """Yield a match for each line that begins with `#`.

    Searching for the sign is faster than trying an expression on every line.
    """
    line = 0
    while (sign := code.find("#", line)) >= 0:
        start = max(line, code.rfind("\n", line, sign) + 1)
        match = _DIRECTIVE.match(code, start) if not code[start:sign].strip(" \t") else None
        if match is not None:
            yield match
        line = code.find("\n", match.end() if match is not None else sign) + 1
        if not line:
            return


def directives(code: str) -> Iterator[Directive]:
    """Yield the preprocessor lines of lexed code, in order."""
    branch: list[tuple[int, int]] = []
    for number, match in enumerate(_directive_lines(code)):
        word = match[2]
        if word == "endif" and branch:
            branch.pop()
        elif word.startswith("el") and branch:
            branch[-1] = (branch[-1][0], branch[-1][1] + 1)
        kind = _KINDS.get(word, DirectiveKind.OTHER)
        start, end = match.end(1), match.end()
        name = ""
        if kind is DirectiveKind.DEFINE and (macro := _MACRO.match(code, start, end)):
            name, start = macro[1], macro.end()
        path = tuple(branch[: min(_DEEPEST, len(branch) - word.startswith("el"))])
        if word.startswith("if"):
            branch.append((number, 0))
        after = tuple(branch[:_DEEPEST])
        yield Directive(kind, word, Span(match.start(), match.end()), Span(start, end), name, path, after)
