// SPDX-License-Identifier: MIT
// `cooperative_groups/reduce.h`: reductions over tiles and coalesced groups; also `labeled_partition`
// and `binary_partition`.
//
// Works with every group that has `size()`, `thread_rank()` and `shfl()`, on wavefronts of 32 and of 64 lanes.
#ifndef HIPPORT_COMPAT_COOPERATIVE_GROUPS_REDUCE_H
#define HIPPORT_COMPAT_COOPERATIVE_GROUPS_REDUCE_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace hipport {
namespace compat {

template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T reduce_group(const Group& group, const T& value, Operation&& combine) {
  return cooperative_groups::reduce(group, value, combine);
}

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)
#include <hip/hip_cooperative_groups.h>

#include <type_traits>

#include "coalesced_parts.h"

namespace hipport {
namespace compat {

// Return the value of the thread with the given rank; the type must be trivially copyable.
template <typename Group, typename T>
HIPPORT_COMPAT_DEVICE T from_rank(const Group& group, const T& value, unsigned rank) {
  int words[(sizeof(T) + sizeof(int) - 1) / sizeof(int)] = {};
  memcpy(words, static_cast<const void*>(&value), sizeof(T));
  for (int& word : words) word = group.shfl(word, static_cast<int>(rank));
  T result = value;
  memcpy(static_cast<void*>(&result), words, sizeof(T));
  return result;
}

// Combine the values of all threads of a group; every thread gets the result.
template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T reduce_group(const Group& group, T value, Operation&& combine) {
  const unsigned size = group.size(), rank = group.thread_rank();
  if ((size & (size - 1)) == 0) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      value = combine(value, from_rank(group, value, rank ^ distance));
    }
    return value;
  }
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const bool has_other = rank + distance < size;
    const T other = from_rank(group, value, has_other ? rank + distance : rank);
    if (has_other && rank % (2 * distance) == 0) value = combine(value, other);
  }
  return from_rank(group, value, 0);
}

}  // namespace compat
}  // namespace hipport

namespace cooperative_groups {

#if !defined(__HIPPORT_CPU__)
#define HIPPORT_COMPAT_OPERATION(name, expression)                                   \
  template <typename T>                                                              \
  struct name {                                                                      \
    HIPPORT_COMPAT T operator()(const T& a, const T& b) const { return expression; } \
  };
HIPPORT_COMPAT_OPERATION(plus, a + b)
HIPPORT_COMPAT_OPERATION(less, b < a ? b : a)
HIPPORT_COMPAT_OPERATION(greater, a < b ? b : a)
HIPPORT_COMPAT_OPERATION(bit_and, (a & b))
HIPPORT_COMPAT_OPERATION(bit_or, a | b)
HIPPORT_COMPAT_OPERATION(bit_xor, a ^ b)
#undef HIPPORT_COMPAT_OPERATION

template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T reduce(const Group& group, T value, Operation&& combine) {
  return hipport::compat::reduce_group(group, value, combine);
}
#endif

// The threads of the group that have the same label. Groups are in the order of their first threads; of the two of a
// predicate, that with `false` is the first.
template <typename Group, typename Label>
HIPPORT_COMPAT_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned size = group.size();
  uint64_t lanes = 0;
  unsigned first = size;
  for (unsigned rank = 0; rank < size; ++rank) {
    const unsigned lane = hipport::compat::from_rank(group, static_cast<unsigned>(__lane_id()), rank);
    if (!(hipport::compat::from_rank(group, label, rank) == label)) continue;
    lanes |= uint64_t(1) << lane;
    if (first == size) first = rank;
  }
  unsigned part = 0, parts = 0;
  for (unsigned rank = 0; rank < size; ++rank) {
    if (hipport::compat::from_rank(group, first, rank) != rank) continue;
    part += rank < first;
    ++parts;
  }
  if (std::is_same<Label, bool>::value && parts == 2) part = static_cast<unsigned>(label);
  return hipport::compat::CoalescedPart(lanes, part, parts);
}

#if HIPPORT_COMPAT_HIP_BEFORE(7, 0) && !defined(HIP_ENABLE_WARP_SYNC_BUILTINS) && !defined(__HIPPORT_CPU__)
// The threads of the group that have the same predicate.
template <typename Group>
HIPPORT_COMPAT_DEVICE coalesced_group binary_partition(const Group& group, bool predicate) {
  return labeled_partition(group, predicate);
}
#endif

}  // namespace cooperative_groups

#endif

#endif

#endif
