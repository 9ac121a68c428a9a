// SPDX-License-Identifier: MIT
#pragma once

// By this code tells that it has the library.
#define HIPSPARSE_H

#include "../hip/hip_complex.h"
#include "../hip/hip_runtime_api.h"
#include "../hipport_cpu/unsupported/hipsparse.h"
