"""The engine as a shared library, built for what this machine has and kept in the user's cache folder."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings

if TYPE_CHECKING:
    from hipport.build.model import Request
    from hipport.build.workspace import Workspace

TargetName = Literal["amd", "nvidia", "cpu"]
Progress = Callable[[str], None]

_HERE = Path(__file__).parent
_NAME = "libhipport_llm.so"
_OTHERWISE = "With --target cpu the engine runs without one."


@dataclass(frozen=True, slots=True)
class Target:
    """What the engine runs on: `architectures` of the GPUs (gfx90a, sm_90), or the CPU's lanes of a wavefront."""

    name: TargetName
    architectures: tuple[str, ...] = ()
    wave_size: int = 32

    def __str__(self) -> str:
        what = ", ".join(self.architectures) if self.architectures else f"{self.wave_size} lanes a wavefront"
        return f"{self.name} ({what})"


def choose_target(where: Surroundings, name: str | None = None, wave_size: int | None = None) -> Target:
    """The target of that name, else what the machine has: an AMD GPU, an NVIDIA GPU, its CPU. Raises `HipportError`."""
    found = _amd(where, asked=name == "amd") if name in (None, "amd") else None
    found = found or (_nvidia(where, asked=name == "nvidia") if name in (None, "nvidia") else None)
    if found and wave_size:
        raise HipportError("the size of wavefronts is the GPU's", hint="With --target cpu it can be chosen.")
    return found or Target("cpu", wave_size=wave_size or 32)


def library(target: Target, where: Surroundings, progress: Progress, compiler: str | None = None) -> Path:
    """The engine's library for a target, built unless it has been. `progress` is told what is done.

    Raises `HipportError` where there is no compiler, or the build fails.
    """
    folder = cache_folder("engine") / _key(target, where, compiler)
    path = folder / _NAME
    if path.is_file():
        return path
    with _locked(folder):
        if not path.is_file():
            progress(f"building the engine for {target}, once")
            _build(_prepared(_request(target, path, compiler), target, where), progress)
            shutil.rmtree(f"{path}.build", ignore_errors=True)
    return path


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Make a folder, and wait for others who build in it. Raises `HipportError` where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        hint = "XDG_CACHE_HOME names another place for what is kept."
        raise HipportError(f"cannot write to {folder}: {error.strerror}", hint=hint) from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cache_folder(name: str) -> Path:
    """A folder in the user's cache for hipport. Raises `HipportError` where there is none."""
    from hipport.mappings.cache import folder

    base = folder()
    if base is None:
        raise HipportError("found no home folder to keep things in", hint="Set XDG_CACHE_HOME to a folder.")
    return base / name


def _amd(where: Surroundings, asked: bool) -> Target | None:
    from hipport.toolchain.native import native_targets

    try:
        return Target("amd", tuple(native_targets(where)))
    except HipportError:
        if asked:
            raise HipportError("this machine has no AMD GPU that answers", hint=_OTHERWISE) from None
        return None


def _nvidia(where: Surroundings, asked: bool) -> Target | None:
    from hipport.build.nvidia.targets import native_targets

    found = tuple(str(target) for target in native_targets(where))
    if asked and not found:
        raise HipportError(
            "this machine has no NVIDIA GPU that answers", hint="The engine runs with --target cpu, too."
        )
    return Target("nvidia", found) if found else None


def _key(target: Target, where: Surroundings, compiler: str | None) -> str:
    """A name for everything that the library is made from."""
    import hipport

    parts = hashlib.sha256(repr((hipport.__version__, target, *_compiler(target, where, compiler))).encode())
    for path in _inputs():
        data = path.read_bytes()
        parts.update(f"{path.relative_to(_HERE.parent)} {len(data)}\n".encode() + data)
    return parts.hexdigest()[:16]


def _inputs() -> Iterator[Path]:
    """The engine's sources, and the headers that come with hipport."""
    for folder in (_HERE / "engine", _HERE / "kernels", _HERE.parent / "include"):
        yield from sorted(path for path in folder.rglob("*") if path.is_file())


def _compiler(target: Target, where: Surroundings, wanted: str | None) -> tuple[str, int, int]:
    """Which compiler it is: its path, and size and time of the file. Raises `HipportError` where there is none."""
    from hipport.build.cpu.compiler import find_compiler
    from hipport.toolchain.choice import choose
    from hipport.toolchain.cuda import find_cuda
    from hipport.toolchain.target_id import parse_list

    if target.name == "cpu":
        path = find_compiler(where, wanted).path
    elif target.name == "nvidia":
        path = find_cuda(where, wanted).nvcc
    else:
        path = choose(parse_list(target.architectures), where, wanted).compiler.path
    status = path.stat()
    return str(path), status.st_size, status.st_mtime_ns


def _request(target: Target, output: Path, compiler: str | None) -> Request:
    from hipport.build.model import OutputKind, Request, Settings
    from hipport.toolchain.target_id import parse_list

    return Request(
        sources=tuple(str(path) for path in sorted((_HERE / "engine").glob("*.cu"))),
        output=str(output),
        targets=parse_list(target.architectures) if target.name == "amd" else (),
        kind=OutputKind.SHARED,
        settings=Settings(defines=_defines(target)),
        compiler=compiler,
    )


def _defines(target: Target) -> tuple[str, ...]:
    """What the kernels are told of the GPUs: whether all have Hopper's bulk copies."""
    numbers = [re.findall(r"\d+", name) for name in target.architectures]
    hopper = target.name == "nvidia" and all(found and int(found[0]) >= 90 for found in numbers)
    return ("-DHIPPORT_LLM_HOPPER",) if hopper else ()


def _prepared(request: Request, target: Target, where: Surroundings) -> Workspace:
    """The build as `hipport build --shared --target ...` plans it."""
    if target.name == "cpu":
        from hipport.build.cpu.model import cpu_options
        from hipport.build.cpu.pipeline import prepare as for_cpu

        return for_cpu(request, cpu_options(target.wave_size, (), ()), where)
    if target.name == "nvidia":
        from hipport.build.nvidia.pipeline import prepare as for_nvidia
        from hipport.build.nvidia.targets import parse_targets

        return for_nvidia(request, parse_targets(target.architectures), where)
    from hipport.build.pipeline import prepare as for_amd

    return for_amd(request, where)


def _build(build: Workspace, progress: Progress) -> None:
    build.write()
    failed = []
    for event in build.run():
        progress(f"[{event.done}/{event.total}] {Path(build.plan.steps[event.step].title).name}")
        failed += [event] if event.failed else []
    if failed:
        raise HipportError(f"the engine could not be built: {failed[0].text.strip()[:2000]}")
    build.finish()
