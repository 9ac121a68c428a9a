// SPDX-License-Identifier: MIT
// Vector registers whose values are linear in the lane, as far as that is known while a sequence is translated.
//
// A linear register is kept as the value of its first lane, in Wave::bases, and as a stride that is a constant of the
// translation. Its row in Wave::rows is written only where the row itself is needed.
#pragma once

#include "emit_registers.h"

#include <functional>
#include <map>

namespace hipport::emulate {

struct Value {
  enum class Form : uint8_t {
    kRow,     // in its row
    kLinear,  // the base, plus the stride for each lane before
    kSum      // the base plus the row of another register, or of this one, as it is in memory
  };
  Form form = Form::kRow;
  bool exact = false;   // of kLinear: no lane's value wraps around at 32 bits
  bool stored = false;  // of kLinear: the row has the values, too
  uint32_t stride = 0;
  unsigned row = 0;  // of kSum

  bool is_linear() const { return form == Form::kLinear; }
  bool operator==(const Value&) const = default;
};

// The largest stride that is kept: the threads of a work-group stay within half of the 32 bits.
constexpr uint32_t kLargestStride = 1u << 20;

// Return `stride` times the number of the lane, for each thread that a work-group may have; the array lasts as long as the
// program.
const uint32_t* steps(uint32_t stride);

class Values {
 public:
  explicit Values(unsigned lanes) : lanes_(lanes) {}

  Value at(unsigned number) const;
  // The base of the register has been written.
  void set_linear(unsigned number, uint32_t stride, bool exact);
  void set_sum(unsigned number, unsigned row);
  void set_exact(unsigned number) { known_[number].exact = true; }
  // The row of the register has been written.
  void set_row(unsigned number);
  // Return whether another register is a sum with the row of a register.
  bool needs_row(unsigned number) const;
  // Call before the row of a register is written: other registers may depend on what is there.
  void claim(Assembler& code, unsigned number);
  // Write the row of a register that has none. Changes rcx and vector registers 8 and 9.
  void materialize(Assembler& code, unsigned number);
  void materialize_all(Assembler& code);
  // The same for those that are sums.
  void materialize_sums(Assembler& code);
  // Forget which registers do not wrap around, so that fewer values differ: that is soon found again.
  void forget_exact();
  // Forget registers whose values nothing needs.
  void forget_if(const std::function<bool(unsigned)>& is_dead);
  // Return whether all registers have rows.
  bool is_empty() const { return known_.empty(); }
  bool operator==(const Values&) const = default;
  // Load a part of a linear register or of a sum to a vector register. Changes rcx.
  void load(Assembler& code, const Value& value, unsigned number, unsigned chunk, unsigned to) const;

 private:
  unsigned lanes_;
  std::map<unsigned, Value> known_;
};

}  // namespace hipport::emulate
