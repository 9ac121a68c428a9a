"""`hipport llm quantize`: a GGUF file with its matrices in other types."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.llm.model import check_packages
from hipport.counts import count_of
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.llm.sources.gguf.quantize import Requantized

Kind = Literal["Q8_0", "Q5_1", "Q5_0", "Q4_1", "Q4_0", "MXFP4", "BF16", "F16", "F32"]
_TYPES: tuple[Kind, ...] = get_args(Kind)
_FILE = click.Path(path_type=Path, dir_okay=True)


class QuantizeOptions(Struct, frozen=True):
    """The options of `hipport llm quantize`."""

    source: Path
    target: Path
    kind: Kind
    others: tuple[str, ...]


@click.command("quantize")
@click.argument("source", metavar="IN", type=_FILE)
@click.argument("target", metavar="OUT", type=_FILE)
@click.option("--type", "kind", type=click.Choice(_TYPES), required=True, help="Type of the matrices.")
@click.option(
    "--tensor",
    "others",
    metavar="WORD=TYPE",
    multiple=True,
    help="Type of the matrices whose name contains WORD, such as output=Q8_0; repeatable, the first that fits counts.",
)
@takes(QuantizeOptions)
def command(options: QuantizeOptions) -> None:
    """Write the GGUF file IN as OUT with its matrices in another type."""
    check_packages("numpy", "gguf")
    if options.source.is_dir():
        hint = "Convert the folder with llama.cpp's convert_hf_to_gguf.py, or run it as it is."
        raise HipportError(f"{options.source} is a folder, not a GGUF file", hint=hint)
    from hipport.llm.sources.gguf.quantize import quantize_file

    others = dict(_other(told) for told in options.others)
    found = quantize_file(options.source, options.target, options.kind, others, _say)
    weights, size = sum(tensor.weights for tensor in found), sum(tensor.bytes for tensor in found)
    kinds = Counter(tensor.after for tensor in found)
    click.echo(", ".join(f"{count_of(count, 'matrix', 'matrices')} {name}" for name, count in kinds.most_common()))
    if weights:
        error = sum(tensor.error**2 * tensor.weights for tensor in found) / weights
        click.echo(f"{size * 8 / weights:.2f} bits per weight, relative error {error**0.5:.2e}")


def _say(tensor: Requantized) -> None:
    click.echo(f"{tensor.name}: {tensor.before} to {tensor.after}, relative error {tensor.error:.2e}", err=True)


def _other(told: str) -> tuple[str, str]:
    word, _, kind = told.partition("=")
    if not word or kind not in _TYPES:
        raise UsageError(f"--tensor {told} is not WORD=TYPE", hint=f"Types: {', '.join(_TYPES)}.")
    return word, kind
