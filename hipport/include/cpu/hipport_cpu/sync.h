// SPDX-License-Identifier: MIT
// Barriers and fences.
#pragma once

#include "grid.h"

namespace hipport::cpu {

inline uint64_t fence_token = 0;

inline void fence() {
  checks::fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  // ThreadSanitizer ignores fences: order each fence after all earlier ones instead.
  sanitizers::acquire(&fence_token);
  sanitizers::release(&fence_token);
}

// Return the block of the calling thread. A program that calls device functions on the host is stopped.
inline Block& block_here(const char* name) {
  if (current_block == nullptr) stop("%s called outside of a kernel", name);
  return *current_block;
}

// The translator replaces `return;` in kernels with `return ::hipport::cpu::leave();`.
inline void leave() {
  if (current_block != nullptr) current_block->leave();
}

}  // namespace hipport::cpu

[[gnu::always_inline]] inline void __syncthreads(HIPPORT_CALLER) {
  hipport::cpu::block_here("__syncthreads").barrier(0, "__syncthreads", HIPPORT_HERE);
}
[[gnu::always_inline]] inline int __syncthreads_count(int predicate, HIPPORT_CALLER) {
  return static_cast<int>(
      hipport::cpu::block_here("__syncthreads_count").barrier(predicate != 0, "__syncthreads_count", HIPPORT_HERE));
}
[[gnu::always_inline]] inline int __syncthreads_and(int predicate, HIPPORT_CALLER) {
  return hipport::cpu::block_here("__syncthreads_and").barrier(predicate == 0, "__syncthreads_and", HIPPORT_HERE) == 0;
}
[[gnu::always_inline]] inline int __syncthreads_or(int predicate, HIPPORT_CALLER) {
  return hipport::cpu::block_here("__syncthreads_or").barrier(predicate != 0, "__syncthreads_or", HIPPORT_HERE) != 0;
}

inline void __threadfence() { hipport::cpu::fence(); }
inline void __threadfence_block() { hipport::cpu::fence(); }
inline void __threadfence_system() { hipport::cpu::fence(); }
inline void __nanosleep(unsigned) {
  if (hipport::cpu::current_block != nullptr) hipport::cpu::current_block->yield();
}
