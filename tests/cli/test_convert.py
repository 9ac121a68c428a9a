"""The installed command `hipport convert`."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import served
from tests.project.fake import build, names

KERNEL = "__global__ void k() {}\nint main() {\n  k<<<1, 2>>>();\n  return cudaDeviceSynchronize();\n}\n"
NO_COUNTERPART = "#include <cuda.h>\nint f() { return cuLaunchGrid(0, 1, 1); }\n"


def hipport(*arguments: str | Path, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return served.served("convert", *arguments, cwd=cwd, stdin=stdin, timeout=120)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    build(
        tmp_path,
        {
            "src/main.cu": KERNEL + '#include "util.cuh"\n',
            "src/util.cuh": "cudaStream_t s;\n",
            "src/README": "cudaFree",
        },
    )
    return tmp_path


def test_a_tree(tree: Path) -> None:
    done = hipport("src", "-o", "out", "--rocm", "6.2", cwd=tree)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"hipport: 2 sources read, 2 changed, 1 other file copied, for ROCm 6.2\n"
    assert names(tree / "out") == ["README", "main.hip", "util.cuh"]
    text = (tree / "out/main.hip").read_text()
    assert "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0)" in text and "hipDeviceSynchronize()" in text
    again = hipport("out", "--check", cwd=tree)
    assert (again.returncode, again.stdout) == (0, b"")


def test_chevrons_and_names_kept(tree: Path) -> None:
    assert hipport("src", "-o", "out", "--launch", "chevron", "--keep-names", cwd=tree).returncode == 0
    assert "k<<<1, 2>>>()" in (tree / "out/main.cu").read_text()


def test_standard_input_to_standard_output(tree: Path) -> None:
    done = hipport("-", cwd=tree, stdin=b"cudaStream_t s;\r\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"hipStream_t s;\r\n")
    assert hipport("src/util.cuh", "--stdout", cwd=tree).stdout == done.stdout.replace(b"\r\n", b"\n")


def test_errors_are_found_at_their_place(tree: Path) -> None:
    build(tree, {"bad.cu": NO_COUNTERPART})
    done = hipport("bad.cu", "--stdout", cwd=tree)
    assert done.returncode == 1 and b"cuLaunchGrid" in done.stdout
    first = done.stderr.decode().splitlines()[0]
    assert first.startswith("bad.cu:2:18: error[HP101]: cuLaunchGrid ")


def test_the_diff_makes_of_the_tree_what_in_place_makes_of_it(tree: Path) -> None:
    build(
        tree,
        {"copy/main.cu": (tree / "src/main.cu").read_bytes(), "copy/util.cuh": (tree / "src/util.cuh").read_bytes()},
    )
    diff = hipport("copy", "--diff", cwd=tree)
    assert diff.returncode == 0 and b"rename to copy/main.hip" in diff.stdout
    subprocess.run(["git", "apply", "-"], cwd=tree, input=diff.stdout, check=True)
    assert hipport("src", "--in-place", cwd=tree).returncode == 0
    for name in ("main.hip", "util.cuh"):
        assert (tree / "copy" / name).read_bytes() == (tree / "src" / name).read_bytes()
    assert names(tree / "src") == ["README", "main.hip", "util.cuh"]


def test_check_says_what_would_change(tree: Path) -> None:
    done = hipport("src", "--check", cwd=tree)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "would change: src/main.cu -> src/main.hip",
        "would change: src/util.cuh",
    ]
    assert names(tree) == ["src/README", "src/main.cu", "src/util.cuh"]


def test_the_report_for_programs(tree: Path) -> None:
    build(tree / "src", {os.fsdecode(b"odd\xff\n.cu"): NO_COUNTERPART})
    done = hipport("src", "-o", "out", "--report", "report.json", cwd=tree)
    report = json.loads((tree / "report.json").read_text())
    assert (report["schema"], report["mode"], report["exit_status"]) == (1, "output", done.returncode)
    assert report["summary"]["errors"] == len(report["diagnostics"]) == 1
    assert report["diagnostics"][0]["path"] == "src/odd\ufffd\n.cu" and "path_base64" in report["diagnostics"][0]
    main = {"source": "src/main.cu", "target": "out/main.hip", "action": "translate", "changed": True, "failed": False}
    main["build_file"] = False
    assert main in report["files"] and len(report["files"]) == 4
    printed = hipport("src", "-o", "out", "--report", "-", cwd=tree)
    again = json.loads(printed.stdout)
    assert {file["verdict"] for file in again["verdicts"]} == {"up to date"}
    assert again | {"verdicts": None} == report
    assert rb"src/odd\xff\n.cu:2:18: error" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["src"], "-o DIR, --in-place, --stdout, --diff or --check"),
        (["src", "--diff", "-o", "out"], "-o and --diff cannot be combined"),
        (["src", "-o", "src"], "--in-place"),
        (["scr", "--check"], "Did you mean 'src'?"),
        (["-", "--in-place"], "standard input"),
        (["-", "src", "--stdout"], "standard input"),
        (["src/main.cu", "-o", "-"], "--stdout"),
        (["src", "--diff", "--report", "-"], "both write to standard output"),
        (["src", "--check", "--report", "-"], "both write to standard output"),
        (["src", "--check", "-j", "0"], "-j"),
        (["src", "--check", "--frobnicate"], "--frobnicate"),
        ([], "PATH"),
    ],
)
def test_wrong_use(tree: Path, arguments: list[str], message: str) -> None:
    done = hipport(*arguments, cwd=tree)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode() and "Traceback" not in done.stderr.decode()
    assert names(tree) == ["src/README", "src/main.cu", "src/util.cuh"]


def big_tree(folder: Path, count: int) -> Path:
    files: dict[str, str | bytes] = {f"d{n % 7}/f{n}.cu": KERNEL * 40 + NO_COUNTERPART for n in range(count)}
    return build(folder / "big", files)


def test_any_number_of_processes_gives_the_same(tmp_path: Path) -> None:
    big_tree(tmp_path, 40)
    runs = [hipport("big", "--diff", "-j", jobs, "--max-diagnostics", "0", cwd=tmp_path) for jobs in ("1", "2", "5")]
    assert runs[0].stdout == runs[1].stdout == runs[2].stdout != b""
    assert runs[0].stderr == runs[1].stderr == runs[2].stderr
    assert runs[0].stderr.count(b"error[HP101]") == 40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("phase", ["translating", "writing"])
def test_an_interrupted_run_leaves_whole_files_only(tmp_path: Path, number: signal.Signals, phase: str) -> None:
    big_tree(tmp_path, 150)
    build(tmp_path / "big", {f"data/{n}": "data" for n in range(3000)})
    whole = {len(hipport("big/d0/f0.cu", "--stdout", cwd=tmp_path).stdout), len("data")}
    command = [sys.executable, "-m", "hipport", "convert", "big", "-o", "out", "-j", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True) as process:
        while not (_children(process.pid) if phase == "translating" else (tmp_path / "out/data/1").exists()):
            assert process.poll() is None, process.communicate()
            time.sleep(0.001)
        if number is signal.SIGINT:
            os.killpg(process.pid, number)  # as the terminal does
        else:
            process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == (130 if number is signal.SIGINT else -number)
    assert b"Traceback" not in errors
    written = [name for name in names(tmp_path) if name.startswith("out/")]
    assert len(written) < 3150 and bool(written) is (phase == "writing")
    assert {name for name in written if ".hipport" in name} == set()
    assert {(tmp_path / name).stat().st_size for name in written} <= whole
    end = time.monotonic() + 10
    while _group(process.pid):
        assert time.monotonic() < end, "a worker is left"
        time.sleep(0.01)


def _group(leader: int) -> list[int]:
    """Return the live processes of a process group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(group) == leader and state != "Z":
                found.append(int(stat.parent.name))
    return found


