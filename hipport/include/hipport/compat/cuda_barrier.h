// SPDX-License-Identifier: MIT
// `cuda/barrier`: arrive-wait barriers of a block, in shared memory; copies are synchronous.
//
// Waiting threads spin. The lanes of a wavefront run in lockstep, so a barrier must not make a lane wait for another
// lane of its wavefront that has not arrived yet.
#ifndef HIPPORT_COMPAT_CUDA_BARRIER_H
#define HIPPORT_COMPAT_CUDA_BARRIER_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "cuda_scope.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cuda/barrier>
#elif defined(HIPPORT_COMPAT_HIP)

namespace cuda {

template <thread_scope Scope>
class barrier {
 public:
  // The phase in which a thread arrived.
  typedef unsigned arrival_token;

  // Constructors do not run for shared memory: `init` sets up a barrier.
  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  HIPPORT_COMPAT_DEVICE void start(unsigned expected) {
    expected_ = left_ = expected;
    phase_ = 0;
    fence();
  }

  HIPPORT_COMPAT_DEVICE arrival_token arrive(ptrdiff_t count = 1) {
    const unsigned phase = current();
    const unsigned arrived = static_cast<unsigned>(count);
    fence();
    if (atomicSub(&left_, arrived) == arrived) begin_next_phase();
    return phase;
  }

  HIPPORT_COMPAT_DEVICE void wait(arrival_token phase) const {
    while (current() == phase) hipport::compat::let_others_run();
    fence();
  }

  HIPPORT_COMPAT_DEVICE void arrive_and_wait() { wait(arrive()); }

  // Arrive, and leave all following phases.
  HIPPORT_COMPAT_DEVICE void arrive_and_drop() {
    atomicSub(&expected_, 1u);
    arrive();
  }

  static constexpr ptrdiff_t max() { return (1 << 20) - 1; }

 private:
  HIPPORT_COMPAT_DEVICE static void fence() {
    if (Scope == thread_scope_block) {
      __threadfence_block();
    } else {
      __threadfence();
    }
  }

  HIPPORT_COMPAT_DEVICE unsigned current() const { return __atomic_load_n(&phase_, __ATOMIC_RELAXED); }

  HIPPORT_COMPAT_DEVICE void begin_next_phase() {
    fence();
    atomicExch(&left_, __atomic_load_n(&expected_, __ATOMIC_RELAXED));
    fence();
    atomicAdd(&phase_, 1u);
  }

  unsigned expected_, left_, phase_;
};

template <thread_scope Scope>
HIPPORT_COMPAT_DEVICE void init(barrier<Scope>* one, ptrdiff_t expected) {
  one->start(static_cast<unsigned>(expected));
}

template <typename Size, thread_scope Scope>
HIPPORT_COMPAT_DEVICE void memcpy_async(void* to, const void* from, const Size& bytes, barrier<Scope>&) {
  hipport::compat::copy_share(to, from, static_cast<size_t>(bytes), 0, 1);
}
template <typename Group, typename Size, thread_scope Scope>
HIPPORT_COMPAT_DEVICE void memcpy_async(const Group& group, void* to, const void* from, const Size& bytes,
                                        barrier<Scope>&) {
  hipport::compat::copy_share(to, from, static_cast<size_t>(bytes), group.thread_rank(), group.size());
}

}  // namespace cuda

#endif

#endif

#endif
