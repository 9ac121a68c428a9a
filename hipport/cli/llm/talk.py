"""Options for commands that run a model in conversations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hipport.llm.chat_template import ChatTemplate
    from hipport.llm.config import ModelConfig

_F = TypeVar("_F", bound=Callable[..., Any])
_POSITIONS = 4096


def talk_options(function: _F) -> _F:
    """Add --chat-template and --context to a command."""
    for option in (
        click.option(
            "--chat-template",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help="A Jinja template for conversations, in place of the model's own.",
        ),
        click.option(
            "--context",
            type=click.IntRange(min=2),
            metavar="TOKENS",
            help=f"The longest text. Default: what the model allows, up to {_POSITIONS}.",
        ),
    ):
        function = option(function)
    return function


def chosen_template(options: dict[str, Any]) -> ChatTemplate | None:
    """Return the template that the options name, or else the model's own, if any. Raises `HipportError`."""
    from hipport.llm.chat_template import PLAIN, compile_template, read_template, read_template_file

    if options["chat_template"]:
        return read_template_file(options["chat_template"], options["model"])
    return read_template(options["model"]) if options["model"] else compile_template(PLAIN)


def chosen_context(options: dict[str, Any], config: ModelConfig) -> int:
    """Return the maximum length of the text in tokens."""
    return options["context"] or min(config.positions, _POSITIONS)
