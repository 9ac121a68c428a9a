// SPDX-License-Identifier: MIT
// Instructions as they are executed: a function and its operands.
#pragma once

#include "wave.h"

namespace hipport::emulate {

struct Row;
struct Emission;
struct LinearEmission;

enum class Bank : uint8_t { kNone, kVector, kScalar, kConstant, kSpecial };

// An operand. A constant's value is `value`; for 64-bit operands it depends on the type, see constants.h.
struct Operand {
  Bank bank = Bank::kNone;
  uint8_t count = 0;     // registers
  uint16_t number = 0;   // of the first register, or the code of the constant
  uint32_t literal = 0;  // the literal's value
};

// Data-parallel primitives: which lane an operand is read from.
struct Dpp {
  bool present = false, eight = false, bound_control = false, fetch_inactive = false;
  uint16_t control = 0;
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  uint32_t selectors = 0;  // of dpp8, 3 bits each
};

// Sub-dword addressing of gfx9.
struct Sdwa {
  bool present = false;
  uint8_t destination = 6, unused = 0, source[2] = {6, 6};
  bool sign[2] = {};
};

// Changes of sources and results.
struct Modifiers {
  uint8_t negate = 0, absolute = 0, negate_high = 0, select = 0, select_high = 7, output = 0;
  bool clamp = false;
  // Which denormal numbers count as 0: of 32 bits in sources and in results, of 16 and 64 bits in sources and in results.
  uint8_t flush = 0;
  Dpp dpp;
  Sdwa sdwa;
  bool any() const { return negate || absolute || output || clamp || select || dpp.present || sdwa.present; }
};

// What an operation accesses; see access.h.
enum class AccessKind : uint8_t { kNone, kVector, kLocal, kScalar };

// What a fused sequence of operations can do with one; see fuse.h.
enum class Fusing : uint8_t {
  kAlone,    // nothing: it may throw, or wait for the host
  kNothing,  // leave it out
  kCall,     // call its function
  kMask,     // call its function, and go on if all lanes are active still
  kIfNone,   // leave it out if lanes are active: a branch for the case that none is
  kEnd       // call its function at the end: it may go elsewhere
};

using Run = const Op* (*)(Wave&, const Op*);

constexpr unsigned kMostOperands = 6;

struct Op {
  Run run = nullptr;    // for this operation, or for a sequence that begins with it
  Run alone = nullptr;  // for this operation
  Operand operands[kMostOperands];
  uint8_t operand_count = 0;
  AccessKind access = AccessKind::kNone;
  Fusing fusing = Fusing::kAlone;
  bool modified = false;
  uint8_t mode_use = 0;     // see modes.h
  bool keeps_high = false;  // 16-bit results leave the upper half of the register as it is
  Modifiers modifiers;
  int64_t immediate = 0;
  const void* extra = nullptr;          // what one kind of instruction needs
  const Op* target = nullptr;           // of branches
  uint32_t offset = 0;                  // in the code
  uint64_t values[kMostOperands] = {};  // of constant scalar operands
  const char* name = "";
  const Row* row = nullptr;  // the fields of the operands; null for halves of dual instructions
  // Constant sources by argument, one value per lane: the low words, then the high words.
  const uint32_t* constants[4] = {};
  const Emission* emission = nullptr;      // how machine code of the host does the same; null if it must be called
  const LinearEmission* linear = nullptr;  // how it is computed on registers that are linear in the lane, or null

  // `run` may change while other threads of the host run the operation: another kernel that has it is translated.
  Run current() const { return __atomic_load_n(&run, __ATOMIC_ACQUIRE); }
  void replace(Run with) { __atomic_store_n(&run, with, __ATOMIC_RELEASE); }
};

}  // namespace hipport::emulate
