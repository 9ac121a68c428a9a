// SPDX-License-Identifier: MIT
// hipFFT's types, and the plan behind a handle.
#pragma once

#include "../../hip/hip_complex.h"
#include "../stream.h"

#include <vector>

using hipfftReal = float;
using hipfftDoubleReal = double;
using hipfftComplex = hipFloatComplex;
using hipfftDoubleComplex = hipDoubleComplex;

enum hipfftResult_t {
  HIPFFT_SUCCESS = 0,
  HIPFFT_INVALID_PLAN = 1,
  HIPFFT_ALLOC_FAILED = 2,
  HIPFFT_INVALID_TYPE = 3,
  HIPFFT_INVALID_VALUE = 4,
  HIPFFT_INTERNAL_ERROR = 5,
  HIPFFT_EXEC_FAILED = 6,
  HIPFFT_SETUP_FAILED = 7,
  HIPFFT_INVALID_SIZE = 8,
  HIPFFT_UNALIGNED_DATA = 9,
  HIPFFT_INCOMPLETE_PARAMETER_LIST = 10,
  HIPFFT_INVALID_DEVICE = 11,
  HIPFFT_PARSE_ERROR = 12,
  HIPFFT_NO_WORKSPACE = 13,
  HIPFFT_NOT_IMPLEMENTED = 14,
  HIPFFT_NOT_SUPPORTED = 16
};
using hipfftResult = hipfftResult_t;

enum hipfftType_t {
  HIPFFT_C2C = 0x29,
  HIPFFT_R2C = 0x2a,
  HIPFFT_C2R = 0x2c,
  HIPFFT_Z2Z = 0x69,
  HIPFFT_D2Z = 0x6a,
  HIPFFT_Z2D = 0x6c
};
using hipfftType = hipfftType_t;

#define HIPFFT_FORWARD (-1)
#define HIPFFT_BACKWARD 1

// The places of a transform's elements: one stands `stride` behind the last, a batch `distance` behind the last.
struct hipport_fft_layout {
  std::vector<int> embed;
  int stride = 1, distance = 0;
};

struct hipfftHandle_t {
  hipfftType type = HIPFFT_C2C;
  std::vector<int> sizes;  // empty until the plan is made
  int batch = 1;
  bool packed = true;  // without layouts: elements are adjacent, and real rows in place are padded
  hipport_fft_layout in, out;
  hipStream_t stream = nullptr;
};
using hipfftHandle = hipfftHandle_t*;
