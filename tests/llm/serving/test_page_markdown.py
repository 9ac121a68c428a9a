"""Markdown on the chat page: what models write is shown, copied, and never run."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.llm.serving.browsing import ask, click, clipboard
from tests.llm.serving.conftest import StartSite
from tests.llm.serving.hostile import HOSTILE

pytestmark = pytest.mark.slow
CODE = '__global__ void f(int* a) {\n\ta[threadIdx.x] = 1;  // "<b>"\n}\n'
ANSWER = f"""## Title

Some **bold** text with `inline code` and a [link](https://example.org/?a=1&b=2).

```cuda
{CODE}```

| a | b |
|---|--:|
| 1 | 2 |

1. one
2. two
"""


def test_markdown_and_code_are_rendered(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers={"one": ANSWER}, positions=1024).url)
    ask(page, "one")
    text = page.locator("article.assistant .text")
    expect(text.get_by_role("heading", name="Title")).to_be_visible()
    expect(text.locator("strong")).to_have_text("bold")
    expect(text.locator("p code")).to_have_text("inline code")
    expect(text.get_by_role("link")).to_have_attribute("href", "https://example.org/?a=1&b=2")
    expect(text.get_by_role("link")).to_have_attribute("rel", "noopener noreferrer nofollow")
    expect(text.get_by_role("cell").last).to_have_css("text-align", "right")
    expect(text.locator("ol > li")).to_have_text(["one", "two"])
    expect(text.locator("figcaption")).to_contain_text("cuda")
    assert text.locator("pre").text_content() == CODE
    keyword = text.locator("pre .kr")
    expect(keyword).to_have_text("__global__")
    assert keyword.evaluate("e => getComputedStyle(e).color") != text.evaluate("e => getComputedStyle(e).color")


def test_a_code_block_is_copied(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers={"one": ANSWER}, positions=1024).url)
    ask(page, "one")
    click(page, "Copy code")
    expect(page.locator("figure .copy")).to_have_text("Copied")
    assert clipboard(page) == CODE
    expect(page.locator("figure .copy")).to_have_text("Copy")


def test_an_answer_is_rendered_while_it_is_written(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers={"one": "**bold**\n\n" + "word " * 60}, seconds=0.02).url)
    ask(page, "one", waits=False)
    expect(page.locator("article.assistant strong")).to_have_text("bold")
    first = page.locator("article.assistant strong").element_handle()
    assert page.get_by_role("button", name="Stop").is_visible()
    expect(page.locator("article.assistant .text")).to_contain_text("word word word")
    assert first.evaluate("e => e.isConnected"), "what has not changed is not replaced: it may be selected"


def test_questions_are_as_typed_unless_they_have_code_blocks(start_site: StartSite, page: Page) -> None:
    page.goto(start_site().url)
    ask(page, "a *b* __init__\n    c")
    expect(page.locator("article.user .text").first).to_have_text("a *b* __init__\n    c", use_inner_text=True)
    ask(page, "Why?\n```c\nint x;\n```")
    expect(page.locator("article.user pre")).to_have_text("int x;\n")


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_that_a_model_writes_is_run(start_site: StartSite, page: Page, kind: str) -> None:
    page.goto(start_site(answers={"one": HOSTILE[kind]}, positions=1024).url)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    ask(page, "one")
    text = page.locator("article.assistant .text:not(.plain)")
    expect(text).not_to_be_empty()
    tags = set(text.evaluate("e => [...e.querySelectorAll('*')].map(each => each.localName)"))
    assert tags <= {"p", "a", "figure", "figcaption", "span", "button", "pre", "code", "br"}
    names = set(text.evaluate("e => [...e.querySelectorAll('*')].flatMap(each => each.getAttributeNames())"))
    assert names <= {"class", "href", "target", "rel", "tabindex", "type", "aria-label"}
    assert all(
        link.startswith("https://")
        for link in text.evaluate("e => [...e.querySelectorAll('a[href]')].map(a => a.href)")
    )
    for place in text.locator("a, pre").all():
        place.hover()
    assert page.evaluate("window.pwned ?? null") is None
    assert all(url.startswith(page.url) for url in asked)


def test_nothing_in_questions_titles_and_errors_is_run(start_site: StartSite, page: Page) -> None:
    page.goto(start_site().url)
    ask(page, HOSTILE["image"] + "\n" + HOSTILE["fence"])
    page.route(
        "**/v1/chat/completions", lambda route: route.fulfill(status=500, json={"error": {"message": HOSTILE["image"]}})
    )
    ask(page, HOSTILE["script"])
    expect(page.locator("article .error")).to_have_text(HOSTILE["image"])
    page.reload()
    expect(page.locator("#chats .title")).to_have_text(HOSTILE["image"])
    expect(page.locator("article.user pre")).to_be_visible()
    assert page.locator("main img, main script, nav img").count() == 0
    assert page.evaluate("window.pwned ?? null") is None


def test_the_policy_stops_html_that_is_not_escaped(start_site: StartSite, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(start_site().url)
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.evaluate("html => { document.querySelector('#messages').innerHTML = html }", "".join(HOSTILE.values()))
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'pwned = 1'}))")
    page.wait_for_timeout(300)
    assert page.evaluate("window.pwned ?? null") is None
    assert any("Content Security Policy" in text for text in refused)
    page.close()


def test_text_that_cannot_be_rendered_is_shown_as_it_is(start_site: StartSite, page: Page) -> None:
    page.route("**/page/markdown", lambda route: route.fulfill(status=503, json={"error": {"message": "too slow"}}))
    page.goto(start_site(answers={"one": "**bold** <b>"}).url)
    ask(page, "one")
    expect(page.locator("article.assistant .text")).to_have_text("**bold** <b>")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1400])
def test_all_of_an_answer_is_seen_at_any_width(
    start_site: StartSite, browser: Browser, width: int, scheme: Literal["light", "dark"]
) -> None:
    headings = "".join(f"{'#' * level} Level {level}\n\nText {level}.\n\n" for level in range(1, 7))
    site = start_site(answers={"all": f"{headings}{ANSWER}\n> quoted\n\n---\n\n- a\n  - b\n"}, positions=2048)
    context = browser.new_context(viewport={"width": width, "height": 700}, color_scheme=scheme)
    page = context.new_page()
    page.goto(site.url)
    ask(page, "all")
    text = page.locator("article.assistant .text")
    expect(text).to_contain_text("Level 6")
    seen = "element => element.getClientRects().length > 0"
    hidden = text.evaluate(f"text => [...text.querySelectorAll('*')].filter(e => !({seen})(e)).map(e => e.tagName)")
    assert hidden == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    context.close()
