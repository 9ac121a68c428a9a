"""Options for commands that run a model in conversations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import Function

if TYPE_CHECKING:
    from hipport.llm.model.config import ModelConfig
    from hipport.llm.text.chat_template import ChatTemplate

_POSITIONS = 4096


class TalkOptions(Struct, frozen=True):
    """The values of `talk_options`."""

    chat_template: Path | None
    context: int | None


def talk_options(function: Function) -> Function:
    """Add --chat-template and --context to a command."""
    for option in (
        click.option(
            "--chat-template",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help="Jinja chat template to use instead of the model's.",
        ),
        click.option(
            "--context",
            type=click.IntRange(min=2),
            metavar="TOKENS",
            help=f"Context length in tokens. Default: the model's, up to {_POSITIONS}.",
        ),
    ):
        function = option(function)
    return function


def chosen_template(options: TalkOptions, model: Path | None) -> ChatTemplate | None:
    """Return the template that the options name, or else the model's own, if any. Raises `HipportError`."""
    from hipport.llm.sources.text import read_template, read_template_file
    from hipport.llm.text.chat_template import PLAIN, compile_template

    if options.chat_template:
        return read_template_file(options.chat_template, model)
    return read_template(model) if model else compile_template(PLAIN)


def chosen_context(options: TalkOptions, config: ModelConfig) -> int:
    """Return the maximum length of the text in tokens."""
    return options.context or min(config.positions, _POSITIONS)
