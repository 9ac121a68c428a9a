// SPDX-License-Identifier: MIT
// Vector instructions of AVX2: 8 lanes in a register, and masks in vector registers, with ones or zeros in each lane.
#include "emit_registers.h"
#include "host_codes.h"

namespace hipport::emulate {
namespace {

constexpr Vex kEqualWords{1, 1, 0x76}, kGreaterWords{1, 1, 0x66}, kGreatest{1, 2, 0x3f}, kLeast{1, 2, 0x3b};
constexpr Vex kAndWords{1, 1, 0xdb}, kOrWords{1, 1, 0xeb}, kXorWords{1, 1, 0xef}, kSubtractWords{1, 1, 0xfa};
constexpr Vex kCompareFloat{0, 1, 0xc2}, kFromSigned{0, 1, 0x5b}, kAddFloat{0, 1, 0x58}, kMultiplyFloat{0, 1, 0x59};
constexpr Vex kGreatestSigned{1, 2, 0x3d}, kLeastSigned{1, 2, 0x39}, kShiftWords{1, 1, 0x72};
constexpr Vex kBlendByMask{1, 3, 0x4a}, kBlendByConstant{1, 3, 0x02}, kTest{1, 2, 0x17};
enum : unsigned { kShiftRight = 2, kShiftLeft = 6 };
constexpr unsigned kLanes = 8, kResult = 12, kFirst = 13, kSecond = 14, kScratch = 15;
constexpr uint32_t kOnes = ~0u, kHalfWord = 0xffff, k65536 = 0x47800000;

unsigned register_of(Mask mask) { return mask == Mask::kResult ? kResult : mask == Mask::kFirst ? kFirst : kSecond; }
// How vpcmpd numbers conditions.
enum Condition : uint8_t { kIsEqual = 0, kIsLess = 1, kIsNotGreater = 2, kIsNotLess = 5, kIsGreater = 6 };
constexpr uint8_t kInverted = 4;  // a bit: of "not equal", "not less" and "greater"

}  // namespace

class Avx2 final : public Assembler {
 public:
  unsigned width() const override { return kLanes; }
  const std::vector<uint8_t>& spare_registers() const override {
    static const std::vector<uint8_t> all = {3, 7};
    return all;
  }

  void vector(Vex op, unsigned to, unsigned first, unsigned second) override {
    vex(op, to, first, second);
    bytes({uint8_t(0xc0 | (to & 7) << 3 | (second & 7))});
  }
  void vector(Vex op, unsigned to, unsigned first, At at) override {
    vex(op, to, first, at.base & 7);
    memory(to, at);
  }
  using Assembler::vector;
  void shift(Vex op, unsigned which, unsigned to, unsigned from, uint8_t count) override {
    vex(op, which, to, from);
    bytes({uint8_t(0xc0 | which << 3 | (from & 7)), count});
  }
  // The sum of two conversions of 16 bits, which are exact.
  void from_unsigned(unsigned to, unsigned from) override {
    shift(kShiftWords, kShiftRight, kScratch, from, 16);
    vector(kFromSigned, kScratch, 0, kScratch);
    vector(kMultiplyFloat, kScratch, kScratch, repeated(k65536));
    vector(kAndWords, to, from, repeated(kHalfWord));
    vector(kFromSigned, to, 0, to);
    vector(kAddFloat, to, to, kScratch);
  }
  // Three products, since a factor has 8 bits for its exponent. Only the last one that is not by 1 rounds: products before
  // it are exact, or so small that the result is 0.
  void scale(unsigned to, unsigned value, unsigned exponent) override {
    constexpr int most = 278;  // beyond, results are 0 or infinite
    constexpr unsigned rest = kFirst, parts[] = {kSecond, kScratch};
    clamp(rest, exponent, -most, most);
    for (const unsigned part : parts) {
      clamp(part, rest, -126, 127);
      vector(kSubtractWords, rest, rest, part);
    }
    for (const unsigned part : {rest, parts[1], parts[0]}) {
      vector(kAddWords, part, part, repeated(127));
      shift(kShiftWords, kShiftLeft, part, part, 23);
      vector(kMultiplyFloat, to, part == rest ? value : to, part);
    }
  }
  void merge_odd(unsigned to, unsigned from) override { vector(kBlendByConstant, to, to, from, 0xaa); }
  void test_zero(unsigned tested) override { vector(kTest, tested, 0, tested); }

