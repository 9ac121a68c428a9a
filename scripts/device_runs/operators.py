"""Time the fused operators of the tile library beside PyTorch's, on the same sizes, in turn in one process.

    python -m scripts.device_runs.operators --json FILE --target nvidia

All results are compared with a reference in double precision. PyTorch runs eagerly and compiled. Times are microseconds
by the device's clock, medians; on the CPU target, whose times mean nothing, small sizes show that everything runs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from hipport.builds.shipped import choose_target
from hipport.llm.harness.binding import Device, open_device
from hipport.llm.harness.checking import check
from hipport.llm.harness.kernel import Sizes, kernels
from hipport.llm.harness.kernels.grouped_gemm import group_starts
from hipport.llm.harness.measuring import Prepared, launches
from hipport.toolchain.places import Surroundings

_ROUNDS, _ENOUGH_SECONDS, _MOST = 3, 0.02, 200
Made = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """An operator at some sizes, and PyTorch's form of it: a function of tensors, and how to make those."""

    kernel: str
    sizes: Sizes
    function: Callable[..., Any]
    inputs: Callable[[Sizes], Sequence[Any]]


def main() -> int:
    """Measure, print and write all cases; return 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--target", required=True)
    told = parser.parse_args()
    where, trial = Surroundings(), told.target == "cpu"
    device = open_device(choose_target(where, told.target), where, print)
    found = []
    for case in _cases(trial):
        found.append({"kernel": case.kernel, "sizes": dict(case.sizes), **_measured(device, case, compiled=not trial)})
        print(json.dumps(found[-1]), flush=True)
        told.json.write_text(json.dumps(found, indent=1))
    return int(any(each["problem"] for each in found))


def _measured(device: Device, case: Case, *, compiled: bool) -> dict[str, Any]:
    """Return the microseconds of each, the operations of the kernel, and its largest error or what is wrong."""
    kernel = kernels()[case.kernel]
    call = kernel.make(np.random.default_rng(0), case.sizes)
    prepared = Prepared(device, call)
    newest = max(launched.version.number for launched in launches(device, kernel))
    ours = [launched for launched in launches(device, kernel) if launched.version.number == newest]
    found: dict[str, Any] = {f"hipport, {each.block} threads": prepared.seconds(each) * 1e6 for each in ours}
    expected = call.expected()
    outcomes = [check(device, each.version, each.block, call, expected, kernel.tolerance) for each in ours]
    found["error"] = max(outcome.error for outcome in outcomes)
    found["problem"] = "; ".join(outcome.problem for outcome in outcomes if outcome.problem)
    inputs = case.inputs(case.sizes)
    forms: Mapping[str, Callable[..., Any]] = {
        "PyTorch": case.function,
        **({"PyTorch, compiled": torch.compile(case.function)} if compiled else {}),
    }
    for name, function in forms.items():
        try:
            found[name] = _seconds(lambda function=function: function(*inputs)) * 1e6  # type: ignore[misc]
        except Exception as error:  # what this release of PyTorch cannot do is a result
            found[name] = str(error)[:300]
    work = kernel.work(case.sizes)
    return found | {"flops": work.flops, "bytes": work.bytes}


def _seconds(run: Made) -> float:
    """Return the median time of a call, over rounds that are long enough for the clock."""
    for _ in range(3):
        run()
    once = _elapsed(run, 1)
    count = max(1, min(_MOST, int(_ENOUGH_SECONDS / max(once, 1e-6))))
    return statistics.median(_elapsed(run, count) / count for _ in range(_ROUNDS))


def _elapsed(run: Made, count: int) -> float:
    if not torch.cuda.is_available():
        started = time.perf_counter()
        for _ in range(count):
            run()
        return time.perf_counter() - started
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    first.record()
    for _ in range(count):
        run()
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) / 1e3


def _cases(trial: bool) -> Iterator[Case]:
    """Yield all operators at all sizes; with `trial`, at small ones."""
    for rows, columns, depth in [(64, 64, 64)] if trial else [(4096, 4096, 4096), (4096, 3072, 768), (512, 4096, 4096)]:
        yield Case("gemm", {"rows": rows, "columns": columns, "depth": depth}, _gemm, _gemm_inputs)
    for batch, heads, positions, width in (
        [(1, 2, 64, 64)] if trial else [(4, 16, 1024, 64), (32, 12, 128, 64), (1, 32, 2048, 128)]
    ):
        sizes = {"batch": batch, "heads": heads, "queries": positions, "keys": positions, "width": width}
        yield Case("attention", sizes, _attention, _attention_inputs)
    grouped = (_looped, _looped_inputs) if trial else (_grouped, _grouped_inputs)
    for groups, rows, columns, depth in (
        [(3, 70, 64, 64)] if trial else [(64, 8192, 2048, 2048), (128, 4096, 768, 2048), (8, 4096, 4096, 4096)]
    ):
        yield Case("grouped_gemm", {"groups": groups, "rows": rows, "columns": columns, "depth": depth}, *grouped)
    for rows, width in [(4, 64)] if trial else [(16384, 4096), (4096, 768)]:
        yield Case("layer_norm", {"rows": rows, "width": width}, _normal, _normal_inputs)


def _gemm(x: Any, weights: Any, bias: Any, first: Any, second: Any) -> Any:
    return functional.gelu(functional.linear(x, weights, bias) + first + second, approximate="tanh")


def _gemm_inputs(sizes: Sizes) -> Sequence[Any]:
    rows, columns, depth = sizes["rows"], sizes["columns"], sizes["depth"]
    return [_random(*shape) for shape in ((rows, depth), (columns, depth), (columns,), *[(rows, columns)] * 2)]


def _attention(query: Any, key: Any, value: Any) -> Any:
    return functional.scaled_dot_product_attention(*(part.transpose(1, 2) for part in (query, key, value)))


def _attention_inputs(sizes: Sizes) -> Sequence[Any]:
    shape = sizes["batch"], sizes["queries"], sizes["heads"], sizes["width"]
    return [_random(*shape) for _ in range(3)]


def _grouped(x: Any, weights: Any, ends: Any, bias: Any) -> Any:
    return functional.gelu(torch._grouped_mm(x, weights, offs=ends) + bias, approximate="tanh")


def _looped(x: Any, weights: Any, bounds: Sequence[int], bias: Sequence[Any]) -> Any:
    parts = [
        functional.linear(x[first:last], weights[group], bias[group])
        for group, (first, last) in enumerate(itertools.pairwise(bounds))
    ]
    return functional.gelu(torch.cat(parts), approximate="tanh")


def _normal(x: Any, residual: Any, factors: Any, summands: Any) -> Any:
    return functional.layer_norm(x + residual, (x.shape[-1],), factors, summands, 1e-5)


def _normal_inputs(sizes: Sizes) -> Sequence[Any]:
    shape = sizes["rows"], sizes["width"]
    return [_random(*shape), _random(*shape), _random(shape[1]), _random(shape[1])]


def _starts(sizes: Sizes) -> Any:
    """Return the groups' first rows; as many rows in each as in the kernel's call."""
    return group_starts(np.random.default_rng(0), sizes["groups"], sizes["rows"])


def _grouped_inputs(sizes: Sizes) -> Sequence[Any]:
    """Return bfloat16 tensors, which PyTorch's grouped products need, and the bias of each row."""
    groups, rows, columns, depth = (sizes[name] for name in ("groups", "rows", "columns", "depth"))
    starts = _starts(sizes)
    weights = _random(groups, columns, depth).to(torch.bfloat16).transpose(1, 2)
    owners = np.repeat(np.arange(groups), np.diff(starts))
    bias = _random(groups, columns).to(torch.bfloat16)[torch.tensor(owners, device=weights.device)]
    ends = torch.tensor(starts[1:], dtype=torch.int32, device=weights.device)
    return [_random(rows, depth).to(torch.bfloat16), weights, ends, bias]


def _looped_inputs(sizes: Sizes) -> Sequence[Any]:
    groups, rows, columns, depth = (sizes[name] for name in ("groups", "rows", "columns", "depth"))
    return [_random(rows, depth), _random(groups, columns, depth), _starts(sizes).tolist(), _random(groups, columns)]


def _random(*shape: int) -> Any:
    """Return random numbers in half precision; on the CPU in single precision."""
    on_gpu = torch.cuda.is_available()
    return torch.randn(shape, device="cuda" if on_gpu else "cpu", dtype=torch.float16 if on_gpu else torch.float32)


if __name__ == "__main__":
    raise SystemExit(main())
