"""Write what `python -m scripts.device_runs` has found into docs/benchmarks.md, as tables.

    python -m scripts.device_runs.page

reads docs/data/device-runs-h200.json and -h100.json: the steps' results without their output.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_DOCS = Path(__file__).parents[2] / "docs"
PAGE = _DOCS / "benchmarks.md"
DATA = {gpu: _DOCS / "data" / f"device-runs-{gpu}.json" for gpu in ("h200", "h100")}
_LATENCIES = {"ttft": "first token", "tpot": "per token", "e2el": "whole request"}


def main() -> None:
    """Write the page."""
    page = PAGE.read_text("utf-8")
    for gpu, data in DATA.items():
        page = rendered(page, gpu, json.loads(data.read_text("utf-8")))
    PAGE.write_text(page, "utf-8")


def rendered(page: str, gpu: str, steps: list[dict[str, Any]]) -> str:
    """Return the page with the tables of these steps on a GPU."""
    first, last = (f"<!-- {word}: scripts.device_runs.page {gpu} -->\n" for word in ("begin", "end"))
    found = {step["step"]: step["result"] for step in steps if step["state"] == "done"}
    before, rest = page.split(first)
    text = "\n".join(_text(found))
    return f"{before}{first}{text}\n\n{last}{rest.split(last)[1]}"


def _text(found: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield from _in_turn(found["cuda-and-hip-7b"], found["cuda-and-hip-13b"])
    yield ""
    yield from _beside(found["beside-transformers"], found["beside-pytorch"])
    yield ""
    shapes = {"Llama-2-7B, native (Q4_K, Q6_K)": "native-7b", "Qwen3-8B": "qwen3-8b", "Qwen3-30B-A3B": "experts"}
    yield from _others({name: found[step] for name, step in shapes.items()})
    yield ""
    yield from _served(found["load"])
    yield ""
    yield from _operators(found["operators"])


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _in_turn(seven: Mapping[str, Any], thirteen: Mapping[str, Any]) -> Iterator[str]:
    yield "CUDA by nvcc and HIP by `--target nvidia` in turn in one process, medians of five rounds:"
    yield ""
    yield "| tokens per second | 7B, CUDA | 7B, HIP | 13B, CUDA | 13B, HIP |"
    yield "|---|---:|---:|---:|---:|"
    columns = [run[name] for run in (seven, thirteen) for name in ("CUDA", "HIP")]
    rows = {"one sequence, 512 tokens": "single", "prompt of 512 tokens": "prompt"}
    rows |= {f"{count} sequences, 128 tokens each": f"batch {count}" for count in (16, 32, 64)}
    for name, key in rows.items():
        yield f"| {name} | {' | '.join(_rate(each.get(key)) for each in columns)} |"
    fractions = [each["fraction"] for each in columns]
    yield f"| fraction of the read bandwidth | {' | '.join(f'{value:.1%}' for value in fractions)} |"
    drafts = [each["drafts"] for each in columns]
    plain = [each["plain_rate"] for each in drafts]
    yield f"| one sequence, a step at a time | {' | '.join(_rate(value) for value in plain)} |"
    right = (f"{each['rate']:,.0f} ({each['accepted']} of {each['drafted']} right)" for each in drafts)
    yield f"| with drafts of 3 from repetitions | {' | '.join(right)} |"
    same = " and ".join(f"{run['same']['tokens']} ({name})" for name, run in (("7B", seven), ("13B", thirteen)))
    told = "the same" if seven["same"]["equal"] and thirteen["same"]["equal"] else "NOT the same"
    yield ""
    yield f"Both made {told} greedy tokens: {same}."


def _beside(transformers: Mapping[str, Any], torch: Mapping[str, Any]) -> Iterator[str]:
    yield "Beside transformers and PyTorch, the shape of Llama-2-7B; each command measures all of its rows in one run:"
    yield ""
    yield "| tokens per second | one sequence | 16 sequences | prompt of 512 |"
    yield "|---|---:|---:|---:|"
    batch = transformers["batches"][0]["rate"]
    cells = f"{transformers['decode_rate']:,.0f} | {batch:,.0f} | {transformers['prefill_rate']:,.0f}"
    yield f"| hipport, q4f16_32, 128 tokens after the prompt | {cells} |"
    names = dict.fromkeys(peer["name"] for peer in transformers["peers"])
    for name in names:
        own = {peer["sequences"]: peer for peer in transformers["peers"] if peer["name"] == name}
        many = f"{own[16]['tokens_per_second']:,.0f}" if 16 in own else ""
        yield f"| {name} | {own[1]['tokens_per_second']:,.0f} | {many} | {own[1]['prompt_rate']:,.0f} |"
    yield f"| hipport, q4f16_32, 512 tokens after one | {torch['decode_rate']:,.0f} | | |"
    for peer in torch["peers"]:
        yield f"| {peer['name']} | {peer['tokens_per_second']:,.0f} | | |"


def _others(runs: Mapping[str, Any]) -> Iterator[str]:
    yield "| tokens per second, 128 tokens after prompts of 512 | one sequence | 16 | 32 | 64 | prompt |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, run in runs.items():
        rates = {batch["sequences"]: batch["rate"] for batch in run["batches"]}
        many = " | ".join(f"{rates[count]:,.0f}" if count in rates else "" for count in (16, 32, 64))
        yield f"| {name} | {run['decode_rate']:,.0f} | {many} | {run['prefill_rate']:,.0f} |"


def _served(loads: Mapping[str, Any]) -> Iterator[str]:
    load = next(iter(loads.values()))["load"]
    low, high = ((1 + sign * load["spread"]) for sign in (-1, 1))
    yield (
        f"`hipport llm serve` (64 sequences, 7B) under `hipport llm load`: {load['requests']} requests, prompts of "
        f"{low * load['prompt_tokens']:.0f} to {high * load['prompt_tokens']:.0f} tokens, answers of "
        f"{low * load['tokens']:.0f} to {high * load['tokens']:.0f}. Milliseconds, P50, P90 and P99:"
    )
    yield ""
    yield f"| load | generated tokens/s | all tokens/s | {' | '.join(_LATENCIES.values())} |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, each in loads.items():
        shown = (each["latencies"][key]["percentiles"].values() for key in _LATENCIES)
        cells = " | ".join(", ".join(f"{value:,.1f}" for value in values) for values in shown)
        yield f"| {name} | {each['token_throughput']:,.0f} | {each['total_token_throughput']:,.0f} | {cells} |"


def _operators(found: list[dict[str, Any]]) -> Iterator[str]:
    yield "[Tile operators](operators.md) beside PyTorch, microseconds; the best block of hipport's:"
    yield ""
    yield "| operator | sizes | hipport | PyTorch | PyTorch, compiled | hipport as a multiple of the faster |"
    yield "|---|---|---:|---:|---:|---:|"
    for case in found:
        own = min(value for name, value in case.items() if name.startswith("hipport"))
        peers = [case["PyTorch"], case["PyTorch, compiled"]]
        sizes = ", ".join(f"{value} {name}" for name, value in case["sizes"].items())
        cells = f"{own:,.1f} | {' | '.join(f'{each:,.1f}' for each in peers)} | {own / min(peers):.2f}"
        yield f"| {case['kernel']} | {sizes} | {cells} |"


if __name__ == "__main__":
    main()
