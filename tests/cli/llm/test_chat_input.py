"""Messages of one line and of several."""

from __future__ import annotations

import pytest

from hipport.cli.llm.chat_input import Typed, read_message


def messages(text: str) -> list[str]:
    lines = iter(text.split("\n"))

    def line(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    found: list[str] = []
    while (message := read_message(line)) is not None:
        found.append(message.text)
    return found


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("one\n two \n\nthree", ["one", "two", "", "three"]),
        ("one\\\ntwo\\\n\\\nthree\nfour", ["one\ntwo\n\nthree", "four"]),
        ('"""\none\n\n  two\\\n"""\nthree', ["one\n\n  two\\", "three"]),
        ('"""one\n/two"""\n/three', ["one\n/two", "/three"]),
        ('"""one"""\ntwo', ["one", "two"]),
        ('  """/one"""', ["/one"]),
        ('say """hi"""\ntwo', ['say """hi"""', "two"]),
        ("one\\", ["one"]),
        ('"""one\ntwo', ["one\ntwo"]),
        ('"""', [""]),
    ],
)
def test_messages(typed: str, read: list[str]) -> None:
    assert messages(typed) == read


@pytest.mark.parametrize(
    ("typed", "is_command"),
    [("/exit", True), ("  /exit", True), ('"""/exit"""', False), ('"""\n/exit\n"""', False), ("a /exit", False)],
)
def test_a_quoted_text_is_no_command(typed: str, is_command: bool) -> None:
    lines = iter(typed.split("\n"))
    message = read_message(lambda prompt: next(lines))
    assert message is not None and message.is_command == is_command


def test_prompts_say_that_a_message_continues() -> None:
    asked: list[str] = []
    lines = iter(['"""a', 'b"""'])

    def line(prompt: str) -> str:
        asked.append(prompt)
        return next(lines)

    assert read_message(line) == Typed("a\nb", False)
    assert asked == ["> ", ". "]
