"""The chat page in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from hipport.llm.serving.app import Settings
from tests.llm.serving.conftest import StartSite
from tests.llm.serving.fake import DEVICE_LOST

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page; the test fails if it logs an error."""
    said: list[str] = []
    opened = browser.new_page()
    opened.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: said.append(str(error)))
    yield opened
    opened.close()
    assert [text for text in said if "status of" not in text] == []


def ask(page: Page, question: str) -> None:
    page.get_by_label("Message").fill(question)
    page.get_by_label("Message").press("Enter")


def test_a_conversation(start_site: StartSite, page: Page) -> None:
    page.goto(start_site().url)
    expect(page.get_by_role("status")).to_have_text("fake")
    page.get_by_text("Settings").click()
    page.get_by_label("System prompt").fill("Be brief.")
    page.get_by_label("Tokens at most").fill("12")
    ask(page, "<b>Hello</b>\n你好")
    expect(page.locator("article.user p")).to_have_text("<b>Hello</b>\n你好")
    expect(page.locator("article.assistant p").first).to_have_text(re.compile("^[A-Z]{1,12}$"))
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    with page.expect_request("**/v1/chat/completions") as request:
        ask(page, "More")
    sent = request.value.post_data_json
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "user"]
    assert sent["max_completion_tokens"] == 12
    expect(page.locator("article.assistant p").nth(1)).not_to_be_empty()


def test_an_answer_can_be_stopped(start_site: StartSite, page: Page) -> None:
    site = start_site(seconds=0.05)
    page.goto(site.url)
    ask(page, "Hello")
    expect(page.locator("article.assistant p").first).not_to_be_empty()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("article.assistant .note")).to_have_text("stopped")
    assert site.idle()
    expect(page.get_by_label("Message")).to_be_focused()
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("article")).to_have_count(0)


def test_a_key_is_asked_for(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(Settings(key="secret")).url)
    expect(page.get_by_role("status")).to_contain_text("this server needs a key")
    page.get_by_label("Key").fill("secret")
    page.get_by_label("Key").press("Tab")
    expect(page.get_by_role("status")).to_have_text("fake")


def test_errors_are_shown(start_site: StartSite, page: Page) -> None:
    site = start_site()
    page.goto(site.url)
    site.engine.broken = DEVICE_LOST
    ask(page, "Hello")
    expect(page.locator("article.assistant .error")).to_contain_text("it is lost")
    site.engine.broken = None
    page.get_by_text("Settings").click()
    page.get_by_label("Tokens at most").fill("5000")
    ask(page, "Hello again")
    expect(page.locator("article.assistant .error").last).to_contain_text("an answer of up to 5000")
