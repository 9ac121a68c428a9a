// SPDX-License-Identifier: MIT
// `__internal_half2float`, a private function of CUDA's <cuda_fp16.h> that hosts call for numbers kept as their bits.
#ifndef HIPPORT_COMPAT_HALF_BITS_H
#define HIPPORT_COMPAT_HALF_BITS_H

#include "float_formats.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cuda_fp16.h>
#else
#include <hip/hip_fp16.h>
#endif

namespace hipport {
namespace compat {

HIPPORT_COMPAT float half_bits_to_float(unsigned short x) {
  __half_raw raw;
  raw.x = x;
  return __half2float(__half(raw));
}

}  // namespace compat
}  // namespace hipport

#endif
