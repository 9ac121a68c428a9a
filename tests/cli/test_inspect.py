"""The installed command `hipport inspect`, end to end."""

from __future__ import annotations

import json
import os
import pty
import shutil
import struct
import subprocess
import sys
from collections.abc import Mapping
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from typing import Any

import pytest

from tests import served
from tests.codeobject import fabricate

PROGRAM = [sys.executable, "-m", "hipport", "inspect"]
LONG_NAME = "_ZN9namespace" + "10abcdefghij" * 20 + "Ev"


def inspect(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return served.hipport("inspect", *arguments, env=os.environ | environment)


@pytest.fixture
def fat_binary(tmp_path: Path) -> Path:
    path = tmp_path / "two.hipfb"
    path.write_bytes(fabricate.two_targets())
    return path


@pytest.fixture
def host_only(tmp_path: Path) -> Path:
    path = tmp_path / "host"
    path.write_bytes(fabricate.elf([(".text", 1, 0, 0, b"\xc3")]))
    return path


def on_terminal(columns: int, path: Path) -> str:
    """Return the command's output on a terminal with this many columns, without colors."""
    return rendered(path, 0, columns)


def rendered(path: Path, status: int, columns: int = 80) -> str:
    """Run the command on a terminal, check its exit status, and return its output."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen([*PROGRAM, str(path)], stdout=theirs, stdin=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while chunk := read_terminal(ours):
        shown += chunk
    os.close(ours)
    assert process.wait(60) == status
    return shown.decode().replace("\r\n", "\n")


def read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # Linux's end of file when the other side is closed
        return b""


class TestPipe:
    def test_columns_are_stable(self, fat_binary: Path) -> None:
        done = inspect(fat_binary, COLUMNS="20")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == [
            f"{fat_binary}: fat binary, 2 code objects, 2 kernels",
            "bundle 1: plain, offset 0x0, 2050 bytes",
            "BUNDLE  KIND   TARGET                    CONTENT         OFFSET  SIZE  KERNELS",
            "     1  host   x86_64-unknown-linux-gnu  empty             0xc8     0        -",
            "     1  hipv4  gfx90a                    code object v5    0xc8   922        1",
            "     1  hipv4  gfx1100                   code object v5   0x468   922        1",
            "TARGET   VGPR  AGPR  SGPR  SPILL   LDS  SCRATCH  WF   WG  ARGS  OCCUPANCY  KERNEL",
            "gfx90a     40     8    24    1/2  8192       16  64  256    20  8/8        _Z4axpyPfS_f",
            "gfx1100    40     8    24    1/2  8192       16  32  256    20  16/16      _Z4axpyPfS_f",
        ]

    def test_long_names_stay_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "a.co"
        path.write_bytes(fabricate.code_object([{**fabricate.KERNEL, ".name": LONG_NAME}]))
        assert inspect(path).stdout.splitlines()[-1].endswith(f"  {LONG_NAME}")

    def test_names_cannot_steer_the_terminal(self, tmp_path: Path) -> None:
        path = tmp_path / "a.co"
        path.write_bytes(fabricate.code_object([{**fabricate.KERNEL, ".name": "k\x1b[2J\r\n"}]))
        assert inspect(path).stdout.splitlines()[-1].endswith("k\\x1b[2J\\x0d\\x0a")

    def test_a_contradiction_is_shown(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hipfb"
        path.write_bytes(fabricate.bundle([(fabricate.device_id("gfx942"), fabricate.code_object())]))
        warning = "warning: gfx942: the bundle entry is for gfx942, but its ELF header says gfx90a"
        assert inspect(path).stdout.splitlines()[-1] == warning


class TestTerminal:
    @pytest.mark.parametrize("columns", [80, 200])
    def test_rows_fit(self, columns: int, fat_binary: Path, tmp_path: Path) -> None:
        path = tmp_path / "a.hipfb"
        path.write_bytes(fat_binary.read_bytes())
        os.chdir(tmp_path)
        lines = on_terminal(columns, Path("a.hipfb")).splitlines()
        assert max(map(len, lines)) <= columns
        name = lines.index("_Z4axpyPfS_f")
        assert [line.split()[0] for line in lines[name + 1 :]] == ["TARGET", "gfx90a", "gfx1100"]
        assert lines[name + 2].split()[-1] == "8/8"

    def test_the_longest_target_id_fits_80_columns(self, tmp_path: Path) -> None:
        record = {**fabricate.KERNEL, ".vgpr_count": 512, ".group_segment_fixed_size": 65536}
        path = tmp_path / "a.hipfb"
        content = fabricate.code_object([record], features=0xB00)
        path.write_bytes(fabricate.bundle([(fabricate.device_id("gfx90a:sramecc-:xnack+"), content)]))
        last = on_terminal(80, path).splitlines()[-1].split()
        assert (last[0], last[-2:]) == ("gfx90a:sramecc-:xnack+", ["1/8", "VGPR"])


class TestJson:
    def document(self, *arguments: str | Path) -> Mapping[str, Any]:
        document: Mapping[str, Any] = json.loads(inspect("--json", *arguments).stdout)
        return document

    def test_a_fat_binary(self, fat_binary: Path) -> None:
        document = self.document(fat_binary)
        assert (document["version"], document["errors"]) == (1, [])
        (file,) = document["files"]
        assert (file["path"], file["kind"]) == (str(fat_binary), "fat binary")
        host, device, _ = file["bundles"][0]["entries"]
        assert host["kernels"] == []
        assert (device["id"], device["target_id"]) == ("hipv4-amdgcn-amd-amdhsa--gfx90a", "gfx90a")
        (kernel,) = device["kernels"]
        assert kernel["occupancy"] == {
            "waves": 8,
            "limited_by": None,
            "max_waves": 8,
            "by_vgprs": 8,
            "by_sgprs": 8,
            "by_workgroup": 8,
            "by_lds": 8,
        }
        assert kernel["demangled"] is None

    def test_every_field_is_documented(self, fat_binary: Path) -> None:
        text = (Path(__file__).parents[2] / "docs" / "inspect.md").read_text()
        assert [name for name in fields(self.document(fat_binary)) if f"`{name}`" not in text] == []

    def test_errors_are_in_the_document(self, fat_binary: Path, host_only: Path) -> None:
        document = self.document(host_only, fat_binary)
        assert [file["path"] for file in document["files"]] == [str(fat_binary)]
        assert [error["path"] for error in document["errors"]] == [str(host_only)]


def fields(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(fields, value.values()))
    return set().union(*map(fields, value)) if isinstance(value, list) else set()


class TestStatus:
    def test_no_gpu_code(self, host_only: Path) -> None:
        done = inspect(host_only)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"hipport: error: {host_only}: no GPU code found in this shared library\n")

    def test_one_bad_file_does_not_hide_the_others(self, fat_binary: Path, tmp_path: Path) -> None:
        done = inspect(tmp_path / "absent", fat_binary)
        assert done.returncode == 2
        assert "2 code objects" in done.stdout
        assert done.stderr == f"hipport: error: {tmp_path / 'absent'}: no such file\n"

    def test_a_damaged_file(self, fat_binary: Path) -> None:
        fat_binary.write_bytes(fat_binary.read_bytes()[:1000])
        done = inspect(fat_binary)
        assert (done.returncode, done.stdout) == (1, "")
        assert "reaches past the end" in done.stderr
        assert "Traceback" not in done.stderr

    def test_wrong_use(self) -> None:
        assert inspect().returncode == 2


KERNEL = ("_Z4axpyILi2EEvv", "_Z19__device_stub__axpyILi2EEvv")


class TestHostCode:
    @pytest.fixture
    def mismatched(self, tmp_path: Path) -> Path:
        """A binary whose host code registers axpy<2>() and whose code for gfx90a has axpy<4>()."""
        path = tmp_path / "app"
        device = fabricate.fat_binary(gfx90a=["_Z4axpyILi4EEvv"], gfx1100=[KERNEL[0]])
        path.write_bytes(fabricate.host(fabricate.registering(KERNEL), device))
        return path

    def test_a_kernel_that_is_missing(self, mismatched: Path) -> None:
        done = inspect(mismatched)
        assert done.returncode == 1
        assert done.stdout.splitlines()[-2:] == [
            "host code: registers 1 kernel, 1 missing in code objects",
            f"error: gfx90a: the host registers {KERNEL[0]}, which is missing; not registered: _Z4axpyILi4EEvv",
        ]
        assert done.stderr.startswith(f"hipport: error: {mismatched}: 1 kernel registered by the host code")
        assert "error: gfx90a: the host registers" in "".join(rendered(mismatched, 1).split("\n"))

    def test_json(self, mismatched: Path) -> None:
        done = inspect("--json", mismatched)
        document = json.loads(done.stdout)
        assert (done.returncode, len(document["errors"])) == (1, 1)
        missing = {"name": KERNEL[0], "target_id": "gfx90a", "elsewhere": True, "instead": ["_Z4axpyILi4EEvv"]}
        assert document["files"][0]["hosts"] == [
            {"member": None, "registered": [KERNEL[0]], "unchecked": None, "missing": [missing | {"is_error": True}]}
        ]
        text = (Path(__file__).parents[2] / "docs" / "inspect.md").read_text()
        assert [name for name in fields(document) if f"`{name}`" not in text] == []

    def test_all_there(self, tmp_path: Path) -> None:
        path = tmp_path / "app"
        path.write_bytes(fabricate.host(fabricate.registering(KERNEL), fabricate.fat_binary(gfx90a=[KERNEL[0]])))
        done = inspect(path)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-1] == "host code: registers 1 kernel, in all code objects"

    def test_a_stripped_file(self, tmp_path: Path) -> None:
        path = tmp_path / "app"
        symbols = fabricate.registering(constructors=0)
        path.write_bytes(fabricate.host(symbols, fabricate.fat_binary(gfx90a=[KERNEL[0]]), table=11))
        done = inspect(path)
        assert done.returncode == 0
        assert done.stdout.splitlines()[-1].startswith(
            "host code: kernels that it registers are not checked: it is stripped"
        )


class TestDemangle:
    @pytest.mark.skipif(shutil.which("c++filt") is None, reason="binutils are not installed")
    def test_names(self, fat_binary: Path) -> None:
        assert inspect("--demangle", fat_binary).stdout.splitlines()[-1].endswith("  axpy(float*, float*, float)")
        document = json.loads(inspect("--demangle", "--json", fat_binary).stdout)
        kernel = document["files"][0]["bundles"][0]["entries"][1]["kernels"][0]
        assert (kernel["name"], kernel["demangled"]) == ("_Z4axpyPfS_f", "axpy(float*, float*, float)")

    def test_without_a_demangler(self, fat_binary: Path, tmp_path: Path) -> None:
        done = inspect("--demangle", fat_binary, PATH=str(tmp_path))
        assert done.returncode == 1
        assert done.stderr.startswith("hipport: error: no demangler found\n")


def test_rich_stays_out_of_a_pipe(fat_binary: Path) -> None:
    """Importing rich would double the time of a call."""
    code = "import sys; from hipport.cli.inspect import command; command(sys.argv[1:], standalone_mode=False)"
    code += "; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(fat_binary)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
