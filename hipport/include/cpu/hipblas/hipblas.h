// SPDX-License-Identifier: MIT
#pragma once

// By this code tells that it has the library.
#define HIPBLAS_H

#include "../hipport_cpu/blas/api.h"
#include "../hipport_cpu/unsupported/hipblas.h"
