"""Which executed instructions the emulator computes differently from hardware, or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ORDER = "sums are rounded in an order that hardware need not have"
_RULES = (
    (r"v_(rcp|rsq)(_iflag|_legacy)?_f(16|32|64)", "computed exactly; hardware is off by up to 1 ulp, 2^29 ulp for f64"),
    (r"v_sqrt_f(16|32|64)", "computed exactly; hardware is off by up to 1 ulp, 2^29 ulp for f64"),
    (r"v_(exp|log)(_legacy)?_f(16|32)", "computed by the C library; hardware is off by up to 1 ulp"),
    (r"v_(sin|cos)_f(16|32)", "computed by the C library; hardware has an absolute error of about 2^-16"),
    (r"v_s_(rcp|rsq|sqrt|exp|log)_f(16|32)", "computed exactly; hardware is off by up to 1 ulp"),
    (r"v_(mfma|smfmac|wmma|swmmac)_(scale_)?(f64|f32|f16|bf16)_\w+", _ORDER),
    (r"v_dot(2\w*_(f32_f16|f32_bf16|f16_f16|bf16_bf16)|4_f32_\w+)", _ORDER),
    (r"s_(setreg\w*|round_mode|denorm_mode)", "scalar arithmetic, dot products and matrices ignore other modes"),
    (r"s_mem(real)?time|s_getreg\w*|s_sendmsg_rtn\w*", "a value of this machine, not of a GPU"),
    (r"s_sleep\w*|s_setprio|s_wakeup", "takes no time"),
)
_ENCODING = re.compile(r"_(e32|e64|dpp|sdwa|e64_dpp)$")


@dataclass(frozen=True, slots=True)
class Inexact:
    """Instructions of one name that were executed, and how they differ from hardware."""

    instruction: str
    executed: int
    reason: str


def inexact(counts: Mapping[str, int]) -> list[Inexact]:
    """Return the inexact ones among executed instructions, the most frequent first."""
    found = []
    for name, executed in counts.items():
        base = _ENCODING.sub("", name)
        reason = next((reason for pattern, reason in _RULES if re.fullmatch(pattern, base)), None)
        if reason is not None:
            found.append(Inexact(name, executed, reason))
    return sorted(found, key=lambda one: (-one.executed, one.instruction))
