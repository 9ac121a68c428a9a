"""The text that the tables have for the name under the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.audit.query import HEADER, Answer, Index
from hipport.audit.query_text import chosen_name, facts
from hipport.lsp.text import Text
from hipport.mappings.choice import NameChoice
from hipport.translate.syntax.lexer import lex

_QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_INCLUDE = re.compile(r'[ \t]*#[ \t]*include(?:_next)?[ \t]*[<"]([^>"\n]+)[>"]')


@dataclass(frozen=True, slots=True)
class Explained:
    """Markdown about the name between two offsets."""

    start: int
    end: int
    markdown: str


def index_for(names: NameChoice) -> Index:
    """Return the tables to look names up in, with a project's own. Takes about a second. Raises HipportError."""
    from hipport.audit.evidence import newest
    from hipport.audit.sources import all_libraries
    from hipport.mappings.loader import load_choice
    from hipport.mappings.overlays import read_overlays

    own = read_overlays(names.overlays).libraries
    return Index([*own, *all_libraries()], load_choice(names), newest("cuda").header_of)


def explain(text: Text, offset: int, index: Index) -> Explained | None:
    """Explain the CUDA name or header at an offset; None in comments and literals, and for names not in the tables."""
    start = text.content.rfind("\n", 0, offset) + 1
    end = text.content.find("\n", offset)
    line = text.content[start : end if end >= 0 else None]
    for first, last, name, is_header in _names(line, offset - start):
        answers = [answer for answer in index.find(name) if (answer.kind == HEADER) is is_header]
        if is_header and not answers:
            pattern = index.tables.headers.get(name)  # tables have whole folders of headers in one entry
            if pattern is not None and pattern.hip:
                return Explained(start + first, start + last, f"**`{name}` → `{pattern.hip}`** (header)")
        if answers and (is_header or _is_code(text, start + first)):
            return Explained(
                start + first, start + last, "\n\n---\n\n".join(_markdown(each, index) for each in answers)
            )
    return None


def _names(line: str, at: int) -> Iterator[tuple[int, int, str, bool]]:
    """Yield what may be meant at a column, as (start, end, name, whether it is a header): the longest name first."""
    include = _INCLUDE.match(line)
    if include is not None:
        if include.start(1) <= at <= include.end(1):
            yield include.start(1), include.end(1), include[1], True
        return
    for match in _QUALIFIED.finditer(line):
        if match.start() <= at <= match.end():
            ends = [
                index for index in range(match.start(), match.end() + 1) if index >= at and _ends(line, index, match)
            ]
            if ends:
                whole = line[match.start() : ends[0]]
                yield match.start(), ends[0], whole, False
                last = whole.rpartition("::")[2]
                if last != whole:
                    yield ends[0] - len(last), ends[0], last, False
            return


def _ends(line: str, index: int, match: re.Match[str]) -> bool:
    """Return whether a component of a qualified name ends at an index."""
    return index == match.end() or (line[index] == ":" and line[index - 1] != ":")


def _is_code(text: Text, offset: int) -> bool:
    """Return whether an offset is outside of comments and literals."""
    lexed = lex(text.data.decode("latin-1"))
    at = len(text.content[:offset].encode("utf-8", "replace"))
    return lexed.code[at : at + 1] == text.content[offset : offset + 1]


def _markdown(answer: Answer, index: Index) -> str:
    rocm = index.tables.releases.rocm
    becomes = chosen_name(answer) if answer.row.hip or answer.row.roc else ""
    title = f"`{answer.row.name}`" + (f" → `{becomes}`" if becomes and not becomes.startswith("nothing") else "")
    lines = [f"**{title}** ({answer.kind}, {answer.library})", ""]
    lines += [f"- {label}: {_escaped(fact)}" for label, fact in facts(answer, rocm)]
    return "\n".join(lines)


def _escaped(fact: str) -> str:
    return re.sub(r"([\\*_<>\[\]`|])", r"\\\1", fact)
