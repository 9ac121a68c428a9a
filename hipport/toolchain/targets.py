"""The gfx targets: one row each, as LLVM's AMDGPU user guide lists them."""

from __future__ import annotations

from msgspec import Struct

from hipport import lazy_re as re

_PROCESSOR = re.compile(r"gfx(\d{1,2})(\d)([0-9a-f])")

ECC = frozenset({"sramecc"})
XNACK = frozenset({"xnack"})
BOTH = ECC | XNACK
NONE: frozenset[str] = frozenset()


class GfxTarget(Struct, frozen=True):
    """A processor: `isa_version` is the constant its device libraries are built with (gfx90a: 9010).

    `wavefront` is the default number of lanes; `features` are those that a target ID may set; `llvm` is the first
    LLVM release that supports the processor and `last` the last one, 0 if it still does; `products` are examples.
    """

    name: str
    isa_version: int
    wavefront: int
    features: frozenset[str]
    llvm: int
    products: str = ""
    last: int = 0

    def known_to(self, release: int) -> bool:
        """Return whether an LLVM release supports the processor."""
        return self.llvm <= release and not 0 < self.last < release

    @property
    def releases(self) -> str:
        """The LLVM releases that support the processor, for messages."""
        return f"LLVM {self.llvm} to {self.last}" if self.last else f"LLVM {self.llvm} or newer"


def isa_version(name: str) -> int | None:
    """Return the version constant in a processor's name: the last digit is hexadecimal, gfx90c is 9012."""
    match = _PROCESSOR.fullmatch(name)
    if match is None:
        return None
    major, minor, stepping = match.groups()
    return int(major) * 1000 + int(minor) * 100 + int(stepping, 16)


def _processor(name: str, features: frozenset[str], llvm: int, products: str = "", last: int = 0) -> GfxTarget:
    version = isa_version(name)
    assert version is not None, name
    return GfxTarget(name, version, 64 if version < 10000 else 32, features, llvm, products, last)


_ROWS = (
    _processor("gfx801", XNACK, 4, "Carrizo APUs"),
    _processor("gfx802", NONE, 4, "Radeon R9 285, R9 380"),
    _processor("gfx803", NONE, 4, "Radeon RX 480, RX 580, Instinct MI8"),
    _processor("gfx805", NONE, 12, "Radeon Pro W7170M"),
    _processor("gfx810", XNACK, 4, "Stoney Ridge APUs"),
    _processor("gfx900", XNACK, 5, "Radeon RX Vega 56 and 64, Instinct MI25"),
    _processor("gfx902", XNACK, 5, "Ryzen 3 2200G, Ryzen 5 2400G"),
    _processor("gfx904", XNACK, 7, "Vega 12"),
    _processor("gfx906", BOTH, 7, "Instinct MI50 and MI60, Radeon VII"),
    _processor("gfx908", BOTH, 9, "Instinct MI100"),
    _processor("gfx909", XNACK, 8, "Raven Ridge 2 APUs"),
    _processor("gfx90a", BOTH, 12, "Instinct MI210, MI250, MI250X"),
    _processor("gfx90c", XNACK, 12, "Ryzen 4000 to 5000 APUs"),
    _processor("gfx940", BOTH, 15, "early MI300; replaced by gfx942", 20),
    _processor("gfx941", BOTH, 17, "early MI300; replaced by gfx942", 20),
    _processor("gfx942", BOTH, 17, "Instinct MI300A, MI300X, MI325X"),
    _processor("gfx950", BOTH, 20, "Instinct MI350X, MI355X"),
    _processor("gfx1010", XNACK, 10, "Radeon RX 5700, RX 5700 XT"),
    _processor("gfx1011", XNACK, 10, "Radeon Pro V520"),
    _processor("gfx1012", XNACK, 10, "Radeon RX 5500, RX 5500 XT"),
    _processor("gfx1013", XNACK, 13, "Cyan Skillfish"),
    _processor("gfx1030", NONE, 11, "Radeon RX 6800, RX 6900 XT, Pro W6800"),
    _processor("gfx1031", NONE, 12, "Radeon RX 6700 XT"),
    _processor("gfx1032", NONE, 12, "Radeon RX 6600, RX 6600 XT"),
    _processor("gfx1033", NONE, 12, "Steam Deck"),
    _processor("gfx1034", NONE, 13, "Radeon RX 6400, RX 6500 XT"),
    _processor("gfx1035", NONE, 13, "Radeon 680M"),
    _processor("gfx1036", NONE, 15, "Ryzen 7000 desktop graphics"),
    _processor("gfx1100", NONE, 15, "Radeon RX 7900 XT and XTX, Pro W7900"),
    _processor("gfx1101", NONE, 15, "Radeon RX 7700 XT, RX 7800 XT"),
    _processor("gfx1102", NONE, 15, "Radeon RX 7600"),
    _processor("gfx1103", NONE, 15, "Radeon 780M"),
    _processor("gfx1150", NONE, 17, "Radeon 890M"),
    _processor("gfx1151", NONE, 17, "Radeon 8060S"),
    _processor("gfx1152", NONE, 19, "Radeon 860M"),
    _processor("gfx1153", NONE, 20),
    _processor("gfx1200", NONE, 18, "Radeon RX 9060 XT"),
    _processor("gfx1201", NONE, 18, "Radeon RX 9070, RX 9070 XT"),
    _processor("gfx1250", NONE, 21),
    _processor("gfx1251", NONE, 22),
    # Generic targets run on every processor of their family; they need code object version 6.
    GfxTarget("gfx9-generic", 9000, 64, XNACK, 19, "gfx900 to gfx90c without gfx908 and gfx90a"),
    GfxTarget("gfx9-4-generic", 9402, 64, BOTH, 20, "gfx940 to gfx950"),
    GfxTarget("gfx10-1-generic", 10100, 32, XNACK, 19, "gfx1010 to gfx1013"),
    GfxTarget("gfx10-3-generic", 10300, 32, NONE, 19, "gfx1030 to gfx1036"),
    GfxTarget("gfx11-generic", 11003, 32, NONE, 19, "gfx1100 to gfx1153"),
    GfxTarget("gfx12-generic", 12000, 32, NONE, 19, "gfx1200, gfx1201"),
)

TARGETS = {row.name: row for row in _ROWS}
"""All rows by name."""
