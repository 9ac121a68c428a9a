"""HP221: a grid whose blocks are counted in units of `warpSize`, which the host has to know too."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.dataflow.function import Function, text_of
from hipport.translate.dataflow.origins import uses_wave_size
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"warpSize"})
_BLOCK = re.compile(r"blockIdx\s*\.\s*[xyz]\Z")
_GRID = re.compile(r"gridDim\s*\.\s*[xyz]\Z")
_DEVICE_ASKED = re.compile(r"(?:\.|->)\s*warpSize\b|\b(?:cudaDevAttrWarpSize|hipDeviceAttributeWarpSize)\b")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report `blockIdx.x * warpSize`, unless the file queries the device's warp size."""
    if wavefront.only_32(work) or _DEVICE_ASKED.search(work.unit.code):
        return
    for function in wavefront.device_functions(work, work.warps.wave_names):
        product = _first_product(work, function, _BLOCK)
        # A grid-stride kernel is correct with any grid.
        if product is not None and _first_product(work, function, _GRID) is None:
            message = (
                "blocks are counted in units of warpSize: the host must compute the grid with the device's warpSize"
            )
            advice = "Check how the host computes the number of blocks; if it uses 32, use 32 here."
            yield work.report(wavefront.span(product), "HP221", Severity.WARNING, message, advice)


def _first_product(work: Work, function: Function, index: re.Pattern[str]) -> Node | None:
    products = function.of_type("binary_expression")
    return next((node for node in products if _is_product(work, function, node, index)), None)


def _is_product(work: Work, function: Function, node: Node, index: re.Pattern[str]) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    if operator is None or operator.type != "*" or len(node.named_children) != 2:
        return False
    first, second = node.named_children
    return any(
        index.match(text_of(block)) is not None and uses_wave_size(work.flow, size, function, work.warps.wave_names)
        for block, size in ((first, second), (second, first))
    )
