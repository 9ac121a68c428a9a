// SPDX-License-Identifier: MIT
#pragma once

// HIP's include guard, which sources test.
#define HIPBLAS_H

#include "../hipport_cpu/blas/api.h"
#include "../hipport_cpu/unsupported/hipblas.h"
