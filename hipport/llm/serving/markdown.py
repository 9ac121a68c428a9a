"""Render Markdown of a model as HTML that runs nothing and loads nothing."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

_WEB = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_LARGEST = 200_000
"""Characters of a code block above which it has no colors."""
_SPELLINGS = {"hip": "cuda", "cu": "cuda"}


def html_of(text: str, *, colors: bool = True) -> str:
    """Return the HTML of a message. HTML in it is shown as text, images are links; links lead to the web only.

    Tokens of code blocks have Pygments' CSS classes if `colors` and the block's language is known.
    """
    rendered: str = _Markdown(colors).render(text)
    return rendered


class _Markdown(MarkdownIt):
    """CommonMark with tables and strikethrough, and without HTML."""

    def __init__(self, colors: bool) -> None:
        super().__init__("commonmark", {"html": False}, renderer_cls=_Colored if colors else _Plain)
        self.enable(["table", "strikethrough"])

    def validateLink(self, url: str) -> bool:
        """Return whether a link leads to the web; others stay text."""
        return bool(_WEB.match(url.strip()))


def _link(target: str | int | float | None) -> str:
    """Return the start of a link; one to nowhere, as in `[a]()`, would lead to the page itself."""
    if not target:
        return "<a>"
    return f'<a href="{escape(str(target))}" target="_blank" rel="noopener noreferrer nofollow">'


class _Plain(RendererHTML):
    """Code blocks with their language and a button, links that open beside the page."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        """Return a code block."""
        found = _LANGUAGE.match(tokens[idx].info.strip())
        language = found[0] if found else ""
        button = '<button type="button" class="copy" aria-label="Copy code">Copy</button>'
        head = f"<figcaption><span>{escape(language) or 'code'}</span>{button}</figcaption>"
        code = self.code(tokens[idx].content, language)
        return f'<figure class="code">{head}<pre tabindex="0"><code>{code}</code></pre></figure>\n'

    code_block = fence

    def code(self, text: str, language: str) -> str:
        """Return the HTML of code."""
        return escape(text)

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        """Return the start of a link."""
        return _link(tokens[idx].attrGet("href"))

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        """Return a link to an image: loading it would tell its server about the conversation."""
        return f"{_link(tokens[idx].attrGet('src'))}{escape(tokens[idx].content or 'image')}</a>"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        """Return the start of a cell, aligned by a class: the page allows no inline style."""
        style = str(tokens[idx].attrGet("style") or "")
        return f'<{tokens[idx].tag} class="{style.removeprefix("text-align:") or "left"}">'

    td_open = th_open

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        """Return the start of a table, which scrolls if it is wider than the page."""
        return '<div class="table" tabindex="0"><table>\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        """Return the end of a table."""
        return "</table></div>\n"


class _Colored(_Plain):
    """Code blocks with syntax in color."""

    def code(self, text: str, language: str) -> str:
        """Return the HTML of code, without colors if its language is unknown."""
        from pygments import highlight
        from pygments.formatters.html import HtmlFormatter
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound

        name = language.lower()
        if not name or len(text) > _LARGEST:
            return escape(text)
        try:
            lexer = get_lexer_by_name(_SPELLINGS.get(name, name), stripnl=False, ensurenl=False)
        except ClassNotFound:
            return escape(text)
        colored: str = highlight(text, lexer, HtmlFormatter(nowrap=True))
        return colored
