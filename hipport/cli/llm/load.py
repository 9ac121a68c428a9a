"""`hipport llm load`: throughput and latencies of a server under load."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.llm.model import check_packages
from hipport.cli.results import check_folders, write
from hipport.errors import HipportError

_KEY = "HIPPORT_API_KEY"


class LoadOptions(Struct, frozen=True):
    """The options of `hipport llm load`."""

    url: str
    model: str | None
    api_key: str | None
    requests: int
    rate: float
    concurrency: int
    prompt_tokens: int
    tokens: int
    spread: float
    seed: int
    path: Path | None


@click.command("load")
@click.argument("url")
@click.option("--model", metavar="NAME", help="Name of the model; only servers with several need it.")
@click.option("--api-key", envvar=_KEY, metavar="KEY", help=f"Key of the server; also from {_KEY}.")
@click.option("--requests", type=click.IntRange(1, 1_000_000), default=100, show_default=True, help="Requests to send.")
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    default=float("inf"),
    show_default=True,
    help="Requests a second, at random times (a Poisson process); inf: all at once.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Most requests at the same time; 0: no limit.",
)
@click.option(
    "--prompt-tokens", type=click.IntRange(1, 1 << 20), default=256, show_default=True, help="Mean length of prompts."
)
@click.option(
    "--tokens", type=click.IntRange(1, 1 << 20), default=64, show_default=True, help="Mean length of answers."
)
@click.option(
    "--spread",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Lengths are uniform between 1 - SPREAD and 1 + SPREAD times the mean.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same requests.")
@click.option("--json", "path", type=click.Path(path_type=Path, dir_okay=False), help="Write the results to FILE.")
@takes(LoadOptions)
def command(options: LoadOptions) -> None:
    """Send requests for streamed completions to the server at URL, and measure throughput and latencies.

    Prompts are random tokens. Measures are defined as in vLLM's benchmark_serving.py. The exit status is 1 if a request
    failed.
    """
    check_packages("numpy")
    import asyncio

    from hipport.llm.bench.latencies import load_result, table
    from hipport.llm.bench.load_client import Load, check_answers, planned, served_by, server_at

    check_folders(options.path)
    server = server_at(options.url, options.model, options.api_key or "")
    check_answers(server)
    load = Load(
        options.requests,
        options.prompt_tokens,
        options.tokens,
        options.spread,
        options.rate,
        options.concurrency,
        options.seed,
    )
    result = load_result(asyncio.run(served_by(server, planned(load), load.concurrency)))
    for line in table(result):
        click.echo(line)
    if options.path:
        described = asdict(load) | {"rate": options.rate if options.rate != float("inf") else "inf"}
        write(options.path, json.dumps({"load": described} | asdict(result), indent=2) + "\n")
    if result.failed:
        raise HipportError(f"{result.failed} of {options.requests} requests failed: {result.errors[0]}")
