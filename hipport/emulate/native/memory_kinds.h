// SPDX-License-Identifier: MIT
// Accesses to memory as they are bound to operations.
#pragma once

#include "access.h"
#include "decode.h"

#include <map>
#include <optional>
#include <string>

namespace hipport::emulate {

// How an instruction computes its addresses.
enum class Space : uint8_t { kGlobal, kFlat, kScratch, kBuffer, kLocal };

// The kinds of access, to `words` registers or to a part of one.
enum class Action : uint8_t { kLoad, kStore, kAtomic };
enum class Part : uint8_t { kWhole, kUnsigned8, kSigned8, kUnsigned16, kSigned16 };
enum class Keep : uint8_t { kNothing, kHigh, kLow };  // d16: which half of the register stays as it is

// One read-modify-write of the memory at `p`; returns the old value.
using Modify = uint64_t (*)(void* p, uint64_t data, uint64_t compare);

// Return the modifications by name: of integers, "add_u32" as gfx11 and later call it.
const std::map<std::string, Modify>& modifications();

// An access, found in op->extra.
struct Access {
  Space space;
  Action action;
  Part part = Part::kWhole;
  Keep keep = Keep::kNothing;
  bool high = false;                          // store the upper half
  unsigned words = 1, count = 1, stride = 0;  // of ds_read2 and its like: two accesses, `stride` bytes apart
  unsigned offsets[2] = {};
  int64_t offset = 0;
  Modify modify = nullptr;
  bool returns = false, compares = false;
  bool to_local = false;                     // load to local memory
  bool by_lane = false;                      // lanes access consecutive words
  bool block = false;                        // the bits of m0 say which of the registers are moved
  uint8_t transposed = 0;                    // of loads that transpose between lanes: the bits of an element
  bool by_index = false, by_offset = false;  // of buffers: what the address register (or the two) hold
  // Indexes into op->operands, or -1.
  int address = -1, data = -1, data2 = -1, result = -1, scalar_base = -1, scalar_offset = -1, resource = -1;
};

// Return how many bytes of memory one lane moves at once.
constexpr unsigned bytes_of(Part part, unsigned words) {
  if (part == Part::kWhole) return 4 * words;
  return part == Part::kUnsigned8 || part == Part::kSigned8 ? 1 : 2;
}
constexpr unsigned bytes_of(const Access& access) { return bytes_of(access.part, access.words); }

// Return an access as its name describes it, or nothing if it is none.
std::optional<Access> described_access(std::string_view name, unsigned generation);

// The general forms of accesses, for every kind of them.
const Op* run_access(Wave& wave, const Op* op);
const Op* run_local(Wave& wave, const Op* op);

// Find the operands of an access, and its offset.
void bind_places(const Processor& processor, const Decoded& decoded, Access& access);

// Return where one lane accesses memory, or null behind the end of a buffer. Throws Fault outside of local and of private
// memory.
uint8_t* address_of(Wave& wave, const Op* op, const Access& access, unsigned lane);
// Return `bytes` of local memory. Throws Fault behind its end.
uint8_t* local_at(Wave& wave, size_t offset, size_t bytes);

// Loads that transpose elements between lanes: of local memory on gfx950, of global memory on gfx12.
const Op* load_transposed_local(Wave& wave, const Op* op);
const Op* load_transposed_global(Wave& wave, const Op* op);
// Loads and stores of those of 32 registers that m0 names.
const Op* move_block(Wave& wave, const Op* op);

// Set wave.grouped[slot] for loads of local memory at the addresses in a vector register, for parts of `width` lanes, with
// offsets that end before `extent`. Return 0 if the addresses are not consecutive words, or one word, of each 16 lanes, if
// they are not so in the same way, or if some are outside.
uint32_t group_addresses(Wave& wave, unsigned number, uint32_t extent, uint32_t slot_and_width);

// Return a form of an access that moves all lanes at once, or null if there is none for this one.
Run fast_access(const Access& access, unsigned lanes);

}  // namespace hipport::emulate
