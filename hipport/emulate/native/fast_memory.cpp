// SPDX-License-Identifier: MIT
// Loads and stores of whole registers, for all lanes at once.
//
// Lanes are taken 16 at a time. Kernels mostly access consecutive words, one word, or rows of a matrix: such a group is
// moved by one instruction of the host. All else goes lane by lane.
#include "memory_kinds.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__)
#define HIPPORT_WIDE 1
#elif defined(__AVX2__)
#define HIPPORT_AVX2 1
#endif

namespace hipport::emulate {
namespace {

constexpr unsigned kGroup = 16;

// Return whether each active lane's address is `base` plus `step` for each lane before it.
#if defined(HIPPORT_WIDE)
template <uint32_t Step>
inline bool has_stride(const uint32_t* at, uint32_t base, uint32_t active) {
  const __m512i steps = _mm512_setr_epi32(0, Step, 2 * Step, 3 * Step, 4 * Step, 5 * Step, 6 * Step, 7 * Step, 8 * Step,
                                          9 * Step, 10 * Step, 11 * Step, 12 * Step, 13 * Step, 14 * Step, 15 * Step);
  const __m512i expected = _mm512_add_epi32(_mm512_set1_epi32(int(base)), steps);
  return _mm512_mask_cmpneq_epi32_mask(__mmask16(active), _mm512_loadu_si512(at), expected) == 0;
}
template <uint64_t Step>
inline bool has_stride(const uint64_t* at, uint64_t base, uint32_t active) {
  const __m512i steps = _mm512_setr_epi64(0, Step, 2 * Step, 3 * Step, 4 * Step, 5 * Step, 6 * Step, 7 * Step);
  const __m512i low = _mm512_add_epi64(_mm512_set1_epi64(int64_t(base)), steps);
  const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(8 * Step));
  return (_mm512_mask_cmpneq_epi64_mask(__mmask8(active), _mm512_loadu_si512(at), low) |
          _mm512_mask_cmpneq_epi64_mask(__mmask8(active >> 8), _mm512_loadu_si512(at + 8), high)) == 0;
}
#elif defined(HIPPORT_AVX2)
// Ones in the lanes of the lowest 8 bits.
inline __m256i eight_lanes(uint32_t active) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(int(active)), bits), bits);
}
inline __m256i words_at(const void* at) { return _mm256_loadu_si256(static_cast<const __m256i*>(at)); }
template <uint32_t Step>
inline bool has_stride(const uint32_t* at, uint32_t base, uint32_t active) {
  const __m256i steps = _mm256_setr_epi32(0, Step, 2 * Step, 3 * Step, 4 * Step, 5 * Step, 6 * Step, 7 * Step);
  const __m256i low = _mm256_add_epi32(_mm256_set1_epi32(int(base)), steps);
  const __m256i high = _mm256_add_epi32(low, _mm256_set1_epi32(8 * Step));
  __m256i first = _mm256_xor_si256(words_at(at), low), second = _mm256_xor_si256(words_at(at + 8), high);
  if (active != 0xffff) {
    first = _mm256_and_si256(first, eight_lanes(active));
    second = _mm256_and_si256(second, eight_lanes(active >> 8));
  }
  const __m256i different = _mm256_or_si256(first, second);
  return _mm256_testz_si256(different, different);
}
template <uint64_t Step>
inline bool has_stride(const uint64_t* at, uint64_t base, uint32_t active) {
  __m256i expected =
      _mm256_add_epi64(_mm256_set1_epi64x(int64_t(base)), _mm256_setr_epi64x(0, Step, 2 * Step, 3 * Step));
  __m256i different = _mm256_setzero_si256();
  for (unsigned i = 0; i < kGroup; i += 4) {
    __m256i here = _mm256_xor_si256(words_at(at + i), expected);
    if (active != 0xffff)
      here = _mm256_and_si256(here, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(eight_lanes(active >> i & 15))));
    different = _mm256_or_si256(different, here);
    expected = _mm256_add_epi64(expected, _mm256_set1_epi64x(4 * Step));
  }
  return _mm256_testz_si256(different, different);
}
#else
template <auto Step, typename T>
inline bool has_stride(const T* at, T base, uint32_t active) {
  T different = 0;
  for (unsigned i = 0; i < kGroup; ++i) {
    const T taken = T(0) - T(active >> i & 1);
    different |= (at[i] ^ (base + T(i) * T(Step))) & taken;
  }
  return different == 0;
}
#endif

