from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.amd import commands
from hipport.builds.amd.pipeline import Build, prepare, target_ids
from hipport.builds.request import BuildRequest, CompileSettings, OutputKind
from hipport.errors import HipportError, UsageError
from hipport.mappings.choice import NameChoice
from hipport.toolchain.places import Surroundings
from tests.small_hip import SMALL_HIP

pytestmark = [pytest.mark.toolchain]


def request(*sources: str, compiler: str = "clang++", kind: OutputKind = OutputKind.EXECUTABLE) -> BuildRequest:
    return BuildRequest(sources, "out", ("gfx90a",), kind, compiler=compiler, jobs=2)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in SMALL_HIP.items():
        monkeypatch.setenv(name, value)
    Path("k.hip").write_text("#include <hip/hip_runtime.h>\n__global__ void k() {}\nint main() { return 7; }\n")
    Path("h.cpp").write_text("int h;\n")
    return tmp_path


def run(build: Build) -> None:
    build.write()
    assert not [event for event in build.run() if event.failed]


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_objects_in_a_response_file_are_linked(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_LONG_LINK", 10)
    build = prepare(request("k.hip", "h.cpp", compiler=compiler), Surroundings())
    assert any(argument.startswith("@") for argument in build.plan.steps[-1].command)
    run(build)
    assert build.finish().targets == ("gfx90a",)
    assert subprocess.run(["./out"], check=False).returncode == 7


@pytest.mark.slow
def test_what_was_built_is_read_back_from_the_file(here: Path) -> None:
    build = prepare(request("k.hip"), Surroundings())
    run(build)
    first = build.finish()
    assert (first.targets, first.fresh, first.size) == (("gfx90a",), True, (here / "out").stat().st_size)
    assert target_ids(here / "out") == {"gfx90a"}
    assert not build.finish().fresh
    Path(build.plan.product).write_bytes(Path("/bin/true").read_bytes())
    with pytest.raises(HipportError, match="out lacks code for gfx90a"):
        build.finish()


def test_preparing_writes_nothing(here: Path) -> None:
    prepare(request("k.hip"), Surroundings())
    assert sorted(path.name for path in here.iterdir()) == ["h.cpp", "k.hip"]


@pytest.mark.parametrize("sources", [("k.hip", "h.cpp"), ("h.cpp",)])
def test_a_bare_fat_binary_is_of_one_unit_with_kernels(sources: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="--genco builds a single unit"):
        prepare(request(*sources, kind=OutputKind.FAT_BINARY), Surroundings())


def test_two_builds_do_not_use_one_folder_at_a_time() -> None:
    build = prepare(request("k.hip"), Surroundings())
    build.write()
    with (
        build.locked(),
        pytest.raises(HipportError, match=r"another hipport build is using out\.build"),
        build.locked(),
    ):
        pass
    with build.locked():
        pass


def test_a_lock_that_is_a_link_is_refused_and_its_target_kept(here: Path) -> None:
    build = prepare(request("k.hip"), Surroundings())
    Path("out.build").mkdir()
    Path("out.build/.lock").symlink_to(here / "h.cpp")
    before = Path("h.cpp").read_text()
    with pytest.raises(HipportError, match=r"cannot write out\.build/\.lock: too many levels"), build.locked():
        pass
    assert before and Path("h.cpp").read_text() == before


def test_a_build_folder_that_cannot_be_made_is_an_error() -> None:
    build = prepare(request("k.hip"), Surroundings())
    Path("out.build").write_text("a file")
    with pytest.raises(HipportError, match=r"cannot write out\.build: file exists"), build.locked():
        pass


def test_a_folder_of_the_cuda_toolkit_is_left_out() -> None:
    Path("cuda/include").mkdir(parents=True)
    Path("cuda/include/cuda_runtime.h").write_text("#error nvidia\n")
    asked = replace(request("k.hip"), settings=CompileSettings(include_dirs=("cuda/include", "mine")))
    build = prepare(asked, Surroundings())
    assert build.dropped == ("cuda/include",)
    arguments = [argument for step in build.plan.steps for argument in step.command]
    assert "-Imine" in arguments and "-Icuda/include" not in arguments


SOURCE = "#include <cuda_runtime.h>\nint main() { OWN_CUDA(cudaStreamGetId(0, nullptr)); }\n"


def translated(names: NameChoice) -> str:
    build = prepare(replace(request("own.cu"), names=names), Surroundings())
    return next(data.decode() for path, data in build.ingested.files if path.endswith("own.cu"))


def test_names_are_those_of_the_installed_release_and_of_what_was_asked_for() -> None:
    Path("own.cu").write_text(SOURCE)
    Path("own.yaml").write_text("macros:\n  OWN_CUDA: OWN_HIP\n")
    installed = prepare(request("own.cu"), Surroundings())
    assert [(found.code, found.line) for found in installed.ingested.diagnostics] == [("HP101", 2)]
    assert (
        f"the target is ROCm {'.'.join(installed.hip.version.split('.')[:2])}"
        in installed.ingested.diagnostics[0].message
    )
    assert "OWN_CUDA(cudaStreamGetId(" in translated(NameChoice())
    assert "OWN_HIP(hipStreamGetId(" in translated(NameChoice(rocm="7.1", overlays=("own.yaml",)))


def test_an_unknown_release_is_wrong_use() -> None:
    Path("own.cu").write_text(SOURCE)
    with pytest.raises(UsageError, match=r"ROCm 1\.0 is not in the mapping tables"):
        prepare(replace(request("own.cu"), names=NameChoice(rocm="1.0")), Surroundings())
