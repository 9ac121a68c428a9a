"""`hipport llm chat`: questions and answers in the terminal."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from hipport.cli.common import takes
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
from hipport.errors import HipportError

if TYPE_CHECKING:
    from rich.console import Console

    from hipport.llm.runtime.conversation import Conversation

_HELP = "/reset starts a new conversation, /quit exits, Ctrl-C stops an answer."


@dataclass(frozen=True, slots=True)
class ChatOptions:
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
    """Chat with MODEL. /reset starts a new conversation, /quit exits, Ctrl-C stops an answer."""
    check_packages("jinja2", purpose="conversations")
    from hipport.llm.runtime.conversation import Conversation
    from hipport.llm.text.chat_template import needed

    source = options.source
    with opened_weights(source) as (weights, text), shown_progress() as listener:
        template = needed(chosen_template(options.talk, source.model), str(source.model))
        engine = open_chosen(weights, source.device, chosen_context(options.talk, weights.config), listener)
    with engine:
        sampling = chosen_sampling(options.sampling)
        _talk(Conversation(engine, text, template, sampling, system=options.system), options.max_tokens)


def _talk(conversation: Conversation, max_tokens: int | None) -> None:
    from rich.console import Console

    console, terminal = Console(highlight=False), sys.stdin.isatty()
    if terminal:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 (lines can be edited and found again)
        console.print(_HELP, style="dim")
    while (line := _line(console, terminal)) != "/quit":
        if line == "/reset":
            conversation.reset()
        elif line.startswith("/"):
            console.print(_HELP, style="dim")
        elif line:
            _answer(console, conversation, line, max_tokens)


def _line(console: Console, terminal: bool) -> str:
    """Return the next line, stripped; /quit at the end of the input."""
    try:
        return console.input("[bold]> [/bold]" if terminal else "").strip()
    except (EOFError, KeyboardInterrupt):
        return "/quit"


def _answer(console: Console, conversation: Conversation, question: str, max_tokens: int | None) -> None:
    with contextlib.closing(conversation.ask(question, max_tokens)) as pieces:
        try:
            for piece in pieces:
                console.out(harmless(piece), end="", highlight=False)
        except KeyboardInterrupt:
            console.print(" (stopped)", style="dim", end="")
        except HipportError as error:
            console.print(f"{error}. {error.hint or ''}", style="red", markup=False, end="")
    console.print()
