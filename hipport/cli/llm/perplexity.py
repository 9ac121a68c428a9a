"""`hipport llm perplexity`: how well a model predicts a text."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.llm.model import ModelOptions, model_options, open_chosen, opened_weights, shown_progress
from hipport.cli.results import check_folders, write
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.llm.bench.perplexity import Perplexity
    from hipport.llm.runtime.opening import Weights
    from hipport.llm.text.tokenizer import Text

_FILE = click.Path(path_type=Path, dir_okay=False)
_LARGEST = 1 << 28
"""Bytes of text."""
_WINDOW = 512


class PerplexityOptions(Struct, frozen=True):
    """The options of `hipport llm perplexity`."""

    source: ModelOptions
    text: Path
    window: int | None
    stride: int | None
    batch: int
    path: Path | None


@click.command("perplexity")
@model_options
@click.option("--text", type=_FILE, required=True, help="Text to predict (UTF-8).")
@click.option(
    "--window",
    type=click.IntRange(min=2),
    help=f"Tokens of a window. Default: {_WINDOW}, or the model's context if that is shorter.",
)
@click.option(
    "--stride",
    type=click.IntRange(min=1),
    help="Tokens from one window to the next; each window scores what the one before has not. Default: half a window.",
)
@click.option(
    "--batch", type=click.IntRange(1, 64), default=16, show_default=True, help="Windows to compute at the same time."
)
@click.option("--json", "path", type=_FILE, help="Write the results to FILE.")
@takes(PerplexityOptions)
def command(options: PerplexityOptions) -> None:
    """Measure the perplexity of MODEL on a text."""
    check_folders(options.path)
    _stride(options, options.window or _WINDOW)
    with opened_weights(options.source) as (weights, text):
        window = options.window or min(_WINDOW, weights.config.positions)
        stride = _stride(options, window)
        found = _measured(weights, text, options, window, stride)
    click.echo(f"perplexity {found.value:.4f} +/- {found.error:.4f}")
    click.echo(f"{found.tokens} tokens predicted in windows of {window}, {stride} apart: {found.windows}")
    if options.path:
        values = asdict(found) | {"perplexity": found.value, "error": found.error}
        write(options.path, json.dumps(values, indent=2) + "\n")


def _stride(options: PerplexityOptions, window: int) -> int:
    """Return the tokens from one window to the next. Raises `UsageError` if some would be left out."""
    stride = options.stride or max(1, window // 2)
    if stride > window:
        raise UsageError(f"a stride of {stride} leaves out tokens", hint=f"Give at most --stride {window}, the window.")
    return stride


def _measured(weights: Weights, text: Text, options: PerplexityOptions, window: int, stride: int) -> Perplexity:
    from hipport.files.documents import read_text
    from hipport.llm.bench.perplexity import perplexity, windows

    try:
        content = read_text(options.text, _LARGEST)
    except OSError as error:
        raise UsageError(f"cannot read {options.text}: {error.strerror}") from None
    tokens = text.tokens(content)
    if bad := [token for token in tokens if token >= weights.config.vocabulary]:
        raise UsageError(f"the model has no token {bad[0]}", hint="Does the tokenizer belong to this model?")
    at_once = min(options.batch, len(windows(len(tokens), window, stride)) or 1)
    with shown_progress() as listener:
        engine = open_chosen(weights, options.source.device, window, listener, at_once)
    with engine:
        return perplexity(
            engine,
            tokens,
            length=window,
            stride=stride,
            at_once=min(at_once, engine.stats().max_tokens),
            progress=_say if sys.stderr.isatty() else _be_silent,
        )


def _say(done: int, total: int) -> None:
    click.echo(f"\r{done} of {total} windows", nl=done == total, err=True)


def _be_silent(done: int, total: int) -> None:
    pass
