"""The result of a verification as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import hipport
from hipport import webpage
from hipport.report.about import About
from hipport.verify.model import Verdict, Verification
from hipport.verify.view import COLUMNS, Block, blocks


def to_html(result: Verification, about: About) -> str:
    """Return the page: the totals, then a table of differences for each port."""
    title = f"{about.project}: hipport verify" if about.project else "hipport verify"
    return webpage.page(title, "\n".join(_body(result, about, title)))


def _body(result: Verification, about: About, title: str) -> Iterator[str]:
    facts = {
        "command": about.command,
        "date": about.date,
        "original": f"{result.original.title}, {result.seconds:.2f} s",
        "hipport": hipport.__version__,
    }
    yield webpage.heading(title, facts)
    yield f"<div class=tiles>{''.join(_tiles(result.verdicts))}</div>"
    for block, verdict in zip(blocks(result), result.verdicts, strict=True):
        yield from _section(block, verdict)


def _tiles(verdicts: tuple[Verdict, ...]) -> Iterator[str]:
    equal = sum(verdict.equal for verdict in verdicts)
    different = len(verdicts) - equal
    compared = sum(len(verdict.comparisons) for verdict in verdicts)
    found = sum(item.count for verdict in verdicts for item in verdict.comparisons)
    yield webpage.tile(str(equal), "port is equal" if equal == 1 else "ports are equal", "done" if equal else "")
    yield webpage.tile(str(different), "differs" if different == 1 else "differ", "error" if different else "")
    yield webpage.tile(str(compared), "outputs compared")
    yield webpage.tile(f"{found:,}", "difference" if found == 1 else "differences", "error" if found else "")


def _section(block: Block, verdict: Verdict) -> Iterator[str]:
    label = "<em class=done>equal</em>" if block.equal else "<em class=error>differs</em>"
    yield f"<h2>{label} {escape(block.heading)} <small>({verdict.seconds:.2f} s)</small></h2>"
    if block.rows:
        heads = "".join(f"<th scope=col>{name}" for name in COLUMNS)
        rows = "".join(f"<tr>{''.join(_cell(*cell) for cell in zip(COLUMNS, row, strict=True))}" for row in block.rows)
        yield f"<div class=scroll><table class=ruled><thead><tr>{heads}</thead><tbody>{rows}</tbody></table></div>"
    if block.remarks:
        yield f"<pre>{escape(chr(10).join(block.remarks))}</pre>"


def _cell(column: str, text: str) -> str:
    return f'<td class="code">{escape(text)}' if column in ("original", "port") else f"<td>{escape(text)}"
