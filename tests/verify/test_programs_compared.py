"""Comparing the output and the files of programs, end to end, with the installed command."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest

from tests.verify.conftest import Scripts, script, verify


def test_equal(scripts: Scripts) -> None:
    same = 'echo "$1 $VALUE"; cat >&2; echo 1.5 > out.txt; mkdir -p a; printf "\\0\\1" > a/b.bin'
    stdin = script(Path(scripts(same, same)[1]).with_name("stdin"), "")
    done = verify(*_programs(stdin), "--stdin", stdin, "--env", "VALUE=7", "--", "--first", "-x")
    assert done.status == 0
    assert done.out.splitlines() == [
        "port (cpu) matches the original (cpu)",
        "  equal: exit status (0), stdout (text), stderr (text), a/b.bin (bytes), out.txt (text)",
    ]


def _programs(beside: str) -> tuple[str, ...]:
    folder = Path(beside).parent
    return ("--original-exe", str(folder / "old"), "--port-exe", str(folder / "new"))


@pytest.mark.parametrize(
    ("original", "port", "said"),
    [
        ("echo 1.0", "echo 1.1", "stdout, line 1: original 1.0, port 1.1 (absolute 0.1, relative 0.0909)"),
        ("echo nan", "echo 0", "stdout, line 1: original nan, port 0"),
        ("exit 3", "exit 4", "exit status: original 3, port 4"),
        ("true", "kill -SEGV $$", "exit status: original 0, port ended by SIGSEGV"),
        ("true", "sleep 60", "exit status: original 0, port stopped at the timeout"),
        ("echo 1 > out", "true", "out: original written, port not written"),
        ("true", "echo 1 > out", "out: original not written, port written"),
        ("true", "echo oops >&2", "stderr, line 1: original (no line), port oops"),
        ("printf '\\0' > out", "printf '\\1' > out", "out, [0]: original 0, port 1"),
        ("echo $((1 + 1))", "printf '\\033[2J'", "stdout, line 1: original 2, port \\x1b[2J"),
    ],
)
def test_different(original: str, port: str, said: str, scripts: Scripts) -> None:
    done = verify(*scripts(original, port), "--timeout", "2")
    assert done.status == 1
    assert done.out.splitlines()[:2] == ["port (cpu) differs from the original (cpu)", f"  {said}"]


@pytest.mark.parametrize(
    "options",
    [["--rtol", "0.1"], ["--atol", "0.2"], ["--ignore", "^value"], ["--skip", "stdout"], ["--skip", "std*"]],
)
def test_what_need_not_be_equal(options: list[str], scripts: Scripts) -> None:
    programs = scripts("echo value 1.0", "echo value 1.1")
    assert verify(*programs).status == 1
    assert verify(*programs, *options).status == 0


def test_both_may_fail_alike(scripts: Scripts) -> None:
    done = verify(*scripts("kill -ABRT $$", "kill -ABRT $$"))
    assert (done.status, "exit status (ended by SIGABRT)" in done.out) == (0, True)


def test_an_original_that_does_not_end_is_nothing_to_compare_with(scripts: Scripts) -> None:
    done = verify(*scripts("sleep 60", "sleep 60"), "--timeout", "0.3")
    assert (done.status, "the original did not finish within 0.3 s" in done.err) == (2, True)


def test_an_original_that_lacks_a_library_is_nothing_to_compare_with(scripts: Scripts) -> None:
    fails = "echo 'x: error while loading shared libraries: libcudart.so.13: cannot open' >&2; exit 127"
    done = verify(*scripts(fails, fails))
    assert (done.status, "the original did not start: x: error while" in done.err) == (2, True)


def test_nothing_is_left_running_or_behind(scripts: Scripts, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    late = f"(sleep 1.5; touch {mark}) & echo started"
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    env = {**os.environ, "TMPDIR": str(cwd)}
    assert verify(*scripts(late, late), cwd=cwd, env=env).status == 0
    assert list(cwd.iterdir()) == []
    assert not mark.exists()


def test_inputs_are_copied_and_only_what_is_written_is_compared(scripts: Scripts, tmp_path: Path) -> None:
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "deep" / "in.txt").write_text("41\n")
    (tmp_path / "other.txt").write_text("1\n")
    text = "cat data/deep/in.txt other.txt; echo 42 > data/deep/in.txt"
    programs = scripts(text, text)
    done = verify(*programs, "--input", "data", "--input", str(tmp_path / "other.txt"), cwd=tmp_path)
    assert done.status == 0
    assert "data/deep/in.txt (text)" in done.out
    assert "other.txt" not in done.out
    assert (tmp_path / "data" / "deep" / "in.txt").read_text() == "41\n"


def test_programs_find_the_same_name(scripts: Scripts) -> None:
    assert verify(*scripts("pwd | grep -o '[^/]*$'", "pwd | grep -o '[^/]*$'")).status == 0


def test_memory_limit(scripts: Scripts) -> None:
    hungry = "python3 -c 'print(len(bytes(300 << 20)))'"
    programs = scripts("echo 314572800", hungry)
    assert verify(*programs).status == 0
    limited = verify(*programs, "--memory-limit", "150")
    assert (limited.status, "MemoryError" in limited.out) == (1, True)


def test_typed_files(scripts: Scripts) -> None:
    old, new = (struct.pack("<3f", 1, 2, last).hex() for last in (3, 3.00001))
    octal = ["".join(f"\\{byte:03o}" for byte in bytes.fromhex(data)) for data in (old, new)]
    programs = scripts(*(f"printf '{text}' > out.raw" for text in octal))
    assert "compared byte by byte" in verify(*programs).out
    assert verify(*programs, "--dtype", "out.*=f32").status == 0
    strict = verify(*programs, "--dtype", "f32", "--rtol", "1e-7")
    assert "out.raw, [2]: original 3.0, port 3.00001" in strict.out


def test_reports(scripts: Scripts, tmp_path: Path) -> None:
    json_file, page = tmp_path / "r.json", tmp_path / "r.html"
    done = verify(
        *scripts("echo '1.0 <b>'", "echo '2.0 <b>'"), "--report", str(json_file), "--report", str(page), "--report", "-"
    )
    data = json.loads(json_file.read_text())
    assert (done.status, data["equal"]) == (1, False)
    stdout = data["ports"][0]["comparisons"][1]
    assert (stdout["name"], stdout["count"], stdout["worst"]) == ("stdout", 1, 1.0)
    assert stdout["differences"] == [
        {"where": "line 1", "original": "1.0", "port": "2.0", "detail": "absolute 1, relative 0.5"}
    ]
    assert done.out.startswith(json_file.read_text())
    assert "2.0" in page.read_text()


def test_a_folder_of_ones_own(scripts: Scripts, tmp_path: Path) -> None:
    programs = scripts("echo 1 > out", "echo 2 > out")
    for _ in range(2):
        assert verify(*programs, "--work-dir", "kept", cwd=tmp_path).status == 1
    assert (tmp_path / "kept" / "1" / "run" / "work" / "out").read_text() == "2\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no original"),
        (["missing.cu"], "no such file or folder: missing.cu"),
        (["."], "no sources in ."),
        (["--original-exe", "/bin/true"], "no port"),
        (["--original-exe", "/bin/true", "--port-exe", "missing"], "missing is not an executable program"),
        (["--original-exe", "/bin/true", "--port-exe", "/etc/passwd"], "/etc/passwd is not an executable program"),
        (["--port-exe", "/bin/true", "--port-source", "x"], "no original"),
        (["--original-exe", "/bin/true", "--port-exe", "/bin/true", "--port-source", "x"], "cannot be combined"),
        (["--ignore", "("], "'(' is not a regular expression"),
        (["--dtype", "f31"], "unknown type 'f31'"),
        (["--env", "=x"], "--env takes NAME=VALUE"),
        (["--rtol", "nan"], "must be a number"),
        (["--build", "'"], "is not a valid list of flags"),
        (["--input", "missing"], "cannot copy the input missing"),
        (["--stdin", "missing"], "cannot read missing"),
        (["--work-dir", "full"], "full contains other files"),
        (["--report", "full.json"], "cannot write the report 'full.json'"),
    ],
)
def test_what_could_not_be_found_out(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full.json").mkdir()
    (tmp_path / "full" / "precious").touch()
    whole = any(word.endswith(("-exe", "source", ".cu", ".")) for word in arguments) or not arguments
    programs = [] if whole else ["--original-exe", "/bin/true", "--port-exe", "/bin/true"]
    done = verify(*programs, *arguments, cwd=tmp_path)
    assert (done.status, said in done.err) == (2, True), done.err
    assert (tmp_path / "full" / "precious").exists()


@pytest.mark.parametrize(("option", "device"), [("nvidia", "NVIDIA GPU"), ("amd", "AMD GPU")])
def test_a_platform_that_the_machine_lacks(option: str, device: str, tmp_path: Path) -> None:
    script(tmp_path / "nvidia-smi", "exit 9")
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = verify("--original-exe", "/bin/true", "--port-exe", "/bin/true", "--port", option, env=env)
    assert (done.status, f"no working {device} in this machine" in done.err) == (2, True)