inline void load_row(const uint8_t* from, uint32_t* to, uint32_t active) {
#if defined(HIPPORT_WIDE)
  const __m512i old = _mm512_loadu_si512(to);
  _mm512_storeu_si512(to, _mm512_mask_loadu_epi32(old, __mmask16(active), from));
#else
  if (active == 0xffff) {
    std::memcpy(to, from, 4 * kGroup);
#if defined(HIPPORT_AVX2)
  } else if (!std::has_single_bit(active)) {
    for (unsigned i = 0; i < kGroup; i += 8) {
      const __m256i lanes = eight_lanes(active >> i);
      const __m256i found = _mm256_maskload_epi32(reinterpret_cast<const int*>(from) + i, lanes);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_blendv_epi8(words_at(to + i), found, lanes));
    }
#endif
  } else {
    for (; active != 0; active &= active - 1) {
      const unsigned lane = unsigned(std::countr_zero(active));
      std::memcpy(to + lane, from + 4 * lane, 4);
    }
  }
#endif
}

inline void store_row(const uint32_t* from, uint8_t* to, uint32_t active) {
#if defined(HIPPORT_WIDE)
  if (active != 0xffff) return _mm512_mask_storeu_epi32(to, __mmask16(active), _mm512_loadu_si512(from));
  std::memcpy(to, from, 4 * kGroup);
#else
  if (active == 0xffff) {
    std::memcpy(to, from, 4 * kGroup);
  } else {
    for (; active != 0; active &= active - 1) {
      const unsigned lane = unsigned(std::countr_zero(active));
      std::memcpy(to + 4 * lane, from + lane, 4);
    }
  }
#endif
}

inline void fill_row(uint32_t value, uint32_t* to, uint32_t active) {
#if defined(HIPPORT_WIDE)
  const __m512i all = _mm512_mask_set1_epi32(_mm512_loadu_si512(to), __mmask16(active), int(value));
  return _mm512_storeu_si512(to, all);
#endif
  for (unsigned i = 0; i < kGroup; ++i) {
    const uint32_t taken = 0u - (active >> i & 1);
    to[i] = (value & taken) | (to[i] & ~taken);
  }
}

#if defined(__SSE2__)
// Four words of each lane: each lane's are loaded together, and turned into rows.
template <unsigned Lanes>
inline void load_fours(const uint8_t* const* from, uint32_t* to) {
  for (unsigned i = 0; i < kGroup; i += 4) {
    __m128 a = _mm_loadu_ps(reinterpret_cast<const float*>(from[i]));
    __m128 b = _mm_loadu_ps(reinterpret_cast<const float*>(from[i + 1]));
    __m128 c = _mm_loadu_ps(reinterpret_cast<const float*>(from[i + 2]));
    __m128 d = _mm_loadu_ps(reinterpret_cast<const float*>(from[i + 3]));
    _MM_TRANSPOSE4_PS(a, b, c, d);
    float* const row = reinterpret_cast<float*>(to + i);
    _mm_storeu_ps(row, a);
    _mm_storeu_ps(row + Lanes, b);
    _mm_storeu_ps(row + 2 * Lanes, c);
    _mm_storeu_ps(row + 3 * Lanes, d);
  }
}
#endif

