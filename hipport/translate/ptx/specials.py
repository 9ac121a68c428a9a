"""Special registers and their HIP C++ equivalents."""

from __future__ import annotations

from msgspec import Struct

from hipport.translate.ptx.tree import Special


class SpecialRegister(Struct, frozen=True):
    """`text` is a C++ expression, with `@` for the helpers' namespace; `header` declares the helpers it uses."""

    type: str
    text: str
    header: str = ""
    caveat: str = ""


_DIMENSIONS = {"tid": "threadIdx", "ntid": "blockDim", "ctaid": "blockIdx", "nctaid": "gridDim"}
_UNITS = "AMD GPUs count different clock cycles: compare times, not cycle counts, across GPUs"
_PLACE = "compute unit numbers are not contiguous on AMD GPUs"

REGISTERS = {
    **{f"{ptx}.{axis}": SpecialRegister("u32", f"{hip}.{axis}") for ptx, hip in _DIMENSIONS.items() for axis in "xyz"},
    "laneid": SpecialRegister("u32", "@laneid()", "lanes.h"),
    "warpid": SpecialRegister("u32", "@warpid()", "lanes.h"),
    "nwarpid": SpecialRegister("u32", "@nwarpid()", "lanes.h"),
    **{
        f"lanemask_{which}": SpecialRegister("u32", f"@lanemask_{which}()", "lanes.h")
        for which in ("eq", "lt", "le", "gt", "ge")
    },
    "smid": SpecialRegister("u32", "@smid()", "clock.h", _PLACE),
    "nsmid": SpecialRegister("u32", "@nsmid()", "clock.h", _PLACE),
    "clock": SpecialRegister("u32", "@clock32()", "clock.h", _UNITS),
    "clock_hi": SpecialRegister("u32", "@clock_hi()", "clock.h", _UNITS),
    "clock64": SpecialRegister("u64", "@clock64()", "clock.h", _UNITS),
    "globaltimer": SpecialRegister("u64", "@globaltimer()", "clock.h"),
    "globaltimer_lo": SpecialRegister("u32", "@globaltimer_lo()", "clock.h"),
    "globaltimer_hi": SpecialRegister("u32", "@globaltimer_hi()", "clock.h"),
    "WARP_SZ": SpecialRegister("u32", "32u"),
}


def special(operand: Special) -> SpecialRegister | None:
    """Return the register's entry; None if AMD GPUs have no equivalent."""
    return REGISTERS.get(operand.name)
