"""`hipport llm bench`: tokens a second, beside what the memory allows."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hipport.cli.llm.model import model_options, open_chosen, opened_weights, shown_progress

if TYPE_CHECKING:
    from hipport.llm.measure import Measurement


@click.command("bench")
@model_options
@click.option("--prompt-tokens", type=click.IntRange(min=1), default=1, show_default=True, help="Length of the prompt.")
@click.option("--tokens", type=click.IntRange(min=1), default=512, show_default=True, help="So many are generated.")
@click.option("--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Runs; the median counts.")
@click.option("--json", "path", type=click.Path(path_type=Path, dir_okay=False), help="Write what was measured there.")
def command(prompt_tokens: int, tokens: int, repeat: int, path: Path | None, **options: Any) -> None:
    """Measure how fast MODEL decodes one sequence, and the device's read bandwidth in the same run."""
    from hipport.llm.measure import measure

    with opened_weights(options) as (weights, _), shown_progress() as listener:
        engine = open_chosen(weights, options, prompt_tokens + tokens, listener)
    with engine:
        found = measure(engine, prompt_tokens, tokens, repeat)
    _show(options["random"] or options["model"].name, found)
    if path:
        _write(path, found)


def _show(name: str, found: Measurement) -> None:
    click.echo(f"{name} on {found.device}")
    click.echo(f"prefill  {found.prompt_tokens:6} tokens  {found.prefill_rate:10.1f} tokens/s")
    click.echo(f"decode   {found.tokens:6} tokens  {found.decode_rate:10.1f} tokens/s")
    click.echo(f"weights that a token reads: {found.token_bytes / 1e6:,.1f} MB")
    click.echo(
        f"read bandwidth: {found.read_bandwidth / 1e9:,.1f} GB/s, of which decoding reaches {found.fraction:.1%}"
    )


def _write(path: Path, found: Measurement) -> None:
    from hipport.errors import HipportError

    rates = {name: getattr(found, name) for name in ("prefill_rate", "decode_rate", "fraction")}
    try:
        path.write_text(json.dumps(asdict(found) | rates, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise HipportError(f"cannot write {path}: {error.strerror}") from None
