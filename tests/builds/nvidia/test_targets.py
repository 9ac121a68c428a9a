"""Architectures of NVIDIA GPUs, and the resulting options of nvcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.builds.nvidia.targets import chosen_targets, code_options, parse_targets
from hipport.errors import UsageError
from hipport.toolchain.places import Surroundings
from tests.builds.nvidia.fakes import program


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["sm_90"], ["sm_90"]),
        (["sm_80,sm_90a", "sm_80"], ["sm_80", "sm_90a"]),
        (["compute_75, sm_120"], ["compute_75", "sm_120"]),
        (["sm_100f,"], ["sm_100f"]),
    ],
)
def test_names(texts: list[str], names: list[str]) -> None:
    assert [str(target) for target in parse_targets(texts)] == names


@pytest.mark.parametrize("name", ["gfx90a", "90", "sm90", "sm_9", "sm_90b", "compute_", "sm_9000", "SM_90"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UsageError, match=f"'{name}' is not an NVIDIA target"):
        parse_targets([f"sm_80,{name}"])


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        ([], []),
        (["sm_90"], ["--generate-code=arch=compute_90,code=[sm_90,compute_90]"]),
        (
            ["sm_90,sm_80"],
            [
                "--generate-code=arch=compute_90,code=[sm_90,compute_90]",
                "--generate-code=arch=compute_80,code=[sm_80]",
            ],
        ),
        (["sm_90a"], ["--generate-code=arch=compute_90a,code=[sm_90a]"]),
        (["compute_80"], ["--generate-code=arch=compute_80,code=[compute_80]"]),
    ],
)
def test_the_newest_gets_code_for_later_gpus_too(texts: list[str], options: list[str]) -> None:
    assert list(code_options(parse_targets(texts))) == options


def test_the_gpus_of_this_machine(tmp_path: Path) -> None:
    where = program(tmp_path, "nvidia-smi", "echo 9.0; echo 8.6; echo 9.0")
    assert [str(target) for target in chosen_targets([], where)] == ["sm_86", "sm_90"]
    assert [str(target) for target in chosen_targets(["native,sm_80"], where)] == ["sm_86", "sm_90", "sm_80"]
    assert [str(target) for target in chosen_targets(["sm_80"], where)] == ["sm_80"]


@pytest.mark.parametrize("says", ["echo no devices were found; exit 6", "exit 0"])
def test_no_gpu_that_answers(tmp_path: Path, says: str) -> None:
    where = program(tmp_path, "nvidia-smi", says)
    assert chosen_targets([], where) == ()
    with pytest.raises(UsageError, match="no working NVIDIA GPU"):
        chosen_targets(["native"], where)
    assert chosen_targets([], Surroundings({}, tmp_path)) == ()
