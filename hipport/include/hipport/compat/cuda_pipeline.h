// SPDX-License-Identifier: MIT
// `cuda/pipeline`: copies are synchronous; counters hand stages from producers to consumers and back.
//
// The pipeline of a single thread never waits. Threads that share a pipeline spin. The lanes of a wavefront run in
// lockstep, so a wavefront must not contain both producers and consumers unless every lane is both.
#ifndef HIPPORT_COMPAT_CUDA_PIPELINE_H
#define HIPPORT_COMPAT_CUDA_PIPELINE_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "cuda_barrier.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cuda/pipeline>
#elif defined(HIPPORT_COMPAT_HIP)

namespace cuda {

enum class pipeline_role { producer, consumer };

// For each stage, how often producers have filled it and consumers have emptied it; the counters only grow.
// Constructors do not run for shared memory: `make_pipeline` sets them to 0.
template <thread_scope Scope, uint8_t Stages>
struct pipeline_shared_state {
  unsigned producers, consumers, filled[Stages], emptied[Stages];
};

template <thread_scope Scope>
class pipeline {
 public:
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;
  pipeline(pipeline&&) = default;

  // A pipeline of a single thread.
  HIPPORT_COMPAT_DEVICE pipeline() {}

  template <uint8_t Stages>
  HIPPORT_COMPAT_DEVICE explicit pipeline(pipeline_shared_state<Scope, Stages>* state)
      : filled_(state->filled),
        emptied_(state->emptied),
        stages_(Stages),
        producers_(state->producers),
        consumers_(state->consumers) {}

  HIPPORT_COMPAT_DEVICE void producer_acquire() {
    if (stages_ > 0) wait_for(emptied_[head_ % stages_], consumers_ * (head_ / stages_));
  }
  HIPPORT_COMPAT_DEVICE void producer_commit() {
    if (stages_ > 0) count(filled_[head_ % stages_]);
    ++head_;
  }
  HIPPORT_COMPAT_DEVICE void consumer_wait() {
    if (stages_ > 0) wait_for(filled_[tail_ % stages_], producers_ * (tail_ / stages_ + 1));
  }
  HIPPORT_COMPAT_DEVICE void consumer_release() {
    if (stages_ > 0) count(emptied_[tail_ % stages_]);
    ++tail_;
  }
  HIPPORT_COMPAT_DEVICE bool quit() { return true; }

 private:
  HIPPORT_COMPAT_DEVICE static void wait_for(const unsigned& counter, unsigned least) {
    while (__atomic_load_n(&counter, __ATOMIC_RELAXED) < least) hipport::compat::let_others_run();
    __threadfence_block();
  }
  HIPPORT_COMPAT_DEVICE static void count(unsigned& counter) {
    __threadfence_block();
    atomicAdd(&counter, 1u);
  }

  unsigned* filled_ = nullptr;
  unsigned* emptied_ = nullptr;
  unsigned stages_ = 0, producers_ = 0, consumers_ = 0, head_ = 0, tail_ = 0;
};

HIPPORT_COMPAT_DEVICE pipeline<thread_scope_thread> make_pipeline() { return {}; }

}  // namespace cuda

namespace hipport {
namespace compat {

template <typename Group, cuda::thread_scope Scope, uint8_t Stages>
HIPPORT_COMPAT_DEVICE cuda::pipeline<Scope> shared_pipeline(const Group& group,
                                                            cuda::pipeline_shared_state<Scope, Stages>* state,
                                                            bool produces, bool consumes) {
  if (group.thread_rank() == 0) memset(state, 0, sizeof(*state));
  group.sync();
  if (produces) atomicAdd(&state->producers, 1u);
  if (consumes) atomicAdd(&state->consumers, 1u);
  group.sync();
  return cuda::pipeline<Scope>(state);
}

}  // namespace compat
}  // namespace hipport

namespace cuda {

// Every thread of the group is both producer and consumer.
template <typename Group, thread_scope Scope, uint8_t Stages>
HIPPORT_COMPAT_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
  return hipport::compat::shared_pipeline(group, state, true, true);
}

// Each thread passes its role.
template <typename Group, thread_scope Scope, uint8_t Stages>
HIPPORT_COMPAT_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                                    pipeline_role role) {
  const bool produces = role == pipeline_role::producer;
  return hipport::compat::shared_pipeline(group, state, produces, !produces);
}

// The threads with the lowest ranks are producers.
template <typename Group, thread_scope Scope, uint8_t Stages>
HIPPORT_COMPAT_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                                    size_t producers) {
  const bool produces = group.thread_rank() < producers;
  return hipport::compat::shared_pipeline(group, state, produces, !produces);
}

// All copies of a thread are already complete here.
template <uint8_t Prior>
HIPPORT_COMPAT_DEVICE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {}

template <typename Size, thread_scope Scope>
HIPPORT_COMPAT_DEVICE void memcpy_async(void* to, const void* from, const Size& bytes, pipeline<Scope>&) {
  hipport::compat::copy_share(to, from, static_cast<size_t>(bytes), 0, 1);
}
template <typename Group, typename Size, thread_scope Scope>
HIPPORT_COMPAT_DEVICE void memcpy_async(const Group& group, void* to, const void* from, const Size& bytes,
                                        pipeline<Scope>&) {
  hipport::compat::copy_share(to, from, static_cast<size_t>(bytes), group.thread_rank(), group.size());
}

}  // namespace cuda

#endif

#endif

#endif
