from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from msgspec import structs

from hipport.builds.amd.drivers import ClangDriver, Driver, HipccDriver
from hipport.builds.request import CompileSettings, Language
from hipport.toolchain.target_id import parse
from tests.builds.fakes import clang_driver, hipcc_driver, unit

DRIVERS: list[Driver] = [clang_driver(), hipcc_driver()]


def pairs(arguments: list[str]) -> list[tuple[str, str]]:
    return list(itertools.pairwise(arguments))


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_device_compile_is_for_one_target_and_gives_a_bare_code_object(driver: Driver) -> None:
    arguments = list(driver.device_object(unit(), parse("gfx90a:xnack+"), "o.co", "/bc"))
    assert [a for a in arguments if a.startswith("--offload-arch")] == ["--offload-arch=gfx90a:xnack+"]
    for expected in ("--offload-device-only", "--no-gpu-bundle-output", "--rocm-device-lib-path=/bc"):
        assert expected in arguments
    for pair in (("-x", "hip"), ("-c", "a.hip"), ("-MF", "o.co.d"), ("-MQ", "o.co")):
        assert pair in pairs(arguments)


@pytest.mark.parametrize("release", ["15.0.6", "17.0.0", "19.1.7", "20.1.2", "21.1.8", "22.0.0"])
@pytest.mark.parametrize("driver", [clang_driver(), hipcc_driver()])
def test_device_compiles_write_their_dependencies(driver: ClangDriver | HipccDriver, release: str) -> None:
    """clang 21 ignores -MF in device compiles, with a warning, and writes no file."""
    of_release = replace(driver, compiler=structs.replace(driver.compiler, clang=release))
    device = list(of_release.device_object(unit(), parse("gfx90a"), "o.co", "/bc"))
    told = ("-MF", "o.co.d") if int(release[:2]) < 20 else ("-dependency-file", "-Xclang")
    assert told in pairs(device)
    assert ("-MF" in device) == (int(release[:2]) < 20)
    assert "o.co.d" in device
    assert ("-MF", "o.o.d") in pairs(list(of_release.host_object(unit(), "o.o", "a.hipfb")))


UNDEFINED = ["-Xclang", "-no-enable-noundef-analysis", "-fno-strict-return"]


@pytest.mark.parametrize(("release", "told"), [("14.0.6", False), ("15.0.6", True), ("19.1.7", True), ("22.0.0", True)])
@pytest.mark.parametrize("driver", [clang_driver(), hipcc_driver()])
def test_undefined_values_do_no_harm(driver: ClangDriver | HipccDriver, release: str, told: bool) -> None:
    """Clang 14 does not know the option, and does not need it."""
    of_release = replace(driver, compiler=structs.replace(driver.compiler, clang=release))
    device = list(of_release.device_object(unit(), parse("gfx90a"), "o.co", "/bc"))
    linked_later = list(of_release.rdc_object(unit(), [parse("gfx90a")], "o.o", "/bc"))
    host = list(of_release.host_object(unit("a.cpp", Language.CXX), "o.o", None))
    assert set(UNDEFINED) <= set(device) if told else UNDEFINED[1] not in device
    assert (UNDEFINED[1] in linked_later) is told
    assert UNDEFINED[1] not in host


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_host_compile_embeds_the_fat_binary(driver: Driver) -> None:
    arguments = list(driver.host_object(unit(), "o.o", "a.hipfb"))
    assert "--offload-host-only" in arguments
    at = arguments.index("-fcuda-include-gpubinary")
    assert arguments[at - 1 : at + 3] == ["-Xclang", "-fcuda-include-gpubinary", "-Xclang", "a.hipfb"]
    assert "-fPIC" not in arguments


@pytest.mark.parametrize("driver", DRIVERS)
def test_host_and_device_agree_on_the_id_of_a_unit(driver: Driver) -> None:
    device = list(driver.device_object(unit(), parse("gfx90a"), "o.co", "/bc"))
    host = list(driver.host_object(unit(), "o.o", "a.hipfb"))
    other = list(driver.host_object(unit("dir/a.hip"), "o.o", "a.hipfb"))
    (in_device,), (in_host,), (in_other,) = (
        [b for a, b in pairs(arguments) if a == "-Xclang" and b.startswith("-cuid=")]
        for arguments in (device, host, other)
    )
    assert in_device == in_host != in_other
    assert len(in_host) > len("-cuid=")
    assert "-fuse-cuid=none" in device and "-fuse-cuid=none" in host, "newer releases would put their own behind it"


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("language", [Language.CXX, Language.C])
def test_a_host_only_unit_is_not_compiled_as_hip(driver: Driver, language: Language) -> None:
    arguments = list(driver.host_object(unit("a.x", language), "o.o", None))
    assert ("-x", language.value) in pairs(arguments)
    assert "-D__HIP_PLATFORM_AMD__" in arguments
    assert not [a for a in arguments if "gpubinary" in a or "cuid" in a or a == "--offload-host-only"]
    assert ("-std=c++17" in arguments) == (language is Language.CXX)


