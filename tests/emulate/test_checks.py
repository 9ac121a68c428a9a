"""`hipport run --emulate TARGET --check`: planted defects are found, their near misses are not."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import FIXTURES, GENERATIONS, PLANTED, RUNS, emulated
from tests.shared import EVERYTHING, made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

SOURCE = Path(__file__).with_name("faults.hip")
CHECKED = [(name, target) for name, target in RUNS if EVERYTHING or name != "transformer_block"]
"""Programs that run with checks, without those that would take minutes."""
TYPES = ("char", "short", "int", "double", "HIP_vector_type<float, 3u>", "HIP_vector_type<float, 4u>")
OTHERS = {
    "unwritten_shared": "undefined-value",
    "unwritten_shared_in_a_branch": "undefined-value",
    "unwritten_register": "undefined-value",
    "unwritten_but_unused": "undefined-value",
    "race_of_write_and_read": "race",
    "race_of_read_and_write": "race",
    "race_of_writes": "race",
    "race_in_global_memory": "race",
    "race_of_atomic_and_write": "race",
    "barrier_in_a_branch": "barrier-divergence",
    "barriers_of_two_branches": "barrier-divergence",
}


@pytest.fixture(scope="session")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with planted defects, with line tables."""

    def make(folder: Path) -> None:
        options = ("--offload-arch", ",".join(GENERATIONS), "-o", str(folder / "faults"))
        built(*options, str(SOURCE), "--", "-gline-tables-only", cwd=folder)

    return made_once(tmp_path_factory, "emulated-faults", make) / "faults"


def findings(program: Path, target: str, argument: str, cache: Path, folder: Path) -> tuple[int, list[dict[str, Any]]]:
    report = folder / "report.json"
    options = ("--emulate", target, "--check", "--report", str(report))
    done = emulated(*options, str(program), argument, cwd=folder, cache=cache)
    assert "done" in done.stdout, done.stdout + done.stderr
    return done.returncode, json.loads(report.read_text())["findings"]


def planted() -> Iterator[tuple[str, str, int]]:
    """Yield the kernel, the kind of its finding, and how often it must be seen; 0 for any number."""
    for kind, wrong, threads in (
        ("load", "out-of-bounds", 0),
        ("store", "out-of-bounds", 2),
        ("shared_store", "shared-out-of-bounds", 2),
        ("shared_load", "shared-out-of-bounds", 512),
    ):
        for name in TYPES:
            yield f"{kind}_element<{name}>", wrong, 0 if "3u" in name else threads
    yield from ((f"add_element<{name}>", "out-of-bounds", 2) for name in ("int",))
    yield "load_element<unsigned int>", "out-of-bounds", 0
    yield "load_element<long>", "out-of-bounds", 0
    yield from ((f"{name}<1>", kind, 0) for name, kind in OTHERS.items())


@pytest.mark.parametrize("target", GENERATIONS)
def test_planted_defects_are_found_at_their_lines(faults: Path, cache: Path, tmp_path: Path, target: str) -> None:
    status, found = findings(faults, target, "faulty", cache, tmp_path)
    assert status == 1
    by_kernel: dict[str, Counter[str]] = {}
    for finding in found:
        name = re.sub(r"^void |\(.*", "", finding["kernel"]).replace("> >", ">>")
        by_kernel.setdefault(name, Counter())[finding["kind"]] += finding["count"]
        assert re.match(r".*faults\.hip:\d+", finding["at"]["line"]), finding
    missed = [
        (kernel, kind, by_kernel.get(kernel))
        for kernel, kind, count in planted()
        if not by_kernel.get(kernel, Counter())[kind] or count not in (0, by_kernel[kernel][kind])
    ]
    assert not missed


@pytest.mark.parametrize("target", GENERATIONS)
def test_near_misses_are_no_findings(faults: Path, cache: Path, tmp_path: Path, target: str) -> None:
    assert findings(faults, target, "sound", cache, tmp_path) == (0, [])


@pytest.mark.parametrize(("name", "target"), CHECKED)
def test_fixture_programs_have_no_findings(
    executable: Callable[[str], Path], cache: Path, name: str, target: str
) -> None:
    done = emulated("--emulate", target, "--check", str(executable(name)), cwd=FIXTURES[name].folder, cache=cache)
    assert (done.returncode, done.stderr) == (0, "hipport: 0 findings in emulated kernels\n"), done.stdout


def test_allocations_and_threads_are_named(faults: Path, cache: Path, tmp_path: Path) -> None:
    _, found = findings(faults, "gfx90a", "faulty", cache, tmp_path)
    messages = {finding["kernel"]: finding["message"] for finding in found if finding["kind"] == "out-of-bounds"}
    behind = next(text for kernel, text in messages.items() if "store_element<int>" in kernel)
    assert re.search(r"a store of 4 bytes at 0x\w+: 0 bytes behind the end of device memory of 1024 bytes", behind)
    freed = next(text for kernel, text in messages.items() if "load_element<unsigned int>" in kernel)
    assert "bytes into memory that was freed, of 2048 bytes" in freed
    null = next(text for kernel, text in messages.items() if "load_element<long>" in kernel)
    assert null.endswith("a null pointer")


