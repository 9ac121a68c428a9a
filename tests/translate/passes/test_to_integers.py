"""Conversions of floating-point numbers to integers, of constants and at run time, against the rules of PTX's `cvt`.

The spellings of a function's types take turns; with HIPPORT_TEST_ALL=1 every function has each of them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared import EVERYTHING

INPUTS = (
    *("0.", "-0.", "1.9", "-1.9", "127.5", "128.", "256.", "300.", "-129.", "70000.", "2147483648.", "-2147483904."),
    *("4294967296.", "-5e9", "9223372036854775808.", "-9223372036854775808.", "18446744073709551616.", "1e30"),
    *("INFINITY", "-INFINITY", "NAN"),
)
TARGETS = ("gfx90a", "gfx1100")
TYPES = ("char", "short", "int", "long long", "unsigned char", "unsigned short", "unsigned", "unsigned long long")
BITS = {"char": 8, "short": 16, "int": 32, "long long": 64, "unsigned": 32}
INTRINSICS = {"int": "int", "unsigned": "uint", "long long": "ll", "unsigned long long": "ull"}
WANTED = r"""
static long long wanted(double v, int mode, int bits, bool is_signed, bool from_double) {
  const int wide = bits < 32 ? 32 : bits;
  unsigned long long r;
  v = mode == 'z' ? trunc(v) : mode == 'n' ? rint(v) : mode == 'u' ? ceil(v) : floor(v);
  const double half = ldexp(1.0, wide - 1);
  if (v != v) r = wide == 64 || from_double ? 1ull << (wide - 1) : 0;
  else if (is_signed) r = v >= half ? (1ull << (wide - 1)) - 1 : v < -half ? ~0ull << (wide - 1) : (long long)v;
  else r = v >= 2 * half ? (wide == 64 ? ~0ull : 0xffffffffull) : v < 0 ? 0 : (unsigned long long)v;
  const int shift = 64 - bits;
  return is_signed ? (long long)(r << shift) >> shift : (long long)(r << shift >> shift);
}
static int wrong;
static void check(const char* what, const long long* out, const double* in, int n, int mode, int bits, bool is_signed,
                  bool from_double) {
  for (int i = 0; i < n; ++i) {
    const long long one = wanted(in[i], mode, bits, is_signed, from_double);
    if (out[i] != one) ++wrong, printf("%s of %g: %llx, not %llx\n", what, in[i], out[i], one);
  }
}
"""

WIDE = {"char": "char2", "long long": "longlong2", "unsigned char": "uchar2", "unsigned long long": "ulonglong2"}
ALIASES = ("typedef {kind} {name};", "using {name} = {kind};", "")
FUNCTIONS = {
    "returned": "{to} @({of} x) {{ return x; }}",
    "trailing": "auto @({of} x) -> {to} {{ if (x > 5) return (x); return x + 0; }}",
    "cast": "long long @({of} x) {{ return ({to})x; }}",
    "call": "long long @({of} x) {{ return ({to})(x); }}",
    "static": "long long @({of} x) {{ return static_cast<{to}>(x); }}",
    "plain": "long long @({of} x) {{ {to} v; v = x; return v; }}",
    "second": "long long @({of} x) {{ {to} u = 0, v = x; return u + v; }}",
    "sum": "long long @({of} x) {{ {to} v = 0; v += x; return v; }}",
    "difference": "long long @({of} x) {{ {to} v = 0; v -= -x; return v; }}",
    "product": "long long @({of} x) {{ volatile {to} v = 1; v *= x; return v; }}",
    "ratio": "long long @({of} x) {{ {to} v = 1; v /= x; return v; }}",
    "component": "long long @({of} x) {{ {vector} v; v.x = x; return v.x; }}",
    "component_sum": "long long @({of} x) {{ {vector} v = {{0, 0}}; v.x += x; return v.x; }}",
    "pointed": "long long @({of} x) {{ {vector} v, *p = &v; p->x = x; return v.x; }}",
    "pointed_sum": "long long @({of} x) {{ {to} v = 0, *p = &v; p[0] += x; return v; }}",
}


def functions(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield functions that convert a parameter to an integer: name, type, and the definition with aliases before it."""
    for at, (kind, vector) in enumerate(WIDE.items()):
        for which, alias in enumerate(ALIASES):
            end = f"{source}_{at}_{which}"
            of, to = (f"from_{end}", f"to_{end}") if alias else (source, kind)
            before = alias.format(kind=source, name=of) + alias.format(kind=kind, name=to)
            for turn, (name, text) in enumerate(FUNCTIONS.items(), at):
                if not EVERYTHING and turn % len(ALIASES) != which:
                    continue
                definition = text.format(to=to, of=of, vector=vector).replace("@", f"{name}_{end}")
                yield f"{name}_{end}", kind, f"{before}\n__device__ {definition}\n"
                before = ""


