// SPDX-License-Identifier: MIT
// rocWMMA's fragments, mapped to CUDA's `nvcuda::wmma`.
#pragma once

#include <hip/hip_runtime.h>

#include <mma.h>

namespace rocwmma = nvcuda::wmma;
