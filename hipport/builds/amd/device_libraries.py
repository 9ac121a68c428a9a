"""Add support for processors missing from the installed device libraries: a folder of links and what is new."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hipport.builds.arguments import GENERIC_CODE_OBJECT, is_generic
from hipport.toolchain.target_id import TargetID

_CONSTANT = """\
target triple = "amdgcn-amd-amdhsa"
@__oclc_{name} = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {value}, align 4
"""

_NEW_CLOCK = 11000
"""The first ISA version without `s_memrealtime`. LLVM removes functions that need it, and malloc() waits for a time."""

_CLOCK = """\
define linkonce_odr hidden i64 @__hipport_realtime() {
  %version = load i32, ptr addrspace(4) @__oclc_ISA_version, align 4
  %is_new = icmp sge i32 %version, 11000
  br i1 %is_new, label %new, label %old
new:
  %message = call i64 @__hipport_realtime_message()
  ret i64 %message
old:
  %counter = call i64 @__hipport_realtime_counter()
  ret i64 %counter
}
define linkonce_odr hidden i64 @__hipport_realtime_message() "target-features"="+gfx11-insts" {
  %now = call i64 @llvm.amdgcn.s.sendmsg.rtn.i64(i32 131)
  ret i64 %now
}
define linkonce_odr hidden i64 @__hipport_realtime_counter() "target-features"="+s-memrealtime" {
  %now = call i64 @llvm.amdgcn.s.memrealtime()
  ret i64 %now
}
declare i64 @llvm.amdgcn.s.sendmsg.rtn.i64(i32 immarg)
"""

_CLOCK_CALLS = (
    "s/call i64 @llvm.amdgcn.s.memrealtime()/call i64 @__hipport_realtime()/",
    's/"target-features"="+s-memrealtime"//',
)


@dataclass(frozen=True, slots=True)
class Constant:
    """A bitcode file: `file` is its name without suffix, `text` its LLVM assembly, in most of them a single constant.

    The text is added to the installed library `base`, if there is one, which is edited by the sed commands `edits`.
    """

    file: str
    text: str
    base: Path | None = None
    edits: tuple[str, ...] = ()


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
    """Return what the libraries in `folder` lack for a target."""
    names = (".bc", ".amdgcn.bc")
    lacking = tuple(
        constant for constant in needed(target) if not any((folder / (constant.file + end)).is_file() for end in names)
    )
    base = folder / "ockl.bc"
    if not lacking or target.isa_version < _NEW_CLOCK or not base.is_file():
        return lacking
    return (*lacking, Constant("ockl", _CLOCK, base, _CLOCK_CALLS))
