"""A conversation equals the same messages given at once, and processes only new tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from hipport.errors import HipportError
from hipport.llm.runtime.conversation import Conversation
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.serving.jobs import Job
from hipport.llm.text.chat_template import PLAIN, compile_template
from tests.llm.serving.fake import ENDLESS, FakeEngine, Letters, alone

GREEDY = Sampling(seed=ENDLESS)
TEMPLATE = compile_template(PLAIN)


class Rewinding(FakeEngine):
    """A fake engine with one sequence, which can be rewritten from any position."""

    def __init__(self, positions: int = 400) -> None:
        super().__init__(1, 1)
        self.positions = positions

    def prefill(self, tokens: Sequence[int], *, sequence: int = 0, position: int = 0) -> None:
        del self.caches[sequence][position:]
        super().prefill(tokens, sequence=sequence, position=position)

    def decode(
        self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], sampling: Sequence[Sampling]
    ) -> tuple[list[int], None]:
        del self.caches[0][positions[0] :]
        return super().decode(tokens, positions, sequences, sampling)

    def reset(self, sequence: int = 0) -> None:
        super().reset(sequence)

    def read(self) -> int:
        """Return the number of prompt tokens since the last call."""
        count = sum(tokens for name, tokens in self.calls if name == "prefill")
        self.calls.clear()
        return count


def talk(engine: Rewinding, system: str | None = None) -> Conversation:
    return Conversation(cast(Engine, engine), Letters(), TEMPLATE, GREEDY, system=system)


def at_once(messages: list[tuple[str, str]], count: int) -> str:
    text = TEMPLATE.render([{"role": role, "content": content} for role, content in messages])
    return "".join(map(chr, alone(Job(tuple(text.encode()), count, GREEDY))[0]))


def test_answers_are_those_of_the_whole_conversation() -> None:
    engine = Rewinding()
    conversation = talk(engine, "Be brief.")
    said = [("system", "Be brief.")]
    for question in ("one", "two", "three"):
        said.append(("user", question))
        answer = "".join(conversation.ask(question, 10))
        assert answer == at_once(said, 10)
        assert engine.read() < 50
        said.append(("assistant", answer))


def test_an_answer_that_is_stopped_is_remembered_as_far_as_it_came() -> None:
    conversation = talk(Rewinding())
    pieces = conversation.ask("one", 10)
    begun = "".join(next(pieces) for _ in range(3))
    pieces.close()
    said = [("user", "one"), ("assistant", begun), ("user", "two")]
    assert "".join(conversation.ask("two", 5)) == at_once(said, 5)


def test_a_question_without_an_answer_is_not_remembered() -> None:
    engine = Rewinding()
    conversation = talk(engine)
    engine.broken = HipportError("lost")
    with pytest.raises(HipportError, match="lost"):
        next(conversation.ask("one"))
    engine.broken = None
    assert "".join(conversation.ask("two", 5)) == at_once([("user", "two")], 5)


def test_reset_forgets_all_but_the_system_prompt() -> None:
    conversation = talk(Rewinding(), "Be brief.")
    first = "".join(conversation.ask("one", 5))
    conversation.reset()
    assert "".join(conversation.ask("one", 5)) == first


def test_another_answer_replaces_the_last_one() -> None:
    engine = Rewinding()
    conversation = talk(engine)
    one, two = ("".join(conversation.ask(question, 10)) for question in ("one", "two"))
    engine.read()
    other = "".join(conversation.retry(10))
    assert other != two
    assert engine.read() == 0, "the prompt is in the cache"
    assert [message["content"] for message in conversation.messages] == ["one", one, "two", other]
    engine.broken = HipportError("lost")
    with pytest.raises(HipportError, match="lost"):
        next(conversation.retry(10))
    assert [message["content"] for message in conversation.messages] == ["one", one, "two", other]
    with pytest.raises(HipportError, match="no question"):
        talk(Rewinding()).retry()


def test_the_system_prompt_can_change() -> None:
    conversation = talk(Rewinding(), "Be brief.")
    first = "".join(conversation.ask("one", 5))
    conversation.system = "Be long."
    said = [("system", "Be long."), ("user", "one"), ("assistant", first), ("user", "two")]
    assert "".join(conversation.ask("two", 5)) == at_once(said, 5)
    conversation.system = None
    assert conversation.messages[0]["role"] == "user"


def test_a_conversation_is_continued() -> None:
    conversation = talk(Rewinding(), "Be brief.")
    "".join(conversation.ask("one", 5))
    other = talk(Rewinding(), "Other.")
    "".join(other.ask("gone", 5))
    other.restore(conversation.messages)
    assert other.messages == conversation.messages
    assert "".join(other.ask("two", 5)) == "".join(conversation.ask("two", 5))


def test_tokens_are_counted() -> None:
    conversation = talk(Rewinding())
    "".join(conversation.ask("one", 5))
    assert (conversation.prompt_tokens, conversation.tokens) == (len("user: one\nassistant: "), 5)
    pieces = conversation.ask("two", 5)
    next(pieces)
    pieces.close()
    assert conversation.tokens == 1
    conversation.reset()
    assert (conversation.prompt_tokens, conversation.tokens, conversation.positions) == (0, 0, 400)


def test_a_long_prompt_is_read_in_pieces_that_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hipport.llm.runtime.conversation._PIECE", 16)
    engine = Rewinding()
    conversation, question = talk(engine), "x" * 100
    prefill = engine.prefill

    def interrupted(tokens: Sequence[int], *, sequence: int = 0, position: int = 0) -> None:
        prefill(tokens, sequence=sequence, position=position)
        if position == 32:
            raise KeyboardInterrupt

    monkeypatch.setattr(engine, "prefill", interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(conversation.ask(question))
    monkeypatch.setattr(engine, "prefill", prefill)
    assert conversation.messages == ()
    assert "".join(conversation.ask(question, 5)) == at_once([("user", question)], 5)
    assert {tokens for name, tokens in engine.calls if name == "prefill"} == {16, (len(question) + 17) % 16}


def test_the_end_of_the_context() -> None:
    conversation = talk(Rewinding(positions=40))
    prompt = len("user: one\nassistant: ")
    assert len("".join(conversation.ask("one"))) == 40 - prompt
    with pytest.raises(HipportError, match=r"the context is full: \d+ tokens of 40"):
        next(conversation.ask("two"))
    conversation.reset()
    assert len("".join(conversation.ask("one", 5))) == 5
