"""`python -m hipport.llm.examples bert|vit [FOLDER]`: runs a model on random input and prints how long that takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np

from hipport.builds.backends import NAMES
from hipport.builds.shipped import choose_target
from hipport.errors import HipportError
from hipport.llm.examples import bert, vit
from hipport.llm.examples.encoder import Plan, made_up, read_folder
from hipport.llm.harness.binding import open_device
from hipport.llm.operators import Operators, Tensor
from hipport.llm.weights.tensors import Array
from hipport.toolchain.places import Surroundings


@click.command()
@click.argument("model", type=click.Choice(["bert", "vit"]))
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--target", type=click.Choice(NAMES), help="Target to run on. Default: the GPU, else the CPU.")
@click.option("--layers", type=click.IntRange(min=1), help="Layers, without FOLDER. Default: 12, as in the base model.")
@click.option(
    "--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Number of sequences or images."
)
@click.option(
    "--positions", type=click.IntRange(min=1), default=128, show_default=True, help="bert: tokens per sequence."
)
@click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Number of runs; the median is reported."
)
def main(model: str, folder: Path | None, target: str | None, layers: int | None, **options: int) -> None:
    """Run MODEL in half precision, from a Hugging Face FOLDER or with random weights."""
    config, weights = read_folder(folder, model) if folder else _made_up(model, layers)
    where = Surroundings()
    device = open_device(choose_target(where, target), where, lambda line: click.echo(line, err=True))
    place = (_bert if model == "bert" else _vit)(Operators(device), config, weights, options)
    hidden = place().run().read()
    plan = place()
    alone, all_of_it = (
        statistics.median(_timed(run) for _ in range(options["repeat"])) for run in (plan.run, lambda: place().run())
    )
    click.echo(f"{model} on {device.name}: {options['batch']} in {alone * 1e3:.2f} ms", nl=False)
    click.echo(f", {all_of_it * 1e3:.2f} ms including the copy of the input to the device")
    click.echo(f"hidden states {hidden.shape[0]} x {hidden.shape[1]}, the first {hidden[0, :4]}")


def _made_up(model: str, layers: int | None) -> tuple[dict[str, Any], dict[str, Array]]:
    config = dict(bert.CONFIG if model == "bert" else vit.CONFIG)
    config["num_hidden_layers"] = layers or config["num_hidden_layers"]
    return config, made_up((bert if model == "bert" else vit).names(config))


def _bert(
    operators: Operators, config: Mapping[str, Any], weights: Mapping[str, Array], options: Mapping[str, int]
) -> Callable[[], Plan]:
    model = bert.Bert(operators, config, weights)
    tokens = np.random.default_rng(0).integers(0, config["vocab_size"], (options["batch"], options["positions"]))
    return lambda: model.placed(tokens)


def _vit(
    operators: Operators, config: Mapping[str, Any], weights: Mapping[str, Array], options: Mapping[str, int]
) -> Callable[[], Plan]:
    model = vit.Vit(operators, config, weights)
    size = config["image_size"]
    images = np.random.default_rng(0).standard_normal(
        (options["batch"], config["num_channels"], size, size), np.float32
    )
    return lambda: model.placed(images)


def _timed(run: Callable[[], Tensor]) -> float:
    started = time.perf_counter()
    run().wait()
    return time.perf_counter() - started


if __name__ == "__main__":
    try:
        main.main(standalone_mode=True)
    except HipportError as error:
        raise SystemExit(f"hipport: error: {error}") from None
