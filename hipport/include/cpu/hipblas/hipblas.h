// SPDX-License-Identifier: MIT
#pragma once

#include "../hipport_cpu/blas/api.h"
#include "../hipport_cpu/unsupported/hipblas.h"
