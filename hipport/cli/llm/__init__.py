"""`hipport llm`: one file per command, imported on first use."""

from __future__ import annotations

from hipport.cli.lazy import LazyGroup

command = LazyGroup(
    "llm",
    package="hipport.cli.llm",
    summaries={
        "generate": "Generate text from a prompt.",
        "chat": "Chat with a model in the terminal.",
        "serve": "Serve a model over HTTP with an OpenAI-compatible API.",
        "bench": "Measure tokens per second and memory bandwidth.",
        "load": "Measure throughput and latencies of a server under load.",
        "perplexity": "Measure how well a model predicts a text.",
        "quantize": "Write a GGUF file with its matrices in other types.",
        "kernels": "Check and measure each kernel separately.",
    },
    help="Run language models on AMD GPUs, NVIDIA GPUs and the CPU.",
)
