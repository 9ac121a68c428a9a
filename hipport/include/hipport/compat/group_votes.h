// SPDX-License-Identifier: MIT
// Votes of tiles and coalesced groups (`tile.ballot(p)` in CUDA) for HIP releases whose groups lack these members. Bit
// i of a result stands for the thread of rank i.
#ifndef HIPPORT_COMPAT_GROUP_VOTES_H
#define HIPPORT_COMPAT_GROUP_VOTES_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)

namespace hipport {
namespace compat {

template <typename Group>
HIPPORT_COMPAT_DEVICE unsigned long long group_ballot(const Group& group, int predicate) {
  return group.ballot(predicate);
}
template <typename Group, typename T>
HIPPORT_COMPAT_DEVICE unsigned long long group_match_any(const Group& group, T value) {
  return group.match_any(value);
}
template <typename Group, typename T>
HIPPORT_COMPAT_DEVICE unsigned long long group_match_all(const Group& group, T value, int& all) {
  return group.match_all(value, all);
}

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_cooperative_groups.h>

#include <type_traits>

namespace hipport {
namespace compat {

// The threads of a tile are consecutive lanes.
template <typename Tile>
HIPPORT_COMPAT_DEVICE unsigned long long ballot_of(const Tile& tile, int predicate, long) {
  const unsigned long long lanes = __ballot(predicate) >> (unsigned(__lane_id()) - unsigned(tile.thread_rank()));
  const unsigned size = unsigned(tile.size());
  return size < 64 ? lanes & ((1ull << size) - 1) : lanes;
}

// A group that has the member: overload resolution tries the `int` version first.
template <typename Group>
HIPPORT_COMPAT_DEVICE auto ballot_of(const Group& group, int predicate, int) -> decltype(group.ballot(predicate)) {
  return group.ballot(predicate);
}

template <typename Group>
HIPPORT_COMPAT_DEVICE auto group_ballot(const Group& group, int predicate) -> decltype(ballot_of(group, predicate, 0)) {
  return ballot_of(group, predicate, 0);
}

// As many bits as in CUDA, since `__ffs(tile.ballot(p))` has overloads in HIP.
template <unsigned int size, typename Parent>
HIPPORT_COMPAT_DEVICE typename std::conditional<(size <= 32), unsigned, unsigned long long>::type group_ballot(
    const cooperative_groups::thread_block_tile<size, Parent>& tile, int predicate) {
  using Bits = typename std::conditional<(size <= 32), unsigned, unsigned long long>::type;
  return static_cast<Bits>(ballot_of(tile, predicate, 0L));
}

// Only the group itself knows the lanes of a coalesced group, so that each rank is asked with `shfl`.
HIPPORT_COMPAT_DEVICE unsigned long long group_ballot(const cooperative_groups::coalesced_group& group, int predicate) {
  unsigned long long ranks = 0;
  for (unsigned rank = 0; rank < unsigned(group.size()); ++rank) {
    if (group.shfl(int(predicate != 0), int(rank)) != 0) ranks |= 1ull << rank;
  }
  return ranks;
}

template <typename Group, typename T>
HIPPORT_COMPAT_DEVICE unsigned long long group_match_any(const Group& group, T value) {
  unsigned long long ranks = 0;
  for (unsigned rank = 0; rank < unsigned(group.size()); ++rank) {
    if (group.shfl(value, int(rank)) == value) ranks |= 1ull << rank;
  }
  return ranks;
}

template <typename Group, typename T>
HIPPORT_COMPAT_DEVICE unsigned long long group_match_all(const Group& group, T value, int& all) {
  const int same = group.shfl(value, 0) == value;
  all = group_ballot(group, !same) == 0;
  return all ? group_ballot(group, 1) : 0;
}

}  // namespace compat
}  // namespace hipport

#endif

#if defined(HIPPORT_COMPAT_CUDA) || defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

// Prefer the group's own members, which tiles of more than 32 threads have: overload resolution tries the `int`
// versions first.
template <typename Group>
HIPPORT_COMPAT_DEVICE auto vote_any(const Group& group, int predicate, int) -> decltype(int(group.any(predicate))) {
  return group.any(predicate);
}
template <typename Group>
HIPPORT_COMPAT_DEVICE int vote_any(const Group& group, int predicate, long) {
  return group_ballot(group, predicate) != 0;
}
template <typename Group>
HIPPORT_COMPAT_DEVICE auto vote_all(const Group& group, int predicate, int) -> decltype(int(group.all(predicate))) {
  return group.all(predicate);
}
template <typename Group>
HIPPORT_COMPAT_DEVICE int vote_all(const Group& group, int predicate, long) {
  return group_ballot(group, !predicate) == 0;
}

template <typename Group>
HIPPORT_COMPAT_DEVICE int group_any(const Group& group, int predicate) {
  return vote_any(group, predicate, 0);
}
template <typename Group>
HIPPORT_COMPAT_DEVICE int group_all(const Group& group, int predicate) {
  return vote_all(group, predicate, 0);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif

#endif
