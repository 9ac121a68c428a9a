"""Self-contained HTML pages with one design: reports of translations, verifications and coverage."""

from __future__ import annotations

from html import escape
from pathlib import Path


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a page that loads nothing, with the common style, `style` below it, and `script` at the end.

    `title` is text; the other arguments are trusted: HTML, CSS and JavaScript.
    """
    common = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><title>{escape(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>\n{common}{style}</style>",
            "<noscript><style>.script { display: none !important }</style></noscript></head>",
            f"<body><main>\n{body}\n</main>",
            *([f"<script>\n{script}</script>"] if script else []),
            "</body></html>",
            "",
        ]
    )


def heading(title: str, facts: dict[str, str]) -> str:
    """Return the top of a page: its title, and the facts that are known, such as the command and the date."""
    known = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{_fact(name, value)}</dd></div>" for name, value in facts.items() if value
    )
    return f"<h1>{escape(title)}</h1>" + (f"<dl class=facts>{known}</dl>" if known else "")


def tile(value: str, name: str, kind: str = "") -> str:
    """Return a number with its name; `kind` colors it as an `error`, a `warning` or `done`."""
    return f'<div class="tile {kind}"><b>{escape(value)}</b><span>{escape(name)}</span></div>'


def _fact(name: str, value: str) -> str:
    return f"<code>{escape(value)}</code>" if name == "command" else escape(value)
