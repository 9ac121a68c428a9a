"""Options that a project's settings fill in where the command line does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hipport.cli.device import DeviceOptions
    from hipport.project.request import Report
    from hipport.translate.context import WaveSize


def chosen_launch(given: Literal["ggl", "chevron"] | None, inputs: Sequence[str]) -> Literal["ggl", "chevron"]:
    """Return how launches are written."""
    from hipport.project.settings import find_settings

    return given or find_settings(inputs).launch or "ggl"


def chosen_lanes(options: DeviceOptions, inputs: Sequence[str]) -> WaveSize:
    """Return the wavefront size that device code is checked for, 0 for both."""
    from hipport.project.settings import find_settings

    if options.wave_size is not None:
        return options.lanes
    return find_settings(inputs).wave_size or 0


def chosen_targets(given: Sequence[str], inputs: Sequence[str]) -> tuple[str, ...]:
    """Return the targets named on the command line, or else by the project; () if neither names any."""
    from hipport.project.settings import find_settings

    return tuple(given) or find_settings(inputs).offload_arch


def canonical_targets(given: Sequence[str], inputs: Sequence[str]) -> tuple[str, ...]:
    """Return the targets named on the command line, or else by the project. Raises UsageError for an invalid one."""
    named = [target for text in chosen_targets(given, inputs) for target in text.split(",")]
    if not named:
        return ()
    from hipport.toolchain.target_id import parse

    return tuple(str(parse(target)) for target in named)


def chosen_findings(report: Report, inputs: Sequence[str]) -> Report:
    """Return the report with the findings that the project's settings select."""
    from hipport.project.settings import find_settings
    from hipport.report.selection import selected_report

    return selected_report(report, find_settings(inputs))
