"""Build the CUDA code shipped with hipport for this machine's hardware, and cache it in the user's cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hipport.builds.model import OutputKind
from hipport.errors import HipportError
from hipport.files.locks import locked
from hipport.toolchain.places import Surroundings

if TYPE_CHECKING:
    from hipport.builds.model import Request
    from hipport.builds.workspace import Workspace

TargetName = Literal["amd", "nvidia", "cpu"]
Progress = Callable[[str], None]

_OTHERWISE = "With --target cpu it runs without a GPU."


@dataclass(frozen=True, slots=True)
class Target:
    """A hardware target: `architectures` of the GPUs (gfx90a, sm_90), or the CPU's wavefront size in lanes."""

    name: TargetName
    architectures: tuple[str, ...] = ()
    wave_size: int = 32

    def __str__(self) -> str:
        what = ", ".join(self.architectures) if self.architectures else f"{self.wave_size} lanes per wavefront"
        return f"{self.name} ({what})"


@dataclass(frozen=True, slots=True)
class Shipped:
    """A program or library that ships as CUDA; `name` is used in messages, `file` is the name of the output.

    `folders` hold its sources, the first of them the compiled ones; they are below `root`, as are hipport's headers.
    """

    name: str
    file: str
    kind: OutputKind
    root: Path
    folders: tuple[str, ...]

    def sources(self) -> tuple[str, ...]:
        """Return the CUDA files to compile."""
        return tuple(str(path) for path in sorted((self.root / self.folders[0]).rglob("*.cu")))

    def inputs(self) -> Iterator[Path]:
        """Yield all files that the output depends on."""
        for folder in (*self.folders, "include"):
            yield from sorted(path for path in (self.root / folder).rglob("*") if path.is_file())


def choose_target(where: Surroundings, name: str | None = None, wave_size: int | None = None) -> Target:
    """Return the named target, by default an AMD GPU, an NVIDIA GPU or the CPU, whichever the machine has first.

    Raises `HipportError` if the machine does not have it.
    """
    found = _amd(where, asked=name == "amd") if name in (None, "amd") else None
    found = found or (_nvidia(where, asked=name == "nvidia") if name in (None, "nvidia") else None)
    if found and wave_size:
        raise HipportError("the GPU determines the wavefront size", hint="--wave-size needs --target cpu.")
    return found or Target("cpu", wave_size=wave_size or 32)


def built(
    shipped: Shipped,
    target: Target,
    where: Surroundings,
    progress: Progress,
    *,
    compiler: str | None = None,
    defines: tuple[str, ...] = (),
) -> Path:
    """Return the shipped code built for a target, from the cache if possible. `progress` receives status messages.

    `defines` are whole options. Raises `HipportError` if there is no compiler or the build fails.
    """
    folder = cache_folder(shipped.name.replace(" ", "-")) / _key(shipped, target, where, compiler, defines)
    path = folder / shipped.file
    if path.is_file():
        return path
    with _locked(folder):
        if not path.is_file():
            progress(f"building the {shipped.name} for {target}, on first use")
            request = _request(shipped, target, path, compiler, defines)
            _build(shipped.name, _prepared(request, target, where), progress)
            shutil.rmtree(f"{path}.build", ignore_errors=True)
    return path


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Create a folder and wait for other builds in it. Raises `HipportError` if it cannot be created."""
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder / ".lock", wait=True))
        except OSError as error:
            hint = "Set XDG_CACHE_HOME to use another cache folder."
            raise HipportError(f"cannot write to {folder}: {error.strerror}", hint=hint) from None
        yield


def cache_folder(name: str) -> Path:
    """Return a folder in hipport's user cache. Raises `HipportError` if there is none."""
    from hipport.mappings.cache import folder

    base = folder()
    if base is None:
        raise HipportError("no home folder found for the cache", hint="Set XDG_CACHE_HOME to a folder.")
    return base / name


def _amd(where: Surroundings, asked: bool) -> Target | None:
    from hipport.toolchain.native import native_targets

    try:
        return Target("amd", tuple(native_targets(where)))
    except HipportError:
        if asked:
            raise HipportError("no working AMD GPU in this machine", hint=_OTHERWISE) from None
        return None


def _nvidia(where: Surroundings, asked: bool) -> Target | None:
    from hipport.builds.nvidia.targets import native_targets

    found = tuple(str(target) for target in native_targets(where))
    if asked and not found:
        raise HipportError("no working NVIDIA GPU in this machine", hint=_OTHERWISE)
    return Target("nvidia", found) if found else None


def _key(shipped: Shipped, target: Target, where: Surroundings, compiler: str | None, defines: tuple[str, ...]) -> str:
    """Return a hash of everything the output depends on."""
    import hipport

    told = (hipport.__version__, target, defines, *_compiler(target, where, compiler))
    parts = hashlib.sha256(repr(told).encode())
    for path in shipped.inputs():
        data = path.read_bytes()
        parts.update(f"{path.relative_to(shipped.root)} {len(data)}\n".encode() + data)
    return parts.hexdigest()[:16]


def _compiler(target: Target, where: Surroundings, wanted: str | None) -> tuple[str, int, int]:
    """Identify the compiler by its path, file size and modification time. Raises `HipportError` if there is none."""
    from hipport.builds.cpu.compiler import find_compiler
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


def _request(shipped: Shipped, target: Target, output: Path, compiler: str | None, defines: tuple[str, ...]) -> Request:
    from hipport.builds.model import Request, Settings
    from hipport.toolchain.target_id import parse_list

    return Request(
        sources=shipped.sources(),
        output=str(output),
        targets=parse_list(target.architectures) if target.name == "amd" else (),
        kind=shipped.kind,
        settings=Settings(defines=defines),
        compiler=compiler,
    )


def _prepared(request: Request, target: Target, where: Surroundings) -> Workspace:
    """Plan the build as `hipport build --target ...` does."""
    if target.name == "cpu":
        from hipport.builds.cpu.model import cpu_options
        from hipport.builds.cpu.pipeline import prepare as for_cpu

        return for_cpu(request, cpu_options(target.wave_size, (), ()), where)
    if target.name == "nvidia":
        from hipport.builds.nvidia.pipeline import prepare as for_nvidia
        from hipport.builds.nvidia.targets import parse_targets

        return for_nvidia(request, parse_targets(target.architectures), where)
    from hipport.builds.pipeline import prepare as for_amd

    return for_amd(request, where)


def _build(name: str, build: Workspace, progress: Progress) -> None:
    build.write()
    failed = []
    for event in build.run():
        progress(f"[{event.done}/{event.total}] {Path(build.plan.steps[event.step].title).name}")
        failed += [event] if event.failed else []
    if failed:
        raise HipportError(f"cannot build the {name}: {failed[0].text.strip()[:2000]}")
    build.finish()
