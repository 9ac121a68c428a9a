"""Texts that try to be run on the chat page, and the elements that its HTML may have."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

HOSTILE = {
    "image": '<img src=x onerror="window.pwned=1">',
    "script": "<script>window.pwned=1</script>",
    "svg": "<svg/onload=window.pwned=1>\n\n<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "link": "[a](javascript:window.pwned=1) [b](JaVaScRiPt:window.pwned=1) [c](&#106;avascript:window.pwned=1)",
    "other links": "[a](data:text/html,<script>1</script>) [b](vbscript:x) [c](//evil.example) [d](/v1/models) <file:///x>",
    "nowhere": "[a]() ![b]() [c](<>) [d]\n\n[d]: <>",
    "quotes": '[a](https://x.example/"onmouseover="window.pwned=1) ![b"onerror="x](https://x.example/i.png "t\\"t")',
    "reference": "[a]: javascript:window.pwned=1\n\n[a] [b][a]",
    "fence": "```html\n</code></pre><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\n```",
    "language": '```"><img/src=x/onerror=window.pwned=1>\nx\n```\n\n~~~ `<b onclick=1>`\ny\n~~~',
    "open fence": "```html\n<script>window.pwned=1</script>",
    "comment": "<!-- --><style>*{display:none}</style><form action=//evil.example><button>Send",
}
KNOWN = {
    "a": {"href", "target", "rel"},
    "button": {"type", "class", "aria-label"},
    "div": {"class", "tabindex"},
    "figure": {"class"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
}
BARE = {"blockquote", "br", "code", "em", "figcaption", "hr", "li", "p", "s", "strong"}
BARE |= {"table", "tbody", "thead", "tr", "ul", "h1", "h2", "h3", "h4", "h5", "h6"}
PIECES = [
    *(
        "<",
        ">",
        '"',
        "'",
        "&",
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "- ",
        "1. ",
        "> ",
        "# ",
        "|",
        "|-|",
        "---",
        "\\",
    ),
    *("[", "]", "(", ")", "![", "](", "]: ", "<a>", "<!--", "-->", "<script>", "</code>", "onerror=x", "&lt;", "&#60;"),
    *(
        "javascript:",
        "data:text/html,",
        "https://x.example/",
        "mailto:a@b",
        "html",
        "python",
        "*",
        "**",
        "~~",
        "a",
        " ",
    ),
]


class Elements(HTMLParser):
    """Collects elements that are not known."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[Any] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in BARE | set(KNOWN) or {name for name, _ in attrs} - KNOWN.get(tag, set()):
            self.wrong.append((tag, attrs))
        for name, value in attrs:
            if name == "href" and not (value or "").lower().startswith(("https://", "http://", "mailto:")):
                self.wrong.append((tag, attrs))

    def handle_comment(self, data: str) -> None:
        self.wrong.append(data)

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(decl)
