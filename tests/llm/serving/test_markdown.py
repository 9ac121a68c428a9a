"""HTML from Markdown has only known elements and attributes, whatever the text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.errors import HipportError
from hipport.llm.serving.app import Settings
from hipport.llm.serving.markdown import html_of
from hipport.llm.serving.rendering import Markdown
from tests.llm.serving.conftest import StartSite

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


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.booleans())
def test_elements_are_known(text: str, colors: bool) -> None:
    found = Elements()
    found.feed(html_of(text, colors=colors))
    found.close()
    assert found.wrong == []


def test_languages() -> None:
    assert '<span class="kr">__global__</span>' in html_of("```hip\n__global__\n```")
    assert "<code>__global__\n</code>" in html_of("```hip\n__global__\n```", colors=False)
    assert "<span>nonsense</span>" in html_of("```nonsense\nx\n```")
    assert "<span>c++</span>" in html_of("```c++ title=x\nint x;\n```")
    assert "<span>code</span>" in html_of("    x")


def test_cells_are_aligned_without_inline_style() -> None:
    assert '<td class="center">2</td>' in html_of("|a|b|\n|-|:-:|\n|1|2|")


def test_the_endpoint(start_site: StartSite) -> None:
    with start_site(Settings(key="secret", body=2000)).client() as http:
        assert http.post("/page/markdown", json={"text": "*a*"}).status_code == 401
        http.headers["authorization"] = "Bearer secret"
        assert http.post("/page/markdown", json={"text": "*a*"}).json() == {"html": "<p><em>a</em></p>\n"}
        assert http.post("/page/markdown", json={"text": 1}).status_code == 400
        assert (
            http.post("/page/markdown", json={"text": "a", "b": 1}).json()["error"]["message"] == "b: unknown parameter"
        )
        assert http.post("/page/markdown", json={"text": "a" * 3000}).status_code == 413


def test_text_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(HipportError, match="takes too long"):
        Markdown(0.001).html("a")
    asked = []

    class Slow:
        def ask(self, request: dict[str, Any]) -> dict[str, str]:
            asked.append(request["colors"])
            return {"kind": "time"} if request["colors"] else {"html": "plain"}

    markdown = Markdown()
    monkeypatch.setattr(markdown, "_worker", Slow())
    assert markdown.html("a") == "plain"
    assert asked == [True, False]
