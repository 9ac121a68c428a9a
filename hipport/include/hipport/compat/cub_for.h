// SPDX-License-Identifier: MIT
// `cub::DeviceFor`: calls a function for each of a number of indices, or for each element of a range. hipCUB has such
// functions since ROCm 6.4, outside of a class and not in <hipcub/hipcub.hpp>.
#ifndef HIPPORT_COMPAT_CUB_FOR_H
#define HIPPORT_COMPAT_CUB_FOR_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
#include <rocprim/rocprim.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace hipport {
namespace compat {

// Functions for rocPRIM, which drops what they return: one that calls another with an index, with an element itself,
// which that may write, and with a copy of an element.
template <typename Op>
struct OfIndex {
  Op op;

  template <typename Index>
  __device__ int operator()(Index i) const {
    Op called = op;
    called(i);
    return 0;
  }
};

template <typename Iterator, typename Op>
struct OfElement {
  Iterator first;
  Op op;

  template <typename Index>
  __device__ void operator()(Index i) {
    op(first[i]);
  }
};

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

struct DeviceFor {
  template <typename Shape, typename Op>
  static hipError_t Bulk(Shape count, Op op, hipStream_t stream = nullptr) {
    static_assert(std::is_integral<Shape>::value, "the shape is a number");
    if (!(count > 0)) return hipSuccess;
    return ::rocprim::transform(::rocprim::counting_iterator<Shape>(0), ::rocprim::discard_iterator(),
                                static_cast<std::size_t>(count), OfIndex<Op>{op}, stream);
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
