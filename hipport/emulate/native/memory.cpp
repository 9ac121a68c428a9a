// SPDX-License-Identifier: MIT
// Loads, stores and atomic operations on global, local and private memory.
#include "access.h"
#include "memory_kinds.h"
#include "bind.h"
#include "lanes.h"
#include "small_floats.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace hipport::emulate {
namespace {

template <typename T, auto F>
uint64_t modify(void* p, uint64_t data, uint64_t) {
  T* const to = static_cast<T*>(p);
  const T operand = value_of<T>(uint32_t(data), uint32_t(data >> 32));
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Bits* const bits = reinterpret_cast<Bits*>(to);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    const Bits next = std::bit_cast<Bits>(F(std::bit_cast<T>(old), operand));
    if (__atomic_compare_exchange_n(bits, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}
template <typename T>
uint64_t compare_and_swap(void* p, uint64_t data, uint64_t compare) {
  T expected = T(compare);
  __atomic_compare_exchange_n(static_cast<T*>(p), &expected, T(data), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

// A loop around any function of the old value, the data and the second data.
template <typename T, typename F>
uint64_t modified_by(void* p, F next) {
  T* const to = static_cast<T*>(p);
  T old = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(to, &old, T(next(old)), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}
template <typename F, typename T>
uint64_t compare_and_swap_float(void* p, uint64_t data, uint64_t compare) {
  return modified_by<T>(p,
                        [&](T old) { return std::bit_cast<F>(old) == std::bit_cast<F>(T(compare)) ? T(data) : old; });
}
// Of these the "comparand" is what the encoding has as its second data.
template <typename T>
uint64_t mask_or(void* p, uint64_t mask, uint64_t bits) {
  return modified_by<T>(p, [&](T old) { return T((old & ~T(mask)) | T(bits)); });
}
uint64_t wrap(void* p, uint64_t data, uint64_t added) {
  return modified_by<uint32_t>(
      p, [&](uint32_t old) { return old >= uint32_t(data) ? old - uint32_t(data) : old + uint32_t(added); });
}
// Two words, each of which is replaced if the data's highest bit says so.
uint64_t conditional_exchange(void* p, uint64_t data, uint64_t) {
  return modified_by<uint64_t>(p, [&](uint64_t old) {
    uint64_t next = old;
    if (data >> 31 & 1) next = (next & ~uint64_t(0xffffffff)) | (data & 0x7fffffff);
    if (data >> 63 & 1) next = (next & 0xffffffff) | (data >> 32 & 0x7fffffff) << 32;
    return next;
  });
}

HalfPair add_halves(HalfPair a, HalfPair b) {
  const auto sum = [](uint32_t x, uint32_t y) {
    return uint32_t(std::bit_cast<uint16_t>(Half(std::bit_cast<Half>(uint16_t(x)) + std::bit_cast<Half>(uint16_t(y)))));
  };
  return {sum(a.bits, b.bits) | sum(a.bits >> 16, b.bits >> 16) << 16};
}

template <typename U, typename S>
void add_integer_atomics(std::map<std::string, Modify>& table, const std::string& unsigned_type,
                         const std::string& signed_type, const std::string& bits) {
  table["add_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(a + b); })>;
  table["sub_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(a - b); })>;
  table["rsub_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(b - a); })>;
  table["min_" + unsigned_type] = &modify<U, ([](U a, U b) { return std::min(a, b); })>;
  table["max_" + unsigned_type] = &modify<U, ([](U a, U b) { return std::max(a, b); })>;
  table["min_" + signed_type] = &modify<S, ([](S a, S b) { return std::min(a, b); })>;
  table["max_" + signed_type] = &modify<S, ([](S a, S b) { return std::max(a, b); })>;
  table["inc_" + unsigned_type] = &modify<U, ([](U a, U b) { return a >= b ? U(0) : U(a + 1); })>;
  table["dec_" + unsigned_type] = &modify<U, ([](U a, U b) { return a == 0 || a > b ? b : U(a - 1); })>;
  table["and_" + bits] = &modify<U, ([](U a, U b) { return U(a & b); })>;
  table["or_" + bits] = &modify<U, ([](U a, U b) { return U(a | b); })>;
  table["xor_" + bits] = &modify<U, ([](U a, U b) { return U(a ^ b); })>;
  table["swap_" + bits] = &modify<U, ([](U, U b) { return b; })>;
  table["cmpswap_" + bits] = &compare_and_swap<U>;
}

const std::map<std::string, Modify>& modifications() {
  static const std::map<std::string, Modify> all = [] {
    std::map<std::string, Modify> table;
    add_integer_atomics<uint32_t, int32_t>(table, "u32", "i32", "b32");
    add_integer_atomics<uint64_t, int64_t>(table, "u64", "i64", "b64");
    table["add_f32"] = &modify<float, ([](float a, float b) { return a + b; })>;
    table["add_f64"] = &modify<double, ([](double a, double b) { return a + b; })>;
    // A NaN yields to a number; of equal ones the old number stays.
    for (const char* name : {"min_f32", "min_num_f32"})
      table[name] = &modify<float, ([](float a, float b) { return b < a || a != a ? b : a; })>;
    for (const char* name : {"max_f32", "max_num_f32"})
      table[name] = &modify<float, ([](float a, float b) { return b > a || a != a ? b : a; })>;
    table["min_f64"] = &modify<double, ([](double a, double b) { return b < a || a != a ? b : a; })>;
    table["max_f64"] = &modify<double, ([](double a, double b) { return b > a || a != a ? b : a; })>;
    table["pk_add_bf16"] = &modify<uint32_t, ([](uint32_t a, uint32_t b) {
                                     const auto sum = [](uint32_t x, uint32_t y) {
                                       return to_bfloat16(from_bfloat16(x & 0xffff) + from_bfloat16(y & 0xffff));
                                     };
                                     return sum(a, b) | sum(a >> 16, b >> 16) << 16;
                                   })>;
    for (const char* name : {"csub", "csub_u32", "sub_clamp_u32"})
      table[name] = &modify<uint32_t, ([](uint32_t a, uint32_t b) { return a < b ? 0 : a - b; })>;
    table["cond_sub_u32"] = &modify<uint32_t, ([](uint32_t a, uint32_t b) { return a >= b ? a - b : a; })>;
    table["cmpswap_f32"] = &compare_and_swap_float<float, uint32_t>;
    table["cmpswap_f64"] = &compare_and_swap_float<double, uint64_t>;
    table["mskor_b32"] = &mask_or<uint32_t>;
    table["mskor_b64"] = &mask_or<uint64_t>;
    table["wrap_b32"] = &wrap;
    table["condxchg32_b64"] = &conditional_exchange;
    table["min_num_f64"] = table["min_f64"];
    table["max_num_f64"] = table["max_f64"];
    table["pk_add_f16"] = &modify<HalfPair, ([](HalfPair a, HalfPair b) { return add_halves(a, b); })>;
    return table;
  }();
  return all;
}

// Where a buffer is accessed, or no place if that is behind its end. Records count bytes, or elements if there is a
// stride and an index.
Place buffer_place(Wave& wave, const Op* op, const Access& access, unsigned lane, uint64_t offset, uint64_t moved) {
  const unsigned resource = op->operands[access.resource].number;
  const uint64_t stride = wave.scalars[resource + 1] >> 16 & 0x3fff, records = wave.scalars[resource + 2];
  const uint64_t index = access.by_index ? wave.v(op->operands[access.address].number)[lane] : 0;
  const unsigned bytes = access.part == Part::kWhole                                        ? 4 * access.words
                         : access.part == Part::kUnsigned8 || access.part == Part::kSigned8 ? 1
                                                                                            : 2;
  const bool structured = access.by_index && stride != 0;
  if (structured ? index >= records : offset + bytes > records) return {Memory::kNone, 0};
  return {Memory::kGlobal, (wave.pair(resource) & 0xffffffffffffull) + index * stride + offset + moved};
}

// Return what one lane accesses: an address, or an offset in local or in the lane's private memory.
Place place_in(Wave& wave, const Op* op, const Access& access, unsigned lane) {
  const auto vector = [&](int operand, unsigned word) { return wave.v(op->operands[operand].number + word)[lane]; };
  const auto scalar = [&](int operand) -> uint64_t {
    const Operand& from = op->operands[operand];
    return from.bank == Bank::kConstant ? op->values[operand] : from.number == kNull ? 0 : wave.scalars[from.number];
  };
  switch (access.space) {
    case Space::kScratch: {
      uint32_t offset = uint32_t(access.offset);
      if (access.address >= 0) offset += vector(access.address, 0);
      if (access.scalar_base >= 0) offset += uint32_t(scalar(access.scalar_base));
      return {Memory::kPrivate, offset};
    }
    case Space::kBuffer: {
      const unsigned resource = op->operands[access.resource].number;
      uint64_t offset = uint64_t(access.offset);
      if (access.by_offset) offset += vector(access.address, access.by_index ? 1 : 0);
      const uint64_t moved = scalar(access.scalar_offset);
      if (wave.scalars[resource + 1] != kPrivateResource) return buffer_place(wave, op, access, lane, offset, moved);
      // Offsets in scalar registers count bytes of all lanes. The sum has 32 bits: a vector register may be negative.
      return {Memory::kPrivate, uint32_t(offset + moved / wave.lanes + uint64_t(wave.scalars[resource]) / wave.lanes)};
    }
    default: break;
  }
  uint64_t address = uint64_t(access.offset);
  if (access.scalar_base >= 0) {
    address += wave.pair(op->operands[access.scalar_base].number);
    if (access.address >= 0) address += vector(access.address, 0);
  } else if (access.address >= 0) {
    address += vector(access.address, 0) | uint64_t(vector(access.address, 1)) << 32;
  }
  if (access.by_lane) address += 4 * lane;
  if (access.space == Space::kFlat) {
    const uint32_t upper = uint32_t(address >> 32);
    if (upper == kLocalAperture) return {Memory::kLocal, uint32_t(address)};
    if (upper == kPrivateAperture) return {Memory::kPrivate, uint32_t(address)};
  }
  return {Memory::kGlobal, address};
}

}  // namespace

uint8_t* address_of(Wave& wave, const Op* op, const Access& access, unsigned lane) {
  const Place place = place_in(wave, op, access, lane);
  if (place.memory == Memory::kNone) return nullptr;
  if (place.memory == Memory::kGlobal) return reinterpret_cast<uint8_t*>(place.at);
  if (place.memory == Memory::kLocal) {
    if (place.at >= wave.group->local.size())
      throw Fault("shared memory is accessed at byte " + std::to_string(place.at));
    return wave.group->local.data() + place.at;
  }
  if (place.at >= wave.private_bytes)
    throw Fault("private memory is accessed at byte " + std::to_string(int64_t(place.at)) + " of " +
                std::to_string(wave.private_bytes));
  return wave.private_memory + size_t(lane) * wave.private_bytes + place.at;
}

namespace {

uint32_t loaded_part(const uint8_t* from, Part part) {
  uint16_t wide = 0;
  switch (part) {
    case Part::kUnsigned8: return *from;
    case Part::kSigned8: return uint32_t(int32_t(int8_t(*from)));
    case Part::kUnsigned16: std::memcpy(&wide, from, 2); return wide;
    case Part::kSigned16: std::memcpy(&wide, from, 2); return uint32_t(int32_t(int16_t(wide)));
    default: return 0;
  }
}

uint32_t kept(uint32_t old, uint32_t loaded, Keep keep) {
  if (keep == Keep::kNothing) return loaded;
  return keep == Keep::kHigh ? (old & 0xffff0000u) | (loaded & 0xffff) : (old & 0xffff) | loaded << 16;
}

void load(Wave& wave, const Op* op, const Access& access, const uint8_t* from, unsigned lane, unsigned at) {
  const unsigned to = op->operands[access.result].number + at * access.words;
  if (access.part != Part::kWhole) {
    uint32_t& result = wave.v(to)[lane];
    result = kept(result, loaded_part(from, access.part), access.keep);
    return;
  }
  for (unsigned word = 0; word < access.words; ++word) std::memcpy(&wave.v(to + word)[lane], from + 4 * word, 4);
}

void store(Wave& wave, const Op* op, const Access& access, uint8_t* to, unsigned lane, unsigned at) {
  const unsigned from = op->operands[at == 0 ? access.data : access.data2].number;
  if (access.part != Part::kWhole) {
    const uint32_t value = wave.v(from)[lane] >> (access.high ? 16 : 0);
    std::memcpy(to, &value, access.part == Part::kUnsigned8 || access.part == Part::kSigned8 ? 1 : 2);
    return;
  }
  for (unsigned word = 0; word < access.words; ++word) std::memcpy(to + 4 * word, &wave.v(from + word)[lane], 4);
}

void change(Wave& wave, const Op* op, const Access& access, uint8_t* at, unsigned lane, unsigned index = 0) {
  const auto value = [&](unsigned number) -> uint64_t {
    return wave.v(number)[lane] | (access.words == 2 ? uint64_t(wave.v(number + 1)[lane]) << 32 : 0);
  };
  const unsigned data = op->operands[index == 0 ? access.data : access.data2].number;
  uint64_t first = value(data), second = 0;
  if (access.compares)
    second = access.data2 >= 0 ? value(op->operands[access.data2].number) : value(data + access.words);
  const uint64_t old = access.modify(at, first, second);
  if (!access.returns) return;
  const unsigned to = op->operands[access.result].number + index * access.words;
  wave.v(to)[lane] = uint32_t(old);
  if (access.words == 2) wave.v(to + 1)[lane] = uint32_t(old >> 32);
}

}  // namespace

const Op* run_access(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    uint8_t* at = address_of(wave, op, access, lane);
    static constexpr uint8_t nothing[16] = {};
    if (at == nullptr && access.space == Space::kBuffer) {  // loads return 0, all else has no effect
      if (access.action == Action::kLoad) load(wave, op, access, nothing, lane, 0);
      continue;
    }
    switch (access.action) {
      case Action::kLoad: load(wave, op, access, at, lane, 0); break;
      case Action::kStore: store(wave, op, access, at, lane, 0); break;
      case Action::kAtomic: change(wave, op, access, at, lane); break;
    }
  }
  return op + 1;
}

const Op* run_local(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  std::vector<uint8_t>& local = wave.group->local;
  const unsigned bytes = access.part == Part::kWhole ? 4 * access.words : 2;
  const uint32_t* const addresses = wave.v(op->operands[access.address].number);
  // A load may overwrite its own addresses.
  uint32_t base[kMaxLanes];
  std::copy(addresses, addresses + wave.lanes, base);
  for (unsigned i = 0; i < access.count; ++i) {
    for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
      const unsigned lane = unsigned(std::countr_zero(left));
      const uint32_t offset = base[lane] + access.offsets[i];
      if (size_t(offset) + bytes > local.size()) {
        // As the hardware does: loads return 0 and stores are lost.
        if (access.action == Action::kLoad)
          for (unsigned word = 0; word < access.words; ++word)
            wave.v(op->operands[access.result].number + i * access.words + word)[lane] = 0;
        continue;
      }
      uint8_t* const at = local.data() + offset;
      switch (access.action) {
        case Action::kLoad: load(wave, op, access, at, lane, i); break;
        case Action::kStore: store(wave, op, access, at, lane, i); break;
        case Action::kAtomic: change(wave, op, access, at, lane, i); break;
      }
    }
  }
  return op + 1;
}

uint8_t* local_at(Wave& wave, size_t offset, size_t bytes) {
  if (offset > wave.group->local.size() || bytes > wave.group->local.size() - offset)
    throw Fault("shared memory is accessed at byte " + std::to_string(int64_t(offset)) + " of " +
                std::to_string(wave.group->local.size()));
  return wave.group->local.data() + offset;
}

namespace {

// Local memory at m0: a counter that all active lanes change together, and the word of each lane.
template <bool Append>
const Op* count_lanes(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  auto* const counter =
      reinterpret_cast<uint32_t*>(local_at(wave, (wave.scalars[kM0] & 0xffff) + access.offsets[0], 4));
  const uint32_t active = uint32_t(std::popcount(wave.exec())), old = *counter;
  *counter = Append ? old + active : old - active;
  uint32_t* const to = wave.v(op->operands[access.result].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = old;
  return op + 1;
}
template <bool Load>
const Op* access_own_word(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  uint32_t* const words = wave.v(op->operands[Load ? access.result : access.data].number);
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    uint8_t* const at = local_at(wave, (wave.scalars[kM0] & 0xffff) + access.offsets[0] + 4 * i, 4);
    std::memcpy(Load ? static_cast<void*>(&words[i]) : at, Load ? at : static_cast<void*>(&words[i]), 4);
  }
  return op + 1;
}

// From global to local memory: each lane's words, one lane after the other, from m0 on.
const Op* load_to_local(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const size_t bytes = 4 * access.words;
  const size_t start = (wave.scalars[kM0] & 0xffff) + (access.space == Space::kBuffer ? 0 : size_t(access.offset));
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    static constexpr uint8_t nothing[16] = {};
    const uint8_t* from = address_of(wave, op, access, lane);
    if (from == nullptr && access.space == Space::kBuffer) from = nothing;
    uint8_t* const to = local_at(wave, start + lane * bytes, bytes);
    const uint32_t part = access.part == Part::kWhole ? 0 : loaded_part(from, access.part);
    std::memcpy(to, access.part == Part::kWhole ? from : reinterpret_cast<const uint8_t*>(&part), bytes);
  }
  return op + 1;
}

// Exchanges between lanes that go through the hardware of local memory: to a lane, or from one, which gives 0 if it is not
// active, or from one in any case.
enum class Exchange { kSend, kFetchActive, kFetch };
template <Exchange kKind>
const Op* permute(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const uint32_t* const addresses = wave.v(op->operands[access.address].number);
  const uint32_t* const from = wave.v(op->operands[access.data].number);
  uint32_t found[kMaxLanes] = {};
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    const unsigned other = (addresses[i] + access.offsets[0]) / 4 % wave.lanes;
    if (kKind == Exchange::kSend)
      found[other] = from[i];
    else
      found[i] = kKind == Exchange::kFetch || wave.exec() >> other & 1 ? from[other] : 0;
  }
  uint32_t* const to = wave.v(op->operands[access.result].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = found[i];
  return op + 1;
}

// The lane of 32 that ds_swizzle reads for a lane.
unsigned swizzled(unsigned lane, unsigned pattern) {
  const unsigned mask = pattern & 31;
  if (pattern >= 0xe000) {  // the order of a fast Fourier transform
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 5; ++bit) reversed |= (lane >> bit & 1) << (4 - bit);
    return reversed >> std::popcount(mask) | (lane & mask);
  }
  if (pattern >= 0xc000) {  // rotation
    const unsigned distance = pattern >> 5 & 31, moved = pattern >> 10 & 1 ? lane - distance : lane + distance;
    return (lane & mask) | (moved & 31 & ~mask);
  }
  if (pattern >> 15) return (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
  return ((lane & mask) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
}

const Op* swizzle(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const uint32_t* const from = wave.v(op->operands[access.address].number);
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) {
    const unsigned other = (i & 32) | swizzled(i & 31, access.offsets[0]);
    found[i] = wave.exec() >> other & 1 ? from[other] : 0;
  }
  uint32_t* const to = wave.v(op->operands[access.result].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = found[i];
  return op + 1;
}

// Scalar loads.
const Op* load_scalars(Wave& wave, const Op* op) {
  const unsigned base = op->operands[1].number, count = op->operands[0].count, to = op->operands[0].number;
  uint64_t address = wave.pair(base) & ~uint64_t(3);
  address += uint64_t(op->immediate);
  if (op->extra != nullptr) address += wave.scalars[reinterpret_cast<uintptr_t>(op->extra) - 1];
  uint32_t words[16];
  std::memcpy(words, reinterpret_cast<const void*>(address), count * 4);
  std::copy(words, words + count, wave.scalars + to);
  if (to <= kExec + 1 && to + count > kExec) wave.exec_changed();
  return op + 1;
}

// Where a scalar load from a buffer reads, or null behind its end.
const uint8_t* scalar_address(Wave& wave, const Op* op, bool is_buffer, unsigned bytes) {
  const unsigned base = op->operands[1].number;
  uint64_t offset = uint64_t(op->immediate);
  if (op->extra != nullptr) offset += wave.scalars[reinterpret_cast<uintptr_t>(op->extra) - 1];
  if (is_buffer && offset + bytes > wave.scalars[base + 2]) return nullptr;
  return reinterpret_cast<const uint8_t*>((is_buffer ? wave.pair(base) & 0xffffffffffffull : wave.pair(base)) + offset);
}
const Op* load_scalars_from_buffer(Wave& wave, const Op* op) {
  const unsigned count = op->operands[0].count, to = op->operands[0].number;
  for (unsigned i = 0; i < count; ++i) {
    const uint8_t* const from = scalar_address(wave, op, true, 4 * i + 4);
    wave.scalars[to + i] = 0;
    if (from != nullptr) std::memcpy(&wave.scalars[to + i], from + 4 * i, 4);
  }
  if (to <= kExec + 1 && to + count > kExec) wave.exec_changed();
  return op + 1;
}
template <Part P, bool Buffer>
const Op* load_scalar_part(Wave& wave, const Op* op) {
  const uint8_t* const from = scalar_address(wave, op, Buffer, P == Part::kUnsigned8 || P == Part::kSigned8 ? 1 : 2);
  const unsigned to = op->operands[0].number;
  wave.scalars[to] = from == nullptr ? 0 : loaded_part(from, P);
  if (to == kExec || to == kExec + 1) wave.exec_changed();
  return op + 1;
}
Run scalar_load(std::string_view name, bool is_buffer) {
  if (name == "u8")
    return is_buffer ? &load_scalar_part<Part::kUnsigned8, true> : &load_scalar_part<Part::kUnsigned8, false>;
  if (name == "i8")
    return is_buffer ? &load_scalar_part<Part::kSigned8, true> : &load_scalar_part<Part::kSigned8, false>;
  if (name == "u16")
    return is_buffer ? &load_scalar_part<Part::kUnsigned16, true> : &load_scalar_part<Part::kUnsigned16, false>;
  if (name == "i16")
    return is_buffer ? &load_scalar_part<Part::kSigned16, true> : &load_scalar_part<Part::kSigned16, false>;
  return is_buffer ? &load_scalars_from_buffer : &load_scalars;
}

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// Take `start` off the text.
bool taken(std::string_view& text, std::string_view start) {
  if (!starts_with(text, start)) return false;
  text.remove_prefix(start.size());
  return true;
}

struct Shape {
  Part part;
  unsigned words;
  Keep keep = Keep::kNothing;
  bool high = false;
  uint8_t transposed = 0;
  bool by_lane = false, block = false;
};

// The names of gfx9 and gfx10, and those of gfx11 and later.
const std::map<std::string_view, Shape>& shapes() {
  static const std::map<std::string_view, Shape> all = {
      {"dword", {Part::kWhole, 1}},
      {"dwordx2", {Part::kWhole, 2}},
      {"dwordx3", {Part::kWhole, 3}},
      {"dwordx4", {Part::kWhole, 4}},
      {"b32", {Part::kWhole, 1}},
      {"b64", {Part::kWhole, 2}},
      {"b96", {Part::kWhole, 3}},
      {"b128", {Part::kWhole, 4}},
      {"ubyte", {Part::kUnsigned8, 1}},
      {"sbyte", {Part::kSigned8, 1}},
      {"ushort", {Part::kUnsigned16, 1}},
      {"sshort", {Part::kSigned16, 1}},
      {"byte", {Part::kUnsigned8, 1}},
      {"short", {Part::kUnsigned16, 1}},
      {"b8", {Part::kUnsigned8, 1}},
      {"b16", {Part::kUnsigned16, 1}},
      {"u8", {Part::kUnsigned8, 1}},
      {"i8", {Part::kSigned8, 1}},
      {"u16", {Part::kUnsigned16, 1}},
      {"i16", {Part::kSigned16, 1}},
      {"ubyte_d16", {Part::kUnsigned8, 1, Keep::kHigh}},
      {"ubyte_d16_hi", {Part::kUnsigned8, 1, Keep::kLow}},
      {"sbyte_d16", {Part::kSigned8, 1, Keep::kHigh}},
      {"sbyte_d16_hi", {Part::kSigned8, 1, Keep::kLow}},
      {"short_d16", {Part::kUnsigned16, 1, Keep::kHigh}},
      {"short_d16_hi", {Part::kUnsigned16, 1, Keep::kLow, true}},
      {"byte_d16_hi", {Part::kUnsigned8, 1, Keep::kNothing, true}},
      {"d16_u8", {Part::kUnsigned8, 1, Keep::kHigh}},
      {"d16_i8", {Part::kSigned8, 1, Keep::kHigh}},
      {"d16_b16", {Part::kUnsigned16, 1, Keep::kHigh}},
      {"d16_hi_u8", {Part::kUnsigned8, 1, Keep::kLow}},
      {"d16_hi_i8", {Part::kSigned8, 1, Keep::kLow}},
      {"d16_hi_b16", {Part::kUnsigned16, 1, Keep::kLow, true}},
      {"d16_hi_b8", {Part::kUnsigned8, 1, Keep::kNothing, true}},
      {"u8_d16", {Part::kUnsigned8, 1, Keep::kHigh}},
      {"u8_d16_hi", {Part::kUnsigned8, 1, Keep::kLow}},
      {"i8_d16", {Part::kSigned8, 1, Keep::kHigh}},
      {"i8_d16_hi", {Part::kSigned8, 1, Keep::kLow}},
      {"u16_d16", {Part::kUnsigned16, 1, Keep::kHigh}},
      {"u16_d16_hi", {Part::kUnsigned16, 1, Keep::kLow}},
      {"b8_d16_hi", {Part::kUnsigned8, 1, Keep::kNothing, true}},
      {"b16_d16_hi", {Part::kUnsigned16, 1, Keep::kNothing, true}},
      {"b64_tr_b16", {.part = Part::kWhole, .words = 2, .transposed = 16}},
      {"b64_tr_b8", {.part = Part::kWhole, .words = 2, .transposed = 8}},
      {"b64_tr_b4", {.part = Part::kWhole, .words = 2, .transposed = 4}},
      {"b96_tr_b6", {.part = Part::kWhole, .words = 3, .transposed = 6}},
      {"tr_b128", {.part = Part::kWhole, .words = 4, .transposed = 16}},
      {"tr_b64", {.part = Part::kWhole, .words = 2, .transposed = 8}},
      {"dword_addtid", {.part = Part::kWhole, .words = 1, .by_lane = true}},
      {"addtid_b32", {.part = Part::kWhole, .words = 1, .by_lane = true}},
      {"block", {.part = Part::kWhole, .words = 32, .block = true}}};
  return all;
}

// `global_atomic_add_x2` of gfx9 is `global_atomic_add_u64` of gfx11; return its name in modifications().
std::string atomic_name(std::string_view name) {
  static const std::map<std::string_view, std::string_view> simple = {
      {"add", "add_u"},  {"sub", "sub_u"},   {"smin", "min_i"},       {"umin", "min_u"}, {"smax", "max_i"},
      {"umax", "max_u"}, {"and", "and_b"},   {"or", "or_b"},          {"xor", "xor_b"},  {"inc", "inc_u"},
      {"dec", "dec_u"},  {"swap", "swap_b"}, {"cmpswap", "cmpswap_b"}};
  const bool wide = name.size() > 3 && name.substr(name.size() - 3) == "_x2";
  const auto found = simple.find(wide ? name.substr(0, name.size() - 3) : name);
  if (found != simple.end()) return std::string(found->second) + (wide ? "64" : "32");
  for (const auto& [start, known] :
       {std::pair<std::string_view, const char*>{"fmin", "min_f"}, {"fmax", "max_f"}, {"fcmpswap", "cmpswap_f"}})
    if (name.substr(0, start.size()) == start && (name.size() == start.size() || wide))
      return known + std::string(wide ? "64" : "32");
  return std::string(name);
}

std::string local_atomic_name(std::string_view name) {
  std::string all(name);
  for (const auto& [from, to] : {std::pair<const char*, const char*>{"cmpstore_", "cmpswap_"},
                                 {"cmpst_", "cmpswap_"},
                                 {"wrxchg_", "swap_"},
                                 {"storexchg_", "swap_"}})
    if (all.rfind(from, 0) == 0) return to + all.substr(std::strlen(from));
  return all;
}

// Describes an access by its name; nothing if it is none.
std::optional<Access> described(std::string_view name, unsigned generation) {
  Access access{};
  const bool local = starts_with(name, "ds_");
  if (taken(name, "global_"))
    access.space = Space::kGlobal;
  else if (taken(name, "flat_"))
    access.space = Space::kFlat;
  else if (taken(name, "scratch_"))
    access.space = Space::kScratch;
  else if (taken(name, "buffer_"))
    access.space = Space::kBuffer;
  else if (taken(name, "ds_"))
    access.space = Space::kLocal;
  else
    return {};
  const bool load = taken(name, "load_") || taken(name, "read_"),
             store = !load && (taken(name, "store_") || taken(name, "write_"));
  access.to_local = load && taken(name, "lds_");
  if (load || store) {
    access.action = load ? Action::kLoad : Action::kStore;
    const auto found = shapes().find(name);
    if (found != shapes().end()) {
      access.part = found->second.part;
      access.words = found->second.words;
      access.transposed = found->second.transposed;
      access.by_lane = found->second.by_lane;
      access.block = found->second.block;
      if (load)
        access.keep = found->second.keep;
      else
        access.high = found->second.high;
      return access;
    }
  }
  if (!local) {
    if (!taken(name, "atomic_")) return {};
  } else {
    for (const char* start :
         {"read2", "load_2addr_", "write2", "store_2addr_", "2addr_", "wrxchg2", "storexchg_2addr_"}) {
      // ds_read2_b32, ds_read2st64_b64, ds_load_2addr_stride64_b32
      std::string_view rest = name;
      if (!taken(rest, start)) continue;
      const bool far = taken(rest, "st64") || taken(rest, "stride64_");
      taken(rest, "_");
      taken(rest, "rtn_");
      access.action = load || start[0] == 'r' ? Action::kLoad : Action::kStore;
      access.count = 2;
      access.words = rest == "b64" ? 2 : 1;
      access.stride = 4 * access.words * (far ? 64 : 1);
      if (start == std::string_view("wrxchg2") || start == std::string_view("storexchg_2addr_")) {
        access.action = Action::kAtomic;
        access.modify = modifications().at(access.words == 2 ? "swap_b64" : "swap_b32");
        access.returns = true;
      }
      return access;
    }
    if (const size_t at = name.find("_rtn"); at != name.npos) {
      static std::vector<std::unique_ptr<std::string>> names;
      names.push_back(
          std::make_unique<std::string>(std::string(name.substr(0, at)) + std::string(name.substr(at + 4))));
      name = *names.back();
      access.returns = true;
    }
  }
  const std::string known = local ? local_atomic_name(name) : atomic_name(name);
  const auto found = modifications().find(known);
  if (found == modifications().end()) return {};
  access.action = Action::kAtomic;
  access.modify = found->second;
  access.words = known.size() > 2 && known.substr(known.size() - 2) == "64" ? 2 : 1;
  access.compares = starts_with(known, "cmpswap") || starts_with(known, "mskor") || starts_with(known, "wrap");
  (void)generation;
  return access;
}

int64_t signed_field(uint64_t value, unsigned width) { return int64_t(value << (64 - width)) >> (64 - width); }

}  // namespace

void bind_places(const Processor& processor, const Decoded& decoded, Access& access) {
  for (size_t i = 0; i < decoded.row->slots.size(); ++i) {
    const std::string_view field = decoded.row->slots[i].field;
    if (field == "vdst") access.result = int(i);
    if (field == "addr") access.address = int(i);
    if (field == "vaddr" && (decoded.get("offen") || decoded.get("idxen"))) access.address = int(i);
    if (field == "data" || field == "data0") access.data = int(i);
    if (field == "vdata") access.data = access.result = int(i);
    if (field == "data1") access.data2 = int(i);
    if (field == "srsrc") access.resource = int(i);
    if (field == "soffset") access.scalar_offset = int(i);
  }
  access.by_index = decoded.get("idxen");
  access.by_offset = decoded.get("offen");
  if (decoded.has("offset") && access.space != Space::kLocal) {
    const unsigned width = decoded.format->fields.at("offset").width;
    // Offsets of flat instructions are unsigned before gfx12, and those of buffers are always.
    const bool is_signed =
        access.space != Space::kBuffer && (access.space != Space::kFlat || processor.generation >= 12);
    access.offset = is_signed ? signed_field(decoded.get("offset"), width) : int64_t(decoded.get("offset"));
  }
}

namespace {

bool bind_access(const Processor& processor, const Decoded& decoded, Op& op) {
  const std::string_view format = decoded.format->name;
  if (format == "SMEM") {
    std::string_view name = decoded.name;
    const bool is_buffer = taken(name, "s_buffer_load_");
    if (!is_buffer && !taken(name, "s_load_")) return false;
    op.run = scalar_load(name, is_buffer);
    if (op.run == &load_scalars) {
      op.access = AccessKind::kScalar;
      op.fusing = Fusing::kCall;
    }
    const unsigned width = decoded.format->fields.at("offset").width;
    op.immediate = signed_field(decoded.get("offset"), width);
    unsigned offset_register = 0;
    if (processor.generation == 9) {
      const bool has_register = decoded.get("soffset_en"), has_constant = decoded.get("imm");
      const unsigned number = unsigned(has_register ? decoded.get("soffset") : decoded.get("offset") & 127);
      if (has_register || !has_constant) offset_register = (number == 124 ? unsigned(kM0) : number) + 1;
      if (!has_constant) op.immediate = 0;
    } else {
      const unsigned null = processor.generation >= 11 ? 124 : 125;
      const unsigned number = unsigned(decoded.get("soffset"));
      if (number != null)
        offset_register = (number == (processor.generation >= 11 ? 125u : 124u) ? unsigned(kM0) : number) + 1;
    }
    op.extra = reinterpret_cast<const void*>(uintptr_t(offset_register));
    return true;
  }
  std::optional<Access> found;
  if (decoded.name == "ds_bpermute_b32" || decoded.name == "ds_bpermute_fi_b32" || decoded.name == "ds_permute_b32" ||
      decoded.name == "ds_swizzle_b32")
    found = Access{Space::kLocal, Action::kLoad};
  else if (decoded.name == "ds_append" || decoded.name == "ds_consume" ||
           (starts_with(decoded.name, "ds_") && decoded.name.find("_addtid_b32") != decoded.name.npos))
    found = Access{Space::kLocal, Action::kLoad};
  else
    found = described(decoded.name, processor.generation);
  if (!found) return false;
  Access* const access = new Access(*found);  // lives as long as the program
  bind_places(processor, decoded, *access);
  op.extra = access;
  if (access->space == Space::kBuffer && processor.generation <= 10 && decoded.get("lds")) access->to_local = true;
  op.run = access->to_local ? &load_to_local : access->block ? &move_block : &run_access;
  if (access->transposed != 0) op.run = &load_transposed_global;
  if (access->space == Space::kLocal) {
    const unsigned first = unsigned(decoded.get("offset0")), second = unsigned(decoded.get("offset1"));
    if (access->count == 2) {
      access->offsets[0] = first * access->stride;
      access->offsets[1] = second * access->stride;
    } else {
      access->offsets[0] = first | second << 8;
    }
    op.run = decoded.name == "ds_bpermute_b32"      ? &permute<Exchange::kFetchActive>
             : decoded.name == "ds_bpermute_fi_b32" ? &permute<Exchange::kFetch>
             : decoded.name == "ds_permute_b32"     ? &permute<Exchange::kSend>
             : decoded.name == "ds_swizzle_b32"     ? &swizzle
             : decoded.name == "ds_append"          ? &count_lanes<true>
             : decoded.name == "ds_consume"         ? &count_lanes<false>
             : decoded.name.find("addtid") != decoded.name.npos
                 ? (decoded.row->slots[0].field == "vdst" ? &access_own_word<true> : &access_own_word<false>)
             : access->transposed != 0 ? &load_transposed_local
                                       : &run_local;
    const bool swapped = decoded.name.find("cmpst_") != decoded.name.npos;  // ds_cmpst has the comparand first
    if (swapped) std::swap(access->data, access->data2);
    return true;
  }
  const unsigned null = processor.generation == 9 ? 127 : processor.generation == 10 ? 125 : 124;
  if (decoded.has("saddr")) {
    const unsigned base = unsigned(decoded.get("saddr"));
    const bool has_base = base != null && base != 127 && access->space != Space::kFlat;
    if (has_base) {
      op.operands[op.operand_count] = {Bank::kScalar, 2, uint16_t(base), 0};
      access->scalar_base = op.operand_count++;
    }
    if (access->space == Space::kScratch) {
      // A bit of gfx942, gfx950 and gfx11 on says that there is a vector register; before, it is there without a base.
      const bool late_gfx9 = processor.name == "gfx942" || processor.name == "gfx950";
      const bool is_marked = late_gfx9 ? decoded.get("lds") : decoded.get("sve");
      access->address = -1;
      if (decoded.has("sve") || late_gfx9 ? is_marked : !has_base) {
        op.operands[op.operand_count] = {Bank::kVector, 1, uint16_t(decoded.get("addr")), 0};
        access->address = op.operand_count++;
      }
    }
  }
  if (access->action == Action::kAtomic) {
    access->returns = processor.generation >= 12 ? decoded.get("th") & 1 : decoded.get("glc");
    if (access->returns && access->result < 0) {
      op.operands[op.operand_count] = {Bank::kVector, 1, uint16_t(decoded.get("vdst")), 0};
      access->result = op.operand_count++;
    }
  }
  return true;
}

}  // namespace

bool bind_memory(const Processor& processor, const Decoded& decoded, unsigned lanes, Op& op) {
  if (!bind_access(processor, decoded, op)) return false;
  // What they do in wavefronts of 64 lanes is not documented.
  if (op.run == &load_transposed_global) return op.access = AccessKind::kVector, lanes == 32;
  if (op.run == &load_transposed_local) op.access = AccessKind::kLocal;
  if (op.run == &run_access || op.run == &run_local) {
    op.access = op.run == &run_local ? AccessKind::kLocal : AccessKind::kVector;
    const Access& access = *static_cast<const Access*>(op.extra);
    if (const Run fast = access.by_lane ? nullptr : fast_access(access, lanes)) {
      op.run = fast;
      if (access.space != Space::kFlat) op.fusing = Fusing::kCall;
    }
  }
  return true;
}

std::optional<AccessFacts> access_facts(const Op& op) {
  if (op.access == AccessKind::kScalar) return AccessFacts{true, false, false, true, 4u * op.operands[0].count};
  if (op.access == AccessKind::kNone) return {};
  const Access& access = *static_cast<const Access*>(op.extra);
  AccessFacts facts;
  facts.loads = access.action == Action::kLoad || access.returns;
  facts.stores = access.action == Action::kStore;
  facts.atomic = access.action == Action::kAtomic;
  const bool byte = access.part == Part::kUnsigned8 || access.part == Part::kSigned8;
  facts.bytes = access.part == Part::kWhole ? 4 * access.words : byte ? 1 : 2;
  facts.words = access.words;
  facts.count = access.count;
  facts.high = access.high;
  facts.address = access.address;
  const bool is_whole = access.space == Space::kGlobal || access.space == Space::kFlat;
  facts.address_words = is_whole && access.scalar_base < 0 ? 2 : 1;
  facts.data[0] = access.data;
  facts.data[1] = access.data2;
  facts.result = access.action == Action::kLoad || access.returns ? access.result : -1;
  return facts;
}

Place place_of(Wave& wave, const Op* op, unsigned lane, unsigned number) {
  if (op->access == AccessKind::kScalar) {
    uint64_t address = (wave.pair(op->operands[1].number) & ~uint64_t(3)) + uint64_t(op->immediate);
    if (op->extra != nullptr) address += wave.scalars[reinterpret_cast<uintptr_t>(op->extra) - 1];
    return {Memory::kGlobal, address};
  }
  const Access& access = *static_cast<const Access*>(op->extra);
  if (op->access == AccessKind::kLocal)
    return {Memory::kLocal, uint32_t(wave.v(op->operands[access.address].number)[lane] + access.offsets[number])};
  return place_in(wave, op, access, lane);
}

}  // namespace hipport::emulate
