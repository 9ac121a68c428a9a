"""Query how GPUs are connected: the kernel's topology files for AMD GPUs, nvidia-smi for NVIDIA's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hipport.bench.p2p.measurements import Device, Link
from hipport.bench.p2p.promises import NVLINK, XGMI
from hipport.toolchain.places import Surroundings, programs
from hipport.toolchain.process import run

Links = tuple[tuple[Link | None, ...], ...]

_KFD = "sys/class/kfd/kfd/topology/nodes"
_KFD_TYPES = {"11": XGMI, "2": "PCIe"}
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def links(target: str, devices: Sequence[Device], where: Surroundings) -> Links:
    """Return the link between each pair of devices; None for a device with itself, and where it is unknown."""
    ask = {"amd": _amd, "nvidia": _nvidia}.get(target)
    found = ask(where) if ask else {}
    return tuple(tuple(found.get((a.bus.lower(), b.bus.lower())) for b in devices) for a in devices)


def _amd(where: Surroundings) -> dict[tuple[str, str], Link]:
    """Read links from the kernel, which gives minimum and maximum bandwidth: that of one link and of all."""
    nodes = {path.name: _bus(_properties(path)) for path in (where.root / _KFD).glob("*")}
    found = {}
    for path in (where.root / _KFD).glob("*/*_links/*"):
        one = _properties(path)
        ends = nodes.get(one.get("node_from", "")), nodes.get(one.get("node_to", ""))
        kind = _KFD_TYPES.get(one.get("type", ""))
        if kind and ends[0] and ends[1]:
            found[ends[0], ends[1]] = Link(kind, _count(one) if kind == XGMI else None)
    return found


def _properties(folder: Path) -> Mapping[str, str]:
    try:
        lines = (folder / "properties").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    return dict(line.split(maxsplit=1) for line in lines if len(line.split()) > 1)


def _bus(node: Mapping[str, str]) -> str | None:
    """Return the PCI bus address of a GPU, or None if the node is not a GPU."""
    try:
        place, domain = int(node["location_id"]), int(node.get("domain", "0"))
        gpu = int(node["simd_count"]) > 0
    except (KeyError, ValueError):
        return None
    return f"{domain:04x}:{place >> 8 & 0xFF:02x}:{place >> 3 & 0x1F:02x}.{place & 7}" if gpu else None


def _count(link: Mapping[str, str]) -> int | None:
    least, most = (link.get(f"{which}_bandwidth", "0") for which in ("min", "max"))
    return int(most) // int(least) if least.isdigit() and most.isdigit() and int(least) > 0 else None


def _nvidia(where: Surroundings) -> dict[tuple[str, str], Link]:
    folders = (where.root / folder for folder in where.environ.get("PATH", "").split(":") if folder)
    smi = next(programs(folders, ["nvidia-smi"]), None)
    if smi is None:
        return {}
    buses = run([smi, "--query-gpu=index,pci.bus_id", "--format=csv,noheader"], timeout=20)
    topology = run([smi, "topo", "-m"], timeout=20)
    if buses is None or topology is None:
        return {}
    return dict(_topology(topology.stdout, _buses(buses.stdout)))


def _buses(text: str) -> dict[str, str]:
    """Map `GPU0` to 0000:05:00.0; nvidia-smi writes the domain with 8 digits, the runtime with 4."""
    pairs = (line.split(",") for line in text.splitlines() if line.count(",") == 1)
    return {f"GPU{index.strip()}": bus.strip().lower()[-12:] for index, bus in pairs}


def _topology(text: str, buses: Mapping[str, str]) -> Iterator[tuple[tuple[str, str], Link]]:
    """Parse nvidia-smi's matrix: `NV18` for 18 NVLinks, otherwise a word such as SYS for the path over PCIe."""
    rows = [_ESCAPES.sub("", line).split() for line in text.splitlines()]
    head = next((row for row in rows if row and row[0] == "GPU0"), [])
    for row in rows:
        if row and row[0] in buses and row is not head:
            for name, word in zip((name for name in head if name in buses), row[1:], strict=False):
                if word != "X":
                    yield (buses[row[0]], buses[name]), _link(word)


def _link(word: str) -> Link:
    many = re.fullmatch(r"NV(\d+)", word)
    return Link(NVLINK, int(many[1])) if many else Link(f"PCIe ({word})")
