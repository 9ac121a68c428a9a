// SPDX-License-Identifier: MIT
#pragma once

// HIP's include guard, which sources test.
#define HIPFFT_H_

// Sources may include it inside `extern "C"`, as C headers can be.
extern "C++" {
#include "../hip/hip_complex.h"
#include "../hip/hip_runtime_api.h"
#include "../hipport_cpu/fft/api.h"
#include "../hipport_cpu/unsupported/hipfft.h"
}
