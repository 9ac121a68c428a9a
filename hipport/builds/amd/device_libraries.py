"""Add support for processors missing from the installed device libraries: a folder of links and one new constant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hipport.builds.arguments import GENERIC_CODE_OBJECT, is_generic
from hipport.toolchain.target_id import TargetID

_CONSTANT = """\
target triple = "amdgcn-amd-amdhsa"
@__oclc_{name} = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {value}, align 4
"""


@dataclass(frozen=True, slots=True)
class Constant:
    """A bitcode file that holds a single constant: `file` is its name without suffix, `text` its LLVM assembly."""

    file: str
    text: str


def needed(target: TargetID) -> tuple[Constant, ...]:
    """Return the target-specific constants that a compile for this target links."""
    isa = Constant(
        f"oclc_isa_version_{target.processor.removeprefix('gfx')}",
        _CONSTANT.format(name="ISA_version", value=target.isa_version),
    )
    if not is_generic(target):
        return (isa,)
    version = GENERIC_CODE_OBJECT * 100
    return (isa, Constant(f"oclc_abi_version_{version}", _CONSTANT.format(name="ABI_version", value=version)))


def missing(target: TargetID, folder: Path) -> tuple[Constant, ...]:
    """Return the constants for a target that are missing from the libraries in `folder`."""
    names = (".bc", ".amdgcn.bc")
    return tuple(
        constant for constant in needed(target) if not any((folder / (constant.file + end)).is_file() for end in names)
    )
