"""Sampling options for commands that print one text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import Function

if TYPE_CHECKING:
    from hipport.llm.runtime.engine import Sampling


class SamplingOptions(Struct, frozen=True):
    """The values of `sampling_options`."""

    temperature: float
    top_k: int
    top_p: float
    min_p: float
    repetition_penalty: float
    seed: int


def sampling_options(function: Function) -> Function:
    """Add --temperature and the other sampling options to a command."""
    for option in (
        click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, help="Seed of the sampler."),
        click.option(
            "--repetition-penalty",
            type=click.FloatRange(min=0, min_open=True),
            default=1.0,
            help="Penalty for repeated tokens; 1 is none.",
        ),
        click.option(
            "--min-p",
            type=click.FloatRange(0, 1),
            default=0.0,
            help="Sample from tokens of at least this probability, relative to the most likely token.",
        ),
        click.option(
            "--top-p",
            type=click.FloatRange(0, 1),
            default=1.0,
            help="Sample from the most likely tokens with this total probability.",
        ),
        click.option(
            "--top-k",
            type=click.IntRange(min=0),
            default=0,
            help="Sample from this many most likely tokens. Default: all.",
        ),
        click.option(
            "--temperature",
            type=click.FloatRange(min=0),
            default=0.0,
            show_default=True,
            help="Sampling temperature; 0 picks the most likely token.",
        ),
    ):
        function = option(function)
    return function


def chosen_sampling(options: SamplingOptions) -> Sampling:
    """Return the sampling settings in the options."""
    from hipport.llm.runtime.engine import Sampling

    return Sampling(
        temperature=options.temperature,
        top_k=options.top_k,
        top_p=options.top_p,
        min_p=options.min_p,
        repetition_penalty=options.repetition_penalty,
        seed=options.seed,
    )
