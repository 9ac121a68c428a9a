"""The picture of the parts of hipport: one row for each level, and the direct imports between parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hipport.svg import FAINT, INK, picture, rect, text
from scripts.architecture.imports import direct, levels

GROUND = (
    *("errors", "source", "diagnostics", "quote", "files", "support", "counts", "svg", "webpage"),
    *("lazy_re", "pattern_codes"),
)
"""Parts that most others import: drawn as one band, without arrows."""
PARTS = {
    "cli": (450, "one file for each command"),
    "audit": (95, "checks of the tables"),
    "port": (1155, "builds a translated tree"),
    "init": (1155, "drafts hipport.toml"),
    "verify": (270, "original against port"),
    "doctor": (450, "checks of a machine"),
    "lsp": (95, "findings in editors"),
    "llm": (630, "language models"),
    "bench": (805, "benchmarks of a machine"),
    "emulate": (980, "runs AMD machine code"),
    "report": (270, "console, SARIF, HTML"),
    "builds": (630, "amd, cpu, nvidia"),
    "semantic": (530, "asks libclang"),
    "codeobject": (750, "reads GPU binaries"),
    "project": (370, "trees: plan, translate, write"),
    "toolchain": (650, "compilers, targets"),
    "buildfiles": (370, "CMake, make, setup.py"),
    "translate": (240, "one source in, edits out"),
    "mappings": (450, "the tables"),
}
"""All other parts: where their boxes stand across the picture, and what is in them."""
_WIDTH, _ROW, _BOX, _HEIGHT = 1250, 92, 166, 46
_TOP = 24


def draw(parts: Mapping[str, Sequence[str]]) -> str:
    """Return the SVG of the table of parts and their allowed imports."""
    graph = {name: set(imported) - set(GROUND) for name, imported in parts.items() if name in PARTS}
    places = dict(_places(graph))
    bottom = max(y for _, y in places.values()) + _ROW
    arrows = [_arrow(places[part], places[other]) for part, found in direct(graph).items() for other in sorted(found)]
    boxes = [element for name, place in places.items() for element in _box(name, place)]
    spelled = {part: ", ".join(sorted(found)) or "none of these" for part, found in graph.items()}
    described = "; ".join(f"{part} imports {names}" for part, names in spelled.items())
    elements = [_MARKER, *arrows, *boxes, *_ground(bottom)]
    return picture(_WIDTH, bottom + 84, "The parts of hipport and what they import", described, elements)


_MARKER = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L8 4L0 8z" fill="#7a8aa0"/></marker></defs>'
)


def _places(graph: Mapping[str, set[str]]) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the center of the top edge of each box: each part as high as those that import it allow."""
    importers = {part: {other for other, found in graph.items() if part in found} for part in graph}
    for part, level in levels(importers).items():
        yield part, (PARTS[part][0], _TOP + (level - 1) * _ROW)


def _box(name: str, place: tuple[float, float]) -> Iterator[str]:
    x, y = place
    yield rect(x - _BOX / 2, y, _BOX, _HEIGHT, rx=6, fill="#eef3fa", stroke="#7a8aa0")
    yield text(x, y + 19, name, font_size=14, font_weight="600", text_anchor="middle", fill=INK)
    yield text(x, y + 36, PARTS[name][1], font_size=11, text_anchor="middle", fill=FAINT)


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return a curve from the bottom of one box to the top of another."""
    (x, y), (to_x, to_y) = start, end
    from_y, to_y = y + _HEIGHT, to_y - 2
    bend = (to_y - from_y) * 0.5
    curve = f"M{x:g} {from_y:g}C{x:g} {from_y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"
    return f'<path d="{curve}" fill="none" stroke="#7a8aa0" stroke-width="1.2" marker-end="url(#head)"/>'


def _ground(y: float) -> Iterator[str]:
    yield rect(30, y, _WIDTH - 60, 56, rx=6, fill="#f6f6f4", stroke="#b5b5ad")
    words = "  ·  ".join(GROUND)
    yield text(_WIDTH / 2, y + 24, words, font_size=13, text_anchor="middle", fill=INK)
    yield text(
        _WIDTH / 2, y + 43, "the ground: any part may import these", font_size=11, text_anchor="middle", fill=FAINT
    )
