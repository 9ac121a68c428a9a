// SPDX-License-Identifier: MIT
// Machine code for loads and stores of consecutive words.
#include "emit.h"
#include "memory_kinds.h"

namespace hipport::emulate {
namespace {

constexpr Vex kOrWords{1, 1, 0xeb}, kXorWords{1, 1, 0xef};
constexpr uint8_t kAbove = 7, kNotEqual = 5;
constexpr unsigned kValue = 8, kExpected = 9, kDifferent = 10;

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
    code_.vector(kRepeatWord, kValue, 0, row(low, 0));
    code_.constant(kRcx, reinterpret_cast<uint64_t>(&kSteps));
    for (unsigned i = 0; i < chunks(); ++i) {
      code_.vector(kAddWords, kExpected, kValue, At{kRcx, offset_of(i)});
      add_difference(kExpected, row(low, i), i == 0);
    }
    if (access_.scalar_base < 0) {
      code_.vector(kRepeatWord, kValue, 0, row(low + 1, 0));
      for (unsigned i = 0; i < chunks(); ++i) add_difference(kValue, row(low + 1, i), false);
    }
    code_.test_zero(kDifferent);
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
      for (unsigned i = 0; i < chunks(); ++i) {
        const At memory{kRax, int32_t(access_.offset) + int32_t(4 * word) + offset_of(i)}, here = row(data + word, i);
        code_.vector(kLoadRow, kValue, 0, store ? here : memory);
        code_.vector(kStoreRow, kValue, 0, store ? memory : here);
      }
  }

  At first_low() const { return row(number(access_.address), 0); }

 private:
  unsigned number(int operand) const { return op_.operands[operand].number; }
  unsigned chunks() const { return lanes_ / code_.width(); }
  int32_t offset_of(unsigned chunk) const { return int32_t(4 * code_.width() * chunk); }
  At row(unsigned number, unsigned chunk) const { return row_place(number, chunk, lanes_, code_.width()); }
  void add_difference(unsigned expected, At row, bool first) {
    code_.vector(kXorWords, first ? kDifferent : kExpected, expected, row);
    if (!first) code_.vector(kOrWords, kDifferent, kDifferent, kExpected);
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
