// SPDX-License-Identifier: MIT
// rocWMMA's fragments as CUDA's.
#pragma once

#include <hip/hip_runtime.h>

#include <mma.h>

namespace rocwmma = nvcuda::wmma;
