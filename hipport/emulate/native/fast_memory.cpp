// SPDX-License-Identifier: MIT
// Loads and stores of whole registers, for all lanes at once.
#include "memory_kinds.h"

#include <bit>
#include <cstring>
#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>
#define HIPPORT_GATHER 1
#endif

namespace hipport::emulate {
namespace {

// Read one word for each lane of a mask.
template <unsigned Lanes>
inline void gather(const uint64_t* from, unsigned byte, uint32_t* to, uint64_t lanes) {
#if defined(HIPPORT_GATHER)
  for (unsigned i = 0; i < Lanes; i += 8) {
    const auto part = static_cast<__mmask8>(lanes >> i);
    const __m512i at = _mm512_add_epi64(_mm512_load_si512(from + i), _mm512_set1_epi64(byte));
    const __m256i old = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(to + i));
    const __m256i all = _mm512_mask_i64gather_epi32(old, part, at, nullptr, 1);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), all);
  }
#else
  for (unsigned i = 0; i < Lanes; ++i)
    if (lanes >> i & 1) std::memcpy(to + i, reinterpret_cast<const uint8_t*>(from[i]) + byte, 4);
#endif
}

template <unsigned Lanes>
inline void scatter(const uint64_t* to, unsigned byte, const uint32_t* from, uint64_t lanes) {
  for (uint64_t left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    std::memcpy(reinterpret_cast<uint8_t*>(to[lane]) + byte, from + lane, 4);
  }
}

// Return whether each lane's address is the one before plus `step`.
template <unsigned Lanes>
inline bool is_consecutive(const uint64_t* at, uint64_t step) {
  uint64_t different = 0;
  for (unsigned i = 0; i < Lanes; ++i) different |= at[i] ^ (at[0] + i * step);
  return different == 0;
}

template <unsigned Lanes>
inline void global_addresses(Wave& wave, const Op* op, const Access& access, uint64_t* at) {
  const uint32_t* const low = access.address >= 0 ? wave.v(op->operands[access.address].number) : nullptr;
  if (access.scalar_base >= 0) {
    const uint64_t base = wave.pair(op->operands[access.scalar_base].number) + uint64_t(access.offset);
    for (unsigned i = 0; i < Lanes; ++i) at[i] = base + (low == nullptr ? 0 : low[i]);
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

template <unsigned Lanes, unsigned Words, bool Store, bool Flat>
const Op* move_global(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  alignas(64) uint64_t at[Lanes];
  global_addresses<Lanes>(wave, op, access, at);
  if (Flat && has_aperture<Lanes>(at)) return run_access(wave, op);
  const uint64_t exec = wave.exec();
  uint32_t* const data = wave.v(op->operands[Store ? access.data : access.result].number);
  if (Words == 1 && wave.full && is_consecutive<Lanes>(at, 4)) {
    if (Store)
      std::memcpy(reinterpret_cast<void*>(at[0]), data, Lanes * 4);
    else
      std::memcpy(data, reinterpret_cast<const void*>(at[0]), Lanes * 4);
    return op + 1;
  }
  for (unsigned word = 0; word < Words; ++word) {
    if (Store)
      scatter<Lanes>(at, 4 * word, data + word * Lanes, exec);
    else
      gather<Lanes>(at, 4 * word, data + word * Lanes, exec);
  }
  return op + 1;
}

template <unsigned Lanes>
inline void gather_local(const uint8_t* local, const uint32_t* offsets, unsigned byte, uint32_t* to, uint64_t lanes) {
#if defined(HIPPORT_GATHER)
  for (unsigned i = 0; i < Lanes; i += 16) {
    const auto part = static_cast<__mmask16>(lanes >> i);
    const __m512i at = _mm512_add_epi32(_mm512_load_si512(offsets + i), _mm512_set1_epi32(int(byte)));
    const __m512i all = _mm512_mask_i32gather_epi32(_mm512_loadu_si512(to + i), part, at, local, 1);
    _mm512_storeu_si512(to + i, all);
  }
#else
  for (unsigned i = 0; i < Lanes; ++i)
    if (lanes >> i & 1) std::memcpy(to + i, local + offsets[i] + byte, 4);
#endif
}

template <unsigned Lanes, unsigned Words, bool Store, unsigned Count>
const Op* move_local(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  std::vector<uint8_t>& local = wave.group->local;
  const uint32_t* const addresses = wave.v(op->operands[access.address].number);
  const uint64_t exec = wave.exec();
  // A load may overwrite its own addresses.
  alignas(64) uint32_t offsets[Count][Lanes];
  uint32_t outside = 0;
  const uint32_t last = local.size() < 4 * Words ? 0 : uint32_t(local.size() - 4 * Words + 1);
  for (unsigned number = 0; number < Count; ++number)
    for (unsigned i = 0; i < Lanes; ++i) {
      offsets[number][i] = addresses[i] + access.offsets[number];
      outside |= wave.active_lanes[i] & (offsets[number][i] >= last ? ~0u : 0u);
    }
  if (outside != 0) return run_local(wave, op);
  for (unsigned number = 0; number < Count; ++number) {
    uint32_t* const data = wave.v(op->operands[!Store        ? access.result
                                               : number == 0 ? access.data
                                                             : access.data2]
                                      .number) +
                           (Store ? 0 : number * Words * Lanes);
    for (unsigned word = 0; word < Words; ++word) {
      uint32_t* const here = data + word * Lanes;
      if (!Store) {
        gather_local<Lanes>(local.data(), offsets[number], 4 * word, here, exec);
      } else {
        for (uint64_t left = exec; left != 0; left &= left - 1) {
          const unsigned lane = unsigned(std::countr_zero(left));
          std::memcpy(local.data() + offsets[number][lane] + 4 * word, here + lane, 4);
        }
      }
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

}  // namespace

Run fast_access(const Access& access, unsigned lanes) {
  const bool is_simple = access.action != Action::kAtomic && access.part == Part::kWhole && access.words <= 4;
  const bool is_here = access.space == Space::kGlobal || access.space == Space::kFlat || access.space == Space::kLocal;
  if (!is_simple || !is_here) return nullptr;
  return lanes == 64 ? form<64>(access) : form<32>(access);
}

}  // namespace hipport::emulate
