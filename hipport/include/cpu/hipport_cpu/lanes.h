// SPDX-License-Identifier: MIT
// Cross-lane functions: shuffles, votes and matches, without and with a mask.
#pragma once

#include "../../hipport/compat/maybe_undef.h"
#include "sync.h"

namespace hipport::cpu {

inline unsigned lane_id() { return flat_thread() % wave_size; }

inline LaneCall make_call(const char* name, Exchange kind, Site site) {
  LaneCall call{};
  call.site = site;
  call.name = name;
  call.kind = kind;
  return call;
}

template <typename Mask>
LaneCall make_call(const char* name, Exchange kind, Site site, Mask mask) {
  static_assert(std::is_integral_v<Mask>, "a lane mask must be an integer");
  LaneCall call = make_call(name, kind, site);
  call.masked = true;
  call.mask = static_cast<std::make_unsigned_t<Mask>>(mask);
  return call;
}

inline const LaneCall& exchange(LaneCall& call) {
  block_here(call.name).exchange(call);
  return call;
}

// Read a value from another lane, 8 bytes at a time.
template <typename T>
T shuffle(LaneCall call, HIPPORT_MAYBE_UNDEF T value, unsigned source) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain values can be shuffled");
  constexpr size_t words = (sizeof(T) + 7) / 8;
  uint64_t parts[words] = {};
  std::memcpy(parts, &value, sizeof(T));
  for (uint64_t& part : parts) {
    LaneCall one = call;
    one.value = part;
    one.source = source;
    part = exchange(one).result;
  }
  std::memcpy(&value, parts, sizeof(T));
  return value;
}

// Return how many of these lanes the block has.
inline unsigned present_lanes(LaneMask lanes) {
  const unsigned first = flat_thread() / wave_size * wave_size;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  return static_cast<unsigned>(__builtin_popcountll(lanes & first_lanes(std::min(threads - first, wave_size))));
}

inline unsigned segment_start(unsigned lane, int width) { return lane & ~(static_cast<unsigned>(width) - 1); }

inline unsigned indexed_source(int source, int width) {
  return segment_start(lane_id(), width) + (static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1));
}
inline unsigned upper_source(unsigned delta, int width) {
  const unsigned lane = lane_id();
  return lane < segment_start(lane, width) + delta ? lane : lane - delta;
}
inline unsigned lower_source(unsigned delta, int width) {
  const unsigned lane = lane_id();
  return lane - segment_start(lane, width) + uint64_t(delta) >= static_cast<unsigned>(width) ? lane : lane + delta;
}
inline unsigned crossed_source(int lane_mask, int width) {
  const unsigned lane = lane_id(), other = lane ^ static_cast<unsigned>(lane_mask);
  return other >= segment_start(lane, width) + static_cast<unsigned>(width) ? lane : other;
}

// HIP's lane masks have 64 bits for every wavefront size.
using Lanes = unsigned long long;

inline LaneMask equal_lanes(LaneCall call, uint64_t value) {
  call.value = value;
  return exchange(call).result;
}

template <typename T>
uint64_t match_bits(HIPPORT_MAYBE_UNDEF T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "only values of up to 8 bytes can be matched");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

inline const LaneCall& vote(LaneCall& call, int predicate) {
  call.value = predicate != 0;
  return exchange(call);
}

}  // namespace hipport::cpu

#define HIPPORT_SHUFFLE(name, how, Argument)                                                                       \
  template <typename T>                                                                                            \
  T name(HIPPORT_MAYBE_UNDEF T value, Argument argument, int width = warpSize, HIPPORT_CALLER) {                   \
    using namespace hipport::cpu;                                                                                  \
    return shuffle(make_call(#name, Exchange::shuffle, HIPPORT_HERE), value, how##_source(argument, width));       \
  }                                                                                                                \
  template <typename Mask, typename T>                                                                             \
  T name##_sync(Mask mask, HIPPORT_MAYBE_UNDEF T value, Argument argument, int width = warpSize, HIPPORT_CALLER) { \
    using namespace hipport::cpu;                                                                                  \
    return shuffle(make_call(#name "_sync", Exchange::shuffle, HIPPORT_HERE, mask), value,                         \
                   how##_source(argument, width));                                                                 \
  }
HIPPORT_SHUFFLE(__shfl, indexed, int)
HIPPORT_SHUFFLE(__shfl_up, upper, unsigned)
HIPPORT_SHUFFLE(__shfl_down, lower, unsigned)
HIPPORT_SHUFFLE(__shfl_xor, crossed, int)
#undef HIPPORT_SHUFFLE

#define HIPPORT_VOTE(Result, name, result)                                        \
  inline Result name(int predicate, HIPPORT_CALLER) {                             \
    using namespace hipport::cpu;                                                 \
    LaneCall call = make_call(#name, Exchange::vote, HIPPORT_HERE);               \
    vote(call, predicate);                                                        \
    return result;                                                                \
  }                                                                               \
  template <typename Mask>                                                        \
  Result name##_sync(Mask mask, int predicate, HIPPORT_CALLER) {                  \
    using namespace hipport::cpu;                                                 \
    LaneCall call = make_call(#name "_sync", Exchange::vote, HIPPORT_HERE, mask); \
    vote(call, predicate);                                                        \
    return result;                                                                \
  }
HIPPORT_VOTE(unsigned long long, __ballot, call.result)
HIPPORT_VOTE(int, __any, call.result != 0)
HIPPORT_VOTE(int, __all, call.result == call.group)
#undef HIPPORT_VOTE

inline unsigned long long __activemask(HIPPORT_CALLER) {
  using namespace hipport::cpu;
  LaneCall call = make_call("__activemask", Exchange::sync, HIPPORT_HERE);
  return exchange(call).group;
}

inline void __syncwarp(HIPPORT_CALLER) {
  using namespace hipport::cpu;
  LaneCall call = make_call("__syncwarp", Exchange::sync, HIPPORT_HERE);
  exchange(call);
}
template <typename Mask>
void __syncwarp(Mask mask, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  LaneCall call = make_call("__syncwarp", Exchange::sync, HIPPORT_HERE, mask);
  exchange(call);
}

// Return the lanes that have the same value.
template <typename T>
unsigned long long __match_any(HIPPORT_MAYBE_UNDEF T value, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  return equal_lanes(make_call("__match_any", Exchange::match, HIPPORT_HERE), match_bits(value));
}
template <typename Mask, typename T>
unsigned long long __match_any_sync(Mask mask, HIPPORT_MAYBE_UNDEF T value, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  return equal_lanes(make_call("__match_any_sync", Exchange::match, HIPPORT_HERE, mask), match_bits(value));
}

// Return all participating lanes if they have the same value, else 0.
template <typename T>
unsigned long long __match_all(HIPPORT_MAYBE_UNDEF T value, int* all, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  LaneCall call = make_call("__match_all", Exchange::match, HIPPORT_HERE);
  call.value = match_bits(value);
  exchange(call);
  *all = call.result == call.group;
  return *all ? call.group : 0;
}
template <typename Mask, typename T>
unsigned long long __match_all_sync(Mask mask, HIPPORT_MAYBE_UNDEF T value, int* all, HIPPORT_CALLER) {
  using namespace hipport::cpu;
  LaneCall call = make_call("__match_all_sync", Exchange::match, HIPPORT_HERE, mask);
  call.value = match_bits(value);
  exchange(call);
  *all = call.result == call.group;
  return *all ? call.group : 0;
}

inline unsigned __lane_id() { return hipport::cpu::lane_id(); }