  void compare(Numbers numbers, uint8_t condition, Mask mask, unsigned, unsigned a, unsigned b) override {
    const unsigned to = register_of(mask);
    if (numbers == Numbers::kFloat) return vector(kCompareFloat, to, a, b, condition);
    const bool is_signed = numbers == Numbers::kSigned;
    bool inverted = false;
    if ((condition & ~kInverted) == kIsEqual) {
      vector(kEqualWords, to, a, b);
      inverted = condition != kIsEqual;
    } else if (is_signed) {
      const bool less = condition == kIsLess || condition == kIsNotLess;
      less ? vector(kGreaterWords, to, b, a) : vector(kGreaterWords, to, a, b);
      inverted = condition == kIsNotLess || condition == kIsNotGreater;
    } else {
      // One that is the greater or the less of both is not less, or not greater.
      const bool less = condition == kIsLess || condition == kIsNotLess;
      vector(less ? kGreatest : kLeast, to, a, b);
      vector(kEqualWords, to, to, a);
      inverted = condition == kIsLess || condition == kIsGreater;
    }
    if (inverted) vector(kXorWords, to, to, repeated(kOnes));
  }
  void merge(Vex op, unsigned to, unsigned first, unsigned second, Mask where) override {
    vector(op, kScratch, first, second);
    select(to, to, kScratch, where);
  }
  void select(unsigned to, unsigned a, unsigned b, Mask where) override {
    vector(kBlendByMask, to, a, b, uint8_t(register_of(where) << 4));
  }
  void add_one(unsigned to, Mask where) override { vector(kSubtractWords, to, to, register_of(where)); }
  void find_zero(Mask to, unsigned value, Mask where) override {
    vector(kEqualWords, kScratch, value, repeated(0));
    vector(kAndWords, register_of(to), kScratch, register_of(where));
  }
  void add_to_result(Mask from, unsigned) override { vector(kOrWords, kResult, kResult, register_of(from)); }
  void load_mask(Mask to, At mask, unsigned chunk) override {
    constexpr unsigned chunks = 32 / kLanes;  // of a word
    std::vector<uint32_t> bits;
    for (unsigned i = 0; i < kLanes; ++i) bits.push_back(1u << (chunk % chunks * kLanes + i));
    const At which = pooled(bits);
    vector(kRepeatWord, register_of(to), 0, At{mask.base, mask.displacement + int32_t(chunk / chunks * 4)});
    vector(kAndWords, register_of(to), register_of(to), which);
    vector(kEqualWords, register_of(to), register_of(to), which);
  }
  // Results are joined in r8.
  void keep_result(unsigned chunk) override {
    constexpr uint8_t to_r8 = 0x41, to_rax = 0xc1;
    bytes({0xc4, chunk == 0 ? to_r8 : to_rax, 0x7c, 0x50, uint8_t(0xc0 | (kResult & 7))});
    if (chunk == 0) return;
    shift_left(kRax, uint8_t(kLanes * chunk));
    bytes({0x49, 0x09, 0xc0});
  }
  void join_results(unsigned) override { bytes({0x4c, 0x89, 0xc0}); }
  uint8_t test_results(unsigned lanes) override {
    bytes({uint8_t(lanes == 64 ? 0x49 : 0x41), 0x83, 0xf8, 0xff});
    return kEqual;
  }

  void begin_first(At) override {}
  void store_active(unsigned from, At row, unsigned chunk, Lanes, At, At active_lanes) override {
    const At active{active_lanes.base, active_lanes.displacement + int32_t(4 * kLanes * chunk)};
    vector(kXorWords, kScratch, from, row);
    vector(kAndWords, kScratch, kScratch, active);
    vector(kXorWords, kScratch, kScratch, row);
    vector(kStoreRow, kScratch, 0, row);
  }
  // Code without VEX is slow while the upper halves of registers are in use.
  void end_vectors() override { bytes({0xc5, 0xf8, 0x77}); }

 private:
  void clamp(unsigned to, unsigned from, int least, int most) {
    vector(kGreatestSigned, to, from, repeated(uint32_t(least)));
    vector(kLeastSigned, to, to, repeated(uint32_t(most)));
  }
  // VEX holds the upper bits of register numbers inverted.
  void vex(Vex op, unsigned field, unsigned first, unsigned second) {
    const auto off = [](unsigned value) { return unsigned(~value >> 3 & 1); };
    bytes({0xc4, uint8_t(off(field) << 7 | 1 << 6 | off(second) << 5 | op.map),
           uint8_t((~first & 15) << 3 | 4 | op.prefix), op.opcode});
  }
};

std::unique_ptr<Assembler> avx2_assembler() { return std::make_unique<Avx2>(); }

}  // namespace hipport::emulate
