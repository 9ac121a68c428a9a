// SPDX-License-Identifier: MIT
#pragma once

#include "../hip/hip_complex.h"
#include "../hip/hip_runtime_api.h"
#include "../hipport_cpu/unsupported/hipsolver.h"