def test_hipcc_gets_its_output_joined_since_it_quotes_all_else_for_its_shell() -> None:
    driver = hipcc_driver()
    for arguments in (
        list(driver.device_object(unit(), parse("gfx90a"), "$x.co", "/bc")),
        list(driver.host_object(unit(), "$x.co", None)),
        list(driver.link(["a.o"], "$x.co", shared=False)),
    ):
        assert "-o$x.co" in arguments
        assert "-o" not in arguments
        assert [a for a in arguments if a.startswith("--offload-arch=")], "else hipcc asks for GPUs"


def test_clang_is_told_where_hip_is() -> None:
    driver = clang_driver()
    device = list(driver.device_object(unit(), parse("gfx90a"), "o.co", "/bc"))
    assert {"--rocm-path=/opt/rocm", "--hip-version=6.2.41133"} <= set(device)
    assert ("-isystem", "/opt/rocm/include") in pairs(list(driver.host_object(unit("a.cpp", Language.CXX), "o", None)))
    link = list(driver.link(["a.o"], "out", shared=False))
    assert link[-3:] == ["-L/opt/rocm/lib", "-Wl,-rpath,/opt/rocm/lib", "-lamdhip64"]


@pytest.mark.parametrize("make", [clang_driver, hipcc_driver])
def test_settings_reach_the_commands_they_are_for(make: type[Driver]) -> None:
    settings = CompileSettings(
        ("inc",), ("-DX=a b", "-UY"), "c++20", "2", True, True, ("-Wall",), ("-D1",), ("-H1",), ("-L1",)
    )
    driver = make(settings, pic=True)  # type: ignore[call-arg]
    device = list(driver.device_object(unit(), parse("gfx90a"), "o", "/bc"))
    host = list(driver.host_object(unit(), "o", "fb"))
    link = list(driver.link(["a.o"], "out", shared=True))
    common = ["-std=c++20", "-O2", "-g", "-save-temps=obj", "-Iinc", "-DX=a b", "-UY", "-Wall"]
    assert set(common) | {"-D1"} <= set(device)
    assert set(common) | {"-H1", "-fPIC"} <= set(host)
    assert {"-shared", "-L1"} <= set(link)
    assert not {"-H1", "-L1", "-fPIC"} & set(device) and not {"-D1", "-L1"} & set(host) and "-Wall" not in link


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_path_is_never_taken_for_an_option(driver: Driver) -> None:
    assert "./-a.hip" in list(driver.host_object(unit("-a.hip"), "o", "fb"))
    assert "./-a.o" in list(driver.link(["-a.o"], "o", shared=False))


def test_generic_targets_ask_for_code_object_version_6() -> None:
    driver = clang_driver()
    assert "-mcode-object-version=6" in list(driver.device_object(unit(), parse("gfx11-generic"), "o", "/bc"))
    assert not [a for a in driver.device_object(unit(), parse("gfx1100"), "o", "/bc") if "code-object" in a]


@pytest.mark.parametrize("driver", [clang_driver(), hipcc_driver()])
@pytest.mark.parametrize(("release", "told"), [("18.1.8", False), ("19.1.7", True), ("20.1.2", False)])
def test_clang_19_does_not_select_parts_of_registers(
    driver: ClangDriver | HipccDriver, release: str, told: bool
) -> None:
    of_release = replace(driver, compiler=structs.replace(driver.compiler, clang=release))
    device = list(of_release.device_object(unit(), parse("gfx90a"), "o.co", "/bc"))
    link = list(of_release.link(["a.o"], "a", shared=False, rdc=([parse("gfx90a")], "/bc")))
    assert (("-mllvm", "-amdgpu-sdwa-peephole=0") in pairs(device)) == told
    assert (("-Xoffload-linker", "-plugin-opt=-amdgpu-sdwa-peephole=0") in pairs(link)) == told
    assert "-amdgpu-sdwa-peephole=0" not in " ".join(of_release.host_object(unit(), "o.o", None))
