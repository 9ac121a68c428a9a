"""Render answers as text and as data for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict

from hipport.audit.query import Answer, changes
from hipport.mappings.entry import HipName, Life
from hipport.mappings.life import EVENTS

_INDENT = 13


def lines(answer: Answer, rocm: str) -> Iterator[str]:
    """Yield an answer as text; `rocm` is the release that the choice was made for."""
    row = answer.row
    yield f"{row.name}  ({answer.kind}, {answer.library})"
    for label, text in facts(answer, rocm):
        yield f"  {label:<{_INDENT}}{text}"


def facts(answer: Answer, rocm: str) -> Iterator[tuple[str, str]]:
    """Yield what is known about a name as (label, text)."""
    row = answer.row
    if life := _life(row.cuda, "CUDA"):
        yield "CUDA", life
    for label, targets in (("HIP", row.hip), ("roc library", row.roc)):
        for target in targets:
            yield label, _target(target)
    if row.hip or row.roc:
        yield f"ROCm {rocm}", chosen_name(answer)
    for change in changes(row.args):
        yield "call", change
    if answer.declared:
        yield "header", answer.declared + (f" -> {answer.include}" if answer.include else "")
    if row.drop:
        yield "HIP", "needs none; the word or line is removed"
    for label, text in (("why not", row.reason), ("instead", row.alternative), ("note", row.note)):
        if text:
            yield label, text


def chosen_name(answer: Answer) -> str:
    """Return the name for the chosen release, or `nothing` with the reason."""
    chosen = answer.chosen
    if chosen is None or chosen.hip is None:
        reason = chosen.reason if chosen is not None else ""
        return f"nothing: {reason}" if reason else "nothing"
    if isinstance(chosen.hip, str):
        return chosen.hip
    alive = [target for target in answer.row.hip if target.life == chosen.hip.life]
    return next((target.name for target in alive if target.name.startswith(chosen.hip.name)), chosen.hip.name)


def _target(target: HipName) -> str:
    life = _life(target.life, "ROCm")
    trial = ", experimental in its first release" if target.experimental else ""
    return f"{target.name}{', ' + life if life else ''}{trial}"


def _life(life: Life, product: str) -> str:
    words = {"added": "since", "deprecated": "deprecated in", "changed": "changed in", "removed": "removed in"}
    parts = [f"{words[event]} {version}" for event in EVENTS if (version := getattr(life, event))]
    return f"{product}: {', '.join(parts)}" if product == "ROCm" and parts else ", ".join(parts)


def data(answer: Answer) -> dict[str, Any]:
    """Return an answer as data for JSON."""
    row = answer.row
    chosen = answer.chosen.hip if answer.chosen is not None else None
    return {
        "name": row.name,
        "kind": answer.kind,
        "library": answer.library,
        "cuda": asdict(row.cuda),
        "hip": [_target_data(target) for target in row.hip],
        "roc": [_target_data(target) for target in row.roc],
        "chosen": chosen if chosen is None or isinstance(chosen, str) else chosen.name,
        "calls": changes(row.args),
        "header": answer.declared or None,
        "include": answer.include or None,
        "drop": row.drop,
        "reason": row.reason or None,
        "alternative": row.alternative or None,
        "note": row.note or None,
    }


def _target_data(target: HipName) -> dict[str, Any]:
    return {"name": target.name, **asdict(target.life), "experimental": target.experimental}
