"""Compiler arguments common to all drivers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.buildfiles.undefined_values import DEFINED_VALUES, DEFINED_VALUES_SINCE, NO_PEEPHOLE, NO_PEEPHOLE_OF
from hipport.builds.request import CompileSettings, Language, Unit
from hipport.toolchain.target_id import TargetID

GENERIC_CODE_OBJECT = 6
"""The code object version that generic targets require."""

_NO_DEVICE_DEPFILE = 20
"""The first clang release that ignores `-MF` in a device compile."""


def _major(clang: str) -> int:
    """Return the number of a clang release, 0 if it is unknown."""
    return int(clang.partition(".")[0] or 0)


def is_generic(target: TargetID) -> bool:
    """Return whether a target is generic, that is, covers a whole family (`gfx11-generic`)."""
    return target.processor.endswith("-generic")


def safe(path: str) -> str:
    """Return the path in a form that no program mistakes for an option."""
    return f"./{path}" if path.startswith("-") else path


def device_arguments(unit: Unit, target: TargetID, settings: CompileSettings, device_libraries: str) -> Iterator[str]:
    """Yield the arguments of a device compile for one target that outputs a bare code object."""
    yield f"--offload-arch={target}"
    yield "--offload-device-only"
    yield "--no-gpu-bundle-output"
    yield f"--rocm-device-lib-path={device_libraries}"
    if is_generic(target):
        yield f"-mcode-object-version={GENERIC_CODE_OBJECT}"
    yield from _unit_arguments(unit, settings)
    yield from settings.device


def host_arguments(unit: Unit, settings: CompileSettings, *, fat_binary: str | None, pic: bool) -> Iterator[str]:
    """Yield the arguments of a host compile; a HIP unit embeds its fat binary."""
    if fat_binary is not None:
        yield "--offload-host-only"
        yield from ("-Xclang", "-fcuda-include-gpubinary", "-Xclang", fat_binary)
    else:
        yield "-D__HIP_PLATFORM_AMD__"
    if pic:
        yield "-fPIC"
    yield from _unit_arguments(unit, settings)
    yield from settings.host


def rdc_arguments(
    unit: Unit, targets: Sequence[TargetID], settings: CompileSettings, device_libraries: str, pic: bool
) -> Iterator[str]:
    """Yield the arguments of a compile for the host and all targets, with device code left to be linked later."""
    yield from _for_targets(targets, device_libraries)
    if pic:
        yield "-fPIC"
    yield from _unit_arguments(unit, settings)
    for flag in settings.device:
        yield from ("-Xarch_device", flag)
    for flag in settings.host:
        yield from ("-Xarch_host", flag)


def device_link_arguments(targets: Sequence[TargetID], device_libraries: str, clang: str) -> Iterator[str]:
    """Yield the arguments that include device code in a link."""
    # clang 15 embeds device code with an object that is not marked as not needing an executable stack.
    yield from ("--hip-link", "-Wl,-z,noexecstack", *safe_code_arguments(clang, link=True))
    yield from _for_targets(targets, device_libraries)


def _for_targets(targets: Sequence[TargetID], device_libraries: str) -> Iterator[str]:
    yield "-fgpu-rdc"
    yield from (f"--offload-arch={target}" for target in targets)
    yield f"--rocm-device-lib-path={device_libraries}"
    if any(is_generic(target) for target in targets):
        yield f"-mcode-object-version={GENERIC_CODE_OBJECT}"


def _unit_arguments(unit: Unit, settings: CompileSettings) -> Iterator[str]:
    yield from host_target_arguments(settings)
    if unit.language is not Language.C:
        yield f"-std={settings.std}"
    if unit.language is Language.HIP:
        # Sources may ask for it before they include HIP's headers, which define it; hip::device of CMake does, too.
        yield "-D__HIP_PLATFORM_AMD__"
    if unit.language is Language.HIP and not settings.rdc:
        # Host and device code must agree on this ID, which is part of the names of static variables and kernels.
        # clang derives its own from the whole command and the working folder, which differ between our compiles;
        # newer releases put it after ours, and drop -cuid= from a host compile: hence -Xclang.
        yield from ("-fuse-cuid=none", "-Xclang", f"-cuid={unit.key.rpartition('-')[2]}")
    yield f"-O{settings.optimize}"
    if settings.debug:
        yield "-g"
    if settings.save_temps:
        yield "-save-temps=obj"
    for folder in (*unit.include_dirs, *settings.include_dirs):
        yield f"-I{folder}"
    for folder in unit.last_dirs:
        yield from ("-idirafter", folder)
    yield from settings.defines
    yield from settings.both


def undefined_value_arguments(unit: Unit, clang: str) -> Iterator[str]:
    """Make what C++ leaves undefined harmless to other threads, as it is with nvcc.

    These are values that some threads return or pass without having set them, and functions that end without `return`.
    Clang takes the paths to them for impossible and leaves out what other threads do there.
    """
    if unit.language is Language.HIP and _major(clang) >= DEFINED_VALUES_SINCE:
        yield from DEFINED_VALUES


def host_target_arguments(settings: CompileSettings) -> Iterator[str]:
    """Set clang's host target, for device compiles too: both sides must agree on types and names."""
    if settings.host_target:
        yield f"--target={settings.host_target}"


def dependency_arguments(output: str) -> Iterator[str]:
    """Make the compiler write the headers it read to `output`.d, for ninja."""
    yield from ("-MD", "-MF", depfile(output), "-MQ", output)


def device_dependency_arguments(output: str, clang: str) -> Iterator[str]:
    """Like `dependency_arguments`, for a device compile by the given clang release.

    The driver of clang 20 and newer ignores `-MF` in such a compile, with a warning; the frontend still supports it.
    """
    if _major(clang) < _NO_DEVICE_DEPFILE:
        yield from dependency_arguments(output)
        return
    words = ("-dependency-file", depfile(output), "-sys-header-deps", "-MT", output)
    yield from (part for word in words for part in ("-Xclang", word))


def safe_code_arguments(clang: str, *, link: bool = False) -> Iterator[str]:
    """Yield the arguments of a device compile, or a link of device code, that keep a clang release from wrong code.

    Clang 19 merges the two differences once they select parts of registers (SDWA, on gfx9 and gfx10).
    """
    if _major(clang) == NO_PEEPHOLE_OF:
        yield from ("-Xoffload-linker", f"-plugin-opt={NO_PEEPHOLE}") if link else ("-mllvm", NO_PEEPHOLE)


def depfile(output: str) -> str:
    return f"{output}.d"
