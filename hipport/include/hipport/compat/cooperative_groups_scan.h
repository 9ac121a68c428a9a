// SPDX-License-Identifier: MIT
// `cooperative_groups/scan.h`: prefix sums over tiles and coalesced groups.
#ifndef HIPPORT_COMPAT_COOPERATIVE_GROUPS_SCAN_H
#define HIPPORT_COMPAT_COOPERATIVE_GROUPS_SCAN_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "cooperative_groups_reduce.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cooperative_groups/scan.h>

namespace hipport {
namespace compat {

template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T inclusive_scan_group(const Group& group, const T& value, Operation&& combine) {
  return cooperative_groups::inclusive_scan(group, value, combine);
}
template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T exclusive_scan_group(const Group& group, const T& value, Operation&& combine) {
  return cooperative_groups::exclusive_scan(group, value, combine);
}

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

// Combine the values of the threads up to and including this one, in the order of their ranks.
template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T inclusive_scan_group(const Group& group, T value, Operation&& combine) {
  const unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T other = from_rank(group, value, rank >= distance ? rank - distance : rank);
    if (rank >= distance) value = combine(other, value);
  }
  return value;
}

// Combine the values of the threads before this one; the first thread gets T().
template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T exclusive_scan_group(const Group& group, T value, Operation&& combine) {
  const unsigned rank = group.thread_rank();
  const T sum = inclusive_scan_group(group, value, combine);
  const T before = from_rank(group, sum, rank > 0 ? rank - 1 : 0);
  return rank > 0 ? before : T();
}

}  // namespace compat
}  // namespace hipport

#if !defined(__HIPPORT_CPU__)
namespace cooperative_groups {

template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T inclusive_scan(const Group& group, T value, Operation&& combine) {
  return hipport::compat::inclusive_scan_group(group, value, combine);
}
template <typename Group, typename T, typename Operation>
HIPPORT_COMPAT_DEVICE T exclusive_scan(const Group& group, T value, Operation&& combine) {
  return hipport::compat::exclusive_scan_group(group, value, combine);
}

template <typename Group, typename T>
HIPPORT_COMPAT_DEVICE T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T>
HIPPORT_COMPAT_DEVICE T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
#endif

#endif

#endif

#endif
