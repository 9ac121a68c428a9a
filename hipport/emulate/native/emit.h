// SPDX-License-Identifier: MIT
// Writes the machine code of single operations, for fuse.cpp.
#pragma once

#include "emit_registers.h"
#include "fuse.h"
#include "lanes.h"
#include "values.h"

namespace hipport::emulate {

constexpr unsigned kActive = 7;  // the mask register of the active lanes, if there are only some

// The lanes that machine code is for: all are active, some of them, or some of the first 16.
enum class Lanes : uint8_t { kAll, kSome, kFirst };

// Translates operations.
class Emitter {
 public:
  // `values` is what is known of registers, or null if all have rows.
  Emitter(Assembler& assembler, unsigned lanes, Lanes active, Values* values = nullptr)
      : assembler_(assembler), lanes_(lanes), active_(active), values_(values) {}

  // Begin with an operation: scalar arguments are repeated in registers. With values, results stay in registers, too.
  void begin(const Op& op, unsigned arguments);
  unsigned chunks() const { return active_ == Lanes::kFirst ? 1 : lanes_ / 16; }
  Assembler& code() { return assembler_; }

  // Return the register with 16 lanes of an argument's low or high word.
  unsigned low(unsigned argument, unsigned chunk) { return word(argument, 0, chunk); }
  unsigned high(unsigned argument, unsigned chunk) { return word(argument, 1, chunk); }
  // Return a register that may be changed, with the low word of an argument.
  unsigned copy(unsigned argument, unsigned chunk);
  // Load 16 lanes of a mask that is an argument.
  void load_bits(unsigned argument, unsigned chunk, unsigned mask);
  // Repeat a constant.
  void repeat(unsigned to, uint32_t value);
  // Store 16 lanes of a word of the result.
  void store(unsigned from, unsigned chunk, unsigned word = 0);
  // Join the parts of a mask of all lanes, which are in the mask registers from 1 on, in the first of them.
  void join_bits();
  // Store a mask, whose parts are in the mask registers from 1 on.
  void store_bits(unsigned operand);

  const Op& op() const { return *op_; }
  const Operand& operand(unsigned argument) const;
  bool is_constant(unsigned argument) const { return operand(argument).bank == Bank::kConstant; }
  uint32_t constant(unsigned argument) const { return op_->constants[argument][0]; }

 private:
  unsigned word(unsigned argument, unsigned which, unsigned chunk);
  void prepare(unsigned argument);
  bool changes_sign(unsigned argument) const;
  void change_sign(unsigned argument, unsigned to, unsigned from);
  At row(unsigned number, unsigned chunk) const { return row_place(number, chunk, lanes_); }

  Assembler& assembler_;
  unsigned lanes_;
  Lanes active_;
  Values* values_;
  Value sources_[4][2];  // of arguments in vector registers, before the result is stored
  Held results_[2]{};    // where the words of the result go, if there are values
  const Op* op_ = nullptr;
  unsigned arguments_ = 0;
};

// How to translate an operation with so many arguments.
struct Emission {
  unsigned arguments;
  void (*emit)(Emitter&, const Emission&);
  bool (*can)(const Op&) = nullptr;  // null: always
  bool floats = false, packed = false;
  Vex instruction = {};
  uint8_t constant = 0;  // of the instruction
  bool reversed = false;
};

// Translate a scalar operation that does not change the active lanes. Return false if it must be called.
bool emit_scalar(Assembler& code, const Op& op);

// Translate what is to be done by an operation that may change the active lanes if all are active and stay so. Return the
// jump that is made then, or 0 if the operation must be called.
size_t emit_unchanged(Emitter& emitter, const Op& op, bool lanes_are_64);

// Whether code was written for a scalar operation on exec that leaves all lanes active, and the jump that is made if it
// does not, or 0.
struct KeptMask {
  bool is_kept = false;
  size_t other = 0;
};
KeptMask emit_kept_mask(Assembler& code, const Op& op, bool lanes_are_64);

// Translate an access to global memory by all lanes for the case that their addresses are consecutive. Return false if the
// access must be called. `others` become the jumps that are made for other addresses.
bool emit_row_access(Assembler& code, const Op& op, unsigned lanes, size_t (&others)[2]);

}  // namespace hipport::emulate
