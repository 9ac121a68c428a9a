// SPDX-License-Identifier: MIT
// HIP on the CPU: the kernel language and the host API in standard C++17. See docs/cpu-target.md.
#pragma once

#ifndef __cplusplus
#include "hipport: the CPU target supports HIP in C++ only, not in C"  // clang 19 does not end at the errors behind that
#else

#define HIP_INCLUDE_HIP_HIP_RUNTIME_H

#include "hip_runtime_api.h"

#include "../hipport_cpu/amdgcn.h"
#include "../hipport_cpu/atomics.h"
#include "../hipport_cpu/conversions.h"
#include "../hipport_cpu/cooperative.h"
#include "../hipport_cpu/lanes.h"
#include "../hipport_cpu/launch.h"
#include "../hipport_cpu/math.h"
#if HIPPORT_WAVE_SIZE == 64
#include "../hipport_cpu/matrix_mfma.h"
#else
#include "../hipport_cpu/matrix_wmma.h"
#endif
#include "../hipport_cpu/regions.h"
#include "../hipport_cpu/shared.h"
#include "../hipport_cpu/special_functions.h"
#endif
