// SPDX-License-Identifier: MIT
// Maps HIP's host functions, types and enumerators to those of CUDA's runtime and driver.
//
// `hipport build --target nvidia` generates the headers in hipport_cuda/names/ from hipport's mapping tables. They
// contain macros, so a name that a CUDA release lacks only matters to programs that use it. What needs more than a
// renaming is written by hand in the headers below them.
#pragma once

// Sources test these macros to find out whether HIP's headers were included.
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_DRIVER_TYPES_H
#define HIP_INCLUDE_HIP_HIP_VECTOR_TYPES_H

#include "../hipport_cuda/platform.h"

#include "../hipport_cuda/driver.h"

#include <hipport_cuda/names/compiler.h>
#include <hipport_cuda/names/cucomplex.h>
#include <hipport_cuda/names/device.h>
#include <hipport_cuda/names/driver.h>
#include <hipport_cuda/names/runtime.h>

#include "../hipport_cuda/constants.h"
#if defined(__cplusplus)
#include "../hipport_cuda/context.h"
#include "../hipport_cuda/copies.h"
#include "../hipport_cuda/graphs.h"
#include "../hipport_cuda/memory.h"
#include "../hipport_cuda/properties.h"
#include "../hipport_cuda/virtual_memory.h"
#endif
