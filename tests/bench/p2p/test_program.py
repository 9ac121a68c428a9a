"""The copy program on the CPU, which has a single device, so it only copies within that."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hipport
from tests.cpu.conftest import build
from tests.toolchain.fakes import file

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PROGRAM = Path(hipport.__file__).parent / "bench/p2p/program"

WRONG_WORDS = r"""
#include "copy.cuh"
int main() {
  p2p::Device device;
  device.open(0, 4096);
  p2p::fill(device, 4096, 7);
  p2p::poison(device, 4096);
  std::printf("%llu", p2p::count_wrong(device, 4096, 7));
  for (p2p::Way way : {p2p::Way::kPeerCopy, p2p::Way::kKernel}) {
    p2p::poison(device, 4096);
    p2p::start_copy(way, device, device, 4096);
    CUDA_CHECK(cudaStreamSynchronize(device.stream));
    std::printf(" %llu", p2p::count_wrong(device, 4096, 7));
    p2p::start_copy(way, device, device, 4096 - 16);
    CUDA_CHECK(cudaMemset(device.target + 100, 0x5a, 5));
    std::printf(" %llu %llu", p2p::count_wrong(device, 4096, 7), p2p::count_wrong(device, 4096, 8));
  }
  device.close();
}
"""


def test_words_that_are_wrong_are_counted(tmp_path: Path) -> None:
    source = file(tmp_path / "wrong.cu", WRONG_WORDS)
    done = build(tmp_path, [source], f"-I{PROGRAM}", "-O0")
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert ran.stdout == "1024 0 2 1024 0 2 1024"


def test_it_compiles_for_amd_gpus(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hipport", "build", PROGRAM / "p2p.cu", "--offload-arch", "gfx90a,gfx1030"]
    done = subprocess.run([*command, "-o", tmp_path / "p2p"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "gfx90a, gfx1030" in done.stdout
    # Without a GPU nothing is printed that could be taken for a measurement.
    ran = subprocess.run([tmp_path / "p2p"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "") and "hipGetDeviceCount" in ran.stderr


@pytest.mark.parametrize("words", [["--bytes", "17"], ["--bytes", "-16"], ["--way", "other"], ["--bytes"], ["x", "y"]])
def test_wrong_words(words: list[str], p2p: Path) -> None:
    done = subprocess.run([p2p, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("usage")


@pytest.mark.parametrize("way", ["peer-copy", "kernel"])
def test_one_device(way: str, p2p: Path) -> None:
    done = subprocess.run([p2p, "--way", way, "--bytes", "65552"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["access"] == [[True]] and found["both_ways"] == [[None]]
    assert 1e6 < found["one_way"][0][0] < 1e12
    assert 0 < found["latency"][0][0] < 1
