"""HTML from Markdown has only known elements and attributes, whatever the text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.errors import HipportError
from hipport.llm.serving.app import Settings
from hipport.llm.serving.markdown import html_of
from hipport.llm.serving.rendering import Markdown
from tests.llm.serving.conftest import StartSite
from tests.llm.serving.hostile import PIECES, Elements


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
