"""Build fixture programs twice for an NVIDIA GPU: the CUDA original with nvcc, the port with `hipport build`.

    python -m tests.benchmarks.nvidia_target.build FOLDER [--arch sm_90]

FOLDER then holds everything that `measure.py` needs on the machine with the GPU, `programs.json` among it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport.support import include_dir
from tests.fixtures import programs

FIXTURES = Path(__file__).parents[3] / "fixtures"


@dataclass(frozen=True)
class Job:
    """A program: sources, module files by name, arguments. `timed` if its kernels are timed."""

    name: str
    sources: list[Path]
    include_dirs: list[Path]
    modules: dict[str, Path]
    args: list[str]
    libraries: list[str]
    timed: bool = True
    only_port: bool = False


def jobs(folder: Path) -> Iterator[Job]:
    """Yield the fixture programs, the inline PTX cases, and the test programs of the shipped headers."""
    for program in programs.find():
        modules = {Path(name).stem: program.folder / name for name in program.modules}
        args = [argument.removeprefix("{module:").removesuffix("}") for argument in program.args]
        sources = [program.folder / name for name in program.sources]
        include_dirs = [program.folder / name for name in program.include_dirs]
        yield Job(program.name, sources, include_dirs, modules, args, list(program.libs))
    ptx = folder / "ptx.cu"
    subprocess.run([sys.executable, "-m", "tests.translate.ptx.program", str(ptx)], check=True)
    yield Job("ptx", [ptx], [FIXTURES / "ptx"], {}, [], [], timed=False)
    compat = FIXTURES / "compat"
    yield Job("semantics", [compat / "semantics.cu"], [include_dir()], {}, [], [], timed=False)
    yield Job("groups", [compat / "groups.hip"], [], {}, [], [], timed=False, only_port=True)


def original(job: Job, folder: Path, arch: str) -> None:
    """Compile the unchanged CUDA sources with nvcc."""
    if job.libraries:
        _stub(folder)
    options = ["-O3", "-std=c++17", f"-arch={arch}", *(f"-I{path}" for path in job.include_dirs)]
    link = ["-L", folder, *(f"-l{name}" for name in job.libraries)]
    _run("nvcc", *options, *job.sources, "-o", folder / job.name, *link)
    for name, source in job.modules.items():
        _run("nvcc", *options, "--fatbin", source, "-o", folder / f"{name}.bin")


def _stub(folder: Path) -> None:
    """Build a stub of the driver library to link with, which a machine without a GPU lacks."""
    (folder / "all.cu").write_text("#include <cuda.h>\n")
    declared = subprocess.run(["nvcc", "-E", folder / "all.cu"], check=True, capture_output=True, text=True).stdout
    names = sorted(set(re.findall(r"\bCUresult\s+(cu[A-Z]\w*)\(", declared)))
    (folder / "stub.c").write_text("".join(f"int {name}(void) {{ return 999; }}\n" for name in names))
    _run("gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", folder / "stub.c", "-o", folder / "libcuda.so")


def port(job: Job, folder: Path, arch: str) -> None:
    """Translate the sources to HIP and compile them for NVIDIA GPUs."""
    command = [sys.executable, "-m", "hipport", "build", "--target", "nvidia", "--offload-arch", arch]
    include_dirs = [f"-I{path}" for path in job.include_dirs if path != include_dir()]
    _run(*command, *include_dirs, *job.sources, "-o", folder / job.name)
    for name, source in job.modules.items():
        _run(*command, *include_dirs, "--genco", source, "-o", folder / f"{name}.bin")


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True)


def main() -> None:
    """Build everything and write a list of the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--only", action="append", help="programs to build; default: all")
    arguments = parser.parse_args()
    listed = []
    for kind in ("original", "port"):
        (arguments.folder / kind).mkdir(parents=True, exist_ok=True)
    for job in jobs(arguments.folder):
        args = [f"{name}.bin" if name in job.modules else name for name in job.args]
        listed.append({"name": job.name, "args": args, "timed": job.timed, "only_port": job.only_port})
        if arguments.only and job.name not in arguments.only:
            continue
        if not job.only_port:
            original(job, arguments.folder / "original", arguments.arch)
        port(job, arguments.folder / "port", arguments.arch)
    (arguments.folder / "programs.json").write_text(json.dumps(listed, indent=1))


if __name__ == "__main__":
    main()
