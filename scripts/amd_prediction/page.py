"""Generate the page docs/amd-prediction.md and its chart."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.llm.bench import chart
from scripts.amd_prediction.machine import Machine, machines
from scripts.amd_prediction.predict import handovers
from scripts.amd_prediction.results import ROOT, Results, total
from scripts.amd_prediction.workload import PROMPT, shapes

FILE = ROOT / "docs" / "amd-prediction.md"
CHART = ROOT / "docs" / "images" / "amd-prediction.svg"
_KINDS = {"decode": "decode", "native": "Q4_K_M", "prompt": "prompt"}
_MODELS = {"llama2-7b": "Llama-2-7B", "llama2-13b": "Llama-2-13B"}

_INTRO = """\
# Predicted speed on AMD GPUs

Nothing on this page was timed on an AMD GPU. It predicts the speed of `hipport llm` for Llama 2 with 4-bit weights
from the machine code that the [emulator](emulation.md) runs: `python -m scripts.amd_prediction --write` generates
it, with the numbers in [`data/amd-prediction.json`](data/amd-prediction.json).

## Result

![Tokens per second of one sequence](images/amd-prediction.svg)

Tokens per second of one sequence of Llama-2 with 4-bit weights in groups of 32 and 512 tokens, and of a prompt of
512. The limit is that of reading weights, keys and values at the bandwidth that the GPU's data sheet states."""

_NATIVE = """\
### With the weights of a Q4_K_M file as they are

Tokens per second of one sequence where the weights stay [in the formats of the
file](llm.md#one-sequence-with-the-formats-of-model-files): Q4_K, and Q6_K for the head and, in half of the layers, for
values and the down projection."""

_METHOD = """\
## How it is computed

1. Each kernel of a decode step and of a prompt is launched in the emulator by the harness of [`hipport llm
   kernels`](operators.md), with the depth, the columns and the rows per work-group that it has in the model, but
   with few work-groups. `--profile` counts bank conflicts and gives registers and shared memory; `--trace` gives
   the instructions that a wavefront executes, loops included.
2. The trace is timed on a model of one compute unit (CDNA) or workgroup processor (RDNA): its four SIMDs hold as
   many wavefronts of that trace as the launch has, limited by registers and shared memory. Instructions issue in
   order. Results are late by the latency of their unit; `s_waitcnt` waits for as many loads as it names; barriers
   wait for all wavefronts. A load takes the latency of memory, and its place in a queue of the unit's share of the
   bandwidth.
3. A launch has the time of the work-groups that follow each other on a unit. Phases of a decode step have one
   work-group on each unit and start with no load on its way. The largest number of rows on a unit counts, so that
   rows that do not divide evenly cost what they do.
4. The bounds in the tables are those of single resources at their peak. "Waits" is the time with unlimited
   bandwidth: issue, dependences and latency. A launch is bound by what is busy for 85% of its time, otherwise by
   waits.

`scripts/amd_prediction/machines.toml` has the figures of each GPU with their sources, and marks those that are
assumed. `tests/llm/test_amd_prediction.py` tests the model with kernels whose times are known: a pure copy, pure
FMAs, pure LDS loads and chains of dependent loads.

### What it leaves out

- What changes in the code: `python -m scripts.amd_prediction --write --machines MI250X --kinds prompt`, for example,
  emulates a part again. Prompts are from before the last change, which is of decode steps.
- Caches: each load has the latency of memory, also one that hits a cache. Prompt kernels, which read weights and
  activations several times from L2, are faster in this respect than predicted.
- Reachable bandwidth: GPUs do not reach the stated one; 80% to 90% is usual.
- Clocks: the data sheet's boost clock is assumed. Under power limits matrix units run slower.
- Instruction caches, register banks, address translation, DRAM pages, and differences between compute units.
- The persistent kernel: its phases are timed as the separate kernels `matvec` and `native_matvec` of the harness,
  which have the same code. Between phases vectors travel through memory: five times a layer, a store and a load. The
  load is part of the phase, the store is added with the latency of memory. Sampling and the launch are left out.
- Ryzen AI Max is gfx1151; its times are those of gfx1100's code.

### Is it right?

No AMD GPU was there to compare with. The same model cannot be applied to the measured H200: the emulator runs AMD's
machine code only, and on Hopper weights come by bulk copies that the AMD code does not have. What can be compared:
on the H200 a decode step of the 7B shape takes 1.35 ms, where reading the weights takes 0.82 ms; of the difference,
hand-overs and the start of each phase were found to be the largest part, and so they are in the model."""

