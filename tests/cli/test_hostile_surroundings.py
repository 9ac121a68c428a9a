"""Malicious trees and full disks: one clear error, and no file half-written or in the wrong place."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.files.sources import LARGEST

LIMIT = 4000
CUDA = b"#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n"


def hipport(
    *arguments: str | Path, cwd: Path, data: bytes = b"", before: Callable[[], None] | None = None
) -> tuple[int, str]:
    # -B: where files cannot grow, Python 3.11 would leave cut-off .pyc files, and stumble over them ever after.
    command = [sys.executable, "-B", "-m", "hipport", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, input=data, capture_output=True, check=False, preexec_fn=before, timeout=60)
    said = done.stderr.decode(errors="replace")
    assert "Traceback" not in said
    return done.returncode, said


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def small_files() -> None:
    """Make writes fail midway, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.cu").write_bytes(CUDA)
    (tmp_path / "in/b.cu").write_bytes(CUDA + b"// text\n" * LIMIT)
    return tmp_path


def test_a_full_disk_leaves_whole_files_and_the_next_run_goes_on(tree: Path) -> None:
    status, said = hipport("convert", "in", "-o", "out", cwd=tree, before=small_files)
    assert status == 1
    assert "b.hip" in said or "b.cu" in said
    assert (tree / "out/a.hip").read_bytes() == CUDA.replace(b"cudaFree", b"hipFree").replace(
        b"cuda_runtime.h", b"hip/hip_runtime.h"
    )
    assert not (tree / "out/b.hip").exists()
    assert not list(tree.rglob(".hipport-*.tmp"))
    assert hipport("convert", "in", "-o", "out", cwd=tree)[0] == 0
    assert (tree / "out/b.hip").stat().st_size > LIMIT


def test_a_full_disk_in_place_leaves_the_source(tree: Path) -> None:
    before = (tree / "in/b.cu").read_bytes()
    status, _ = hipport("convert", "--in-place", "in", cwd=tree, before=small_files)
    assert status == 1
    assert (tree / "in/b.cu").read_bytes() == before
    assert names_in(tree / "in") == ["a.hip", "b.cu"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_disk_that_is_really_full(tree: Path) -> None:
    (tree / "disk").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", tree / "disk"], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        status, said = hipport("convert", "in", "-o", "disk/out", cwd=tree)
        left = [path.name for path in (tree / "disk").rglob("*.hip")]
    finally:
        subprocess.run(["umount", tree / "disk"], check=True)
    assert status == 1
    assert "no space left" in said.lower()
    assert left in ([], ["a.hip"])


@pytest.mark.parametrize(("source", "size"), [("a.cu", 0), ("a.cu", 40), ("a.cu", 100), ("b.cu", 3000)])
def test_a_build_names_the_file_that_a_full_disk_does_not_take(tree: Path, source: str, size: int) -> None:
    def room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    build = ("build", f"in/{source}", "-o", "app.o", "--target", "cpu", "--", "-c")
    status, said = hipport(*build, cwd=tree, before=room)
    assert status == 1
    assert re.search(r"^hipport: error: cannot write \S*app\.o\.build/\S+: File too large$", said, re.MULTILINE), said
    assert "None" not in said and "standard output" not in said


def test_a_tree_that_means_harm(tmp_path: Path) -> None:
    """Links and includes that leave the tree, odd names, pipes, a database with its own compiler."""
    (tmp_path / "secret.h").write_bytes(b"int cudaFree;\n")
    inner = tmp_path / "in"
    inner.mkdir()
    names = [b"new\nline.cu", b"-o.cu", b"--force.cu", b"\xff\xfe.cu", b" .cu", b"$(touch ran).cu", b"a;touch ran.cu"]
    for name in names:
        Path(os.fsdecode(os.fsencode(inner) + b"/" + name)).write_bytes(b'#include "../secret.h"\n' + CUDA)
    (inner / "out.cu").symlink_to(tmp_path / "secret.h")
    (inner / "loop").symlink_to(inner)
    os.mkfifo(inner / "pipe.cu")
    (inner / "compile_commands.json").write_text('[{"directory": ".", "file": "-o.cu", "command": "./evil -c"}]')
    (inner / "evil").write_text("#!/bin/sh\ntouch ../ran\n")
    (inner / "evil").chmod(0o755)
    before = names_in(tmp_path)
    assert hipport("check", "in", cwd=tmp_path)[0] in (0, 1)
    status, said = hipport("convert", "in", "-o", "out", cwd=tmp_path)
    assert status in (0, 1), said
    assert names_in(tmp_path) == sorted([*before, "out"])
    assert (tmp_path / "secret.h").read_bytes() == b"int cudaFree;\n"
    for name in names:
        made = Path(os.fsdecode(os.fsencode(tmp_path) + b"/out/" + name.replace(b".cu", b".hip")))
        assert b"hip/hip_runtime.h" in made.read_bytes()


@pytest.mark.parametrize("command", ["convert", "check"])
def test_standard_input_has_the_limit_of_files(tmp_path: Path, command: str) -> None:
    status, said = hipport(command, "-", cwd=tmp_path, data=b"a" * (LARGEST + 2))
    assert status == 2
    assert "more than the limit" in said