// Move `Words` words of each active lane of a group. `place(lane)` is the memory of a lane.
template <unsigned Lanes, unsigned Words, bool Store, typename F>
inline void move_each(F place, uint32_t* data, uint32_t active) {
#if defined(__SSE2__)
  if (Words == 4 && !Store && active == 0xffff) {
    const uint8_t* from[kGroup];
    for (unsigned i = 0; i < kGroup; ++i) from[i] = place(i);
    return load_fours<Lanes>(from, data);
  }
#endif
  for (; active != 0; active &= active - 1) {
    const unsigned lane = unsigned(std::countr_zero(active));
    uint8_t* const at = place(lane);
    for (unsigned word = 0; word < Words; ++word) {
      uint32_t* const here = data + word * Lanes + lane;
      Store ? std::memcpy(at + 4 * word, here, 4) : std::memcpy(here, at + 4 * word, 4);
    }
  }
}

// Move a group of lanes. Stores of several words may overlap, and are made lane by lane.
template <unsigned Lanes, unsigned Words, bool Store, typename T, typename F>
inline void move_group(const T* at, F place, uint32_t* data, uint32_t active) {
  if (active == 0) return;
  const unsigned first = unsigned(std::countr_zero(active));
  if constexpr (Words == 1 || !Store) {
    if (const T base = at[first] - 4 * first; has_stride<4u>(at, base, active)) {
      // Of lanes that are not active, no memory is touched.
      uint8_t* const start = place(first) - 4 * first;
      for (unsigned word = 0; word < Words; ++word) {
        if (Store)
          store_row(data, start, active);
        else
          load_row(start + 4 * word, data + word * Lanes, active);
      }
      return;
    }
  }
  if constexpr (!Store) {
    if (has_stride<0u>(at, at[first], active)) {
      const uint8_t* const from = place(first);
      uint32_t words[Words];
      std::memcpy(words, from, sizeof words);
      for (unsigned word = 0; word < Words; ++word) fill_row(words[word], data + word * Lanes, active);
      return;
    }
  }
  move_each<Lanes, Words, Store>(place, data, active);
}

// The addresses of a group: all the same, consecutive words, or others.
enum class Pattern : uint8_t { kOther, kOne, kRow };
constexpr uint32_t kRowBytes = 4 * kGroup;

// A wavefront whose groups all have a pattern.
template <unsigned Lanes>
struct Patterns {
  Pattern of[Lanes / kGroup];
  uint32_t first[Lanes / kGroup];  // the address of the group's first lane, without the access's offset
};

// Find the patterns of addresses, none of which wraps around. Return false if a group has none that serves a load or a
// store of so many words.
template <unsigned Lanes, unsigned Words, bool Store>
inline bool find_patterns(const uint32_t* addresses, Patterns<Lanes>& found) {
  for (unsigned i = 0; i < Lanes / kGroup; ++i) {
    const uint32_t* const at = addresses + i * kGroup;
    const uint32_t first = found.first[i] = at[0];
    if (first > ~kRowBytes) return false;
    if (has_stride<4u>(at, first, 0xffff) && (Words == 1 || !Store))
      found.of[i] = Pattern::kRow;
    else if (!Store && has_stride<0u>(at, first, 0xffff))
      found.of[i] = Pattern::kOne;
    else
      return false;
  }
  return true;
}

// Move the groups of all lanes. `start` is what addresses are added to.
template <unsigned Lanes, unsigned Words, bool Store>
inline void move_patterns(const Patterns<Lanes>& found, uint8_t* start, uint32_t* data) {
  for (unsigned i = 0; i < Lanes / kGroup; ++i) {
    uint8_t* const at = start + found.first[i];
    for (unsigned word = 0; word < Words; ++word) {
      uint32_t* const here = data + word * Lanes + i * kGroup;
      if (Store) {
        std::memcpy(at, here, kRowBytes);
      } else if (found.of[i] == Pattern::kRow) {
        std::memcpy(here, at + 4 * word, kRowBytes);
      } else {
        uint32_t value;
        std::memcpy(&value, at + 4 * word, 4);
        for (unsigned lane = 0; lane < kGroup; ++lane) here[lane] = value;
      }
    }
  }
}

