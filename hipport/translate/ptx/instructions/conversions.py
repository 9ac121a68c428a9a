"""Conversions: `cvt` between integers, floating-point, narrow and packed types; `cvta` between address spaces."""

from __future__ import annotations

from hipport.translate.ptx.rules import rule

HEADER = "convert.h"
_INT = "(?:[us](?:8|16|32|64))"
_TO = f"(?P<t>{_INT})"
_FROM = f"(?P<q>{_INT})"
_MODE = r"\.(?P<mode>rn|rz|rm|rp)"
_ROUNDED = r"\.(?P<mode>rn|rz|rm|rp)i"
_NARROW = "(?P<q>f16|bf16)"
_FP8 = "(?P<n>e4m3x2|e5m2x2)"

RULES = (
    rule(rf"cvt\.{_TO}\.{_FROM}", "t = q", "{t}({a!})"),
    rule(rf"cvt\.sat\.{_TO}\.{_FROM}", "t = q", "@saturate<{t}, {q}>({a})", HEADER),
    rule(rf"cvt{_ROUNDED}(?:\.sat)?\.{_TO}\.(?P<q>f32|f64)", "t = q", "@to_int<{t}, @{mode}>({a!})", HEADER),
    rule(rf"cvt{_ROUNDED}\.ftz(?:\.sat)?\.{_TO}\.f32", "t = f32", "@to_int<{t}, @{mode}>(@ftz({a}))", HEADER),
    rule(
        rf"cvt{_ROUNDED}(?:\.ftz)?(?:\.sat)?\.{_TO}\.{_NARROW}",
        "t = q",
        "@to_int<{t}, @{mode}>(@{q:}_to_f32({a}))",
        HEADER,
    ),
    rule(rf"cvt{_MODE}(?:\.ftz)?\.f32\.{_FROM}", "f32 = q", "@from_int<float, @{mode}>({a!})", HEADER),
    rule(rf"cvt{_MODE}\.f64\.{_FROM}", "f64 = q", "@from_int<double, @{mode}>({a!})", HEADER),
    rule(rf"cvt{_MODE}(?:\.ftz)?\.sat\.f32\.{_FROM}", "f32 = q", "@saturate(@from_int<float, @{mode}>({a!}))", HEADER),
    rule(rf"cvt{_MODE}\.(?P<t>f16|bf16)\.{_FROM}", "t = q", "@to_{t:}<@{mode}>(@odd_double({a!}))", HEADER),
    rule(r"cvt\.f64\.f32", "f64 = f32", "double({a!})"),
    rule(r"cvt\.ftz\.f64\.f32", "f64 = f32", "double(@ftz({a}))", HEADER),
    rule(r"cvt\.rn\.f32\.f64", "f32 = f64", "float({a!})"),
    rule(rf"cvt{_MODE}\.f32\.f64", "f32 = f64", "@narrow<@{mode}>({a})", HEADER),
    rule(rf"cvt{_MODE}\.ftz\.f32\.f64", "f32 = f64", "@ftz(@narrow<@{mode}>({a}))", HEADER),
    rule(rf"cvt{_MODE}\.sat\.f32\.f64", "f32 = f64", "@saturate(@narrow<@{mode}>({a}))", HEADER),
    rule(r"cvt\.(?P<t>f32|f64)\.(?P=t)", "t = t", "{a!}"),
    rule(r"cvt\.ftz\.f32\.f32", "f32 = f32", "@ftz({a})", HEADER),
    rule(r"cvt\.sat\.f32\.f32", "f32 = f32", "@saturate({a})", HEADER),
    rule(r"cvt\.ftz\.sat\.f32\.f32", "f32 = f32", "@saturate(@ftz({a}))", HEADER),
    rule(rf"cvt{_ROUNDED}\.(?P<t>f32|f64)\.(?P=t)", "t = t", "@round<@{mode}>({a!})", HEADER),
    rule(rf"cvt{_ROUNDED}\.ftz\.f32\.f32", "f32 = f32", "@round<@{mode}>(@ftz({a}))", HEADER),
    rule(rf"cvt{_ROUNDED}(?:\.ftz)?\.sat\.f32\.f32", "f32 = f32", "@saturate(@round<@{mode}>({a}))", HEADER),
    rule(
        rf"cvt{_ROUNDED}\.(?P<t>f16|bf16)\.(?P=t)", "t = t", "@to_{t:}<@rn>(@round<@{mode}>(@{t:}_to_f32({a})))", HEADER
    ),
    rule(rf"cvt(?:\.ftz)?\.f32\.{_NARROW}", "f32 = q", "@{q:}_to_f32({a})", HEADER),
    rule(rf"cvt\.sat\.f32\.{_NARROW}", "f32 = q", "@saturate(@{q:}_to_f32({a}))", HEADER),
    rule(rf"cvt\.f64\.{_NARROW}", "f64 = q", "double(@{q:}_to_f32({a}))", HEADER),
    rule(r"cvt\.(?P<mode>rn|rz|rm|rp)\.(?P<t>f16|bf16)\.(?P<q>f32|f64)", "t = q", "@to_{t:}<@{mode}>({a!})", HEADER),
    rule(r"cvt\.(?P<mode>rn|rz)\.ftz\.(?P<t>f16|bf16)\.f32", "t = f32", "@to_{t:}<@{mode}>(@ftz({a}))", HEADER),
    rule(r"cvt\.(?P<mode>rn|rz)\.relu\.(?P<t>f16|bf16)\.f32", "t = f32", "@relu_{t:}(@to_{t:}<@{mode}>({a}))", HEADER),
    rule(r"cvt\.rn\.sat\.f16\.f32", "f16 = f32", "@saturate_f16(@to_f16<@rn>({a}))", HEADER),
    rule(r"cvt\.rn\.satfinite\.(?P<t>f16|bf16)\.f32", "t = f32", "@finite_{t:}(@to_{t:}<@rn>({a}))", HEADER),
    rule(r"cvt\.(?P<mode>rn|rz)\.(?P<t>f16x2|bf16x2)\.f32", "t = f32 f32", "@to_{t:}<@{mode}>({a}, {b})", HEADER),
    rule(
        r"cvt\.(?P<mode>rn|rz)\.relu\.(?P<t>f16x2|bf16x2)\.f32",
        "t = f32 f32",
        "@relu_{t:}(@to_{t:}<@{mode}>({a}, {b}))",
        HEADER,
    ),
    rule(r"cvt\.(?P<mode>rna|rn|rz)\.tf32\.f32", "tf32 = f32", "@to_tf32<@{mode}>({a})", HEADER),
    rule(rf"cvt\.rn\.satfinite\.{_FP8}\.f32", "n = f32 f32", "@to_{n:}({a}, {b})", HEADER),
    rule(rf"cvt\.rn\.satfinite\.{_FP8}\.f16x2", "n = f16x2", "@f16x2_to_{n:}({a})", HEADER),
    rule(rf"cvt\.rn\.f16x2\.{_FP8}", "f16x2 = n", "@{n:}_to_f16x2({a})", HEADER),
    rule(r"cvt\.pack\.sat\.(?P<t>[us]16)\.s32", "b32 = s32 s32", "@pack<{t}>({a}, {b})", HEADER),
    rule(r"cvt\.pack\.sat\.(?P<t>[us]8)\.s32\.b32", "b32 = s32 s32 b32", "@pack<{t}>({a}, {b}, {c})", HEADER),
    rule(r"cvta(?:\.to)?\.(?:global|const|local|param)\.u64", "u64 = u64", "{a!}"),
    rule(r"cvta\.shared(?:::cta)?\.u64", "u64 = u64", "(uint64_t)@shared_pointer<void>({a})", "memory.h"),
)
