"""Shared by the commands that run a model: options for the model and target, and opening it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import click
from msgspec import Struct

from hipport.builds.backends import NAMES, BackendName
from hipport.cli.common import Function
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.builds.shipped import Target
    from hipport.llm.runtime.engine import Engine
    from hipport.llm.runtime.opening import Listener, Weights
    from hipport.llm.text.tokenizer import Text
    from hipport.toolchain.places import Surroundings

_READING = ("safetensors", "tokenizers", "ml_dtypes", "gguf")


class TargetOptions(Struct, frozen=True):
    """The values of `target_options`."""

    target: BackendName | None
    wave_size: Literal["32", "64"] | None
    compiler: str | None
    emulate: str | None


RandomModel = Literal[
    "tiny",
    "llama2-7b",
    "llama2-13b",
    "qwen3-tiny",
    "qwen3-8b",
    "qwen3-moe-tiny",
    "qwen3-30b-a3b",
    "deepseek-tiny",
    "deepseek-v2-lite",
]


class ModelOptions(Struct, frozen=True):
    """The values of `model_options`."""

    model: Path | None
    random: RandomModel | None
    weights: Literal["auto", "native", "q4f16_32", "q4f16_128", "16bit"]
    activations: Literal["f16", "bf16"]
    cache: Literal["16bit", "int8"]
    device: TargetOptions
    no_cache: bool


def model_options(function: Function) -> Function:
    """Add the options for the model and its target to a command."""
    for option in (
        click.argument("model", required=False, type=click.Path(path_type=Path)),
        click.option(
            "--random-weights",
            "random",
            type=click.Choice(get_args(RandomModel)),
            help="Use random weights in the shape of this model instead of MODEL.",
        ),
        click.option(
            "--weights",
            type=click.Choice(["auto", "native", "q4f16_32", "q4f16_128", "16bit"]),
            default="auto",
            show_default=True,
            help="Format of matrices: as in the model's file (native), 4 bits in groups of 32 or 128 with one scale, "
            "or 16 bits; auto is native if the file's are quantized, except with Q4_0, else q4f16_32.",
        ),
        click.option(
            "--activations",
            type=click.Choice(["f16", "bf16"]),
            default="f16",
            show_default=True,
            help="Format of activations: half precision or bfloat16.",
        ),
        click.option(
            "--cache",
            type=click.Choice(["16bit", "int8"]),
            default="16bit",
            show_default=True,
            help="Format of keys and values.",
        ),
        target_options,
        click.option("--no-cache", is_flag=True, help="Do not cache the packed weights of MODEL."),
    ):
        function = option(function)
    return function


def target_options(function: Function) -> Function:
    """Add the options for the target and its compiler to a command."""
    for option in (
        click.option(
            "--target",
            type=click.Choice(NAMES),
            help="Target to run on. Default: this machine's GPU, else the CPU.",
        ),
        click.option(
            "--wave-size", type=click.Choice(["32", "64"]), help="CPU only: lanes per wavefront. Default: 32."
        ),
        click.option("--compiler", metavar="NAME", help="Compiler for the kernels, as for `hipport build`."),
        click.option(
            "--emulate",
            metavar="TARGET",
            help="Run the machine code for the AMD GPU TARGET (gfx90a, gfx1030...) on this processor.",
        ),
    ):
        function = option(function)
    return function


def start_emulated(options: TargetOptions) -> None:
    """Start this command anew with the emulator in the place of HIP's library if the options ask for it.

    Raises `HipportError`; returns in the new process.
    """
    target = options.emulate
    if target is None:
        return
    from hipport.emulate.surroundings import check_one_target, emulated, is_emulated
    from hipport.toolchain.places import Surroundings

    check_one_target(target)
    if options.target not in (None, "amd") or options.wave_size:
        raise UsageError("--emulate runs code for AMD GPUs", hint="Leave out --target and --wave-size.")
    if is_emulated(target, os.environ):
        return
    variables = emulated(target, os.environ, Surroundings(), lambda text: click.echo(f"hipport: {text}", err=True))
    command = [sys.executable, "-m", "hipport", *sys.argv[1:]]
    os.execve(sys.executable, command, {**os.environ, **variables})


@contextlib.contextmanager
def opened_weights(options: ModelOptions) -> Iterator[tuple[Weights, Text]]:
    """Open the weights that the options name; yield them with the `Text` that converts their tokens.

    Raises `HipportError`.
    """
    start_emulated(options.device)
    check_packages("numpy", *(_READING if options.model else ()))
    from hipport.llm.model.config import RANDOM_MODELS
    from hipport.llm.text.tokenizer import NumberText
    from hipport.llm.weights.formats import Formats
    from hipport.llm.weights.random_weights import RandomWeights

    if bool(options.model) == bool(options.random):
        raise click.UsageError("Give either MODEL (a folder or GGUF file) or --random-weights.")
    formats = Formats(options.weights, options.cache, options.activations)
    if options.random:
        yield RandomWeights(RANDOM_MODELS[options.random], formats=formats.chosen("q4f16_32")), NumberText()
        return
    assert options.model is not None
    from hipport.builds.shipped import cache_folder
    from hipport.llm.sources.checkpoints import open_checkpoint
    from hipport.llm.weights.cache import CachedCheckpoint

    with open_checkpoint(options.model, formats) as checkpoint:
        for note in checkpoint.notes:
            click.echo(f"{options.model}: {note}", err=True)
        weights = checkpoint if options.no_cache else CachedCheckpoint(checkpoint, cache_folder("models"))
        yield weights, checkpoint.source.text()


@contextlib.contextmanager
def shown_progress() -> Iterator[Listener]:
    """Yield a listener that reports progress on stderr while a model is opened, with a bar on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from hipport.llm.runtime.opening import Listener

    columns = (TextColumn("Loading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=None, visible=False)

        def loaded(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=True)

        yield Listener(lambda line: click.echo(line, err=True), loaded)


def open_chosen(
    weights: Weights, options: TargetOptions, positions: int, listener: Listener, sequences: int = 1
) -> Engine:
    """Return an engine on the target that the options name. Raises `HipportError`."""
    from hipport.llm.runtime.opening import open_engine
    from hipport.toolchain.places import Surroundings

    where = Surroundings()
    return open_engine(
        weights,
        chosen_target(options, where),
        positions=positions,
        sequences=sequences,
        where=where,
        compiler=options.compiler,
        listener=listener,
    )


def chosen_target(options: TargetOptions, where: Surroundings) -> Target:
    """Return the target that the options name, else what the machine has. Raises `HipportError`."""
    from hipport.builds.shipped import Target, choose_target

    if options.emulate:
        return Target("amd", (options.emulate,))
    return choose_target(where, options.target, int(options.wave_size) if options.wave_size else None)


def check_packages(*names: str, extra: str = "llm", purpose: str = "running models") -> None:
    """Raise `HipportError` if Python packages of `hipport[extra]` are missing."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        hint = f"For {purpose}, install: pip install 'hipport[{extra}]'"
        raise HipportError(f"Python packages not installed: {', '.join(missing)}", hint=hint)
