"""Textures and surfaces as machine code, and what targets without image instructions say."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.emulated.programs import CPU
from tests.cli.test_build import built
from tests.emulate.conftest import emulated
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

IMAGES = ("gfx90a", "gfx1030", "gfx1100", "gfx1201")
OBJECT = """\
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void nothing() {}
int main() {
  hipTextureObject_t texture;
  hipTextureDesc how = {};
  hipResourceDesc resource = {};
RESOURCE  nothing<<<1, 1>>>();
  std::printf("%s\\n", hipGetErrorName(hipCreateTextureObject(&texture, &resource, &how, nullptr)));
}
"""

LINEAR = """\
  void *memory;
  (void)hipMalloc(&memory, 64);
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  resource.res.linear.sizeInBytes = 64;
"""
MIPMAP = """\
  hipMipmappedArray_t array;
  const hipChannelFormatDesc channel = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  (void)hipMallocMipmappedArray(&array, &channel, make_hipExtent(8, 8, 0), 2, 0);
  resource.resType = hipResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  how.normalizedCoords = 1;
"""


@pytest.fixture(scope="module")
def textures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        built("--offload-arch", ",".join(IMAGES), "-o", "textures", str(CPU / "textures.hip"), cwd=folder)

    return made_once(tmp_path_factory, "emulated-textures", make) / "textures"


@pytest.mark.parametrize("target", IMAGES)
def test_textures_are_right(textures: Path, cache: Path, target: str) -> None:
    done = emulated("--emulate", target, str(textures), cwd=textures.parent, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


@pytest.fixture(scope="module")
def mipmaps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        built("--offload-arch", ",".join(IMAGES), "-o", "mipmaps", str(CPU / "mipmaps.hip"), cwd=folder)

    return made_once(tmp_path_factory, "emulated-mipmaps", make) / "mipmaps"


@pytest.mark.parametrize("target", [one for one in IMAGES if one != "gfx90a"])
def test_mipmaps_are_right(mipmaps: Path, cache: Path, target: str) -> None:
    done = emulated("--emulate", target, str(mipmaps), "own headers", cwd=mipmaps.parent, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_a_target_without_levels_has_no_mipmaps(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "mipmap.hip").write_text(OBJECT.replace("RESOURCE", MIPMAP))
    built("--offload-arch", "gfx90a", "-o", "mipmap", "mipmap.hip", cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./mipmap", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "hipErrorNotSupported\n")
    message = "hipport: gfx90a has no image instructions with a level of detail: HIP has no mipmaps on it\n"
    assert done.stderr == message


def test_a_target_without_image_instructions_has_no_textures(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "object.hip").write_text(OBJECT.replace("RESOURCE", LINEAR))
    built("--offload-arch", "gfx942", "-o", "object", "object.hip", cwd=tmp_path)
    done = emulated("--emulate", "gfx942", "./object", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "hipErrorNotSupported\n")
    assert done.stderr == "hipport: gfx942 has no image instructions: HIP has no textures and surfaces on it\n"


def test_devices_have_variables_of_their_own(cache: Path, tmp_path: Path) -> None:
    source = Path(__file__).parent / "devices.hip"
    built("--offload-arch", "gfx1030", "-o", "devices", str(source), cwd=tmp_path)
    for count in ("1", "3"):
        done = emulated("--emulate", "gfx1030", "./devices", cwd=tmp_path, cache=cache, HIPPORT_DEVICES=count)
        assert (done.returncode, done.stdout) == (0, f"{count} devices, 0 wrong\n"), done.stderr


@pytest.mark.toolchain
@pytest.mark.slow
def test_memory_behind_textures_is_aligned(cache: Path, tmp_path: Path) -> None:
    built("--offload-arch", "gfx90a", "-o", "alignment", str(Path(__file__).with_name("alignment.hip")), cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./alignment", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
