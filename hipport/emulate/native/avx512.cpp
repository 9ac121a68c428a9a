// SPDX-License-Identifier: MIT
// Vector instructions of AVX-512: 16 lanes in a register, and masks in registers of their own.
#include "emit_registers.h"
#include "host_codes.h"

namespace hipport::emulate {
namespace {

constexpr Vex kCompareSigned{1, 3, 0x1f}, kCompareUnsigned{1, 3, 0x1e}, kCompareFloat{0, 1, 0xc2};
constexpr Vex kFromUnsigned{3, 1, 0x7a}, kFromSigned{0, 1, 0x5b}, kScale{1, 2, 0x2c}, kBlend{1, 2, 0x64};
constexpr Vex kTest{1, 2, 0x27}, kTestZero{2, 2, 0x27};
constexpr unsigned kLanes = 16, kScratch = 15;
constexpr unsigned kActive = 7;  // the mask register of active lanes

At chunk_of(At mask, unsigned chunk) { return {mask.base, mask.displacement + int32_t(kLanes / 8 * chunk)}; }

}  // namespace

class Avx512 final : public Assembler {
 public:
  unsigned width() const override { return kLanes; }
  const std::vector<uint8_t>& value_registers() const override {
    static const std::vector<uint8_t> all = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 16,
                                             17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    return all;
  }
  const std::vector<uint8_t>& mask_registers() const override {
    static const std::vector<uint8_t> all = {1, 2, 3, 4, 5, 6};
    return all;
  }

  void vector(Vex op, unsigned to, unsigned first, unsigned second) override { masked(op, to, first, second, 0); }
  void vector(Vex op, unsigned to, unsigned first, At at) override { masked(op, to, first, at, 0); }
  using Assembler::vector;
  void shift(Vex op, unsigned which, unsigned to, unsigned from, uint8_t count) override {
    evex(op, which, to, 0, from);
    bytes({uint8_t(0xc0 | which << 3 | (from & 7)), count});
  }
  void from_unsigned(unsigned to, unsigned from) override { vector(kFromUnsigned, to, 0, from); }
  void scale(unsigned to, unsigned value, unsigned exponent, unsigned) override {
    vector(kFromSigned, exponent, 0, exponent);
    vector(kScale, to, value, exponent);
  }
  void merge_odd(unsigned to, unsigned from, unsigned free_mask) override {
    constant(kRax, 0xaaaa);
    bytes({0xc5, 0xf8, 0x92, uint8_t(0xc0 | free_mask << 3 | kRax)});
    masked(kMoveRow, to, 0, from, free_mask);
  }
  void test_zero(unsigned tested) override {
    constexpr unsigned to = 1;
    masked(kTest, to, tested, tested, 0);
    bytes({0xc5, 0xf8, 0x98, uint8_t(0xc0 | to << 3 | to)});
  }

  void compare(Numbers numbers, uint8_t condition, unsigned mask, unsigned a, unsigned b) override {
    constexpr Vex by_numbers[] = {kCompareSigned, kCompareUnsigned, kCompareFloat};
    vector(by_numbers[unsigned(numbers)], mask, a, b, condition);
  }
  void merge(Vex op, unsigned to, unsigned first, unsigned second, unsigned mask) override {
    masked(op, to, first, second, mask);
  }
  void select(unsigned to, unsigned a, unsigned b, unsigned mask) override { masked(kBlend, to, a, b, mask); }
  void add_one(unsigned to, unsigned mask) override { masked(kAddWords, to, to, repeated(1), mask); }
  void find_zero(unsigned found, unsigned value, unsigned mask) override {
    masked(kTestZero, found, value, value, mask);
  }
  void join_masks(unsigned to, unsigned other) override {
    bytes({0xc5, uint8_t(0x80 | (~to & 15) << 3 | 4), 0x45, uint8_t(0xc0 | to << 3 | other)});
  }
  void load_mask(unsigned to, At mask, unsigned chunk) override { load_16(to, chunk_of(mask, chunk)); }
  void mask_to_rax(unsigned mask) override { bytes({0xc5, 0xf8, 0x93, uint8_t(0xc0 | kRax << 3 | mask)}); }

  void begin_first(At active_mask) override { load_16(kActive, active_mask); }
  void store_active(unsigned from, At row, unsigned chunk, Lanes active, At active_mask, At) override {
    if (active == Lanes::kSome) load_16(kActive, chunk_of(active_mask, chunk));
    vector(kMoveRow, kScratch, 0, row);
    masked(kMoveRow, kScratch, 0, from, kActive);
    vector(kStoreRow, kScratch, 0, row);
  }

 private:
  void masked(Vex op, unsigned to, unsigned first, unsigned second, unsigned mask) {
    evex(op, to, first, mask, second);
    bytes({uint8_t(0xc0 | (to & 7) << 3 | (second & 7))});
  }
  void masked(Vex op, unsigned to, unsigned first, At at, unsigned mask) {
    evex(op, to, first, mask, at.base & 7);
    memory(to, at);
  }
  void load_16(unsigned to, At at) { bytes({0xc5, 0xf8, 0x90}), memory(to, at); }
  // EVEX holds the upper bits of register numbers inverted.
  void evex(Vex op, unsigned field, unsigned first, unsigned mask, unsigned second) {
    const auto off = [](unsigned value, unsigned bit) { return unsigned(~value >> bit & 1); };
    bytes({0x62, uint8_t(off(field, 3) << 7 | off(second, 4) << 6 | off(second, 3) << 5 | off(field, 4) << 4 | op.map),
           uint8_t(unsigned(op.wide) << 7 | (~first & 15) << 3 | 4 | op.prefix),
           uint8_t(2 << 5 | off(first, 4) << 3 | mask), op.opcode});
  }
};

std::unique_ptr<Assembler> avx512_assembler() { return std::make_unique<Avx512>(); }

}  // namespace hipport::emulate
