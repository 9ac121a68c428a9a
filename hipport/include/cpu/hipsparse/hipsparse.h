// SPDX-License-Identifier: MIT
#pragma once

// HIP's include guard, which sources test.
#define HIPSPARSE_H

#include "../hip/hip_complex.h"
#include "../hip/hip_runtime_api.h"
#include "../hipport_cpu/unsupported/hipsparse.h"
