"""Clang accepts the counterparts of nvcc's options."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.buildfiles.tables import load_build_tables
from tests.llvm_releases import HIPCC, RELEASES

HIPCC_ALONE = {"--genco"}


def replacements() -> list[str]:
    texts = {text for row in load_build_tables().options.values() for text in (row.to, *row.values.values()) if text}
    complete = {text for text in texts - HIPCC_ALONE if not text.endswith("{}")}  # the value comes from nvcc's option
    return sorted(complete - {"-x hip", "-m32", "-###", "-M", "-MM", "-MD", "-MMD", "-MP", "-Werror"})


@pytest.mark.toolchain
@pytest.mark.parametrize("release", RELEASES)
def test_clang_takes_them(release: int, tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text("int x;\n")
    options = [word for text in replacements() for word in text.split() if word not in ("-c", "-fsyntax-only")]
    assert len(options) > 15
    command = [f"clang++-{release}", "-x", "hip", "-nogpuinc", "-nogpulib", "--offload-arch=gfx90a", "-c", "a.hip"]
    done = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "unknown" not in done.stderr


@pytest.mark.toolchain
def test_clang_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text("int x;\n")
    command = [f"clang++-{HIPCC}", "-x", "hip", "-nogpuinc", "-nogpulib", "-c", "a.hip", "--use_fast_math"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0
