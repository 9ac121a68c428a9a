// SPDX-License-Identifier: MIT
// `cub::DeviceFor`: calls a function for each of a number of indices, or for each element of a range. hipCUB has such
// functions since ROCm 6.4, outside of a class and not in <hipcub/hipcub.hpp>.
#ifndef HIPPORT_COMPAT_CUB_FOR_H
#define HIPPORT_COMPAT_CUB_FOR_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace hipport {
namespace compat {

// Calls a function with an element itself, which it may write.
template <typename Iterator, typename Op>
struct OfElement {
  Iterator first;
  Op op;

  template <typename Index>
  __device__ void operator()(Index i) {
    op(first[i]);
  }
};

// Calls a function with a copy of an element.
template <typename Iterator, typename Op>
struct OfCopy {
  Iterator first;
  Op op;

  template <typename Index>
  __device__ void operator()(Index i) {
    typename std::iterator_traits<Iterator>::value_type value = first[i];
    op(value);
  }
};

template <typename Shape, typename Op>
__global__ void for_each_index(Shape count, Op op) {
  const auto first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::size_t i = first; i < static_cast<std::size_t>(count);
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    op(static_cast<Shape>(i));
}

struct DeviceFor {
  template <typename Shape, typename Op>
  static hipError_t Bulk(Shape count, Op op, hipStream_t stream = nullptr) {
    static_assert(std::is_integral<Shape>::value, "the shape is a number");
    const std::size_t threads = 256, most = 1u << 20,
                      blocks = (static_cast<std::size_t>(count) + threads - 1) / threads;
    if (!(count > 0)) return hipSuccess;
    for_each_index<<<static_cast<unsigned>(blocks < most ? blocks : most), threads, 0, stream>>>(count, op);
    return hipPeekAtLastError();
  }
  template <typename Iterator, typename Count, typename Op>
  static hipError_t ForEachN(Iterator first, Count count, Op op, hipStream_t stream = nullptr) {
    return Bulk(count, OfElement<Iterator, Op>{first, op}, stream);
  }
  template <typename Iterator, typename Op>
  static hipError_t ForEach(Iterator first, Iterator last, Op op, hipStream_t stream = nullptr) {
    return ForEachN(first, last - first, op, stream);
  }
  template <typename Iterator, typename Count, typename Op>
  static hipError_t ForEachCopyN(Iterator first, Count count, Op op, hipStream_t stream = nullptr) {
    return Bulk(count, OfCopy<Iterator, Op>{first, op}, stream);
  }
  template <typename Iterator, typename Op>
  static hipError_t ForEachCopy(Iterator first, Iterator last, Op op, hipStream_t stream = nullptr) {
    return ForEachCopyN(first, last - first, op, stream);
  }

// Forms with temporary storage, of which one byte is asked for.
#define HIPPORT_COMPAT_STORED(Name)                                                   \
  template <typename... Arguments>                                                    \
  static hipError_t Name(void* storage, std::size_t& bytes, Arguments... arguments) { \
    if (storage != nullptr) return Name(arguments...);                                \
    bytes = 1;                                                                        \
    return hipSuccess;                                                                \
  }
  HIPPORT_COMPAT_STORED(Bulk)
  HIPPORT_COMPAT_STORED(ForEachN)
  HIPPORT_COMPAT_STORED(ForEach)
  HIPPORT_COMPAT_STORED(ForEachCopyN)
  HIPPORT_COMPAT_STORED(ForEachCopy)
#undef HIPPORT_COMPAT_STORED
};

}  // namespace compat
}  // namespace hipport

#endif

#endif
