"""Generate the instruction tables of the emulator from LLVM's disassembler.

    python scripts/learn_instructions.py [--llvm-mc llvm-mc-19] [--add] [PROCESSOR]...

For each encoding format of a processor, every opcode is disassembled with different register numbers in each field.
The text shows the mnemonic, which fields are operands, in which order, and how many registers each has. The formats
are from AMD's ISA documents ("Microcode Formats"). Writes hipport/emulate/native/isa/PROCESSOR.inc. With `--add`,
opcodes that the table has stay as they are: releases of LLVM know different ones.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "hipport" / "emulate" / "native" / "isa"
_NOP = 0xBF800000
_ROW = re.compile(r'^OPCODE\((\w+), (\d+), (\w+), "([^"]*)"\)$', re.MULTILINE)
_LITERAL = _NOP | 0xFFFF
VECTOR = 256  # source numbers from here on are VGPRs


@dataclass(frozen=True)
class Format:
    """An encoding: `match` are its fixed bits, `fields` are (lowest bit, width); `size` is in bits."""

    name: str
    size: int
    match: int
    mask: int
    opcode: tuple[int, int]
    fields: Mapping[str, tuple[int, int]]
    probes: Sequence[Mapping[str, int]]

    @property
    def opcodes(self) -> Iterator[tuple[int, int]]:
        """Yield each opcode with its bits in the encoding; the highest one may be in a field of its own."""
        low, width = self.opcode
        high = self.fields.get("opcode_high")
        for opcode in range(1 << width + (high is not None)):
            inside = opcode & ((1 << width) - 1)
            yield opcode, inside << low | ((opcode >> width) << high[0] if high else 0)


def bits(text: str, high: int) -> tuple[int, int]:
    """Return value and mask of the fixed bits `text`, the first of which is bit `high`."""
    low = high - len(text) + 1
    return int(text, 2) << low, ((1 << len(text)) - 1) << low


@dataclass(frozen=True)
class Layout:
    """Fields of one format, and the values to try them with."""

    name: str
    size: int
    fixed: tuple[tuple[str, int], ...]
    opcode: tuple[int, int]
    fields: Mapping[str, tuple[int, int]]
    probes: Sequence[Mapping[str, int]] = field(default_factory=lambda: ({},))

    def format(self) -> Format:
        """Return the format with its fixed bits as numbers."""
        match = mask = 0
        for text, high in self.fixed:
            value, covered = bits(text, high)
            match, mask = match | value, mask | covered
        return Format(self.name, self.size, match, mask, self.opcode, self.fields, self.probes)


V3 = {"vdst": (0, 8), "src0": (32, 9), "src1": (41, 9), "src2": (50, 9)}
# Numbers are multiples of 4, as scalar operands must be, and 16 apart, so that no two operands look alike.
SCALARS = {"sdst": 16, "ssrc0": 32, "ssrc1": 48}
V3_ALL = {"vdst": 16, "src0": VECTOR + 32, "src1": VECTOR + 64, "src2": VECTOR + 96}
V3_PROBES = (
    V3_ALL,
    {**V3_ALL, "src1": 48},
    {**V3_ALL, "src2": 72},
    {**V3_ALL, "src1": 48, "src2": 72},
    {**V3_ALL, "src0": 24, "src1": 48},
    {**V3_ALL, "sdst": 80},
    {**V3_ALL, "sdst": 80, "src2": 72},
    {**V3_ALL, "op_sel_hi": 3, "op_sel_hi2": 1},
    {**V3_ALL, "src2": 72, "op_sel_hi": 3, "op_sel_hi2": 1},
    {**V3_ALL, "acc_cd": 1},
)


def scalar_formats() -> Iterator[Layout]:
    """Yield the formats that all processors share."""
    yield Layout("SOP1", 32, (("101111101", 31),), (8, 8), {"sdst": (16, 7), "ssrc0": (0, 8)}, (SCALARS,))
    yield Layout("SOPC", 32, (("101111110", 31),), (16, 7), {"ssrc0": (0, 8), "ssrc1": (8, 8)}, (SCALARS,))
    yield Layout("SOPP", 32, (("101111111", 31),), (16, 7), {"simm16": (0, 16)}, ({"simm16": 0},))
    sopk = {"sdst": (16, 7), "simm16": (0, 16)}
    yield Layout("SOPK", 32, (("1011", 31),), (23, 5), sopk, ({"sdst": 16, "simm16": 1},))
    sop2 = {"sdst": (16, 7), "ssrc0": (0, 8), "ssrc1": (8, 8)}
    yield Layout("SOP2", 32, (("10", 31),), (23, 7), sop2, (SCALARS,))


def vector_formats(vop3: str, vop3p: str) -> Iterator[Layout]:
    """Yield the formats of vector instructions, of which only the fixed bits of the long ones differ."""
    probe = {"vdst": 16, "src0": VECTOR + 32, "vsrc1": 64}
    vop1 = {"vdst": (17, 8), "src0": (0, 9)}
    yield Layout("VOP1", 32, (("0111111", 31),), (9, 8), vop1, (probe,))
    yield Layout("VOPC", 32, (("0111110", 31),), (17, 8), {"src0": (0, 9), "vsrc1": (9, 8)}, (probe,))
    vop2 = {"vdst": (17, 8), "src0": (0, 9), "vsrc1": (9, 8)}
    yield Layout("VOP2", 32, (("0", 31),), (25, 6), vop2, (probe,))
    packed = {
        **V3, "neg_hi": (8, 3), "op_sel": (11, 3), "op_sel_hi2": (14, 1), "clamp": (15, 1), "op_sel_hi": (59, 2),
        "neg": (61, 3), "cbsz": (8, 3), "abid": (11, 4), "acc_cd": (15, 1), "acc": (59, 2),
    }  # fmt: skip
    yield Layout("VOP3P", 64, ((vop3p, 31),), (16, 7), packed, V3_PROBES)
    wide = {**V3, "sdst": (8, 7), "abs": (8, 3), "op_sel": (11, 4), "clamp": (15, 1), "omod": (59, 2), "neg": (61, 3)}
    yield Layout("VOP3", 64, ((vop3, 31),), (16, 10), wide, V3_PROBES)


def gfx9_formats(gfx940: bool) -> Iterator[Layout]:
    """Yield the formats of gfx90a, gfx942 and gfx950."""
    yield from scalar_formats()
    yield from vector_formats("110100", "110100111")
    smem = {
        "sbase": (0, 6), "sdata": (6, 7), "soffset_en": (14, 1), "glc": (16, 1), "imm": (17, 1), "offset": (32, 21),
        "soffset": (57, 7),
    }  # fmt: skip
    yield Layout("SMEM", 64, (("110000", 31),), (18, 8), smem, ({"sbase": 16, "sdata": 64, "imm": 1, "offset": 4},))
    ds = {"offset0": (0, 8), "offset1": (8, 8), "gds": (16, 1), "acc": (25, 1), "addr": (32, 8), "data0": (40, 8),
          "data1": (48, 8), "vdst": (56, 8)}  # fmt: skip
    ds_probe = {"addr": 16, "data0": 32, "data1": 64, "vdst": 96}
    yield Layout("DS", 64, (("110110", 31),), (17, 8), ds, (ds_probe, {**ds_probe, "gds": 1}))
    flat = {"offset": (0, 13), "lds": (13, 1), "glc": (16, 1), "slc": (17, 1), "addr": (32, 8), "data": (40, 8),
            "saddr": (48, 7), "acc": (55, 1), "vdst": (56, 8)}  # fmt: skip
    for name, segment in (("FLAT", "00"), ("SCRATCH", "01"), ("GLOBAL", "10")):
        probe = {"addr": 16, "data": 32, "vdst": 96, "saddr": 127}
        yield Layout(name, 64, (("110111", 31), (segment, 15)), (18, 7), flat,
                     (probe, {**probe, "saddr": 0}, {**probe, "glc": 1}))  # fmt: skip
    mubuf = {"offset": (0, 12), "offen": (12, 1), "idxen": (13, 1), "glc": (14, 1), "lds": (16, 1), "slc": (17, 1),
             "vaddr": (32, 8), "vdata": (40, 8), "srsrc": (48, 5), "acc": (55, 1), "soffset": (56, 8)}  # fmt: skip
    buffer = {"offen": 1, "vaddr": 16, "vdata": 64, "srsrc": 8, "soffset": 80}
    yield Layout("MUBUF", 64, (("111000", 31),), (18, 7), mubuf, (buffer, {**buffer, "glc": 1}))
    typed = {**{name: place for name, place in mubuf.items() if name not in ("lds", "slc")}, "dfmt": (19, 4),
             "nfmt": (23, 3), "slc": (54, 1)}  # fmt: skip
    yield Layout("MTBUF", 64, (("111010", 31),), (15, 4), typed, ({**buffer, "dfmt": 4, "nfmt": 4},))


def gfx10_memory(gfx11: bool) -> Iterator[Layout]:
    """Yield the formats of memory instructions of gfx10 and gfx11."""
    smem = {"sbase": (0, 6), "sdata": (6, 7), "offset": (32, 21), "soffset": (57, 7)}
    glc = {"glc": (14, 1)} if gfx11 else {"glc": (16, 1)}
    yield Layout("SMEM", 64, (("111101", 31),), (18, 8), {**smem, **glc},
                 ({"sbase": 16, "sdata": 64, "offset": 4, "soffset": 124 if gfx11 else 125},))  # fmt: skip
    ds = {"offset0": (0, 8), "offset1": (8, 8), "gds": (17, 1), "addr": (32, 8), "data0": (40, 8), "data1": (48, 8),
          "vdst": (56, 8)}  # fmt: skip
    ds_probe = {"addr": 16, "data0": 32, "data1": 64, "vdst": 96}
    yield Layout("DS", 64, (("110110", 31),), (18, 8), ds, (ds_probe, {**ds_probe, "gds": 1}))
    at = 17 if gfx11 else 15
    own = {"glc": (14, 1), "slc": (15, 1), "sve": (55, 1)} if gfx11 else {"glc": (16, 1), "slc": (17, 1)}
    flat = {"offset": (0, 13 if gfx11 else 12), "addr": (32, 8), "data": (40, 8), "saddr": (48, 7), "vdst": (56, 8)}
    for name, segment in (("FLAT", "00"), ("SCRATCH", "01"), ("GLOBAL", "10")):
        probe = {"addr": 16, "data": 32, "vdst": 96, "saddr": 124 if gfx11 else 125}
        if gfx11 and name == "SCRATCH":
            probe["sve"] = 1
        yield Layout(name, 64, (("110111", 31), (segment, at)), (18, 7), {**flat, **own},
                     (probe, {**probe, "saddr": 0}, {**probe, "glc": 1}))  # fmt: skip
    if gfx11:
        mubuf = {"offset": (0, 12), "slc": (12, 1), "glc": (14, 1), "vaddr": (32, 8), "vdata": (40, 8),
                 "srsrc": (48, 5), "offen": (54, 1), "idxen": (55, 1), "soffset": (56, 8)}  # fmt: skip
        opcode = (18, 8)
    else:
        mubuf = {"offset": (0, 12), "offen": (12, 1), "idxen": (13, 1), "glc": (14, 1), "dlc": (15, 1),
                 "lds": (16, 1), "vaddr": (32, 8), "vdata": (40, 8), "srsrc": (48, 5), "slc": (54, 1),
                 "soffset": (56, 8)}  # fmt: skip
        opcode = (18, 7)
    buffer = {"offen": 1, "vaddr": 16, "vdata": 64, "srsrc": 8, "soffset": 80}
    yield Layout("MUBUF", 64, (("111000", 31),), opcode, mubuf, (buffer, {**buffer, "glc": 1}))
    high = {} if gfx11 else {"opcode_high": (53, 1)}
    typed = {**{name: place for name, place in mubuf.items() if name != "lds"}, "format": (19, 7), **high}
    yield Layout("MTBUF", 64, (("111010", 31),), (15, 4) if gfx11 else (16, 3), typed, ({**buffer, "format": 20},))


IMAGES = ("MIMG", "VIMAGE", "VSAMPLE")
"""Formats of image instructions. Which registers they have depends on more than the opcode: only names are learned."""


def image_formats(processor: str) -> Iterator[Layout]:
    """Yield the formats of image instructions; gfx942 and gfx950 have none."""
    probe = {"dmask": 1, "vdata": 64, "vaddr": 16, "srsrc": 8}
    common = {"dmask": (8, 4), "vaddr": (32, 8), "vdata": (40, 8), "srsrc": (48, 5)}
    if processor == "gfx90a":
        own = {"unorm": (12, 1), "da": (14, 1), "a16": (15, 1), "tfe": (16, 1), "d16": (63, 1)}
        yield Layout("MIMG", 64, (("111100", 31),), (18, 7), {**common, **own}, (probe, {**probe, "unorm": 1}))
    elif processor.startswith("gfx10"):
        own = {"wide": (0, 1), "nsa": (1, 2), "dim": (3, 3), "unorm": (12, 1), "tfe": (16, 1), "a16": (62, 1),
               "d16": (63, 1)}  # fmt: skip
        yield Layout("MIMG", 64, (("111100", 31),), (18, 7), {**common, **own}, (probe, {**probe, "unorm": 1}))
    elif processor.startswith("gfx11"):
        own = {"nsa": (0, 1), "dim": (2, 3), "unorm": (7, 1), "a16": (16, 1), "d16": (17, 1), "tfe": (53, 1)}
        yield Layout("MIMG", 64, (("111100", 31),), (18, 8), {**common, **own}, (probe, {**probe, "unorm": 1}))
    elif processor.startswith("gfx12"):
        words = {"dim": (0, 3), "d16": (5, 1), "a16": (6, 1), "dmask": (22, 4), "vdata": (32, 8), "srsrc": (41, 9),
                 "vaddr": (64, 8), "vaddr1": (72, 8), "vaddr2": (80, 8), "vaddr3": (88, 8)}  # fmt: skip
        vimage = {**words, "tfe": (55, 1), "vaddr4": (56, 8)}
        yield Layout("VIMAGE", 96, (("110100", 31),), (14, 8), vimage, (probe,))
        vsample = {**words, "tfe": (3, 1), "unorm": (13, 1), "samp": (55, 9)}
        yield Layout("VSAMPLE", 96, (("111001", 31),), (14, 8), vsample, (probe, {**probe, "unorm": 1}))


def gfx12_memory() -> Iterator[Layout]:
    """Yield the formats of memory instructions of gfx12."""
    smem = {"sbase": (0, 6), "sdata": (6, 7), "offset": (32, 24), "soffset": (57, 7)}
    yield Layout("SMEM", 64, (("111101", 31),), (13, 6), smem,
                 ({"sbase": 16, "sdata": 64, "offset": 4, "soffset": 124},))  # fmt: skip
    ds = {"offset0": (0, 8), "offset1": (8, 8), "addr": (32, 8), "data0": (40, 8), "data1": (48, 8), "vdst": (56, 8)}
    yield Layout("DS", 64, (("110110", 31),), (18, 8), ds, ({"addr": 16, "data0": 32, "data1": 64, "vdst": 96},))
    flat = {"saddr": (0, 7), "vdst": (32, 8), "sve": (49, 1), "scope": (50, 2), "th": (52, 3), "data": (55, 8),
            "addr": (64, 8), "offset": (72, 24)}  # fmt: skip
    for name, segment in (("FLAT", "11101100"), ("SCRATCH", "11101101"), ("GLOBAL", "11101110")):
        probe = {"addr": 16, "data": 32, "vdst": 96, "saddr": 124}
        if name == "SCRATCH":
            probe["sve"] = 1
        yield Layout(name, 96, ((segment, 31),), (14, 8), flat, (probe, {**probe, "saddr": 0}, {**probe, "th": 1}))
    buffer = {"soffset": (0, 7), "vdata": (32, 8), "srsrc": (41, 9), "scope": (50, 2), "th": (52, 3),
              "format": (55, 7), "offen": (62, 1), "idxen": (63, 1), "vaddr": (64, 8), "offset": (72, 24)}  # fmt: skip
    probe = {"offen": 1, "vaddr": 16, "vdata": 64, "srsrc": 32, "soffset": 80}
    yield Layout("MUBUF", 96, (("110001", 31),), (14, 8), buffer, (probe, {**probe, "th": 1}))


def formats(processor: str) -> list[Format]:
    """Return the formats of a processor; where two match, the first one counts."""
    if processor.startswith("gfx9"):
        found = list(gfx9_formats(processor in ("gfx942", "gfx950")))
    else:
        found = [*scalar_formats(), *vector_formats("110101", "110011000" if processor < "gfx11" else "11001100")]
        found += gfx12_memory() if processor.startswith("gfx12") else gfx10_memory(processor.startswith("gfx11"))
    found += image_formats(processor)
    return [layout.format() for layout in found]


_INVALID = re.compile(r"<stdin>:(\d+):\d+: warning: invalid instruction encoding")
_TOKEN = re.compile(r"(?P<neg>-?\|?)(?P<bank>v|s|a|ttmp)(?:(?P<one>\d+)|\[(?P<low>\d+):(?P<high>\d+)\])")
_HALF = re.compile(r"^(v\d+)\.[lh]$")


def factor(name: str, width: int) -> int:
    """Return what an operand's number is with respect to the value of its field."""
    return {"sbase": 2, "srsrc": 4 if width < 9 else 1}.get(name, 1)


