// SPDX-License-Identifier: MIT
// HIP's host API on the CPU.
#pragma once

#ifndef __cplusplus
#include "hipport: the CPU target supports HIP in C++ only, not in C"  // clang 19 does not end at the errors behind that
#else

// Include guards of HIP's own headers: sources test them to find out which headers are included.
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_DRIVER_TYPES_H

#include "../hipport_cpu/device_queries.h"
#include "../hipport_cpu/cooperative.h"
#include "../hipport_cpu/data_types.h"
#include "../hipport_cpu/batch_copies.h"
#include "../hipport_cpu/driver_copies.h"
#include "../hipport_cpu/function.h"
#include "../hipport_cpu/driver_textures.h"
#include "../hipport_cpu/external.h"
#include "../hipport_cpu/graph_building.h"
#include "../hipport_cpu/graph_params.h"
#include "../hipport_cpu/ipc.h"
#include "../hipport_cpu/memory_queries.h"
#include "../hipport_cpu/mipmaps.h"
#include "../hipport_cpu/modules.h"
#include "../hipport_cpu/pools.h"
#include "../hipport_cpu/stream_attributes.h"
#include "../hipport_cpu/stream_values.h"
#include "../hipport_cpu/surfaces.h"
#include "../hipport_cpu/textures.h"
#include "../hipport_cpu/user_objects.h"
#include "../hipport_cpu/virtual_memory.h"

#include "../hipport_cpu/unsupported/runtime.h"
#endif