template <unsigned Lanes>
inline void global_addresses(Wave& wave, const Op* op, const Access& access, uint64_t* at) {
  const uint32_t* const low = access.address >= 0 ? wave.v(op->operands[access.address].number) : nullptr;
  if (access.scalar_base >= 0) {
    const uint64_t base = wave.pair(op->operands[access.scalar_base].number) + uint64_t(access.offset);
    if (low == nullptr)
      for (unsigned i = 0; i < Lanes; ++i) at[i] = base;
    else
      for (unsigned i = 0; i < Lanes; ++i) at[i] = base + low[i];
    return;
  }
  const uint32_t* const high = low + Lanes;
  for (unsigned i = 0; i < Lanes; ++i) at[i] = (low[i] | uint64_t(high[i]) << 32) + uint64_t(access.offset);
}

// Return whether a lane's address is one of local or of private memory.
template <unsigned Lanes>
inline bool has_aperture(const uint64_t* at) {
  bool found = false;
  for (unsigned i = 0; i < Lanes; ++i) found |= (at[i] >> 32) == kLocalAperture || (at[i] >> 32) == kPrivateAperture;
  return found;
}

// Move if all groups have a pattern, with one upper word for all lanes; not what is in local or private memory.
template <unsigned Lanes, unsigned Words, bool Store>
inline bool move_global_patterns(Wave& wave, const Op* op, const Access& access) {
  if (access.address < 0) return false;
  const uint32_t* const low = wave.v(op->operands[access.address].number);
  const bool has_base = access.scalar_base >= 0;
  uint64_t base = has_base ? wave.pair(op->operands[access.scalar_base].number) : uint64_t(low[Lanes]) << 32;
  Patterns<Lanes> found;
  if (!find_patterns<Lanes, Words, Store>(low, found)) return false;
  for (unsigned i = 0; i < Lanes && !has_base; i += kGroup)
    if (!has_stride<0u>(low + Lanes + i, low[Lanes], 0xffff)) return false;
  // An offset may be negative, so that the sum with the upper words alone is in front of the aperture.
  if (base >> 32 == kLocalAperture || base >> 32 == kPrivateAperture) return false;
  base += uint64_t(access.offset);
  uint32_t* const data = wave.v(op->operands[Store ? access.data : access.result].number);
  move_patterns<Lanes, Words, Store>(found, reinterpret_cast<uint8_t*>(base), data);
  return true;
}

template <unsigned Lanes, unsigned Words, bool Store, bool Flat>
const Op* move_global(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  if (wave.full && move_global_patterns<Lanes, Words, Store>(wave, op, access)) return op + 1;
  alignas(64) uint64_t at[Lanes];
  global_addresses<Lanes>(wave, op, access, at);
  if (Flat && has_aperture<Lanes>(at)) return run_access(wave, op);
  const uint64_t exec = wave.exec();
  uint32_t* const data = wave.v(op->operands[Store ? access.data : access.result].number);
  for (unsigned i = 0; i < Lanes; i += kGroup) {
    const uint64_t* const here = at + i;
    const auto place = [here](unsigned lane) { return reinterpret_cast<uint8_t*>(here[lane]); };
    move_group<Lanes, Words, Store>(here, place, data + i, uint32_t(exec >> i) & 0xffff);
  }
  return op + 1;
}

// Add a constant to addresses. Return whether an active lane's is not below `last`.
template <unsigned Lanes>
inline bool add_offset(const Wave& wave, const uint32_t* addresses, uint32_t offset, uint32_t last, uint32_t* to) {
#if defined(HIPPORT_WIDE)
  const uint64_t exec = wave.exec();
  uint32_t outside = 0;
  for (unsigned i = 0; i < Lanes; i += kGroup) {
    const __m512i at = _mm512_add_epi32(_mm512_loadu_si512(addresses + i), _mm512_set1_epi32(int(offset)));
    outside |= _mm512_mask_cmpge_epu32_mask(__mmask16(exec >> i), at, _mm512_set1_epi32(int(last)));
    _mm512_store_si512(to + i, at);
  }
#else
  uint32_t outside = 0;
  for (unsigned i = 0; i < Lanes; ++i) {
    to[i] = addresses[i] + offset;
    outside |= wave.active_lanes[i] & (to[i] >= last ? ~0u : 0u);
  }
#endif
  return outside != 0;
}

