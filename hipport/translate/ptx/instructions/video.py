"""Video instructions on the four bytes or two half words of a register."""

from __future__ import annotations

from hipport.translate.ptx.rules import rule

HEADER = "video.h"
_TYPES = r"\.(?P<r>[us]32)\.(?P<t>[us]32)\.(?P<q>[us]32)"
_OPERATIONS = "add|sub|absdiff|min|max|avrg"

RULES = (
    rule(
        rf"v(?P<op>{_OPERATIONS})(?P<n>[24]){_TYPES}", "b32 = b32 b32 b32", "@v{op}{n}<{r}, {t}, {q}>({a}, {b})", HEADER
    ),
    rule(
        rf"v(?P<op>{_OPERATIONS})(?P<n>[24]){_TYPES}\.sat",
        "b32 = b32 b32 b32",
        "@v{op}{n}_sat<{r}, {t}, {q}>({a}, {b})",
        HEADER,
    ),
    rule(
        rf"v(?P<op>{_OPERATIONS})(?P<n>[24]){_TYPES}\.add",
        "b32 = b32 b32 b32",
        "@v{op}{n}_add<{r}, {t}, {q}>({a}, {b}, {c})",
        HEADER,
    ),
)
