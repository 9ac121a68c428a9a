"""Draw coverage as an SVG with one stacked bar per library, and as an HTML page that contains it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hipport import webpage
from hipport.audit.coverage import Coverage, LibraryCoverage, State
from hipport.audit.coverage_text import LABELS, MEANINGS, remark, rows, share, title
from hipport.svg import FAINT, INK, picture, rect, text

# Distinguishable with any color vision: dark, light, light, dark; the numbers on them have a contrast of 4.5 or more.
COLOURS = {State.MAPPED: "#0060a8", State.CHANGED: "#7cc6ba", State.NONE: "#f0b64f", State.UNKNOWN: "#b3261e"}
_ON = {State.MAPPED: "#ffffff", State.CHANGED: "#1a1a1a", State.NONE: "#1a1a1a", State.UNKNOWN: "#ffffff"}
_WIDTH, _LEFT, _BAR = 900, 124, 540
_ROW, _HEIGHT, _TOP = 28, 18, 92
_NARROW = 34
"""Minimum width of a segment that shows its number."""


def svg(coverage: Coverage) -> str:
    """Return a standalone SVG with a text description for accessibility."""
    height = _TOP + _ROW * (len(coverage.libraries) + 1) + 34
    elements = (
        text(24, 36, title(coverage), font_size=17, font_weight=600, fill=INK),
        *_legend(),
        text(_WIDTH - 24, 65, "known", font_size=13, text_anchor="end", fill=FAINT),
        *_bars(coverage),
        text(24, height - 14, _shortened(coverage.source), font_size=11, fill=FAINT),
    )
    return picture(_WIDTH, height, title(coverage), _description(coverage), elements)


def _shortened(words: str, limit: int = 130) -> str:
    return words if len(words) <= limit else words[: limit - 1] + "…"


def _description(coverage: Coverage) -> str:
    parts = (f"{name}: {known} of {total} names known" for name, total, *_, known in rows(coverage))
    return "; ".join(parts) + "."


def _legend() -> Iterator[str]:
    x = 24
    for state, label in LABELS.items():
        yield rect(x, 54, 13, 13, rx=3, fill=COLOURS[state])
        yield text(x + 19, 65, label, font_size=13, fill=INK)
        x += 40 + 8 * len(label)


def _bars(coverage: Coverage) -> Iterator[str]:
    for number, library in enumerate((*coverage.libraries, coverage.whole)):
        y = _TOP + _ROW * number
        weight = 700 if library.library == coverage.whole.library else 400
        middle = y + _HEIGHT - 5
        style: dict[str, float | str] = {"font_size": 13, "text_anchor": "end", "font_weight": weight, "fill": INK}
        yield text(_LEFT - 10, middle, library.library, **style)
        yield from _bar(library, y)
        x = _LEFT + _BAR
        yield rect(_LEFT, y, _BAR, _HEIGHT, fill="none", stroke=FAINT)
        yield text(x + 130, middle, f"{library.total:,} names", **style)
        yield text(_WIDTH - 24, middle, share(library), **style)


def _bar(library: LibraryCoverage, y: int) -> Iterator[str]:
    x = float(_LEFT)
    for state in State:
        count = library.counts[state]
        width = _BAR * count / library.total if library.total else 0.0
        if not count:
            continue
        hover = f"{library.library}: {count:,} {LABELS[state]}"
        yield rect(f"{x:.1f}", y, f"{width:.1f}", _HEIGHT, hover, fill=COLOURS[state])
        if width >= _NARROW:
            middle = f"{x + width / 2:.1f}"
            yield text(middle, y + _HEIGHT - 5, f"{count:,}", font_size=11, text_anchor="middle", fill=_ON[state])
        x += width


_STYLE = """\
main { max-width: 60rem; margin: auto } svg { max-width: 100%; height: auto; margin-top: 1rem }
tbody tr:last-child { font-weight: 700 } dt { font-weight: 600 } .meanings dd { margin: 0 0 .5rem }
.chip { display: inline-block; width: .8em; height: .8em; border-radius: .2em; margin-right: .4em }
"""


def html(coverage: Coverage) -> str:
    """Return a self-contained HTML page with the picture, the numbers and the unknown names; it loads nothing."""
    return webpage.page(title(coverage), "\n".join(_body(coverage)), style=_STYLE)


def _body(coverage: Coverage) -> Iterator[str]:
    heads = ("library", "names", *LABELS.values(), "known")
    yield webpage.heading(title(coverage), {"from": coverage.source})
    yield svg(coverage).strip()
    yield f"<dl class=meanings>{''.join(_meaning(state) for state in State)}</dl>"
    yield '<div class=scroll><table class="ruled numbers"><caption>The numbers</caption><thead><tr>'
    yield "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    yield f"</tr></thead><tbody>{''.join(_row(cells) for cells in rows(coverage))}</tbody></table></div>"
    yield f"<p>{escape(remark(coverage))}</p><h2>Unknown names</h2>"
    yield from (_unknown(library) for library in coverage.libraries if library.unknown)


def _meaning(state: State) -> str:
    chip = f'<span class="chip" style="background:{COLOURS[state]}"></span>'
    return f"<dt>{chip}{LABELS[state]}</dt><dd>{escape(MEANINGS[state])}</dd>"


def _row(cells: tuple[str, ...]) -> str:
    first, *rest = cells
    return f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'


def _unknown(library: LibraryCoverage) -> str:
    names = escape(" ".join(library.unknown))
    return (
        f"<details><summary>{escape(library.library)}: {len(library.unknown):,}</summary><code>{names}</code></details>"
    )
