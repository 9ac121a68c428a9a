// Mailboxes: vectors that blocks pass to each other without a grid barrier.
//
// Elements are stored in pairs, together with a sequence number in the same 64 bits. A reader polls until the
// numbers have arrived, so no fence and no count of finished blocks is needed: one trip through memory instead of
// three. Numbers only increase, so a value left by an earlier hand-over is never taken for the awaited one.
#ifndef HIPPORT_LLM_MAILBOX_CUH
#define HIPPORT_LLM_MAILBOX_CUH

#include "model.h"
#include "thread_block.cuh"

namespace hipport_llm {

// A pair of elements in the lower half, the sequence number of the hand-over in the upper.
using Packet = uint64_t;

// Two neighboring packets, read at once.
struct TwoPackets {
  Packet first, second;

  __device__ static bool reached(Packet packet, unsigned number) {
    return static_cast<int>(static_cast<unsigned>(packet >> 32) - number) >= 0;
  }
  __device__ bool have(unsigned number) const { return reached(first, number) && reached(second, number); }
  __device__ uint2 values() const { return make_uint2(static_cast<uint32_t>(first), static_cast<uint32_t>(second)); }
};

__device__ inline void post(Packet* to, uint32_t value, unsigned number) {
  const Packet packet = static_cast<Packet>(number) << 32 | value;
#if !defined(__HIP_PLATFORM_AMD__)
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(packet) : "memory");
#else
  __hip_atomic_store(to, packet, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#endif
}

// Pair `i` of packets.
__device__ inline TwoPackets look(const Packet* all, int i) {
  TwoPackets packets;
#if !defined(__HIP_PLATFORM_AMD__)
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(packets.first), "=l"(packets.second)
               : "l"(all + 2 * i)
               : "memory");
#else
  // A base address and a 32-bit offset, which the load adds: no register is needed for each round's address.
  const Packet* from =
      reinterpret_cast<const Packet*>(reinterpret_cast<const uint8_t*>(all) + static_cast<unsigned>(i) * 16u);
  packets.first = __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  packets.second = __hip_atomic_load(from + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#endif
  return packets;
}

// Waits for packet pairs `first`, `first` + `step`, ... below `count` of hand-over `number`. Those from `count` on
// become zero.
template <int Rounds>
__device__ __forceinline__ void receive(const Packet* from, unsigned number, int first, int step, int count,
                                        uint2 (&values)[Rounds]) {
  TwoPackets packets[Rounds] = {};
  unsigned missing = 0;
#pragma unroll
  for (int i = 0; i < Rounds; ++i) missing |= static_cast<unsigned>(first + i * step < count) << i;
  while (missing != 0) {
#pragma unroll
    for (int i = 0; i < Rounds; ++i)
      if (missing >> i & 1) packets[i] = look(from, first + i * step);
#pragma unroll
    for (int i = 0; i < Rounds; ++i)
      if (packets[i].have(number)) missing &= ~(1u << i);
#if defined(__HIP_PLATFORM_AMD__)
    if (missing != 0) __nanosleep(20);
#endif
  }
#pragma unroll
  for (int i = 0; i < Rounds; ++i) values[i] = packets[i].values();
}

// Receives a vector of 16-bit numbers, of `length` (a multiple of 4), into shared memory.
__device__ __forceinline__ void receive_vector(const Packet* from, unsigned number, int length, Number* to) {
  constexpr int rounds = 11;
  const int count = length / 4;
  for (int start = thread_index(); start < count; start += rounds * kThreads) {
    uint2 values[rounds];
    receive(from, number, start, kThreads, count, values);
    const int own = opaque(start);
#pragma unroll
    for (int i = 0; i < rounds; ++i)
      if (own + i * kThreads < count) reinterpret_cast<uint2*>(to)[own + i * kThreads] = values[i];
  }
  block_sync();
}

__device__ inline uint32_t bits_of(Pair pair) { return *reinterpret_cast<const uint32_t*>(&pair); }

// Posts, as pairs, elements `low` + lane and `high` + lane of lanes 0 to 7. Called by all lanes.
__device__ __forceinline__ void post_eights(Packet* to, unsigned number, int low, int high, float low_value,
                                            float high_value) {
  const int lane = thread_index() % kLanes;
  const float other_low = __shfl_xor_sync(kAllLanes, low_value, 1, kLanes);
  const float other_high = __shfl_xor_sync(kAllLanes, high_value, 1, kLanes);
  if (lane >= 8) return;
  if (lane % 2 == 0)
    post(to + (low + lane) / 2, bits_of(pair_of(low_value, other_low)), number);
  else
    post(to + (high + lane) / 2, bits_of(pair_of(other_high, high_value)), number);
}

// The same with one element per lane.
__device__ __forceinline__ void post_eight(Packet* to, unsigned number, int first, float value) {
  const int lane = thread_index() % kLanes;
  const float other = __shfl_xor_sync(kAllLanes, value, 1, kLanes);
  if (lane < 8 && lane % 2 == 0) post(to + (first + lane) / 2, bits_of(pair_of(value, other)), number);
}

}  // namespace hipport_llm

#endif
