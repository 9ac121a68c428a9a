"""Compiler arguments that every driver takes alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.build.model import Language, Settings, Unit
from hipport.toolchain.target_id import TargetID

GENERIC_CODE_OBJECT = 6
"""The code object version that generic targets need."""

_NO_DEVICE_DEPFILE = 20
"""The first release that is not known to write dependencies of a device compile as it is told by `-MF`."""


def is_generic(target: TargetID) -> bool:
    """Whether a target stands for a whole family (`gfx11-generic`)."""
    return target.processor.endswith("-generic")


def safe(path: str) -> str:
    """A path that no program takes for an option."""
    return f"./{path}" if path.startswith("-") else path


def device_arguments(unit: Unit, target: TargetID, settings: Settings, device_libraries: str) -> Iterator[str]:
    """The arguments that make a compile a device compile for one target, giving a bare code object."""
    yield f"--offload-arch={target}"
    yield "--offload-device-only"
    yield "--no-gpu-bundle-output"
    yield f"--rocm-device-lib-path={device_libraries}"
    if is_generic(target):
        yield f"-mcode-object-version={GENERIC_CODE_OBJECT}"
    yield from _unit_arguments(unit, settings)
    yield from settings.device


def host_arguments(unit: Unit, settings: Settings, *, fat_binary: str | None, pic: bool) -> Iterator[str]:
    """The arguments of a host compile; a HIP unit embeds its fat binary."""
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
    unit: Unit, targets: Sequence[TargetID], settings: Settings, device_libraries: str, pic: bool
) -> Iterator[str]:
    """The arguments that make a compile one for the host and all targets, device code yet to be linked."""
    yield from _for_targets(targets, device_libraries)
    if pic:
        yield "-fPIC"
    yield from _unit_arguments(unit, settings)
    for flag in settings.device:
        yield from ("-Xarch_device", flag)
    for flag in settings.host:
        yield from ("-Xarch_host", flag)


def device_link_arguments(targets: Sequence[TargetID], device_libraries: str) -> Iterator[str]:
    """The arguments that have a link include device code."""
    # clang 15 embeds the device code by an object that does not say that its stack need not be executable.
    yield from ("--hip-link", "-Wl,-z,noexecstack")
    yield from _for_targets(targets, device_libraries)


def _for_targets(targets: Sequence[TargetID], device_libraries: str) -> Iterator[str]:
    yield "-fgpu-rdc"
    yield from (f"--offload-arch={target}" for target in targets)
    yield f"--rocm-device-lib-path={device_libraries}"
    if any(is_generic(target) for target in targets):
        yield f"-mcode-object-version={GENERIC_CODE_OBJECT}"


def _unit_arguments(unit: Unit, settings: Settings) -> Iterator[str]:
    yield from host_target_arguments(settings)
    if unit.language is not Language.C:
        yield f"-std={settings.std}"
    if unit.language is Language.HIP and not settings.rdc:
        # Host and device code agree by this ID on the names of static variables and kernels. clang computes one
        # from the whole command and the working folder, which differs here and newer releases put after ours, and
        # drops -cuid= from a host compile: hence -Xclang.
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


def host_target_arguments(settings: Settings) -> Iterator[str]:
    """Have clang work for another host: device code has to agree with it on types and names, so it is told, too."""
    if settings.host_target:
        yield f"--target={settings.host_target}"


def dependency_arguments(output: str) -> Iterator[str]:
    """Have the compiler write the headers it read to `output`.d, for ninja."""
    yield from ("-MD", "-MF", depfile(output), "-MQ", output)


def device_dependency_arguments(output: str, clang: str) -> Iterator[str]:
    """Do the same for a device compile by a release of clang.

    clang 20 and newer ignore `-MF` in such a compile and say so; the compiler proper still can.
    """
    if int(clang.partition(".")[0] or 0) < _NO_DEVICE_DEPFILE:
        yield from dependency_arguments(output)
        return
    words = ("-dependency-file", depfile(output), "-sys-header-deps", "-MT", output)
    yield from (part for word in words for part in ("-Xclang", word))


def depfile(output: str) -> str:
    """Where a compile writes its dependencies."""
    return f"{output}.d"
