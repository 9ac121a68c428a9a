"""Generate the page docs/amd-code.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scripts.amd_code.table import Table
from scripts.amd_code.units import ROOT, Row

FILE = ROOT / "docs" / "amd-code.md"
_NAME = 56
_HEADINGS = (
    *("kernel", "target", "VGPR", "AGPR", "SGPR", "spills", "scratch", "LDS", "wave", "waves", "plan"),
    *("matrix", "loads", "LDS loads"),
)

_INTRO = """\
# What compilers make of the kernels for AMD GPUs

The kernels of `hipport llm` have never run on an AMD GPU here, so what can be said of them there is what their code
says. This page is written by `python -m scripts.amd_code`, which compiles the engine, the operators and all versions in
the harness with the compiler that `hipport llm` takes, reads the numbers as `hipport inspect --json` gives them, and
counts instructions in what `llvm-objdump` prints. `python -m scripts.amd_code --check` compiles it all again and fails
where something has become worse; `tests/llm/test_amd_code.py` does so for a part in every run of the tests. All numbers
are in [`data/amd-code.json`](data/amd-code.json).

What has to hold: no scratch, no spilled VGPRs and no spilled SGPRs in any kernel, no fewer waves than in this table,
room on each compute unit for a block of the size that the kernel is compiled for, matrix instructions (`v_mfma`,
`v_wmma`) in the matrix kernels where the target has them, and loads of 16 bytes a lane in the loops that read much.
gfx1030 has no matrix instructions: its matrix kernels multiply with packed halves or dot products.

The table is of the usual formats: 4-bit weights in groups of 32, half precision. The kernels of steps and of prompts
were also compiled by hand, for all four targets, with 16-bit weights, bfloat16 and 8-bit keys and values, each alone
and the three together, and with groups of 128, alone and with the last two: nothing spills there, either. Every
run of the tests compiles one combination, for gfx942."""

_RDNA3 = """\
For gfx11xx clang 15 takes the register file for smaller than it is, and spills. So `hipport build` takes a newer clang
where there is one ([how it chooses](build.md#targets)); where there is none, that of ROCm."""

_COLUMNS = """\
VGPR includes AGPRs on gfx90a and gfx942, which share a register file. `spills` are VGPRs/SGPRs. `waves` fit on a SIMD,
of those that the hardware has room for, with what limits them; `plan` is how many a single block takes. Memory that is
`extern __shared__`, known only at the launch, is not counted in LDS. `matrix` counts `v_mfma` and `v_wmma`. `loads` and
`LDS loads` are those inside loops: with 16 bytes a lane, and all. They count where they stand in the code, not as often
as they run: all of `decode_step_kernel` is a loop over the layers, in which weights are read by the wide ones."""

_STEPS = """\
A kernel that holds a whole step of a model has little room: a wave can have about 104 scalar registers, and with 64
lanes a condition takes two of them. The compiler computes before a loop what does not change in it, which here would
be nearly everything, of all phases at once. So on AMD GPUs the phases get their arguments and the number of their
thread as if they were new each time (`read_again`, `thread_index`): with that `decode_step_kernel<1, 128>` needs 120
vector registers on gfx90a where it took 338, and no scalar register is spilled (`v_writelane`, `v_readlane`) where 38
were."""


def text(table: Table) -> str:
    """Return the text of the page."""
    engine = [row for row in table.rows if row.source.startswith("engine/")]
    others = [row for row in table.rows if not row.source.startswith("engine/")]
    parts = [_INTRO, "\n".join(_targets(table)), _RDNA3, "## Steps", _STEPS]
    parts += ["## Engine", _COLUMNS, "\n".join(_rows(engine)), "## Operators and the harness", "\n".join(_rows(others))]
    return "\n\n".join(parts) + "\n"


def write(table: Table) -> None:
    FILE.write_text(text(table), encoding="utf-8")


def _targets(table: Table) -> Iterator[str]:
    yield "| target | compiler | kernels | with scratch | spilling VGPRs | spilling SGPRs | with matrix instructions |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for target, compiler in table.compilers.items():
        own = [row for row in table.rows if row.target == target]
        counts = (
            len(own),
            sum(row.scratch > 0 for row in own),
            sum(row.vgpr_spills > 0 for row in own),
            sum(row.sgpr_spills > 0 for row in own),
            sum(row.counts.matrix > 0 for row in own),
        )
        yield f"| {target} | {compiler} | {' | '.join(map(str, counts))} |"


def _rows(rows: Iterable[Row]) -> Iterator[str]:
    yield f"| {' | '.join(_HEADINGS)} |"
    yield "|---|---|" + "---:|" * 7 + "---|" + "---:|" * 4
    for row in _ordered(rows):
        agprs = "-" if row.agprs is None else row.agprs
        waves = f"{row.waves}/{row.most} {row.limited_by}".strip()
        counts = row.counts
        cells = (
            *(_name(row), row.target, row.vgprs, agprs, row.sgprs, f"{row.vgpr_spills}/{row.sgpr_spills}"),
            *(row.scratch, row.lds, row.wave, waves, row.planned, counts.matrix),
            *(f"{counts.wide_loads}/{counts.loads}", f"{counts.wide_local_loads}/{counts.local_loads}"),
        )
        yield f"| {' | '.join(map(str, cells))} |"


def _ordered(rows: Iterable[Row]) -> list[Row]:
    """Sort rows by kernel; targets keep their order."""
    return sorted(rows, key=lambda row: (row.source, row.kernel))


def _name(row: Row) -> str:
    """Return a kernel's name, shortened if long, prefixed with its harness file."""
    name = row.kernel if len(row.kernel) <= _NAME else f"{row.kernel[: _NAME - 3]}..."
    place = "" if row.source.startswith("engine/") else f"{row.source.rpartition('/')[2]}: "
    return f"{place}`{name}`"
