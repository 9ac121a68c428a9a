// SPDX-License-Identifier: MIT
// Shuffles of tiles and coalesced groups (`tile.shfl(value, rank)` in CUDA) for values that are not numbers: HIP's
// groups pass on numbers only, CUDA's anything that can be copied byte by byte.
#ifndef HIPPORT_COMPAT_GROUP_SHUFFLES_H
#define HIPPORT_COMPAT_GROUP_SHUFFLES_H

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)

#define HIPPORT_COMPAT_GROUP_SHUFFLE(name, Where)                                         \
  template <typename Group, typename T>                                                   \
  HIPPORT_COMPAT_DEVICE T group_##name(const Group& group, const T& value, Where where) { \
    return group.name(value, where);                                                      \
  }

#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_cooperative_groups.h>

#include <cstring>
#include <type_traits>

#define HIPPORT_COMPAT_GROUP_SHUFFLE(name, Where)                                                     \
  template <typename Group, typename T>                                                               \
  HIPPORT_COMPAT_DEVICE typename std::enable_if<std::is_arithmetic<T>::value, T>::type group_##name(  \
      const Group& group, const T& value, Where where) {                                              \
    return group.name(value, where);                                                                  \
  }                                                                                                   \
  template <typename Group, typename T>                                                               \
  HIPPORT_COMPAT_DEVICE typename std::enable_if<!std::is_arithmetic<T>::value, T>::type group_##name( \
      const Group& group, const T& value, Where where) {                                              \
    int words[(sizeof(T) + sizeof(int) - 1) / sizeof(int)] = {};                                      \
    memcpy(words, static_cast<const void*>(&value), sizeof(T));                                       \
    for (int& word : words) word = group.name(word, where);                                           \
    T result = value;                                                                                 \
    memcpy(static_cast<void*>(&result), words, sizeof(T));                                            \
    return result;                                                                                    \
  }

#endif

#if defined(HIPPORT_COMPAT_GROUP_SHUFFLE)

namespace hipport {
namespace compat {

HIPPORT_COMPAT_GROUP_SHUFFLE(shfl, int)
HIPPORT_COMPAT_GROUP_SHUFFLE(shfl_up, unsigned)
HIPPORT_COMPAT_GROUP_SHUFFLE(shfl_down, unsigned)
HIPPORT_COMPAT_GROUP_SHUFFLE(shfl_xor, unsigned)

}  // namespace compat
}  // namespace hipport

#undef HIPPORT_COMPAT_GROUP_SHUFFLE

#endif

#endif
