"""Commands of the chat in the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from hipport.cli.llm.chat_commands import HELP, Chat, run_command
from hipport.errors import HipportError
from hipport.llm.runtime.conversation import Conversation
from hipport.llm.runtime.engine import Engine
from hipport.llm.text.chat_template import PLAIN, compile_template
from tests.llm.runtime.test_conversation import GREEDY, Rewinding
from tests.llm.serving.fake import Letters


class Talk:
    """A chat, and the notices in it."""

    def __init__(self) -> None:
        self.said: list[str] = []
        engine = cast(Engine, Rewinding())
        self.conversation = Conversation(engine, Letters(), compile_template(PLAIN), GREEDY, system="Be brief.")
        self._chat = Chat(self.conversation, "tiny", self.said.append)

    def run(self, text: str) -> str:
        run_command(text, self._chat)
        return self.said[-1]

    def ask(self, question: str) -> str:
        return "".join(self.conversation.ask(question, 5))


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Talk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return Talk()


def test_system(talk: Talk) -> None:
    assert talk.run("/system") == "system prompt: Be brief."
    assert talk.run("/system  Be\nlong. ") == "system prompt: Be\nlong."
    assert talk.conversation.system == "Be\nlong."
    assert talk.run('/system ""') == talk.run("/system") == "no system prompt"
    assert talk.conversation.messages == ()


@pytest.mark.parametrize("command", ["/reset", "/clear"])
def test_reset(talk: Talk, command: str) -> None:
    talk.ask("one")
    assert talk.run(command) == "new conversation"
    assert [message["role"] for message in talk.conversation.messages] == ["system"]


def test_help_names_all_commands(talk: Talk) -> None:
    assert talk.run("/help") == HELP
    assert max(map(len, HELP.splitlines())) <= 80
    for command in ("/system", "/retry", "/reset", "/clear", "/save", "/save!", "/load", "/exit", "/quit"):
        assert command in HELP


def test_save_and_load(talk: Talk) -> None:
    answer = talk.ask("one")
    assert talk.run("/save my chat.json") == "saved 3 messages in my chat.json"
    assert talk.run("/save ~/chat.MD").startswith("saved 3 messages in ")
    assert Path("home/chat.MD").read_text().endswith(f"## Question\n\none\n\n## Answer\n\n{answer}\n")
    assert json.loads(Path("my chat.json").read_text())["model"] == "tiny"
    saved = talk.conversation.messages
    talk.run("/clear")
    talk.run("/system Other.")
    assert talk.run("/load my chat.json") == "loaded 3 messages from my chat.json"
    assert talk.conversation.messages == saved


def test_files_are_not_overwritten_silently(talk: Talk) -> None:
    Path("chat.md").write_text("mine")
    Path("link.md").symlink_to("nowhere.md")
    for name in ("chat.md", "link.md"):
        with pytest.raises(HipportError, match=f"{name} exists"):
            talk.run(f"/save {name}")
    assert Path("chat.md").read_text() == "mine"
    talk.run("/save! chat.md")
    assert Path("chat.md").read_text().startswith("# Conversation with tiny")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("/save", "no file is named"),
        ("/save chat", "chat has no suffix"),
        ("/save chat.txt", "chat.txt has no suffix"),
        ("/save missing/chat.md", "cannot write missing/chat.md: No such file"),
        ("/load", "no file is named"),
        ("/load missing.json", "cannot read missing.json: No such file"),
        ("/load ~no-such-user/chat.json", "no-such-user"),
        ("/load .", "cannot read"),
        ("/reset now", "takes nothing, not 'now'"),
        ("/what", "unknown command /what"),
        ("/", "unknown command /"),
    ],
)
def test_wrong_use(talk: Talk, command: str, reason: str) -> None:
    talk.ask("one")
    before = talk.conversation.messages
    with pytest.raises(HipportError, match=reason):
        talk.run(command)
    assert talk.conversation.messages == before
    assert sorted(path.name for path in Path().iterdir()) == ["home"]


def test_a_file_that_is_not_a_conversation(talk: Talk) -> None:
    talk.ask("one")
    before = talk.conversation.messages
    Path("chat.md").write_text("# Title")
    with pytest.raises(HipportError, match=r"chat\.md is not valid JSON"):
        talk.run("/load chat.md")
    assert talk.conversation.messages == before
