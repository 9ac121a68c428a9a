"""Compile the translated cross-lane cases with the headers of another HIP release, and print the results.

    python -m tests.translate.hazards.release HEADERS RELEASE [TARGET...]

`HEADERS` has `hip/hip_runtime.h`: `usr/include` of an unpacked `libamdhip64-dev`, or a folder that
`scripts/library_headers.sh` made. What is reported as an error is left out; clang++-19 compiles the rest to
assembly, for each size of a wavefront.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import get_args

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.support import include_dir
from hipport.translate.context import Context, Options, WaveSize
from hipport.translate.convert import convert_source
from tests.translate.hazards.test_compile import CASES, TARGETS, errors, together


def sound(release: str, wave_size: WaveSize) -> list[tuple[str, str]]:
    """Return the translations without errors, by name of the case."""
    context = Context(load_choice(NameChoice(rocm=release)), Options(wave_size=wave_size, fix=True))
    conversions = ((case.name, convert_source(case.read_bytes(), case.name, context)) for case in CASES)
    return [(name, each.data.decode()) for name, each in conversions if not errors(each)]


def compiled(source: Path, headers: str, release: str, target: str) -> list[str]:
    """Compile a source with clang++ and return its errors."""
    command = ["clang++-19", "-x", "hip", f"-I{headers}", f"-I{include_dir()}", "-std=c++17", "-w", "-ferror-limit=0"]
    command += ["--rocm-path=/usr", f"--hip-version={release}", "-nogpulib", "-D__HIP_PLATFORM_AMD__"]
    command += ["--offload-device-only", f"--offload-arch={target}", "-S", str(source), "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines() if "error:" in line] or [""] * (done.returncode != 0)


def main(headers: str, release: str, targets: tuple[str, ...] = TARGETS) -> int:
    """Print a line for each target and wavefront size; return 1 if anything does not compile."""
    refused = False
    with tempfile.TemporaryDirectory() as folder:
        for wave_size in get_args(WaveSize):
            cases = sound(release, wave_size)
            source = Path(folder, "together.hip")
            source.write_text(together(cases))
            for target in targets:
                said = compiled(source, headers, release, target)
                print(
                    f"{target}, --wave-size {wave_size or 'auto'}: {len(cases)} cases, {len(said)} errors",
                    *said,
                    sep="\n  ",
                )
                refused = refused or bool(said)
    return int(refused)


if __name__ == "__main__":
    if len(sys.argv) < 3 or not Path(sys.argv[1], "hip", "hip_runtime.h").is_file():
        raise SystemExit(__doc__)
    raise SystemExit(main(sys.argv[1], sys.argv[2], tuple(sys.argv[3:]) or TARGETS))
