// SPDX-License-Identifier: MIT
// Writes the machine code of single operations, for fuse.cpp.
#pragma once

#include "assembler.h"
#include "fuse.h"
#include "lanes.h"

namespace hipport::emulate {

// Registers that hold the wavefront and its vector registers.
constexpr Register kWave = kRbx, kRows = kRbp;
constexpr unsigned kActive = 7;  // the mask register of the active lanes, if there are only some

// Translates operations for all lanes, or for those of the first 16 that are active.
class Emitter {
 public:
  Emitter(Assembler& assembler, unsigned lanes, bool narrow) : assembler_(assembler), lanes_(lanes), narrow_(narrow) {}

  // Begin with an operation: scalar arguments are repeated in registers.
  void begin(const Op& op, unsigned arguments);
  unsigned chunks() const { return narrow_ ? 1 : lanes_ / 16; }
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
  void change_sign(unsigned argument, unsigned to, unsigned from);
  At row(unsigned number, unsigned chunk) const { return {kRows, int32_t(number * lanes_ * 4 + chunk * 64)}; }

  Assembler& assembler_;
  unsigned lanes_;
  bool narrow_;
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
size_t emit_saved_mask(Assembler& code, const Op& op, bool lanes_are_64);

// Translate an access to global memory by all lanes for the case that their addresses are consecutive. Return false if the
// access must be called. `others` become the jumps that are made for other addresses.
bool emit_row_access(Assembler& code, const Op& op, unsigned lanes, size_t (&others)[2]);

// Where in `wave.scalars` a register is.
At scalar_place(unsigned number, unsigned byte = 0);

}  // namespace hipport::emulate
