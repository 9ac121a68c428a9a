"""`hipport bench`: one file per benchmark, imported on first use."""

from __future__ import annotations

from hipport.cli.lazy import LazyGroup

command = LazyGroup(
    "bench",
    package="hipport.cli.bench",
    summaries={"p2p": "Measure copies between all pairs of GPUs, with the nominal rates of their links."},
    help="Measure the GPUs of this machine.",
)
