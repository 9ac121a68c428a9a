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
constexpr Vex kMoveSigns{0, 1, 0x50};
enum : unsigned { kShiftRight = 2, kShiftLeft = 6 };
constexpr unsigned kLanes = 8, kScratch = 15;
constexpr uint32_t kOnes = ~0u, kHalfWord = 0xffff, k65536 = 0x47800000;

// How vpcmpd numbers conditions.
enum Condition : uint8_t { kIsEqual = 0, kIsLess = 1, kIsNotGreater = 2, kIsNotLess = 5, kIsGreater = 6 };
constexpr uint8_t kInverted = 4;  // a bit: of "not equal", "not less" and "greater"

}  // namespace

class Avx2 final : public Assembler {
 public:
  unsigned width() const override { return kLanes; }
  const std::vector<uint8_t>& value_registers() const override {
    static const std::vector<uint8_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    return all;
  }
  const std::vector<uint8_t>& mask_registers() const override { return value_registers(); }

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
  void scale(unsigned to, unsigned value, unsigned exponent, unsigned other) override {
    constexpr int most = 278;  // beyond, results are 0 or infinite
    const unsigned parts[] = {other, kScratch};
    clamp(exponent, exponent, -most, most);
    for (const unsigned part : parts) {
      clamp(part, exponent, -126, 127);
      vector(kSubtractWords, exponent, exponent, part);
    }
    for (const unsigned part : {exponent, parts[1], parts[0]}) {
      vector(kAddWords, part, part, repeated(127));
      shift(kShiftWords, kShiftLeft, part, part, 23);
      vector(kMultiplyFloat, to, part == exponent ? value : to, part);
    }
  }
  void merge_odd(unsigned to, unsigned from, unsigned) override { vector(kBlendByConstant, to, to, from, 0xaa); }
  void test_zero(unsigned tested) override { vector(kTest, tested, 0, tested); }

  void compare(Numbers numbers, uint8_t condition, unsigned to, unsigned a, unsigned b) override {
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
  void merge(Vex op, unsigned to, unsigned first, unsigned second, unsigned mask) override {
    vector(op, kScratch, first, second);
    select(to, to, kScratch, mask);
  }
  void select(unsigned to, unsigned a, unsigned b, unsigned mask) override {
    vector(kBlendByMask, to, a, b, uint8_t(mask << 4));
  }
  void add_one(unsigned to, unsigned mask) override { vector(kSubtractWords, to, to, mask); }
  void find_zero(unsigned found, unsigned value, unsigned mask) override {
    vector(kEqualWords, kScratch, value, repeated(0));
    vector(kAndWords, found, kScratch, mask);
  }
  void join_masks(unsigned to, unsigned other) override { vector(kOrWords, to, to, other); }
  void load_mask(unsigned to, At mask, unsigned chunk) override {
    constexpr unsigned chunks = 32 / kLanes;  // of a word
    std::vector<uint32_t> bits;
    for (unsigned i = 0; i < kLanes; ++i) bits.push_back(1u << (chunk % chunks * kLanes + i));
    const At which = pooled(bits);
    vector(kRepeatWord, to, 0, At{mask.base, mask.displacement + int32_t(chunk / chunks * 4)});
    vector(kAndWords, to, to, which);
    vector(kEqualWords, to, to, which);
  }
  void mask_to_rax(unsigned mask) override { vector(kMoveSigns, kRax, 0, mask); }

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
