"""The kernels of `hipport llm` and a whole model as machine code: right, and the same tokens as on the CPU target.

Engines take minutes to compile: each target has one of two, so that there is a model for each kind of matrix
instructions (MFMA of two generations, WMMA of RDNA 3 and of RDNA 4, none). Kernels run as the code
of three of them. `HIPPORT_TEST_ALL=1` runs all kernels, and all models on all targets.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.llm.harness.kernel import kernels
from tests.emulate.conftest import TARGETS
from tests.llm import emulated
from tests.llm.amd_libraries import GENERAL_ENGINE, KERNELS, NATIVE_ENGINE, USUAL_ENGINE, Libraries, in_cache
from tests.shared import EVERYTHING, made_once

NAMES = tuple(name for name in kernels() if EVERYTHING or "attention" not in name)
"""Kernels that run in each test; kernels with attention take minutes."""
PROMPTS = ("Hello", "A prompt of 70 bytes takes the kernels for many tokens at once, as rows.")
TOKENS = 8
GENERAL = "gfx1100"
"""The target that also runs the engine for models that differ from Llama."""
CASES = tuple(emulated.cases()) if EVERYTHING else ("native-MXFP4", "sampling")
"""Of `python -m tests.llm.emulated`, which runs all of them."""
MODELS = [
    *(("tiny", target) for target in (TARGETS if EVERYTHING else USUAL_ENGINE.targets)),
    *(("qwen3-tiny", target) for target in (TARGETS if EVERYTHING else (GENERAL,))),
    *(("deepseek-tiny", target) for target in (TARGETS if EVERYTHING else GENERAL_ENGINE.targets)),
]
"""Llama, an architecture for which the engine has settings of its own, and latent attention with routed experts."""


def llm(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "llm", *arguments]
    variables = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=900)


def generated(model: str, *target: str, cache: Path) -> list[list[int]]:
    """Return the tokens that continue each of PROMPTS."""
    tokens = []
    for prompt in PROMPTS:
        words = ("--random-weights", model, "--prompt", prompt, "--max-tokens", str(TOKENS))
        done = llm("generate", *words, *target, cache=cache)
        assert done.returncode == 0, done.stderr
        tokens.append([int(token) for token in done.stdout.split()])
    return tokens


@pytest.fixture(scope="session")
def libraries(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    """A function that puts a library into the cache."""
    return in_cache(tmp_path_factory, cache)


@pytest.fixture(scope="session")
def expected(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[list[int]]]:
    """A function that returns the tokens of a model on the CPU target, generated once for all workers."""

    def tokens(model: str) -> list[list[int]]:
        def fill(folder: Path) -> None:
            made = generated(model, "--target", "cpu", "--wave-size", "32", cache=cache)
            (folder / "tokens.json").write_text(json.dumps(made))

        found: list[list[int]] = json.loads(
            (made_once(tmp_path_factory, f"tokens-{model}", fill) / "tokens.json").read_text()
        )
        return found

    return tokens


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(("model", "target"), MODELS)
def test_a_model_generates_the_tokens_of_the_cpu_target(
    model: str, target: str, expected: Callable[[str], list[list[int]]], cache: Path, libraries: Libraries
) -> None:
    libraries(GENERAL_ENGINE if model == "deepseek-tiny" else USUAL_ENGINE)
    assert [len(some) for some in expected(model)] == [TOKENS] * len(PROMPTS)
    assert generated(model, "--emulate", target, cache=cache) == expected(model)


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS if EVERYTHING else (GENERAL,))
@pytest.mark.parametrize("case", CASES)
def test_formats_of_files_and_sampling(
    target: str, case: str, cache: Path, libraries: Libraries, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries(NATIVE_ENGINE if case.startswith("native") else USUAL_ENGINE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    right, what = emulated.in_emulator(target, case)
    assert right, what


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS if EVERYTHING else KERNELS.targets)
def test_kernels_are_right_as_machine_code(target: str, cache: Path, tmp_path: Path, libraries: Libraries) -> None:
    libraries(KERNELS)
    result = tmp_path / "kernels.json"
    done = llm("kernels", *NAMES, "--emulate", target, "--json", str(result), cache=cache)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{target} emulated by hipport\nChecks only" in done.stdout
    found = json.loads(result.read_text())
    assert [entry["name"] for entry in found] == list(NAMES)
    assert all(entry["checks"] and entry["times"] == [] for entry in found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--emulate", "gfx9"), "gfx9 cannot be emulated"),
        (("--emulate", "any"), "any cannot be emulated"),
        (("--emulate", "gfx90a", "--target", "cpu"), "--emulate runs code for AMD GPUs"),
        (("--emulate", "gfx90a", "--wave-size", "64"), "--emulate runs code for AMD GPUs"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = llm("kernels", "copy", *arguments, cache=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr
    assert all(path.name.startswith("patterns-") for path in tmp_path.glob("hipport/*"))  # nothing is compiled