_DESIGN = """\
## What the prediction changed

The first prediction for the RX 7900 XTX was 79 tokens a second: 29% to 34% of the bandwidth in every product, bound
by waits. The compiler had placed each tile's loads directly before their use (`s_waitcnt vmcnt(1)` after two
loads), although the loop was unrolled: 0.8 KB on their way for each wavefront, where 960 GB/s with 500 ns need 10
KB for each workgroup processor. In the engine they were even `flat_load`, because the address comes from memory, so
that each wait for shared memory waited for them, too. Now a wavefront always has a whole stage (8 tiles) on its
way: tiles of the next stage are loaded into the registers of those that have been multiplied, from addresses that
are known to be global, and without a branch, since behind one the compiler waits for all loads (`StageTiles` in
`kernels/matvec.cuh`). NVIDIA's code is unchanged.

MI300X reached 33% of its bandwidth, MI250X 51%, for three more reasons. The compiler loaded the first stage in the
reverse order of its use; since loads end in order, and a wait holds for the first stage and for all others alike, each
stage waited for all of its loads (`s_waitcnt vmcnt(0)`). Barriers against moving loads had been for RDNA only. CDNA
converts each half by an instruction of its own before products of single numbers: dot products (`v_dot2c_f32_f16`)
need none. And a mask and an exponent, two constants, took two instructions, where one that has one of them in a vector
register does (`v_and_or_b32`): of 133 vector instructions for a tile 73 are left. With the order alone, MI300X was
predicted at about 530 tokens a second, 447 before.

Attention of a decode step took 8.9 microseconds in each layer on MI300X, of which the loads of keys and values are
one. The number of each page was loaded behind the keys and values of the page before it, and loads end in order:
four latencies of memory instead of one. Groups of lanes were combined with a branch for each; each position waited
for the one before it; and sums over 16 lanes went through the LDS four times. Now pages are looked up first, four
positions are added together, no branch is left, and sums use orders of lanes that an instruction reads itself
(DPP): 4.7 microseconds.

With the formats of model files, MI300X took 13.6 microseconds for queries, keys and values in Q4_K, where packed
weights take 8.7: at the end of each stage the compiler put bytes of scales of the next one together in registers, and
waited for their loads (`v_perm_b32` behind `s_waitcnt vmcnt(1)`); and the addresses of the matrices were loaded before
the vector, instead of beside it. Now it takes 9.9 (`arrived` in `kernels/native_lanes.cuh`).

What is left there is that each SIMD has a single wavefront, and that a phase's first weights are only loaded when
its vector has arrived: loaded before, they would end before the vector, since loads end in order. In the engine,
unlike in the harness, keys and values are loaded before the query arrives."""

_MLC = """\
## Beside MLC-LLM

The authors of MLC-LLM [measured](https://blog.mlc.ai/2023/08/09/Making-AMD-GPUs-competitive-for-LLM-inference)
4-bit Llama-2 7B and 13B on an RX 7900 XTX at 80% of the speed of an RTX 4090 and at 94% of that of an RTX 3090 Ti.
Their [table](https://github.com/mlc-ai/llm-perf-bench) of October 2023, with a later version, has 204.8 tokens/s
(7B) and 113.5 (13B) for the RTX 4090, and 186.7 and 107.4 for the RTX 3090 Ti. The column "by 80%" multiplies the
two; it was not measured."""


def text(results: Results) -> str:
    """Return the text of the page."""
    parts = [_INTRO, "\n".join(_summary(results)), _NATIVE, "\n".join(_natives(results))]
    parts += [_MLC, "\n".join(_beside(results)), _DESIGN, _METHOD]
    parts += ["## Latency of memory", _LATENCY, "\n".join(_latencies(results)), "## Kernels", _COLUMNS]
    for machine in machines():
        lines = list(_kernels(results, machine))
        parts += [f"### {machine.shown}", "\n".join(lines)] if len(lines) > 2 else []
    return "\n\n".join(parts) + "\n"


_LATENCY = """\
Latencies under load are the least certain of the figures. Tokens per second of one sequence with half, all and
twice the latency that the other tables assume:"""

_COLUMNS = """\
Microseconds of one launch. `memory`, `vector`, `matrix`, `LDS` and `L1` are the times that these need at their peak
rates (L1: the first vector caches); `waits` is the time with unlimited bandwidth of memory; `waves` are wavefronts
on a SIMD."""


def write(results: Results) -> None:
    """Write the page and the chart."""
    FILE.write_text(text(results), encoding="utf-8")
    CHART.write_text(picture(results), encoding="utf-8")


def picture(results: Results) -> str:
    """Return the chart of predicted decoding speeds and their limits."""
    rows = []
    for machine in machines():
        for model, shown in _MODELS.items():
            if results.of(machine.shown, model, "decode"):
                rows.append((f"{shown}, {machine.shown}: predicted", speed(results, machine, model)))
                rows.append((f"{shown}, {machine.shown}: memory's limit", limit(results, machine, model)))
    return chart.svg("4-bit Llama-2, one sequence, tokens per second", "Predicted from machine code, not timed.", rows)


