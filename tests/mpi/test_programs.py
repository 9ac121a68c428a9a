"""The MPI programs on the CPU with the system's MPI libraries: their output, and that they detect errors."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mpi.conftest import FIXTURES, MPICH, OPEN_MPI, hipport, need, run
from tests.mpi.osu import parse

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

Record = Callable[[str, object], None]

PAIRS = {
    "latency": ("Latency", "Latency (us)"),
    "bandwidth": ("Bandwidth", "Bandwidth (MB/s)"),
    "bibandwidth": ("Bi-Directional Bandwidth", "Bandwidth (MB/s)"),
}
COLLECTIVES = {
    "allreduce": "Allreduce Latency",
    "allgather": "Allgather Latency",
    "alltoall": "All-to-All Latency",
    "bcast": "Broadcast Latency",
}
FEW = ("-i", "3", "-x", "1", "-W", "4")
SIZES = [4 << n for n in range(13)]


@pytest.mark.parametrize("ranks", [2, 4])
def test_messages_arrive_in_every_way_of_sending_them(ranks: int, programs: Path, record_property: Record) -> None:
    done = run(OPEN_MPI, ranks, programs / "exchange", "-m", "20000", "-i", "1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["#", "Size", "Send", "Ssend", "Sendrecv", "Isend", "Start"]
    sizes = [int(line.split()[0]) for line in lines[2:-1]]
    assert {0, 1, 4095, 4096, 4097, 16385} <= set(sizes) and max(sizes) <= 20000
    assert all(line.split()[1:] == ["0"] * 5 for line in lines[2:-1])
    assert lines[-1] == "PASS: exchange: 0 wrong"
    record_property("shown", done.stdout)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str, ranks: int, programs: Path, record_property: Record) -> None:
    done = run(OPEN_MPI, ranks, programs / name, "-m", "4:16384", "-c", *FEW)
    assert done.returncode == 0, done.stderr
    table = parse(done.stdout)
    assert (table.name, table.columns) == (PAIRS[name][0], [PAIRS[name][1], "Validation"])
    assert list(table.rows) == SIZES
    assert set(table.column("Validation")) == {"Pass"}
    # Two decimals: where ranks share processors, that of a few bytes can be 0.00.
    assert float(table.column(PAIRS[name][1])[-1]) > 0
    record_property("shown", done.stdout)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives(name: str, ranks: int, programs: Path, record_property: Record) -> None:
    done = run(OPEN_MPI, ranks, programs / name, "-m", "4:16384", "-c", "-f", *FEW)
    assert done.returncode == 0, done.stderr
    table = parse(done.stdout)
    times = ["Avg Latency(us)", "Min Latency(us)", "Max Latency(us)"]
    assert (table.name, table.columns) == (COLLECTIVES[name], [*times, "Iterations", "Validation"])
    assert list(table.rows) == SIZES
    assert set(table.column("Validation")) == {"Pass"} and set(table.column("Iterations")) == {"3"}
    for average, least, most in zip(*(map(float, table.column(name)) for name in times), strict=True):
        assert 0 <= least <= average + 0.01 and average <= most + 0.01
    assert float(table.column(times[2])[-1]) > 0
    record_property("shown", done.stdout)


def test_without_options_there_is_one_column(programs: Path) -> None:
    done = run(OPEN_MPI, 2, programs / "bcast", "-m", "2", "-i", "2")
    table = parse(done.stdout)
    assert (table.columns, list(table.rows)) == (["Avg Latency(us)"], [1, 2])


@pytest.fixture(scope="session")
def corrupt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("corrupt") / "corrupt.so"
    source = Path(__file__).parent / "corrupt.c"
    subprocess.run(["mpicc.openmpi", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("latency", "Recv"),
        ("bandwidth", "Waitall"),
        ("bibandwidth", "Waitall"),
        ("allreduce", "Allreduce"),
        ("allgather", "Allgather"),
        ("alltoall", "Alltoall"),
        ("bcast", "Bcast"),
    ],
)
def test_a_byte_that_is_spoiled_is_seen(name: str, function: str, programs: Path, corrupt: Path) -> None:
    words = ("-m", "8:16", "-c", *FEW)
    done = run(OPEN_MPI, 2, programs / name, *words, LD_PRELOAD=str(corrupt), CORRUPT=function)
    assert done.returncode != 0
    assert parse_before_the_end(done.stdout) == ["Fail", "Pass"]
    assert "values arrived wrong" in done.stderr


def parse_before_the_end(text: str) -> list[str]:
    """Return the column of verdicts; if a program fails, mpirun prints more after the table."""
    lines = text.splitlines()
    return parse("\n".join(lines[:3] + [line for line in lines[3:] if re.match(r"\d+ ", line)])).column("Validation")


@pytest.mark.parametrize(("function", "column"), [("Recv", 0), ("Sendrecv", 2), ("Waitall", 3)])
def test_the_exchange_sees_a_spoiled_byte_too(function: str, column: int, programs: Path, corrupt: Path) -> None:
    done = run(OPEN_MPI, 2, programs / "exchange", "-m", "64", LD_PRELOAD=str(corrupt), CORRUPT=function)
    assert done.returncode != 0 and "FAIL: exchange: 1 wrong" in done.stdout
    rows = [line.split()[1:] for line in done.stdout.splitlines() if re.match(r"\d+ ", line)]
    assert [number for row in rows for number, word in enumerate(row) if word != "0"] == [column]


@pytest.mark.parametrize(
    "words", [("-m",), ("-m", "0"), ("-m", "8:4"), ("-m", "4:x"), ("-i", "0"), ("-q", "1"), ("-m4",), ("x", "y")]
)
def test_wrong_words(words: tuple[str, ...], programs: Path) -> None:
    done = subprocess.run([programs / "bcast", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "usage:" in done.stderr


def test_one_rank_is_no_pair(programs: Path) -> None:
    done = run(OPEN_MPI, 1, programs / "latency")
    assert done.returncode == 2 and "needs two ranks" in done.stderr


def test_mpich_beside_open_mpi(tmp_path: Path) -> None:
    need("mpicxx.mpich", "mpirun.mpich")
    source = FIXTURES / "src/allreduce.cu"
    done = hipport(
        source, "-I", FIXTURES / "include", "--target", "cpu", "-O0", "-o", tmp_path / "a", "--mpi=mpicxx.mpich"
    )
    assert done.returncode == 0, done.stderr
    assert "MPI: MPICH 4" in done.stderr and "run it with: mpirun.mpich -n 2" in done.stderr
    ran = run(MPICH, 2, tmp_path / "a", "-m", "4:64", "-c", "-i", "1", "-x", "0")
    assert (ran.returncode, set(parse(ran.stdout).column("Validation"))) == (0, {"Pass"}), ran.stderr


def test_for_amd_gpus_it_is_said_what_a_run_needs(tmp_path: Path) -> None:
    need("mpicxx.openmpi")
    out = tmp_path / "exchange"
    done = hipport(
        *(FIXTURES / "src/exchange.cu", "-I", FIXTURES / "include", "-o", out, "--mpi=mpicxx.openmpi"),
        *("--offload-arch", "gfx90a,gfx1030"),
    )
    assert done.returncode == 0, done.stderr
    assert "gfx90a, gfx1030" in done.stdout
    assert f"run it with: mpirun.openmpi --mca pml ucx -n 2 {out}" in done.stderr
    assert "Open MPI was not built with ROCm" in done.stderr or "neither this Open MPI nor its UCX" in done.stderr
