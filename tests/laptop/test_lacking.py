"""The commands for laptops on a system without fork, fcntl, dir_fd, signal masks and the like."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LACKING = Path(__file__).with_name("lacking")
SOURCE = """\
#include <cuda_runtime.h>
#include "k.cuh"
__global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }
int main() { cudaCtxResetPersistingL2Cache(); scale<<<1, 32>>>(nullptr, 2.0f); return cudaDeviceSynchronize(); }
"""
CMAKE = "cmake_minimum_required(VERSION 3.18)\nproject(x LANGUAGES CUDA)\nadd_executable(x main.cu)\n"


def hipport(folder: Path, *arguments: str, lacking: bool = True) -> subprocess.CompletedProcess[str]:
    paths = [str(LACKING)] * lacking + [os.environ.get("PYTHONPATH", str(Path(__file__).parents[2]))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(folder.parent / "cache")}
    command = [sys.executable, "-m", "hipport", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".hipport" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree/sub").mkdir(parents=True)
    (tmp_path / "tree/main.cu").write_text(SOURCE)
    (tmp_path / "tree/k.cuh").write_text("#pragma once\ninline cudaStream_t stream;\n")
    (tmp_path / "tree/CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "tree/sub/data.txt").write_text("kept\n")
    (tmp_path / "tree/link").symlink_to("sub/data.txt")
    return tmp_path


def test_the_system_lacks_what_it_should(tmp_path: Path) -> None:
    asked = "import os, signal; os.fork"
    environment = {**os.environ, "PYTHONPATH": str(LACKING)}
    for line in (
        asked,
        "import fcntl",
        "import os; os.open('/', 0, dir_fd=0)",
        "import signal; signal.pthread_sigmask",
    ):
        done = subprocess.run([sys.executable, "-c", line], capture_output=True, env=environment, check=False)
        assert done.returncode == 1, line


def test_the_tree_is_that_of_linux(tree: Path) -> None:
    here, there = (
        hipport(tree, "convert", "tree", "-o", name, lacking=lacking) for name, lacking in (("a", 0), ("b", 1))
    )
    assert "Traceback" not in there.stderr
    assert there.returncode == here.returncode == 1
    assert there.stderr.replace("-I b", "-I a").replace(" b ", " a ").replace("b/", "a/") == here.stderr
    assert contents(tree / "b") == contents(tree / "a")
    assert (tree / "b/link").readlink() == Path("sub/data.txt")


def test_many_files_without_a_second_process(tree: Path) -> None:
    for number in range(40):
        (tree / f"tree/{number}.cu").write_text(SOURCE * 100)
    done = hipport(tree, "convert", "tree", "-o", "out", "-j", "4", "-q")
    assert "Traceback" not in done.stderr
    assert len(list((tree / "out").glob("*.hip"))) == 41


def test_updates_are_merged(tree: Path) -> None:
    hipport(tree, "convert", "tree", "-o", "out")
    port = tree / "out/main.hip"
    port.write_text("// by hand\n" + port.read_text())
    (tree / "tree/main.cu").write_text(SOURCE.replace("2.0f", "3.0f"))
    done = hipport(tree, "update", "tree", "out")
    assert "merged: out/main.hip" in done.stdout, done.stderr
    assert "3.0f" in port.read_text() and "// by hand" in port.read_text()
    (tree / "tree/sub/data.txt").unlink()
    hipport(tree, "update", "tree", "out")
    assert not (tree / "out/sub/data.txt").exists()


def test_check_and_the_reports(tree: Path) -> None:
    done = hipport(tree, "check", "tree", *(f"--report=r.{kind}" for kind in ("json", "sarif", "html")))
    assert done.returncode == 1 and "HP101" in done.stderr and "Traceback" not in done.stderr
    assert json.loads((tree / "r.json").read_text())["summary"]["errors"] == 1
    assert (tree / "r.html").stat().st_size > 5000 and (tree / "r.sarif").exists()
    assert hipport(tree, "check", "tree", "--write-baseline", "b.json").returncode == 0


@pytest.mark.parametrize("mode", [["--diff"], ["--check"], ["--in-place"]])
def test_the_other_modes(mode: list[str], tree: Path) -> None:
    done = hipport(tree, "convert", "tree", *mode)
    assert done.returncode == 1 and "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["init", "tree"], ["explain", "HP101"], ["mappings", "query", "cudaMalloc"]])
def test_small_commands(arguments: list[str], tree: Path) -> None:
    done = hipport(tree, *arguments)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


def test_the_language_server(tree: Path) -> None:
    def message(**content: object) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **content}).encode()
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    uri = (tree / "tree/main.cu").as_uri()
    document = {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": SOURCE}
    environment = {**os.environ, "PYTHONPATH": f"{LACKING}{os.pathsep}{Path(__file__).parents[2]}"}
    with subprocess.Popen(
        [sys.executable, "-m", "hipport", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(message(id=1, method="initialize", params={"capabilities": {}, "processId": None}))
        server.stdin.write(message(method="initialized", params={}))
        server.stdin.write(message(method="textDocument/didOpen", params={"textDocument": document}))
        server.stdin.flush()
        seen = b""
        while b"HP101" not in seen:
            line = server.stdout.readline()
            assert line, seen
            length = int(line.partition(b":")[2])
            server.stdout.readline()
            while server.stdout.peek()[:1] not in b"{":
                server.stdout.readline()
            seen += server.stdout.read(length)
        server.kill()


@pytest.mark.parametrize("lacking", [False, True])
def test_lines_of_windows_stay(lacking: bool, tree: Path) -> None:
    """A tree with CRLF is the LF tree's translation with CRLF, build files included."""
    for name, text in (
        ("main.cu", SOURCE),
        ("CMakeLists.txt", CMAKE),
        ("k.cuh", "#pragma once\ninline cudaStream_t s;\n"),
    ):
        (tree / "tree" / name).write_bytes(text.encode())
    hipport(tree, "convert", "tree", "-o", "lf", lacking=lacking)
    for name in ("main.cu", "CMakeLists.txt", "k.cuh"):
        path = tree / "tree" / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    hipport(tree, "convert", "tree", "-o", "crlf", lacking=lacking)
    for name in ("main.hip", "CMakeLists.txt", "k.cuh"):
        assert (tree / "crlf" / name).read_bytes() == (tree / "lf" / name).read_bytes().replace(b"\n", b"\r\n"), name


@pytest.mark.parametrize("lacking", [False, True])
def test_long_paths(lacking: bool, tree: Path) -> None:
    """More than the 260 characters that Windows allows without `\\\\?\\`, and names of 200 characters."""
    deep = tree / "tree" / Path(*["folder" * 9] * 6) / ("n" * 200 + ".cu")
    deep.parent.mkdir(parents=True)
    deep.write_text(SOURCE)
    done = hipport(tree, "convert", "tree", "-o", "out", lacking=lacking)
    assert "Traceback" not in done.stderr
    assert (tree / "out" / deep.relative_to(tree / "tree").with_suffix(".hip")).is_file()


def test_semantic_says_what_it_needs(tree: Path) -> None:
    done = hipport(tree, "check", "tree", "--semantic")
    assert done.returncode == 1 and "--semantic needs a system that can fork" in done.stderr
    assert "Traceback" not in done.stderr
