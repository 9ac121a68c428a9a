"""`hipport llm bench`: tokens per second, compared with the memory bandwidth and with other implementations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.llm.model import ModelOptions, model_options, open_chosen, opened_weights, shown_progress
from hipport.cli.results import check_folders, write
from hipport.counts import count_of

if TYPE_CHECKING:
    from hipport.llm.bench.measurement import Batched, Measurement
    from hipport.llm.bench.peer import Peer
    from hipport.llm.bench.speculated import Speculated
    from hipport.llm.model.config import ModelConfig
    from hipport.llm.runtime.engine import Engine

_FILE = click.Path(path_type=Path, dir_okay=False)


class _Found(Struct, frozen=True):
    model: str
    single: Measurement
    batches: tuple[Batched, ...]
    speculated: Speculated | None
    peers: tuple[Peer, ...]


class BenchOptions(Struct, frozen=True):
    """The options of `hipport llm bench`."""

    source: ModelOptions
    prompt_tokens: int
    tokens: int
    repeat: int
    batch: tuple[int, ...]
    speculate: int
    compare: tuple[Literal["torch", "transformers"], ...]
    path: Path | None
    plot: Path | None


@click.command("bench")
@model_options
@click.option("--prompt-tokens", type=click.IntRange(min=1), default=1, show_default=True, help="Prompt tokens.")
@click.option("--tokens", type=click.IntRange(min=1), default=512, show_default=True, help="Tokens to generate.")
@click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Number of runs; the median is reported."
)
@click.option(
    "--batch", type=click.IntRange(min=1), multiple=True, help="Also decode a batch of this many sequences; repeatable."
)
@click.option(
    "--speculate",
    type=click.IntRange(0, 7),
    default=0,
    metavar="TOKENS",
    help="Also decode one sequence with drafts of up to TOKENS tokens.",
)
@click.option(
    "--compare",
    type=click.Choice(["torch", "transformers"]),
    multiple=True,
    help="Also measure PyTorch's 4-bit path with the same shape, or transformers with 16-bit weights; repeatable.",
)
@click.option("--json", "path", type=_FILE, help="Write the results to FILE.")
@click.option("--plot", type=_FILE, help="Write a chart (SVG) to FILE.")
@takes(BenchOptions)
def command(options: BenchOptions) -> None:
    """Measure the decoding speed of MODEL and the device's read bandwidth in the same run."""
    from hipport.llm.bench.measurement import measure, measure_batch

    check_folders(options.path, options.plot)
    _check_peers(options)
    sequences = max(options.batch, default=1)
    tokens, repeat = options.tokens, options.repeat
    with opened_weights(options.source) as (weights, _), shown_progress() as listener:
        positions = options.prompt_tokens + tokens
        engine = open_chosen(weights, options.source.device, positions, listener, sequences)
    with engine:
        single = measure(engine, options.prompt_tokens, tokens, repeat)
        batches = tuple(measure_batch(engine, count, tokens, repeat) for count in options.batch)
        speculated = _speculated(engine, options)
    found = _Found(_name(options.source), single, batches, speculated, tuple(_peers(engine.config, options)))
    for line in _lines(found):
        click.echo(line)
    if options.path:
        write(options.path, json.dumps(_as_json(found), indent=2) + "\n")
    if options.plot:
        write(options.plot, _picture(found))


def _name(options: ModelOptions) -> str:
    return options.random or (options.model.name if options.model else "")


def _check_peers(options: BenchOptions) -> None:
    """Raise `HipportError` now if a comparison is impossible, not after all other measurements."""
    if "torch" in options.compare:
        from hipport.llm.bench.peer import load_torch

        load_torch()
    if "transformers" in options.compare:
        from hipport.llm.bench.transformers_peer import check_comparable, load_transformers

        if options.source.model:
            check_comparable(options.source.model)
        load_transformers()


