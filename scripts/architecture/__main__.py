"""`python -m scripts.architecture` draws docs/images/architecture.svg and prints what is imported, level by level."""

from __future__ import annotations

from scripts.architecture.imports import ROOT, levels, module_imports, part_imports
from scripts.architecture.picture import draw
from scripts.architecture.table import read_table

PICTURE = ROOT / "docs" / "images" / "architecture.svg"

if __name__ == "__main__":
    PICTURE.write_text(draw(read_table()["hipport"]), encoding="utf-8")
    graph = part_imports(module_imports(), "hipport")
    arrows = sum(map(len, graph.values()))
    print(f"{len(graph)} parts, {max(levels(graph).values())} levels, {arrows} arrows")
