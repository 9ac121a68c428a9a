// SPDX-License-Identifier: MIT
// Machine code for loads and stores of consecutive words.
#include "emit.h"
#include "host_codes.h"
#include "memory_kinds.h"

namespace hipport::emulate {
namespace {

constexpr Vex kOrWords{1, 1, 0xeb}, kXorWords{1, 1, 0xef};
constexpr unsigned kValue = 8, kDifference = 9, kDifferent = 10;
// The low word of an address from which the other lanes of a register do not wrap around.
constexpr uint32_t kLastLow = ~uint32_t(4 * 16);

// What lanes of a register add to the address of the first.
struct alignas(64) Steps {
  uint32_t bytes[16];
};
constexpr Steps kSteps = [] {
  Steps all{};
  for (unsigned i = 0; i < 16; ++i) all.bytes[i] = 4 * i;
  return all;
}();

// Each part of the wavefront may have its own row: kernels with blocks of two dimensions access rows of a matrix.
class RowAccess {
 public:
  RowAccess(Assembler& code, const Op& op, unsigned lanes)
      : code_(code),
        op_(op),
        access_(*static_cast<const Access*>(op.extra)),
        lanes_(lanes),
        low_(access_.address >= 0 ? number(access_.address) : 0) {}

  bool can() const {
    const bool store = access_.action == Action::kStore;
    if (is_local())  // loads are translated elsewhere
      return store && access_.part == Part::kWhole && access_.address >= 0 && access_.words == 1 && access_.count == 1;
    return access_.space == Space::kGlobal && access_.action != Action::kAtomic && access_.part == Part::kWhole &&
           access_.address >= 0 && access_.words <= (store ? 1u : 4u) && access_.offset == int32_t(access_.offset);
  }

  // Compare the addresses with what consecutive ones in each part would be. Add the jumps for others.
  void compare(std::vector<size_t>& others) {
    for (unsigned i = 0; i < chunks(); ++i) {
      code_.compare_32(row(low_, i), kLastLow);
      others.push_back(code_.jump_if(kAbove));
    }
    code_.constant(kRcx, reinterpret_cast<uint64_t>(&kSteps));
    for (unsigned i = 0; i < chunks(); ++i) {
      code_.vector(kRepeatWord, kValue, 0, row(low_, i));
      code_.vector(kAddWords, kValue, kValue, At{kRcx, 0});
      add_difference(row(low_, i), i == 0);
    }
    for (unsigned i = 0; i < chunks() && access_.scalar_base < 0 && !is_local(); ++i) {
      code_.vector(kRepeatWord, kValue, 0, row(low_ + 1, i));
      add_difference(row(low_ + 1, i), false);
    }
    code_.test_zero(kDifferent);
    others.push_back(code_.jump_if(kNotEqual));
    if (is_local()) compare_bounds(others);
  }

  // Load or store. A load may overwrite its own addresses, which are read before by parts.
  void perform() {
    const bool store = access_.action == Action::kStore;
    const unsigned data = number(store ? access_.data : access_.result);
    for (unsigned i = 0; i < chunks(); ++i) {
      load_address(i);
      for (unsigned word = 0; word < access_.words; ++word) {
        const At memory{kRax, offset() + int32_t(4 * word)}, here = row(data + word, i);
        code_.vector(kLoadRow, kValue, 0, store ? here : memory);
        code_.vector(kStoreRow, kValue, 0, store ? memory : here);
      }
    }
  }

 private:
  bool is_local() const { return access_.space == Space::kLocal; }
  int32_t offset() const { return is_local() ? int32_t(access_.offsets[0]) : int32_t(access_.offset); }
  At group_place(size_t byte) const { return {kRcx, int32_t(byte)}; }
  // Add the jumps for rows that do not end within local memory.
  void compare_bounds(std::vector<size_t>& others) {
    code_.load_64(kRcx, {kWave, int32_t(offsetof(Wave, group))});
    for (unsigned i = 0; i < chunks(); ++i) {
      code_.load_32(kRax, row(low_, i));
      code_.load_address_64(kRax, {kRax, offset() + int32_t(4 * code_.width())});
      code_.compute_with(kCompare, kRax, group_place(offsetof(WorkGroup, local_bytes)), true);
      others.push_back(code_.jump_if(kAbove));
    }
  }
  unsigned number(int operand) const { return op_.operands[operand].number; }
  unsigned chunks() const { return lanes_ / code_.width(); }
  At row(unsigned number, unsigned chunk) const { return row_place(number, chunk, lanes_, code_.width()); }
  void add_difference(At row, bool first) {
    code_.vector(kXorWords, first ? kDifferent : kDifference, kValue, row);
    if (!first) code_.vector(kOrWords, kDifferent, kDifferent, kDifference);
  }
  // Set rax to the address of the first lane of a part, without the access's offset.
  void load_address(unsigned chunk) {
    code_.load_32(kRax, row(low_, chunk));
    if (is_local()) {
      if (chunk == 0) code_.load_64(kRcx, group_place(offsetof(WorkGroup, local_start)));
      code_.compute(kAdd, kRax, kRcx, true);
    } else if (access_.scalar_base < 0) {
      code_.load_32(kRcx, row(low_ + 1, chunk));
      code_.shift_left(kRcx, 32);
      code_.compute(kOr, kRax, kRcx, true);
    } else {
      code_.load_words(kRcx, scalar_place(number(access_.scalar_base)));
      code_.compute(kAdd, kRax, kRcx, true);
    }
  }

  Assembler& code_;
  const Op& op_;
  const Access& access_;
  unsigned lanes_, low_;
};

}  // namespace

bool emit_row_access(Assembler& code, const Op& op, unsigned lanes, std::vector<size_t>& others) {
  if (op.access != AccessKind::kVector && op.access != AccessKind::kLocal) return false;
  RowAccess access(code, op, lanes);
  if (!access.can()) return false;
  access.compare(others);
  access.perform();
  return true;
}

}  // namespace hipport::emulate
