"""Random kernels compute on AMD GPUs and the CPU target what an NVIDIA GPU has computed.

Each program is built for one of the AMD GPUs, in turn; with HIPPORT_TEST_ALL=1 for all of them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.cpu.test_device_libraries import FOLDER, with_libraries
from tests.shared import EVERYTHING
from tests.translate.adversarial import blocks, numbers, textures, warps
from tests.translate.adversarial.recorded import Results, built, emulated, recorded

SEEDS = {warps: (3, 5, 15), blocks: (1, 3)}
"""Those that had found faults. The records have more, all of which agreed when they were made."""
SEED_OF_NUMBERS = 9
SEED_OF_TEXTURES = 6
"""The one that had layers behind another address mode."""
TARGETS = ("gfx90a", "gfx1100")
TARGETS_WITH_TEXTURES = ("gfx1030", "gfx1100")
"""gfx90a has no levels and no gathers."""
RELEASE_OF_LIBRARIES = "5.7"
"""The ROCm release of hipCUB's headers in FOLDER."""
# rocPRIM's sources are of an older Clang.
LIBRARIES = ("-I", FOLDER, "--", "-Wno-missing-template-arg-list-after-template-kw")


def some(targets: tuple[str, ...], turn: int) -> tuple[str, ...]:
    """Return the target whose turn it is, or all of them."""
    return targets if EVERYTHING else (targets[turn % len(targets)],)


def results(of: ModuleType) -> Results:
    return recorded(of.RECORD.read_text())


def written(of: ModuleType, seed: int, folder: Path) -> Path:
    source = folder / f"program{seed}.cu"
    source.write_text(of.program(seed))
    return source


@pytest.mark.parametrize("of", SEEDS, ids=lambda of: of.__name__.rpartition(".")[2])
def test_the_record_has_all_kernels(of: ModuleType) -> None:
    known = results(of)
    assert {*SEEDS[of]} < {*known}
    assert all(len(each) == of.KERNELS == len({*each.values()}) for each in known.values())
    assert all(value.endswith(" 0") for each in known.values() for value in each.values())


def test_the_record_has_all_functions_of_numbers() -> None:
    known = results(numbers)
    assert sorted(known) == [*range(numbers.SEEDS)]
    for seed, each in known.items():
        assert {*each} == {n for n, of in enumerate(numbers.functions(seed)) if not of.left_out}
        assert all(value.endswith(" 0") for value in each.values())
        assert numbers.differing(seed, each, each) == []


def test_a_wrong_number_is_found() -> None:
    each = results(numbers)[SEED_OF_NUMBERS]
    functions = {of.code: (number, of) for number, of in enumerate(numbers.functions(SEED_OF_NUMBERS))}
    number, _ = next((n, of) for n, of in functions.values() if of.ulps and of.result == "float" and not of.left_out)
    words = each[number].split()
    for far, found in ((1, False), (40, True)):
        at = next(i for i, word in enumerate(words) if word.startswith("3f"))
        moved = [*words[:at], f"{int(words[at], 16) + far:x}", *words[at + 1 :]]
        assert bool(numbers.differing(SEED_OF_NUMBERS, each, {**each, number: " ".join(moved)})) == found


def test_the_record_has_most_textures() -> None:
    known = results(textures)
    for seed, each in known.items():
        assert {*each} <= {*textures.kernels(seed)} and len(textures.same_on_amd(seed) & {*each}) >= 10
        assert all(value.endswith(" 0") for value in each.values())
    assert sum(map(len, known.values())) > 170


@pytest.mark.slow
def test_textures_on_the_cpu_target(tmp_path: Path) -> None:
    program = built(written(textures, SEED_OF_TEXTURES, tmp_path), "--target", "cpu", "-O", "1")
    said = subprocess.run([program], capture_output=True, text=True, timeout=120).stdout
    known = results(textures)[SEED_OF_TEXTURES]
    assert {n: value for n, value in recorded(said)[SEED_OF_TEXTURES].items() if n in known} == known


@pytest.mark.slow
@pytest.mark.toolchain
def test_textures_on_amd_gpus(tmp_path: Path) -> None:
    targets = some(TARGETS_WITH_TEXTURES, 0)
    program = built(written(textures, SEED_OF_TEXTURES, tmp_path), "--offload-arch", ",".join(targets), "-O", "1")
    same = textures.same_on_amd(SEED_OF_TEXTURES)
    known = {n: value for n, value in results(textures)[SEED_OF_TEXTURES].items() if n in same}
    for target in targets:
        found = emulated(program, target)[SEED_OF_TEXTURES]
        assert {n: value for n, value in found.items() if n in known} == known, target


@pytest.mark.slow
@pytest.mark.toolchain
def test_numbers_on_amd_gpus(tmp_path: Path) -> None:
    targets = some(TARGETS, 1)
    program = built(written(numbers, SEED_OF_NUMBERS, tmp_path), "--offload-arch", ",".join(targets))
    for target in targets:
        found = emulated(program, target)[SEED_OF_NUMBERS]
        assert numbers.differing(SEED_OF_NUMBERS, results(numbers)[SEED_OF_NUMBERS], found) == [], target


@pytest.mark.slow
@pytest.mark.parametrize("lanes", ["32", "64"])
def test_warps_on_the_cpu_target(lanes: str, tmp_path: Path) -> None:
    seed = SEEDS[warps][0]
    program = built(written(warps, seed, tmp_path), "--target", "cpu", "--wave-size", lanes, "-O", "1")
    said = subprocess.run([program], capture_output=True, text=True, timeout=120).stdout
    assert recorded(said) == {seed: results(warps)[seed]}


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize(("turn", "seed"), list(enumerate(SEEDS[warps])))
def test_warps_on_amd_gpus(turn: int, seed: int, tmp_path: Path) -> None:
    targets = some(TARGETS, turn)
    program = built(written(warps, seed, tmp_path), "--offload-arch", ",".join(targets))
    for target in targets:
        assert emulated(program, target) == {seed: results(warps)[seed]}, target


@pytest.mark.slow
@pytest.mark.toolchain
@with_libraries
@pytest.mark.parametrize(("turn", "seed"), list(enumerate(SEEDS[blocks])))
def test_blocks_of_cub_on_amd_gpus(turn: int, seed: int, tmp_path: Path) -> None:
    targets = some(TARGETS, turn)
    options = ("--offload-arch", ",".join(targets), "--rocm", RELEASE_OF_LIBRARIES, "-O", "1")
    program = built(written(blocks, seed, tmp_path), *options, *LIBRARIES)
    for target in targets:
        assert emulated(program, target) == {seed: results(blocks)[seed]}, target
