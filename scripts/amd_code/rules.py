"""Rules for the kernels' code, and violations of them or of the stored table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scripts.amd_code.units import Row

_TILED_KERNELS = ("matmul_kernel", "split_k_matmul_kernel", "prefill_attention_kernel", "gemm_kernel", "tiles_kernel")
MATRIX_KERNELS = (*_TILED_KERNELS, "native_matmul_kernel")
MATRIX_TARGETS = ("gfx90a", "gfx942", "gfx1100")
"""The targets with matrix instructions."""
HOT_KERNELS = (
    *_TILED_KERNELS,
    "decode_step_kernel",
    "split_kernel",
    "stages_kernel",
    "read_kernel",
    "sixteen_bytes_kernel",
)
"""Kernels whose loops read most of their data from memory, in loads of 16 bytes per lane."""

Key = tuple[str, str, str]


def violations(found: Iterable[Row], kept: Mapping[Key, Row]) -> Iterator[str]:
    """Yield the rules that rows break, and what is worse than in the stored rows."""
    for row in found:
        name = f"{row.target} {row.source} {row.kernel}"
        yield from (f"{name}: {fault}" for fault in _faults(row))
        yield from (f"{name}: {fault}" for fault in _worse(row, kept.get(row.key)))


def _faults(row: Row) -> Iterator[str]:
    base = row.kernel.split("<", 1)[0]
    if row.scratch:
        yield f"{row.scratch} bytes of scratch"
    if row.vgpr_spills:
        yield f"{row.vgpr_spills} spilled VGPRs"
    if row.sgpr_spills:
        yield f"{row.sgpr_spills} spilled SGPRs"
    if row.waves < row.planned:
        yield f"{row.waves} waves per SIMD, but {row.planned} are planned"
    if base in MATRIX_KERNELS and row.target in MATRIX_TARGETS and not row.counts.matrix:
        yield "no matrix instructions"
    if base in HOT_KERNELS and not row.counts.wide_loads:
        yield "no loads of 16 bytes in its loops"


def _worse(row: Row, kept: Row | None) -> Iterator[str]:
    if kept and row.waves < kept.waves:
        yield f"{row.waves} waves per SIMD, but {kept.waves} in the table"
