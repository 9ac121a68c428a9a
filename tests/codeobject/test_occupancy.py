"""Occupancy by the documented rules, and compared with LLVM 19's output for every processor that it knows."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.codeobject import read
from hipport.codeobject.occupancy import LIMITS, Demand, limits_of, occupancy
from hipport.codeobject.targets import PROCESSORS
from tests.codeobject import llvm

MODEST = Demand(vgprs=1, sgprs=1, lds=0, workgroup_size=64, wavefront_size=64, wgp_mode=True)


@pytest.mark.parametrize(
    ("processor", "demand", "waves", "limited_by"),
    [
        # gfx950 has 160 KiB of LDS and is not known to LLVM 19: by LLVM's sources alone.
        ("gfx950", Demand(32, 32, 81920, 512, 64, False), 4, "LDS"),
        ("gfx942", Demand(32, 32, 65536, 512, 64, False), 2, "LDS"),
        ("gfx950", Demand(129, 32, 0, 256, 64, False), 3, "VGPR"),
        ("gfx9-4-generic", Demand(65, 32, 0, 256, 64, False), 7, "VGPR"),
        ("gfx1153", Demand(97, 32, 0, 256, 32, True), 9, "VGPR"),
        ("gfx906", Demand(8, 96, 0, 256, 64, False), 8, "SGPR"),
        ("gfx906", Demand(8, 8, 1 << 20, 256, 64, False), 1, "LDS"),
    ],
)
def test_limits(processor: str, demand: Demand, waves: int, limited_by: str) -> None:
    found = occupancy(processor, demand)
    assert found is not None
    assert (found.waves, found.limited_by) == (waves, limited_by)


@pytest.mark.parametrize("processor", ["gfx1250", "gfx12-5-generic", "gfx1310", "gfx1170", "unknown-0xee", ""])
def test_unknown_limits_are_not_guessed(processor: str) -> None:
    assert limits_of(processor) is None
    assert occupancy(processor, MODEST) is None


def test_every_limit_belongs_to_a_processor() -> None:
    used = {id(limits_of(processor)) for processor in PROCESSORS.values()}
    assert {id(limits) for limits in LIMITS.values()} <= used


demands = st.builds(
    Demand,
    vgprs=st.integers(0, 512),
    sgprs=st.integers(0, 112),
    lds=st.integers(0, 1 << 18),
    workgroup_size=st.integers(0, 1024),
    wavefront_size=st.sampled_from([32, 64]),
    wgp_mode=st.booleans(),
)


@given(st.sampled_from(sorted(PROCESSORS.values())), demands, demands)
def test_asking_for_more_never_gives_more(processor: str, one: Demand, other: Demand) -> None:
    larger = Demand(
        vgprs=max(one.vgprs, other.vgprs),
        sgprs=max(one.sgprs, other.sgprs),
        lds=max(one.lds, other.lds),
        workgroup_size=one.workgroup_size,
        wavefront_size=one.wavefront_size,
        wgp_mode=one.wgp_mode,
    )
    less, more = occupancy(processor, one), occupancy(processor, larger)
    if less is not None and more is not None:
        assert 1 <= more.waves <= less.waves <= less.max_waves


@dataclass(frozen=True)
class Case:
    """A kernel with a number of registers (by an assembly clobber), bytes of LDS, and a work-group size."""

    name: str
    clobber: str = ""
    lds: int = 0
    group: int = 256

    def ir(self) -> str:
        body = [f'call void asm sideeffect "", "{self.clobber}"()'] if self.clobber else []
        lines = []
        if self.lds:
            lines.append(f"@l_{self.name} = internal addrspace(3) global [{self.lds} x i8] undef")
            body.append(f"store volatile i8 1, ptr addrspace(3) @l_{self.name}")
        attributes = f'"amdgpu-flat-work-group-size"="1,{self.group}"'
        lines += [f"define amdgpu_kernel void @{self.name}() {attributes} {{", *body, "ret void", "}"]
        return "\n".join(lines)


CASES = [
    *(Case(f"v{count}", f"~{{v{count - 1}}}") for count in (24, 25, 28, 36, 40, 48, 65, 84, 96, 128, 129, 168, 256)),
    *(Case(f"s{count}", f"~{{s{count - 1}}}", group=64) for count in (40, 48, 56, 64, 72, 78, 86, 94, 96)),
    *(Case(f"l{lds}_{group}", lds=lds, group=group) for lds in (0, 5000, 32768) for group in (32, 64, 256, 1024)),
]
MODES = ("", "+wavefrontsize64", "+cumode")


def compare(llc: str, source: Path, processor: str, mode: str) -> Iterator[str]:
    """Yield a line for each kernel whose occupancy differs."""
    output = source.with_name(f"{processor}{mode}")
    options = [f"-mcpu={processor}", f"-mattr={mode}", "-O1", str(source)]
    if "generic" in processor:
        options.append("--amdhsa-code-object-version=6")
    assembly = subprocess.run([llc, *options, "-o", "-"], capture_output=True, text=True, check=True).stdout
    subprocess.run([llc, *options, "-filetype=obj", "-o", str(output)], check=True)
    names = re.findall(r"^\s+\.amdhsa_kernel (\S+)", assembly, re.MULTILINE)
    said = dict(zip(names, map(int, re.findall(r"^; Occupancy: (\d+)", assembly, re.MULTILINE)), strict=True))
    (entry,) = read(output).bundles[0].entries
    assert entry.target_id == processor
    ours = {kernel.name: kernel.occupancy.waves if kernel.occupancy else None for kernel in entry.kernels}
    assert ours.keys() == said.keys() == {case.name for case in CASES}
    return (f"{processor} {mode} {name}: {ours[name]}, LLVM {said[name]}" for name in said if ours[name] != said[name])


@pytest.mark.slow
@pytest.mark.toolchain
def test_every_processor_against_llvm(tmp_path: Path) -> None:
    llc = llvm.tool(19, "llc")
    source = tmp_path / "kernels.ll"
    source.write_text('target triple = "amdgcn-amd-amdhsa"\n' + "\n".join(case.ir() for case in CASES))
    described = subprocess.run([llc, "-march=amdgcn", "-mcpu=help"], capture_output=True, text=True, input="").stderr
    processors = re.findall(r"^  (gfx\S+)\s+- Select the", described, re.MULTILINE)
    assert len(processors) > 45
    jobs = [(name, mode) for name in processors for mode in (MODES if name.startswith("gfx1") else MODES[:1])]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        differences = pool.map(lambda job: list(compare(llc, source, *job)), jobs)
    assert [line for lines in differences for line in lines] == []
