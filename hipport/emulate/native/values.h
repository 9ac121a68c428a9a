// SPDX-License-Identifier: MIT
// Vector registers whose values are linear in the lane, as far as that is known while a sequence is translated.
//
// A linear register is kept as the value of its first lane, in Wave::bases, and as a stride that is a constant of the
// translation. Its row in Wave::rows is written only where the row itself is needed.
#pragma once

#include "emit_registers.h"

#include <array>
#include <map>

namespace hipport::emulate {

// Registers of the host for the parts of one.
using Held = std::array<uint8_t, kMaxLanes / 8>;

struct Value {
  enum class Form : uint8_t {
    kRow,     // in its row
    kLinear,  // the base, plus the stride for each lane before
    kSum,     // the base plus the row of another register, or of this one, as it is in memory
    kHeld     // in vector registers of the host
  };
  Form form = Form::kRow;
  bool exact = false;   // of kLinear: no lane's value wraps around at 32 bits
  bool stored = false;  // of kLinear and kHeld: the row has the values, too
  uint32_t stride = 0;
  unsigned row = 0;  // of kSum
  Held held{};       // of kHeld: the host's registers for each part of the lanes
  unsigned age = 0;  // of kHeld

  bool is_linear() const { return form == Form::kLinear; }
  bool is_held() const { return form == Form::kHeld; }
};

// The largest stride that is kept: the lanes of a wavefront stay within half of the 32 bits.
constexpr uint32_t kLargestStride = 1u << 20;

// Return `stride` times the number of the lane, for each lane; the array lasts as long as the program.
const uint32_t* steps(uint32_t stride);

class Values {
 public:
  explicit Values(unsigned lanes) : lanes_(lanes) {}

  Value at(unsigned number) const;
  // The base of the register has been written.
  void set_linear(unsigned number, uint32_t stride, bool exact);
  void set_sum(unsigned number, unsigned row);
  void set_exact(unsigned number) { known_[number].exact = true; }
  void set_held(unsigned number, const Held& held);
  // Return whether the host has enough registers to hold results there.
  bool can_hold(const Assembler& code) const { return code.spare_registers().size() >= 2 * lanes_ / code.width(); }
  // Return registers of the host for a register that is to be written, which may be those that it has. `other` are not
  // free, either.
  Held allocate(Assembler& code, unsigned number, const Held& other = {});
  // The row of the register has been written.
  void set_row(unsigned number);
  // Call before the row of a register is written: other registers may depend on what is there.
  void claim(Assembler& code, unsigned number);
  // Store rows that are held, since a call changes the host's registers.
  void release_all(Assembler& code);
  // The same for code that loads them again after the call. Call claim_held() first, in any case.
  void claim_held(Assembler& code);
  void store_held(Assembler& code) const;
  void load_held(Assembler& code) const;
  // Write the row of a register that has none. Changes rcx and vector registers 8 and 9.
  void materialize(Assembler& code, unsigned number);
  void materialize_all(Assembler& code);
  // Load a part of a linear register or of a sum to a vector register. Changes rcx.
  void load(Assembler& code, const Value& value, unsigned number, unsigned chunk, unsigned to) const;

 private:
  unsigned lanes_, clock_ = 0;
  std::map<unsigned, Value> known_;
};

}  // namespace hipport::emulate