_NO_OPERATION = 0xBF800000
_BARRIERS = (0xBF8A0000, 0xBFBD0000, 0xBE804EC1, 0xBF94FFFF)
"""The barriers of gfx9 and gfx10, of gfx11, and the two halves of that of gfx12."""


@pytest.fixture(scope="module")
def planted_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        (folder / "sum.hip").write_text(PLANTED.read_text())
        built("--offload-arch", ",".join(GENERATIONS), "-o", "sum", "sum.hip", "--", "-gline-tables-only", cwd=folder)

    return made_once(tmp_path_factory, "emulated-sum", make) / "sum"


def patched(program: Path, pattern: bytes, replacement: Callable[[re.Match[bytes]], bytes], to: Path) -> Path:
    """Write a program with machine code replaced wherever it is found, in all code objects."""
    code = program.read_bytes()
    assert re.search(pattern, code, re.DOTALL)
    to.write_bytes(re.sub(pattern, replacement, code, flags=re.DOTALL))
    to.chmod(0o755)
    return to


@pytest.mark.parametrize("target", GENERATIONS)
def test_a_barrier_missing_in_machine_code_is_a_race(
    planted_in: Path, cache: Path, tmp_path: Path, target: str
) -> None:
    barrier = b"|".join(re.escape(code.to_bytes(4, "little")) for code in _BARRIERS)
    nothing = _NO_OPERATION.to_bytes(4, "little")
    broken = patched(planted_in, barrier, lambda found: nothing, tmp_path / "broken")
    whole = emulated("--emulate", target, "--check", str(planted_in), cwd=tmp_path, cache=cache)
    assert (whole.returncode, whole.stderr) == (0, "hipport: 0 findings in emulated kernels\n")
    done = emulated("--emulate", target, "--check", str(broken), cwd=tmp_path, cache=cache)
    assert done.returncode == 1
    assert re.search(r"sum\.hip:1[02]: race: two wavefronts access the same address without a barrier", done.stderr)


@pytest.mark.parametrize("target", GENERATIONS)
def test_a_wrong_dpp_row_in_machine_code_changes_the_result(
    planted_in: Path, cache: Path, tmp_path: Path, target: str
) -> None:
    # The second word of a DPP instruction: source, control 0x111 (row_shr:1), bound_ctrl, masks.
    row = rb"\x11([\x01\x09])\xff"
    broken = patched(planted_in, row, lambda found: b"\x12" + found[1] + b"\xff", tmp_path / "broken")
    results = [
        emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache).stdout
        for program in (planted_in, broken)
    ]
    assert results[0] == "888 1912 2936 3960\n"
    assert results[1] != results[0]


def test_a_kernel_that_no_code_object_has_is_reported(planted_in: Path, cache: Path, tmp_path: Path) -> None:
    from elftools.elf.elffile import ELFFile

    code = bytearray(planted_in.read_bytes())
    with planted_in.open("rb") as file:
        constants = ELFFile(file).get_section_by_name(".rodata")  # the names that the host code registers
        assert constants is not None
        start, end = constants["sh_offset"], constants["sh_offset"] + constants["sh_size"]
    code[start:end] = code[start:end].replace(b"_Z3sumPKiPi\0", b"_Z3sumPKiPx\0")
    (tmp_path / "renamed").write_bytes(code)
    (tmp_path / "renamed").chmod(0o755)
    done = emulated("--emulate", "gfx90a", "--check", str(tmp_path / "renamed"), cwd=tmp_path, cache=cache)
    assert done.returncode == 1
    assert re.search(r"missing-kernel: the host code registers this kernel, but the code for gfx90a", done.stderr)


def test_a_trace_steps_one_wavefront(planted_in: Path, cache: Path, tmp_path: Path) -> None:
    done = emulated("--emulate", "gfx90a", "--trace", "sum@0,0,0,3", str(planted_in), cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "888 1912 2936 3960\n")
    lines = done.stderr.splitlines()
    assert any("s_barrier" in line and "sum.hip:" in line for line in lines)
    load = next(index for index, line in enumerate(lines) if "global_load_dword" in line)
    assert re.match(r"\s+v\d+ 0: 0xc0 1: 0xc1 2: 0xc2 ", lines[load + 1]), lines[load : load + 3]
    assert sum("s_endpgm" in line for line in lines) == 1


@pytest.mark.parametrize("kernel", ["sum", "_Z3sumPKiPi", "sum(int const*, int*)"])
def test_names_of_kernels_to_trace(planted_in: Path, cache: Path, tmp_path: Path, kernel: str) -> None:
    done = emulated("--emulate", "gfx90a", "--trace", kernel, str(planted_in), cwd=tmp_path, cache=cache)
    assert done.returncode == 0
    assert "s_endpgm" in done.stderr


