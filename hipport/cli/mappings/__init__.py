"""`hipport mappings`: one file per command, imported on first use."""

from __future__ import annotations

from hipport.cli.lazy import LazyGroup

command = LazyGroup(
    "mappings",
    package="hipport.cli.mappings",
    summaries={
        "query": "Show what the tables say about a name.",
        "check": "Check that headers declare the names in the tables.",
        "coverage": "Show how much of a CUDA release the tables cover.",
        "sync": "Propose table entries for new names in headers.",
    },
    help="Query the mapping tables, check them against headers, update them.",
)
