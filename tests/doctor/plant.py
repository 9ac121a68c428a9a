"""A machine without faults, described completely by a folder; tests plant one fault each."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hipport.doctor.findings import Finding, Level
from hipport.doctor.machine import Machine, User
from hipport.doctor.run import diagnose
from hipport.doctor.tree import look
from hipport.errors import HipportError
from hipport.toolchain.compilers import describe, find
from hipport.toolchain.hip import Hip, find_hip
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import parse_list
from tests.toolchain.fakes import compiler, file, program

PROCESSORS = ["gfx90a", "gfx942", "gfx1100"]
# What decides in ROCm's own hipconfig: the variable, else nvcc on PATH.
HIPCONFIG = """\
#!/bin/sh
if [ -n "$HIP_PLATFORM" ]; then printf %s "$HIP_PLATFORM"
elif command -v nvcc >/dev/null 2>&1; then printf nvidia
else printf amd; fi
"""
OMPI_WITH_ROCM = "#!/bin/sh\necho 'mca:pml:ucx:version:\"component:5.0.3\"'\n"
UCX_WITH_ROCM = "#!/bin/sh\necho '#      Transport: rocm_copy'\n"


@dataclass
class Planted:
    """A machine that tests modify before they run the checks."""

    root: Path
    environ: dict[str, str]
    user: User
    targets: str = "gfx90a,gfx1100"
    tree: Path | None = None

    def machine(self) -> Machine:
        describe.cache_clear()  # a test changes what a program answers
        where = Surroundings(self.environ, self.root)
        use = look(self.tree) if self.tree else None
        packages = (self.root / "site-packages",)
        compilers = tuple(find(where))
        return Machine(where, self.user, parse_list([self.targets]), True, use, packages, compilers, hip(where))

    def problems(self) -> dict[str, list[Finding]]:
        """Return the findings that are not `OK`, by name of the check."""
        found = {}
        for result in diagnose(self.machine()):
            wrong = [finding for finding in result.findings if finding.level is not Level.OK]
            if wrong:
                found[result.check] = wrong
        return found

    def only(self, check: str) -> Finding:
        """Return the only finding, which must be this check's."""
        problems = self.problems()
        assert list(problems) == [check], problems
        assert len(problems[check]) == 1, problems
        return problems[check][0]

    def repaired(self, **variables: str | None) -> Planted:
        """Return the machine with its environment changed as a finding advises."""
        changed: Mapping[str, str | None] = {**self.environ, **variables}
        self.environ = {name: value for name, value in changed.items() if value is not None}
        return self


def hip(where: Surroundings) -> Hip | None:
    try:
        return find_hip(where)
    except HipportError:
        return None


def rocm(root: Path, release: str = "6.3.1") -> Path:
    """Create a ROCm installation with everything that builds look for."""
    major, minor, patch = release.split(".")
    numbers = zip(("MAJOR", "MINOR", "PATCH"), (major, minor, patch), strict=True)
    file(root / "include/hip/hip_version.h", "".join(f"#define HIP_VERSION_{name} {n}\n" for name, n in numbers))
    file(root / "include/hip/hip_runtime.h")
    file(root / ".info/version", f"{release}-42\n")
    file(root / "lib/libamdhip64.so", release)
    file(root / "lib/cmake/hip-lang/hip-lang-config.cmake")
    for name in ("ocml", *(f"oclc_isa_version_{each.removeprefix('gfx')}" for each in PROCESSORS)):
        file(root / f"amdgcn/bitcode/{name}.bc")
    compiler(root / "bin/hipcc", "18.0.0", PROCESSORS, hip=f"{release}-42")
    program(root / "bin/hipconfig", HIPCONFIG)
    return root


def healthy(root: Path) -> Planted:
    """Create the machine without a fault."""
    installed = rocm(root / "opt/rocm")
    gcc(root, "12")
    program(root / "usr/bin/cmake", "#!/bin/sh\necho cmake version 3.28.1\n")
    program(root / "usr/bin/ompi_info", OMPI_WITH_ROCM)
    program(root / "usr/bin/ucx_info", UCX_WITH_ROCM)
    file(root / "dev/kfd").chmod(0o660)
    file(root / "dev/dri/renderD128").chmod(0o660)
    file(root / "sys/module/amdgpu/refcnt")
    file(root / "etc/group", f"none\nvideo:x:44444:\nrender:x:{os.getgid()}:ada\n")
    file(root / "etc/ld.so.conf.d/rocm.conf", "/opt/rocm/lib\n")
    file(root / "etc/os-release", 'ID=ubuntu\nVERSION_ID="24.04"\n')
    (root / "tmp").mkdir()
    (root / "site-packages").mkdir()
    return Planted(root, {"PATH": f"{installed}/bin:{root}/usr/bin"}, User("ada", 1000, frozenset({os.getgid()})))


def gcc(root: Path, release: str, *, libstdcxx: bool = True) -> None:
    """Create gcc's startup files, and optionally the C++ library."""
    folder = root / f"usr/lib/gcc/{platform.machine()}-linux-gnu" / release
    file(folder / "crtbegin.o")
    if libstdcxx:
        file(folder / "libstdc++.so")
        file(root / f"usr/include/c++/{release}/vector")
