"""`hipport llm`: one file per command, imported on first use."""

from __future__ import annotations

from hipport.cli.lazy import LazyGroup

command = LazyGroup(
    "llm",
    package="hipport.cli.llm",
    summaries={
        "generate": "Continue a text.",
        "chat": "Talk with a model in the terminal.",
        "serve": "Answer requests over HTTP, as OpenAI's API has them.",
        "bench": "Measure tokens a second, and how much of the memory's speed that is.",
        "kernels": "Check and measure every kernel alone.",
    },
    help="Run language models on AMD GPUs, NVIDIA GPUs and the CPU.",
)
