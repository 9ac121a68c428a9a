"""Floating-point arithmetic of f32 and f64, and of the packed and narrow types."""

from __future__ import annotations

from hipport.translate.ptx.rules import rule

HEADER = "float.h"
HALF = "half.h"
_APPROXIMATE = "the result differs from NVIDIA's approximation in its last bits"
_MODE = r"\.(?P<mode>rn|rz|rm|rp)"
_PAIR = rf"{_MODE}\.f32x2"
_PAIR_FTZ = rf"{_MODE}\.ftz\.f32x2"
_NARROW = r"(?P<t>f16|f16x2|bf16|bf16x2)"
_FUNCTIONS = "rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh"


RULES = (
    rule(r"add\.(?P<t>f32|f64)", "t = t t", "{a!} + {b!}"),
    rule(r"sub\.(?P<t>f32|f64)", "t = t t", "{a!} - {b!}"),
    rule(r"mul\.(?P<t>f32|f64)", "t = t t", "{a!} * {b!}"),
    rule(rf"(?P<op>add|sub|mul){_MODE}\.(?P<t>f32|f64)", "t = t t", "@{op}<@{mode}>({a!}, {b!})", HEADER),
    rule(r"(?P<op>add|sub|mul)\.ftz\.f32", "f32 = f32 f32", "@{op}_ftz<@rn>({a}, {b})", HEADER),
    rule(rf"(?P<op>add|sub|mul){_MODE}\.ftz\.f32", "f32 = f32 f32", "@{op}_ftz<@{mode}>({a}, {b})", HEADER),
    rule(
        r"(?P<op>add|sub|mul)(?:\.rn)?\.sat\.f32",
        "f32 = f32 f32",
        "@saturate(@{op}<@rn>({a}, {b}))",
        HEADER,
    ),
    rule(
        r"(?P<op>add|sub|mul)(?:\.rn)?\.ftz\.sat\.f32", "f32 = f32 f32", "@saturate(@{op}_ftz<@rn>({a}, {b}))", HEADER
    ),
    rule(r"fma\.rn\.f32", "f32 = f32 f32 f32", "fmaf({a}, {b}, {c})"),
    rule(r"(?:fma|mad)\.rn\.f64", "f64 = f64 f64 f64", "fma({a}, {b}, {c})"),
    rule(rf"(?:fma|mad){_MODE}\.f32", "f32 = f32 f32 f32", "@fma<@{mode}>({a}, {b}, {c})", HEADER),
    rule(r"mad\.f32", "f32 = f32 f32 f32", "fmaf({a}, {b}, {c})"),
    rule(rf"(?:fma|mad){_MODE}\.ftz\.f32", "f32 = f32 f32 f32", "@fma_ftz<@{mode}>({a}, {b}, {c})", HEADER),
    rule(
        r"(?:fma|mad)\.(?P<mode>rn|rz|rm|rp)\.sat\.f32",
        "f32 = f32 f32 f32",
        "@saturate(@fma<@{mode}>({a}, {b}, {c}))",
        HEADER,
    ),
    rule(
        r"(?:fma|mad)\.(?P<mode>rn|rz|rm|rp)\.ftz\.sat\.f32",
        "f32 = f32 f32 f32",
        "@saturate(@fma_ftz<@{mode}>({a}, {b}, {c}))",
        HEADER,
    ),
    rule(rf"(?P<op>add|sub|mul){_PAIR}", "u64 = u64 u64", "@{op}_f32x2<@{mode}>({a}, {b})", HEADER),
    rule(rf"(?P<op>add|sub|mul){_PAIR_FTZ}", "u64 = u64 u64", "@{op}_ftz_f32x2<@{mode}>({a}, {b})", HEADER),
    rule(rf"fma{_PAIR}", "u64 = u64 u64 u64", "@fma_f32x2<@{mode}>({a}, {b}, {c})", HEADER),
    rule(rf"fma{_PAIR_FTZ}", "u64 = u64 u64 u64", "@fma_ftz_f32x2<@{mode}>({a}, {b}, {c})", HEADER),
    rule(rf"div{_MODE}\.(?P<t>f32|f64)", "t = t t", "@div<@{mode}>({a!}, {b!})", HEADER),
    rule(rf"div{_MODE}\.ftz\.f32", "f32 = f32 f32", "@div_ftz<@{mode}>({a}, {b})", HEADER),
    rule(r"div\.(?:approx|full)\.f32", "f32 = f32 f32", "{a!} / {b!}", caveat=_APPROXIMATE),
    rule(r"div\.(?:approx|full)\.ftz\.f32", "f32 = f32 f32", "@div_ftz<@rn>({a}, {b})", HEADER, caveat=_APPROXIMATE),
    rule(rf"(?P<op>rcp|sqrt){_MODE}\.(?P<t>f32|f64)", "t = t", "@{op}<@{mode}>({a!})", HEADER),
    rule(rf"(?P<op>rcp|sqrt){_MODE}\.ftz\.f32", "f32 = f32", "@{op}_ftz<@{mode}>({a})", HEADER),
    rule(rf"(?P<op>{_FUNCTIONS})\.approx\.f32", "f32 = f32", "@{op}_approx({a})", HEADER, caveat=_APPROXIMATE),
    rule(rf"(?P<op>{_FUNCTIONS})\.approx\.ftz\.f32", "f32 = f32", "@{op}_approx_ftz({a})", HEADER, caveat=_APPROXIMATE),
    rule(r"(?P<op>rcp|rsqrt)\.approx\.ftz\.f64", "f64 = f64", "@{op}_approx_ftz({a!})", HEADER, caveat=_APPROXIMATE),
    rule(r"rsqrt\.approx\.f64", "f64 = f64", "@rsqrt_approx({a!})", HEADER, caveat=_APPROXIMATE),
    rule(r"abs\.f32", "f32 = f32", "fabsf({a})"),
    rule(r"abs\.f64", "f64 = f64", "fabs({a})"),
    rule(r"neg\.(?P<t>f32|f64)", "t = t", "-{a!}"),
    rule(r"abs\.ftz\.f32", "f32 = f32", "fabsf(@ftz({a}))", HEADER),
    rule(r"neg\.ftz\.f32", "f32 = f32", "-@ftz({a})", HEADER),
    rule(r"(?P<op>min|max)\.(?P<t>f32|f64)", "t = t t", "@{op}_number({a!}, {b!})", HEADER),
    rule(r"(?P<op>min|max)\.f32", "f32 = f32 f32 f32", "@{op}_number(@{op}_number({a!}, {b!}), {c!})", HEADER),
    rule(r"(?P<op>min|max)\.ftz\.f32", "f32 = f32 f32", "@{op}_number(@ftz({a}), @ftz({b}))", HEADER),
    rule(r"(?P<op>min|max)\.NaN\.f32", "f32 = f32 f32", "@{op}_nan({a}, {b})", HEADER),
    rule(r"(?P<op>min|max)\.ftz\.NaN\.f32", "f32 = f32 f32", "@{op}_nan(@ftz({a}), @ftz({b}))", HEADER),
    rule(r"copysign\.f32", "f32 = f32 f32", "copysignf({b}, {a})"),
    rule(r"copysign\.f64", "f64 = f64 f64", "copysign({b}, {a})"),
    rule(
        r"testp\.(?P<op>finite|infinite|number|notanumber|normal|subnormal)\.(?P<t>f32|f64)",
        "pred = t",
        "@testp_{op}({a!})",
        HEADER,
    ),
    rule(rf"(?P<op>add|sub|mul|min|max)(?:\.rn)?\.{_NARROW}", "t = t t", "@{op}_{t:}({a}, {b})", HALF),
    rule(rf"(?P<op>add|sub|mul)(?:\.rn)?\.sat\.{_NARROW}", "t = t t", "@saturate_{t:}(@{op}_{t:}({a}, {b}))", HALF),
    rule(rf"fma\.rn\.{_NARROW}", "t = t t t", "@fma_{t:}({a}, {b}, {c})", HALF),
    rule(rf"fma\.rn\.sat\.{_NARROW}", "t = t t t", "@saturate_{t:}(@fma_{t:}({a}, {b}, {c}))", HALF),
    rule(rf"fma\.rn\.relu\.{_NARROW}", "t = t t t", "@relu_{t:}(@fma_{t:}({a}, {b}, {c}))", HALF),
    rule(rf"(?P<op>min|max)\.NaN\.{_NARROW}", "t = t t", "@{op}_nan_{t:}({a}, {b})", HALF),
    rule(rf"(?P<op>abs|neg)\.{_NARROW}", "t = t", "@{op}_{t:}({a})", HALF),
    rule(rf"(?P<op>ex2|tanh)\.approx(?:\.ftz)?\.{_NARROW}", "t = t", "@{op}_{t:}({a})", HALF, caveat=_APPROXIMATE),
)
