"""Device libraries for processors that an installation has none for: a folder of links and one new constant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hipport.build.arguments import GENERIC_CODE_OBJECT, is_generic
from hipport.toolchain.target_id import TargetID

_CONSTANT = """\
target triple = "amdgcn-amd-amdhsa"
@__oclc_{name} = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {value}, align 4
"""


@dataclass(frozen=True, slots=True)
class Constant:
    """A bitcode file that is nothing but one constant: `file` without ending, `text` its LLVM assembly."""

    file: str
    text: str


def needed(target: TargetID) -> tuple[Constant, ...]:
    """The constants that a compile for this target links in and that differ by target."""
    isa = Constant(
        f"oclc_isa_version_{target.processor.removeprefix('gfx')}",
        _CONSTANT.format(name="ISA_version", value=target.isa_version),
    )
    if not is_generic(target):
        return (isa,)
    version = GENERIC_CODE_OBJECT * 100
    return (isa, Constant(f"oclc_abi_version_{version}", _CONSTANT.format(name="ABI_version", value=version)))


def missing(target: TargetID, folder: Path) -> tuple[Constant, ...]:
    """The constants that the libraries in `folder` lack for a target."""
    names = (".bc", ".amdgcn.bc")
    return tuple(
        constant for constant in needed(target) if not any((folder / (constant.file + end)).is_file() for end in names)
    )
