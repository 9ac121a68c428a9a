"""nvcc's flags and CUDA's libraries in a build, wherever flags are accepted."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hipport.buildfiles.tables import load_build_tables
from hipport.builds.flags import for_nvidia, names_architectures, translated, translated_for_cpu, with_openmp
from hipport.builds.request import CompileSettings
from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings

LIBRARIES = {name: row for name, row in load_build_tables().libraries["hip"].items() if row.link}
SPELLINGS = (
    "-l{}",
    "-l {}",
    "-l{}_static",
    "-l:lib{}.so",
    "-l:lib{}.so.12",
    "-l:lib{}_static.a",
    "--library {}",
    "--library={}",
    "-Xcompiler -l{}",
    "-Xcompiler=-l{}",
    "--compiler-options -l{}",
)
TO_LINKER = ("-Xlinker -l{}", "--linker-options -l{}", "-Xlinker=-l{}", "-Wl,-l{}")


FAST = (
    "-fcuda-approx-transcendentals",
    "-fgpu-flush-denormals-to-zero",
    "-fno-hip-fp32-correctly-rounded-divide-sqrt",
)


def flags(text: str) -> tuple[str, ...]:
    return tuple(shlex.split(text))


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("place", ["both", "host", "link"])
def test_every_library_by_every_spelling_is_linked_under_hips_name(name: str, place: str) -> None:
    for spelling in (*SPELLINGS, *TO_LINKER):
        settings = translated(CompileSettings(**{place: flags(spelling.format(name))})).settings
        head = "-Wl,-l" if spelling in TO_LINKER else "-l"
        assert settings.link == (f"{head}{LIBRARIES[name].link}",), spelling
        assert settings.both == settings.host == settings.device == ()


@pytest.mark.parametrize("text", ["-lm", "-l m", "-lcublas_of_mine", "-lmycuda", "-l:libmine.so", "-Wl,-lfoo"])
def test_other_libraries_stay(text: str) -> None:
    assert "".join(translated(CompileSettings(link=flags(text))).settings.link) == text.replace(" ", "")


def test_libraries_of_another_flavour() -> None:
    assert translated(CompileSettings(link=("-lcublas",)), "roc").settings.link == ("-lrocblas",)


@pytest.mark.parametrize("name", ["cudadevrt", "culibos", "culibos_static", "nvrtc-builtins"])
def test_a_library_that_is_not_needed_goes_with_a_warning(name: str) -> None:
    found = translated(CompileSettings(link=(f"-l{name}",)))
    assert found.settings.link == ()
    assert len(found.notes) == 1 and "is removed: " in found.notes[0] and found.notes[0].startswith("warning: ")


@pytest.mark.parametrize("text", ["-lnvgraph", "-l nppc_static", "-ptx", "-dlink", "-lcufftw", "-lib"])
def test_what_has_no_counterpart_is_one_error_with_advice(text: str) -> None:
    with pytest.raises(HipportError, match="has no counterpart") as caught:
        translated(CompileSettings(both=flags(text)))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "both", "host", "link"),
    [
        ("-O2 -lineinfo", "-O2 -gline-tables-only", "", ""),
        ("-dc", "-fgpu-rdc", "", ""),
        ("-rdc true", "-fgpu-rdc", "", ""),
        ("--relocatable-device-code=true", "-fgpu-rdc", "", ""),
        ("--expt-relaxed-constexpr --extended-lambda --cudart=static -cudart shared -ccbin g++", "", "", ""),
        ("-Xcompiler -fopenmp,-Wall,-march=native", "-Wall", "-fopenmp -march=native", "-fopenmp"),
        ("-Xcompiler=-fPIC -Xcompiler -DA=1", "-DA=1", "-fPIC", ""),
        ("-fopenmp", "", "-fopenmp", "-fopenmp"),
        ("-fopenmp=libomp", "", "-fopenmp=libomp", "-fopenmp=libomp"),
        ("-fopenmp-simd", "-fopenmp-simd", "", ""),
        ("-pthread", "-pthread", "", "-pthread"),
        ("-Xlinker -rpath,/x -Wl,-z,now", "", "", "-Wl,-rpath,/x -Wl,-z,now"),
        ("-L/usr/local/cuda/lib64 -L /usr/local/cuda-12.4/lib64/stubs -L mine", "", "", "-Lmine"),
        ("-Xclang -fopenmp -Xarch_device -lfoo", "-Xclang -fopenmp -Xarch_device -lfoo", "", ""),
        ("-x cu -c", "", "", ""),
    ],
)
def test_each_flag_reaches_the_commands_it_is_for(text: str, both: str, host: str, link: str) -> None:
    settings = translated(CompileSettings(both=flags(text))).settings
    assert (settings.both, settings.host, settings.link) == (flags(both), flags(host), flags(link))


def test_architectures_of_nvidia_are_left_out_and_that_is_said() -> None:
    found = translated(CompileSettings(both=flags("-arch=sm_70 -gencode arch=compute_80,code=sm_80")))
    assert found.settings.both == ()
    assert found.notes == ("ignoring -arch=sm_70 -gencode arch=compute_80,code=sm_80: --offload-arch names the GPUs",)


def test_folders_of_headers_are_those_of_the_settings() -> None:
    assert translated(CompileSettings(("a",), both=flags("-Ib -I c"))).settings.include_dirs == ("a", "b", "c")


def test_flags_of_device_compiles_are_translated_and_stay_there() -> None:
    settings = translated(CompileSettings(device=("--use_fast_math", "-mllvm", "-x"))).settings
    assert settings.device == (*FAST, "-mllvm", "-x")


def test_arithmetic_of_device_code_is_for_device_compiles() -> None:
    settings = translated(CompileSettings(both=flags("--use_fast_math -ftz=false -Wall"), device=("-g",))).settings
    assert settings.both == ("-Wall",)
    assert settings.device == (*FAST, "-fno-gpu-flush-denormals-to-zero", "-g")


def test_a_compiler_for_the_cpu_gets_no_flags_for_gpu_code() -> None:
    text = "-ftz=true -default-stream per-thread -Xptxas -v -Xarch_device -DD -Xarch_host -DH --use_fast_math"
    assert translated_for_cpu(CompileSettings(both=flags(text))).settings.both == ("-DH",)


def test_sorting_twice_changes_nothing() -> None:
    once = translated(CompileSettings(both=flags("-lcublas -Xcompiler -fopenmp,-Wall -dc -Ia"), link=("-lm",))).settings
    twice = translated(once).settings
    assert (twice.both, twice.host, twice.include_dirs) == (once.both, once.host, once.include_dirs)
    assert set(twice.link) == set(once.link)


@pytest.mark.parametrize(
    ("text", "both", "host", "link"),
    [
        ("-Xcompiler -fopenmp,-Wall", "-Wall", "-fopenmp", "-fopenmp"),
        ("-fopenmp -lhipblas", "", "-fopenmp", "-fopenmp -lcublas"),
        ("-lcublas -lroctx64 -lamdhip64 -lm", "", "", "-lcublas -lnvToolsExt -lcudart -lm"),
        ("-arch sm_70", "-arch=sm_70", "", "-arch=sm_70"),
        ("--use_fast_math -Xptxas -v", "--use_fast_math -Xptxas=-v", "", ""),
        ("-Xlinker -lm", "", "", "-Wl,-lm"),
    ],
)
def test_flags_for_nvcc(text: str, both: str, host: str, link: str) -> None:
    settings = for_nvidia(CompileSettings(both=flags(text))).settings
    assert (settings.both, settings.host, settings.link) == (flags(both), flags(host), flags(link))


def test_named_targets_come_before_nvccs_options() -> None:
    asked = CompileSettings(both=flags("-gencode arch=compute_80,code=sm_80 -DX"))
    assert names_architectures(asked) and not names_architectures(CompileSettings(both=("-DX",)))
    found = for_nvidia(asked, named=True)
    assert (found.settings.both, found.settings.link, len(found.notes)) == (("-DX",), (), 1)


def clang(root: Path, release: str, *, openmp: bool) -> Path:
    folder = root / f"usr/lib/llvm-{release}"
    names = ["bin/clang++"]
    names += [f"lib/clang/{release}/include/omp.h", "lib/libomp.so"] if openmp else []
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder / "bin/clang++"


def test_openmp_of_the_compiler_itself_needs_no_folders(tmp_path: Path) -> None:
    own = clang(tmp_path, "17", openmp=True)
    asked = translated(CompileSettings(both=flags("-fopenmp -lgomp -lm"))).settings
    settings = with_openmp(asked, own, Surroundings({}, tmp_path))
    assert (settings.both, settings.host, settings.link) == ((), ("-fopenmp",), ("-fopenmp", "-lm"))


def test_openmp_of_another_llvm(tmp_path: Path) -> None:
    own, other = clang(tmp_path, "17", openmp=False), clang(tmp_path, "19", openmp=True).parents[1]
    asked = translated(CompileSettings(both=("-fopenmp",))).settings
    settings = with_openmp(asked, own, Surroundings({}, tmp_path))
    assert settings.both == ("-idirafter", f"{other}/lib/clang/19/include")
    assert settings.link == ("-fopenmp", f"-L{other}/lib", f"-Wl,-rpath,{other}/lib")


def test_no_openmp_for_clang(tmp_path: Path) -> None:
    own = clang(tmp_path, "17", openmp=False)
    where = Surroundings({}, tmp_path)
    assert with_openmp(CompileSettings(both=("-O2",)), own, where) == CompileSettings(both=("-O2",))
    with pytest.raises(HipportError, match="no OpenMP library for") as caught:
        with_openmp(translated(CompileSettings(both=("-fopenmp",))).settings, own, where)
    assert "libomp-17-dev" in str(caught.value.hint)
