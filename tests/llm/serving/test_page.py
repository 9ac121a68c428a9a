"""The chat page in a browser: conversations, their history, and the states of the server."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from hipport.llm.runtime.opening import Listener
from hipport.llm.serving.app import Settings
from tests.llm.serving.browsing import ask, click, clipboard, expect_texts, set_fields
from tests.llm.serving.conftest import SEQUENCES, Site, StartSite
from tests.llm.serving.fake import DEVICE_LOST

pytestmark = pytest.mark.slow
ANSWERS = {"one": "The first.", "two": "The second.", "three": "The third.", "new": "Another."}


def test_a_conversation(start_site: StartSite, page: Page) -> None:
    page.goto(start_site().url)
    expect(page.get_by_role("status")).to_have_text("fake")
    set_fields(page, System_prompt="Be brief.", Tokens_at_most="12", Top_p="0.9")
    ask(page, "<b>Hello</b>\n你好")
    expect(page.locator("article.user .text")).to_have_text("<b>Hello</b>\n你好")
    expect(page.locator("article.assistant .text")).to_have_text(re.compile(r"^[A-Z]{1,12}\s*$"))
    with page.expect_request("**/v1/chat/completions") as request:
        ask(page, "More")
    sent = request.value.post_data_json
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "user"]
    assert (sent["max_completion_tokens"], sent["temperature"], sent["top_p"]) == (12, 0.7, 0.9)
    assert "seed" not in sent


def test_speed_and_context_are_shown(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers=ANSWERS, seconds=0.1).url)
    expect(page.get_by_text("Context: 0 of 512 tokens")).to_be_visible()
    ask(page, "one")
    written = len("The first.")
    speed = page.locator("article.assistant .speed")
    expect(speed).to_have_text(re.compile(rf"^{written} tokens · \d+\.\d tokens/s · first after \d\.\d+ s$"))
    rate = float(re.findall(r"([\d.]+) tokens/s", speed.inner_text())[0])
    assert 1 < rate <= 21  # twice that of the server, since a busy machine may deliver tokens together
    used = len("user: one\nassistant: ") + written
    expect(page.get_by_text(f"Context: {used} of 512 tokens")).to_be_visible()
    expect(page.get_by_role("meter")).to_have_js_property("value", used)
    page.reload()
    expect(page.get_by_text(f"Context: {used} of 512 tokens")).to_be_visible()


def test_an_answer_can_be_stopped(start_site: StartSite, page: Page) -> None:
    site = start_site(seconds=0.05)
    page.goto(site.url)
    for stop in (lambda: click(page, "Stop"), lambda: page.keyboard.press("Escape")):
        ask(page, "Hello", waits=False)
        expect(page.locator("article.assistant .text").last).not_to_be_empty()
        stop()
        expect(page.locator("article.assistant .note").last).to_have_text("stopped")
        assert site.idle()
        expect(page.get_by_label("Message", exact=True)).to_be_focused()
    click(page, "New conversation")
    expect(page.locator("article")).to_have_count(0)


def test_the_last_answer_is_regenerated(start_site: StartSite, page: Page) -> None:
    site = start_site(answers=ANSWERS)
    page.goto(site.url)
    ask(page, "one")
    ask(page, "two")
    expect(page.get_by_role("button", name="Regenerate")).to_have_count(1)
    site.engine.answers = {"two": "Better."}  # type: ignore[attr-defined]
    with page.expect_request("**/v1/chat/completions") as request:
        click(page, "Regenerate")
    assert [m["content"] for m in request.value.post_data_json["messages"]] == ["one", "The first.", "two"]
    expect(page.locator("article.assistant .text").last).to_have_text("Better.")
    expect_texts(page, ["one", "The first.", "two", "Better."])


def test_an_answer_that_cannot_be_regenerated_stays(start_site: StartSite, page: Page) -> None:
    site = start_site(answers=ANSWERS)
    page.goto(site.url)
    ask(page, "one")
    site.engine.broken = DEVICE_LOST
    click(page, "Regenerate")
    expect(page.locator("article.assistant .error")).to_contain_text("it is lost")
    expect(page.locator("article.assistant .text")).to_have_text("The first.")
    site.engine.broken = None
    click(page, "Try again")
    expect(page.locator("article.assistant .error")).to_have_count(0)


def test_an_earlier_question_is_edited(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers=ANSWERS).url)
    for question in ("one", "two", "three"):
        ask(page, question)
    page.get_by_role("button", name="Edit").nth(1).click()
    page.get_by_label("Edit message").press("Escape")
    expect(page.get_by_label("Edit message")).to_have_count(0)
    page.get_by_role("button", name="Edit").nth(1).click()
    expect(page.get_by_label("Edit message")).to_have_value("two")
    page.get_by_label("Edit message").fill("new")
    with page.expect_request("**/v1/chat/completions") as request:
        page.get_by_label("Edit message").press("Enter")
    assert [m["content"] for m in request.value.post_data_json["messages"]] == ["one", "The first.", "new"]
    expect(page.locator("article.assistant .text").last).to_have_text("Another.")
    expect_texts(page, ["one", "The first.", "new", "Another."])
    page.get_by_label("Message", exact=True).press("ArrowUp")
    expect(page.get_by_label("Edit message")).to_have_value("new")


def test_messages_are_copied(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers={"one": "Some *text*."}).url)
    ask(page, "one")
    page.locator("article.assistant").get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert clipboard(page) == "Some *text*."
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
    page.locator("article.user").get_by_role("button", name="Copy").click()
    expect(page.locator("article.user").get_by_role("button", name="Copied")).to_be_visible()
    page.evaluate("delete navigator.clipboard")
    assert clipboard(page) == "one"


def test_conversations_are_kept(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers=ANSWERS).url)
    ask(page, "one")
    set_fields(page, System_prompt="Be brief.", Temperature="0.1")
    click(page, "New conversation")
    ask(page, "two")
    page.reload()
    expect_texts(page, ["two", "The second."])
    expect(page.locator("#chats .title")).to_have_text(["two", "one"])
    click(page, "one")
    expect(page.locator("article.assistant .text")).to_have_text("The first.")
    click(page, "Settings")
    expect(page.get_by_label("System prompt")).to_have_value("Be brief.")
    expect(page.get_by_label("Temperature")).to_have_value("0.1")
    click(page, "Done")
    click(page, "Rename one")
    page.get_by_label("Title").fill("Sums")
    page.get_by_label("Title").press("Enter")
    expect(page).to_have_title("Sums · hipport chat")
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#chats li").filter(has_text="two").hover()
    click(page, "Delete two")
    page.reload()
    expect(page.locator("#chats .title")).to_have_text(["Sums"])
    page.once("dialog", lambda dialog: dialog.accept())
    click(page, "Delete all")
    expect(page.locator("article")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('hipport.chat.'))") == []


def test_an_answer_is_kept_when_the_page_is_left_or_another_conversation_opened(
    start_site: StartSite, page: Page
) -> None:
    site = start_site(answers={"one": "word " * 60}, seconds=0.02)
    page.goto(site.url)
    ask(page, "one", waits=False)
    expect(page.locator("article.assistant .text")).to_contain_text("word word")
    page.reload()
    expect(page.locator("article.assistant .text")).to_contain_text("word word")
    expect(page.locator("article.assistant .note")).to_have_text("stopped")
    click(page, "Regenerate")
    expect(page.locator("article.assistant .text")).to_contain_text("word word")
    click(page, "New conversation")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    assert site.idle()
    click(page, "one")
    expect(page.locator("article.assistant .text")).to_contain_text("word word")


def test_a_conversation_deleted_while_it_is_answered_stays_deleted(start_site: StartSite, page: Page) -> None:
    site = start_site(answers={"one": "word " * 60}, seconds=0.02)
    page.goto(site.url)
    ask(page, "one", waits=False)
    expect(page.locator("article.assistant .text")).to_contain_text("word")
    page.once("dialog", lambda dialog: dialog.accept())
    click(page, "Delete one")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    assert site.idle()
    expect(page.locator("#chats li")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('hipport.chat.'))") == []


def test_storage_that_is_full_or_broken(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(answers=ANSWERS).url)
    page.evaluate("localStorage.setItem('hipport.chat.x', '{\"id\": 1}'); localStorage.setItem('hipport.chat.y', '{')")
    page.evaluate("localStorage.setItem('hipport.settings', '[')")
    page.reload()
    expect(page.get_by_role("status")).to_have_text("fake")
    page.evaluate("localStorage.setItem('full', 'x'.repeat(5 * 1024 * 1024 - 500))")
    ask(page, "one " * 300)
    expect(page.get_by_role("alert")).to_contain_text("This conversation is not kept")
    expect(page.locator("article.assistant .error, article.assistant .text")).to_have_count(2)


def test_a_key_is_asked_for(start_site: StartSite, page: Page) -> None:
    page.goto(start_site(Settings(key="secret")).url)
    expect(page.get_by_role("dialog")).to_contain_text("this server needs a key")
    expect(page.get_by_label("Key")).to_be_focused()
    page.keyboard.type("secret")
    page.keyboard.press("Tab")
    expect(page.get_by_role("status")).to_have_text("fake")
    click(page, "Done")
    ask(page, "Hello")
    expect(page.locator("article.assistant .text")).not_to_be_empty()
    page.reload()
    expect(page.get_by_role("status")).to_have_text("fake")


def test_a_spinner_while_the_model_opens(start_site: StartSite, page: Page) -> None:
    site: Site = start_site(opened=False)
    page.goto(site.url)
    expect(page.get_by_role("status")).to_have_text("Opening fake")
    expect(page.locator("#spinner")).to_be_visible()
    listener = site.served.listener(Listener())
    listener.say("[2/6] prefill.cu")
    expect(page.get_by_role("status")).to_have_text("Opening fake: [2/6] prefill.cu")
    listener.loaded(3, 4)
    expect(page.get_by_role("progressbar")).to_have_js_property("value", 0.75)
    ask(page, "Hello")
    expect(page.locator("article.assistant .error")).to_contain_text("fake is still being opened")
    site.served.open(site.scheduler, SEQUENCES)
    expect(page.get_by_role("status")).to_have_text("fake")
    expect(page.locator("#spinner")).to_be_hidden()
    click(page, "Try again")
    expect(page.locator("article.assistant .text")).not_to_be_empty()


def test_errors_are_shown(start_site: StartSite, page: Page) -> None:
    site = start_site()
    page.goto(site.url)
    site.engine.broken = DEVICE_LOST
    ask(page, "Hello")
    expect(page.locator("article.assistant .error")).to_contain_text("it is lost")
    site.engine.broken = None
    set_fields(page, Tokens_at_most="5000")
    with page.expect_request("**/v1/chat/completions") as request:
        ask(page, "Hello again")
    sent = [message["content"] for message in request.value.post_data_json["messages"]]
    assert sent == ["Hello again"], "questions without an answer are not sent: templates expect turns"
    expect(page.locator("article.assistant .error").last).to_contain_text("an answer of up to 5000")
    expect(page.locator("article.assistant .error").last).to_contain_text("lower “Tokens at most”")


def test_a_server_that_is_gone(start_site: StartSite, page: Page) -> None:
    page.goto(start_site().url)
    expect(page.get_by_role("status")).to_have_text("fake")
    page.context.set_offline(True)
    ask(page, "Hello")
    expect(page.locator("article.assistant .error")).to_have_text("The connection to the server was lost.")
    expect(page.get_by_role("status")).to_contain_text("No connection to the server")
    page.context.set_offline(False)
    expect(page.get_by_role("status")).to_have_text("fake")


def test_a_narrow_window_has_a_menu(start_site: StartSite, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(start_site(answers=ANSWERS).url)
    ask(page, "one")
    expect(page.get_by_role("navigation")).to_be_hidden()
    menu = page.get_by_role("button", name="Conversations", exact=True)
    menu.click()
    expect(menu).to_have_attribute("aria-expanded", "true")
    click(page, "New conversation")
    expect(page.get_by_role("navigation")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
