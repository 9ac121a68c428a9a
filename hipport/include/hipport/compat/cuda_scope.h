// SPDX-License-Identifier: MIT
// Shared by the counterparts of libcu++: thread scopes, sizes with a known alignment, synchronous copies.
#ifndef HIPPORT_COMPAT_CUDA_SCOPE_H
#define HIPPORT_COMPAT_CUDA_SCOPE_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A number of bytes that also states the alignment of source and destination.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  HIPPORT_COMPAT explicit aligned_size_t(size_t bytes) : value(bytes) {}
  HIPPORT_COMPAT operator size_t() const { return value; }
};

}  // namespace cuda

namespace hipport {
namespace compat {

// Copy one thread's share of `bytes`, of `count` threads, in words as large as the addresses allow.
template <typename Word>
HIPPORT_COMPAT_DEVICE void copy_words(void* to, const void* from, size_t bytes, size_t rank, size_t count) {
  for (size_t i = rank; i < bytes / sizeof(Word); i += count) {
    memcpy(static_cast<char*>(to) + i * sizeof(Word), static_cast<const char*>(from) + i * sizeof(Word), sizeof(Word));
  }
}

HIPPORT_COMPAT_DEVICE void copy_share(void* to, const void* from, size_t bytes, size_t rank, size_t count) {
  const uintptr_t common = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
  if (common % 16 == 0) {
    to = __builtin_assume_aligned(to, 16), from = __builtin_assume_aligned(from, 16);
    copy_words<uint4>(to, from, bytes, rank, count);
  } else if (common % 4 == 0) {
    to = __builtin_assume_aligned(to, 4), from = __builtin_assume_aligned(from, 4);
    copy_words<uint32_t>(to, from, bytes, rank, count);
  } else {
    copy_words<char>(to, from, bytes, rank, count);
  }
}

// Called in a loop by a thread that waits for another one. The lanes of a wavefront run in lockstep, so the other
// thread must be in another wavefront.
HIPPORT_COMPAT_DEVICE void let_others_run() {
#if defined(HIPPORT_COMPAT_AMDGPU)
  __builtin_amdgcn_s_sleep(1);
#elif defined(__HIPPORT_CPU__)
  if (::hipport::cpu::current_block != nullptr) ::hipport::cpu::current_block->yield();
#endif
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