def forms(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield expressions of `@`, with the type that they convert to and the rounding mode."""
    yield from ((f"{name}(@)", kind, "z") for name, kind, _ in functions(source))
    for kind in TYPES:
        yield f"({kind})@", kind, "z"
        yield f"static_cast<{kind}>(@)", kind, "z"
        if " " not in kind:
            yield f"{kind}(@)", kind, "z"
    for kind, name in INTRINSICS.items():
        for mode in "nzud":
            yield f"__{source}2{name}_r{mode}(@)", kind, mode


def program() -> str:
    """Return a program with kernels for all forms, and how many there are."""
    kernels, calls = list[str](), list[str]()
    for source, suffix in (("float", "f"), ("double", "")):
        values = [text if "N" in text else text + suffix for text in INPUTS]
        kernels += [definition for _, _, definition in functions(source)]
        loop = f"  for (int i = 0; i < {len(values)}; ++i)"
        calls.append(f"{loop} in[i] = {source}s[i];\n{loop} inverse[i] = 1 / {source}s[i];")
        for form, kind, mode in forms(source):
            bits, name = BITS[kind if kind in BITS else kind.removeprefix("unsigned ")], f"k{len(kernels)}"
            # A cast of a double to 32 bits stays as it is: of NaN it is 0.
            count = len(values) - (source == "double" and bits <= 32)
            constants = "".join(f"  out[{at}] = {form.replace('@', text)};\n" for at, text in enumerate(values))
            loop = f"  for (int i = 0; i < {count}; ++i) out[32 + i] = {form.replace('@', 'in[i]')};\n"
            kernels.append(f"__global__ void {name}(long long* out, const {source}* in) {{\n{constants}{loop}}}\n")
            inputs = "inverse" if form.startswith("ratio") else "in"
            signed = str("unsigned" not in kind).lower()
            rest = f"{inputs}, {count}, '{mode}', {bits}, {signed}, {str(not suffix).lower()});"
            calls.append(f"  {name}<<<1, 1>>>(out, {source}s);\n  cudaDeviceSynchronize();")
            calls += [f'  check("{form}, {what}", out + {at}, {rest}' for what, at in (("constant", 0), ("value", 32))]
    listed = ", ".join(INPUTS)
    return (
        f"#include <cmath>\n#include <cstdio>\n{WANTED}{''.join(kernels)}"
        f"int main() {{\n  const double inputs[] = {{{listed}}};\n"
        "  double in[32], inverse[32], *doubles;\n  float* floats;\n  long long* out;\n"
        "  cudaMallocManaged(&doubles, 256);\n  cudaMallocManaged(&floats, 128);\n  cudaMallocManaged(&out, 512);\n"
        f"  for (int i = 0; i < {len(INPUTS)}; ++i) floats[i] = doubles[i] = inputs[i];\n"
        + "\n".join(calls)
        + '\n  printf("%d wrong\\n", wrong);\n}\n'
    )


def hipport(*words: str) -> str:
    command = [sys.executable, "-m", "hipport", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.toolchain
def test_conversions_on_the_cpu_target(tmp_path: Path) -> None:
    source, built = tmp_path / "conversions.cu", str(tmp_path / "conversions")
    source.write_text(program())
    hipport("build", "--target", "cpu", "-O", "0", str(source), "-o", built)
    assert subprocess.run([built], capture_output=True, text=True, check=True).stdout == "0 wrong\n"


@pytest.mark.slow
@pytest.mark.toolchain
def test_conversions_on_amd_gpus(tmp_path: Path) -> None:
    source, built = tmp_path / "conversions.cu", str(tmp_path / "conversions")
    source.write_text(program())
    hipport("build", "--offload-arch", ",".join(TARGETS), "-O", "1", str(source), "-o", built)
    assert {target: hipport("run", "--emulate", target, built) for target in TARGETS} == dict.fromkeys(
        TARGETS, "0 wrong\n"
    )
