"""The value types of device functions: their CUDA and HIP names, and the numbers that make them up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A format of numbers: `kind` is float, int, uint or bool; a float has `mantissa` explicit bits."""

    bits: int
    kind: str
    mantissa: int = 0

    @property
    def exponent(self) -> int:
        return self.bits - 1 - self.mantissa

    def is_nan(self, word: int) -> bool:
        if self.kind != "float":
            return False
        magnitude = word & ((1 << (self.bits - 1)) - 1)
        return magnitude > ((1 << self.exponent) - 1) << self.mantissa

    def is_zero(self, word: int) -> bool:
        return self.kind == "float" and word & ((1 << (self.bits - 1)) - 1) == 0

    def is_infinite(self, word: int) -> bool:
        return (
            self.kind == "float" and word & ((1 << (self.bits - 1)) - 1) == ((1 << self.exponent) - 1) << self.mantissa
        )

    def signed(self, word: int) -> int:
        return word - (1 << self.bits) if self.kind == "int" and word >> (self.bits - 1) else word


F16, BF16, F32, F64 = Number(16, "float", 10), Number(16, "float", 7), Number(32, "float", 23), Number(64, "float", 52)
I8, I16, I32, I64 = (Number(bits, "int") for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (Number(bits, "uint") for bits in (8, 16, 32, 64))
BOOL = Number(8, "bool")


@dataclass(frozen=True, slots=True)
class Type:
    """A type of parameters and results: `count` numbers in a row. `hip` is its name in HIP, if it has another."""

    cuda: str
    number: Number
    count: int = 1
    hip: str = ""
    choices: tuple[str, ...] = ()

    @property
    def hip_name(self) -> str:
        return self.hip or self.cuda

    @property
    def words(self) -> int:
        """The number of 64-bit words that a value takes in a record."""
        return (self.number.bits * self.count + 63) // 64

    def numbers(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """Split a value's words into its numbers."""
        whole = sum(word << (64 * place) for place, word in enumerate(words))
        mask = (1 << self.number.bits) - 1
        return tuple(whole >> (self.number.bits * place) & mask for place in range(self.count))


TYPES = {
    one.cuda: one
    for one in (
        Type("float", F32),
        Type("double", F64),
        Type("float2", F32, 2),
        Type("double2", F64, 2),
        Type("__half", F16),
        Type("__half2", F16, 2),
        Type("__half_raw", F16),
        Type("__half2_raw", F16, 2),
        Type("__nv_bfloat16", BF16, 1, "__hip_bfloat16"),
        Type("__nv_bfloat162", BF16, 2, "__hip_bfloat162"),
        Type("__nv_bfloat16_raw", BF16, 1, "__hip_bfloat16_raw"),
        Type("__nv_bfloat162_raw", BF16, 2, "__hip_bfloat162_raw"),
        Type("__nv_fp8_storage_t", U8),
        Type("__nv_fp8x2_storage_t", U16),
        Type("__nv_saturation_t", U32, choices=("__NV_NOSAT", "__NV_SATFINITE")),
        Type("__nv_fp8_interpretation_t", U32, choices=("__NV_E4M3", "__NV_E5M2")),
        Type("bool", BOOL),
        Type("char", I8),
        Type("signed char", I8),
        Type("unsigned char", U8),
        Type("short", I16),
        Type("unsigned short", U16),
        Type("int", I32),
        Type("unsigned int", U32),
        Type("long", I64),
        Type("unsigned long", U64),
        Type("long long", I64),
        Type("unsigned long long", U64),
    )
}