def speed(results: Results, machine: Machine, model: str, kind: str = "decode") -> float:
    """Return the predicted tokens per second of one sequence."""
    rows = results.of(machine.shown, model, kind)
    return 1 / (total(rows) + handovers(shapes()[model].layers, machine))


def limit(results: Results, machine: Machine, model: str, kind: str = "decode") -> float:
    """Return the tokens per second at the stated bandwidth of memory."""
    return 1 / sum(row.bounds["memory"] * row.times for row in results.of(machine.shown, model, kind))


def _summary(results: Results) -> Iterator[str]:
    yield "| GPU | model | predicted | memory's limit | reached | decoding is bound by | prompt | matrix units' limit |"
    yield "|---|---|---:|---:|---:|---|---:|---:|"
    for machine in machines():
        for model in _MODELS:
            if not results.of(machine.shown, model, "decode"):
                continue
            yield f"| {_token(results, machine, model, 'decode')} | {_prompt(results, machine, model)} |"


def _natives(results: Results) -> Iterator[str]:
    yield "| GPU | model | predicted | memory's limit | reached | decoding is bound by |"
    yield "|---|---|---:|---:|---:|---|"
    for machine in machines():
        for model in _MODELS:
            if results.of(machine.shown, model, "native"):
                yield f"| {_token(results, machine, model, 'native')} |"


def _token(results: Results, machine: Machine, model: str, kind: str) -> str:
    """Return six cells: GPU, model, tokens per second, the limit, what is reached of it, and what bounds."""
    made, most = speed(results, machine, model, kind), limit(results, machine, model, kind)
    bound = _bound(results, machine, model, kind)
    return f"{machine.shown} | {_MODELS[model]} | {made:.0f} | {most:.0f} | {made / most:.0%} | {bound}"


def _prompt(results: Results, machine: Machine, model: str) -> str:
    """Return two cells: the predicted tokens per second of a prompt, and those by matrix units alone."""
    rows = results.of(machine.shown, model, "prompt")
    if not rows:
        return "not predicted | "
    matrix = sum(row.bounds["matrix units"] * row.times for row in rows)
    return f"{PROMPT / total(rows):,.0f} | {PROMPT / matrix:,.0f}"


def _bound(results: Results, machine: Machine, model: str, kind: str) -> str:
    """Return what bounds most of a token's time."""
    times: dict[str, float] = {}
    rows = results.of(machine.shown, model, kind)
    for row in rows:
        times[row.bound] = times.get(row.bound, 0.0) + row.total
    name = max(times, key=lambda each: times[each])
    return f"{name} ({times[name] / total(rows):.0%} of the time)"


def _beside(results: Results) -> Iterator[str]:
    yield "| model | RTX 4090 | RTX 3090 Ti | RX 7900 XTX by 80% | by 94% | predicted here |"
    yield "|---|---:|---:|---:|---:|---:|"
    machine = next(one for one in machines() if one.shown == "RX 7900 XTX")
    for model, larger, smaller in (("llama2-7b", 204.8, 186.7), ("llama2-13b", 113.5, 107.4)):
        if results.of(machine.shown, model, "decode"):
            made = speed(results, machine, model)
            yield (
                f"| {_MODELS[model]} | {larger} | {smaller} | {0.8 * larger:.0f} | {0.94 * smaller:.0f} | {made:.0f} |"
            )


def _latencies(results: Results) -> Iterator[str]:
    yield "| GPU | model | half | assumed | twice |"
    yield "|---|---|---:|---:|---:|"
    for machine in machines():
        for model, shown in _MODELS.items():
            rows = results.of(machine.shown, model, "decode")
            if not rows:
                continue
            cells = []
            for factor, name in ((0.5, "faster"), (1.0, "seconds"), (2.0, "slower")):
                other = machine.with_latency(factor)
                whole = sum(getattr(row, name) * row.times for row in rows) + handovers(shapes()[model].layers, other)
                cells.append(f"{1 / whole:.0f} ({other.memory_latency * 1e9:.0f} ns)")
            yield f"| {machine.shown} | {shown} | {' | '.join(cells)} |"


def _kernels(results: Results, machine: Machine) -> Iterator[str]:
    yield "| launch | times | predicted | memory | vector | matrix | LDS | L1 | waits | waves | bound by |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    for model, shown in _MODELS.items():
        for kind, called in _KINDS.items():
            for row in results.of(machine.shown, model, kind):
                names = ("memory", "vector units", "matrix units", "LDS", "L1")
                numbers = (row.seconds, *(row.bounds[name] for name in names), row.waits)
                cells = " | ".join(f"{seconds * 1e6:,.1f}" for seconds in numbers)
                yield f"| {shown}, {called}: {row.name} | {row.times} | {cells} | {row.waves} | {row.bound} |"