def _speculated(engine: Engine, options: BenchOptions) -> Speculated | None:
    if not options.speculate:
        return None
    from hipport.llm.bench.measurement import prompt_of
    from hipport.llm.bench.speculated import measure_speculation

    return measure_speculation(
        engine, prompt_of(engine.config, options.prompt_tokens), options.tokens, options.speculate, options.repeat
    )


def _peers(config: ModelConfig, options: BenchOptions) -> Iterator[Peer]:
    tokens, repeat = options.tokens, options.repeat
    if "torch" in options.compare:
        from hipport.llm.bench.torch_peer import measure_torch

        for group in (32, 128):
            yield measure_torch(config, tokens, repeat, group)
    if "transformers" in options.compare:
        from hipport.llm.bench.transformers_peer import measure_transformers

        source = options.source.model or config
        yield from measure_transformers(source, options.prompt_tokens, tokens, repeat, options.batch)


def _lines(found: _Found) -> Iterator[str]:
    single = found.single
    yield f"{found.model} on {single.device}"
    yield f"prefill  {single.prompt_tokens:6} tokens  {single.prefill_rate:10.1f} tokens/s"
    yield f"decode   {single.tokens:6} tokens  {single.decode_rate:10.1f} tokens/s"
    for batch in found.batches:
        together = count_of(batch.sequences, "sequence")
        yield f"decode   {batch.tokens:6} tokens  {batch.rate:10.1f} tokens/s in {together}"
    if found.speculated:
        yield from _speculated_lines(found.speculated)
    yield f"weights read per token: {single.token_bytes / 1e6:,.1f} MB"
    yield f"read bandwidth: {single.read_bandwidth / 1e9:,.1f} GB/s, decoding uses {single.fraction:.1%}"
    for peer in found.peers:
        together = f" in {count_of(peer.sequences, 'sequence')}" if peer.sequences > 1 else ""
        prompt = f", prefill {peer.prompt_rate:.1f} tokens/s" if peer.prompt_rate else ""
        yield f"{peer.name} on {peer.device}: {peer.tokens_per_second:.1f} tokens/s{together}{prompt}"


def _speculated_lines(found: Speculated) -> Iterator[str]:
    start = f"decode   {found.tokens:6} tokens  "
    yield f"{start}{found.plain_rate:10.1f} tokens/s, one step after the other from the host"
    guessed = f"drafts of up to {count_of(found.most, 'token')}, {found.accepted} of {found.drafted} right"
    yield f"{start}{found.rate:10.1f} tokens/s with {guessed}"
    yield f"{start}{found.right_rate:10.1f} tokens/s with the known text as drafts"
    yield f"the tokens are {'equal' if found.equal else 'NOT equal, because rounding decided between likely ones'}"


def _as_json(found: _Found) -> dict[str, Any]:
    rates = {name: getattr(found.single, name) for name in ("prefill_rate", "decode_rate", "fraction")}
    return {
        "model": found.model,
        **asdict(found.single),
        **rates,
        "batches": [asdict(batch) | {"rate": batch.rate} for batch in found.batches],
        "speculated": asdict(found.speculated) if found.speculated else None,
        "peers": [asdict(peer) for peer in found.peers],
    }


def _peer_name(peer: Peer) -> str:
    return f"{peer.name}, {count_of(peer.sequences, 'sequence')}" if peer.sequences > 1 else peer.name


def _picture(found: _Found) -> str:
    from hipport.llm.bench.chart import svg

    single = found.single
    rows = [("one sequence", single.decode_rate)]
    rows += [(f"{count_of(batch.sequences, 'sequence')}", batch.rate) for batch in found.batches]
    rows += [(_peer_name(peer), peer.tokens_per_second) for peer in found.peers]
    reached = f"one sequence uses {single.fraction:.0%} of {single.read_bandwidth / 1e12:.2f} TB/s read"
    return svg(f"{found.model} on {single.device}: tokens per second", f"{single.tokens} tokens; {reached}", rows)