// For a branch that one thread takes.
template <unsigned Lanes, unsigned Words, bool Store, unsigned Count>
const Op* move_one(Wave& wave, const Op* op, const uint32_t* addresses) {
  const Access& access = *static_cast<const Access*>(op->extra);
  std::vector<uint8_t>& local = wave.group->local;
  const unsigned lane = unsigned(std::countr_zero(wave.exec()));
  const uint32_t address = addresses[lane];
  for (const uint32_t offset : access.offsets)
    if (size_t(uint32_t(address + offset)) + 4 * Words > local.size()) return run_local(wave, op);
  for (unsigned number = 0; number < Count; ++number) {
    const int operand = !Store ? access.result : number == 0 ? access.data : access.data2;
    uint32_t* const data = wave.v(op->operands[operand].number) + (Store ? 0 : number * Words * Lanes) + lane;
    uint8_t* const at = local.data() + uint32_t(address + access.offsets[number]);
    for (unsigned word = 0; word < Words; ++word)
      Store ? std::memcpy(at + 4 * word, data + word * Lanes, 4) : std::memcpy(data + word * Lanes, at + 4 * word, 4);
  }
  return op + 1;
}

// Move if all groups have a pattern and are within local memory.
template <unsigned Lanes, unsigned Words, bool Store, unsigned Count>
inline bool move_local_patterns(Wave& wave, const Op* op, const Access& access, const uint32_t* addresses) {
  std::vector<uint8_t>& local = wave.group->local;
  Patterns<Lanes> found;
  if (!find_patterns<Lanes, Words, Store>(addresses, found)) return false;
  uint64_t last = 0;
  for (unsigned i = 0; i < Lanes / kGroup; ++i)
    last = std::max<uint64_t>(last, found.first[i] + (found.of[i] == Pattern::kRow ? kRowBytes - 4 : 0));
  for (unsigned number = 0; number < Count; ++number)
    if (last + access.offsets[number] + 4 * Words > local.size()) return false;
  for (unsigned number = 0; number < Count; ++number) {
    const int operand = !Store ? access.result : number == 0 ? access.data : access.data2;
    uint32_t* const data = wave.v(op->operands[operand].number) + (Store ? 0 : number * Words * Lanes);
    move_patterns<Lanes, Words, Store>(found, local.data() + access.offsets[number], data);
  }
  return true;
}

template <unsigned Lanes, unsigned Words, bool Store, unsigned Count>
const Op* move_local(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  std::vector<uint8_t>& local = wave.group->local;
  const uint32_t* const addresses = wave.v(op->operands[access.address].number);
  const uint64_t exec = wave.exec();
  if (wave.full && move_local_patterns<Lanes, Words, Store, Count>(wave, op, access, addresses)) return op + 1;
  if (std::has_single_bit(exec)) return move_one<Lanes, Words, Store, Count>(wave, op, addresses);
  // A load may overwrite its own addresses.
  alignas(64) uint32_t offsets[Count][Lanes];
  const uint32_t last = local.size() < 4 * Words ? 0 : uint32_t(local.size() - 4 * Words + 1);
  uint8_t* const start = local.data();
  bool outside = false;
  for (unsigned number = 0; number < Count; ++number)
    outside |= add_offset<Lanes>(wave, addresses, access.offsets[number], last, offsets[number]);
  if (outside) return run_local(wave, op);
  for (unsigned number = 0; number < Count; ++number) {
    const int operand = !Store ? access.result : number == 0 ? access.data : access.data2;
    uint32_t* const data = wave.v(op->operands[operand].number) + (Store ? 0 : number * Words * Lanes);
    for (unsigned i = 0; i < Lanes; i += kGroup) {
      const uint32_t* const here = offsets[number] + i;
      const auto place = [start, here](unsigned lane) { return start + here[lane]; };
      move_group<Lanes, Words, Store>(here, place, data + i, uint32_t(exec >> i) & 0xffff);
    }
  }
  return op + 1;
}
template <unsigned Lanes, bool Store, bool Flat>
Run global_form(unsigned words) {
  switch (words) {
    case 1: return &move_global<Lanes, 1, Store, Flat>;
    case 2: return &move_global<Lanes, 2, Store, Flat>;
    case 3: return &move_global<Lanes, 3, Store, Flat>;
    case 4: return &move_global<Lanes, 4, Store, Flat>;
    default: return nullptr;
  }
}

