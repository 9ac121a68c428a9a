"""All kernels on the CPU target, with wavefronts of 32 and of 64 lanes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.builds.shipped import Target
from hipport.llm.harness.binding import Device, open_device
from hipport.llm.harness.kernel import kernels
from hipport.llm.harness.measuring import check_kernel, launches
from hipport.toolchain.places import Surroundings

KERNELS = kernels()


@pytest.fixture
def device(target: Target) -> Device:
    return open_device(target, Surroundings(), lambda line: None)


@pytest.mark.toolchain
@pytest.mark.slow
def test_all_kernels_are_right(device: Device) -> None:
    assert {version.kernel for version in device.versions} == set(KERNELS)
    assert len({(version.kernel, version.number) for version in device.versions}) == len(device.versions)
    for kernel in KERNELS.values():
        found = check_kernel(device, kernel, None, seed=1)
        assert [checked for checked in found if checked.problem] == []
        numbers = {launched.version.number for launched in launches(device, kernel)}
        assert numbers == set(range(1, len(numbers) + 1))
        assert len(found) > 2


def hipport(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "llm", "kernels", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_command(target32: Target, tmp_path: Path) -> None:
    options = ("--target", "cpu", "--sizes", "rows=70,plain=1", "--json", "out.json")
    done = hipport("layer_norm", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Checks only" in done.stdout and "WRONG" not in done.stdout
    (found,) = json.loads((tmp_path / "out.json").read_text())
    assert (found["name"], found["sizes"]["rows"], found["times"]) == ("layer_norm", 70, [])
    assert all(check["problem"] == "" and 0 < check["error"] < 2e-3 for check in found["checks"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gem",), "unknown kernel gem"),
        (("gemm", "--target", "cpu", "--sizes", "lines=3"), "gemm has no size lines"),
        (("gemm", "--target", "cpu", "--sizes", "rows=-3"), "rows=-3: the size must be a number"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = hipport(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr


def test_the_list_names_every_kernel(tmp_path: Path) -> None:
    done = hipport("--list", cwd=tmp_path)
    assert [line.split(":")[0] for line in done.stdout.splitlines()[::2]] == sorted(KERNELS)
