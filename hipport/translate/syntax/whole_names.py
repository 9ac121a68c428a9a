"""Names and launch brackets that a backslash and a line end split: `cuda\\`, and `Malloc` on the next line."""

from __future__ import annotations

from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.source import SourceFile
from hipport.translate.syntax.lexer import Lexed

_SPLIT = re.compile(
    r"(?<![\w$])[A-Za-z_$][\w$]*(?:\\\r?\n[\w$]+)+"
    r"|(?P<sign>[<>])(?:(?:\\\r?\n)+(?P=sign)(?:\\\r?\n)*|(?P=sign)(?:\\\r?\n)+)(?P=sign)"
)
_MAY_SPLIT = re.compile(r"\\\r?\n[\w$<>\\]")
_JOINT = re.compile(rb"\\\r?\n")


def with_whole_names(source: SourceFile, lexed: Lexed) -> SourceFile:
    """Return the source with such names in one piece and the line ends behind them; the same object without any.

    Length and number of lines stay. Comments and literals are left alone.
    """
    if _MAY_SPLIT.search(lexed.code) is None:
        return source
    text, done, pieces = source.text, 0, list[bytes]()
    for match in _SPLIT.finditer(lexed.code):
        written = text[match.start() : match.end()]
        pieces += (text[done : match.start()], _JOINT.sub(b"", written), *_JOINT.findall(written))
        done = match.end()
    return replace(source, text=b"".join((*pieces, text[done:]))) if pieces else source