template <unsigned Lanes, bool Store>
Run local_form(unsigned words, unsigned count) {
  switch (words * 2 + count - 1) {
    case 2: return &move_local<Lanes, 1, Store, 1>;
    case 3: return &move_local<Lanes, 1, Store, 2>;
    case 4: return &move_local<Lanes, 2, Store, 1>;
    case 5: return &move_local<Lanes, 2, Store, 2>;
    case 6: return &move_local<Lanes, 3, Store, 1>;
    case 8: return &move_local<Lanes, 4, Store, 1>;
    default: return nullptr;
  }
}

template <unsigned Lanes>
Run form(const Access& access) {
  const bool stores = access.action == Action::kStore;
  if (access.space == Space::kLocal)
    return stores ? local_form<Lanes, true>(access.words, access.count)
                  : local_form<Lanes, false>(access.words, access.count);
  if (access.space == Space::kGlobal)
    return stores ? global_form<Lanes, true, false>(access.words) : global_form<Lanes, false, false>(access.words);
  return stores ? global_form<Lanes, true, true>(access.words) : global_form<Lanes, false, true>(access.words);
}

template <unsigned Lanes>
uint32_t group(Wave& wave, unsigned number, uint32_t extent, GroupedAddresses& to, unsigned width, bool is_one) {
  Patterns<Lanes> found;
  to.extent = to.one_extent = 0;
  if (!find_patterns<Lanes, 4, false>(wave.v(number), found)) return 0;
  const std::vector<uint8_t>& local = wave.group->local;
  const bool is_row = found.of[0] == Pattern::kRow;
  if (is_row && is_one) return 0;
  for (unsigned i = 0; i < Lanes / kGroup; ++i) {
    const uint64_t end = uint64_t(found.first[i]) + extent;
    // A whole register of the host is loaded.
    if (found.of[i] != found.of[0] || end + (is_row ? kRowBytes - 4 : 0) > local.size() ||
        end + kRowBytes > local.capacity())
      return 0;
  }
  for (unsigned i = 0; i < Lanes / width; ++i) {
    const unsigned lane = i * width;
    to.at[i] = local.data() + found.first[lane / kGroup] + (is_row ? lane % kGroup * 4 : 0);
  }
  for (unsigned i = 0; i < kGroup; ++i) to.index[i] = is_row ? i : 0;
  std::copy_n(wave.v(number), Lanes, to.offsets);
  to.extent = extent;
  to.one_extent = is_row ? 0 : extent;
  return 1;
}

}  // namespace

uint32_t group_addresses(Wave& wave, unsigned number, uint32_t extent, uint32_t slot_and_width) {
  GroupedAddresses& to = wave.grouped[slot_and_width & 0xff];
  const unsigned width = slot_and_width >> 8 & 0xff;
  const bool is_one = slot_and_width >> 16;
  return wave.lanes == 64 ? group<64>(wave, number, extent, to, width, is_one)
                          : group<32>(wave, number, extent, to, width, is_one);
}

Run fast_access(const Access& access, unsigned lanes) {
  const bool is_simple = access.action != Action::kAtomic && access.part == Part::kWhole && access.words <= 4;
  const bool is_here = access.space == Space::kGlobal || access.space == Space::kFlat || access.space == Space::kLocal;
  if (!is_simple || !is_here) return nullptr;
  return lanes == 64 ? form<64>(access) : form<32>(access);
}

}  // namespace hipport::emulate
