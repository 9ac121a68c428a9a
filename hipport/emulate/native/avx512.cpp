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
// Mask registers: the first for the results of chunks, one for active lanes.
constexpr unsigned kResults = 1, kFirst = 5, kSecond = 6, kActive = 7;

unsigned register_of(Mask mask, unsigned chunk) {
  return mask == Mask::kResult ? kResults + chunk : mask == Mask::kFirst ? kFirst : kSecond;
}
At chunk_of(At mask, unsigned chunk) { return {mask.base, mask.displacement + int32_t(kLanes / 8 * chunk)}; }

}  // namespace

class Avx512 final : public Assembler {
 public:
  unsigned width() const override { return kLanes; }
  const std::vector<uint8_t>& spare_registers() const override {
    static const std::vector<uint8_t> all = {3,  7,  12, 13, 14, 15, 16, 17, 18, 19, 20,
                                             21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
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
  void scale(unsigned to, unsigned value, unsigned exponent) override {
    vector(kFromSigned, kScratch, 0, exponent);
    vector(kScale, to, value, kScratch);
  }
  void merge_odd(unsigned to, unsigned from) override {
    constant(kRax, 0xaaaa);
    bytes({0xc5, 0xf8, 0x92, uint8_t(0xc0 | kSecond << 3 | kRax)});
    masked(kMoveRow, to, 0, from, kSecond);
  }
  void test_zero(unsigned vector) override {
    masked(kTest, kResults, vector, vector, 0);
    bytes({0xc5, 0xf8, 0x98, uint8_t(0xc0 | kResults << 3 | kResults)});
  }

  void compare(Numbers numbers, uint8_t condition, Mask to, unsigned chunk, unsigned a, unsigned b) override {
    constexpr Vex by_numbers[] = {kCompareSigned, kCompareUnsigned, kCompareFloat};
    vector(by_numbers[unsigned(numbers)], register_of(to, chunk), a, b, condition);
  }
  void merge(Vex op, unsigned to, unsigned first, unsigned second, Mask where) override {
    masked(op, to, first, second, register_of(where, 0));
  }
  void select(unsigned to, unsigned a, unsigned b, Mask where) override {
    masked(kBlend, to, a, b, register_of(where, 0));
  }
  void add_one(unsigned to, Mask where) override { masked(kAddWords, to, to, repeated(1), register_of(where, 0)); }
  void find_zero(Mask to, unsigned value, Mask where) override {
    masked(kTestZero, register_of(to, 0), value, value, register_of(where, 0));
  }
  void add_to_result(Mask from, unsigned chunk) override {
    masks(0xc5, 0x45, kResults + chunk, kResults + chunk, register_of(from, 0));
  }
  void load_mask(Mask to, At mask, unsigned chunk) override { load_16(register_of(to, 0), chunk_of(mask, chunk)); }
  void keep_result(unsigned) override {}
  void join_results(unsigned chunks) override {
    join(chunks);
    if (chunks == 1) bytes({0xc5, 0xf8});
    if (chunks == 2) bytes({0xc5, 0xfb});
    if (chunks == 4) bytes({0xc4, 0xe1, 0xfb});
    bytes({0x93, uint8_t(0xc0 | kRax << 3 | kResults)});
  }
  uint8_t test_results(unsigned lanes) override {
    join(lanes / kLanes);
    bytes({0xc4, 0xe1, uint8_t(lanes == 64 ? 0xf8 : 0xf9), 0x98, uint8_t(0xc0 | kResults << 3 | kResults)});
    return kBelow;  // the carry flag
  }

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
  void masks(uint8_t start, uint8_t opcode, unsigned to, unsigned first, unsigned second) {
    bytes({start, uint8_t(0x80 | (~first & 15) << 3 | 4), opcode, uint8_t(0xc0 | to << 3 | second)});
  }
  // Join the masks of chunks in the first of them.
  void join(unsigned chunks) {
    constexpr unsigned low = kResults, high = kResults + 2;
    if (chunks == 1) return;
    masks(0xc5, 0x4b, low, low + 1, low);
    if (chunks == 2) return;
    masks(0xc5, 0x4b, high, high + 1, high);
    bytes({0xc4, 0xe1, uint8_t(0x80 | (~high & 15) << 3 | 4), 0x4b, uint8_t(0xc0 | low << 3 | low)});
  }
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
