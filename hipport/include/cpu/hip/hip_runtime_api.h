// SPDX-License-Identifier: MIT
// HIP's host API on the CPU.
#pragma once

// By these, and by its own guards, code tells which of HIP's headers it has.
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_DRIVER_TYPES_H

#include "../hipport_cpu/copy.h"
#include "../hipport_cpu/pools.h"
#include "../hipport_cpu/textures.h"
#include "../hipport_cpu/function.h"
#include "../hipport_cpu/graph.h"
