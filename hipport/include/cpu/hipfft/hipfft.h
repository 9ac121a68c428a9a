// SPDX-License-Identifier: MIT
#pragma once

// By this code tells that it has the library.
#define HIPFFT_H_

#include "../hip/hip_complex.h"
#include "../hip/hip_runtime_api.h"
#include "../hipport_cpu/unsupported/hipfft.h"
