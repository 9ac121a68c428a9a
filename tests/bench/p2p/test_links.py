"""Links between GPUs as the system reports them, with files and program output recorded on real machines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hipport.bench.p2p.links import links
from hipport.bench.p2p.measurements import Device, Link, Measurements
from hipport.bench.p2p.promises import explanations, promise
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import file, program

TOPOLOGY = """\
\t\\033[4mGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\\033[0m
GPU0\t X \tNV18\tSYS\tPIX\t0-31\t0\t\tN/A
GPU1\tNV18\t X \tNODE\tSYS\t0-31\t0\t\tN/A
GPU2\tSYS\tNODE\t X \tSYS\t32-63\t1\t\tN/A
NIC0\tPIX\tSYS\tSYS\t X \t\t\t\t

Legend:

  X    = Self
"""


def gpus(architecture: str, *buses: str) -> tuple[Device, ...]:
    return tuple(Device("GPU", architecture, bus, 3.2e12) for bus in buses)


@pytest.fixture
def nvidia(tmp_path: Path) -> Surroundings:
    """A machine whose nvidia-smi numbers its GPUs in another order than the runtime."""
    buses = r"0, 00000000:4A:00.0\n1, 00000000:8B:00.0\n2, 00000000:06:00.0\n"
    script = f"#!/bin/sh\ncase \"$1\" in topo) printf '{TOPOLOGY}' ;; *) printf '{buses}' ;; esac\n"
    program(tmp_path / "bin/nvidia-smi", script)
    return Surroundings({"PATH": str(tmp_path / "bin")})


def test_nvidias_matrix_is_matched_by_place_on_the_bus(nvidia: Surroundings) -> None:
    devices = gpus("sm_90", "0000:06:00.0", "0000:4a:00.0", "0000:8B:00.0")
    assert links("nvidia", devices, nvidia) == (
        (None, Link("PCIe (SYS)"), Link("PCIe (NODE)")),
        (Link("PCIe (SYS)"), None, Link("NVLink", 18)),
        (Link("PCIe (NODE)"), Link("NVLink", 18), None),
    )


@pytest.mark.parametrize("script", ["exit 1", "printf 'GPU0'", "printf '\\xff\\tGPU0\\n\\nGPU0'"])
def test_an_nvidia_smi_that_says_nothing_useful(script: str, tmp_path: Path) -> None:
    program(tmp_path / "nvidia-smi", f"#!/bin/sh\n{script}\n")
    where = Surroundings({"PATH": str(tmp_path)})
    assert links("nvidia", gpus("sm_90", "0000:06:00.0"), where) == ((None,),)


def kfd(root: Path) -> Surroundings:
    """One MI250X, whose halves have four links; half of another one, with one link to the first; a CPU."""
    nodes = root / "sys/class/kfd/kfd/topology/nodes"
    for number, place in ((0, None), (4, 0xC100), (5, 0xC600), (6, 0xC908)):
        text = f"simd_count 440\nlocation_id {place}\ndomain 0\n" if place else "simd_count 0\nlocation_id 0\n"
        file(nodes / f"{number}/properties", text)
    for number, (start, end, kind, most) in enumerate(
        [(4, 5, 11, 200000), (5, 4, 11, 200000), (4, 6, 11, 50000), (5, 6, 2, 32000), (4, 0, 11, 36000), (6, 4, 11, 0)]
    ):
        rate = f"min_bandwidth {min(most, 50000)}\nmax_bandwidth {most}\n"
        text = f"type {kind}\nnode_from {start}\nnode_to {end}\nweight 15\n{rate}"
        file(nodes / f"{start}/{'p2p' if kind == 2 else 'io'}_links/{number}/properties", text)
    return Surroundings({}, root)


AMD = gpus("gfx90a", "0000:c1:00.0", "0000:c6:00.0", "0000:c9:01.0")


def test_amds_links_are_counted_from_the_kernels_files(tmp_path: Path) -> None:
    assert links("amd", AMD, kfd(tmp_path)) == (
        (None, Link("xGMI", 4), Link("xGMI", 1)),
        (Link("xGMI", 4), None, Link("PCIe")),
        (Link("xGMI"), None, None),
    )


@pytest.mark.parametrize("text", ["", "simd_count\n", "simd_count many\nlocation_id 1\n", "\xff"])
def test_files_of_the_kernel_that_are_not_understood(text: str, tmp_path: Path) -> None:
    file(tmp_path / "sys/class/kfd/kfd/topology/nodes/1/properties", text)
    assert links("amd", AMD[:1], Surroundings({}, tmp_path)) == ((None,),)


@pytest.mark.parametrize("target", ["amd", "nvidia", "cpu"])
def test_a_machine_that_says_nothing(target: str, tmp_path: Path) -> None:
    assert links(target, AMD[:2], Surroundings({}, tmp_path)) == ((None, None), (None, None))


def test_what_an_mi250x_promises(tmp_path: Path) -> None:
    connected = links("amd", AMD, kfd(tmp_path))
    result = Measurements("amd", "2026-11-21", 1 << 28, 16, AMD, connected, ())
    assert [promise(result, 0, target) for target in range(3)] == [1.6e12, 200e9, 50e9]
    assert promise(result, 1, 2) is None and promise(result, 2, 0) is None
    said = explanations(result)
    assert said[0].startswith("4 xGMI of 50 GB/s: 200 GB/s per direction, about 70% reached in practice (")
    assert "PCIe: nominal rate unknown" in said
    assert promise(replace(result, target="cpu"), 0, 0) is None
