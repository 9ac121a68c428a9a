"""The steps: what is run, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass

PARTS = ("right", "speed", "serving")


@dataclass(frozen=True, slots=True)
class Step:
    """A Python module that is run with arguments, `{result}` among them if it writes JSON. `limit` is in seconds."""

    part: str
    name: str
    limit: int
    command: tuple[str, ...]


def steps(*, trial: bool) -> list[Step]:
    """Return all steps; with `trial`, those for the CPU target, with tiny models."""
    target = "cpu" if trial else "nvidia"
    on = ("--target", target)
    seven, thirteen = ("tiny", "tiny") if trial else ("llama2-7b", "llama2-13b")
    eight, experts = ("qwen3-tiny", "qwen3-moe-tiny") if trial else ("qwen3-8b", "qwen3-30b-a3b")
    tokens, few, prompt = ("16", "4", "16") if trial else ("512", "128", "512")
    load = ("4", "24", "6") if trial else ("256", "512", "128")

    def bench(shape: str, *more: str) -> tuple[str, ...]:
        return ("hipport", "llm", "bench", *on, "--random-weights", shape, "--json", "{result}", *more)

    def in_turn(shape: str, *batches: str) -> tuple[str, ...]:
        lengths = ("--tokens", tokens, "--batch-tokens", few, "--prompt-tokens", prompt)
        more = (*on, "--batches", ",".join(batches), "--rounds", "1" if trial else "5", *lengths)
        return ("scripts.device_runs.in_turn", shape, "--json", "{result}", *more)

    many = ("--random-weights", seven, "--rounds", "1", "--sequences", "9" if trial else "53")
    batches = ("2",) if trial else ("16", "32", "64")
    peers = ("--batch", batches[0], "--prompt-tokens", prompt, "--tokens", few)
    return [
        Step("right", "machine", 60, ("scripts.device_runs.machine", "--json", "{result}")),
        Step("right", "engines", 330, ("scripts.device_runs.engines", "--json", "{result}", *on)),
        Step("right", "cuda-and-hip-7b", 120, in_turn(seven, *batches)),
        Step("right", "steps-of-many", 120, ("tests.llm.engine.batched_beside_single", *on, *many)),
        Step("right", "prompts", 200, ("scripts.device_runs.prompts", seven, "--json", "{result}", *on)),
        Step(
            "right",
            "prompts-of-experts",
            200,
            ("scripts.device_runs.prompts", experts, "--json", "{result}", *on, "--ties", "2"),
        ),
        Step("right", "tokens-of-transformers", 320, ("tests.llm.against_transformers", *on)),
        Step("right", "native-formats", 150, ("tests.llm.native_on_device", *on)),
        Step("speed", "cuda-and-hip-13b", 150, in_turn(thirteen, *batches[:2])),
        Step("speed", "native-7b", 90, bench(seven, "--weights", "native", *_batches(batches), *peers[2:])),
        Step("speed", "qwen3-8b", 120, bench(eight, "--batch", batches[0], *peers[2:])),
        Step("speed", "operators", 200, ("scripts.device_runs.operators", "--json", "{result}", *on)),
        Step("serving", "load", 200, ("scripts.device_runs.served", seven, "--json", "{result}", *on, *load)),
        Step(
            "serving", "beside-transformers", 200, bench(seven, "--compare", "transformers", "--speculate", "3", *peers)
        ),
        # Without transformers, which takes minutes to open 60 GB of weights.
        Step("serving", "experts", 180, bench(experts, *_batches(batches), *peers[2:])),
        Step("serving", "beside-pytorch", 200, bench(seven, "--compare", "torch", "--tokens", tokens)),
    ]


def _batches(counts: tuple[str, ...]) -> list[str]:
    return [word for count in counts for word in ("--batch", count)]