@pytest.mark.parametrize(
    ("selected", "message"),
    [
        ("um", "nothing was traced: the program launched no kernel um, only:\n  sum(int const*, int*)\n"),
        ("sum@4,0,0,0", "nothing was traced: no launch of sum has wavefront 0 in block (4, 0, 0)\n"),
        ("sum@0,0,0,4", "nothing was traced: no launch of sum has wavefront 4 in block (0, 0, 0)\n"),
    ],
)
def test_a_trace_of_nothing_says_why(
    planted_in: Path, cache: Path, tmp_path: Path, selected: str, message: str
) -> None:
    done = emulated("--emulate", "gfx90a", "--trace", selected, str(planted_in), cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stderr) == (0, f"hipport: {message}")


def test_a_profile_counts_what_a_kernel_does(planted_in: Path, cache: Path, tmp_path: Path) -> None:
    options = ("--emulate", "gfx90a", "--profile", "sum.json", "--gpu", "MI210", "--fidelity")
    done = emulated(*options, str(planted_in), cwd=tmp_path, cache=cache)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "sum.json").read_text())
    (kernel,) = document["kernels"]
    assert (document["gpu"]["name"], kernel["kernel"]) == ("MI210", "sum(int const*, int*)")
    assert kernel["instructions"]["s_endpgm"] == kernel["instructions"]["s_barrier"] == 4
    assert kernel["global_memory"]["loaded_bytes"] == 1024
    assert kernel["global_memory"]["stored_bytes"] == kernel["shared_memory"]["stored_bytes"] == 16
    assert kernel["global_memory"]["distinct_bytes"] % 64 == 0
    assert kernel["bound"]["by"] == "memory"
    assert kernel["inexact"] == []
    assert "Roofline: MI210" in (tmp_path / "sum.svg").read_text()
    assert "0 of " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--trace", "k", "program"), "--trace needs --emulate"),
        (("--emulate", "any", "--check", "--trace", "k", "program"), "--check and --trace cannot be used together"),
        (("--emulate", "any", "--gpu", "MI210", "program"), "--gpu needs --profile FILE"),
        (
            ("--emulate", "any", "--profile", "p", "--gpu", "H100", "program"),
            "no peak rates are known for the GPU H100",
        ),
    ],
)
def test_wrong_uses_of_tools_are_errors(tmp_path: Path, cache: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\n")
    done = emulated(*arguments, cwd=tmp_path, cache=cache)
    assert done.returncode == 2
    assert message in done.stderr


def test_rocjitsu_runs_where_it_is_installed(planted_in: Path, cache: Path, tmp_path: Path) -> None:
    configurations = tmp_path / "share" / "rocjitsu" / "configs"
    configurations.mkdir(parents=True)
    for name in ("gfx90a_mi210_kmd.json", "gfx1030_kmd_2gpu.json", "gfx942_cdna3_kmd.json"):
        (configurations / name).write_text("{}")
    tool = tmp_path / "bin" / "rocjitsu"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\necho "$@"\n')
    tool.chmod(0o755)
    path = f"{tool.parent}{os.pathsep}{os.environ['PATH']}"
    done = emulated("--emulate", "rocjitsu", str(planted_in), "7", cwd=tmp_path, cache=cache, PATH=path)
    assert done.stdout == f"--config {configurations}/gfx90a_mi210_kmd.json -- {planted_in} 7\n", done.stderr
    done = emulated("--emulate", "rocjitsu:gfx942", str(planted_in), cwd=tmp_path, cache=cache, PATH=path)
    assert f"--config {configurations}/gfx942_cdna3_kmd.json" in done.stdout
    for name in ("gfx1201_r9700.json", "gfx1151.json", "gfx950_mi355x_kmd_2gpu.json"):
        (configurations / name).write_text("{}")
    for target, name in (("gfx1201", "gfx1201_r9700.json"), ("gfx1151", "gfx1151.json")):
        done = emulated("--emulate", f"rocjitsu:{target}", str(planted_in), cwd=tmp_path, cache=cache, PATH=path)
        assert f"--config {configurations}/{name} " in done.stdout
    several = emulated("--emulate", "rocjitsu:gfx950", str(planted_in), cwd=tmp_path, cache=cache, PATH=path)
    assert "rocjitsu has no configuration for gfx950" in several.stderr
    missing = emulated("--emulate", "rocjitsu:gfx1100", str(planted_in), cwd=tmp_path, cache=cache, PATH=path)
    assert missing.returncode == 1
    assert "rocjitsu has no configuration for gfx1100" in missing.stderr


def test_without_rocjitsu_there_is_one_error(planted_in: Path, cache: Path, tmp_path: Path) -> None:
    done = emulated("--emulate", "rocjitsu", str(planted_in), cwd=tmp_path, cache=cache)
    assert done.returncode == 1
    assert "rocjitsu is not installed" in done.stderr
    assert "Install rocjitsu" in done.stderr
