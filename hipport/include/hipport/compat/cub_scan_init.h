// SPDX-License-Identifier: MIT
// `cub::DeviceScan::InclusiveScanInit`, which hipCUB has since ROCm 7.0.
#ifndef HIPPORT_COMPAT_CUB_SCAN_INIT_H
#define HIPPORT_COMPAT_CUB_SCAN_INIT_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
#include <rocprim/rocprim.hpp>

#include <cstddef>
#include <iterator>

namespace hipport {
namespace compat {

// Reads an input with the initial value before its first element, by index.
template <typename Input, typename Op, typename Init>
struct SeededInput {
  typedef typename std::iterator_traits<Input>::value_type Value;
  Input input;
  Op op;
  Init init;
  __host__ __device__ auto operator()(std::size_t i) const {
    typedef decltype(op(init, Value(*input))) Sum;
    return i == 0 ? Sum(op(init, Value(*input))) : Sum(Value(input[i]));
  }
};

template <typename Input, typename Output, typename Op, typename Init, typename Count>
hipError_t InclusiveScanInit(void* storage, std::size_t& bytes, Input input, Output output, Op op, Init init,
                             Count count, hipStream_t stream = nullptr) {
  auto seeded = ::rocprim::make_transform_iterator(::rocprim::make_counting_iterator(std::size_t(0)),
                                                   SeededInput<Input, Op, Init>{input, op, init});
  return ::hipcub::DeviceScan::InclusiveScan(storage, bytes, seeded, output, op, count, stream);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
