// SPDX-License-Identifier: MIT
// Machine code to its fields, by the tables that scripts/learn_instructions.py makes.
#pragma once

#include "operation.h"

#include <map>
#include <string_view>
#include <vector>

namespace hipport::emulate {

// An operand of an opcode's row: `field` with registers of a bank, or a word such as "vcc" or "off".
struct Slot {
  std::string_view word;  // if it is no field
  std::string_view field;
  char bank = 0;
  uint8_t count = 0;
};

struct Row {
  std::string_view name;
  std::vector<Slot> slots;
};

struct Field {
  uint8_t low, width;
};

struct Format {
  std::string_view name;
  unsigned size;  // bytes
  uint32_t match, mask;
  unsigned opcode_low, opcode_width;
  std::map<std::string_view, Field> fields;
  std::vector<Row> rows;     // by opcode; without a name if there is no such instruction
  unsigned opcode_high = 0;  // where the highest bit of the opcode is, if not with the others

  uint64_t opcode(uint64_t code) const {
    const uint64_t found = code >> opcode_low & ((uint64_t(1) << opcode_width) - 1);
    return opcode_high == 0 ? found : found | (code >> opcode_high & 1) << opcode_width;
  }
};

struct Processor {
  std::string_view name;
  unsigned generation;  // 9 to 12
  std::vector<Format> formats;
};

// Return the processor, or null if there is no table for it.
const Processor* find_processor(std::string_view name);

// An instruction with its fields. `size` is 0 if the bytes are none.
struct Decoded {
  const Format* format = nullptr;
  const Row* row = nullptr;
  unsigned size = 0;
  std::string_view name;  // without _e32, _e64 and the like
  uint64_t code = 0;
  uint32_t third = 0;          // bits 64 to 95
  uint32_t addresses[3] = {};  // of image instructions: further registers, four in each word
  bool has_literal = false;
  uint32_t literal = 0;
  std::vector<Operand> operands;
  Modifiers modifiers;

  bool has(std::string_view field) const { return format->fields.count(field) != 0; }
  uint64_t get(std::string_view field) const;
};

// Decode the instruction at `bytes`, of which `available` can be read. A dual instruction (VOPD) yields two.
std::vector<Decoded> decode(const Processor& processor, const uint8_t* bytes, size_t available);

}  // namespace hipport::emulate
