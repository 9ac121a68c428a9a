"""`hipport llm chat`: questions and answers in the terminal."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Generator
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.llm.chat_commands import Chat, run_command
from hipport.cli.llm.chat_input import Typed, read_message
from hipport.cli.llm.model import (
    ModelOptions,
    check_packages,
    model_options,
    open_chosen,
    opened_weights,
    shown_progress,
)
from hipport.cli.llm.sampling import SamplingOptions, chosen_sampling, sampling_options
from hipport.cli.llm.talk import TalkOptions, chosen_context, chosen_template, talk_options
from hipport.cli.llm.terminal import harmless
from hipport.counts import count_of
from hipport.errors import HipportError

if TYPE_CHECKING:
    from hipport.llm.runtime.conversation import Conversation

_HINT = "/help lists the commands, Ctrl-C stops an answer, Ctrl-D exits."
_EXITS = frozenset({"/exit", "/quit"})


class ChatOptions(Struct, frozen=True):
    """The options of `hipport llm chat`."""

    source: ModelOptions
    talk: TalkOptions
    system: str | None
    max_tokens: int | None
    sampling: SamplingOptions


@click.command("chat")
@model_options
@talk_options
@click.option("--system", metavar="TEXT", help="System prompt.")
@click.option(
    "-n",
    "--max-tokens",
    type=click.IntRange(min=1),
    help="Limit on the tokens of an answer. Default: the rest of the context.",
)
@sampling_options
@takes(ChatOptions)
def command(options: ChatOptions) -> None:
    """Chat with MODEL. /help lists the commands, Ctrl-C stops an answer, Ctrl-D exits.

    Without a terminal, each line of the input is a message, and only answers go to standard output.
    """
    check_packages("jinja2", purpose="conversations")
    from hipport.llm.runtime.conversation import Conversation
    from hipport.llm.text.chat_template import needed

    source = options.source
    with opened_weights(source) as (weights, text), shown_progress() as listener:
        template = needed(chosen_template(options.talk, source.model), str(source.model))
        engine = open_chosen(weights, source.device, chosen_context(options.talk, weights.config), listener)
    with engine:
        sampling = chosen_sampling(options.sampling)
        conversation = Conversation(engine, text, template, sampling, system=options.system)
        chat = Chat(conversation, source.random or str(source.model), _notice)
        _Talk(chat, options.max_tokens, greedy=not sampling.temperature).run()


class _Talk:
    """Reads messages and prints answers until the input ends."""

    def __init__(self, chat: Chat, max_tokens: int | None, *, greedy: bool) -> None:
        self._chat = chat
        self._greedy = greedy
        self._max_tokens = max_tokens
        self._terminal = sys.stdin.isatty() and sys.stdout.isatty()

    def run(self) -> None:
        """Talk until the user exits. Without a terminal, raises `HipportError` at the first failure."""
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if self._terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 (lines can be edited and found again)
            _notice(_HINT)
        while (typed := self._typed()) is not None and not (typed.is_command and typed.text in _EXITS):
            try:
                self._react(typed)
            except HipportError as error:
                if not self._terminal:
                    raise
                click.secho(f"{error}. {error.hint or ''}".rstrip(), fg="red", err=True)
        if typed is None and self._terminal:
            click.echo()  # Ctrl-D leaves the cursor behind the prompt

    def _typed(self) -> Typed | None:
        """Return the next message, None at the end of the input; on a terminal, Ctrl-C drops what was typed."""
        while True:
            try:
                return read_message(self._line)
            except KeyboardInterrupt:
                if not self._terminal:
                    raise
                click.echo()
                _notice(_HINT)

    def _line(self, prompt: str) -> str:
        return input(prompt if self._terminal else "")

    def _react(self, typed: Typed) -> None:
        conversation = self._chat.conversation
        if typed == Typed("/retry", True):
            if self._greedy:
                _notice("The temperature is 0, so the answer is the same: start with --temperature 0.7, for example.")
            self._print(conversation.retry(self._max_tokens))
        elif typed.is_command:
            run_command(typed.text, self._chat)
        elif typed.text:
            self._print(conversation.ask(typed.text, self._max_tokens))

    def _print(self, pieces: Generator[str, None, None]) -> None:
        """Print an answer while it is generated, and its speed."""
        started, times = time.perf_counter(), list[float]()
        stopped = False
        with contextlib.closing(pieces):
            try:
                for piece in pieces:
                    times.append(time.perf_counter())
                    click.echo(harmless(piece) if sys.stdout.isatty() else piece, nl=False)
            except KeyboardInterrupt:
                if not self._terminal:
                    raise
                stopped = True
        click.echo(click.style(" (stopped)", dim=True) if stopped else "")
        if self._terminal and times:
            _notice(_speed(self._chat.conversation, times[0] - started, times[-1] - times[0]))


def _speed(conversation: Conversation, first: float, seconds: float) -> str:
    """Return the speed of the last answer and how full the context is."""
    tokens, used = conversation.tokens, conversation.prompt_tokens + conversation.tokens
    rate = f", {(tokens - 1) / seconds:.1f} tokens/s" if tokens > 1 and seconds > 0 else ""
    after = f"first after {first:.1f} s, context {used} of {conversation.positions}"
    return f"[{count_of(tokens, 'token')}{rate}, {after}]"


def _notice(text: str) -> None:
    click.secho(text, dim=True, err=True)
