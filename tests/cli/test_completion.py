"""The completions that the shell is offered."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def offered(*words: str, shell: str = "fish") -> list[str]:
    """Return what the program offers for the last word, in the format of a shell."""
    code = "import sys; sys.argv = ['hipport']; from hipport.cli import main; main()"
    environ = {
        **os.environ,
        "_HIPPORT_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("hipport", *words)),
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("command", ["build", "convert", "doctor"])
def test_targets_of_a_list(command: str) -> None:
    found = offered(command, "--offload-arch", "gfx90a,gfx90", shell="bash")
    assert "plain,gfx90a,gfx908" in found and "plain,gfx90a,gfx90a" not in found
    assert not any("gfx1030" in line for line in found)


def test_codes_with_titles() -> None:
    found = offered("explain", "hp20")
    assert any("HP204" in line for line in found)
    assert all("HP20" in line for line in found)
    assert any("wavefront" in line or "warp" in line for line in found)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("cudaMemcpyAsy",), "plain,cudaMemcpyAsync"),
        (("cub::BlockReduceA",), "plain,cub::BlockReduceAlgorithm"),
        (("cuda_runtime.",), "plain,cuda_runtime.h"),
        (("--reverse", "hipMemcpyAsy"), "plain,hipMemcpyAsync"),
    ],
)
def test_names(words: tuple[str, ...], wanted: str) -> None:
    assert wanted in offered("mappings", "query", *words, shell="bash")


def test_few_of_many_names() -> None:
    assert len(offered("mappings", "query", "cu", shell="bash")) == 200
