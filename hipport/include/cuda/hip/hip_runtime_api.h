// SPDX-License-Identifier: MIT
// HIP's host functions, types and enumerators as those of CUDA's runtime and driver.
//
// `hipport build --target nvidia` writes the headers in hipport_cuda/names/ from hipport's mapping tables. They are
// macros: a name that this release of CUDA lacks does no harm unless a program uses it. What takes more than another
// name is written by hand below them.
#pragma once

// Sources ask by these macros whether HIP's headers were included.
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
