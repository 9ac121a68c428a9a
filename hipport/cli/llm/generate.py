"""`hipport llm generate`: print the continuation of a prompt token by token."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.llm.model import ModelOptions, model_options, open_chosen, opened_weights, shown_progress
from hipport.cli.llm.sampling import SamplingOptions, chosen_sampling, sampling_options
from hipport.cli.llm.terminal import harmless

if TYPE_CHECKING:
    from hipport.llm.runtime.engine import Engine, Sampling
    from hipport.llm.runtime.opening import Weights
    from hipport.llm.text.tokenizer import Text


class GenerateOptions(Struct, frozen=True):
    """The options of `hipport llm generate`."""

    source: ModelOptions
    prompt: str
    max_tokens: int
    sampling: SamplingOptions


@click.command("generate")
@model_options
@click.option("-p", "--prompt", default="Hello", show_default=True, help="Prompt text.")
@click.option(
    "-n",
    "--max-tokens",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    help="Limit on the generated tokens.",
)
@sampling_options
@takes(GenerateOptions)
def command(options: GenerateOptions) -> None:
    """Generate text with MODEL, a Hugging Face folder or a GGUF file.

    Weights are quantized to 4 bits when they are loaded, unless --weights says otherwise. The engine is built on first
    use.
    """
    with opened_weights(options.source) as (weights, text):
        _generate(weights, text, options)


def _generate(weights: Weights, text: Text, options: GenerateOptions) -> None:
    from hipport.errors import UsageError

    tokens = text.tokens(options.prompt)
    if not tokens:
        raise UsageError("the prompt has no tokens", hint="Give a text with --prompt.")
    with shown_progress() as listener:
        engine = open_chosen(weights, options.source.device, len(tokens) + options.max_tokens, listener)
    with engine:
        _print(engine, text, tokens, options.max_tokens, chosen_sampling(options.sampling))


def _print(engine: Engine, text: Text, prompt: list[int], count: int, sampling: Sampling) -> None:
    """Stream text to stdout, without control characters if it is a terminal, and print the speed on stderr."""
    from hipport.llm.runtime.generation import continuation

    made: list[int] = []
    terminal = sys.stdout.isatty()
    started = time.perf_counter()
    for piece in text.pieces(_counted(made, continuation(engine, prompt, count, sampling))):
        click.echo(harmless(piece) if terminal else piece, nl=False)
    seconds = time.perf_counter() - started
    click.echo()
    click.echo(f"{len(made)} tokens, {len(made) / seconds:.1f} tokens/s, {engine.stats().device}", err=True)


def _counted(made: list[int], tokens: Iterator[int]) -> Iterator[int]:
    for token in tokens:
        made.append(token)
        yield token
