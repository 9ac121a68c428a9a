"""Actions of tests on the chat page."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def ask(page: Page, question: str, *, waits: bool = True) -> None:
    page.get_by_label("Message", exact=True).fill(question)
    page.get_by_label("Message", exact=True).press("Enter")
    if waits:
        expect(page.get_by_role("button", name="Send")).to_be_enabled()


def click(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def set_fields(page: Page, **values: str) -> None:
    """Set fields in the settings, named by their labels with `_` for blanks."""
    click(page, "Settings")
    for name, value in values.items():
        page.get_by_label(name.replace("_", " ")).fill(value)
    click(page, "Done")


def expect_texts(page: Page, texts: list[str]) -> None:
    expect(page.locator("article .text")).to_have_text(texts)


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text
