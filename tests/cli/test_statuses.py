"""Like mistakes end with like statuses: what the command line names and what is not there is wrong usage, 2."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import served


def hipport(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return served.hipport(*arguments, cwd=cwd, timeout=120)


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "gone.cu", "--stdout"),
        ("convert", "a.cu", "--stdout", "--mappings", "gone.yaml"),
        ("convert", "a.cu", "--stdout", "--rocm", "99"),
        ("check", "gone"),
        ("check", "empty"),
        ("check", "a.cu", "--baseline", "gone.json"),
        ("check", "a.cu", "-p", "gone"),
        ("build", "gone.cu", "-o", "x", "--target", "cpu"),
        ("inspect", "gone"),
        ("run", "./gone"),
        ("run", "--emulate", "gfx90a", "./gone"),
        ("verify", "gone.cu"),
        ("init", "gone"),
        ("port", "gone", "-o", "out"),
        ("update", "gone", "--from", "gone"),
        ("explain", "HP999"),
        ("mappings", "query", "cudaNoSuchName"),
        ("mappings", "query", "cudaNoSuchName", "--json"),
        ("llm", "chat", "gone"),
        ("llm", "generate", "gone.gguf", "--prompt", "x"),
        ("llm", "perplexity", "gone", "--text", "a.cu"),
    ],
    ids=" ".join,
)
def test_what_is_not_there_is_wrong_usage(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("int main() {}\n")
    (tmp_path / "empty").mkdir()
    done = hipport(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.cu", "empty"]


def test_a_source_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "a b.cu").write_text("int main() {}\n")
    done = hipport("run", "./a b.cu", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "hipport: error: ./a b.cu cannot be run: Permission denied",
        "  It is a source. Build it first: hipport build --target cpu './a b.cu' -o PROGRAM",
    ]


@pytest.mark.toolchain
def test_a_program_for_the_cpu_target_has_nothing_to_emulate(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    assert hipport("build", "a.cu", "-o", "app", "--target", "cpu", cwd=tmp_path).returncode == 0
    done = hipport("run", "--emulate", "gfx90a", "./app", cwd=tmp_path)
    assert done.returncode == 2
    assert "error: ./app is built for the CPU target and has no code to emulate" in done.stderr
    assert hipport("run", "./app", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["a.hip", "new/a.cuh", "a.cpp"])
def test_a_name_of_a_source_is_no_folder_for_output(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("int main() {}\n")
    done = hipport("convert", "a.cu", "-o", name, cwd=tmp_path)
    assert done.returncode == 2 and f"{name} looks like a file" in done.stderr and "--stdout > FILE" in done.stderr
    assert not (tmp_path / name).exists()


def test_a_tree_may_become_a_folder_with_such_a_name(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.cu").write_text("int main() {}\n")
    done = hipport("convert", "tree", "-o", "tree.hip", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tree.hip" / "a.hip").is_file()


def test_a_folder_with_such_a_name_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("int main() {}\n")
    (tmp_path / "port.hip").mkdir()
    assert hipport("convert", "a.cu", "-o", "port.hip", cwd=tmp_path).returncode == 0
    assert hipport("convert", "a.cu", "-o", "version.1", cwd=tmp_path).returncode == 0
