"""Write, lock and run the build folder."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hipport.builds.engine import BUILD_FILE, Engine, NinjaEngine
from hipport.builds.ingest import Ingested
from hipport.builds.ninja_file import ninja_text
from hipport.builds.plan import BuildPlan, StepKind
from hipport.builds.prepare import make_link, remove_others, write_if_changed
from hipport.builds.request import BuildRequest
from hipport.builds.runner import Done
from hipport.errors import HipportError
from hipport.files import locks

TRANSLATED = "translated"
"""The folder of translated sources in the build folder."""
TRANSLATIONS = "translations"
"""The folder of the translations' cache in the build folder."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The result of a build: `targets` as read back from the file; `fresh` if it was rebuilt.

    `warnings` are about a product that may still work.
    """

    output: Path
    size: int
    targets: tuple[str, ...]
    fresh: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workspace(abc.ABC):
    """A build that is ready to be written and run, for any target.

    `dropped` are the include folders left out, `said` are notes on flags.
    """

    request: BuildRequest
    plan: BuildPlan
    ingested: Ingested
    dropped: tuple[str, ...]
    said: tuple[str, ...]

    @property
    def build_file(self) -> str:
        return f"{self.request.folder}/{BUILD_FILE}"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the build folder against other builds. Raises `HipportError` if it is in use."""
        folder = Path(self.request.folder)
        with contextlib.ExitStack() as stack:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(locks.locked(folder / ".lock", wait=False))
            except locks.BusyError:
                hint = "Wait until it is done, or choose a folder with --build-dir."
                raise HipportError(f"another hipport build is using {self.request.folder}", hint=hint) from None
            except OSError as error:
                message = f"cannot write {error.filename}: {(error.strerror or str(error)).lower()}"
                raise HipportError(message, hint="Choose another folder with --build-dir.") from None
            yield

    def write(self) -> None:
        """Write the build folder; files with the same content are not touched."""
        folder = Path(self.request.folder)
        translated = {Path(path): data for path, data in self.ingested.files}
        for path, data in translated.items():
            write_if_changed(path, data)
        remove_others(folder / TRANSLATED, translated)
        for entry, data in self.ingested.fresh.items():
            write_if_changed(entry, data)
        remove_others(folder / TRANSLATIONS, self.ingested.entries)
        for name, text in self.plan.files:
            write_if_changed(Path(name), text.encode(errors="surrogateescape"))
        for name, target in self.plan.links:
            make_link(Path(name), target)
        write_if_changed(folder / ".gitignore", b"*\n")
        text = ninja_text(self.plan, self.request.folder)
        changed = write_if_changed(Path(self.build_file), text.encode(errors="surrogateescape"))
        if changed and self.plan.steps[-1].kind is StepKind.ARCHIVE:
            Path(self.plan.product).unlink(missing_ok=True)  # ar would keep objects of removed sources

    def run(self, engine: Engine | None = None) -> Iterator[Done]:
        """Run the steps whose inputs, flags or tools differ from those that their outputs were made with."""
        chosen = engine or NinjaEngine(self.request.jobs)
        yield from chosen.run(self.plan, self.request.folder, "\n".join(self.tools_used()))

    def notes(self) -> Iterator[str]:
        """Yield notes on decisions made for the user."""
        yield from self.said
        for folder in self.dropped:
            yield f"ignoring -I{folder}: it contains the CUDA toolkit's headers"

    def environment(self) -> Mapping[str, str]:
        """Return the environment variables that the commands need."""
        return {}

    def tools_used(self) -> Iterator[str]:
        """Yield the version and path of every tool the build uses."""
        yield from ()

    def explain(self, text: str) -> Iterator[str]:
        """Yield explanations of a compiler's message."""
        yield from ()

    @abc.abstractmethod
    def finish(self) -> BuildResult:
        """Install the product and read back its content. Raises `HipportError` if something is missing."""
