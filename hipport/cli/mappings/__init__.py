"""`hipport mappings`: one file per command, imported on first use."""

from __future__ import annotations

from hipport.cli.lazy import LazyGroup

command = LazyGroup(
    "mappings",
    package="hipport.cli.mappings",
    summaries={
        "query": "Show all that the tables say about a name.",
        "check": "Check that headers declare what the tables say there is.",
        "coverage": "Show how much of a CUDA release the tables know.",
        "sync": "Propose the lines that new headers add to the tables.",
    },
    help="Ask the mapping tables, check them against headers, bring them up to date.",
)
