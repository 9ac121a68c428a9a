"""Render the pages of the diagnostics in an HTML report, which is read where the documentation is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from html import escape
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hipport.report.pages import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token


def page_sections(codes: Iterable[str]) -> Iterator[str]:
    """Yield a section for each code that has a page; its id is the code."""
    known = sorted(set(codes))
    for code in known:
        found = page(code)
        if found is not None:
            title = f"<b>{code}</b>: {escape(found.title)}"
            text = _rendered(found.text, frozenset(known))
            yield f'<details class=page id="{code}"><summary>{title}</summary>{text}</details>'


def _rendered(text: str, codes: Set[str]) -> str:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        token.children = _relinked(token.children, codes) if token.children else token.children
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html


def _relinked(tokens: Sequence[Token], codes: Set[str]) -> list[Token]:
    """Return inline tokens whose links lead to pages in the report, or to the web; others are only text."""
    kept: list[Token] = []
    opened: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrGet("href") or ""), codes)
            opened.append(target is not None)
            if target is not None:
                token.attrSet("href", target)
        if token.type not in ("link_open", "link_close") or (opened and opened[-1]):
            kept.append(token)
        if token.type == "link_close" and opened:
            opened.pop()
    return kept


def _target(link: str, codes: Set[str]) -> str | None:
    if link.startswith("https://"):
        return link
    code = PurePosixPath(link.partition("#")[0]).stem
    return f"#{code}" if code in codes else None
