"""`hipport bench p2p` as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import served

STORED = Path(__file__).parents[3] / "docs/data/p2p-h200-x2.json"


def bench(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    return served.hipport("bench", "p2p", *arguments, cwd=cwd, env=environment)


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_cpu_is_one_device(bench_cache: Path, tmp_path: Path) -> None:
    done = bench("--target", "cpu", "--size", "1", "--json", "a.json", "--svg", "a.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "only one GPU: copies are within its memory\n" in done.stdout
    assert "both directions" not in done.stdout
    stored = json.loads((tmp_path / "a.json").read_text())
    assert (stored["target"], stored["bytes"], len(stored["ways"])) == ("cpu", 1 << 20, 2)
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    again = bench("--from", "a.json", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout)


def test_a_stored_measurement_is_shown(tmp_path: Path) -> None:
    done = bench("--from", str(STORED), "--svg", "a.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "18 NVLink of 25 GB/s: 450 GB/s per direction" in done.stdout
    assert "copy engine (cudaMemcpyPeerAsync), both directions at once: GB/s" in done.stdout
    assert "88%" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--from", "missing.json"), 1, "cannot read missing.json"),
        (("--from", str(STORED), "--json", "b.json"), 2, "cannot be used with --from"),
        (("--from", str(STORED), "--svg", "missing/a.svg"), 1, "cannot write missing/a.svg"),
        (("--target", "cpu", "--json", "missing/a.json"), 1, "cannot write missing/a.json"),
        (("--size", "0"), 2, "--size"),
        (("--target", "amd"), 1, "no working AMD GPU"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], status: int, said: str, tmp_path: Path) -> None:
    done = bench(*arguments, cwd=tmp_path)
    assert done.returncode == status and said in done.stderr
    assert "Traceback" not in done.stderr and not list(tmp_path.iterdir())
