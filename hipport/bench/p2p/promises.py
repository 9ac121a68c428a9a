"""Theoretical link rates, as data: bytes per second of one link in one direction."""

from __future__ import annotations

from dataclasses import dataclass

from hipport.bench.p2p.measurements import Device, Link, Measurements

XGMI, NVLINK = "xGMI", "NVLink"


@dataclass(frozen=True, slots=True)
class Row:
    """Links of one kind between GPUs of one architecture; `reached` is the share of the rate that others report."""

    architecture: str
    kind: str
    rate: float
    source: str
    reached: float | None = None


ROWS = (
    Row("gfx90a", XGMI, 50e9, "16 lanes of 25 GT/s: AMD, MI250 microarchitecture, ROCm 7.14", reached=0.7),
    Row("gfx942", XGMI, 64e9, "16 lanes of 32 GT/s: Schieffer et al., arXiv 2508.11298, 2025-08"),
    Row("sm_60", NVLINK, 20e9, "NVLink 1: NVIDIA Tesla P100 white paper, 2016"),
    Row("sm_70", NVLINK, 25e9, "NVLink 2: NVIDIA Tesla V100 white paper, 2017-08"),
    Row("sm_80", NVLINK, 25e9, "NVLink 3: NVIDIA A100 white paper, 2020"),
    Row("sm_90", NVLINK, 25e9, "NVLink 4: NVIDIA H100 white paper, 2022"),
    Row("sm_100", NVLINK, 50e9, "NVLink 5: NVIDIA Blackwell architecture brief, 2024-03"),
)


def row_for(device: Device, link: Link | None) -> Row | None:
    """Return the row for a link that starts at a device, or None if it is unknown."""
    if link is None:
        return None
    return next((row for row in ROWS if (row.architecture, row.kind) == (device.architecture, link.kind)), None)


def promise(result: Measurements, source: int, target: int) -> float | None:
    """Return the maximum rate of a copy from one GPU to another in bytes per second; None if it is unknown.

    Within a GPU a copy reads and writes each byte, so it has half of the memory's rate.
    """
    device = result.devices[source]
    if source == target:
        return None if result.target == "cpu" else device.memory_rate / 2 or None
    link = result.links[source][target]
    row = row_for(device, link)
    return row.rate * link.count if row and link and link.count else None


def explanations(result: Measurements) -> tuple[str, ...]:
    """Return each kind of connection in a machine once, with its theoretical rate and the source of that figure."""
    found: dict[str, None] = {}
    for source, row in enumerate(result.links):
        for target, link in enumerate(row):
            if link is not None:
                found[_explanation(result, source, target, link)] = None
    return tuple(found)


def _explanation(result: Measurements, source: int, target: int, link: Link) -> str:
    known, rate = row_for(result.devices[source], link), promise(result, source, target)
    if known is None or rate is None:
        return f"{link}: nominal rate unknown"
    usual = f", about {known.reached:.0%} reached in practice" if known.reached else ""
    return f"{link} of {known.rate / 1e9:.0f} GB/s: {rate / 1e9:.0f} GB/s per direction{usual} ({known.source})"
