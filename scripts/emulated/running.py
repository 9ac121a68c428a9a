"""Build a program for a target and run it on the emulator."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.emulated.programs import Program
from scripts.emulated.results import Result

_BUILD_SECONDS, _RUN_SECONDS = 1200, 3600
# What compilers say of code that a target has no instructions for.
_UNSUPPORTED = (
    (r"image/texture API not supported", "HIP has no textures on it"),
    (r"requested image instruction is not supported", "the compiler has not all image instructions for it"),
    (r"Cannot select: intrinsic %llvm.amdgcn.ds.gws|needs target feature gws|intrinsic not supported on subtarget",
     "device libraries of ROCm 5.2 synchronize grids by the global data share, which it lacks"),
)  # fmt: skip


# What programs print where HIP's headers differ from CUDA.
_KNOWN = {
    "surfaces": (
        r"^gathered: got 0, expected 13\n.*^a layer, written: .*^(clamped: got 0, .*^6|5) wrong$",
        "HIP's headers up to 6.4 read another component in tex2Dgather, take the layer of surf1DLayeredwrite for a "
        "level, and have no boundary modes; the rest of the program is right",
    ),
    "compat surfaces": (
        "^FAIL: surfaces, 94$",
        "HIP's headers convert integers to floating point in surf3Dwrite, whatever the array holds; layers are right",
    ),
}  # fmt: skip


def run(program: Program, target: str, folder: Path) -> Result:
    """Build the program in `folder`, unless it is there, and compare what it prints."""
    if program.kernel:
        return _compared(program, target, ["llm", "kernels", program.name, "--emulate", target])
    place = folder / re.sub(r"\W+", "-", program.name) / target
    place.mkdir(parents=True, exist_ok=True)
    sources = list(program.sources)
    if program.write is not None:
        sources = [place / path for path in sources]
        _write_changed(program, sources[0])
    built = _built(target, place / "program", sources, program.options)
    words = {f"{{module:{path.stem}}}": place / f"{path.stem}.hipfb" for path in program.modules}
    for path in program.modules:
        built = built or _built(target, place / f"{path.stem}.hipfb", [path], ("--genco", *program.options))
    if built is not None:
        return Result(program.name, target, *_classified(built))
    arguments = [str(words.get(word, word)) for word in program.arguments]
    return _compared(program, target, ["run", "--emulate", target, str(place / "program"), *arguments])


def _compared(program: Program, target: str, words: Sequence[str]) -> Result:
    """Run hipport with these arguments, and compare what it prints."""
    command = [sys.executable, "-m", "hipport", *words]
    start = time.monotonic()
    done = _done(command, program.folder, _RUN_SECONDS)
    seconds = time.monotonic() - start
    if done.returncode == 0 and re.search(program.expect, done.stdout, re.MULTILINE):
        return Result(program.name, target, "passed", seconds=seconds)
    known = _KNOWN.get(program.name)
    if known is not None and re.search(known[0], done.stdout, re.MULTILINE | re.DOTALL):
        return Result(program.name, target, "not supported", known[1], seconds)
    said = (done.stderr or done.stdout).strip().splitlines()
    return Result(program.name, target, "failed", said[-1] if said else f"exit status {done.returncode}", seconds)


def _write_changed(program: Program, path: Path) -> None:
    assert program.write is not None
    made = path.with_suffix(".new")
    program.write(made)
    if not path.exists() or path.read_bytes() != made.read_bytes():
        made.rename(path)
    else:
        made.unlink()


def _built(target: str, product: Path, sources: Sequence[Path], options: Sequence[str]) -> str | None:
    """Build, and return the compiler's messages if that failed."""
    command = [sys.executable, "-m", "hipport", "build", "--offload-arch", target, "-o", str(product), *options]
    done = _done([*command, *map(str, sources)], product.parent, _BUILD_SECONDS)
    return None if done.returncode == 0 else done.stderr


def _done(command: Sequence[str], folder: Path, seconds: int) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"not finished after {seconds} s")


def _classified(messages: str) -> tuple[str, str]:
    for pattern, reason in _UNSUPPORTED:
        if re.search(pattern, messages):
            return "not supported", reason
    errors = [line for line in messages.splitlines() if "error" in line]
    return "failed", errors[0] if errors else "it cannot be built"