def described(text: str, values: Mapping[str, int], fields: Mapping[str, tuple[int, int]]) -> str | None:
    """Return mnemonic and operands as `name field:bank:count ...`; None if an operand is not understood."""
    mnemonic, _, rest = text.partition(" ")
    operands = [part.strip() for part in re.split(r",(?![^\[]*\])", rest) if part.strip()]
    found = [mnemonic]
    for operand in operands:
        name = operand.split(" ")[0]
        name = _HALF.sub(r"\1", name)
        match = _TOKEN.fullmatch(name)
        if match is None:
            found.append("literal" if name == f"0x{_LITERAL:x}" else name)
            continue
        number = int(match["one"] or match["low"])
        count = 1 if match["one"] else int(match["high"]) - number + 1
        owner = next((key for key, value in values.items()
                      if key in fields and (value % VECTOR) * factor(key, fields[key][1]) == number), None)  # fmt: skip
        if owner is None:
            return None
        found.append(f"{owner}:{match['bank']}:{count}")
    return " ".join(found)


def disassembled(tool: str, processor: str, codes: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Return the text of those encodings (value, size in bits) that are valid.

    `s_nop` with a number comes before each: nothing is printed for invalid encodings. Another one comes after it, and
    is the literal of instructions that always have one.
    """
    lines = [
        octets(code, size) for i, pair in enumerate(codes) for code, size in ((_NOP | i, 32), pair, (_LITERAL, 32))
    ]
    command = [tool, "-arch=amdgcn", f"-mcpu={processor}", "--disassemble"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
    invalid = {int(line) for line in _INVALID.findall(done.stderr)}
    found: dict[int, str] = {}
    at = -1
    for line in done.stdout.splitlines():
        text = " ".join(line.split("//")[0].split())
        if text == f"s_nop {at + 1}" or text == f"s_nop 0x{at + 1:x}":
            at += 1
        elif text and not text.startswith(".") and text != "s_nop 0xffff":
            found.setdefault(codes[at][0], "" if "/*" in text else text)
    # The input has three lines for each encoding; the rest of an invalid one may be printed as an instruction.
    return {code: found[code] for i, (code, _) in enumerate(codes) if found.get(code) and 3 * i + 2 not in invalid}


def octets(code: int, size: int) -> str:
    """Return an encoding as llvm-mc reads it."""
    return ",".join(f"0x{byte:02x}" for byte in code.to_bytes(size // 8, "little"))


def smaller(probes: Sequence[Mapping[str, int]]) -> Iterator[Mapping[str, int]]:
    """Yield the probes, then those without some fields: fields that an instruction does not use must be 0."""
    for without in range(max(map(len, probes)) + 1):
        for probe in probes:
            for names in combinations(probe, without):
                yield {key: value for key, value in probe.items() if key not in names}


def learned(tool: str, processor: str, form: Format, before: Sequence[Format]) -> Iterator[tuple[int, str]]:
    """Yield (opcode, description) for the opcodes of a format, for the first probe that is understood.

    Codes that one of the formats `before` matches are not this format's.
    """
    known: dict[int, str] = {}
    for probe in smaller(form.probes):
        values = 0
        for name in probe.keys() & form.fields.keys():
            values |= probe[name] << form.fields[name][0]
        codes = [(form.match | values | bits, form.size) for _, bits in form.opcodes]
        texts = disassembled(tool, processor, codes)
        for opcode, (code, _) in enumerate(codes):
            text = texts.get(code)
            if opcode in known or text is None or any((code & other.mask) == other.match for other in before):
                continue
            if (code & form.mask) != form.match:
                continue
            description = described(text, probe, form.fields)
            if form.name in IMAGES:
                known[opcode] = text.partition(" ")[0]
            elif description is not None:
                known[opcode] = description
    yield from sorted(known.items())


def opcodes(path: Path) -> dict[str, dict[int, str]]:
    """Return the descriptions of a table's opcodes, by format."""
    found: dict[str, dict[int, str]] = {}
    for form, opcode, mnemonic, operands in _ROW.findall(path.read_text()):
        found.setdefault(form, {})[int(opcode)] = f"{mnemonic} {operands}"
    return found


def table(tool: str, processor: str, kept: Mapping[str, Mapping[int, str]]) -> Iterator[str]:
    """Yield the lines of a processor's table, with the opcodes of `kept`."""
    yield "// Generated by scripts/learn_instructions.py from LLVM's disassembler. Do not edit."
    known = formats(processor)
    for i, form in enumerate(known):
        low, width = form.opcode
        yield f"FORMAT({form.name}, {form.size}, 0x{form.match:x}u, 0x{form.mask:x}u, {low}, {width})"
        for name, (low, width) in form.fields.items():
            yield f"FIELD({form.name}, {name}, {low}, {width})"
        found = {**dict(learned(tool, processor, form, known[:i])), **kept.get(form.name, {})}
        for opcode, description in sorted(found.items()):
            mnemonic, _, operands = description.partition(" ")
            yield f'OPCODE({form.name}, {opcode}, {mnemonic}, "{operands}")'


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("processors", nargs="*", default=["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
    parser.add_argument("--llvm-mc", default="llvm-mc-19")
    parser.add_argument("--add", action="store_true", help="keep the opcodes of the table")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for processor in arguments.processors:
        path = FOLDER / f"{processor}.inc"
        kept = opcodes(path) if arguments.add else {}
        path.write_text("\n".join(table(arguments.llvm_mc, processor, kept)) + "\n")


if __name__ == "__main__":
    main()
