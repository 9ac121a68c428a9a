// SPDX-License-Identifier: MIT
// Machine code for loads and stores of consecutive words.
#include "emit.h"
#include "memory_kinds.h"

namespace hipport::emulate {
namespace {

// Moves that need no alignment.
constexpr Vex kLoad{2, 1, 0x6f}, kStore{2, 1, 0x7f};
constexpr Vex kRepeat{1, 2, 0x58}, kAdd{1, 1, 0xfe}, kCompare{1, 3, 0x1f};
constexpr uint8_t kDifferent = 4, kAbove = 7, kNotEqual = 5;
constexpr unsigned kFound = 1, kPart = 2, kValue = 8, kExpected = 9;

// What lanes add to the address of the first.
struct alignas(64) Steps {
  uint32_t bytes[kMaxLanes];
};
constexpr Steps kSteps = [] {
  Steps all{};
  for (unsigned i = 0; i < kMaxLanes; ++i) all.bytes[i] = 4 * i;
  return all;
}();

class RowAccess {
 public:
  RowAccess(Assembler& code, const Op& op, unsigned lanes)
      : code_(code), op_(op), access_(*static_cast<const Access*>(op.extra)), lanes_(lanes) {}

  bool can() const {
    const bool store = access_.action == Action::kStore;
    return access_.space == Space::kGlobal && access_.action != Action::kAtomic && access_.part == Part::kWhole &&
           access_.address >= 0 && access_.words <= (store ? 1u : 4u) && access_.offset == int32_t(access_.offset);
  }

  // Compare the addresses with what consecutive ones would be, and set the flags.
  void compare() {
    const unsigned low = number(access_.address);
    code_.vector(kRepeat, kValue, 0, row(low, 0));
    code_.constant(kRcx, reinterpret_cast<uint64_t>(&kSteps));
    for (unsigned i = 0; i < lanes_ / 16; ++i) {
      code_.vector(kAdd, kExpected, kValue, At{kRcx, int32_t(64 * i)});
      code_.vector(kCompare, i == 0 ? kFound : kPart, kExpected, row(low, i), 0);
      code_.last_byte(kDifferent);
      if (i > 0) code_.mask_or(kFound, kFound, kPart);
    }
    if (access_.scalar_base < 0) compare_high(low + 1);
    code_.test_mask(kFound);
  }

  // Load or store, with the address of the first lane's low word in rax.
  void perform() {
    const unsigned low = number(access_.address);
    if (access_.scalar_base < 0) {
      code_.load_32(kRcx, row(low + 1, 0));
      code_.shift_left(kRcx, 32);
      code_.compute(0x09, kRax, kRcx, true);
    } else {
      code_.load_words(kRcx, scalar_place(number(access_.scalar_base)));
      code_.compute(0x01, kRax, kRcx, true);
    }
    const bool store = access_.action == Action::kStore;
    const unsigned data = number(store ? access_.data : access_.result);
    for (unsigned word = 0; word < access_.words; ++word)
      for (unsigned i = 0; i < lanes_ / 16; ++i) {
        const At memory{kRax, int32_t(access_.offset) + int32_t(4 * word + 64 * i)}, here = row(data + word, i);
        code_.vector(kLoad, kValue, 0, store ? here : memory);
        code_.vector(kStore, kValue, 0, store ? memory : here);
      }
  }

  At first_low() const { return row(number(access_.address), 0); }

 private:
  unsigned number(int operand) const { return op_.operands[operand].number; }
  At row(unsigned number, unsigned chunk) const { return {kRows, int32_t(number * lanes_ * 4 + chunk * 64)}; }
  void compare_high(unsigned high) {
    code_.vector(kRepeat, kValue, 0, row(high, 0));
    for (unsigned i = 0; i < lanes_ / 16; ++i) {
      code_.vector(kCompare, kPart, kValue, row(high, i), 0);
      code_.last_byte(kDifferent);
      code_.mask_or(kFound, kFound, kPart);
    }
  }

  Assembler& code_;
  const Op& op_;
  const Access& access_;
  unsigned lanes_;
};

}  // namespace

bool emit_row_access(Assembler& code, const Op& op, unsigned lanes, size_t (&others)[2]) {
  if (op.access != AccessKind::kVector) return false;
  RowAccess access(code, op, lanes);
  if (!access.can()) return false;
  code.load_32(kRax, access.first_low());
  code.compare_rax(0xffffff00u);  // the low words must not wrap
  others[0] = code.jump_if(kAbove);
  access.compare();
  others[1] = code.jump_if(kNotEqual);
  access.perform();
  return true;
}

}  // namespace hipport::emulate