def _children(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text()


def on_a_terminal(command: list[str], cwd: Path, **environment: str) -> str:
    """Run a program with a terminal as standard error; return what it writes there."""
    master, slave = pty.openpty()
    with subprocess.Popen(command, cwd=cwd, stderr=slave, env={**os.environ, **environment}) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            shown += piece
    os.close(master)
    assert process.returncode is not None
    return shown.decode()


def test_a_bar_and_colours_on_a_terminal_and_neither_in_a_pipe(tmp_path: Path) -> None:
    big_tree(tmp_path, 30)
    command = [sys.executable, "-m", "hipport", "convert", "big", "-o", "out"]
    shown = on_a_terminal(command, tmp_path, TERM="xterm", COLUMNS="80")
    assert "Translating" in shown and "30/30" in shown and "\x1b[31m" in shown
    plain = on_a_terminal(command, tmp_path, TERM="xterm", COLUMNS="80", NO_COLOR="1")
    assert "\x1b[31m" not in plain
    piped = hipport("big", "-o", "out", cwd=tmp_path).stderr
    assert b"Translating" not in piped and b"\x1b" not in piped


def test_help_loads_no_parser(tmp_path: Path) -> None:
    code = (
        "import sys; from hipport.cli import main; sys.argv = ['hipport', 'convert', '--help']\n"
        "try: main()\n"
        "finally: assert not {'tree_sitter', 'rich', 'yaml', 'pathspec', 'multiprocessing'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"--in-place" in done.stdout


ROOT = Path(__file__).parents[2]


def test_the_documentation_shows_what_happens(tmp_path: Path) -> None:
    text = (ROOT / "docs/convert.md").read_text("utf-8")
    shutil.copytree(ROOT / "fixtures/programs/cli_case", tmp_path / "case")
    (limits,) = re.findall(r"```cuda\n(.*?)```", text, re.DOTALL)
    build(tmp_path, {"limits.cu": limits})
    commands = re.findall(r"\$ hipport convert (.*)\n((?:(?!\$ |```).*\n)*)", text)
    assert len(commands) == 4
    for arguments, shown in commands:
        done = hipport(*arguments.split(), cwd=tmp_path)
        # The documentation does not know which ROCm this machine has.
        said = re.sub(r"for ROCm [\d.]+ \(.*?\)", "for ROCm 7.2 (newest known)", (done.stdout + done.stderr).decode())
        assert said == shown, arguments
