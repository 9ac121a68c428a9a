"""Build the CUDA code shipped with hipport for this machine's hardware, and cache it in the user's cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hipport.builds.backends import NAMES, BackendName, backend
from hipport.builds.request import BuildRequest, CompileSettings, OutputKind
from hipport.errors import HipportError, UsageError
from hipport.files.locks import locked
from hipport.toolchain.places import Surroundings

if TYPE_CHECKING:
    from hipport.builds.workspace import Workspace

Progress = Callable[[str], None]

_OTHERWISE = "With --target cpu it runs without a GPU."
_CPU_LEVEL = "2"
"""The optimization level for the CPU: -O3 takes twice as long to compile the engine, whose prompts it makes slower."""


@dataclass(frozen=True, slots=True)
class Target:
    """A hardware target: `architectures` of the GPUs (gfx90a, sm_90), or the CPU's wavefront size in lanes."""

    name: BackendName
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

    Raises `HipportError` if the machine does not have it, `UsageError` for a name that is no target's.
    """
    wanted = [each for each in NAMES if name in (None, each)]
    for each in wanted:
        chosen = backend(each)
        found = chosen.native(where)
        if found is None:
            continue
        if wave_size and "--wave-size" not in chosen.options:
            raise HipportError("the GPU determines the wavefront size", hint="--wave-size needs --target cpu.")
        return Target(each, found, wave_size or 32)
    if not wanted:
        raise UsageError(f"unknown target {name!r}", hint=f"Targets: {', '.join(NAMES)}.")
    raise HipportError(f"no working {backend(wanted[0]).device} in this machine", hint=_OTHERWISE)


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
    path = cached_path(shipped, target, where, compiler=compiler, defines=defines)
    if path.is_file():
        return path
    with _locked(path.parent):
        if not path.is_file():
            progress(f"building the {shipped.name} for {target}, on first use")
            request = _request(shipped, target, path, compiler, defines)
            _build(shipped.name, backend(target.name).prepare(request, where), progress)
            shutil.rmtree(f"{path}.build", ignore_errors=True)
    return path


def cached_path(
    shipped: Shipped,
    target: Target,
    where: Surroundings,
    *,
    compiler: str | None = None,
    defines: tuple[str, ...] = (),
) -> Path:
    """Return where `built` keeps the code of a target. Raises `HipportError` if there is no compiler."""
    key = _key(shipped, target, where, compiler, defines)
    return cache_folder(shipped.name.replace(" ", "-")) / key / shipped.file


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
    path = backend(target.name).compiler(target.architectures, where, wanted)
    status = path.stat()
    return str(path), status.st_size, status.st_mtime_ns


def _request(
    shipped: Shipped, target: Target, output: Path, compiler: str | None, defines: tuple[str, ...]
) -> BuildRequest:
    settings = CompileSettings(defines=defines)
    return BuildRequest(
        sources=shipped.sources(),
        output=str(output),
        targets=target.architectures,
        kind=shipped.kind,
        settings=replace(settings, optimize=_CPU_LEVEL) if target.name == "cpu" else settings,
        compiler=compiler,
        wave_size=None if target.architectures else target.wave_size,
    )


def _build(name: str, build: Workspace, progress: Progress) -> None:
    build.write()
    failed = []
    for event in build.run():
        progress(f"[{event.done}/{event.total}] {Path(build.plan.steps[event.step].title).name}")
        failed += [event] if event.failed else []
    if failed:
        raise HipportError(f"cannot build the {name}: {failed[0].text.strip()[:2000]}")
    build.finish()
