// SPDX-License-Identifier: MIT
// Loads that transpose between lanes, as operands of matrix instructions need it, and loads and stores of blocks of
// registers.
//
// AMD's documents say that matrices are transposed, not which lane gets what. The order here is what programs measured on
// GPUs: for gfx950, tests of rocRoller; for gfx12, probes that dump all lanes. All lanes must be active, the documents say;
// here an inactive lane's elements are 0.
#include "access.h"
#include "memory_kinds.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hipport::emulate {
namespace {

constexpr unsigned kMostWords = 4;

// An element that a lane read.
struct Source {
  unsigned lane, element;
};
using Order = Source (*)(unsigned lane, unsigned element, unsigned elements);

// Lanes are taken 16 at a time. Their elements, in the order of lanes, are rows of 16; each lane gets a column.
Source columns_of_16(unsigned lane, unsigned element, unsigned elements) {
  const unsigned number = 16 * element + lane % 16;
  return {(lane & ~15u) + number / elements, number % elements};
}

// 8 lanes transpose 8 by 8 elements.
Source columns_of_8(unsigned lane, unsigned element, unsigned) { return {(lane & ~7u) + element, lane % 8}; }

// 8 lanes of 16 get elements from 4 lanes of each half.
Source columns_of_bytes(unsigned lane, unsigned element, unsigned) {
  return {(lane & ~15u) + element / 4 * 8 + lane / 8 % 2 * 4 + element % 4, lane % 8};
}

struct Words {
  uint32_t words[kMostWords + 1] = {};  // one more, so that an element may be read with the next word

  uint32_t bits(unsigned at, unsigned count) const {
    const uint64_t two = words[at / 32] | uint64_t(words[at / 32 + 1]) << 32;
    return uint32_t(two >> at % 32) & ((1u << count) - 1);
  }
  void set_bits(unsigned at, uint32_t value) {
    const uint64_t two = uint64_t(value) << at % 32;
    words[at / 32] |= uint32_t(two);
    words[at / 32 + 1] |= uint32_t(two >> 32);
  }
};

const Op* transpose(Wave& wave, const Op* op, const Access& access, const Words* read, Order order) {
  const unsigned bits = access.transposed, elements = 32 * access.words / bits;
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    Words found;
    for (unsigned i = 0; i < elements; ++i) {
      const Source from = order(lane, i, elements);
      found.set_bits(i * bits, read[from.lane].bits(from.element * bits, bits));
    }
    for (unsigned word = 0; word < access.words; ++word)
      wave.v(op->operands[access.result].number + word)[lane] = found.words[word];
  }
  return op + 1;
}

}  // namespace

const Op* load_transposed_local(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const size_t bytes = 4 * access.words;
  Words read[kMaxLanes];
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const uint32_t at = wave.v(op->operands[access.address].number)[lane] + access.offsets[0];
    if (at + bytes > wave.group->local.size()) continue;  // loads behind the end return 0
    std::memcpy(read[lane].words, wave.group->local.data() + at, bytes);
  }
  return transpose(wave, op, access, read, &columns_of_16);
}

const Op* load_transposed_global(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  Words read[kMaxLanes];
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    std::memcpy(read[lane].words, address_of(wave, op, access, lane), 4 * access.words);
  }
  return transpose(wave, op, access, read, access.transposed == 8 ? &columns_of_bytes : &columns_of_8);
}

const Op* move_block(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const bool loads = access.action == Action::kLoad;
  const unsigned first = op->operands[loads ? access.result : access.data].number;
  uint8_t* at[kMaxLanes] = {};
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {  // a load may overwrite its own addresses
    const unsigned lane = unsigned(std::countr_zero(left));
    at[lane] = address_of(wave, op, access, lane);
  }
  for (uint32_t registers = wave.scalars[kM0]; registers != 0; registers &= registers - 1) {
    const unsigned number = unsigned(std::countr_zero(registers));
    uint32_t* const words = wave.v(first + number);
    for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
      const unsigned lane = unsigned(std::countr_zero(left));
      uint8_t* const memory = at[lane] + 4 * number;
      std::memcpy(loads ? static_cast<void*>(words + lane) : memory, loads ? memory : static_cast<void*>(words + lane),
                  4);
    }
  }
  return op + 1;
}

}  // namespace hipport::emulate
