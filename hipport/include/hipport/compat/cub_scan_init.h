// SPDX-License-Identifier: MIT
// `cub::DeviceScan::InclusiveScanInit`, which hipCUB has since ROCm 7.0.
#ifndef HIPPORT_COMPAT_CUB_SCAN_INIT_H
#define HIPPORT_COMPAT_CUB_SCAN_INIT_H

#include "seeded_input.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
#include <rocprim/rocprim.hpp>

#include <cstddef>

namespace hipport {
namespace compat {

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
