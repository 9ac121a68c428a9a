// SPDX-License-Identifier: MIT
// `cooperative_groups/memcpy_async.h`: the group copies synchronously, and waiting is a barrier.
#ifndef HIPPORT_COMPAT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HIPPORT_COMPAT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "cuda_scope.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cooperative_groups/memcpy_async.h>
#elif defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>

namespace cooperative_groups {

// Copy a number of bytes.
template <typename Group, typename To, typename From, typename Size>
HIPPORT_COMPAT_DEVICE void memcpy_async(const Group& group, To* to, const From* from, const Size& bytes) {
  hipport::compat::copy_share(to, from, static_cast<size_t>(bytes), group.thread_rank(), group.size());
}

// Copy as many elements as both layouts have room for.
template <typename Group, typename T, typename ToSize, typename FromSize>
HIPPORT_COMPAT_DEVICE void memcpy_async(const Group& group, T* to, const ToSize& to_size, const T* from,
                                        const FromSize& from_size) {
  const size_t room = static_cast<size_t>(to_size), have = static_cast<size_t>(from_size);
  const size_t bytes = (room < have ? room : have) * sizeof(T);
  hipport::compat::copy_share(to, from, bytes, group.thread_rank(), group.size());
}

template <typename Group>
HIPPORT_COMPAT_DEVICE void wait(const Group& group) {
  group.sync();
}

// Wait for all copies except the last `Stages`; all copies are already complete.
template <unsigned Stages, typename Group>
HIPPORT_COMPAT_DEVICE void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif

#endif
