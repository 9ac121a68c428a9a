"""Choosing the target, and deciding when to build the engine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime import library as module
from hipport.llm.runtime.library import defines_of, exact, library
from hipport.llm.runtime.opening import cache_bytes, open_engine
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.random_weights import RandomWeights
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import machine


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_library_is_built_once_and_has_the_interface_only(target32: Target) -> None:
    said: list[str] = []
    path = library(target32, Surroundings(), said.append)
    before = path.stat().st_mtime_ns
    said.clear()
    assert library(target32, Surroundings(), said.append) == path
    assert (said, path.stat().st_mtime_ns) == ([], before)
    assert sorted(item.name for item in path.parent.iterdir()) == [".lock", "libhipport_llm.so"]
    names = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    for name in ("open", "close", "error", "load", "prefill", "decode", "generate", "reset", "get_stats"):
        assert f" T hipport_llm_{name}\n" in names


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A one-file engine in place of the real one, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_LLM", tmp_path / "package/llm")
    source = tmp_path / "package/llm/engine/engine.cu"
    source.parent.mkdir(parents=True)
    source.write_text('extern "C" int answer() { return 42; }\n')
    return source


@pytest.mark.toolchain
def test_what_has_changed_is_built_again(sources: Path) -> None:
    first = library(Target("cpu"), Surroundings(), lambda line: None)
    assert library(Target("cpu", wave_size=64), Surroundings(), lambda line: None) != first
    assert library(Target("cpu"), Surroundings(), lambda line: None, formats=Formats("16bit")) != first
    sources.write_text('extern "C" int answer() { return 43; }\n')
    assert library(Target("cpu"), Surroundings(), lambda line: None) != first


@pytest.mark.toolchain
def test_a_build_that_fails_says_why_and_is_tried_again(sources: Path) -> None:
    sources.write_text("int broken() { return missing; }\n")
    for _ in range(2):
        with pytest.raises(HipportError, match="cannot build the engine") as caught:
            library(Target("cpu"), Surroundings(), lambda line: None)
        assert "missing" in str(caught.value)


def test_a_library_that_cannot_be_loaded(sources: Path, tmp_path: Path) -> None:
    from hipport.llm.runtime.engine import Engine

    path = tmp_path / "libhipport_llm.so"
    path.write_bytes(b"no library")
    with pytest.raises(HipportError, match="cannot load the engine") as caught:
        Engine(path, RANDOM_MODELS["tiny"], positions=32)
    assert str(path) in str(caught.value.hint)


@pytest.mark.parametrize(("free", "less"), [(2.0, "A smaller model"), (4.1, "A shorter context")])
def test_too_little_memory_is_said_before_anything_is_built(free: float, less: str, tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(f"MemTotal: 8000000 kB\nMemAvailable:    {free * 1e6 / 1.024:.0f} kB\n")
    where = machine(tmp_path)
    with pytest.raises(HipportError, match=rf"needs 4\.\d GB of memory, of which {free} GB are free") as caught:
        open_engine(RandomWeights(RANDOM_MODELS["llama2-7b"]), Target("cpu"), positions=512, where=where)
    assert str(caught.value.hint).startswith(less)


def test_the_cache_of_latent_attention_has_short_vectors() -> None:
    lite = RANDOM_MODELS["deepseek-v2-lite"]
    assert cache_bytes(lite, Formats(), 100) == 100 * 27 * (512 + 64) * 2
    assert cache_bytes(lite, Formats(cache="int8"), 100) == 100 * 27 * (512 + 64 + 2 * (512 + 64) // 16)
    assert cache_bytes(RANDOM_MODELS["llama2-7b"], Formats(), 100) == 100 * 32 * 2 * 32 * 128 * 2


@pytest.mark.toolchain
def test_a_cache_folder_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HipportError, match=r"cannot write to .*file/hipport/engine") as caught:
        library(Target("cpu"), Surroundings(), lambda line: None)
    assert "XDG_CACHE_HOME" in str(caught.value.hint)


def test_no_compiler(tmp_path: Path, engine_cache: Path) -> None:
    with pytest.raises(HipportError, match=r"no clang\+\+ or g\+\+ found"):
        library(Target("cpu"), machine(tmp_path), lambda line: None)


@pytest.mark.parametrize(
    ("target", "defined"),
    [
        (Target("nvidia", ("sm_90a",)), ("-DHIPPORT_LLM_HOPPER", "-DHIPPORT_LLM_WGMMA")),
        # For what is not Hopper alone only the copies.
        (Target("nvidia", ("sm_90",)), ("-DHIPPORT_LLM_HOPPER",)),
        (Target("nvidia", ("sm_90a", "sm_100")), ("-DHIPPORT_LLM_HOPPER",)),
        (Target("nvidia", ("sm_80", "sm_90a")), ()),
        (Target("nvidia"), ()),
        (Target("amd", ("gfx90a",)), ()),
    ],
)
def test_bulk_copies_and_units_of_warp_groups_are_for_gpus_that_have_them(
    target: Target, defined: tuple[str, ...]
) -> None:
    assert defines_of(target) == defined


def test_hopper_is_built_for_as_it_is() -> None:
    assert exact(Target("nvidia", ("sm_80", "sm_90", "sm_100"))).architectures == ("sm_80", "sm_90a", "sm_100")
    assert exact(Target("amd", ("gfx90a",))) == Target("amd", ("gfx90a",))
